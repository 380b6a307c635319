"""Loads models into translators: checkpoints, and folders that export.py wrote."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict, overload

import torch

from nmt import checkpoint
from nmt.build import build, build_search, override
from nmt.checkpoint import ConfigFile, LoadedModel
from nmt.config.schema import Count, read_json
from nmt.config.settings import settings_of_pair
from nmt.errors import UserError
from nmt.parameters import PositiveInt, Range
from nmt.search.base import Search
from nmt.system import process
from nmt.system.run_files import EXPORTED, MAX_TOKENIZER, MAX_WEIGHTS, is_exported, require_regular
from nmt.text.languages import find_language
from nmt.text.terms import read_terms
from nmt.translation.base import BaseTranslator
from nmt.translation.translator import Ensemble, ModelTranslator, Translator

VERSION = 3  # of export.json
REMEDY = "use another copy, or export the model again"
Engine = Literal["torch", "ctranslate2"]
ENGINES = "nmt.deploy.export.ctranslate2."  # the module of the classes that translate with CTranslate2
WEIGHTS, SOURCE, TARGET = "model.bin", "source.spm", "target.spm"  # the files of an exported folder that are read


class ManifestFile(TypedDict):
    """The content of `export.json`. `format` has the name and the settings of the format."""

    nmt_export: Annotated[int, Range(low=VERSION, high=VERSION)]
    format: dict[str, Any]
    config: ConfigFile
    search: dict[str, Any]
    source_limit: PositiveInt
    target_limit: PositiveInt
    update: Count
    scores: dict[str, Any]


@dataclass(frozen=True)
class ExportedModel:
    """An exported model on disk: the config of its run, and its export.json."""

    config: Mapping[str, Any]
    path: Path


@overload
def load_translator(path: str | Path, *, engine: Literal["ctranslate2"], **options: Any) -> BaseTranslator: ...


@overload
def load_translator(path: str | Path, **options: Any) -> Translator: ...


@overload
def load_translator(path: Sequence[str | Path], **options: Any) -> ModelTranslator: ...


def load_translator(
    path: str | Path | Sequence[str | Path],
    *,
    device: str = "auto",
    engine: Engine = "torch",
    search: Search | Mapping[str, Any] | None = None,
    allow: Sequence[str] = (),
    **fields: Any,
) -> BaseTranslator:
    """Return the translator of a run folder (its best checkpoint) or a checkpoint file.

    Several paths give an `Ensemble` with the default strategy of the first model. `device` is "auto" (a GPU if
    available, otherwise the CPU), "cpu", "cuda", "cuda:1" ... With `engine` "ctranslate2", the model is converted when
    it is loaded and translates in CTranslate2. The default strategy is in the checkpoint. A `search` object, or a node
    with a `_target_`, replaces it. A mapping without `_target_` replaces single settings, and so do `fields`:
    `load_translator(path, beam_size=5)`. `allow` names your packages whose classes the checkpoint and `search` may
    name. Raises UserError for a checkpoint or a setting that cannot be used, for models with different languages,
    vocabularies or spans, which cannot be an ensemble, and for what the engine cannot do.
    """
    return _translator(load_models(path, device, allow), device, engine, search=search, allow=allow, **fields)


def load(
    ckpt: str | Path | Sequence[str],
    *,
    device: str = "auto",
    engine: Engine = "torch",
    source_lang: str | None = None,
    target_lang: str | None = None,
    terms: str | None = None,
    allow: Sequence[str] = (),
    **options: Any,
) -> tuple[BaseTranslator, Sequence[LoadedModel | ExportedModel]]:
    """Return the translator of a program, and its models. `ckpt` is as in `load_translator`, or an exported folder.

    `options` are `search` and its fields. The translator translates from `source_lang` to `target_lang`, in the first
    direction of the models that fits what is given, and uses the glossary in the file `terms`. Raises UserError for
    languages that the models do not translate, and for files that cannot be read.
    """
    process.speed_up()
    translator: BaseTranslator
    models: Sequence[LoadedModel | ExportedModel]
    if isinstance(ckpt, str | Path) and is_exported(ckpt):
        translator, models = _exported(Path(os.path.expanduser(ckpt)), device, allow=allow, **options)
    else:
        models = loaded = load_models(ckpt, device, allow)
        translator = _translator(loaded, device, engine, allow=allow, **options)
    if source_lang or target_lang:
        translator = translator.in_direction(direction([model.config for model in models], source_lang, target_lang))
    return translator if terms is None else translator.with_terms(read_terms(Path(terms).expanduser())), models


def _exported(folder: Path, device: str, **options: Any) -> tuple[BaseTranslator, list[ExportedModel]]:
    manifest = read_json(folder / EXPORTED, ManifestFile, remedy=REMEDY)
    form = manifest["format"]
    if form.get("name") != "ctranslate2":
        other = f"written with format={form.get('name')} for another program"
        raise UserError(f"ckpt={folder}: {other}; name its run, or export that with format=ctranslate2")
    for name, most in ((WEIGHTS, MAX_WEIGHTS), (SOURCE, MAX_TOKENIZER), (TARGET, MAX_TOKENIZER)):
        try:
            require_regular(folder / name, most)
        except (OSError, ValueError) as error:
            what = f"missing or damaged ({getattr(error, 'strerror', error)})"
            raise UserError(f"{folder / name}: {what}; {REMEDY}") from error
    node = {"_target_": f"{ENGINES}CTranslate2Translator", "quantization": form.get("quantization")}
    own = _search(manifest["search"], **options)
    translator = build("translator", node, "format", folder=folder, manifest=manifest, device=device, search=own)
    return translator, [ExportedModel(manifest["config"], folder / EXPORTED)]


def _translator(loaded: Sequence[LoadedModel], device: str, engine: Engine, **options: Any) -> BaseTranslator:
    if engine == "torch":
        return make_translator(loaded, **options)
    if len(loaded) > 1:
        raise UserError(f"engine={engine}: got {len(loaded)} models, expected one; an ensemble needs engine=torch")
    node, own = {"_target_": f"{ENGINES}ConvertedRun"}, _search(loaded[0].config["search"], **options)
    translator: BaseTranslator = build("translator", node, "engine", loaded=loaded[0], device=device, search=own)
    return translator


def load_models(
    path: str | Path | Sequence[str | Path], device: str = "auto", allow: Sequence[str] = ()
) -> list[LoadedModel]:
    """Return the models of checkpoints, in order. Raises UserError if one is missing or cannot be used."""
    if not path:
        raise UserError("ckpt: got nothing, expected at least one model")
    resolved, paths = resolve_device(device), [path] if isinstance(path, str | Path) else path
    return [checkpoint.load_model(each, resolved, allow) for each in paths]


def make_translator(
    loaded: Sequence[LoadedModel],
    search: Search | Mapping[str, Any] | None = None,
    *,
    allow: Sequence[str] = (),
    **fields: Any,
) -> ModelTranslator:
    """Return the translator of loaded checkpoints. The other arguments are as in `load_translator`."""
    own = _search(loaded[0].config["search"], search, allow=allow, **fields)
    members = [
        Translator(
            each.model,
            each.tokenizer,
            own,
            name=each.config["name"],
            update=each.update,
            trained_length=each.config.get("data", {}).get("max_length"),
            languages=languages_of(each.config),
            directions=directions_of(each.config)[1:],
        )
        for each in loaded
    ]
    return members[0] if len(members) == 1 else Ensemble(members, names=[str(each.path) for each in loaded])


def _search(
    own: Mapping[str, Any],
    search: Search | Mapping[str, Any] | None = None,
    *,
    allow: Sequence[str] = (),
    **fields: Any,
) -> Search:
    """Return the strategy that a user chooses for a model. The node `own` describes that of the model itself."""
    if search is not None and not isinstance(search, Mapping):
        return override(search, fields)
    given = search or {}
    return override(build_search(given if "_target_" in given else {**own, **given}, allow=allow), fields)


def languages_of(config: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the languages of a checkpoint's config, or None if the translator that was saved did not know them."""
    data = config.get("data", {})
    return (data["source_lang"], data["target_lang"]) if data.keys() >= {"source_lang", "target_lang"} else None


