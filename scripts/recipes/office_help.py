"""Pair the paragraphs of LibreOffice's help in English and another language.

  python scripts/recipes/office_help.py FOLDER LANGUAGE [OUT]

  FOLDER       the folder of the help, with en-US/text and LANGUAGE/text in it
  LANGUAGE     the name of its folder there, such as ko, de or zh-CN
  OUT          the folder for train.jsonl, val.jsonl and test.jsonl; default: data/office_help

Pages have the same names in all languages, and paragraphs the same ids, which match the pairs. Complete pages are held
out for validation and test, and no English paragraph is in two pairs. Paragraphs of more than 100 English words and
paragraphs without a translation are left out. The program does not overwrite files. Debian and Ubuntu have the help in
packages:

  apt-get download libreoffice-help-en-us libreoffice-help-ko
  for file in libreoffice-help-*.deb; do dpkg-deb -x "$file" unpacked; done
  python scripts/recipes/office_help.py unpacked/usr/share/libreoffice/help ko
  python train.py experiment=office_help_en_ko
"""

from __future__ import annotations

import hashlib
import html
import json
import os
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from nmt.cli.output import new_file
from nmt.cli.program import program
from nmt.data.sources.files import read_lines
from nmt.errors import UserError, counted
from nmt.system.atomic import write_atomically

OUT = "data/office_help"  # data.path of configs/experiment/office_help_*.yaml
ENGLISH = "en-US"
MAX_WORDS = 100
HELD_OUT = 1000  # the largest number of pairs in validation and in test

_PARAGRAPH = re.compile(r'<(p|h[1-6])\b[^>]*\bid="([^"]+)"[^>]*>(.*?)</\1>', re.DOTALL)
_LINE_BREAK = re.compile(r"<br\s*/?>")
_TAG = re.compile(r"<[^>]+>")

Pair = tuple[str, str]  # English, the other language


@program
def main(argv: list[str]) -> None:
    """Run the program with the arguments `argv`. Raises UserError for a mistake in them or in the folder."""
    if not 2 <= len(argv) <= 3:
        raise UserError(f"command line: got {counted(len(argv), 'argument')}, expected FOLDER LANGUAGE [OUT]")
    language = Path(argv[1]).name
    help_folder, out = (Path(os.path.expanduser(path)) for path in (argv[0], [*argv, OUT][2]))
    paths = {split: out / f"{split}.jsonl" for split in ("train", "val", "test")}
    for path in paths.values():
        new_file(str(path), key="")
    for split, pairs in prepare(help_folder, language).items():
        rows = (json.dumps({"en": english, language: other}, ensure_ascii=False) for english, other in pairs)
        write_atomically(paths[split], "".join(f"{row}\n" for row in rows).encode())
        print(f"{paths[split]}: {counted(len(pairs), 'pair')}")


def prepare(help_folder: Path, language: str) -> dict[str, list[Pair]]:
    """Return the pairs of train, val and test. Raises UserError for a folder without pairs in each of them."""
    english, other = (help_folder / name / "text" for name in (ENGLISH, language))
    for folder in (english, other):
        if not folder.is_dir():
            raise UserError(f"{folder}: no such folder; expected the help of LibreOffice, see --help")
    splits: dict[str, list[Pair]] = {"train": [], "val": [], "test": []}
    taken: set[str] = set()
    for page in sorted(english.rglob("*.html")):
        name = page.relative_to(english)
        if not (other / name).is_file():
            continue
        translations = paragraphs(other / name)
        for key, text in paragraphs(page).items():
            translation = translations.get(key, "")
            if text in ("", translation) or not translation or text in taken or len(text.split()) > MAX_WORDS:
                continue
            taken.add(text)
            splits[_split_of(name.as_posix())].append((text, translation))
    splits |= {split: splits[split][:HELD_OUT] for split in ("val", "test")}
    if not all(splits.values()):
        raise UserError(f"{help_folder}: too few pages in both {ENGLISH} and {language} for train, val and test")
    return splits


def _split_of(page: str) -> str:
    """Return the split of a page: always the same one, 6 % each for test and validation."""
    part = int(hashlib.sha256(page.encode()).hexdigest(), 16) % 100
    return "test" if part < 6 else "val" if part < 12 else "train"


def paragraphs(page: Path) -> dict[str, str]:
    """Return the texts of a page's paragraphs and headings by their ids. An id that occurs twice has no text.

    Raises UserError for a page that is not UTF-8.
    """
    found: dict[str, str] = {}
    for match in _PARAGRAPH.finditer("\n".join(read_lines(page))):
        text = html.unescape(_TAG.sub("", _LINE_BREAK.sub(" ", match[3])))
        found[match[2]] = "" if match[2] in found else " ".join(text.split())
    return found


if __name__ == "__main__":
    main()
