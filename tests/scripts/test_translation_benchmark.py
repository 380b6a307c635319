"""`scripts/benchmark.py translation`: its table, and the Transformer in CTranslate2."""

from __future__ import annotations

import copy
import importlib.util
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from nmt.errors import UserError
from nmt.translation.translator import Translator
from scripts import benchmark
from scripts.benchmarks import translation as translation_benchmark
from tests.tiny_run import Run, make_model, make_run, sentences


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    yield make_run(tmp_path_factory.mktemp("speed"))


def changed(run: Run, *, sides: Sequence[str] = ("encoder", "decoder"), **block: Any) -> Translator:
    """Return the run's translator with a new model whose blocks have other settings, on these sides."""
    assert run.translator.model.config is not None
    config: Any = {**copy.deepcopy(dict(run.translator.model.config)), "tie_embeddings": "none"}
    for side in sides:
        config[side]["block"].update(block)
    model = make_model(config, run.translator.tokenizer)
    for norm in (module for module in model.modules() if isinstance(module, torch.nn.LayerNorm)):
        with torch.no_grad():  # a large bias of the last norm would decide every token
            norm.weight.add_(1.0)
            norm.bias.mul_(0.2)
    return Translator(model, run.translator.tokenizer, run.translator.search)


@pytest.mark.parametrize("block", [{}, {"norm_first": False, "activation": "gelu", "heads": 4}], ids=["pre", "post"])
def test_ctranslate2_translates_as_we_do(block: dict[str, Any], run: Run) -> None:
    pytest.importorskip("ctranslate2")
    from scripts.benchmarks.ctranslate import Engine

    translator = changed(run, **block)
    # CTranslate2 has one limit for a whole batch, so all sentences get the same.
    translator.search = translator.search.replace(max_length_factor=0.0001, max_length_extra=20)
    texts = sentences(12, seed=5)
    ours = translator.translate(texts, beam_size=1)
    assert Engine(translator).translate(texts, beam_size=1) == [each.text for each in ours]
    assert len({each.text for each in ours}) > 6, "the texts say something"


@pytest.mark.parametrize("block", [{"norm": "rms"}, {"scale_scores": False}, {"qk_norm": True}], ids=str)
@pytest.mark.parametrize("sides", [["encoder"], ["decoder"]], ids=str)
def test_ctranslate2_refuses_what_it_would_compute_in_another_way(
    block: dict[str, Any], sides: Sequence[str], run: Run
) -> None:
    pytest.importorskip("ctranslate2")
    from scripts.benchmarks.ctranslate import Engine

    with pytest.raises(UserError, match="needs a Transformer with model/positions=sinusoidal"):
        Engine(changed(run, sides=sides, **block))


@pytest.mark.parametrize("block", [{"norm_first": False}, {"activation": "gelu"}, {"heads": 4}], ids=str)
def test_ctranslate2_refuses_layers_that_differ(block: dict[str, Any], run: Run) -> None:
    pytest.importorskip("ctranslate2")
    from scripts.benchmarks.ctranslate import Engine

    with pytest.raises(UserError, match="with equal heads, activation and norm_first in all its layers"):
        Engine(changed(run, sides=["decoder"], **block))


def test_the_report(run: Run, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(translation_benchmark, "WARMUP", 1)
    monkeypatch.setattr(translation_benchmark, "ROUNDS", 1)
    benchmark.main(["translation", f"ckpt={run.folder}", f"recurrent={run.folder}", f"data.path={run.data}"])
    said = capsys.readouterr().out
    assert "CTranslate2 is left out, because it is not installed: pip install" in said
    assert "; 12 sentences\n" in said
    for name, beam, share in (("Transformer", 1, "1.00"), ("recurrent", 1, ""), ("Transformer", 5, "1.00")):
        assert re.search(rf"^\| {name} \| {beam} \| [\d.]+ \| [\d,]+ \| {share}", said, re.M), said


@pytest.mark.parametrize("arguments", [[], ["ckpt=run", "model=rnn"]], ids=str)
def test_other_arguments_are_an_error(arguments: list[str]) -> None:
    with pytest.raises(UserError, match=r"benchmark.py translation: got .*, expected ckpt=TRANSFORMER \["):
        translation_benchmark.run(arguments)


def test_a_checkpoint_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="nowhere"):
        translation_benchmark.run([f"ckpt={tmp_path}/nowhere"])
