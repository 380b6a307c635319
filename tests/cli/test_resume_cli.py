"""`resume=RUN_FOLDER`: a stopped run goes on with its own config, and nothing else is accepted."""

from __future__ import annotations

from pathlib import Path

import pytest

from nmt.config.recipe import changes
from nmt.errors import UserError
from tests.train_frame import Runs


def test_resume_names_mistakes_in_config_yaml(runs: Runs) -> None:
    runs.run(["hydra.run.dir=here"])
    path = Path("here/config.yaml")
    good = path.read_text("utf-8")
    for text, words in [
        (good.replace("\nseed:", "\nsed:"), r"resume=.*/here: sed: unknown key; did you mean 'seed'"),
        ("a: [", r"config\.yaml: damaged \(while parsing .*\); restore the file"),
        ("", r"config\.yaml: damaged"),
        (good.replace("\nseed: 1", "\nseed: ${name}"), r"seed: got '\${name}', expected an integer"),
    ]:
        path.write_text(text, "utf-8")
        with pytest.raises(UserError, match=words):
            runs.run(["resume=here"])


def test_resume_with_overrides_replaces_settings(runs: Runs, tmp_path: Path) -> None:
    runs.run(["hydra.run.dir=here"])
    words = ["trainer.max_epochs=60", "callbacks.early_stopping=null", "+search.n_best=2", "data.test=[a.en,a.de]"]
    runs.run([words[0], "resume=here", *words[1:]])
    (_, before, *_), (settings, after, folder, resume) = runs.calls
    assert (settings.trainer.max_epochs, settings.callbacks.early_stopping) == (60, None) and resume
    assert changes(before, after).keys() == {
        *("trainer.max_epochs", "search.n_best", "data.test"),
        *(f"callbacks.early_stopping{key}" for key in ("", "._target_", ".patience", ".min_delta")),
    }
    assert after["data"]["test"] == [f"{tmp_path}/a.en", f"{tmp_path}/a.de"] and folder == tmp_path / "here"


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("trainer.max_epoch=60", "trainer.max_epoch=60: a resumed run changes single keys of its config.yaml; did you"),
        ("trainer.max_epochs=x", "trainer.max_epochs: got 'x', expected an integer"),
        ("hydra.run.dir=there", "hydra.run.dir=there: a resumed run changes"),
    ],
)
def test_resume_with_overrides_checks_them(runs: Runs, word: str, message: str) -> None:
    runs.run(["hydra.run.dir=here"])
    with pytest.raises(UserError) as error:
        runs.run(["resume=here", word])
    assert message in str(error.value) and "\n" not in str(error.value) and len(runs.calls) == 1
