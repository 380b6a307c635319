"""Translates sentences with a model, its tokenizer and a search strategy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from nmt import checkpoint
from nmt.attention_map import AttentionMap, Origin
from nmt.build import architecture, build_search, search_node
from nmt.data.batch import pad
from nmt.errors import ParameterError, UserError
from nmt.models.coverage import Covering
from nmt.models.interface import AttentionWeights
from nmt.models.seq2seq import Seq2Seq
from nmt.search.base import Hypothesis, Search
from nmt.search.prefix import force_prefixes
from nmt.special import BOS

if TYPE_CHECKING:
    from nmt.data.tokenizer import Tokenizer


@dataclass(frozen=True)
class Translation:
    """The translation of one sentence.

    `tokens` are target ids. The last one is eos, unless the length limit ended the search. `token_log_probs` (natural
    logarithms) and `pieces` have one entry for each token. `score` comes from the search; for a translation given to
    `Translator.score` it is log P. For an empty source, the lists are empty and the score is 0. `cut` is the number of
    tokens at the end of the source that the model did not read, because of the search's `max_source_length`.
    """

    source: str
    text: str
    score: float
    tokens: list[int]
    token_log_probs: list[float]
    pieces: list[str]
    cut: int = 0


class Translator:
    """Translates with `model`, on the device of the model. `search` is the default strategy of every call.

    `name` is what attention maps call the model. `update` is the number of updates of its weights, 0 if that is not
    known; whoever trains the model sets it.
    """

    def __init__(
        self, model: Seq2Seq, tokenizer: Tokenizer, search: Search, *, name: str = "model", update: int = 0
    ) -> None:
        self.model = model
        self.tokenizer = tokenizer
        self.search = search
        self.name = name
        self.update = update

    @property
    def device(self) -> torch.device:
        """The current device of the model."""
        return next(self.model.parameters()).device

    @property
    def attends(self) -> bool:
        """Whether the model has attention weights."""
        return self.model.encoder.attends or self.model.decoder.attends

    def translate(
        self,
        sentences: Sequence[str],
        *,
        prefixes: Sequence[str] | None = None,
        search: Search | None = None,
        advance: Callable[[int], None] | None = None,
        **fields: Any,
    ) -> list[Translation]:
        """Return the best translation of every sentence, in the order of the sentences.

        A sentence gets the same tokens in any batch. A sentence that is empty or only white space is translated to "".
        A translation is never longer than the limit of the search or the limit of the decoder's positions. Of a source
        longer than the search's `max_source_length`, only the beginning is translated; see `Translation.cut`.
        `prefixes` are the beginnings of the translations, "" where the search is free; the search may go on with a
        prefix's last word. In this call, `search` replaces the strategy of the translator, and `fields` replace single
        settings of the strategy (`beam_size=1`). `advance` is called with the number of sentences of each batch that is
        done. Raises UserError for settings that the strategy does not have or does not accept, for a sentence that is
        longer than the limit of the encoder's positions, and for a prefix that leaves no token below the length limit.
        """
        found = self.hypotheses(sentences, prefixes=prefixes, search=search, advance=advance, **fields)
        return [hypotheses[0] for hypotheses in found]

    def hypotheses(
        self,
        sentences: Sequence[str],
        *,
        prefixes: Sequence[str] | None = None,
        search: Search | None = None,
        advance: Callable[[int], None] | None = None,
        **fields: Any,
    ) -> list[list[Translation]]:
        """Return all translations that the search finds for each sentence, best score first.

        A beam search finds `n_best` translations, and sampling draws `samples`. All arguments are as in `translate`.
        """
        if isinstance(sentences, str):
            raise UserError("translate: got one text, expected a list of sentences; write translate([text])")
        search = override(search or self.search, fields)
        sources, cut = self._encode_source(sentences, search)
        translations = [[Translation(sentence, "", 0.0, [], [], [])] for sentence in sentences]
        filled = [i for i, sentence in enumerate(sentences) if not _is_empty(sentence, sources[i])]
        forced = self._encode_prefixes(prefixes, len(sentences))
        lengths = [len(sources[i]) for i in filled]
        with _inference(self.model, search):
            for batch in batches_by_length(lengths, search.batch_tokens // search.width):
                places = [filled[i] for i in batch]
                found = self._search([sources[i] for i in places], [forced[i] for i in places], search)
                for place, hypotheses in zip(places, found, strict=True):
                    translations[place] = [
                        self._translation(sentences[place], each, cut=cut[place]) for each in hypotheses
                    ]
                if advance is not None:
                    advance(len(batch))
        return translations

    def score(self, sources: Sequence[str], targets: Sequence[str]) -> list[Translation]:
        """Return the given translations with the log-probabilities of the model, in the given order.

        `score` is log P of all tokens, eos included. No search takes place. Raises UserError for lists of different
        lengths and for an empty source.
        """
        if isinstance(sources, str) or isinstance(targets, str) or len(sources) != len(targets):
            raise UserError("score: expected two lists of sentences, one translation for each source")
        source_ids, cut = self._encode_source(sources, self.search)
        target_ids = self.tokenizer.encode_target(list(targets))
        for number, source in enumerate(sources, start=1):
            if _is_empty(source, source_ids[number - 1]):
                raise UserError(f"score: source {number} of {len(sources)} is empty; leave it out")
        found: dict[int, Translation] = {}
        with _inference(self.model, self.search):
            for places in batches_by_length(_longer(source_ids, target_ids), self.search.batch_tokens):
                hidden, _ = self._forced([source_ids[i] for i in places], [target_ids[i] for i in places])
                for row, place in enumerate(places):
                    ids = torch.tensor(target_ids[place], device=self.device)
                    logits = self.model.decoder.output(hidden[row, : len(ids)]).float()  # (T, V)
                    log_probs = logits.log_softmax(-1).gather(1, ids.unsqueeze(1)).flatten()
                    scored = Hypothesis(target_ids[place], log_probs.tolist(), float(log_probs.sum()))
                    found[place] = self._translation(sources[place], scored, targets[place], cut[place])
        return [found[place] for place in range(len(sources))]

    def attention_map(self, sentence: str, translation: str | None = None, **fields: Any) -> AttentionMap:
        """Return the attention weights with which the model predicts `translation`.

        If `translation` is None, the search finds it; `fields` are settings of the search, as in `translate`. Raises
        the UserErrors of `attention_maps`.
        """
        if translation is None:
            return self.attention_maps(self.translate([sentence], **fields))[0]
        return self.attention_maps(self.score([sentence], [translation]))[0]

    def attention_maps(self, translations: Sequence[Translation]) -> list[AttentionMap]:
        """Return the attention weights with which the model predicts each of `translations`.

        `translations` come from `translate`, `hypotheses` or `score`. One forward pass computes the weights of a batch.
        They equal those of the search, because a decoder's forward pass equals its steps. The rows of `cross` and
        `decoder_self` are the predicted tokens, eos included. Raises UserError for an empty sentence, and for a model
        without attention.
        """
        if not self.attends:
            raise UserError("attention map: this model has no attention, so there is nothing to draw")
        if any(not translation.tokens for translation in translations):
            raise UserError("attention map: the sentence is empty; give one with words in it")
        whole = self.tokenizer.encode_source([translation.source for translation in translations])
        source_ids = [_without(ids, translation.cut) for ids, translation in zip(whole, translations, strict=True)]
        target_ids = [translation.tokens for translation in translations]
        found: dict[int, AttentionMap] = {}
        with _inference(self.model, self.search):
            for places in batches_by_length(_longer(source_ids, target_ids), self.search.batch_tokens):
                sources, targets = [source_ids[i] for i in places], [target_ids[i] for i in places]
                _, weights = self._forced(sources, targets, need_weights=True)
                assert weights is not None
                for row, place in enumerate(places):
                    found[place] = AttentionMap.from_weights(
                        weights,
                        row,
                        source_pieces=self.tokenizer.source_pieces(source_ids[place]),
                        target_pieces=self.tokenizer.target_pieces(target_ids[place]),
                        source=translations[place].source,
                        target=translations[place].text,
                        origin=self._origin(translations[place]),
                    )
        return [found[place] for place in range(len(translations))]

    def _origin(self, translation: Translation) -> Origin:
        model = self.name if self.model.config is None else f"{self.name} ({architecture(self.model.config)})"
        return Origin(model, self.update or None, translation.score, sum(translation.token_log_probs))

    def save(self, path: str | Path) -> None:
        """Write model, tokenizer and search to a checkpoint file for `load_translator`.

        Raises UserError if the model was not made by `nmt.build.build_model`. A checkpoint needs the config of the
        model to build it again.
        """
        if self.model.config is None:
            raise UserError(
                "save: the config of the model is unknown, but a checkpoint needs it; make the model with "
                "nmt.build.build_model(config, ...)"
            )
        config = {"name": self.name, "model": self.model.config, "search": search_node(self.search)}
        weights = checkpoint.with_prefix(self.model.state_dict())
        about = checkpoint.describe(config, self.tokenizer, scores={}, update=self.update)
        checkpoint.save({"state_dict": weights, "nmt": about}, Path(path))

    def _forced(
        self, sources: Sequence[list[int]], targets: Sequence[list[int]], *, need_weights: bool = False
    ) -> tuple[Tensor, AttentionWeights | None]:
        """Return the hidden states (B, T, D) that predict `targets`, and the attention weights if `need_weights`."""
        source, mask = pad(sources)
        target_in, _ = pad([[BOS, *ids[:-1]] for ids in targets])
        batch = (x.to(self.device) for x in (source, mask, target_in))
        hidden, weights = self.model(*batch, need_weights=need_weights)
        return hidden, weights

    def _search(self, sources: list[list[int]], prefixes: list[list[int]], search: Search) -> list[list[Hypothesis]]:
        source, mask = (x.to(self.device) for x in pad(sources))
        limits = [search.target_limit(len(ids)) for ids in sources]
        if (longest := self.model.decoder.max_length) is not None:
            limits = [min(limit, longest) for limit in limits]
        for prefix, limit in zip(prefixes, limits, strict=True):
            if len(prefix) >= limit:
                raise UserError(
                    f"prefix '{self.tokenizer.decode_target(prefix)}': it has {len(prefix)} tokens, but the whole "
                    f"translation may have {limit}; shorten it, or raise search.max_length_extra"
                )
        model: Any = Covering(self.model) if search.reads_attention else self.model
        step, state = model.step, model.start(source, mask)
        if any(prefixes):
            step, state = force_prefixes(step, state, prefixes, self.device)
        found = search(step, state, max_length=torch.tensor(limits, device=self.device), keys=sources)
        return [search.rank(hypotheses, self.tokenizer.decode_target) for hypotheses in found]

    def _encode_prefixes(self, prefixes: Sequence[str] | None, count: int) -> list[list[int]]:
        """Return the target ids of every prefix, without eos."""
        if prefixes is None:
            return [[]] * count
        if isinstance(prefixes, str) or len(prefixes) != count:
            raise UserError(f"prefixes: expected a list with one text for each of {count} sentences")
        return [ids[:-1] for ids in self.tokenizer.encode_target(list(prefixes))]

    def _encode_source(self, sentences: Sequence[str], search: Search) -> tuple[list[list[int]], list[int]]:
        """Return the ids of every source, cut to the search's limit, and the numbers of ids that were cut off."""
        sources = self.tokenizer.encode_source(list(sentences))
        cut = [max(0, len(ids) - search.max_source_length) for ids in sources]
        return list(map(_without, sources, cut)), cut

    def _translation(self, source: str, found: Hypothesis, text: str | None = None, cut: int = 0) -> Translation:
        text = self.tokenizer.decode_target(found.tokens) if text is None else text
        pieces = [piece.label for piece in self.tokenizer.target_pieces(found.tokens)]
        return Translation(source, text, found.score, found.tokens, found.token_log_probs, pieces, cut)


