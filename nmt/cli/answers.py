"""The lines that translate.py writes: one for each source, as plain text or as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from nmt.attention_map import AttentionMap
from nmt.cli.output import tell
from nmt.errors import counted
from nmt.system.lines import as_line
from nmt.translation.base import BaseTranslator
from nmt.translation.source import SourcePart
from nmt.translation.translation import Translation

DECIMALS = 6
DIGITS = 7  # significant digits of a score, because a high length penalty makes it very small
MAPS_AT_ONCE = 16  # attention maps in memory; one of a long sentence and a large model has millions of weights
MOST_WARNINGS = 10
STRANGE = 0.5  # the share of a source's pieces that stand for unknown characters, above which there is a warning


class Answers:
    """Translates sentences into lines of output.

    Warns on standard error of split sources, of empty and of cut translations, and of sources in characters that
    training did not have.
    """

    def __init__(self, translator: BaseTranslator, *, jsonl: bool = False, with_attention: bool = False) -> None:
        """Take the form of the lines: text, or JSON if `jsonl`. Raises UserError for a model without attention."""
        self.translator = translator
        self.jsonl = jsonl
        self.with_attention = with_attention
        self.split = 0
        self.empty = 0
        self.cut = 0
        self.strange = 0
        if with_attention:
            translator.attention_maps([])

    def lines(self, sentences: Sequence[str], places: Sequence[str], *, prefix: str = "") -> Iterator[str]:
        """Yield a line for each sentence, with its line end. `places` name the sentences in warnings.

        Every translation begins with `prefix`. Only an empty sentence has an empty translation.
        """
        found = self.translator.hypotheses(sentences, prefixes=[prefix] * len(sentences))
        maps = self._maps([hypotheses[0] for hypotheses in found]) if self.with_attention else None
        for hypotheses, place in zip(found, places, strict=True):
            self._warn_if_split(hypotheses[0], place)
            self._warn_if_strange(hypotheses[0].source_part, place)
            self.cut += hypotheses[0].cut
            self.empty += bool(hypotheses[0].tokens) and not as_line(hypotheses[0].text).strip()
            yield self._line(hypotheses, maps) + "\n"

    def _line(self, found: Sequence[Translation], maps: Iterator[AttentionMap] | None) -> str:
        if not self.jsonl:
            return as_line(found[0].text)
        return json.dumps(record(found, maps, self.translator.languages), ensure_ascii=False)

    def _maps(self, translations: Sequence[Translation]) -> Iterator[AttentionMap]:
        """Yield the map of each translation and part that has one, computed a few at a time."""
        whole = [part for each in translations for part in (each.parts or (each,)) if part.tokens]
        for start in range(0, len(whole), MAPS_AT_ONCE):
            yield from self.translator.attention_maps(whole[start : start + MAPS_AT_ONCE])

    def _warn_if_split(self, translation: Translation, place: str) -> None:
        if not translation.parts:
            return
        self.split += 1
        if self.split <= MOST_WARNINGS:
            tell(f"warning: {translation.split_warning(self.translator.source_limit(), place)}")

    def _warn_if_strange(self, source: SourcePart, place: str) -> None:
        *ids, _ = source.ids[0]
        unknown = sum(index in self.translator.tokenizer.unknown_ids[0] for index in ids)
        if unknown <= STRANGE * len(ids):
            return
        self.strange += 1
        if self.strange == 1:
            tell(
                f"warning: {place}: {unknown} of {counted(len(ids), 'piece')} stand for characters that training did "
                "not have, so the translation means little; is this the language that the model reads?"
            )

    def close(self) -> None:
        """Print the counts of empty and cut translations, and of sources with a problem if not each had its warning."""
        if self.empty:
            tell(f"warning: {counted(self.empty, 'translation')} without any text")
        if self.cut:
            tell(f"warning: {self.translator.cut_warning(self.cut)}")
        if self.split > MOST_WARNINGS:
            tell(f"warning: {self.split:,} sources were longer than {self.translator.source_limit()} and split")
        if self.strange > 1:
            tell(f"warning: {self.strange:,} sources consist mostly of characters that training did not have")


def record(
    found: Sequence[Translation],
    maps: Iterator[AttentionMap] | None = None,
    languages: tuple[str, str] | None = None,
) -> dict[str, Any]:
    """Return the JSON object of one source. `found` are its translations, best first.

        {"source": the source, "text": the best translation,
         "translation": {both texts again, by language: so `nmt.data.sources` reads them as a pair}, with `languages`
         "log_prob": log P of the translation (natural logarithm), "score": what the search ranks by,
         "cut": whether the length limit ended the translation,
         "pieces": [T pieces], "token_log_probs": [T natural logarithms],
         "n_best": [objects with these keys except "source", best first], if the search finds several translations,
         "parts": [objects with these keys, one for each part], if the source was split because of its length,
         "attention": the attention map}

    The score of a beam search is `log_prob` divided by the length penalty. `maps` yields the maps of the best
    translations; if it is given, the object has "attention": "pieces" of a map's JSON (see
    `nmt.attention_map.AttentionMap.to_json`). An empty source has none (null), and a source that was split has one in
    each of its parts. An empty source has the text "", no pieces and the score 0.
    """
    best = found[0]
    plain = {"source": best.source, **_plain(best)}
    if languages is not None:
        plain["translation"] = dict(zip(languages, (best.source, plain["text"]), strict=True))
    if len(found) > 1:
        plain["n_best"] = [_plain(each) for each in found]
    if best.parts:
        plain["parts"] = [record([part], maps) for part in best.parts]
    elif maps is not None:
        plain["attention"] = next(maps).to_plain() if best.tokens else None
    return plain


def _plain(translation: Translation) -> dict[str, Any]:
    return {
        "text": as_line(translation.text),
        "log_prob": round(translation.log_prob, DECIMALS),
        "score": float(f"{translation.score:.{DIGITS}g}"),
        "cut": translation.cut,
        "pieces": translation.pieces,
        "token_log_probs": [round(value, DECIMALS) for value in translation.token_log_probs],
    }
