"""The trial of a model on toy sentences: it finds mistakes in a user's own class before any data are read."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from nmt.errors import ParameterError
from nmt.models.interface import EncoderOutput
from nmt.models.seq2seq import Seq2Seq
from nmt.tokens import BOS, EOS, PAD

SOURCE = [[4, 5, EOS], *[[6, EOS, PAD]] * 4]  # five sentences: (L, B, D) then is another shape than (B, L, D)
TARGET = [[BOS, *[4, 5, 6] * 8], *[[BOS, *[5, 6, 4] * 8]] * 4]  # longer than a window of positions
CHANGE = "of a sentence change with its padding, or with the other sentences of the batch"


def try_model(model: Seq2Seq) -> None:
    """Raise ParameterError if `model` cannot be trained, reads padding, or has steps that differ from `forward`.

    The `parameter` of the error is the name of the wrong part ("decoder.attention"), and its `problem` describes the
    mistake. The vocabulary needs at least seven tokens. The weights of the model change.
    """
    source, target = torch.tensor(SOURCE), torch.tensor(TARGET)[:, : model.decoder.max_length]
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(2)  # a mistake hardly shows with initial values, and large ones saturate a softmax
    _check_forward(model.eval(), source, target)
    with torch.no_grad():
        _check_padding(model, source, target)
        _check_steps(model, source, target)


def _check_forward(model: Seq2Seq, source: Tensor, target: Tensor) -> None:
    """Check the shapes of a forward pass, that padding has no attention, and that each weight has a gradient."""
    encoder, decoder, (sentences, length) = model.encoder, model.decoder, source.shape
    encoded = encoder(source, source != PAD, need_weights=True)
    if not isinstance(encoded, EncoderOutput):
        raise ParameterError("encoder", f"forward returns {type(encoded).__name__}, expected EncoderOutput")
    _check_shape("encoder", "memory (B, S, width)", encoded.memory, (sentences, length, encoder.width))
    if (final := encoded.final_state) is not None:
        layers = final.shape[1] if final.dim() == 3 else 1
        _check_shape("encoder", "final_state (B, L, width)", final, (sentences, layers, encoder.width))
    hidden, weights = model(source, source != PAD, target, need_weights=True)
    _check_shape("decoder", "hidden states (B, T, width)", hidden, (*target.shape, decoder.output.in_features))
    attention = "decoder.attention" if isinstance(getattr(decoder, "attention", None), nn.Module) else "decoder"
    for name, attends, values, queries in (
        ("encoder", encoder.attends, weights.encoder_self, length),
        (attention, decoder.attends, weights.cross, target.shape[1]),
    ):
        if attends != (values is not None):
            raise ParameterError(name, f"attends is {attends}, but its attention weights say otherwise")
        if values is not None:
            expected = (sentences, *values.shape[1:3], queries, length)
            _check_shape(name, "weights (B, L, H, queries, S)", values, expected)
            if values.isnan().any():
                raise ParameterError(name, "got weights that are no numbers (NaN)")
            if values.masked_select((source == PAD)[:, None, None, None]).any():
                raise ParameterError(name, "got weights of padding, expected 0: mask scores with -inf")
    decoder.output(hidden).sum().backward()
    for name, weight in model.named_parameters():  # without a gradient, several GPUs would stop
        if weight.requires_grad and weight.grad is None:
            raise ParameterError(
                name.rpartition(".")[0], f"no prediction depends on the weights {name}; leave them out"
            )


def _check_padding(model: Seq2Seq, source: Tensor, target: Tensor) -> None:
    """Check that a sentence alone has the memory and the hidden states that it has in the batch, with padding."""
    row, length = slice(1, 2), int((source[1] != PAD).sum())
    short = source[row, :length]
    alone, padded = model.encoder(short, short != PAD), model.encoder(source, source != PAD)
    final, same = alone.final_state, padded.final_state
    if _differ(alone.memory, padded.memory[row, :length]) or (final is not None and _differ(final, same[row])):
        raise ParameterError("encoder", f"the memory or the final state {CHANGE}; use source_mask")
    if _differ(model.decoder(target[row], alone)[0], model.decoder(target, padded)[0][row]):
        raise ParameterError("decoder", f"the hidden states {CHANGE}; use memory_mask")


def _check_steps(model: Seq2Seq, source: Tensor, target: Tensor) -> None:
    """Check that steps with two different beams of each sentence give the hidden states of `forward`."""
    rows = torch.arange(len(source)).repeat_interleave(2)
    target = target[rows]
    target[1::2, 1] = 6
    whole, _ = model.decoder(target, model.encoder(source[rows], source[rows] != PAD))
    state = model.start(source, source != PAD).select(rows)
    for number, (tokens, expected) in enumerate(zip(target.unbind(1), whole.unbind(1), strict=True), 1):
        hidden, _, state = model.decoder.step(tokens, state)
        if _differ(expected, hidden):
            raise ParameterError("decoder", f"step {number} does not return the hidden states of forward")


def _check_shape(module: str, name: str, got: Tensor, expected: tuple[int, ...]) -> None:
    if got.shape != expected:
        raise ParameterError(module, f"got {name} of the shape {tuple(got.shape)}, expected {expected}")


def _differ(one: Tensor, other: Tensor) -> bool:
    """Return whether two tensors differ by more than the rounding of sums with additional zeros, or have a NaN."""
    return one.shape != other.shape or not bool((one - other).abs().max() <= 3e-4 * one.abs().max())
