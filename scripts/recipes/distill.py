"""Make training pairs from translations of the training sources, so that one model learns from several.

  python scripts/recipes/distill.py OUT TRANSLATIONS [TRANSLATIONS ...] [agree=chrf]

  OUT            the file for the pairs (.jsonl)
  TRANSLATIONS   a file that translate.py wrote with an output= that ends in .jsonl
  agree=chrf     one pair for each source: the translation that is most similar to the others; also bleu, bleu_char

Each distinct translation of a source gives one pair, so n-best lists (search.n_best=) give several. Translations with
doubts, such as repeated words, are left out; docs/translating.md lists the doubts. A translation whose only doubt is
"unsure" stays, because most drawn translations (search=sampling) have this doubt. The steps are

  python scripts/translate.py 'ckpt=[RUN_FOLDER,RUN_FOLDER]' input=train.en output=ensemble.jsonl search.n_best=4
  python scripts/recipes/distill.py distilled.jsonl ensemble.jsonl
  python train.py experiment=EXPERIMENT data.path=FOLDER 'data.more={distilled: {train: distilled.jsonl}}'

train.en has the training sources of FOLDER. The model reads the corpus and these pairs. This is the sequence-level
distillation of Kim and Rush (2016, arXiv:1606.07947) from an ensemble (Freitag et al. 2017, arXiv:1702.01802).

agree= is for n-best lists that beam search ranked by its score, not for samples and not with search.utility=. They can
come from several models, also with different vocabularies. It chooses by minimum Bayes risk, as search.utility= does
for one model (MBR distillation: Finkelstein et al. 2024, arXiv:2309.10966). Every file has the same weight. In a file,
the weight of a translation is exp(3 score), divided by the sum over its list; "score" is that of translate.py. On the
validation set of Multi30k, 3 and 6 were better than 1. If the translation that is chosen has a doubt wherever it
occurs, its source is left out.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast, get_args

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from nmt.cli.arguments import take
from nmt.cli.program import program
from nmt.data.sources.files import read_lines
from nmt.errors import UserError, counted
from nmt.search.risk import Utility, expected_utilities
from nmt.system.atomic import write_atomically

SHARPNESS = 3.0  # the weight of a translation is exp(SHARPNESS * score)


class Candidate(NamedTuple):
    """A translation of a source, and its weight among those of the same line; the weights of a line add up to 1."""

    text: str
    weight: float
    is_doubtful: bool


@program
def main(argv: list[str]) -> None:
    """Run the program with the arguments `argv`. Raises UserError for a mistake in them or in a file."""
    agree, words = take(sorted(argv, key=lambda word: word.startswith("agree=")), "agree")  # files may follow it
    if agree is not None and agree not in get_args(Utility):
        raise UserError(f"agree: got {agree!r}, expected {', '.join(get_args(Utility))}")
    if len(words) < 2:
        raise UserError(f"command line: got {counted(len(words), 'argument')}, expected OUT and a file of translations")
    out = Path(words[0]).expanduser()
    if out.exists():
        raise UserError(f"{out} exists and is not overwritten; remove it, or name another file")
    if out.suffix != ".jsonl":
        raise UserError(f"{out}: expected a name that ends in .jsonl, so that train.py reads the file as JSON Lines")
    left_out: Counter[str] = Counter()
    found = chosen(words[1:], cast(Utility, agree), left_out) if agree else pairs(words[1:], left_out)
    lines = [json.dumps({"translation": pair}, ensure_ascii=False) + "\n" for pair in found]
    if not lines:
        raise UserError(f"no translation is left; left out: {_listed(left_out)}")
    write_atomically(out, "".join(lines).encode())
    print(f"{counted(len(lines), 'pair')} written to {out}; left out: {_listed(left_out)}")


def pairs(paths: Sequence[str], left_out: Counter[str]) -> Iterator[dict[str, str]]:
    """Yield each distinct pair of the files as {language: text}. Counts in `left_out` what is left out, and why.

    Raises UserError for a line that is not a translation of translate.py.
    """
    seen = set()
    for languages, source, candidates in _read(paths):
        for text, _, is_doubtful in candidates:
            reason = "duplicate" if (source, text) in seen else "doubtful" if is_doubtful else None
            if reason:
                left_out[reason] += 1
                continue
            seen.add((source, text))
            yield dict(zip(languages, (source, text), strict=True))


def chosen(paths: Sequence[str], utility: Utility, left_out: Counter[str]) -> Iterator[dict[str, str]]:
    """Yield for each source the translation that is most similar to the others, as {language: text}.

    Counts in `left_out` the sources whose best translation is doubtful. Raises UserError as `pairs` does.
    """
    candidates: dict[tuple[str, str, str], list[Candidate]] = {}
    for (source_lang, target_lang), source, found in _read(paths):
        candidates.setdefault((source_lang, target_lang, source), []).extend(found)
    for (source_lang, target_lang, source), own in candidates.items():
        expected = expected_utilities([each.text for each in own], [each.weight for each in own], utility)
        best = own[int(np.argmax(expected))].text
        if all(each.is_doubtful for each in own if each.text == best):
            left_out["doubtful"] += 1
        else:
            yield {source_lang: source, target_lang: best}


def _read(paths: Sequence[str]) -> Iterator[tuple[list[str], str, list[Candidate]]]:
    for path in paths:
        for number, line in enumerate(read_lines(Path(path)), 1):
            yield _translations(line, f"{path}, line {number}")


def _translations(line: str, where: str) -> tuple[list[str], str, list[Candidate]]:
    """Return both languages, the source, and all its translations."""
    try:
        record = json.loads(line)
        source_lang, target_lang = record["translation"]
        listed = record.get("n_best", [record])
        scores = SHARPNESS * np.array([each["score"] for each in listed])
        weights = np.exp(scores - scores.max())
        found = [
            Candidate(each["text"], weight, _is_doubtful(each))
            for each, weight in zip(listed, weights / weights.sum(), strict=True)
        ]
        return [source_lang, target_lang], record["source"], found
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UserError(
            f"{where}: expected a translation with its source, as translate.py writes it to output=FILE.jsonl"
        ) from None


def _is_doubtful(candidate: dict[str, Any]) -> bool:
    return bool(set(candidate["doubts"]) - {"unsure"}) or candidate["cut"] or not candidate["text"].strip()


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{count:,} {reason}" for reason, count in sorted(counts.items())) or "nothing"


if __name__ == "__main__":
    main()
