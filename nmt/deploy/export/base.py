"""The base class of formats, the files that every format writes, and the base class of engines that read them."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, cast

import torch
from torch import Tensor

from nmt.build import build_search, search_node
from nmt.checkpoint import ConfigFile, LoadedModel
from nmt.config.settings import shareable
from nmt.data.tokenizer import Tokenizer
from nmt.deploy.export.check import exportable_search
from nmt.errors import UserError, missing_packages, raise_if_any
from nmt.models.multihead import MultiHeadAttention
from nmt.models.seq2seq import Seq2Seq
from nmt.models.transformer import TransformerDecoder, TransformerEncoder
from nmt.search.base import Hypothesis, Search, Unscored
from nmt.search.beam import BeamSearch
from nmt.system.atomic import write_atomically
from nmt.system.run_files import EXPORTED
from nmt.text.protect import Spans
from nmt.translation.base import BaseTranslator, SearchRequest
from nmt.translation.loading import SOURCE, TARGET, VERSION, ManifestFile, languages_of
from nmt.translation.translation import ForcedPair

Stack = TransformerEncoder | TransformerDecoder
NOT_KEPT = ("coverage_penalty", "utility", "min_length", "no_repeat_ngram_size")  # settings of a beam search


@dataclass(frozen=True)
class Exportable:
    """A loaded model, and the search that every other engine has: a beam search with a power of the length.

    `sample` is a sentence for the example of the card.
    """

    loaded: LoadedModel
    search: BeamSearch
    sample: str

    @property
    def languages(self) -> tuple[str, str]:
        """The codes of the source and the target language."""
        data = self.loaded.config["data"]
        return data["source_lang"], data["target_lang"]

    @property
    def source_limit(self) -> int:
        """The largest number of tokens of a source, eos included."""
        most = self.loaded.model.encoder.max_length
        return self.search.max_source_length if most is None else min(most, self.search.max_source_length)

    @property
    def target_limit(self) -> int:
        """The largest number of tokens of a translation, eos included."""
        longest, most = self.search.target_limit(self.source_limit), self.loaded.model.decoder.max_length
        return longest if most is None else min(longest, most)


@dataclass(frozen=True, kw_only=True)
class Format(ABC):
    """A format of other programs, or of browsers. Its fields are its settings."""

    name: ClassVar[str]  # on the command line
    library: ClassVar[str]  # what loads the files, by its name on the Hugging Face Hub
    example: ClassVar[str]  # how to use the files: Markdown for the card, with a program; card.py fills in its {fields}
    fixed_search: ClassVar[Mapping[str, Any]] = {}  # settings of the beam search that a user of the files cannot choose
    suffix: ClassVar[str] = ""  # of the one file for several models; "" for a folder with a card for one
    most_sentences: ClassVar[int] = 1_000_000  # on which the files are compared with the checkpoint
    joint_because: ClassVar[str] = ""  # why it holds a joint vocabulary only; "" if it also holds two
    has_spans: ClassVar[bool] = True  # False: the files read URLs, placeholders and tags as ordinary text

    def require(self, loaded: LoadedModel) -> None:
        """Raise UserError for a model that the format cannot hold. The message says why, and what to use instead."""
        if self.joint_because and not loaded.tokenizer.joint:
            only = f"format={self.name} holds a joint vocabulary only, because {self.joint_because}"
            raise UserError(f"ckpt: {only}; train with tokenizer.joint=true, or use format=ctranslate2")

    @abstractmethod
    def write(self, model: Exportable, folder: Path) -> None:
        """Write the files of the format into an empty folder. The program adds the manifest and the card."""

    @abstractmethod
    def open(self, folder: Path, manifest: ManifestFile) -> EngineTranslator | None:
        """Return a translator for the comparison. It computes with the written files alone, in the other library.

        It is None if the library is not there.
        """

    def finished(self, folders: Sequence[Path]) -> Path:
        """Return what the user gets for the folders of the models. Only a format with a `suffix` has several."""
        return folders[0]

    def search_of(self, search: Search, length: float) -> BeamSearch:
        """Return the search of the files for that of a run, whose translations have about the mean `length`."""
        if isinstance(search, BeamSearch):
            _require_defaults(search, NOT_KEPT, f"format={self.name} does not keep")
        return exportable_search(search, length, **self.fixed_search)


def _require_defaults(search: BeamSearch, keys: Sequence[str], why: str) -> None:
    raise_if_any(
        f"search.{key}: got {value}, which {why}; set it to {usual}"
        for key in keys
        if (value := getattr(search, key)) != (usual := getattr(BeamSearch(), key))
    )


def require_packages(format: str, *modules: str) -> None:
    """Raise UserError if one of the packages of a format is missing."""
    if missing := missing_packages(*modules, extra="deploy"):
        raise UserError(f"format={format} {missing}")


def write(format: Format, model: Exportable, folder: Path) -> ManifestFile:
    """Write a model and its manifest into an empty folder, and return the manifest."""
    format.write(model, folder)
    manifest: ManifestFile = {
        "nmt_export": VERSION,
        "format": {"name": format.name, **vars(format)},
        "config": cast(ConfigFile, shareable(model.loaded.config)),
        "search": search_node(model.search),
        "source_limit": model.source_limit,
        "target_limit": model.target_limit,
        "update": model.loaded.update,
        "scores": dict(model.loaded.scores),
    }
    text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
    write_atomically(folder / EXPORTED, text.encode())
    return manifest


def write_tokenizer(tokenizer: Tokenizer, folder: Path) -> None:
    """Write the SentencePiece models of the source and of the target."""
    write_atomically(folder / SOURCE, tokenizer.source_model)
    write_atomically(folder / TARGET, tokenizer.target_model or tokenizer.source_model)


class EngineTranslator(BaseTranslator):
    """Translates with an exported model; a subclass computes in its engine.

    Without `search`, it has that of the manifest. Raises UserError for a search that the engine does not have.
    """

    engine: ClassVar[str]  # its name in messages
    lacks: ClassVar[Sequence[str]] = NOT_KEPT[:2]
    normalizations: ClassVar[Sequence[str]] = ("power",)
    longest_source: int | None = None
    longest_target: int | None = None

    def __init__(self, folder: Path, manifest: ManifestFile, search: Search | None = None) -> None:
        source, target = ((folder / name).read_bytes() for name in (SOURCE, TARGET))
        spans = Spans(manifest["config"].get("spans", {}))
        self.search = self.check_search(search or build_search(manifest["search"]))
        self.languages = languages_of(manifest["config"])
        main = self.languages[1] if self.languages else ""
        self.tokenizer = Tokenizer(source, None if source == target else target, spans=spans, target=main)
        self.trained_length = manifest["config"].get("data", {}).get("max_length")
        self.longest_source, self.longest_target = manifest["source_limit"], manifest["target_limit"]

    @classmethod
    def check_search(cls, search: Search) -> BeamSearch:
        """Return a search that the engine has. Raises UserError for any other."""
        if not isinstance(search, BeamSearch):
            raise UserError(f"search: {cls.engine} has beam search only; leave search= out, or engine=torch on the run")
        if search.beam_size > 1 and search.normalization not in cls.normalizations:  # with one beam, it decides nothing
            raise UserError(f"search.normalization: {cls.engine} divides by a power of the length; set it to power")
        _require_defaults(search, cls.lacks, f"{cls.engine} does not have")
        return search

    @abstractmethod
    def generated(self, requests: Sequence[SearchRequest], beam: BeamSearch, limit: int) -> list[list[list[int]]]:
        """Return the ids of the translations of each request. The engine has one `limit` for all of them."""

    def search_batch(self, requests: Sequence[SearchRequest], search: Search) -> list[list[Hypothesis]]:
        """Return the hypotheses of each request, cut at its own limit, best first.

        When the first score is read, all are computed at once, from all tokens: engines compute their own without the
        two tokens that are never generated. This takes as long as the search itself.
        """
        beam = self.check_search(search)
        found = self.generated(requests, beam, max(request.limit for request in requests))
        pairs = [
            ForcedPair(request.source, "", ids[: request.limit])
            for request, several in zip(requests, found, strict=True)
            for ids in several
        ]
        log_probs = cache(lambda: [row.tolist() for row in self.token_log_probs(pairs)])

        def scored(place: int) -> Hypothesis:
            return Hypothesis(pairs[place].ids, log_probs()[place], beam.normalized(log_probs()[place]))

        hypotheses = (Unscored(pair.ids, partial(scored, place)) for place, pair in enumerate(pairs))
        groups: list[list[Hypothesis]] = [list(islice(hypotheses, len(several))) for several in found]
        return groups if beam.n_best == 1 else [sorted(several, key=lambda each: -each.score) for several in groups]


# What formats of a Transformer share


def stacks(model: Seq2Seq, format: str) -> tuple[TransformerEncoder, TransformerDecoder]:
    """Return the encoder and the decoder of a Transformer. Raises UserError, which names the format, for others."""
    encoder, decoder = model.encoder, model.decoder
    if type(encoder) is not TransformerEncoder or type(decoder) is not TransformerDecoder:
        raise UserError(
            f"ckpt: format={format} holds a Transformer encoder and decoder only; train one with model=transformer"
        )
    return encoder, decoder


def require_settings(model: Seq2Seq, format: str, **held: list[Any]) -> None:
    """Raise UserError for a Transformer with a setting that a format cannot hold.

    `held` has the values that the format can hold, by the names of a block's settings. For `positions`, it has classes.
    """
    encoder, decoder = stacks(model, format)
    raise_if_any(
        f"ckpt: format={format} cannot hold this model: its {side} has {name}={_word(value)}, expected "
        f"{' or '.join(map(_word, values))}; docs/deploying.md says what each format holds"
        for side, stack in (("encoder", encoder), ("decoder", decoder))
        for name, values in held.items()
        if (value := type(stack.positions) if name == "positions" else getattr(stack.block, name)) not in values
    )


def _word(value: object) -> str:
    return str(value.__name__ if isinstance(value, type) else value).lower()


def table(stack: Stack, count: int) -> Tensor:
    """Return what is added to the embeddings at the first `count` positions, (count, D)."""
    with torch.no_grad():
        return stack.positions.embed(torch.zeros(1, count, stack.block.width))[0]


def scaled_query(attention: MultiHeadAttention) -> tuple[Tensor, Tensor]:
    """Return the weight and the bias of the queries for an engine that divides scores by the root of the head width."""
    factor = attention.scale * (attention.query.out_features // attention.heads) ** 0.5
    return attention.query.weight.detach() * factor, attention.query.bias.detach() * factor
