"""The program writes a page with one model or several, compares it, and refuses what its engine does not have."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from pathlib import Path

import pytest
from torch import nn

import nmt.models
from nmt.checkpoint import load_model
from nmt.deploy.cli import export
from nmt.deploy.export import html
from nmt.errors import UserError
from nmt.models.attention.base import Attention
from nmt.models.interface import Decoder, Encoder
from nmt.models.positions.base import Positions
from tests.tiny_run import Run, save_other, with_spans

BASES = {Encoder, Decoder, Attention, Positions}
NOT_NAMED = {"AttentionWrapper", "LocalAttention", *(base.__name__ for base in BASES)}  # no YAML can name them
FIXED = {"Seq2Seq", "Embedding", "FeedForward", "Residual"}  # the engine has them in one form
FIXED |= {"Dropout", "GatedLinearUnit", "TokenEmbedding", "RecurrentStack"}
needs_program = pytest.mark.skipif(html.Engine.program is None, reason="node is not installed")


def test_every_module_of_the_models_is_known_to_the_engine() -> None:
    names = (each.name for each in pkgutil.walk_packages(nmt.models.__path__, "nmt.models."))
    found = [made for name in names for _, made in inspect.getmembers(importlib.import_module(name), inspect.isclass)]
    modules = {
        made.__name__ for made in found if made.__module__.startswith("nmt.models.") and issubclass(made, nn.Module)
    }
    assert modules - html.CLASSES.keys() == NOT_NAMED | FIXED


def words(run: Run, out: Path, *more: str) -> list[str]:
    return [f"ckpt={run.folder}", f"out={out}", "format=html", "search.batch_tokens=4000", "sentences=3", *more]


@needs_program
def test_a_page_holds_several_models_that_equal_their_checkpoints(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    models, out = [save_other(run, tmp_path / f"{name}.safetensors") for name in "ab"], tmp_path / "a page.html"
    export.main([f"ckpt=[{models[0]},{models[1]}]", *words(run, out)[1:]])
    assert capsys.readouterr().out.count("100.0% of the greedy translations are equal") == 2
    assert out.read_text("utf-8").count('class="model">') == 2
    assert {*tmp_path.iterdir()} == {*models, out}, "nothing is left beside it"


def test_without_node_nothing_is_compared(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(html.Engine, "program", None)
    export.main(words(run, tmp_path / "page.html"))
    assert "nothing was compared, because node is not installed" in capsys.readouterr().out


@needs_program
def test_an_engine_that_fails_writes_nothing(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html, "FIND", "() => { throw new Error('no such') }")
    with pytest.raises(UserError, match=r"^check: .* does not run the page \(.*no such.*\); without it on the PATH"):
        export.main(words(run, tmp_path / "page.html"))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("search.coverage_penalty=0.2", r"^search\.coverage_penalty: got 0\.2, which format=html does not have"),
        ("search.min_length=4", r"^search\.min_length: got 4, which format=html does not have"),
        ("search._target_=nmt.search.sampling.Sampling", r"^search: format=html has beam search only"),
        ("out=page", r"^out=page: expected a file that ends with \.html for format=html"),
        ("format=huggingface", r"^out=.*page\.html: expected the name of a folder for format=huggingface"),
    ],
)
def test_what_the_engine_does_not_have_is_refused(more: str, message: str, run: Run, tmp_path: Path) -> None:
    given, key = words(run, tmp_path / "page.html"), more.partition("=")[0]
    with pytest.raises(UserError, match=message):
        export.main([word for word in given if not word.startswith(f"{key}=")] + [more])


@needs_program
def test_a_page_reads_spans_as_ordinary_text(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The program compares the page with a translator that reads them so too."""
    ckpt, (_, *more) = with_spans(run, tmp_path / "spans.safetensors"), words(run, tmp_path / "page.html")
    export.main([f"ckpt={ckpt}", *more])
    told = capsys.readouterr()
    assert "format=html reads URLs, placeholders, tags and capitals as ordinary text" in told.err
    assert "100.0% of the greedy translations are equal" in told.out


def test_a_class_of_ones_own_and_a_number_above_float16_are_refused(run: Run) -> None:
    class Own(nmt.models.transformer.TransformerEncoder):  # type: ignore[name-defined]
        pass

    loaded = load_model(run.folder)
    loaded.model.encoder.norm.bias.data[0] = 1e5
    with pytest.raises(
        UserError, match=r"^ckpt: format=html stores float16, up to 65,504, but encoder\.norm\.bias has"
    ):
        html.Html().require(loaded)
    loaded.model.encoder.__class__ = Own
    with pytest.raises(UserError, match=r"^ckpt: format=html does not have the class Own of this model"):
        html.Html().require(loaded)
