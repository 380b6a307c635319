"""The README's commands for a trained model, its Python and its benchmark do what they say."""

import gzip
import json
import re
import shlex
import sys
from pathlib import Path

import pytest

from nmt.cli import evaluate, train, translate
from nmt.lab.cli import align, attend, heads, report
from scripts import benchmark
from scripts.benchmarks import training as timings

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text("utf-8")
EVALUATE = re.findall(r"^python scripts/evaluate\.py (.*)$", README, re.MULTILINE)
REPORT = re.findall(r"^python scripts/report\.py (.*)$", README, re.MULTILINE)
TRANSLATE = re.findall(r"^python scripts/translate\.py (.*)$", README, re.MULTILINE)
ALIGN = re.findall(r"^python scripts/align\.py (.*)$", README, re.MULTILINE)
HEADS = re.findall(r"^python scripts/heads\.py (.*)$", README, re.MULTILINE)
ATTEND = re.findall(r"^python scripts/attend\.py (.*)$", README, re.MULTILINE)
TINY = [
    "data=cldr", "data.sizes=[200,8,8]", "data.topics=[numbers]", "data.max_parts=1", "tokenizer.vocab_size=300",
    "trainer.accelerator=cpu", "model.encoder.layers=1", "model.encoder.block.width=16", "model.encoder.block.heads=2",
    "model.encoder.block.feed_forward=16",
]  # fmt: skip


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("readme") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NMT_CACHE", str(folder.parent / "cache"))
        train.run([*TINY, "debug=fast", "data.sizes=[200,8,3]", f"hydra.run.dir={folder}"])
    return folder


@pytest.fixture
def here(run_folder, tmp_path, monkeypatch):
    """An empty folder but for the run under the names that the README gives it, and the shipped models."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for name in ("RUN_FOLDER", "OTHER_RUN_FOLDER"):
        (tmp_path / name).symlink_to(run_folder)
    return tmp_path


@pytest.mark.parametrize("line", EVALUATE)
def test_evaluate(line, here, run_folder, capsys):
    evaluate.run(shlex.split(line, comments=True))
    scores = json.loads((run_folder / "metrics.json").read_text("utf-8"))["test"]
    assert scores["bleu"]["signature"] in capsys.readouterr().out


@pytest.mark.parametrize("line", REPORT)
def test_report(line, here, capsys):
    report.run(shlex.split(line, comments=True))
    written = Path(capsys.readouterr().out.splitlines()[-1].removeprefix("written to "))
    assert written.name.endswith(".report.html") and "Rare words" in written.read_text("utf-8")


@pytest.mark.parametrize("line", TRANSLATE)
def test_translate(line, here, monkeypatch, capsys):
    words, _, redirected = line.partition(" #")[0].partition(" < ")
    lines = here / "lines.en"
    lines.write_text("A dog runs.\n\nTwo dogs run.\n", "utf-8")
    with lines.open(encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        translate.run(shlex.split(words))
    output = re.search(r"output=(\S+)", words)
    written = Path(output[1]).read_text("utf-8") if output else capsys.readouterr().out
    assert len(written.splitlines()) == (3 if redirected or output else 1)


@pytest.mark.parametrize("line", ATTEND)
def test_attend(line, here, capsys):
    (here / "lines.en").write_text("A dog runs.\nTwo dogs run.\n", "utf-8")
    attend.run(shlex.split(line, comments=True))
    said = capsys.readouterr().out
    assert (", in %" in said) == (("text=" in line or "input=" in line) and "trace=" not in line)
    assert ("position 1 of " in said) == ("trace=" in line)
    assert (here / "training.gif").is_file() == ("animation=" in line)
    assert (here / "FOLDER").is_dir() == ("out=" in line)


@pytest.mark.parametrize("line", ALIGN)
def test_align(line, here, capsys):
    words, _, redirected = line.partition(" > ")
    for name, text in (("lines.en", "A dog runs.\n\n"), ("lines.de", "Ein Hund rennt.\n\n"), ("gold.align", "0-0\n\n")):
        (here / name).write_text(text, "utf-8")
    align.run(shlex.split(words))
    out, err = capsys.readouterr()
    output = re.search(r"output=(\S+)", words)
    lines = gzip.decompress(Path(output[1]).read_bytes()).decode() if output else out
    assert len(lines.split("\n")) - 1 == (3 if redirected else 2)
    assert ("AER" in err) == ("gold=" in words)


@pytest.mark.parametrize("line", HEADS)
def test_heads(line, here, run_folder, capsys):
    heads.run([*shlex.split(line), "search.max_length_extra=0", "search.max_length_factor=0.3"])
    assert "BLEU" in capsys.readouterr().out
    found = {path.name for path in (run_folder / "heads").iterdir()}
    assert found == {"test.beam1.lp1.3.json", "test.beam1.lp1.3.png"}


def test_the_python_example(here, capsys):
    (code,) = re.findall(r"^```python\n(from nmt import .*?)^```$", README, re.MULTILINE | re.DOTALL)
    names = {}
    exec(code, names)
    *texts, shape = capsys.readouterr().out.splitlines()
    assert len(texts) == 2 and shape.startswith("torch.Size([1, 2, ")
    assert (here / "words.png").is_file() and (here / "head.png").is_file()


@pytest.mark.slow
@pytest.mark.parametrize("ckpt", [[], ["ckpt=RUN_FOLDER"]], ids=["forced lengths", "a checkpoint"])
def test_the_benchmark(ckpt, here, monkeypatch, capsys):
    monkeypatch.setattr(timings, "WARMUP", 1)
    monkeypatch.setattr(timings, "TIMED", 2)
    before = sorted(here.iterdir())
    benchmark.run([*TINY, "data.batch_tokens=200", *ckpt])
    said = capsys.readouterr().out
    assert re.search(r"^training: [\d,]+ real target tokens/s, .* of the matmul peak .*, peak memory", said, re.M)
    assert re.search(r"^translation: 8 sentences in [\d.]+ s at beam 5", said, re.M)
    assert ("forced to the length of its reference" in said) == (not ckpt)
    assert sorted(here.iterdir()) == before, "leaves no run folder"
