"""The contract: every model under configs/model keeps it, with every attention and all positions of its folders.

One test item holds one model to all laws; the report of a failure names the law: `(law='future_is_not_seen')`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Any

import pytest
import torch
from torch import Tensor

from nmt.data.batches import pad
from nmt.models.attention.base import Attention
from nmt.models.interface import AttentionWeights, CrossLayer, State
from nmt.models.rnn_decoder import RecurrentDecoder
from nmt.models.seq2seq import Seq2Seq
from nmt.models.trial import try_model
from nmt.tokens import BOS, EOS
from tests.models.cases import CASES, VOCABULARY, build

SOURCES = [[5, 9, 4, 7, 11, EOS], [6, EOS], [12, 8, 14, EOS]]
TARGETS = [[BOS, 15, 7, 6], [BOS, 4, 9, 21], [BOS, 8, 8, 17]]


@dataclass(frozen=True)
class Example:
    """A model in double precision, a batch, and the hidden states and attention of its forward pass."""

    model: Seq2Seq
    source: tuple[Tensor, Tensor]
    target: Tensor
    hidden: Tensor
    attention: AttentionWeights


Law = Callable[[Example], None]
LAWS: list[Law] = []


def law(check: Law) -> Law:
    LAWS.append(check)
    return check


@pytest.mark.parametrize("words", CASES)
def test_model_keeps_the_contract(words: str, subtests: pytest.Subtests) -> None:
    """Hold one model to all laws of this file; each law is a subtest."""
    with torch.no_grad():
        example = run_forward(randomized(words))
        for check in LAWS:
            with subtests.test(law=check.__name__):
                check(example)


def randomized(words: str) -> Seq2Seq:
    """Return the model with every parameter away from its initial value."""
    torch.manual_seed(0)
    model = build(words).double().eval()
    for parameter in model.parameters():
        parameter.add_(0.2 * torch.randn_like(parameter))
    return model


def run_forward(model: Seq2Seq) -> Example:
    source, target = pad(SOURCES), torch.tensor(TARGETS)
    hidden, attention = model(*source, target, need_weights=True)
    return Example(model, source, target, hidden, attention)


def close(got: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(got, expected, rtol=1e-9, atol=1e-9)


def run_steps(model: Seq2Seq, target: Tensor, state: State) -> tuple[Tensor, list[AttentionWeights], State]:
    hiddens, weights = [], []
    for tokens in target.unbind(1):
        hidden, attention, state = model.decoder.step(tokens, state, need_weights=True)
        hiddens.append(hidden)
        assert attention is not None
        weights.append(attention)
    return torch.stack(hiddens, 1), weights, state


@law
def forward_equals_stacked_steps(example: Example) -> None:
    stepped, weights, _ = run_steps(example.model, example.target, example.model.start(*example.source))
    close(stepped, example.hidden)
    for t, step in enumerate(weights):
        for name in ("cross", "decoder_self"):
            whole, part = getattr(example.attention, name), getattr(step, name)
            assert (whole is None) == (part is None)
            if whole is not None:
                close(part, whole[..., t : t + 1, : part.shape[-1]])


@law
def beams_share_what_belongs_to_the_sentence(example: Example) -> None:
    """Expand to three beams, follow back-pointers at every step, and compare with each prefix decoded by itself."""
    model, (ids, mask), beams = example.model, example.source, 3
    generator = torch.Generator().manual_seed(3)
    sentences = len(ids)
    rows = torch.arange(sentences).repeat_interleave(beams)
    state = model.start(ids, mask).select(rows)
    prefixes = torch.empty(len(rows), 0, dtype=torch.long)
    trace = torch.empty(len(rows), 0, 0)
    for t in range(4):
        tokens = torch.randint(4, VOCABULARY, (len(rows),), generator=generator)
        prefixes = torch.cat((prefixes, tokens[:, None]), dim=1)
        before = list(shared_tensors(state))
        hidden, attention, state = model.decoder.step(tokens, state, need_weights=True)
        assert all(a is b for a, b in zip(before, shared_tensors(state), strict=True)), "copied in a step"
        assert all(len(tensor) == sentences for tensor in before), "copied for beams"
        trace = hidden[:, None] if t == 0 else torch.cat((trace, hidden[:, None]), dim=1)
        alone, weights = model(ids[rows], mask[rows], prefixes, need_weights=True)
        close(trace, alone)
        if weights.cross is not None:
            close(attention.cross, weights.cross[..., -1:, :])
        back = torch.randint(beams, (sentences, beams), generator=generator) + torch.arange(sentences)[:, None] * beams
        state, prefixes, trace = state.select(back.view(-1)), prefixes[back.view(-1)], trace[back.view(-1)]


def shared_tensors(state: State) -> Iterator[Tensor]:
    """Walk over the tensors that have one row a sentence."""
    pending: list[tuple[Any, bool]] = [(state, False)]
    while pending:
        value, shared = pending.pop()
        if isinstance(value, State):
            pending += [(getattr(value, f.name), f.metadata.get("rows") == "sentences") for f in fields(value)]
        elif isinstance(value, tuple):
            pending += [(item, shared) for item in value]
        elif shared and value is not None:
            yield value


@law
def finished_sentences_can_be_dropped(example: Example) -> None:
    _, _, state = run_steps(example.model, example.target[:, :2], example.model.start(*example.source))
    kept = torch.tensor([2, 0])
    rest, _, _ = run_steps(example.model, example.target[kept, 2:], state.select(kept, sentences=kept))
    close(rest, example.hidden[kept, 2:])


@law
def padding_changes_nothing_and_is_never_attended(example: Example) -> None:
    ids, mask = example.source
    wider = torch.full((len(ids), 3), 19)  # what stands under the padding is not looked at
    ids, mask = torch.cat((ids, wider), 1), torch.cat((mask, torch.zeros_like(wider, dtype=torch.bool)), 1)
    hidden, attention = example.model(ids, mask, example.target, need_weights=True)
    close(hidden, example.hidden)
    for name in ("cross", "encoder_self"):
        weights, more = getattr(example.attention, name), getattr(attention, name)
        if weights is not None:
            close(more[..., : weights.shape[-2], : weights.shape[-1]], weights)
            assert not more.masked_select(~mask[:, None, None, None]).any(), "exactly 0"


@law
def sentence_is_the_same_alone_and_in_a_batch(example: Example) -> None:
    for row, sentence in enumerate(SOURCES):
        alone, weights = example.model(*pad([sentence]), example.target[row : row + 1, :3], need_weights=True)
        close(alone[0], example.hidden[row, :3])
        if weights.cross is not None:
            close(weights.cross[0], example.attention.cross[row, :, :, :3, : len(sentence)])


@law
def future_is_not_seen(example: Example) -> None:
    for t in range(1, example.target.shape[1]):
        other = example.target.clone()
        other[:, t:] = 20
        changed, _ = example.model(*example.source, other)
        close(changed[:, :t], example.hidden[:, :t])
        assert not torch.allclose(changed[:, t], example.hidden[:, t])


@law
def asking_for_weights_changes_nothing_else(example: Example) -> None:
    hidden, none = example.model(*example.source, example.target)
    close(hidden, example.hidden)
    assert none is None and isinstance(example.attention, AttentionWeights)
    assert example.model.decoder.step(example.target[:, 0], example.model.start(*example.source))[1] is None


@law
def weights_have_the_shapes_of_the_contract_and_sum_to_one(example: Example) -> None:
    (sentences, longest), steps = example.source[0].shape, example.target.shape[1]
    expected = {"cross": (steps, longest), "decoder_self": (steps, steps), "encoder_self": (longest, longest)}
    for name, shape in expected.items():
        weights = getattr(example.attention, name)
        if weights is None:
            continue
        assert weights.dim() == 5 and len(weights) == sentences and weights.shape[3:] == shape
        assert (weights >= 0).all()
        if sums_to_one(example.model):
            close(weights.sum(-1), torch.ones_like(weights[..., 0]))
    decoder, cross = example.model.decoder, example.attention.cross
    if isinstance(decoder, RecurrentDecoder):
        assert (cross is None) == (decoder.attention is None)
        assert cross is None or cross.shape[1:3] == (1, decoder.attention.heads)


def sums_to_one(model: Seq2Seq) -> bool:
    """A family with weights of its own making answers for their sum itself."""
    attention = getattr(model.decoder, "attention", None)
    if not isinstance(attention, Attention):
        return True
    kind = type(attention)
    return all(getattr(kind, hook) is getattr(Attention, hook) for hook in ("weigh", "normalize", "reweigh"))


@law
def cross_attention_of_one_layer_can_be_asked_for(example: Example) -> None:
    every = example.attention.cross
    layers = 1 if every is None else every.shape[1]
    for number in (None, *range(1, layers + 1)):
        same, only = example.model(*example.source, example.target, need_weights=CrossLayer(number))
        close(same, example.hidden)
        assert only.encoder_self is only.decoder_self is None and (only.cross is None) == (every is None)
        if every is not None:
            place = max(0, layers - 2) if number is None else number - 1
            close(only.cross, every[:, place : place + 1])


@law
def model_passes_its_trial(example: Example) -> None:
    with torch.enable_grad():
        try_model(copy.deepcopy(example.model))


@law
def gradients_reach_every_parameter(example: Example) -> None:
    with torch.enable_grad():
        hidden, _ = example.model(*example.source, example.target)
        example.model.decoder.output(hidden).log_softmax(-1)[..., 5].sum().backward()
    silent = [name for name, value in example.model.named_parameters() if value.grad is None or not value.grad.any()]
    assert not silent
    assert all(value.grad.isfinite().all() for value in example.model.parameters())


@law
def state_is_a_value(example: Example) -> None:
    """A step leaves the state it was given as it was, and the model too."""
    decoder, target, state = example.model.decoder, example.target, example.model.start(*example.source)
    first, _, _ = decoder.step(target[:, 0], state)
    decoder.step(target[:, 1], state)
    again, _, _ = decoder.step(target[:, 0], state)
    close(again, first)
