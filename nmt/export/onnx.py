"""ONNX, for models of every kind in onnxruntime (https://onnxruntime.ai), without PyTorch; the extra `onnx`.

The folder has two graphs. `encoder.onnx` maps a source to the decoder's state before the first token: one tensor for
each leaf of the state's tree. `step.onnx` reads a token for each hypothesis; it gives log-probabilities, and as
`next.NAME` those tensors that have one row for each hypothesis. The others belong to a sentence and stay as they are.
"""

from __future__ import annotations

import logging
import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, ClassVar
from unittest import mock

import torch
from torch import Tensor, nn
from torch.onnx import symbolic_helper

from nmt.checkpoint import LoadedModel
from nmt.data.batches import pad
from nmt.errors import UserError, one_line
from nmt.export.base import Exportable, Format, require_packages, write_tokenizer
from nmt.export.onnx_translator import ENCODER, NEXT, STEP, OnnxTranslator
from nmt.models.interface import State
from nmt.models.seq2seq import Seq2Seq
from nmt.tokens import BOS, EOS, UNK
from nmt.translation.source import unsplit_limit

OPSET = 17

Axes = dict[int, str]
"""The names of the variable dimensions of a tensor."""


@dataclass(frozen=True, kw_only=True)
class Onnx(Format):
    """A folder with two graphs and a program that translates with them, `translate.py`."""

    name: ClassVar[str] = "onnx"
    weights: ClassVar[str] = STEP
    library: ClassVar[str] = "onnx"

    def require(self, loaded: LoadedModel) -> None:
        """Raise UserError if a package is missing. What the exporter does not know in a model, `write` finds out."""
        require_packages(self.name, "onnx", "onnxruntime", extra="onnx")

    def write(self, model: Exportable, folder: Path) -> None:
        """Write the graphs, the tokenizer and the program. Raises the UserError of `write_graphs`."""
        write_tokenizer(model.loaded.tokenizer, folder)
        write_graphs(model.loaded.model, folder)
        shutil.copyfile(Path(__file__).with_name("onnx_translate.py"), folder / "translate.py")

    def open(self, folder: Path, **options: Any) -> OnnxTranslator:
        return OnnxTranslator(folder, **options)

    def example(self, model: Exportable) -> str:
        trained = model.loaded.config["data"]["max_length"]
        limit = unsplit_limit(model.search, model.source_limit, "the positions of the encoder", trained)
        return EXAMPLE.format(line=model.sample, limit=limit.tokens)


EXAMPLE = """
```python
# pip install numpy onnxruntime sentencepiece
from pathlib import Path

from translate import Model

model = Model(Path("."))
for line in [{line!r}]:
    print(model.translate(line))
```

`python translate.py < lines.txt > translations.txt` translates a file line by line. It does not split them:
a line of more than {limit:,} tokens ends it with an error.
"""


INPUTS_AND_OUTPUTS = ("source", "mask", "tokens", "log_probs")  # of the graphs, beside the tensors of the state


def write_graphs(model: Seq2Seq, folder: Path) -> None:
    """Write the two graphs of a model in evaluation mode. Raises UserError for what the exporter does not know."""
    start, state = _state(model, 5, steps=0), _state(model, 5, steps=2)
    wider, longer = _state(model, 6, steps=2), _state(model, 5, steps=3)
    rows = {name: "sentences" if shared else "hypotheses" for name, _, shared in leaves(state)}
    axes = {
        name: {0: rows[name], **_varying(leaf, wide, "source"), **_varying(leaf, long, "past")}
        for (name, leaf, _), (_, wide, _), (_, long, _) in zip(
            leaves(state), leaves(wider), leaves(longer), strict=True
        )
    }
    source, mask = _source(5)
    given: dict[str, Axes] = {name: {0: "sentences", 1: "source"} for name in ("source", "mask")}
    first = {name: {**axes[name], 0: "sentences"} for name, _, _ in leaves(start)}
    _export(_Encoder(model), (source, mask), given, first, folder / ENCODER)

    single: Axes = {0: "hypotheses"}
    inputs = (torch.full((6,), BOS), *(leaf for _, leaf, _ in leaves(state)))
    after = {NEXT + name: _renamed(axes[name]) for name, _, shared in leaves(state) if not shared}
    _export(_Step(model, state), inputs, {"tokens": single, **axes}, {"log_probs": single, **after}, folder / STEP)


def _source(length: int) -> tuple[Tensor, Tensor]:
    """Return a long and a short sentence, and their mask."""
    return pad([[UNK] * (length - 1) + [EOS], [UNK, EOS]])


@torch.no_grad()
def _state(model: Seq2Seq, length: int, *, steps: int) -> State:
    """Return the state of three hypotheses for each of two sentences."""
    state = model.start(*_source(length)).select(torch.tensor([0, 0, 0, 1, 1, 1]))
    for _ in range(steps):
        _, state = model.step(torch.full((6,), BOS), state)
    return state


def _varying(one: Tensor, other: Tensor, name: str) -> Axes:
    """Return the name for each dimension in which the sizes differ."""
    return {place: name for place, sizes in enumerate(zip(one.shape, other.shape, strict=True)) if len({*sizes}) > 1}


def _renamed(axes: Axes) -> Axes:
    """Return the dimensions after a step, in which the past is longer."""
    return {place: "past + 1" if name == "past" else name for place, name in axes.items()}


