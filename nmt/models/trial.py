"""Builds a model without memory, and runs it on toy sentences. Wrong shapes are found before any data are read."""

from __future__ import annotations

import copy
import inspect
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from nmt.errors import UserError, one_line
from nmt.models.attention.base import Attention
from nmt.models.interface import AttentionWeights, Encoder, EncoderOutput
from nmt.models.seq2seq import Seq2Seq
from nmt.tokens import BOS, EOS, PAD

SOURCE = [[4, 5, EOS], *[[6, EOS, PAD]] * 4]  # more sentences than a final state has layers
TARGET = [[BOS, 4], *[[BOS, 5]] * 4]
BEAMS = 2
NOISE = 1e-3  # of the largest value; a sum over other numbers of tokens is rounded differently
_CHANGES = "change with its padding, or with the other sentences of the batch"
_DRAWS = (torch.nn.init.normal_, torch.Tensor.normal_, torch.nn.init.uniform_, torch.Tensor.uniform_)


class _WithoutDraws(TorchFunctionMode):
    """Leaves out `normal_` and `uniform_`: for the meta device, torch runs them in Python instead of in C.

    For the first one, torch even imports its compiler, which takes seconds.
    """

    def __torch_function__(
        self,
        function: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        named = kwargs or {}
        if function in _DRAWS:
            return args[0] if args else named["tensor"]
        return function(*args, **named)


@contextmanager
def shapes_only() -> Iterator[None]:
    """Make every tensor on the meta device while the block runs: it has a shape, but neither memory nor values."""
    with torch.device("meta"), _WithoutDraws():
        yield


class TrialError(ValueError):
    """A model that cannot run.

    `module` is the name of the innermost module of the model that was running ("decoder.attention.energy"), and
    `problem` describes the error and its line.
    """

    def __init__(self, module: str, problem: str) -> None:
        super().__init__(f"{module}: {problem}")
        self.module = module
        self.problem = problem


def try_model(model: Seq2Seq) -> AttentionWeights:
    """Run a forward and a backward pass, and decoding steps with two beams; raise TrialError if one of them fails.

    Returns all attention weights of the forward pass.

    The run takes place in a copy on a CPU, with one thread, so that torch starts no other threads before training sets
    how they treat denormal numbers. A model on the meta device gets random weights, and buffers that are all 0.
    """
    values = not any(weight.is_meta for weight in model.parameters())
    model = copy.deepcopy(model).eval() if values else copy.deepcopy(model).to_empty(device="cpu").eval()
    for module in model.modules():
        if isinstance(module, Attention):
            module.register_forward_hook(_check_weights, with_kwargs=True)
    try:
        with one_thread():
            if not values:
                _fill(model)
            return _run(model)
    except (UserError, TrialError):
        raise
    except Exception as error:
        raise TrialError(_module_running(model, error), f"{_said(error)}{_line(error)}") from error


def _fill(model: Seq2Seq) -> None:
    """Set the weights to random numbers, the same in each run, and the buffers to 0."""
    generator = torch.Generator().manual_seed(1)
    for weight in model.parameters():
        weight.detach().normal_(std=0.1, generator=generator)
    for buffer in model.buffers():
        buffer.zero_()


def _run(model: Seq2Seq) -> AttentionWeights:
    source, target = torch.tensor(SOURCE), torch.tensor(TARGET)
    _check_encoder(model.encoder, source)
    hidden, weights = model(source, source != PAD, target, need_weights=True)
    _check_shape("hidden states", hidden, (*target.shape, model.decoder.output.in_features))
    hidden.sum().backward()
    _check_used(model)
    with torch.inference_mode():
        _check_padding(model, source, target)
        _decode(model, source, target)
    found: AttentionWeights = weights
    return found


def _check_encoder(encoder: Encoder, source: Tensor) -> None:
    """Raise TrialError if the output of the encoder does not have the form that decoders read."""
    encoded = encoder(source, source != PAD, need_weights=True)
    if not isinstance(encoded, EncoderOutput):
        raise TrialError("encoder", f"forward returns {type(encoded).__name__}, expected EncoderOutput")
    try:
        _check_shape("memory (B, S, width)", encoded.memory, (*source.shape, encoder.width))
        _check_shape("memory_mask (B, S)", encoded.memory_mask, tuple(source.shape))
        if (final := encoded.final_state) is not None:
            layers = final.shape[1] if final.dim() == 3 else 1
            _check_shape("final_state (B, L, width)", final, (len(source), layers, encoder.width))
    except ValueError as error:
        raise TrialError("encoder", str(error)) from error
    if encoder.attends != (encoded.attention is not None and encoded.attention.encoder_self is not None):
        raise TrialError("encoder", f"attends is {encoder.attends}, but its attention weights say otherwise")


def _check_padding(model: Seq2Seq, source: Tensor, target: Tensor) -> None:
    """Raise TrialError if padding or the rest of a batch changes the memory or the hidden states of a sentence."""
    row, length = slice(1, 2), int((source[1] != PAD).sum())
    short = source[row, :length]
    alone, padded = model.encoder(short, short != PAD), model.encoder(source, source != PAD)
    final = alone.final_state
    if _differ(alone.memory, padded.memory[row, :length]) or (
        final is not None and _differ(final, padded.final_state[row])
    ):
        raise TrialError("encoder", f"the memory or the final state of a sentence {_CHANGES}; use source_mask")
    hidden, _ = model.decoder(target[row], alone)
    if _differ(hidden, model.decoder(target, padded)[0][row]):
        raise TrialError("decoder", f"the hidden states of a sentence {_CHANGES}; use memory_mask")


def _differ(one: Tensor, other: Tensor) -> bool:
    """Return whether two tensors differ by more than rounding. Values that are not finite do not count."""
    return bool((one - other).abs().max() > NOISE * one.abs().max())


def _check_used(model: Seq2Seq) -> None:
    """Raise TrialError for a weight without a gradient: training could not change it, and several GPUs would stop."""
    output = {id(weight) for weight in model.decoder.output.parameters()}  # not part of the hidden states
    for name, weight in model.named_parameters():
        if weight.requires_grad and weight.grad is None and id(weight) not in output:
            raise TrialError(
                name.rpartition(".")[0],
                f"no prediction depends on the weights {name}; leave them out, or choose parts that use them",
            )


def _decode(model: Seq2Seq, source: Tensor, target: Tensor) -> None:
    rows = torch.arange(len(source)).repeat_interleave(BEAMS)
    state = model.start(source, source != PAD).select(rows)
    for tokens in target[rows].unbind(1):
        hidden, _, state = model.decoder.step(tokens, state)
        _check_shape("hidden states of a step", hidden, (len(rows), model.decoder.output.in_features))


def _check_weights(
    module: nn.Module, inputs: tuple[Any, ...], named: Mapping[str, Any], outputs: tuple[Any, ...]
) -> None:
    assert isinstance(module, Attention)
    call = inspect.signature(Attention.forward).bind(module, *inputs, **named).arguments
    (sentences, queries, _), mask = call["query"].shape, call["memory"].mask
    _check_shape("weights (B, H, Q, S)", outputs[1], (sentences, module.heads, queries, mask.shape[1]))
    if outputs[1].masked_select(~mask[:, None, None, :]).any():
        raise ValueError("got weights of padding that are not 0; let the scores be -inf where the mask is False")


def _check_shape(name: str, got: Tensor, expected: tuple[int, ...]) -> None:
    if got.shape != expected:
        raise ValueError(f"got {name} of the shape {tuple(got.shape)}, expected {expected}")


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch use one thread in the block. New threads would keep the current treatment of denormal numbers."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _module_running(model: nn.Module, error: Exception) -> str:
    """Return the name of the innermost module of `model` whose method was running when `error` was raised."""
    names = {id(module): name for name, module in model.named_modules()}
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    running = (names.get(id(frame.f_locals.get("self"))) for frame in reversed(frames))
    return next((name for name in running if name), "")


def _said(error: Exception) -> str:
    """Return the text of an error. The text of an error such as KeyError needs the name of the class."""
    clear = isinstance(error, ValueError | TypeError | RuntimeError)
    return one_line(error) if clear else f"{type(error).__name__}: {one_line(error)}"


def _line(error: Exception) -> str:
    """Return the last line of Python outside torch that was running, as " (scaled.py, line 12)"."""
    package = Path(torch.__file__).parent
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if package not in Path(frame.filename).parents and Path(frame.filename) != Path(__file__):
            return f" ({Path(frame.filename).name}, line {frame.lineno})"
    return ""
