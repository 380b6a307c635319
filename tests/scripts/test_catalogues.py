"""A corpus of translation catalogues, which the test writes as msgfmt does."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from nmt.errors import UserError
from scripts.recipes import catalogues
from scripts.recipes.catalogues import find, prepare

HEADER = "Content-Type: text/plain; charset=UTF-8\nPlural-Forms: nplurals=2; plural=n != 1;\n"


def write_catalogue(path: Path, messages: dict[str, str]) -> None:
    """Write a .mo file: a header, two tables of (length, offset), and the texts."""
    entries = sorted({"": HEADER, **messages}.items())
    offset, tables, texts = 28 + 16 * len(entries), b"", b""
    for side in zip(*entries, strict=True):
        for text in side:
            tables += struct.pack("<II", len(text.encode()), offset + len(texts))
            texts += text.encode() + b"\0"
    path.parent.mkdir(parents=True, exist_ok=True)
    head = struct.pack("<7I", 0x950412DE, 0, len(entries), 28, 28 + 8 * len(entries), 0, 0)
    path.write_bytes(head + tables + texts)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Two packages in Korean and German; every kind of message that is left out is in the first."""
    left_out = {"%d file\0%d files": "파일 %d개", "OK": "ok", "%s: %s\n": "%s - %s", "None": "", "x" * 400: "긴 글"}
    kept = {"_File": "파일(_F)", "menu\x04Save _As": "다른 이름으로 저장(_A)", "Open": "열기"}
    kept |= {"<b>Not  found</b>:\n\t%s &amp; %s\n": "<b>찾을 수 없음</b>: %s &amp; %s\n"}
    write_catalogue(tmp_path / "ko/LC_MESSAGES/editor.mo", left_out | kept)
    write_catalogue(tmp_path / "ko/LC_MESSAGES/shell.mo", {"Open": "열다", "Close": "닫기"})
    write_catalogue(tmp_path / "de/LC_MESSAGES/editor.mo", {"_File": "_Datei", "Open": "Öffnen", "Quit": "Beenden"})
    return tmp_path


def all_pairs(root: Path, source: str, target: str) -> set[tuple[str, str]]:
    splits = prepare(find(root, (source, target), None), source, target)
    assert not {pair[0] for pair in splits["train"]} & {pair[0] for pair in [*splits["val"], *splits["test"]]}
    return {pair for pairs in splits.values() for pair in pairs}


def test_messages_are_cleaned_and_what_is_no_sentence_is_left_out(root: Path) -> None:
    assert all_pairs(root, "en", "ko") == {
        ("File", "파일"),
        ("Not found: %s & %s", "찾을 수 없음: %s & %s"),
        ("Open", "열기"),
        ("Save As", "다른 이름으로 저장"),
        ("Close", "닫기"),
    }
    assert all_pairs(root, "ko", "de") == {("열기", "Öffnen"), ("파일", "Datei")}, "they meet in the English message"
    write_catalogue(root / "ko/LC_MESSAGES/viewer.mo", {"Open": "열다"})
    assert ("Open", "열다") in all_pairs(root, "en", "ko"), "the most frequent target"


def test_a_message_is_in_the_same_split_for_all_languages(tmp_path: Path) -> None:
    words = [f"{a}{b}{end}" for a in "abcdefghijklmnop" for b in "abcdefghijklmnop" for end in (".", "!")]
    for language in ("ko", "de"):
        write_catalogue(tmp_path / f"{language}/LC_MESSAGES/words.mo", {word: f"{language} {word}" for word in words})
    splits = [prepare(find(tmp_path, ("en", lang), None), "en", lang) for lang in ("ko", "de")]
    sources = [{name: [pair[0] for pair in pairs] for name, pairs in each.items()} for each in splits]
    assert sources[0] == sources[1] and 10 < len(sources[0]["test"]) < 50
    assert all(f"{word[:2]}!" in pairs for pairs in sources[0].values() for word in pairs), "punctuation does not leak"


def test_the_program(root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "ko/LC_MESSAGES/broken.mo").write_bytes(b"not a catalogue")
    write_catalogue(root / "ko/LC_MESSAGES/words.mo", {f"{a}{b}": a for a in "abcdefghij" for b in "klmnopqr"})
    catalogues.main(["en", "ko", str(tmp_path / "out"), f"root={root}"])
    assert "broken.mo: not a translation catalogue" in capsys.readouterr().err
    assert (tmp_path / "out" / "train.tsv").read_text("utf-8").startswith("en\tko\n")
    for words, message in ((["en", "ko"], "out/train.tsv: exists already"), (["ko", "ko"], "of two languages")):
        with pytest.raises(UserError, match=message):
            catalogues.main([*words, str(tmp_path / "out"), f"root={root}"])
    with pytest.raises(UserError, match="no catalogue 'edtor' of these languages; did you mean 'editor'"):
        catalogues.main(["en", "ko", "x", "packages=edtor", f"root={root}"])
