"""`resume=RUN_FOLDER`: a stopped run goes on with its own config, and nothing else is accepted."""

from __future__ import annotations

from pathlib import Path

import pytest

from nmt.config.settings import TrainConfig
from nmt.errors import UserError
from tests.train_frame import Runs, files


def test_resume_takes_everything_from_the_run(runs: Runs) -> None:
    runs.run(["model=rnn", "seed=5", "hydra.run.dir=here"])
    before = files(Path("here"))
    runs.run(["resume=here"])
    first, second = runs.calls
    assert first[:2] == second[:2] and second[2] == Path("here") and second[3]
    assert files(Path()) == [f"here/{name}" for name in before]
    with pytest.raises(UserError, match=r"got also seed=2, expected only resume=RUN_FOLDER"):
        runs.run(["resume=here", "seed=2"])
    with pytest.raises(UserError, match="got also -m, expected"):
        runs.run(["-m", "resume=here"])


def test_resume_says_what_is_wrong_with_a_runs_config(runs: Runs) -> None:
    runs.run(["hydra.run.dir=here"])
    path = Path("here/config.yaml")
    good = path.read_text("utf-8")
    for text, words in [
        (good.replace("\nseed:", "\nsed:"), r"here/config.yaml: sed: unknown key; did you mean 'seed'"),
        ("a: [", "cannot be read as YAML"),
        ("", "expected the config of a run"),
    ]:
        path.write_text(text, "utf-8")
        with pytest.raises(UserError, match=words):
            runs.run(["resume=here"])


def test_a_run_that_is_going_on_is_not_resumed(runs: Runs) -> None:
    def again(config: TrainConfig, folder: Path) -> None:
        before = (folder / "train.log").read_bytes()
        with pytest.raises(UserError, match=r"here: another process is training this run"):
            runs.run(["resume=here"])
        assert (folder / "train.log").read_bytes() == before

    runs.work = again
    runs.run(["hydra.run.dir=here"])
    runs.work = lambda config, folder: None
    runs.run(["resume=here"])
    assert [resume for *_, resume in runs.calls] == [False, True]


def test_resume_null_is_no_resume(runs: Runs) -> None:
    runs.run(["resume=null", "hydra.run.dir=here"])
    assert not runs.calls[0][3]


def test_a_folder_with_quotes_in_its_name_is_gone_on_in(runs: Runs) -> None:
    name = "it's 'one'"
    runs.run([f"hydra.run.dir={name}"])
    for words in (f"resume={name}", f'resume="{name}"'):
        runs.run([words])
        assert runs.calls[-1][2:] == (Path(name), True)
