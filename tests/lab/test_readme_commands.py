"""The commands of the README and its pages for the laboratory's programs, its Python and its benchmark."""

import gzip
import re
import shlex
from pathlib import Path

import pytest

from nmt.lab.cli import align, attend, heads, report
from scripts import benchmark
from scripts.benchmarks import training as timings
from tests.fixtures.commands import ROOT, TINY, commands_of, train_tiny


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory):
    """A finished run with the pictures of its validations."""
    return train_tiny(tmp_path_factory.mktemp("commands") / "run")


@pytest.mark.parametrize("line", commands_of("report"))
def test_report_commands(line, commands_folder, capsys):
    report.main(shlex.split(line))
    written = Path(capsys.readouterr().out.splitlines()[-1].removeprefix("written to "))
    assert written.name.endswith(".report.html") and "Rare words" in written.read_text("utf-8")


@pytest.mark.parametrize("line", [line for line in commands_of("attend") if "data.path" not in line])
def test_attend_commands(line, commands_folder, capsys):
    attend.main(shlex.split(line))
    said = capsys.readouterr().out
    assert (", in %" in said) == (("text=" in line or "input=" in line) and "trace=" not in line)
    traced = re.search(r"trace=(\d+)", line)
    assert re.findall(r"position (\d+) of ", said)[:1] == ([traced[1]] if traced else [])
    assert (commands_folder / "FOLDER").is_dir() == ("out=" in line)


@pytest.mark.parametrize("line", [line for line in commands_of("align") if "eflomal" not in line])
def test_align_commands(line, commands_folder, capsys):
    words, _, redirected = line.partition(" > ")
    align.main(shlex.split(words))
    out, err = capsys.readouterr()
    output = re.search(r"output=(\S+)", words)
    lines = gzip.decompress(Path(output[1]).read_bytes()).decode() if output else out
    assert len(lines.split("\n")) - 1 == (3 if redirected else 2)
    assert ("AER" in err) == ("gold=" in words)


@pytest.mark.parametrize("line", commands_of("heads"))
def test_heads_commands(line, commands_folder, run_folder, capsys):
    heads.main([*shlex.split(line), "search.max_length_extra=0", "search.max_length_factor=0.3"])
    assert "BLEU" in capsys.readouterr().out
    found = {path.name for path in (run_folder / "heads").iterdir()}
    assert found == {"test.beam1.lp1.3.json", "test.beam1.lp1.3.png"}


def test_python_of_the_library_page(commands_folder, capsys):
    page = (ROOT / "docs" / "library.md").read_text("utf-8")
    (code,) = re.findall(r"^```python\n(from nmt import .*?)^```$", page, re.MULTILINE | re.DOTALL)
    names = {}
    exec(code, names)
    *texts, shape = capsys.readouterr().out.splitlines()
    assert len(texts) == 2 and shape.startswith("torch.Size([1, 2, ")
    assert (commands_folder / "words.png").is_file() and (commands_folder / "head.png").is_file()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ckpt", "later"), [([], []), (["ckpt=RUN_FOLDER"], ["updates=3"])], ids=["forced lengths", "a checkpoint, twice"]
)
def test_benchmark_leaves_no_run_folder(ckpt, later, commands_folder, monkeypatch, capsys):
    monkeypatch.setattr(timings, "WARMUP", 1)
    monkeypatch.setattr(timings, "TIMED", 2)
    before = sorted(commands_folder.iterdir())
    benchmark.main([*TINY, "data.batch_tokens=200", *ckpt, *later])
    said = capsys.readouterr().out
    lines = re.findall(
        r"^training( .*)?: [\d,]+ real target tokens/s, .* of the matmul peak .*, peak memory", said, re.M
    )
    assert lines == ["", " 3 updates later"][: 1 + len(later)]
    assert re.search(r"^translation: 8 sentences in [\d.]+ s at beam 5", said, re.M)
    assert ("forced to the length of its reference" in said) == (not ckpt)
    assert sorted(commands_folder.iterdir()) == before
