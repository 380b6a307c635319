"""The program that prepares IWSLT 2014: its files follow the published preparation."""

from __future__ import annotations

import gzip
import io
import re
import tarfile
from pathlib import Path

import pytest

from nmt.errors import UserError
from scripts.recipes import iwslt14

pytest.importorskip("sacremoses")

# Lines of the talks, and what training files have for them: None where the pair is dropped.
ODD: list[tuple[str, str, tuple[str, str] | None]] = [
    ("<url>http://a.de</url>", "<url>http://a.en</url>", None),
    ("<keywords>Meer</keywords>", "<keywords>sea, fish</keywords>", None),
    ("<talkid>343</talkid>", "<talkid>343</talkid>", None),
    ("<title>Das Meer</title>", "<title>The Sea</title>", ("das meer", "the sea")),
    ("<description>TED: Ja!</description>", "<description>TED: Yes!</description>", ("ted : ja !", "ted : yes !")),
    (
        "<speaker>Al</speaker>",  # no line of the original script drops it
        "<speaker>Al</speaker>",
        ("&lt; speaker &gt; al &lt; / speaker &gt;", "&lt; speaker &gt; al &lt; / speaker &gt;"),
    ),
    ("", "Nothing.", None),
    ("Nichts.", " \t ", None),
    (" Am 3. Mai kam\tDr. Öz.  ", "On May 3 Dr. Oz came.", ("am 3. mai kam dr. öz .", "on may 3 dr. oz came .")),
    ("R&amp;B ist's", "R&amp;B it's", ("r &amp; amp ; b ist &apos; s", "r &amp; amp ; b it &apos;s")),
    ("A|B [x] „1.000,5“", 'A|B [x] "1,000"', ("a &#124; b &#91; x &#93; „ 1.000,5 “",
                                              "a &#124; b &#91; x &#93; &quot; 1,000 &quot;")),
    ("Geht\u2019s so\u2028weiter", "So it\u2019s on", ("geht \u2019 s so weiter", "so it \u2019 s on")),
    ("a b c", "d e", ("a b c", "d e")),
    ("a b c d", "e f", None),
    ("e f", "a b c d", None),
    ("a " * 175, "b " * 175, (" ".join("a" * 175), " ".join("b" * 175))),
    ("a " * 176, "b " * 175, None),
    ("x" * 1000, "y", ("x" * 1000, "y")),
    ("y", "x" * 1001, None),
]  # fmt: skip
PLAIN = [(f"Hund {number}!", f"Dog {number}!", (f"hund {number} !", f"dog {number} !")) for number in range(60)]
TALKS = ODD + PLAIN
SEGMENTS = {
    "TED.dev2010": [
        ("Geht\u2019s & gut?", "It\u2019s & fine?", ("geht &apos; s &amp; gut ?", "it &apos;s &amp; fine ?"))
    ],
    "TEDX.dev2012": [("", "Laughter", ("", "laughter")), ("a b c d", "e", ("a b c d", "e"))],
    "TED.tst2010": [("Eins", "One", ("eins", "one"))],
    "TED.tst2011": [("Zwei", "Two", ("zwei", "two"))],
    "TED.tst2012": [("a " * 200, "B", (" ".join("a" * 200), "b"))],
}


def contents() -> dict[str, str]:
    """Return the files of the archive."""
    files = {}
    for side, language in enumerate(("de", "en")):
        files[f"de-en/train.tags.de-en.{language}"] = "".join(f"{row[side]}\n" for row in TALKS)
        for name, rows in SEGMENTS.items():
            lines = "".join(f'<seg id="{number}"> {row[side]} </seg>\n' for number, row in enumerate(rows, 1))
            xml = f'<?xml version="1.0"?>\n<doc docid="1">\n<title>Talk</title>\n{lines}</doc>\n'
            files[f"de-en/IWSLT14.{name}.de-en.{language}.xml"] = xml
    return files | {"de-en/README": "about", "../outside.de": "never written"}


def pack(path: Path, files: dict[str, str]) -> Path:
    """Write an archive with these files."""
    with tarfile.open(path, "w:gz") as tar:
        for name, text in files.items():
            member = tarfile.TarInfo(f"./{name}" if name.endswith(".de") else name)
            member.size = len(text.encode())
            tar.addfile(member, io.BytesIO(text.encode()))
    return path


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return pack(tmp_path / "de-en.tgz", contents())


def test_the_files_are_those_of_the_published_preparation(
    archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    iwslt14.main([str(archive), str(tmp_path / "out")])
    kept = [row[2] for row in TALKS if row[2] is not None]
    expected = {
        "train": [pair for number, pair in enumerate(kept, 1) if number % 23],
        "val": [kept[22], kept[45], kept[68]],
        "test": [row[2] for rows in SEGMENTS.values() for row in rows],
    }
    for split, pairs in expected.items():
        for side, language in enumerate(("de", "en")):
            text = (tmp_path / "out" / f"{split}.{language}").read_bytes().decode()
            assert text == "".join(f"{pair[side]}\n" for pair in pairs), (split, language)
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == [
        *("de-en.tgz", "test.de", "test.en", "train.de", "train.en", "val.de", "val.en")
    ]
    said = capsys.readouterr().out
    assert "de-en/train.tags.de-en.de, de-en/train.tags.de-en.en: 76 pairs\n  6 pairs of them dropped" in said
    assert "train: 67 pairs (published: 160,239)\nval: 3 pairs (published: 7,283)\ntest: 6 pairs (" in said


def test_mistakes_of_a_user_write_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    files, name = contents(), "de-en/IWSLT14.TEDX.dev2012.de-en.en.xml"
    pack(tmp_path / "x.tgz", {key: text for key, text in files.items() if key != name})
    with pytest.raises(UserError, match=re.escape(f"x.tgz: holds no file {name}; expected de-en.tgz")):
        iwslt14.main(["x.tgz"])
    whole = pack(tmp_path / "x.tgz", files).read_bytes()
    for broken in (b"no archive", gzip.compress(b"no tar"), whole[:-40], whole[:400]):
        (tmp_path / "x.tgz").write_bytes(broken)
        with pytest.raises(UserError, match=r"^x\.tgz: not a whole tar archive; expected de-en\.tgz of IWSLT 2014$"):
            iwslt14.main(["x.tgz"])
    assert [path.name for path in tmp_path.iterdir()] == ["x.tgz"]