def leaves(value: Any, name: str = "", shared: bool = False) -> Iterator[tuple[str, Tensor, bool]]:
    """Yield the name of each tensor of a decoder's state, the tensor, and whether it has one row for each sentence."""
    if isinstance(value, State):
        for entry in fields(value):
            below = f"{name}.{entry.name}".lstrip(".")
            below = f"state.{below}" if below in INPUTS_AND_OUTPUTS else below
            yield from leaves(getattr(value, entry.name), below, entry.metadata.get("rows") == "sentences")
    elif isinstance(value, tuple):
        for index, item in enumerate(value):
            yield from leaves(item, f"{name}.{index}", shared)
    elif value is not None:
        yield name, value, shared


def rebuilt(value: Any, tensors: Iterator[Tensor]) -> Any:
    """Return a state like `value` with other tensors, in the order of `leaves`."""
    if isinstance(value, State):
        return replace(value, **{each.name: rebuilt(getattr(value, each.name), tensors) for each in fields(value)})
    if isinstance(value, tuple):
        return tuple(rebuilt(item, tensors) for item in value)
    return None if value is None else next(tensors)


class _Encoder(nn.Module):
    """Maps a source and its mask to the tensors of the decoder's first state."""

    def __init__(self, model: Seq2Seq) -> None:
        super().__init__()
        self.model = model

    def forward(self, source: Tensor, mask: Tensor) -> tuple[Tensor, ...]:
        return tuple(leaf for _, leaf, _ in leaves(self.model.start(source, mask)))


class _Step(nn.Module):
    """Maps tokens and the tensors of a state like `example` to log-probabilities and the tensors that change."""

    def __init__(self, model: Seq2Seq, example: State) -> None:
        super().__init__()
        self.model = model
        self.example = example

    def forward(self, tokens: Tensor, *tensors: Tensor) -> tuple[Tensor, ...]:
        log_probs, after = self.model.step(tokens, rebuilt(self.example, iter(tensors)))
        return log_probs, *(leaf for _, leaf, shared in leaves(after) if not shared)


# torch's exporter


def _export(
    module: nn.Module, examples: tuple[Tensor, ...], inputs: dict[str, Axes], outputs: dict[str, Axes], path: Path
) -> None:
    # The exporter sets each module to the mode in which it finds the outer one, and so our model.
    module.eval()
    with _operators(), _quiet(), torch.no_grad():
        try:
            # The newer exporter (dynamo=True) unrolls a GRU to one length.
            torch.onnx.export(
                module,
                examples,
                str(path),
                dynamo=False,
                opset_version=OPSET,
                input_names=list(inputs),
                output_names=list(outputs),
                dynamic_axes={**inputs, **outputs},
            )
        except (torch.onnx.errors.OnnxExporterError, RuntimeError) as error:
            raise UserError(f"ckpt: torch cannot write this model as ONNX ({one_line(error)[:200]})") from error


@contextmanager
def _operators() -> Iterator[None]:
    """Give the exporter two operators: one that it lacks, and one that it computes wrongly (Manhattan distances)."""
    own = {"aten::rms_norm": _rms_norm, "aten::cdist": _distances}
    for name, operator in own.items():
        torch.onnx.register_custom_op_symbolic(name, operator, OPSET)  # type: ignore[attr-defined]
    try:
        yield
    finally:
        for name in own:
            torch.onnx.unregister_custom_op_symbolic(name, OPSET)  # type: ignore[attr-defined]


@symbolic_helper.parse_args("v", "is", "v", "f")
def _rms_norm(graph: Any, x: Any, shape: Any, weight: Any, epsilon: float | None) -> Any:
    """Write x / sqrt(mean(x ** 2) + epsilon) * weight over the last dimension."""
    small = _constant(graph, torch.tensor(torch.finfo(torch.float32).eps if epsilon is None else epsilon))
    squares = graph.op("ReduceMean", graph.op("Mul", x, x), axes_i=[-1], keepdims_i=1)
    norm = graph.op("Sqrt", graph.op("Add", squares, small))
    return graph.op("Mul", graph.op("Div", x, norm), weight)


@symbolic_helper.parse_args("v", "v", "f", "i")
def _distances(graph: Any, x: Any, y: Any, p: float, mode: Any) -> Any:
    """Write the distances (B, Q, S) of `x` (B, Q, D) and `y` (B, S, D): the sum of differences, or Euclidean."""
    rows = graph.op("Unsqueeze", x, _constant(graph, torch.tensor([2])))
    columns = graph.op("Unsqueeze", y, _constant(graph, torch.tensor([1])))
    kind = "ReduceL1" if p == 1 else "ReduceL2"
    return graph.op(kind, graph.op("Sub", rows, columns), axes_i=[-1], keepdims_i=0)


def _constant(graph: Any, value: Tensor) -> Any:
    return graph.op("Constant", value_t=value)


@contextmanager
def _quiet() -> Iterator[None]:
    """Hide that this exporter is an old one, and that sizes in a trace may be constants: `check` finds out.

    If it fails, it also prints the whole graph: torch 2.13 switches its log on and has no way to leave it off.
    """
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(), mock.patch.object(torch._C, "_jit_onnx_log"):
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)
