"""Files of a run with one value changed: each ends in a result or in one line with status 2, never in a traceback."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from nmt.attention_map import load
from nmt.cli import program, share
from nmt.errors import UserError, printable
from nmt.lab.attention.figure import save
from nmt.lab.attention.page import page
from nmt.lab.cli import attend, compare
from tests.finished_runs import write_run, write_translations
from tests.tiny_run import Run

DEEP, DELETED = "<deep>", object()
VALUES: list[Any] = [
    *(None, True, False, -1, 0, 1, 7, 10**12, 10**19, 10**40, 10**400, 1.5, -0.5, 1e308, 1e-320),
    *(float("nan"), float("inf"), -float("inf")),
    *("", " ", "x", "en", "../../x", "/etc/passwd", "a\0b", "\x1b[31m\x07\n\t\r", "\u202eabc", "\ud800", "e" * 70_000),
    *("$x^{2", "[bold]x[/y]", "{{ 1 }}", "%s%d", "nmt.search.beam.BeamSearch", "torch.Size", "torch.nn.nothing.X"),
    *("no", "\x9b1m", "한국어 👩\u200d👧", "9" * 400, -(10**30), [1, [2]], {"": {}}),
    *([], [[]], [None], ["a", 1], {}, {"a": 1}, {"_target_": "x"}, {"_target_": None}, DEEP, [[[[[1]]]]], DELETED),
]
SENTENCES = ["a dog", "two men", "the snow"]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of each value inside `value`."""
    items: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in items:
        yield (*path, key)
        yield from places(each, (*path, key))


def changed(value: Any, path: Sequence[Any], new: Any) -> Any:
    """Return a copy of `value` with `new` at `path`."""
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    inner = changed(copy[path[0]], path[1:], new)
    if inner is DELETED:
        del copy[path[0]]
    else:
        copy[path[0]] = inner
    return copy


def texts(whole: Any, count: int) -> Iterator[str]:
    """Yield `count` texts of JSON, which is YAML too. Each differs from `whole` at one place. Damaged ones follow."""
    draw = random.Random(4)
    known = [(path, new) for path in [(), *places(whole)] for new in VALUES if path or new is not DELETED]
    draw.shuffle(known)
    for path, new in known[:count]:
        yield json.dumps(changed(whole, path, new)).replace(f'"{DEEP}"', "[" * 3000 + "]" * 3000)
    text = json.dumps(whole)
    yield from (text[: len(text) // 2], text + "}", "", "null", "[" * 99_999, '{"a":' * 99_999, f"\ufeff{text}")


def one_line(error: UserError, file: Path) -> None:
    assert file.name in str(error) and printable(str(error)) == str(error), str(error)[:300]


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two finished runs in the working folder, of which the first may be changed."""
    monkeypatch.chdir(tmp_path)
    for name, layers in (("changed", 1), ("good", 2)):
        run = write_run(tmp_path / name, layers=layers, name=name)
        for label in ("test.beam3.lp1", "test.beam3.lp1.12345678"):
            write_translations(run, SENTENCES, SENTENCES, SENTENCES[::-1], label=label, data=f"data.path={tmp_path}")
    return tmp_path / "changed"


def comparisons(path: Path, words: Sequence[str], count: int, call: Callable[..., None]) -> None:
    import yaml

    whole = yaml.safe_load(path.read_text("utf-8"))
    for text in texts(whole, count):
        path.write_text(text, "utf-8")
        call(compare.main, path, ["changed", "good", *words])


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., None]:
    """Run a program, and check how it ends, and that all that it has printed and written can be shown."""

    def called(run: Callable[[list[str]], None], path: Path, words: Sequence[str]) -> None:
        text = path.read_text("utf-8", "surrogateescape")[:2000]
        monkeypatch.setattr("sys.argv", ["program", *words])
        with pytest.raises(SystemExit) as end:
            program.run(run)
        out, err = capsys.readouterr()
        written = [each.read_text("utf-8") for kind in ("md", "tsv", "html") for each in Path("out").glob(f"*.{kind}")]
        for each in (out, err, *written):
            assert printable(each, keep="\n\t") == each, text
        assert end.value.code in (0, program.USER_ERROR), text
        assert "Traceback" not in err
        errors = [line for line in err.splitlines() if line.startswith("error: ")]
        assert errors == err.splitlines()[-1:] if end.value.code else not errors, (text, err)
        shutil.rmtree("out", ignore_errors=True)

    return called


QUICK = ["bootstrap=2", "shuffles=1", "examples=1", "out=out"]
SCORES = "translations/test.beam3.lp1.scores.json"
FEW, MANY = 4, 600


@pytest.mark.parametrize("count", [FEW, pytest.param(MANY, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["metrics.json", "config.yaml", SCORES])
def test_a_run_with_a_changed_file_is_compared_or_refused(
    runs: Path, name: str, count: int, call: Callable[..., None]
) -> None:
    comparisons(runs / name, QUICK, count, call)


@pytest.mark.parametrize("count", [FEW, pytest.param(MANY, marks=pytest.mark.slow)])
def test_a_changed_score_file_of_other_data_is_compared_or_refused(
    runs: Path, count: int, call: Callable[..., None], tmp_path: Path
) -> None:
    path = runs / "translations/test.beam3.lp1.12345678.scores.json"
    comparisons(path, [*QUICK, f"data.test={tmp_path}"], count, call)


@pytest.mark.parametrize("count", [FEW, pytest.param(MANY, marks=pytest.mark.slow)])
def test_a_changed_attention_map_is_read_or_refused(run: Run, tmp_path: Path, count: int) -> None:
    path = tmp_path / "0.json"
    save(run.translator.attention_map("two dogs"), path)
    whole = json.loads(path.read_text("utf-8"))
    for text in texts(whole, count):
        path.write_text(text, "utf-8")
        try:
            found = load(path)
        except UserError as error:
            one_line(error, path)
            continue
        page([[found]])
        found.to_json()


def test_attend_and_share_read_a_changed_map(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Callable[..., None]
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(run.folder, "run")
    write_run(tmp_path / "run")
    path = tmp_path / "run" / "attention" / "0.json"
    path.parent.mkdir()
    save(run.translator.attention_map("two dogs"), path)
    whole = json.loads(path.read_text("utf-8"))
    for text in texts({**whole, "pieces": {**whole["pieces"], "cross": []}}, FEW):
        path.write_text(text, "utf-8")
        call(attend.main, path, ["ckpt=run", "device=cpu", "search.beam_size=1"])
        call(share.main, path, ["ckpt=run", "out=out"])
