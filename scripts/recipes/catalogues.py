"""Make a parallel corpus of the translation catalogues (`.mo` files) of the programs on this Linux machine.

  python scripts/recipes/catalogues.py SOURCE_LANG TARGET_LANG OUT [root=/usr/share/locale] [packages=git,coreutils]

  OUT        the folder for train.tsv, val.tsv and test.tsv
  root=      the folder with the files LANGUAGE/LC_MESSAGES/PACKAGE.mo
  packages=  only the catalogues of these packages

A catalogue maps the messages of a program from English to another language. A message is kept on one line, without
formatting tags, but with its directives ("%s"). Messages are left out if they have plural forms, no letters, the same
text in both languages, or more than 300 characters. A source that occurs several times is kept once, with its most
frequent target. The letters of the English text decide the split. val and test get a twentieth each.

Each catalogue has the licence of its program: `dpkg -S FILE` names the package, /usr/share/doc/PACKAGE has the licence.

  python scripts/recipes/catalogues.py en ko data/catalogues
  python train.py experiment=gettext_en_ko
"""

from __future__ import annotations

import gettext
import html
import re
import struct
import sys
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from nmt.cli.arguments import take
from nmt.cli.output import new_file
from nmt.cli.program import program
from nmt.errors import UserError, counted, did_you_mean
from nmt.system.atomic import write_atomically

ENGLISH = "en"
CONTEXT_END = "\x04"  # between a message's context, which tells equal messages apart, and the message
FORMATTING = re.compile(r"</?(?:a|b|big|code|em|i|p|small|span|strong|sub|sup|tt|u)(?:\s[^<>]*)?>")
LINE_BREAK = re.compile(r"<br\s?/?>")
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
DIRECTIVE = re.compile(r"%(?:\d+\$)?[-+ #0'I]*(?:\*|\d+)?(?:\.(?:\*|\d+))?[hlLqjzt]*\w|%\(\w+\)\w|\{\w*\}")
ACCELERATOR = re.compile(r"\s?\([_&]\w\)|(?<!\w)[_&](?=[^\W_])")


@program
def main(argv: list[str]) -> None:
    """Run the program with the arguments `argv`. Raises UserError for a mistake in them."""
    root, words = take(argv, "root")
    packages, words = take(words, "packages")
    if len(words) != 3 or words[0] == words[1]:
        raise UserError(f"got '{' '.join(argv)}', expected SOURCE_LANG TARGET_LANG OUT, of two languages")
    source, target, out = words
    paths = {split: Path(out) / f"{split}.tsv" for split in ("train", "val", "test")}
    for path in paths.values():
        new_file(str(path), key="")
    catalogues = find(Path(root or "/usr/share/locale"), (source, target), packages.split(",") if packages else None)
    splits = prepare(catalogues, source, target)
    if not all(splits.values()):
        raise UserError(f"too few pairs in {counted(len(catalogues), 'catalogue')}; choose other languages or packages")
    for split, pairs in splits.items():
        rows = "".join(f"{one}\t{other}\n" for one, other in [(source, target), *pairs])
        write_atomically(paths[split], rows.encode())
        print(f"{paths[split]}: {counted(len(pairs), 'pair')}")


def find(root: Path, languages: tuple[str, str], packages: Sequence[str] | None) -> list[dict[str, Path]]:
    """Return the file of each language but English, for each package that has them all.

    Raises UserError if there is no such package.
    """
    found = {
        language: {path.stem: path for path in root.glob(f"{language.replace('-', '_')}/LC_MESSAGES/*.mo")}
        for language in languages
        if language != ENGLISH
    }
    for language, files in found.items():
        if not files:
            known = {path.parts[-3] for path in root.glob("*/LC_MESSAGES/*.mo")}
            install = f"; on Ubuntu, install language-pack-{language}"
            raise UserError(f"{root}: no catalogue of '{language}'{did_you_mean(language, known) or install}")
    common = set.intersection(*map(set, found.values()))
    for name in packages or ():
        if name not in common:
            raise UserError(f"packages: no catalogue '{name}' of these languages{did_you_mean(name, common)}")
    return [{language: files[name] for language, files in found.items()} for name in sorted(packages or common)]


def prepare(catalogues: Sequence[dict[str, Path]], source: str, target: str) -> dict[str, list[tuple[str, str]]]:
    """Return the pairs of each split."""
    targets: dict[str, Counter[str]] = {}
    english: dict[tuple[str, str], str] = {}
    for paths in catalogues:
        for message, texts in messages(paths):
            pair = texts[source], texts[target]
            if pair[0].casefold() != pair[1].casefold() and all(map(is_kept, pair)):
                targets.setdefault(pair[0], Counter())[pair[1]] += 1
                english.setdefault(pair, message)
    splits: dict[str, list[tuple[str, str]]] = {"train": [], "val": [], "test": []}
    for text, counts in targets.items():
        pair = text, counts.most_common(1)[0][0]
        letters = "".join(filter(str.isalpha, english[pair])).casefold()
        splits[{0: "test", 1: "val"}.get(zlib.crc32(letters.encode()) % 20, "train")].append(pair)
    return splits


def messages(paths: dict[str, Path]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each message that all languages of a package translate, with its texts by language."""
    translations = {}
    for language, path in paths.items():
        try:
            with path.open("rb") as file:
                entries = vars(gettext.GNUTranslations(file))["_catalog"]  # no public method lists them
        except (OSError, ValueError, LookupError, struct.error) as error:
            print(f"left out {path}: not a translation catalogue ({error})", file=sys.stderr)
            return
        translations[language] = {key: text for key, text in entries.items() if isinstance(key, str) and key and text}
    first, *others = translations.values()
    for message in (each for each in first if all(each in other for other in others)):
        plain = clean(message.rpartition(CONTEXT_END)[2])
        yield plain, {ENGLISH: plain, **{lang: clean(texts[message]) for lang, texts in translations.items()}}


def clean(text: str) -> str:
    """Return a text on one line without formatting tags, control characters, entities and accelerators of words."""
    text = ACCELERATOR.sub("", html.unescape(FORMATTING.sub("", LINE_BREAK.sub(" ", text))))
    return " ".join(CONTROL.sub(" ", text).split())


def is_kept(text: str) -> bool:
    """Return whether a text is not too long and has letters outside its format directives."""
    return len(text) <= 300 and any(map(str.isalpha, DIRECTIVE.sub("", text)))


if __name__ == "__main__":
    main()
