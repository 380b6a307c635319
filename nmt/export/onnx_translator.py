"""A translator that computes with an exported ONNX model in onnxruntime, and searches with our own strategies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import torch
from torch import Tensor

from nmt.data.batches import pad
from nmt.errors import UserError, one_line
from nmt.export.base import EngineTranslator, require_packages
from nmt.search.base import Hypothesis, Search
from nmt.tokens import BOS
from nmt.translation.base import Request
from nmt.translation.source import ForcedPair
from nmt.translation.stepwise import search_requests

ENCODER, STEP = "encoder.onnx", "step.onnx"
NEXT = "next."  # begins the names of the tensors of the next state


@dataclass(frozen=True)
class OnnxState:
    """The tensors of a decoder's state by name: those with a row for each hypothesis, and for each sentence."""

    hypotheses: dict[str, Any]
    sentences: dict[str, Any]

    def select(self, rows: Tensor, sentences: Tensor | None = None) -> Self:
        """Return the state of the hypotheses `rows` (N',); `sentences` (B',) are given if some were dropped."""
        return type(self)(
            _take(self.hypotheses, rows), self.sentences if sentences is None else _take(self.sentences, sentences)
        )


def _take(arrays: dict[str, Any], rows: Tensor) -> dict[str, Any]:
    indices = rows.cpu().numpy()
    return {name: array.take(indices, axis=0) for name, array in arrays.items()}


class Graphs:
    """The two graphs of a folder. Raises UserError for files that are damaged."""

    def __init__(self, folder: Path) -> None:
        self._encoder, self._step = (_session(folder / name) for name in (ENCODER, STEP))
        self._first = [each.name for each in self._encoder.get_outputs()]
        self._read = {each.name for each in self._step.get_inputs()}
        self._changing = [each.name.removeprefix(NEXT) for each in self._step.get_outputs()[1:]]

    def start(self, source: Tensor, source_mask: Tensor) -> OnnxState:
        """Return the state before the first token, with one hypothesis for each sentence; as in `Seq2Seq.start`."""
        arrays = _run(self._encoder, {"source": source.numpy(), "mask": source_mask.numpy()})
        if any(len(array) != len(source) for array in arrays):
            raise UserError(
                "ckpt: the exported encoder works for one size of a batch only; in your own classes, write x.shape[0] "
                "instead of len(x), which the exporter takes for a constant"
            )
        state = dict(zip(self._first, arrays, strict=True))
        changing = {name: state.pop(name) for name in self._changing}
        return OnnxState(changing, {name: array for name, array in state.items() if name in self._read})

    def step(self, tokens: Tensor, state: OnnxState) -> tuple[Tensor, OnnxState]:
        """Read one token for each hypothesis, `tokens` (N,). Return log-probabilities (N, V) and the next state."""
        read = {name: array for name, array in state.hypotheses.items() if name in self._read}
        log_probs, *after = _run(self._step, {"tokens": tokens.numpy(), **read, **state.sentences})
        return torch.from_numpy(log_probs), replace(state, hypotheses=dict(zip(self._changing, after, strict=True)))


class OnnxTranslator(EngineTranslator):
    """Translates in onnxruntime with the files of a folder alone, on the processor, with as many threads as torch.

    The search is ours, so there are all strategies that do not read the attention. Raises UserError for another device,
    if the package is missing, or if the files are damaged.
    """

    engine = "onnxruntime"

    def __init__(self, folder: Path, *, device: str = "cpu", **options: Any) -> None:
        require_packages("onnx", "onnxruntime", extra="onnx")
        if device not in ("auto", "cpu"):
            raise UserError(f"device={device}: an ONNX model computes on the processor; use device=cpu")
        super().__init__(folder, **options)
        self.graphs = Graphs(folder)

    @property
    def device_type(self) -> str:
        return "cpu"

    def supported(self, search: Search) -> Search:
        """Return the search. Raises UserError if it reads the attention, which the graphs do not give."""
        if search.reads_attention:
            raise UserError(
                "search.coverage_penalty: it reads the attention, which an ONNX model does not give; use "
                "search.coverage_penalty=0, or the run itself"
            )
        return search

    def search_batch(self, requests: Sequence[Request], search: Search) -> list[list[Hypothesis]]:
        state = self.graphs.start(*pad([request.part.ids[0] for request in requests]))
        cpu = torch.device("cpu")
        return search_requests(self.graphs.step, state, requests, self.supported(search), self.tokenizer, cpu)

    def token_log_probs(self, pairs: Sequence[ForcedPair]) -> list[Tensor]:
        state = self.graphs.start(*pad([pair.source.ids[0] for pair in pairs]))
        target, mask = pad([pair.ids for pair in pairs])
        tokens, found = torch.full((len(pairs),), BOS), []
        for following in target.unbind(1):
            log_probs, state = self.graphs.step(tokens, state)
            found.append(log_probs.gather(1, following.unsqueeze(1)))
            tokens = following
        return [row[real] for row, real in zip(torch.cat(found, dim=1), mask, strict=True)]


def _session(path: Path) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = torch.get_num_threads()
    options.log_severity_level = 3  # errors alone
    try:
        return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its classes of errors have no common base
        raise UserError(f"{path}: onnxruntime cannot load it ({one_line(error)}); export the model again") from error


def _run(session: Any, inputs: Mapping[str, Any]) -> list[Any]:
    try:
        results: list[Any] = session.run(None, dict(inputs))
    except Exception as error:  # as above
        raise UserError(f"ckpt: onnxruntime cannot compute the model ({one_line(error)[:300]})") from error
    return results
