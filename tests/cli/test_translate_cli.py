"""The program that translates text and lines."""

from __future__ import annotations

import io
import json
import os
import re
import select
import threading
from pathlib import Path
from typing import Any

import pytest

from nmt.cli import translate as translate_program
from nmt.cli.translation_lines import LineTranslator
from nmt.errors import UserError
from nmt.search.beam import BeamSearch
from nmt.system.lines import LONGEST, as_line
from nmt.text.protect import Spans
from nmt.translation.translator import Translator
from tests.tiny_run import Run, save_other, sentences, with_spans


def feed(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content), encoding="utf-8"))


def test_translate_program_takes_text_verbatim(run: Run, elsewhere: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = 'A man, in a "red" {shirt} [x], ${it}\'s = \\ a ~bike'
    translate_program.main([f"ckpt={run.folder}", f"text={text}"])
    assert capsys.readouterr().out == as_line(run.translator.translate([text])[0].text) + "\n"


def test_translate_program_completes_a_prefix(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    words = [f"ckpt={run.folder}", "text=two dogs in snow", "prefix=a, red", "search.max_length_extra=9"]
    translate_program.main(words)
    (expected,) = run.translator.translate(["two dogs in snow"], prefixes=["a, red"], max_length_extra=9)
    assert capsys.readouterr().out == as_line(expected.text) + "\n" and expected.text.startswith("a, red")


def settings(**given: Any) -> translate_program.TranslateConfig:
    """Return the settings of the program with those that are `given`."""
    names = ("text", "prefix", "source_lang", "target_lang", "input", "column", "output", "format", "terms")
    plain: dict[str, Any] = {**dict.fromkeys(names), "ckpt": "RUN", "allow": [], "search": {}, "with_attention": False}
    return translate_program.TranslateConfig(**{**plain, "device": "cpu", "engine": "torch", **given})


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"text": "a", "input": "x"}, 'input=: a file cannot be translated beside text="..."; leave out one of them'),
        ({"input": "page.html"}, "input=page.html: not a file of sentences; translate it by translate_document.py"),
        ({"output": "x"}, "output=: needs the file input="),
        ({"input": "x.en", "column": "text"}, "column=text: only a file has columns, input=FILE of the formats"),
        ({"with_attention": True}, "with_attention=true: text lines cannot hold it; add format=jsonl"),
        ({"search": {"n_best": 2}}, "search.n_best=2: a line of text holds only the best translation"),
        ({"prefix": "a"}, 'prefix="...": the search completes it; give it with text="..."'),
    ],
)
def test_settings_that_contradict_each_other(given: dict[str, Any], problem: str) -> None:
    (found,) = settings(**given).contradictions()
    assert found.startswith(problem)


def test_a_model_of_both_directions_reads_either_language(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    both = save_other(run, tmp_path / "both.safetensors", both_directions=True, target_lang="el")
    pair = {"en": "a dog", "el": "ένας σκύλος τρέχει"}
    (tmp_path / "in.jsonl").write_text(json.dumps({"translation": pair}), "utf-8")
    words = [f"ckpt={both}", f"input={tmp_path / 'in.jsonl'}", "format=jsonl"]
    for named, language, other in (("en-US", "en", "el"), ("el", "el", "en"), ("gre", "el", "en")):
        translate_program.main([*words, f"source_lang={named}"])
        found = json.loads(capsys.readouterr().out)
        assert found["translation"] == {language: pair[language], other: found["text"]}
        assert "script" not in found["doubts"], "Greek is what this model reads"
    translate_program.main([f"ckpt={both}", f"text={pair['el']}", "format=jsonl"])
    assert "script" in json.loads(capsys.readouterr().out)["doubts"], "without source_lang the text is English"


def test_a_glossary_is_used_or_said_to_be_ignored(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "terms.tsv").write_text("dog\tHund\n", "utf-8")
    words = [f"terms={tmp_path}/terms.tsv", "text=a dog"]
    translate_program.main([f"ckpt={with_spans(run, tmp_path / 'model.safetensors')}", *words])
    used, warning = capsys.readouterr()
    assert "Hund" in used and "ignored" not in warning
    translate_program.main([f"ckpt={run.folder}", *words])
    plain, warning = capsys.readouterr()
    assert "ignored, because this model was trained without spans" in warning
    assert plain == as_line(run.translator.translate(["a dog"])[0].text) + "\n"


def test_a_language_that_the_model_does_not_read_is_refused(run: Run) -> None:
    for word, got in (("source_lang=de", "source_lang: got de"), ("target_lang=fr", "target_lang: got fr")):
        with pytest.raises(UserError, match=f"^{got}, expected en to de$"):
            translate_program.main([f"ckpt={run.folder}", "text=a dog", word])


def test_translate_program_refuses_a_line_without_end(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    feed(monkeypatch, b"a dog\nthe snow\n" + b"x" * 2 * LONGEST)
    with pytest.raises(UserError, match=r"^standard input, line 3: a line of more than 1,048,576 bytes"):
        translate_program.main([f"ckpt={run.folder}"])
    assert capsys.readouterr().out.count("\n") == 2, "the lines before it are answered"


def test_interactive_stdin_is_answered_line_by_line(run: Run) -> None:
    (questions, ask), (answers, answer) = os.pipe(), os.pipe()
    with open(questions, "rb") as source, open(answer, "w", encoding="utf-8") as output, open(answers, "rb") as replies:
        program = threading.Thread(
            target=translate_program.translate_lines, args=(LineTranslator(run.translator), source, output), daemon=True
        )
        program.start()
        for text in ("a dog", "", "red snow"):
            os.write(ask, f"{text}\n".encode())
            assert select.select([replies], [], [], 30)[0], "no answer before the next line"
            assert replies.readline().decode() == as_line(run.translator.translate([text])[0].text) + "\n"
        os.close(ask)
        program.join(30)
        assert not program.is_alive()


def test_lines_are_read_whole_across_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    content = "".join(f"{line}\n" for line in [*sentences(20, seed=3), "", "ä" * 50]).encode() + b"end"
    for block in (1, 7, 1000):
        monkeypatch.setattr(translate_program, "BLOCK", block)
        chunks = list(translate_program.arriving(io.BytesIO(content)))
        assert b"".join(line for chunk in chunks for line in chunk) == content


def test_lost_spans_are_named_and_counted(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    spans = Spans({"braces": r"\{\w\}"})
    search = BeamSearch(beam_size=2)
    ours = Translator(run.translator.model, run.translator.tokenizer.with_spans(spans), search)
    lines = LineTranslator(ours, jsonl=True)
    texts = [f"{line} {{x}}." for line in sentences(8, seed=6)]
    found = [json.loads(line) for line in lines.lines(texts, texts)]
    lines.close()
    lost = [each for each in found if each["lost_spans"]]
    assert lost and all(each["lost_spans"] == ["{x}"] for each in lost)
    assert all(each["text"].endswith(" {x}") for each in lost)
    assert all("spans" in each["doubts"] for each in lost)
    assert re.search(rf"warning: {len(lost)} translations? may be wrong \(spans\)", capsys.readouterr().err)
