"""Make training pairs from translations of the training sources, so that one model learns from several.

  python scripts/recipes/distill.py OUT TRANSLATIONS [TRANSLATIONS ...]

  OUT            the file for the pairs (.jsonl)
  TRANSLATIONS   a file that translate.py wrote with an output= that ends in .jsonl

Each distinct translation of a source gives one pair, so n-best lists (search.n_best=) give several. Translations with
doubts, such as repeated words, are left out; docs/translating.md lists the doubts. A translation whose only doubt is
"unsure" stays, because most drawn translations (search=sampling) have this doubt. The steps are

  python scripts/translate.py 'ckpt=[RUN_FOLDER,RUN_FOLDER]' input=train.en output=ensemble.jsonl search.n_best=4
  python scripts/recipes/distill.py distilled.jsonl ensemble.jsonl
  python train.py experiment=EXPERIMENT data.path=FOLDER 'data.more={distilled: {train: distilled.jsonl}}'

train.en has the training sources of FOLDER. The model reads the corpus and these pairs. This is the sequence-level
distillation of Kim and Rush (2016, arXiv:1606.07947) from an ensemble (Freitag et al. 2017, arXiv:1702.01802).
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from nmt.cli.output import print_stdout
from nmt.cli.program import program
from nmt.data.sources.files import read_lines
from nmt.errors import UserError, counted
from nmt.system.atomic import write_atomically


@program
def main(argv: list[str]) -> None:
    """Run the program with the arguments `argv`. Raises UserError for a mistake in them or in a file."""
    if len(argv) < 2:
        raise UserError(f"command line: got {counted(len(argv), 'argument')}, expected OUT and a file of translations")
    out = Path(argv[0]).expanduser()
    if out.exists():
        raise UserError(f"{out} exists and is not overwritten; remove it, or name another file")
    if out.suffix != ".jsonl":
        raise UserError(f"{out}: expected a name that ends in .jsonl, so that train.py reads the file as JSON Lines")
    left_out: Counter[str] = Counter()
    lines = [json.dumps({"translation": pair}, ensure_ascii=False) + "\n" for pair in pairs(argv[1:], left_out)]
    if not lines:
        raise UserError(f"no translation is left; left out: {_listed(left_out)}")
    write_atomically(out, "".join(lines).encode())
    print_stdout(f"{counted(len(lines), 'pair')} written to {out}; left out: {_listed(left_out)}")


def pairs(paths: Sequence[str], left_out: Counter[str]) -> Iterator[dict[str, str]]:
    """Yield each distinct pair of the files as {language: text}. Counts in `left_out` what is left out, and why.

    Raises UserError for a line that is not a translation of translate.py.
    """
    seen = set()
    for path in paths:
        for number, line in enumerate(read_lines(Path(path)), 1):
            languages, source, candidates = _translations(line, f"{path}, line {number}")
            for text, is_doubtful in candidates:
                reason = "duplicate" if (source, text) in seen else "doubtful" if is_doubtful else None
                if reason:
                    left_out[reason] += 1
                    continue
                seen.add((source, text))
                yield dict(zip(languages, (source, text), strict=True))


def _translations(line: str, where: str) -> tuple[list[str], str, list[tuple[str, bool]]]:
    """Return both languages, the source, and all its translations, each with whether it is doubtful."""
    try:
        record = json.loads(line)
        source_lang, target_lang = record["translation"]
        found = [(each["text"], _is_doubtful(each)) for each in record.get("n_best", [record])]
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
