"""A run folder from a stranger: its stored values write nowhere outside of it."""

from __future__ import annotations

import shutil
from importlib import import_module
from pathlib import Path

import pytest

from nmt.cli import evaluate
from nmt.errors import UserError
from tests.tiny_run import Run, save_other
from tests.train_frame import files

REPORT, HEADS = (pytest.param(f"nmt.lab.cli.{name}", marks=pytest.mark.lab) for name in ("report", "heads"))
QUICK = ["device=cpu", "search.max_length_extra=1", "search.max_length_factor=0.2"]
MINE = "my thesis"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's working folder, with a file that must stay."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "thesis.tex").write_text(MINE, "utf-8")
    monkeypatch.chdir(tmp_path / "home")
    return tmp_path / "home"


@pytest.fixture
def stranger(run: Run, home: Path) -> Path:
    """A stranger's run folder, in the working folder."""
    (home / "theirs").mkdir()
    shutil.copytree(run.folder / "checkpoints", home / "theirs" / "checkpoints")
    return home / "theirs"


@pytest.mark.parametrize("program", ["nmt.cli.evaluate", REPORT, HEADS])
@pytest.mark.parametrize(
    "language", ["x/../../../thesis.tex", *(pytest.param(each, marks=pytest.mark.slow) for each in ("de\x1b[2J", None))]
)
def test_stored_language_with_a_path_is_refused(
    run: Run, stranger: Path, home: Path, program: str, language: object
) -> None:
    for side in ("source_lang", "target_lang"):
        save_other(run, stranger / "checkpoints" / "best.safetensors", **{side: language})
        (home / "corpus").mkdir(exist_ok=True)
        (home / "corpus" / "test.jsonl").write_text('{"x/../../../thesis.tex": "a", "en": "b", "de": "c"}\n', "utf-8")
        languages = ["data.source_lang=en", "data.target_lang=de"]
        for given in ([], ["out=results"], ["data.path=corpus"], ["data.path=corpus", *languages]):
            with pytest.raises(UserError, match=rf"data\.{side}: got .*, expected text of at most 32 letters") as error:
                import_module(program).main([f"ckpt={stranger}", *QUICK, *given])
            assert str(error.value).isprintable()
    assert (home / "thesis.tex").read_text("utf-8") == MINE
    assert files(home) == ["corpus/test.jsonl", "theirs/checkpoints/best.safetensors", "thesis.tex"]


def test_symlinked_output_file_is_replaced(stranger: Path, home: Path) -> None:
    evaluate.main([f"ckpt={stranger}", *QUICK, "bootstrap=0"])
    written = [*(stranger / "translations").iterdir()]
    for path, target in zip(written, ("thesis.tex", "nothing", "thesis.tex", "nothing"), strict=True):
        path.unlink()
        path.symlink_to(home / target)
    evaluate.main([f"ckpt={stranger}", *QUICK, "bootstrap=0"])
    assert (home / "thesis.tex").read_text("utf-8") == MINE and not (home / "nothing").exists()
    assert not any(path.is_symlink() for path in written)


@pytest.mark.deploy
def test_a_copy_holds_no_other_file_of_the_user(stranger: Path, home: Path) -> None:
    from nmt.deploy.cli import share

    (home / "secrets.json").write_text('{"password": "x"}', "utf-8")
    (stranger / "metrics.json").symlink_to(home / "secrets.json")
    with pytest.raises(UserError, match=r"theirs/metrics\.json: damaged \(search: missing"):
        share.main([f"ckpt={stranger}", "out=copy"])
    assert not (home / "copy").exists()
