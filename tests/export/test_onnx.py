"""Every model computes the same numbers in onnxruntime, and every search finds the same translations there."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from nmt.data.batches import pad
from nmt.errors import UserError
from nmt.export.base import Exportable, write
from nmt.export.onnx import Onnx, write_graphs
from nmt.export.onnx_translator import Graphs
from nmt.models.seq2seq import Seq2Seq
from nmt.search.beam import BeamSearch
from nmt.search.sampling import Sampling
from nmt.tokens import BOS, EOS
from tests.export.models import SEARCH, TEXTS, check_spans, exported, largest_difference, loaded, recurrent_model
from tests.models.cases import CASES, VOCABULARY, build
from tests.tiny_run import Run, recurrent

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

NORMALIZERS = [f"rnn model/attention=luong model.attention.normalizer={name}" for name in ("sparsemax", "entmax")]
ENCODERS = [f"hybrid model.encoder.block.{setting}" for setting in ("norm=rms", "qk_norm=true", "activation=gelu")]
DISTANCES = "rnn model/attention=manhattan model.attention.scale=sqrt model.decoder.input_feeding=false"
FAST = [
    *("rnn model/attention=bahdanau", "rnn model/attention=local_m", "rnn model/attention=coverage"),
    *("rnn model/attention=none model.encoder.cell=lstm model.decoder.layers=2", "hybrid model/positions=sinusoidal"),
    *("rnn model/attention=multihead", DISTANCES, "transformer model/positions=rotary"),
    "transformer model.encoder.block.activation=swiglu model.encoder.block.attention_gate=true",
]
OWN_CLASS = "toy monotonic"  # reads a size with len()


def cases() -> list[Any]:
    known = [each for each in [*CASES, *NORMALIZERS, *ENCODERS, DISTANCES] if not each.startswith(OWN_CLASS)]
    assert set(FAST) <= set(known)
    return [pytest.param(each, marks=() if each in FAST else pytest.mark.slow) for each in known]


def randomized(words: str) -> Seq2Seq:
    torch.manual_seed(0)
    model = build(words).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.2 * torch.randn_like(parameter))
    return model


def sources(count: int) -> tuple[Tensor, Tensor]:
    """Return sentences of different lengths, padded."""
    draw = torch.Generator().manual_seed(count)
    lengths = [9, 1, 4, 17, 2, 30, 6][:count]
    return pad([[*torch.randint(4, VOCABULARY, (length,), generator=draw).tolist(), EOS] for length in lengths])


@pytest.mark.parametrize("words", cases())
def test_every_model_has_our_numbers(words: str, tmp_path: Path) -> None:
    model = randomized(words)
    write_graphs(model, tmp_path)
    graphs = Graphs(tmp_path)
    for count, beams in ((1, 1), (7, 1), (7, 3)):
        assert difference(model, graphs, count, beams) < 1e-5


@torch.no_grad()
def difference(model: Seq2Seq, graphs: Graphs, count: int, beams: int) -> float:
    """Return the largest difference of a log-probability in 12 steps; after six of them two sentences are dropped."""
    batch = sources(count)
    rows = torch.arange(count).repeat_interleave(beams)
    ours, theirs = (each.start(*batch).select(rows) for each in (model, graphs))
    draw, tokens = torch.Generator().manual_seed(1), torch.full((len(rows),), BOS)
    found: list[Tensor] = []
    for length in range(12):
        (expected, ours), (got, theirs) = model.step(tokens, ours), graphs.step(tokens, theirs)
        found.append((expected - got).abs().max())
        tokens = torch.randint(2, VOCABULARY, (len(tokens),), generator=draw)
        if length == 6 and count > 2:
            kept = torch.arange(2, count)
            hypotheses = torch.arange(2 * beams, count * beams).flip(0)
            ours, theirs = (each.select(hypotheses, kept.flip(0)) for each in (ours, theirs))
            tokens = tokens[hypotheses]
    return float(torch.stack(found).max())  # NaN if there is one


def test_a_size_that_became_a_constant_is_named(tmp_path: Path) -> None:
    write_graphs(randomized(OWN_CLASS), tmp_path)
    with pytest.raises(UserError, match=r"write x\.shape\[0\] instead of len\(x\)"):
        Graphs(tmp_path).start(*sources(7))


def test_nothing_is_printed_and_the_model_stays_as_it_is(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    model = randomized("rnn model/attention=bahdanau")
    with pytest.warns(UserWarning) as seen:
        write_graphs(model, tmp_path)
        torch.warnings.warn("the only one", stacklevel=1)  # type: ignore[attr-defined]
    assert [str(each.message) for each in seen] == ["the only one"] and capfd.readouterr() == ("", "")
    assert not any(module.training for module in model.modules())
    assert all(each.requires_grad for each in model.parameters())


def lstm(run: Run) -> Any:
    config = recurrent()
    config["encoder"]["cell"] = config["decoder"]["cell"] = "lstm"
    return loaded(run, config)


@pytest.fixture(scope="module")
def both(run: Run, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any, Path]:
    """Our translator, that of the exported model, and its folder."""
    folder = tmp_path_factory.mktemp("onnx") / "model"
    return *exported(Onnx(), recurrent_model(run), folder), folder


@pytest.mark.parametrize(
    "search",
    [
        BeamSearch(beam_size=1),
        BeamSearch(beam_size=4, n_best=3),
        BeamSearch(beam_size=4, groups=2, repetition_penalty=1.3, no_repeat_ngram_size=2),
        BeamSearch(beam_size=4, n_best=4, utility="chrf"),
        Sampling(samples=2, seed=3),
    ],
    ids=lambda search: search.label,
)
def test_every_search_finds_our_translations(search: Any, both: tuple[Any, Any, Path]) -> None:
    ours, theirs, _ = both
    search = search.replace(max_length_factor=1.0, max_length_extra=6, batch_tokens=300)
    one, two = (each.hypotheses(TEXTS, search=search) for each in (ours, theirs))
    assert [[found.tokens for found in each] for each in one] == [[found.tokens for found in each] for each in two]
    scores = [[found.score for each in side for found in each] for side in (one, two)]
    assert scores[1] == pytest.approx(scores[0], abs=1e-4)


def test_log_probabilities_and_prefixes_are_ours(run: Run, both: tuple[Any, Any, Path], tmp_path: Path) -> None:
    ours, theirs, _ = both
    assert largest_difference(ours, theirs) < 1e-5
    assert largest_difference(*exported(Onnx(), lstm(run), tmp_path / "lstm")) < 1e-5
    prefixes = ["god a", "", *[text[:3] for text in TEXTS[2:]]]
    one, two = (each.translate(TEXTS, prefixes=prefixes) for each in (ours, theirs))
    assert [each.tokens for each in one] == [each.tokens for each in two]


@pytest.mark.parametrize("size", [1, 3])
def test_the_program_beside_the_model_needs_neither_torch_nor_nmt(size: int, both: tuple[Any, Any, Path]) -> None:
    ours, _, folder = both
    lines = ["", *TEXTS, "two  red\tdogs ", "\u00a0"]
    program = (
        "import runpy, sys; sys.modules['torch'] = sys.modules['nmt'] = None\n"
        f"sys.argv[1:] = ['--beam-size', '{size}']\n"
        "runpy.run_path('translate.py', run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], input="".join(f"{line}\n" for line in lines).encode("utf-8-sig"), cwd=folder,
        capture_output=True, check=True,
    )  # fmt: skip
    expected = [each.text for each in ours.translate(lines, beam_size=size)]
    assert done.stdout.decode().splitlines() == expected and len(set(expected)) > 6


@pytest.mark.parametrize("long_source", ["split", "whole"])
def test_the_program_ends_at_a_line_that_our_engine_splits(long_source: Any, run: Run, tmp_path: Path) -> None:
    model = Exportable(recurrent_model(run), SEARCH.replace(long_source=long_source, max_source_length=200), "a dog")
    write(Onnx(), model, tmp_path)
    limit = Onnx().open(tmp_path).source_limit().tokens
    program = [sys.executable, tmp_path / "translate.py", "--beam-size", "1"]
    done = subprocess.run(program, input=b"dog " * (limit - 1) + b"\n" + b"dog " * limit, capture_output=True)
    assert done.returncode == 2 and done.stdout.count(b"\n") == 1
    assert done.stderr.decode().startswith(f"error: line 2: got {limit + 1} tokens, expected at most {limit}; ")
    assert f"a line of more than {limit:,} tokens ends it" in Onnx().example(model)


@pytest.mark.parametrize(("line", "words"), [(b"dog " * 1000, "expected at most "), (b"\xff", "can't decode byte")])
def test_a_line_that_it_cannot_translate_is_one_line(line: bytes, words: str, both: tuple[Any, Any, Path]) -> None:
    program = [sys.executable, both[2] / "translate.py"]
    done = subprocess.run(program, input=b"a dog\n" + line + b"\na dog\n", capture_output=True)
    assert done.returncode == 2 and done.stdout.count(b"\n") == 1
    assert re.fullmatch(f"error: line 2: .*{words}.*\n", done.stderr.decode())


@pytest.mark.parametrize("size", [0, -1])
def test_the_program_has_at_least_one_beam(size: int, both: tuple[Any, Any, Path]) -> None:
    program = [sys.executable, both[2] / "translate.py", f"--beam-size={size}"]
    done = subprocess.run(program, input=b"", capture_output=True)
    assert done.returncode == 2 and done.stderr.endswith(b"error: --beam-size: expected 1 or more\n")


def test_the_cards_example_translates(
    run: Run, both: tuple[Any, Any, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    model = Exportable(recurrent_model(run), SEARCH, "a dog")
    (program,) = re.findall(r"```python\n(.*?)```", Onnx().example(model), re.S)
    monkeypatch.chdir(both[2])
    monkeypatch.syspath_prepend(both[2])
    exec(program, {})
    assert capsys.readouterr().out.splitlines() == [both[0].translate(["a dog"])[0].text]


def test_the_program_beside_the_model_is_short(root: Path) -> None:
    assert len((root / "nmt/export/onnx_translate.py").read_text("utf-8").splitlines()) <= 105


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"search": {"coverage_penalty": 0.1}}, r"^search\.coverage_penalty: it reads the attention"),
        ({"device": "cuda"}, r"^device=cuda: .* use device=cpu"),
    ],
)
def test_what_the_engine_lacks_is_refused(settings: Mapping[str, Any], words: str, both: tuple[Any, Any, Path]) -> None:
    with pytest.raises(UserError, match=words):
        Onnx().open(both[2], **settings)


def test_a_search_of_a_call_is_refused_as_well(both: tuple[Any, Any, Path]) -> None:
    with pytest.raises(UserError, match=r"^search\.coverage_penalty"):
        both[1].translate(TEXTS, coverage_penalty=0.1)


def test_a_damaged_file_is_named(run: Run, tmp_path: Path) -> None:
    exported(Onnx(), recurrent_model(run), tmp_path / "model")
    (tmp_path / "model" / "step.onnx").write_bytes(b"nothing")
    with pytest.raises(UserError, match=r"step\.onnx: onnxruntime cannot load it .*; export the model again"):
        Onnx().open(tmp_path / "model")


def test_a_part_that_the_exporter_does_not_know_is_named(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    model = randomized("rnn model/attention=bahdanau")

    class Own(torch.nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return torch.special.i0e(x)

    model.encoder.memory_norm = Own()
    with pytest.raises(UserError, match=r"^ckpt: torch cannot write this model as ONNX \(.*i0e"):
        write_graphs(model, tmp_path)
    assert capfd.readouterr().out == ""


def test_spans_are_kept(run: Run, tmp_path: Path) -> None:
    check_spans(Onnx(), run, tmp_path / "model")
