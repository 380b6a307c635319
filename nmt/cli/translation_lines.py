"""The lines that translate.py writes: one for each source, as plain text or as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from nmt.attention_map import AttentionMap
from nmt.cli.output import print_stderr
from nmt.errors import counted
from nmt.system.lines import as_line
from nmt.text.protect import Segment
from nmt.translation.base import BaseTranslator
from nmt.translation.doubts import REASONS
from nmt.translation.translation import Translation

DECIMALS = 6
DIGITS = 7  # significant digits of a score, because a high length penalty makes it very small
MAPS_AT_ONCE = 16  # attention maps in memory; one of a long sentence and a large model has millions of weights
MOST_WARNINGS = 10


def warn_of_ignored_terms(translator: BaseTranslator) -> None:
    """Say on standard error that a model without spans uses no glossary."""
    if translator.terms and not translator.tokenizer.spans:
        print_stderr("warning: terms: ignored, because this model was trained without spans (spans=common)")


class LineTranslator:
    """Translates sentences into lines of output.

    Warns on standard error of split sources, of empty translations, of lost spans, and of translations with `doubts`.
    """

    def __init__(self, translator: BaseTranslator, *, jsonl: bool = False, with_attention: bool = False) -> None:
        """Take the form of the lines: text, or JSON if `jsonl`. Raises UserError for a model without attention."""
        self.translator = translator
        self.jsonl = jsonl
        self.with_attention = with_attention
        self._counts: Counter[str] = Counter()  # of warnings
        warn_of_ignored_terms(translator)
        if with_attention:
            translator.attention_maps([])

    def lines(self, sentences: Sequence[str], places: Sequence[str], *, prefix: str = "") -> Iterator[str]:
        """Yield a line for each sentence, with its line end. `places` name the sentences in warnings.

        Every translation begins with `prefix`. Only an empty sentence has an empty translation.
        """
        found = self.translations(sentences, places, prefix=prefix)
        maps = self._maps([hypotheses[0] for hypotheses in found]) if self.with_attention else None
        for hypotheses in found:
            if self.jsonl:
                whole = record(hypotheses, maps, self.translator.languages)
                yield json.dumps(whole, ensure_ascii=False) + "\n"
            else:
                yield as_line(hypotheses[0].text) + "\n"

    def translations(
        self,
        sentences: Sequence[str | Segment],
        places: Sequence[str],
        *,
        prefix: str = "",
        advance: Callable[[int], object] = lambda count: None,
    ) -> list[list[Translation]]:
        """Return the translations of each sentence, best first. The arguments are as in `lines` and `hypotheses`."""
        found = self.translator.hypotheses(sentences, prefixes=[prefix] * len(sentences), advance=advance)
        for hypotheses, place in zip(found, places, strict=True):
            self._warn(hypotheses[0], place)
        return found

    def _maps(self, translations: Sequence[Translation]) -> Iterator[AttentionMap]:
        """Yield the map of each translation and part that has one, computed a few at a time."""
        whole = [part for each in translations for part in (each.parts or (each,)) if part.tokens]
        for start in range(0, len(whole), MAPS_AT_ONCE):
            yield from self.translator.attention_maps(whole[start : start + MAPS_AT_ONCE])

    def _warn(self, best: Translation, place: str) -> None:
        """Count the problems of a translation, and name the first sources that were split."""
        self._counts["lost"] += bool(best.lost)
        self._counts["empty"] += bool(best.tokens) and not as_line(best.text).strip()
        if best.parts:
            self._counts["split"] += 1
            if self._counts["split"] <= MOST_WARNINGS:
                print_stderr(f"warning: {best.split_warning(self.translator.source_limit(), place)}")
        self._counts.update(best.doubts)

    def close(self) -> None:
        """Print how many translations have a problem."""
        for problem in self._problems():
            print_stderr(f"warning: {problem}")

    def _problems(self) -> Iterator[str]:
        count = self._counts
        if count["empty"]:
            yield f"{counted(count['empty'], 'translation')} without any text"
        if count["lost"]:
            yield f"the search left spans out of {counted(count['lost'], 'translation')}; check their places"
        if count["cut"]:
            yield self.translator.cut_warning(count["cut"])
        if count["split"] > MOST_WARNINGS:
            yield f"{count['split']:,} sources were longer than {self.translator.source_limit()} and split"
        for doubt, reason in REASONS.items():
            if count[doubt] and doubt != "cut":
                yield f"{counted(count[doubt], 'translation')} may be wrong ({doubt}): {reason}"


def record(
    found: Sequence[Translation],
    maps: Iterator[AttentionMap] | None = None,
    languages: tuple[str, str] | None = None,
) -> dict[str, Any]:
    """Return the JSON object of one source. `found` are its translations, best first.

        {"source": the source, "text": the best translation,
         "translation": {both texts again, by language: so `nmt.data.sources` reads them as a pair}, with `languages`
         "log_prob": log P of the translation (natural logarithm), "score": the score by which the search ranks,
         "cut": whether the length limit ended the translation,
         "doubts": [the reasons why the translation may be wrong (see `nmt.translation.doubts`): script, language,
            unknown, repeated, length, cut, unsure],
         "lost_spans": [the spans of the source that the search left out (see `nmt.text.protect`)],
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
        "doubts": translation.doubts,
        "lost_spans": [slot.text for slot in translation.lost],
        "pieces": translation.pieces,
        "token_log_probs": [round(value, DECIMALS) for value in translation.token_log_probs],
    }
