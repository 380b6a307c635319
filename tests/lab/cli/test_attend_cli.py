"""The program that shows what a model attends to."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import torch
from PIL import Image

from nmt import load_translator
from nmt.attention_map import load
from nmt.errors import UserError
from nmt.lab.attribution.alti import ALTI
from nmt.lab.attribution.base import attribute
from nmt.lab.cli import attend
from nmt.lab.trace.trace import trace_position
from nmt.system.lines import as_line
from tests.tiny_run import Run, save_other, sentences

TWO_PARTS = ["text=a dog. two men in snow.", "search.max_source_length=12"]


def test_the_table_is_of_the_translation_that_the_search_finds(
    run: Run, elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    attend.main([f"ckpt={run.folder}", "text=two, dogs", "search.beam_size=2"])
    said = capsys.readouterr().out.splitlines()
    (found,) = run.translator.translate(["two, dogs"], beam_size=2)
    assert said[:2] == ["source:      two, dogs", f"translation: {as_line(found.text)}".rstrip()]
    assert f"update 7, score {found.score:.2f}, log P {found.log_prob:.2f}" in said[2]
    assert said[3] == "Attention to the source, mean of 2 layers and 2 heads, in %"
    assert len(said) >= 6 + len(found.pieces)


def test_a_given_target_is_looked_at(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, target = 'A man, in a "red" {shirt}', "ein, Mann = [x]"
    attend.main([f"ckpt={run.folder}", f"text={text}", f"target={target}", f"out={tmp_path}/a, b"])
    (expected,) = run.translator.attention_maps(run.translator.score([text], [target]))
    written = load(tmp_path / "a, b" / "1.json")
    assert (written.source, written.target) == (text, target)
    assert written.origin.score == pytest.approx(written.origin.log_prob), "no search has ranked the translation"
    for kind in expected.kinds:
        torch.testing.assert_close(getattr(written, kind), getattr(expected, kind), atol=2e-4, rtol=0)
    assert f"translation: {target}" in capsys.readouterr().out
    page = (tmp_path / "a, b" / "attention.html").read_text("utf-8")
    assert "ein, Mann = [x]" in page and '"head": null' in page


def test_a_file_gives_a_map_of_each_line(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = sentences(3, seed=4)
    (tmp_path / "lines.en").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    words = ["kind=encoder_self", "layer=2", "head=1", "words=true", "format=svg", "scaled=true"]
    attend.main([f"ckpt={run.folder}", f"input={tmp_path}/lines.en", f"out={tmp_path}/out", *words])
    assert [load(tmp_path / "out" / f"{number}.json").source for number in (1, 2, 3)] == lines
    picture = (tmp_path / "out" / "3.svg").read_text("utf-8")
    assert "Self-attention of the encoder" in picture
    said = capsys.readouterr().out
    assert said.count("Self-attention of the encoder, layer 2 of 2, head 1 of 2") == 3 and "sentence 3 of 3" in said
    rows = "".join(json.dumps({"de": "x", "en": line}) + "\n" for line in lines)
    (tmp_path / "lines.jsonl").write_text(rows, "utf-8")
    attend.main([f"ckpt={run.folder}", f"input={tmp_path}/lines.jsonl", *words[:4]])
    assert capsys.readouterr().out == said.partition("written to")[0]


def test_a_source_that_is_too_long_is_shown_in_parts(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    attend.main([f"ckpt={run.folder}", *TWO_PARTS])
    out, err = capsys.readouterr()
    assert "sentence 1 of 2" in out and "source:      two men in snow." in out
    assert "warning: 1 translation in parts, because the source is longer than 12 tokens" in err


def test_another_model_stands_beside_the_first_with_the_same_translation(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = save_other(run, tmp_path / "other.safetensors")
    words = ["text=a dog", "target=ein Hund", "words=true", "scaled=true", f"out={tmp_path}/out"]
    attend.main([f"ckpt={run.folder}", f"compare={other}", *words])
    said = capsys.readouterr().out
    assert said.count("translation: ein Hund") == 1 and "tiny (" in said and "other (Recurrent, Bahdanau)" in said
    first, second = (load(tmp_path / "out" / name) for name in ("1.json", "1.compare.json"))
    (expected,) = (other := load_translator(other)).attention_maps(other.score(["a dog"], ["ein Hund"]))
    torch.testing.assert_close(second.cross, expected.cross, atol=2e-4, rtol=0)
    assert first.target == second.target == "ein Hund" and second.encoder_self is None
    alone = tmp_path / "alone"
    attend.main([f"ckpt={run.folder}", *words[:-1], f"out={alone}"])
    assert not capsys.readouterr().err
    widths = [Image.open(folder / "1.png").width for folder in (tmp_path / "out", alone)]
    assert widths[0] > widths[1] / 2
    page = (tmp_path / "out" / "attention.html").read_text("utf-8")
    assert "other (Recurrent, Bahdanau)" in page
    with pytest.raises(UserError, match=r"map of other \(Recurrent, Bahdanau\): got kind .*, but this model has cross"):
        attend.main([f"ckpt={run.folder}", f"compare={tmp_path}/other.safetensors", "text=a", "kind=encoder_self"])


def test_a_position_is_explained_step_by_step(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["text=a dog", "target=ein Hund", "trace=2", "layer=1", "head=2", f"out={tmp_path}/out"]
    attend.main([f"ckpt={run.folder}", *words])
    said = capsys.readouterr().out
    (translation,) = run.translator.score(["a dog"], ["ein Hund"])
    trace = trace_position(run.translator, translation, 2)
    head = f"position 2 of {len(translation.tokens)}: “{trace.piece}”, after {' '.join(trace.before)}\n"
    assert head + "Attention to the source, layer 1 of 2, head 2 of 2, step by step\n" in said
    assert said.startswith("source:      a dog\ntranslation: ein Hund\ntiny (Transformer), update 7")
    assert all(f"{number}. {step.name}" in said for number, step in enumerate(trace.steps(), start=1))
    assert (tmp_path / "out" / "trace.json").read_text("utf-8") == trace.to_json(1, 2)
    page = (tmp_path / "out" / "trace.html").read_text("utf-8")
    assert re.findall(r"<option selected>(\d)", page) == ["1", "2"] and "ein Hund" in page
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["trace.html", "trace.json"]


def test_views_are_shown_beside_the_attention(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["text=a dog", "target=ein Hund", "views=[alti,logit_lens,occlusion]", f"out={tmp_path}/out"]
    attend.main([f"ckpt={run.folder}", *words, "words=true"])
    said = capsys.readouterr().out
    assert "ALTI+, layers 1 to 2 of 2, in %" in said and "Logit lens, in %" in said and "Occlusion, in %" in said
    assert said.count("from the source, in %: ein ") == 2 and "Attention to the source" not in said
    names = {"attention.html", "views.jsonl", "1.json", "1.png"}
    names |= {f"1.{view}.png" for view in ("alti", "logit_lens", "occlusion")}
    assert {path.name for path in (tmp_path / "out").iterdir()} == names
    assert '"kind": "alti"' in (tmp_path / "out" / "attention.html").read_text("utf-8")
    (line,) = (tmp_path / "out" / "views.jsonl").read_text("utf-8").splitlines()
    found = json.loads(line)
    (translation,) = run.translator.score(["a dog"], ["ein Hund"])
    expected = attribute(ALTI(), run.translator, translation)
    torch.testing.assert_close(torch.tensor(found["views"]["alti"]["scores"]), expected.scores, atol=1e-5, rtol=0)
    shares = torch.tensor(found["views"]["alti"]["source_share"])
    torch.testing.assert_close(shares, expected.source_share, atol=1e-5, rtol=0)
    assert found["pieces"]["target"] == translation.pieces and found["source"] == "a dog"
    lens = found["views"]["logit_lens"]
    assert [len(row) for row in lens["tokens"]] == [3] * len(translation.pieces) and "source_share" not in lens


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["target=b", "input=x"], 'target="...": it is the translation of one sentence'),
        (["text=a", "kind=rollout", "head=1"], "head=1: a rollout takes the mean of all heads"),
        (["text=a", "scaled=true"], "scaled= and format=: they only change pictures; to draw them, add out=FOLDER"),
        (["text=a", "views=[occlusion]", "kind=decoder_self"], "kind=: with views= it only chooses the picture"),
        (["text=a", "trace=1", "compare=x", "words=true"], ".* leave out compare= words="),
        ([], "text=: expected one sentence"),
        (["text=a", "views=occlusion", "layer=2"], ".*got layer 2, but 'Occlusion' has 1 layer; leave out layer="),
        (["text= "], "text: the sentence is empty"),
        ([*TWO_PARTS, "trace=1"], "text: it was translated in 2 parts"),
        (["text=a", "trace=1", "kind=rollout"], "kind=rollout: a trace explains a position of the translation"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(run: Run, elsewhere: Path, words: list[str], told: str) -> None:
    with pytest.raises(UserError, match=f"^{told}"):
        attend.main([f"ckpt={run.folder}", *words])


def test_too_many_sentences_are_too_many_to_look_at(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attend, "MOST", 2)
    (tmp_path / "lines.en").write_text("a\nb\nc\n", "utf-8")
    with pytest.raises(UserError, match=r"got more than 2 sentences.*with_attention=true"):
        attend.main([f"ckpt={run.folder}", f"input={tmp_path}/lines.en"])
    (tmp_path / "lines.en").write_text("a\n\n", "utf-8")
    with pytest.raises(UserError, match=r"lines\.en:2: the sentence is empty"):
        attend.main([f"ckpt={run.folder}", f"input={tmp_path}/lines.en"])
