"""A page in one HTML file that translates in a browser, without a network.

Python describes the built modules, and JavaScript (nmt/page/engine) computes. Weights are in float16. A table that two
layers share is stored once, under two names.
"""

from __future__ import annotations

import base64
import json
import re
import shutil
import struct
import subprocess
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from sentencepiece.sentencepiece_model_pb2 import ModelProto  # type: ignore[attr-defined]
from torch import Tensor, nn

from nmt.build import architecture
from nmt.checkpoint import LoadedModel, weights_of
from nmt.deploy.export.base import NOT_KEPT, EngineTranslator, Exportable, Format, write_tokenizer
from nmt.deploy.page import held, page
from nmt.errors import UserError, one_line
from nmt.models.interface import Decoder
from nmt.models.rnn_decoder import RecurrentDecoder
from nmt.search.base import Search
from nmt.search.beam import BeamSearch
from nmt.system.atomic import write_atomically
from nmt.text.languages import bcp47
from nmt.translation.base import SearchRequest
from nmt.translation.loading import WEIGHTS, ManifestFile, directions_of
from nmt.translation.translation import ForcedPair

# The classes of nmt.models that the engine has, and the attributes that it must know.
_ATTRIBUTES = {
    "TransformerEncoder TransformerDecoder": "block layers positions",
    "TransformerBlock": "activation norm_first",
    "EncoderLayer": "self_attention",
    "DecoderLayer": "self_attention cross_attention",
    "MultiHeadAttention": "heads scale",
    "NoPositions Sinusoidal Rotary Learned RecurrentLayer": "",
    "Alibi": "slopes",
    "Relative": "max_distance",
    "RecurrentEncoder": "forwards backwards",
    "RecurrentDecoder": "attention bridge input_feeding query_state readout_width",
    "Bridge": "layers tensors",
    "AdditiveAttention LocationAttention": "normalizer",
    "CoverageAttention": "normalizer max_fertility",
    "DotAttention GeneralAttention CosineAttention": "normalizer factor",
    "DistanceAttention": "normalizer factor norm",
    "MultiHead": "normalizer attention",
    "LuongAttention": "scores",
    "MonotonicLocalAttention PredictiveLocalAttention": "scores window",
}
CLASSES = {name: attributes.split() for names, attributes in _ATTRIBUTES.items() for name in names.split()}
SEARCH = ("beam_size", "n_best", "length_penalty", "normalization", "max_length_factor", "max_length_extra")
NORMAL, USER_DEFINED, BYTE = 1, 4, 6  # types of pieces
# Returns the tokens and the log-probabilities of each hypothesis, for sources, first tokens and limits.
FIND = """(model, asked, settings, tag) => asked.map(([text, forced, limit]) =>
    model.find(model.encoder.run(model.read(text, [], tag)), forced, limit, settings).map(
        ({ tokens, log_probs }) => [tokens, log_probs]))"""


@dataclass(frozen=True, kw_only=True)
class Html(Format):
    """A page for browsers, with one model or several. Its weights are in float16."""

    name: ClassVar[str] = "html"
    suffix: ClassVar[str] = ".html"
    most_sentences: ClassVar[int] = 100  # the engine takes up to half a second for each
    has_spans: ClassVar[bool] = False

    def require(self, loaded: LoadedModel) -> None:
        """Raise UserError for a model that the engine does not have. Round the weights of others to float16."""
        described([loaded.model.encoder, loaded.model.decoder])
        for name, value in weights_of(loaded.model).items():
            if not bool((half := value.half()).isfinite().all()):
                raise UserError(f"ckpt: format=html stores float16, up to 65,504, but {name} has more; use serve.py")
            value.copy_(half)

    def write(self, model: Exportable, folder: Path) -> None:
        write_tokenizer(model.loaded.tokenizer, folder)
        write_atomically(folder / WEIGHTS, packed(model))

    def open(self, folder: Path, manifest: ManifestFile) -> PageTranslator | None:
        return PageTranslator(folder, manifest) if Engine.program else None

    def finished(self, folders: Sequence[Path]) -> Path:
        path = folders[0] / f"page{self.suffix}"
        path.write_text(page([(folder / WEIGHTS).read_bytes() for folder in folders]), "utf-8")
        return path

    def search_of(self, search: Search, length: float) -> BeamSearch:
        return PageTranslator.check_search(search)


def packed(exportable: Exportable) -> bytes:
    """Return a model for the engine: the length of a header, the header as JSON, and the weights."""
    loaded, search = exportable.loaded, exportable.search
    model, tokenizer, data = loaded.model, loaded.tokenizer, loaded.config.get("data", {})
    directions = directions_of(loaded.config) or [("", "")]
    limits = [exportable.source_limit, *filter(None, [search.long_source != "whole" and data.get("max_length")])]
    body, places, tensors = bytearray(), dict[int, int](), list[Any]()
    for name, value in model.state_dict(keep_vars=True).items():
        if id(value) not in places:
            places[id(value)] = len(body)
            body += value.detach().half().numpy().tobytes()
        part, _, end = re.sub(r"rnn\.(weight|bias)_(ih|hh)_l0", r"\2.\1", name).rpartition(".")
        tensors.append([part, end, {"at": places[id(value)], "shape": list(value.shape)}])
    header = {
        "name": loaded.config["name"],
        "directions": [[*map(bcp47, each), tokenizer.towards(each[1]).tag] for each in directions],
        "details": architecture(loaded.config["model"]),
        "example": exportable.sample,
        "parameters": sum(each.numel() for each in model.parameters()),
        "classes": {kind: _classes(model.decoder, kind) for kind in ("cross", "decoder_self")},
        "search": {name: getattr(search, name) for name in SEARCH},
        "source_limit": min(limits),
        "target_limit": model.decoder.max_length,
        "tokenizers": list(map(_pieces, filter(None, (tokenizer.source_model, tokenizer.target_model)))),
        "tensors": tensors,
        "encoder": described(model.encoder),
        "decoder": described(model.decoder),
    }
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    return struct.pack("<I", len(text)) + text + body