def load_translator(
    path: str | Path,
    *,
    device: str = "auto",
    search: Search | Mapping[str, Any] | None = None,
    allow: Sequence[str] = (),
    **fields: Any,
) -> Translator:
    """Return the translator of a run folder (its best checkpoint) or a checkpoint file.

    `device` is "auto" (a GPU if available, otherwise the CPU), "cpu", "cuda", "cuda:1" ... The default strategy is in
    the checkpoint. A `search` object, or a node with a `_target_`, replaces this strategy. A mapping without `_target_`
    replaces single settings, and so do `fields`: `load_translator(path, beam_size=5)`. `allow` names your packages
    whose classes the checkpoint and `search` may name. Raises UserError for a checkpoint or a setting that cannot be
    used.
    """
    loaded = checkpoint.load_model(path, resolve_device(device), allow)
    return make_translator(loaded, search, allow=allow, **fields)


def make_translator(
    loaded: checkpoint.LoadedModel,
    search: Search | Mapping[str, Any] | None = None,
    *,
    allow: Sequence[str] = (),
    **fields: Any,
) -> Translator:
    """Return the translator of a loaded checkpoint. The other arguments are as in `load_translator`."""
    if not isinstance(search, Search):
        given = search or {}
        node = given if "_target_" in given else {**loaded.config["search"], **given}
        search = build_search(node, allow=allow)
    name, found = loaded.config["name"], override(search, fields)
    return Translator(loaded.model, loaded.tokenizer, found, name=name, update=loaded.update)