def directions_of(config: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the languages of each direction that the run of a config has learned, the main one first."""
    data, main = config.get("data", {}), languages_of(config)
    if main is None:
        return []
    further = [settings_of_pair(data, pair) for pair in (data.get("pairs") or {}).values()]
    found = [main, *((each["source_lang"], each["target_lang"]) for each in further)]
    turned = [(target, source) for source, target in found if data.get("both_directions")]
    return list(dict.fromkeys([*found, *turned]))


def direction(
    configs: Sequence[Mapping[str, Any]], source_lang: str | None, target_lang: str | None
) -> tuple[str, str]:
    """Return the first direction of the models of these configs that fits the languages that are given.

    Raises UserError if there is none.
    """
    known, *others = [*filter(None, map(directions_of, configs))] or [[]]
    fitting = [each for each in known if all(each in one for one in others)]
    for side, code in enumerate((source_lang, target_lang)):
        if code:
            own = find_language(code, {each[side] for each in fitting})
            fitting = [each for each in fitting if each[side] == own]
    if fitting:
        return fitting[0]
    listed = " or ".join(" to ".join(each) for each in known) or "a model that says its languages"
    got = " to ".join(filter(None, (source_lang, target_lang)))
    raise UserError(f"{'source' if source_lang else 'target'}_lang: got {got}, expected {listed}")


def require_data_settings(config: Mapping[str, Any], path: Path, remedy: str) -> None:
    """Raise UserError, which ends with the `remedy`, if no run has written the checkpoint of this config."""
    if "batch_tokens" not in config.get("data", {}):
        raise UserError(f"{path}: saved from Python without data settings; {remedy}")


def resolve_device(name: str) -> torch.device:
    """Return the device called `name`. "auto" is the current GPU if available, otherwise the CPU.

    Raises UserError if torch cannot use the device.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.zeros((), device=device).item()  # fails if tensors on the device have no values (meta)
    except (RuntimeError, AssertionError, NotImplementedError, TypeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UserError(f"device={name}: cannot be used here ({reason}); use auto or cpu") from error
    return device
