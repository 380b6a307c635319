"""Random overrides: each ends in a run that starts, or in one line with status 2, and never in a traceback."""

from __future__ import annotations

import random

import pytest

from nmt.cli.program import USER_ERROR
from nmt.config.compose import compose, dotted
from nmt.config.groups import groups
from tests.train_frame import Runs, status

VALUES = [
    *("null", "true", "", "-1", "0", "1", "2", "7", "0.5", "-0.5", "1e-9", "1e9", "1e400", "nan", "-inf", "inf"),
    *(str(10**power) for power in (3, 5, 6, 9, 18, 19, 40)),
    *("[]", "[0]", "[1,2]", "{}", "{a: 1}", "text", "'a b'", "'한국어'", "'${seed}'", "${nope}", "???", "auto", "all"),
]


def override(draw: random.Random, keys: list[str]) -> str:
    kind = draw.random()
    if kind < 0.15:
        group = draw.choice([name for name in groups() if name != "export/format"])
        return f"{group}={draw.choice([*groups()[group], 'nothing'])}"
    sign = draw.choice(["", "", "", "", "+", "++", "~"])
    return f"{sign}{draw.choice(keys)}" + ("" if sign == "~" else f"={draw.choice(VALUES)}")


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_random_overrides_start_a_run_or_end_in_one_line(
    part: int, runs: Runs, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    draw = random.Random(part)
    keys = list(dotted(compose("train", ["data=cldr"])))
    for number in range(100):
        words = ["data=cldr", *(override(draw, keys) for _ in range(draw.choice([1, 1, 2, 3])))]
        started = len(runs.calls)
        ended = status(monkeypatch, *words, f"hydra.run.dir=run{number}")
        out, err = capsys.readouterr()
        if ended == USER_ERROR:
            assert err.startswith("error: ") and err.count("\n") == 1, (words, err)
        else:
            assert ended == 0 and len(runs.calls) == started + 1, (words, out, err)
