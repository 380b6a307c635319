"""Translation catalogues as a corpus: catalogues that the tests write, and those of this machine if it has any."""

import json
import struct
from pathlib import Path

import pytest

from nmt.build import build_source
from nmt.cli import train
from nmt.config.compose import compose
from nmt.errors import UserError
from nmt.lab.sources.gettext import SYSTEM, clean

HEADER = "Content-Type: text/plain; charset=UTF-8\nPlural-Forms: nplurals=2; plural=n != 1;\n"
INSTALLED = Path("/usr/share/locale/ko/LC_MESSAGES")


def write_catalogue(path, messages):
    """Write a .mo file as msgfmt does: a header, two tables of (length, offset), and the texts."""
    entries = sorted({"": HEADER, **messages}.items())
    count, tables = len(entries), ([], [])
    offset = 28 + 16 * count
    texts = b""
    for table, side in zip(tables, zip(*entries, strict=True), strict=True):
        for text in side:
            content = text.encode()
            table.append(struct.pack("<II", len(content), offset + len(texts)))
            texts += content + b"\0"
    head = struct.pack("<7I", 0x950412DE, 0, count, 28, 28 + 8 * count, 0, 0)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(head + b"".join(tables[0]) + b"".join(tables[1]) + texts)


@pytest.fixture
def root(tmp_path):
    """Two packages in Korean and German; every kind of message that is left out is in the first."""
    write_catalogue(
        tmp_path / "ko/LC_MESSAGES/editor.mo",
        {
            "_File": "파일(_F)",
            "menu\x04Save _As": "다른 이름으로 저장(_A)",
            "%d file\0%d files": "파일 %d개",
            "OK": "ok",
            "%s: %s\n": "%s - %s",
            "Untranslated": "",
            "<b>Not  found</b>:\n\t%s &amp; %s\n": "<b>찾을 수 없음</b>: %s &amp; %s\n",
            "x" * 400: "긴 글",
            "Open": "열기",
        },
    )
    write_catalogue(
        tmp_path / "ko/LC_MESSAGES/shell.mo",
        {"Open": "열다", "Close": "닫기", "run pg_dump": "pg_dump 실행"},
    )
    write_catalogue(tmp_path / "de/LC_MESSAGES/editor.mo", {"_File": "_Datei", "Open": "Öffnen", "Quit": "Beenden"})
    write_catalogue(tmp_path / "de/LC_MESSAGES/shell.mo", {"Close": "Schließen", "Open": "Öffnen"})
    return tmp_path


@pytest.fixture
def make(root, data_config):
    def splits(source_lang, target_lang, **changes):
        changes = {"val_share": 0, "test_share": 0, "root": str(root)} | changes
        config = data_config("gettext", source_lang=source_lang, target_lang=target_lang, **changes)
        found = build_source(config).splits()
        return {split: [(pair.source, pair.target) for pair in pairs] for split, pairs in found.items()}

    return splits


def test_messages_are_cleaned_and_what_is_no_sentence_is_left_out(make, heard):
    pairs = make("en", "ko", packages=["editor"])["train"]
    assert sorted(pairs) == [
        ("File", "파일"),
        ("Not found: %s & %s", "찾을 수 없음: %s & %s"),
        ("Open", "열기"),
        ("Save As", "다른 이름으로 저장"),
    ]
    assert heard == [
        "data: 4 pairs from 1 catalogues of ko; each has the licence of its package (/usr/share/doc/PACKAGE/copyright)"
    ]


def test_a_language_pair_without_english_meets_in_the_message(make):
    assert make("ko", "de")["train"] == [
        ("열기", "Öffnen"),
        ("파일", "Datei"),
        ("닫기", "Schließen"),
        ("열다", "Öffnen"),
    ]


def test_the_other_direction_has_the_same_texts(make):
    forth, back = make("en", "ko")["train"], make("ko", "en")["train"]
    assert set(forth) < {(target, source) for source, target in back}
    assert len(back) == len(forth) + 1, "both Korean words for Open have a translation"


def test_a_source_has_its_most_frequent_target(make, root):
    assert dict(make("en", "ko")["train"])["Open"] == "열기", "of equally frequent ones the first"
    write_catalogue(root / "ko/LC_MESSAGES/viewer.mo", {"Open": "열다"})
    assert dict(make("en", "ko")["train"])["Open"] == "열다"


def test_a_message_is_in_the_same_split_for_all_languages(make, root):
    words = [f"{first}{second}" for first in "abcdefghijklmnop" for second in "abcdefghijklmnop"]
    for language, prefix in (("ko", "가"), ("de", "das "), ("fr", "le ")):
        write_catalogue(root / f"{language}/LC_MESSAGES/words.mo", {word: prefix + word for word in words})

    def english(source, target, **changes):
        splits = make(source, target, packages=["words"], val_share=0.1, test_share=0.2, **changes)
        side = 0 if source == "en" else 1 if target == "en" else None
        return {
            split: {pair[side] if side is not None else pair[0].removeprefix("가") for pair in pairs}
            for split, pairs in splits.items()
        }

    splits = english("en", "ko")
    assert splits == english("en", "de") == english("de", "en") == english("ko", "fr")
    assert set().union(*splits.values()) == set(words) and sum(map(len, splits.values())) == len(words)
    assert 30 < len(splits["test"]) < 75 and 12 < len(splits["val"]) < 42
    assert splits != english("en", "ko", seed=2)


