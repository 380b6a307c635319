"""align.py: one line for each pair, by the weights of the model; scored against gold alignments."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import pytest

from nmt import load_translator
from nmt.data.pair import SentencePair
from nmt.errors import UserError
from nmt.lab.alignment.alignment import Aligner, Panel, grow_diag_final_and, turned
from nmt.lab.cli import align
from tests.tiny_run import Run, save_other

SOURCES = ["a dog reads.", "", "two red bikes in snow", "the man", "a woman sees the blue shirt"]
TARGETS = [".sdaer god a", "x", "", "nam eht", "trihs eulb eht sees a namow"]


@pytest.fixture
def words(run: Run, tmp_path: Path) -> list[str]:
    """The arguments that align the pairs above."""
    for name, lines in (("a.en", SOURCES), ("a.de", TARGETS)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return [f"ckpt={run.folder}", f"source={tmp_path}/a.en", f"target={tmp_path}/a.de"]


@pytest.fixture
def reverse(run: Run, tmp_path: Path) -> Path:
    """A recurrent model of the other direction."""
    return save_other(run, tmp_path / "reverse.safetensors", source_lang="de", target_lang="en")


def aligned(capsys: pytest.CaptureFixture[str], *argv: str) -> list[set[tuple[int, int]]]:
    align.main(list(argv))
    lines = capsys.readouterr().out.split("\n")[:-1]
    return [{(int(link.split("-")[0]), int(link.split("-")[1])) for link in line.split()} for line in lines]


def expected(translator: object, source: str, target: str, layer: int, head: int) -> set[tuple[int, int]]:
    """Return the links between words by loops over pieces, without the end of the sentence."""
    seen = translator.attention_map(source, target)  # type: ignore[attr-defined]
    number = [[sum(p.label[0] == "▁" for p in side[: n + 1]) - 1 for n in range(len(side) - 1)]
              for side in (seen.source_pieces, seen.target_pieces)]  # fmt: skip
    found = set()
    for t, target_word in enumerate(number[1]):
        weights = seen.cross[layer - 1, head - 1, t].tolist()[:-1]
        found.add((number[0][weights.index(max(weights))], target_word))
    return found


def test_each_pair_has_one_line(run: Run, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    found = aligned(capsys, *words, "layer=2", "head=1")
    wanted = [
        expected(run.translator, source, target, 2, 1) if source and target else set()
        for source, target in zip(SOURCES, TARGETS, strict=True)
    ]
    assert found == wanted and wanted[0] and not wanted[1] and not wanted[2]
    pieces = aligned(capsys, *words, "layer=2", "head=1", "unit=pieces")
    assert len(pieces[0]) == len(run.translator.tokenizer.encode_target(TARGETS[:1])[0]) - 1
    assert aligned(capsys, *words, "threshold=1") == [set()] * 5


def test_a_split_of_the_run_and_a_file(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [f"source={run.data}/test.en", f"target={run.data}/test.de", f"output={tmp_path}/new/a.align.gz"]
    align.main([f"ckpt={run.folder}", *files])
    text = gzip.decompress((tmp_path / "new" / "a.align.gz").read_bytes()).decode()
    capsys.readouterr()
    align.main([f"ckpt={run.folder}", "split=test", "batch_tokens=1"])
    assert capsys.readouterr().out == text and text.count("\n") == 12


def test_both_directions_and_gold(
    run: Run, words: list[str], reverse: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    forward = aligned(capsys, *words, "layer=1", "head=2")
    swapped = [f"ckpt={reverse}", f"source={tmp_path}/a.de", f"target={tmp_path}/a.en"]
    backward = [turned(links) for links in aligned(capsys, *swapped)]
    model = load_translator(reverse)
    assert turned(backward[0]) == expected(model, TARGETS[0], SOURCES[0], 1, 1)
    gold = tmp_path / "gold"
    gold.write_text("".join(" ".join(f"{i}-{j}" for i, j in links) + "\n" for links in forward), "utf-8")
    align.main([*words, f"reverse={reverse}", "layer=1", "head=2", f"gold={gold}"])
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 5
    joined = [grow_diag_final_and(one, other) for one, other in zip(forward, backward, strict=True)]
    align.main([*words, f"reverse={reverse}", "layer=1", "head=2", "symmetrize=union"])
    assert capsys.readouterr().out.split("\n")[0] == " ".join(f"{i}-{j}" for i, j in sorted(forward[0] | backward[0]))
    rows = [line.split("  ") for line in err.splitlines()]
    rows = [[cell.strip() for cell in row if cell.strip()] for row in rows]
    by_name = {row[0]: row[1:] for row in rows}
    count = sum(map(len, forward))
    assert rows[2][0] == "layer 1, head 2" and by_name["layer 1, head 2"] == ["100.0", "100.0", "0.0", f"{count}"]
    both = sum(len(one & other) for one, other in zip(joined, forward, strict=True))
    rate = 100 * (1 - 2 * both / (sum(map(len, joined)) + count))
    assert by_name["grow-diag-final-and"][2] == f"{rate:.1f}"
    names = {"layer 1, head 1", "layer 2, mean of heads", "mean of all heads", "reverse: mean of all heads"}
    assert names <= set(by_name) and len(by_name) == 2 + 2 * 2 + 2 + 1 + 1 + 1, "two lines of headings"


PROGRAM = f"""#!{sys.executable}
import os, pathlib
source, target = (pathlib.Path(name).read_text().splitlines() for name in ("source", "target"))
assert len(source) == len(target) == int(os.environ["PAIRS"])
for name, links in (("forward", "0-0 0-1"), ("backward", "0-0")):
    pathlib.Path(name).write_text("".join(links + chr(10) for _ in source))