def described(value: Any) -> Any:
    """Return what the engine must know of a part of a model. Raises UserError for a class that it does not have."""
    name = type(value).__name__
    if name in CLASSES and type(value).__module__.startswith("nmt.models."):
        return {"class": name, **{each: described(getattr(value, each)) for each in CLASSES[name]}}
    if isinstance(value, nn.ModuleList | list):
        return list(map(described, value))
    if isinstance(value, Tensor):
        return value.flatten().tolist() if value.dim() else value.item()
    if value is None or isinstance(value, str | int | float):
        return value
    raise UserError(f"ckpt: format=html does not have the class {name} of this model; translate with serve.py")


def _classes(decoder: Decoder[Any], kind: str) -> list[str]:
    """Return the names of the classes of an attention. An equation of a later class replaces that of an earlier one."""
    modules = [module for each in decoder.attentions(kind)[-1:] for module in reversed(list(each.modules()))]
    names = [each.__name__ for module in (*modules, decoder) for each in reversed(type(module).__mro__)]
    if isinstance(decoder, RecurrentDecoder) and decoder.query_state:
        names.append(decoder.query_state)
        names += ["several layers", f"{decoder.query_state}, several layers"] * (len(decoder.cells.upper) > 0)
    return names


def _pieces(content: bytes) -> dict[str, Any]:
    """Return what the engine must know of a SentencePiece model. Raises UserError if another program trained it."""
    proto = ModelProto.FromString(content)
    rules, pieces, kind = proto.normalizer_spec, proto.pieces, proto.trainer_spec.model_type
    spaces = rules.add_dummy_prefix, rules.remove_extra_whitespaces, rules.escape_whitespaces
    if rules.name != "nfc" or not all(spaces):
        raise UserError(f"ckpt: format=html does not have the rules '{rules.name}' of its tokenizer; use serve.py")
    short = {each.score: float(str(np.float32(each.score))) for each in pieces}  # the shortest text of the same float32
    return {
        "type": proto.trainer_spec.ModelType.Name(kind).lower(),
        "pieces": [each.piece for each in pieces],
        "scores": [{NORMAL: short[each.score], USER_DEFINED: -0.1}.get(each.type) for each in pieces],
        "bytes": [each.type for each in pieces].index(BYTE),
        "marks": [each.piece for each in pieces if each.type == USER_DEFINED],
        "unknown": min(each.score for each in pieces if each.type == NORMAL) - 10,
    }


class Engine:
    """The engine and the model of a page, in node. `program` is None if node is not found."""

    program = shutil.which("node")

    def __init__(self, page: str) -> None:
        (self._script,) = re.findall(r'id="engine">(.*?)</script>', page, re.DOTALL)
        (packed,) = re.findall(r'class="model">([^<]*)</script>', page)
        self._model = base64.b64encode(zlib.decompress(base64.b64decode(packed), -zlib.MAX_WBITS)).decode()

    def ask(self, function: str, *arguments: Any) -> Any:
        """Return what a function in JavaScript returns for the model of the page and other arguments, all as JSON."""
        script = f"""(() => {{ {self._script}
            const model = new Model(Uint8Array.from(atob("{self._model}"), (letter) => letter.charCodeAt(0)));
            const plain = (key, value) => (ArrayBuffer.isView(value) ? Array.from(value) : value);
            console.log(JSON.stringify(({function})(model, ...{json.dumps(arguments)}), plain));
        }})()"""
        done = subprocess.run(["node", "-"], input=script, capture_output=True, encoding="utf-8")
        try:
            return json.loads(done.stdout)
        except ValueError as error:
            why = re.search(r"^\w*Error: .*", done.stderr, re.MULTILINE) or [one_line(done.stderr)[-200:]]
            remedy = "without it on the PATH, the page is written and not compared"
            raise UserError(f"check: {self.program} does not run the page ({why[0]}); {remedy}") from error


class PageTranslator(EngineTranslator):
    """Translates in the engine of a page."""

    engine = "format=html"
    lacks = NOT_KEPT
    normalizations = ("power", "gnmt")
    device_type = "cpu"

    def __init__(self, folder: Path, manifest: ManifestFile) -> None:
        super().__init__(folder, manifest)
        self._engine = Engine(held([(folder / WEIGHTS).read_bytes()]))

    def generated(self, requests: Sequence[SearchRequest], beam: BeamSearch, limit: int) -> list[list[list[int]]]:
        asked = [(request.source.text, request.prefix, request.limit) for request in requests]
        return [[ids for ids, _ in several] for several in self._found(asked, beam)]

    def token_log_probs(self, pairs: Sequence[ForcedPair]) -> list[Tensor]:
        asked = [(pair.source.text, pair.ids, len(pair.ids)) for pair in pairs]  # all tokens are forced
        return [torch.tensor(several[0][1]) for several in self._found(asked, BeamSearch(beam_size=1))]

    def _found(self, asked: Sequence[tuple[str, list[int], int]], beam: BeamSearch) -> Any:
        return self._engine.ask(FIND, asked, {name: getattr(beam, name) for name in SEARCH}, self.tokenizer.tag)
