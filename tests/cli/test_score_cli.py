"""score.py: the log-probabilities of given translations, and its mistakes."""

from __future__ import annotations

import gzip
import io
import json
import math
from pathlib import Path

import pytest

from nmt.cli import score
from nmt.errors import UserError
from tests.tiny_run import Run, save_other, sentences

SOURCES, TARGETS = sentences(5, seed=1), [*sentences(4, seed=2), ""]


@pytest.fixture
def words(run: Run, tmp_path: Path) -> list[str]:
    """The arguments that score five pairs with the tiny model."""
    (tmp_path / "a.en").write_text("".join(f"{line}\n" for line in SOURCES), "utf-8")
    (tmp_path / "a.de.gz").write_bytes(gzip.compress("".join(f"{line}\n" for line in TARGETS).encode()))
    return [f"ckpt={run.folder}", "device=cpu", f"source={tmp_path}/a.en", f"target={tmp_path}/a.de.gz"]


def test_each_line_has_the_log_probability_of_its_pair(
    run: Run, words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(score, "CHUNK", 2)
    score.main(words)
    out, err = capsys.readouterr()
    expected = run.translator.score(SOURCES, TARGETS)
    assert [float(line) for line in out.split()] == pytest.approx([each.score for each in expected], abs=1e-4)
    total, tokens = sum(each.score for each in expected), sum(len(each.tokens) for each in expected)
    assert err == (
        f"5 pairs, {tokens} tokens: log P {total:.2f}, {total / tokens:.4f} a token, "
        f"perplexity {math.exp(-total / tokens):.2f}\n"
    )


def test_json_lines_have_each_piece(run: Run, words: list[str], tmp_path: Path) -> None:
    score.main([*words, f"output={tmp_path}/new/a.jsonl.gz", "batch_tokens=1"])
    text = gzip.decompress((tmp_path / "new" / "a.jsonl.gz").read_bytes()).decode()
    rows = [json.loads(line) for line in text.split("\n")[:-1]]
    for row, expected in zip(rows, run.translator.score(SOURCES, TARGETS), strict=True):
        assert (row["source"], row["text"], row["pieces"]) == (expected.source, expected.text, expected.pieces)
        assert row["token_log_probs"] == pytest.approx(expected.token_log_probs, abs=1e-4)
        assert row["log_prob"] == pytest.approx(sum(row["token_log_probs"]), abs=1e-4)


def test_files_of_pairs_are_read_as_in_training(
    run: Run, words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    score.main(words)
    plain = capsys.readouterr()
    rows = [json.dumps({"de": target, "en": source}) for source, target in zip(SOURCES, TARGETS, strict=True)]
    pairs, headed = tmp_path / "pairs.jsonl", tmp_path / "pairs.tsv"
    pairs.write_text("".join(f"{row}\n" for row in rows), "utf-8")
    headed.write_text("".join(f"{a}\t{b}\n" for a, b in zip(["de", *TARGETS], ["en", *SOURCES], strict=True)), "utf-8")
    for source, target in ((pairs, pairs), (headed, headed), (tmp_path / "a.en", pairs)):
        score.main([*words[:2], f"source={source}", f"target={target}"])
        assert capsys.readouterr() == plain
    headed.write_text("en\tde\na\tb\n", "utf-8")
    with pytest.raises(UserError, match=r"a\.en has 5 lines but .*pairs\.tsv has 1"):
        score.main([*words[:3], f"target={headed}", f"output={tmp_path}/out.txt"])
    assert not (tmp_path / "out.txt").exists()


def test_standard_output_is_utf8_in_every_locale(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    (Path(words[2].partition("=")[2])).write_text("ä\n" * 5, "utf-8")
    written = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(written, encoding="latin-1"))
    score.main([*words, "format=jsonl"])
    assert json.loads(written.getvalue().decode("utf-8").splitlines()[0])["source"] == "ä"


def test_a_model_of_both_directions_scores_either(run: Run, words: list[str], tmp_path: Path) -> None:
    both = save_other(run, tmp_path / "both.safetensors", both_directions=True)
    score.main([f"ckpt={both}", *words[1:], "source_lang=de", f"output={tmp_path}/scored.jsonl"])
    rows = [json.loads(line) for line in (tmp_path / "scored.jsonl").read_text("utf-8").splitlines()]
    assert [row["translation"] for row in rows] == [
        {"de": source, "en": target} for source, target in zip(SOURCES, TARGETS, strict=True)
    ]
