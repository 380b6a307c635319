"""Prepare IWSLT 2014, German and English, as fairseq's prepare-iwslt14.sh does.

  python scripts/recipes/iwslt14.py ARCHIVE [OUT]

  ARCHIVE      de-en.tgz of the IWSLT 2014 campaign (WIT3, release 2014-01, texts/de/en)
  OUT          the folder for train, val and test, one text file for each language; default: data/iwslt14

It makes Moses tokens in lower case, with & < > ' " | [ ] escaped. From the training talks it drops pairs with an empty
side, with more than 175 tokens, or with one side more than 1.5 times as long as the other. Every 23rd pair of the rest
is for validation. The test set is dev2010, dev2012, tst2010, tst2011 and tst2012. It needs the extra `moses`, and it
does not overwrite files.

  python scripts/recipes/iwslt14.py de-en.tgz
  python train.py experiment=iwslt14
"""

from __future__ import annotations

import io
import os
import re
import sys
import tarfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from nmt.cli.output import new_file
from nmt.cli.program import program
from nmt.errors import UserError, counted, missing_packages
from nmt.system.atomic import write_atomically
from nmt.system.lines import decoded

OUT = "data/iwslt14"  # data.path of configs/experiment/iwslt14.yaml
PUBLISHED = {"train": 160_239, "val": 7_283, "test": 6_750}  # pairs, in papers that use this preparation

LANGUAGES = ("de", "en")
TALKS = "train.tags.de-en"
TESTS = ("TED.dev2010", "TEDX.dev2012", "TED.tst2010", "TED.tst2011", "TED.tst2012")
VALIDATION_STEP = 23
MAX_TOKENS, MAX_RATIO, MAX_CHARACTERS = 175, 1.5, 1000  # characters of one token, a default of clean-corpus-n.perl

_DROPPED = ("<url>", "<talkid>", "<keywords>")
_KEPT_TAGS = re.compile(r"</?(?:title|description)>")
_SEGMENT_TAGS = re.compile(r'<seg id="[0-9]*">\s*|\s*</seg>\s*')

Pair = tuple[str, str]  # German, English


@program
def main(argv: list[str]) -> None:
    """Run the program with the arguments `argv`. Raises UserError for a mistake in them or in the archive."""
    if not 1 <= len(argv) <= 2:
        raise UserError(f"command line: got {counted(len(argv), 'argument')}, expected ARCHIVE [OUT]; see --help")
    if note := missing_packages("sacremoses", extra="moses"):
        raise UserError(f"the Moses tokenizer {note}")
    archive, out = (Path(os.path.expanduser(path)) for path in (*argv, OUT)[:2])
    paths = {split: [out / f"{split}.{language}" for language in LANGUAGES] for split in PUBLISHED}
    for path in (path for both in paths.values() for path in both):
        new_file(str(path), key="")
    splits = prepare(archive)
    for split, pairs in splits.items():
        for path, lines in zip(paths[split], zip(*pairs, strict=True), strict=True):
            write_atomically(path, "".join(f"{line}\n" for line in lines).encode())
        print(f"{split}: {counted(len(pairs), 'pair')} (published: {PUBLISHED[split]:,})")
    print(f"written to {out}: {', '.join(path.name for both in paths.values() for path in both)}")


def prepare(archive: Path) -> dict[str, list[Pair]]:
    """Return the pairs of train, val and test. Prints what was read.

    Raises UserError for an archive without one of the files, or with unexpected texts.
    """
    test_names = [f"IWSLT14.{name}.de-en" for name in TESTS]
    wanted = [f"{TALKS}.{language}" for language in LANGUAGES]
    wanted += [f"{name}.{language}.xml" for name in test_names for language in LANGUAGES]
    texts = read_members(archive, [f"de-en/{name}" for name in wanted])
    talks = _pairs(archive, texts, f"de-en/{TALKS}.{{}}", talk_lines)
    kept = [(german.lower(), english.lower()) for german, english in talks if is_clean(german, english)]
    print(f"  {counted(len(talks) - len(kept), 'pair')} of them dropped: empty, too long, or of unequal length")
    test = [
        (german.lower(), english.lower())
        for name in test_names
        for german, english in _pairs(archive, texts, f"de-en/{name}.{{}}.xml", segments)
    ]
    splits: dict[str, list[Pair]] = {"train": [], "val": [], "test": test}
    for number, pair in enumerate(kept, 1):
        splits["train" if number % VALIDATION_STEP else "val"].append(pair)
    return splits


def read_members(archive: Path, names: Sequence[str]) -> dict[str, bytes]:
    """Return the content of the files `names` of a tar archive, compressed or not. Nothing is extracted to disk.

    Raises UserError for a file that is not a complete archive or that lacks one of the names.
    """
    found = {}
    try:
        with tarfile.open(archive) as tar:
            for member in tar:
                name = str(PurePosixPath(member.name))  # without a leading ./
                if name in names and member.isfile() and (content := tar.extractfile(member)):
                    found[name] = content.read()
    except (tarfile.TarError, EOFError, zlib.error) as error:
        raise UserError(f"{archive}: not a whole tar archive; expected de-en.tgz of IWSLT 2014") from error
    for name in names:
        if name not in found:
            raise UserError(f"{archive}: holds no file {name}; expected de-en.tgz of IWSLT 2014")
    return found


def _pairs(
    archive: Path, texts: Mapping[str, bytes], pattern: str, chosen: Callable[[Iterator[str]], list[str]]
) -> list[Pair]:
    """Return the chosen lines of a German and an English file, tokenized. Raises UserError for different counts."""
    names = [pattern.format(language) for language in LANGUAGES]
    sides = [chosen(decoded(io.BytesIO(texts[name]), f"{archive}: {name}:")) for name in names]
    counts = [len(side) for side in sides]
    if counts[0] != counts[1]:
        raise UserError(f"{archive}: {names[0]} has {counts[0]:,} lines of text but {names[1]} has {counts[1]:,}")
    print(f"{names[0]}, {names[1]}: {counted(counts[0], 'pair')}", flush=True)
    german, english = (tokenized(side, language) for side, language in zip(sides, LANGUAGES, strict=True))
    return list(zip(german, english, strict=True))


def talk_lines(lines: Iterator[str]) -> list[str]:
    """Return the lines of the training talks, titles and descriptions among them, without lines of addresses and keys.

    The original script drops no other lines, and it takes no other tags off.
    """
    return [_KEPT_TAGS.sub("", line) for line in lines if not any(tag in line for tag in _DROPPED)]


def segments(lines: Iterator[str]) -> list[str]:
    """Return the texts of the segments of a test file, with plain apostrophes.

    The original script does not change the typographic apostrophes of the talks.
    """
    return [_SEGMENT_TAGS.sub("", line).replace("\u2019", "'") for line in lines if "<seg id" in line]


def tokenized(lines: Sequence[str], language: str) -> list[str]:
    """Return the lines with one space between Moses tokens, escaped. Entities such as &amp; are text like any other."""
    from sacremoses import MosesTokenizer

    tokenizer = MosesTokenizer(language)
    return [" ".join(tokenizer.tokenize(line)) for line in lines]


def is_clean(german: str, english: str) -> bool:
    """Return whether `clean-corpus-n.perl -ratio 1.5 ... 1 175` keeps a pair of tokenized lines."""
    sides = german.split(), english.split()
    shorter, longer = sorted(map(len, sides))
    return (
        shorter > 0
        and longer <= MAX_TOKENS
        and longer <= MAX_RATIO * shorter
        and all(len(token) <= MAX_CHARACTERS for side in sides for token in side)
    )


if __name__ == "__main__":
    main()
