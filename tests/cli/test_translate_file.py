"""The program that translates a file: its output, its JSON Lines, and what it refuses."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from nmt import load_translator
from nmt.attention_map import load
from nmt.build import search_node
from nmt.cli import program, translate
from nmt.cli.shards import Shard
from nmt.cli.translate_file import Source, record_of, translate_file
from nmt.cli.translation_lines import LineTranslator
from nmt.data.sources.files import Files
from nmt.errors import UserError
from nmt.system.lines import as_line
from nmt.translation.translator import Translator
from tests.tiny_run import Run, sentences
from tests.translated_file import QUICK, TEXTS, FileCall, Killed, kill_at


def test_file_has_one_translation_per_line(run: Run, translated: FileCall, capsys: pytest.CaptureFixture[str]) -> None:
    lines = translated().read_bytes().decode().split("\n")
    assert lines == [as_line(each.text) for each in run.translator.translate(TEXTS, search=QUICK)] + [""]
    assert lines[12] == lines[13] == "" and not Shard().partial_path(translated.source.parent / "out.de").exists()
    assert "translated 22 lines in 0:00:0" in capsys.readouterr().err
    packed = translated("out.de.gz")
    assert gzip.decompress(packed.read_bytes()) == (translated.source.parent / "out.de").read_bytes()
    source_gz = translated.source.with_name("again.gz")
    source_gz.write_bytes(gzip.compress(translated.source.read_bytes()))
    checkpoint = run.folder / "checkpoints" / "best.safetensors"
    translate_file(
        LineTranslator(Translator(run.translator.model, run.translator.tokenizer, QUICK)),
        Source(source_gz, "en"),
        None,
        sys.stdout,
        [checkpoint],
    )
    assert capsys.readouterr().out == (translated.source.parent / "out.de").read_text("utf-8")


def test_a_clock_that_stands_still(
    translated: FileCall, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The clock of some systems moves in steps of 16 ms."""
    monkeypatch.setattr("nmt.cli.translate_file.time", SimpleNamespace(monotonic=lambda: 7.0))
    translated()
    assert "translated 22 lines in 0:00:00, " in capsys.readouterr().err


def test_json_lines_hold_what_the_translator_finds(run: Run, translated: FileCall, tmp_path: Path) -> None:
    path = translated("out.jsonl.gz", n_best=2, jsonl=True, with_attention=True)
    rows = [json.loads(line) for line in gzip.decompress(path.read_bytes()).decode().split("\n")[:-1]]
    assert [row["source"] for row in rows] == TEXTS
    found = run.translator.hypotheses(TEXTS, search=QUICK, n_best=2)
    for row, hypotheses in zip(rows, found, strict=True):
        for plain, each in zip(row.get("n_best", [row]), hypotheses, strict=True):
            assert (plain["text"], plain["pieces"]) == (as_line(each.text), each.pieces)
            assert plain["token_log_probs"] == pytest.approx(each.token_log_probs, abs=1e-4)
            assert plain["score"] == pytest.approx(each.score, abs=1e-4)
            assert plain["log_prob"] == pytest.approx(sum(each.token_log_probs), abs=1e-4)
        if not row["pieces"]:
            assert row == {
                **{"source": row["source"], "text": "", "log_prob": 0, "score": 0, "cut": False, "doubts": []},
                **{"retried": False, "lost_spans": [], "pieces": [], "token_log_probs": [], "attention": None},
            }
            continue
        assert all(row[key] == row["n_best"][0][key] for key in row["n_best"][0])
        seen = run.translator.attention_maps([hypotheses[0]])[0]
        whole = {"pieces": row["attention"], "format": "nmt-attention-map", "version": 3, "origin": {}}
        path = tmp_path / "map.json"
        path.write_text(json.dumps({**whole, "source": row["source"], "target": row["text"]}))
        read = load(path)
        assert read.source_pieces == seen.source_pieces and read.cross is not None and seen.cross is not None
        assert (read.cross - seen.cross).abs().max() < 1e-3


def test_a_source_that_was_split_has_its_parts_in_json(
    run: Run, translated: FileCall, capsys: pytest.CaptureFixture[str]
) -> None:
    long = "two men, a dog. A red bike, a man.\n"
    translated.source.write_text(long * 12 + "two\n" + "e" * 300 + "\n", encoding="utf-8")
    path = translated(max_source_length=16, jsonl=True, with_attention=True)
    rows = [json.loads(line) for line in path.read_text("utf-8").split("\n")[:-1]]
    assert len(rows) == 14 and [part["source"] for part in rows[0]["parts"]] == [
        "two men, a dog.",
        "A red bike, a man.",
    ]
    assert "attention" not in rows[0] and all(part["attention"]["cross"] for part in rows[0]["parts"])
    assert rows[0]["pieces"] == rows[0]["parts"][0]["pieces"] + rows[0]["parts"][1]["pieces"]
    assert "parts" not in rows[12] and rows[12]["attention"]["cross"]
    assert "".join(part["source"] for part in rows[13]["parts"]) == "e" * 300
    err = capsys.readouterr().err
    limit, place = "longer than 16 tokens (search.max_source_length)", f"{translated.source}:"
    assert f"warning: {place}1: {limit}; translated in 2 parts\n" in err
    assert f"{place}10:" in err and f"{place}11:" not in err
    assert f"warning: 13 sources were {limit} and split\n" in err