def test_case_and_punctuation_do_not_leak_between_splits(make, root):
    variants = {f"{word} not found{end}": f"{word} {end} 없음" for word in ("Xa", "xa", "XA", "b") for end in ".!?:"}
    write_catalogue(root / "ko/LC_MESSAGES/words.mo", {"Line of text": "줄", **variants})
    for seed in range(1, 40):
        splits = make("en", "ko", packages=["words", "shell"], val_share=0.3, test_share=0.3, seed=seed)
        for word, count in (("xa", 12), ("b", 4)):
            sizes = [sum(source.lower().startswith(f"{word} not") for source, _ in pairs) for pairs in splits.values()]
            assert max(sizes) == sum(sizes) == count


@pytest.mark.parametrize(
    ("message", "translation", "cleaned"),
    [
        ("E_xit", "B_eenden", ("Exit", "Beenden")),
        ("C_onnect as:", "_Verbinden als:", ("Connect as:", "Verbinden als:")),
        ("_Print...", "印刷(_P)...", ("Print...", "印刷...")),
        ("Run _module_name_", "_module_name_ ausführen", ("Run _module_name_", "_module_name_ ausführen")),
        ("set LC_ALL", "LC_ALL setzen", ("set LC_ALL", "LC_ALL setzen")),
        ("Page_Up", "Bild_auf", ("Page_Up", "Bild_auf")),
        ("<i>a</i> <file>", "<i>b</i> <datei>", ("a <file>", "b <datei>")),
        ("use <b> here", "hier <b>", ("use <b> here", "hier <b>")),
        ("one<br/>two\x07", "eins<br>zwei", ("one two", "eins zwei")),
        ("context\x04text", "Text", ("text", "Text")),
    ],
)
def test_cleaning(message, translation, cleaned):
    assert clean(message, translation, "_") == cleaned


def test_accelerators_are_removed_where_a_catalogue_has_them():
    assert clean("&Open", "&Öffnen", "&") == ("Open", "Öffnen")
    assert clean("_File", "_Datei") == ("_File", "_Datei"), "in a catalogue without accelerators"


def test_wrong_gettext_settings(make, root, tmp_path):
    (tmp_path / "fresh").mkdir()
    for arguments, changes, message in [
        (
            ("en", "fr"),
            {},
            r"data\.target_lang: no catalogue of 'fr' in .*; 2 languages have some, most of all (ko|de)",
        ),
        (("kp", "en"), {}, r"data\.source_lang: no catalogue of 'kp'.*"),
        (
            ("en", "fr"),
            {"root": str(tmp_path / "fresh")},
            r"no catalogue of 'fr' in .*fresh; on Ubuntu, install language-pack-fr; elsewhere .* with the programs$",
        ),
        (("en", "ko"), {"root": str(tmp_path / "none")}, r"data\.root: .*none: no such folder; expected a folder"),
        (
            ("en", "ko"),
            {"packages": ["edtor"]},
            r"data\.packages: no catalogue 'edtor' of ko .*did you mean 'editor'",
        ),
        (("en", "ko"), {"packages": []}, r"data\.packages: got no names"),
        (("en", "ko"), {"test_share": 1.0}, r"data\.val_share: got 0 with test_share=1\.0"),
    ]:
        with pytest.raises(UserError, match=message) as error:
            make(*arguments, **changes)
        assert "\n" not in str(error.value)


def test_a_damaged_catalogue_is_left_out_and_logged(make, root, heard):
    (root / "ko/LC_MESSAGES/broken.mo").write_bytes(b"not a catalogue")
    assert make("en", "ko")
    assert heard[0].startswith(f"data: left out {root}/ko/LC_MESSAGES/broken.mo: not a translation catalogue (")


def test_several_folders_and_a_language_with_a_hyphen(make, root, tmp_path):
    write_catalogue(tmp_path / "extra/pt_BR/LC_MESSAGES/tool.mo", {"Open": "Abrir"})
    assert make("en", "pt-BR", root=[str(root), str(tmp_path / "extra")])["train"] == [("Open", "Abrir")]


@pytest.mark.skipif(not INSTALLED.is_dir(), reason="no Korean catalogues on this machine")
def test_the_catalogues_of_this_machine(data_config):
    assert compose("train", ["data=gettext", "data.target_lang=ko"])["tokenizer"]["vocab_size"] == 4000
    names = sorted(path.stem for path in INSTALLED.glob("*.mo"))[:4]
    splits = build_source(data_config("gettext", target_lang="ko", packages=names)).splits()
    pairs = [pair for split in splits.values() for pair in split]
    assert pairs and len({pair.source for pair in pairs}) == len(pairs)
    texts = [text for pair in pairs for text in (pair.source, pair.target)]
    assert all(text == " ".join(text.split()) and len(text) <= 300 for text in texts)
    assert any("\uac00" <= sign <= "\ud7a3" for text in texts for sign in text)


@pytest.mark.slow
@pytest.mark.skipif(not INSTALLED.is_dir(), reason="no Korean catalogues on this machine")
@pytest.mark.parametrize("experiment", ["gettext_en_ko", "gettext_ko_en"])
def test_the_experiments_train_on_the_catalogues_of_this_machine(experiment, tmp_path):
    names = sorted(path.stem for path in INSTALLED.glob("*.mo"))[:4]
    small = ["model.encoder.layers=1", "model.encoder.block.width=16", "model.encoder.block.feed_forward=16"]
    folder = f"hydra.run.dir={tmp_path}/run"
    train.main([f"experiment={experiment}", "debug=fast", f"data.packages=[{','.join(names)}]", *small, folder])
    metrics = json.loads((tmp_path / "run" / "metrics.json").read_text("utf-8"))
    tokens = {"gettext_en_ko": "char", "gettext_ko_en": "13a"}[experiment]
    assert metrics["updates"] == 2 and f"|tok:{tokens}|" in metrics["val"]["bleu"]["signature"]


def test_the_folders_of_the_settings_are_the_default() -> None:
    assert compose("train", ["data=gettext"])["data"]["root"] == list(SYSTEM)