def cut_warning(where: str, translation: Translation, search: Search) -> str:
    """Return what to tell the user about a source that was cut; `where` is its place, such as a line."""
    return (
        f"{where}: longer than search.max_source_length={search.max_source_length} tokens; "
        f"its last {translation.cut:,} tokens are not translated"
    )


def override(search: Search, fields: Mapping[str, Any]) -> Search:
    """Return a copy of `search` with new values of some fields. Raises UserError for values that it does not accept."""
    try:
        return search.replace(**fields) if fields else search
    except ParameterError as error:
        raise UserError(f"search.{error.parameter}: {error.problem}") from error


def resolve_device(name: str) -> torch.device:
    """Return the device called `name`. "auto" is the current GPU if available, otherwise the CPU.

    Raises UserError if torch cannot use the device.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.zeros((), device=device).item()  # fails if tensors on the device have no values (meta)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UserError(f"device={name}: cannot be used here ({reason}); use auto or cpu") from error
    return device


def batches_by_length(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Yield the indices of `lengths` in batches of similar length, longest first.

    A batch has at most `budget` padded tokens, but at least one sentence. The longest sentences come first, so that a
    lack of memory appears at once.
    """
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        if batch and lengths[batch[0]] * (len(batch) + 1) > budget:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def _without(ids: list[int], cut: int) -> list[int]:
    """Return the ids of a source without the last `cut` of them before eos."""
    return [*ids[: len(ids) - 1 - cut], ids[-1]] if cut else ids


def _is_empty(sentence: str, ids: Sequence[int]) -> bool:
    """Return whether a source has no text other than white space, or no ids other than eos."""
    return not sentence.strip() or len(ids) < 2


def _longer(sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]]) -> list[int]:
    """Return the length of the longer side of each pair."""
    return [max(len(source), len(target)) for source, target in zip(sources, targets, strict=True)]


@contextmanager
def _inference(model: nn.Module, search: Search) -> Iterator[None]:
    """Run the block without gradients and in evaluation mode, then restore the mode of every module.

    If the memory of the device is too small, raise a UserError that names the setting to change.
    """
    training = [module for module in model.modules() if module.training]
    model.eval()
    try:
        with torch.inference_mode():
            yield
    except torch.OutOfMemoryError as error:
        raise UserError(
            f"search.batch_tokens: got {search.batch_tokens}, but the device has too little memory for it "
            f"({str(error).partition('.')[0]}); use a smaller number, or device=cpu"
        ) from error
    finally:
        for module in training:
            module.training = True