@pytest.mark.parametrize(
    ("content", "settings", "message"),
    [
        (b"a\nb \xff\n", {}, ":2: not UTF-8 (byte 0xff at 3); convert the text to UTF-8"),
        ("a\n\ud800\n".encode("utf-8", "surrogatepass"), {}, ":2: not UTF-8 (byte 0xed at 1)"),
        ("a\n".encode("utf-16"), {}, ":1: not UTF-8 (byte 0xff at 1)"),
        (b"a\n" + b"e" * 3000, {"long_source": "refuse", "max_source_length": 20}, ":2: got "),
    ],
)
def test_invalid_line_is_found_before_translating(
    capsys: pytest.CaptureFixture[str],
    translated: FileCall,
    content: bytes,
    settings: dict[str, Any],
    message: str,
) -> None:
    translated.source.write_bytes(content)
    with pytest.raises(SystemExit) as end:
        program.run(lambda _: translated(**settings))
    err = capsys.readouterr().err
    assert end.value.code == program.USER_ERROR and err.count("\n") == 1
    assert err.startswith(f"error: {translated.source}{message}")
    assert [path.name for path in translated.source.parent.iterdir()] == [translated.source.name]


def test_unreadable_file_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "plain.gz").write_text("a dog")
    (tmp_path / "short.gz").write_bytes(gzip.compress(b"a dog\n" * 1000)[:-9])
    (tmp_path / "empty").write_text("")
    checkpoint = run.folder / "checkpoints" / "best.safetensors"
    for name, message in (
        ("none", "none: no such file"),
        ("plain.gz", "not a whole gzip file"),
        ("short.gz", "not a whole gzip file"),
        (".", "a folder, pipe or device"),
    ):
        with pytest.raises(UserError, match=message):
            translate_file(
                LineTranslator(run.translator),
                Source(tmp_path / name, "en"),
                tmp_path / "out",
                sys.stdout,
                [checkpoint],
            )
    out = tmp_path / "new" / "out"
    translate_file(LineTranslator(run.translator), Source(tmp_path / "empty", "en"), out, sys.stdout, [checkpoint])
    assert out.read_bytes() == b""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["output=x"], "output=: needs the file input="),
        (["text=a", "input=x"], 'input=: a file cannot be translated beside text="..."'),
        (["with_attention=true"], "with_attention=true: text lines cannot hold it; add format=jsonl"),
        (["format=json"], "format: got 'json'"),
    ],
)
def test_contradicting_translate_settings(run: Run, words: list[str], message: str) -> None:
    with pytest.raises(UserError) as error:
        translate.main([f"ckpt={run.folder}", *words])
    assert message in str(error.value)


def test_the_program_takes_files(run: Run, translated: FileCall, capsys: pytest.CaptureFixture[str]) -> None:
    """The form of the output follows from its name; without one, the lines go to standard output."""
    node = {key: value for key, value in search_node(QUICK).items() if key != "_target_"}
    quick = [f"search.{key}={'null' if value is None else value}" for key, value in node.items()]
    words = [f"ckpt={run.folder}", "device=cpu", *quick, f"input={translated.source}"]
    texts = translated().read_text("utf-8")
    translate.main([*words, f"output={translated.source.parent}/a.jsonl.gz"])
    rows = gzip.decompress((translated.source.parent / "a.jsonl.gz").read_bytes()).decode().split("\n")[:-1]
    assert [json.loads(row)["text"] for row in rows] == texts.split("\n")[:-1]
    capsys.readouterr()
    translate.main(words)
    assert capsys.readouterr().out == texts
    translate.main([*words[:-1], "text=a dog", "format=jsonl"])
    assert json.loads(capsys.readouterr().out)["source"] == "a dog"