"""


@pytest.fixture
def aligner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where the program is looked for; it is not there yet. It expects the pairs with two sides."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PAIRS", "3")
    return tmp_path / "eflomal-align"


def install(aligner: Path) -> None:
    aligner.write_text(PROGRAM)
    aligner.chmod(0o755)


def test_a_statistical_aligner_in_place_of_a_model(
    run: Run, words: list[str], aligner: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    alone = ["aligner=eflomal", *words[1:]]
    with pytest.raises(UserError, match=r"^aligner: needs the program eflomal-align"):
        align.main(alone)
    install(aligner)
    both = {(0, 0), (0, 1)}
    assert aligned(capsys, *alone) == [both, set(), set(), both, both]
    assert aligned(capsys, *alone, "symmetrize=intersection")[0] == {(0, 0)}
    (aligner.parent / "gold").write_text("0-0\n\n\n0-0\n0-0\n", "utf-8")
    align.main([*alone, f"gold={aligner.parent}/gold", "symmetrize=intersection"])
    assert capsys.readouterr().err.splitlines()[-1].split() == ["eflomal", "100.0", "100.0", "0.0", "3"]
    monkeypatch.setenv("PAIRS", str(3 + 50))  # those of the training too
    assert len(aligned(capsys, f"ckpt={run.folder}", *alone)) == 5
    for more in (words[1:], ["aligner=eflomal", "split=train"]):
        with pytest.raises(UserError, match=r"^ckpt: not given; name a run folder or a checkpoint"):
            align.main(more)


def test_align_errors_leave_no_output(run: Run, words: list[str], tmp_path: Path) -> None:
    output = tmp_path / "out.align"
    texts = {"short": "a\n", "gold.short": "0-0\n", "gold.link": "0-0\n\n\n1:1\n\n", "gold.far": "0-0\n\n1-0\n\n\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, "utf-8")
    without = save_other(run, tmp_path / "same.safetensors")
    mistakes = {
        f"target={tmp_path}/short": r"a\.en has 5 lines but .*short has 1",
        f"gold={tmp_path}/gold.short": r"^.*gold\.short has 1 line but there are 5 pairs",
        f"gold={tmp_path}/gold.link": r"gold\.link:4: got '1:1', expected links",
        f"gold={tmp_path}/gold.far": r"gold\.far:3: got the link 1-0, but the target has 0 words",
        "layer=3": r"^layer: got 3, but this model has 2; expected 1 to 2",
        f"reverse={without}": r"same\.safetensors: source_lang: got de to en, expected en to de",
    }
    for word, message in mistakes.items():
        key = word.partition("=")[0]
        with pytest.raises(UserError, match=message):
            align.main([*(each for each in words if not each.startswith(f"{key}=")), word, f"output={output}"])
        assert not output.exists(), word


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "split: give split=, or source= and target="),
        (["source=a", "target=b", "split=test"], "split: does not go with source= and target="),
        (["source=a", "target=b", "data.path=x"], "data.path: does nothing with source= and target="),
        (["split=test", "reverse_layer=1"], "reverse_layer: does nothing without reverse="),
        (["split=test", "reverse=RUN", "unit=pieces"], "unit=pieces: two models can divide a text"),
        (["split=test", "aligner=eflomal", "shifted=true"], "shifted: does not go with aligner=eflomal"),
    ],
)
def test_settings_without_effect_are_refused(run: Run, words: list[str], told: str) -> None:
    with pytest.raises(UserError, match=f"^{told}"):
        align.main([f"ckpt={run.folder}", *(word.replace("RUN", str(run.folder)) for word in words)])


def test_a_model_without_attention_aligns_nothing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run.translator.model.decoder, "attends", False)
    with pytest.raises(UserError, match=r"^ckpt: this model has no attention from target to source"):
        Aligner(translator=run.translator).align([SentencePair("a dog", "god a")], ["a.en:1"], Panel())