def test_files_of_pairs_are_read_as_in_training(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """JSON Lines and TSV are not translated as raw text; what was killed goes on with them too."""
    texts = sentences(9, seed=3)
    rows = [{"id": number, "en": text, "de": "x"} for number, text in enumerate(texts)]
    files = {
        "plain.en": "".join(f"{text}\n" for text in texts),
        "flat.jsonl": "".join(f"{json.dumps(row)}\n" for row in rows),
        "nested.jsonl.gz": "".join(json.dumps({"translation": row}) + "\n" for row in rows),
        "pairs.tsv": "".join(f"{text}\tx\n" for text in texts),
        "headed.tsv": "de\ten\n" + "".join(f"x\t{text}\n" for text in texts),
    }
    words = [f"ckpt={run.folder}", "device=cpu", "search=greedy"]
    for name, content in files.items():
        data = content.encode()
        (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        translate.main([*words, f"input={tmp_path / name}", f"output={tmp_path / name}.de"])
        assert (tmp_path / f"{name}.de").read_bytes() == (tmp_path / "plain.en.de").read_bytes(), name
    assert "pairs.tsv: no header line that names the columns; column 1 read as en\n" in capsys.readouterr().err
    (tmp_path / "mono.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), "utf-8")
    mono = [*words, f"input={tmp_path / 'mono.jsonl'}", f"output={tmp_path / 'mono.de'}"]
    with pytest.raises(
        UserError, match=r"mono\.jsonl:1: no language key 'en'; there are: text; name the one .*column="
    ):
        translate.main(mono)
    translate.main([*mono, "column=text"])
    assert (tmp_path / "mono.de").read_bytes() == (tmp_path / "plain.en.de").read_bytes()
    with pytest.raises(UserError, match=r"column=text: only a file has columns, input=FILE of .*\.jsonl and \.tsv"):
        translate.main([*words, f"input={tmp_path / 'plain.en'}", "column=text"])


def test_a_column_that_does_not_exist_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "table.tsv").write_text("id\tenglish\n17\tabc\n", "utf-8")
    words = [f"ckpt={run.folder}", f"input={tmp_path}/table.tsv", f"output={tmp_path}/out.de"]
    with pytest.raises(UserError, match=r"tsv:1: no language key 'englsh'; there are: id, english; did you mean"):
        translate.main([*words, "column=englsh"])
    translate.main([*words, "column=english"])
    assert len((tmp_path / "out.de").read_text("utf-8").splitlines()) == 1


def test_equal_settings_make_equal_records(run: Run) -> None:
    records = [
        record_of(LineTranslator(load_translator(run.folder, length_penalty=penalty)), [], "")
        for penalty in (1, 1.0, 0.5)
    ]
    assert json.dumps(records[0]) == json.dumps(records[1]) != json.dumps(records[2])


def test_killed_jsonl_translation_resumes(run: Run, tmp_path: Path, translated: FileCall) -> None:
    translated.source = tmp_path / "rows.jsonl"
    rows = "".join(json.dumps({"en": text}) + "\n" for text in sentences(11, seed=3))
    translated.source.write_text(rows, "utf-8")
    whole = translated("whole.jsonl", jsonl=True).read_bytes()
    with pytest.MonkeyPatch.context() as patch, pytest.raises(Killed):
        kill_at(patch, 6)
        translated("parts.jsonl", jsonl=True)
    assert Shard().partial_path(tmp_path / "parts.jsonl").exists()
    assert translated("parts.jsonl", jsonl=True).read_bytes() == whole and whole.count(b"\n") == 11
    with pytest.MonkeyPatch.context() as patch, pytest.raises(Killed):
        kill_at(patch, 6)
        translated("other.jsonl", jsonl=True)
    translated.source.write_text(rows.replace("dog", "cat"), "utf-8")
    with pytest.raises(UserError, match="another input"):
        translated("other.jsonl", jsonl=True)


def test_json_lines_are_training_data(run: Run, tmp_path: Path) -> None:
    """Back-translation: a model of the other direction makes the sources for sentences that people wrote."""
    texts = sentences(9, seed=3)
    (tmp_path / "mono.jsonl").write_text("".join(json.dumps({"en": text}) + "\n" for text in texts), "utf-8")
    output = tmp_path / "synthetic.jsonl.gz"
    words = [f"ckpt={run.folder}", "device=cpu", "search.n_best=2"]
    translate.main([*words, f"input={tmp_path / 'mono.jsonl'}", f"output={output}"])
    rows = [json.loads(line) for line in gzip.decompress(output.read_bytes()).decode().split("\n")[:-1]]
    corpus = Files(source_lang="de", target_lang="en", train=str(output)).splits()["train"]
    assert [(pair.source, pair.target) for pair in corpus] == [(row["text"], row["source"]) for row in rows]
    assert [pair.target for pair in corpus] == texts and any(pair.source for pair in corpus)
    translate.main([*words, f"input={output}", f"output={tmp_path / 'again.jsonl.gz'}"])
    assert gzip.decompress((tmp_path / "again.jsonl.gz").read_bytes()) == gzip.decompress(output.read_bytes())


@pytest.mark.slow
def test_a_line_of_100_000_characters(run: Run, translated: FileCall) -> None:
    translated.source.write_text("a dog\n" + "e" * 100_000 + "\n" + "a dog. " * 15_000 + "\ntwo\n", encoding="utf-8")
    assert translated(beam_size=1, max_length_factor=0.1, max_source_length=128).read_text("utf-8").count("\n") == 4
