"""The contract: every model under configs/model keeps it, with every attention and all positions of its folders."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import pytest
import torch
from torch import Tensor

from nmt.data.batch import pad
from nmt.models.attention.base import Attention, AttentionMemory
from nmt.models.interface import AttentionWeights, CrossLayer, EncoderOutput, State, per_sentence
from nmt.models.rnn_decoder import RecurrentDecoder
from nmt.models.seq2seq import Seq2Seq
from nmt.models.trial import try_model
from nmt.search.base import Hypothesis
from nmt.search.beam import BeamSearch
from nmt.tokens import BOS, EOS
from tests.models.cases import CASES, VOCABULARY, build


@pytest.fixture(scope="module", params=CASES)
def model(request: pytest.FixtureRequest) -> Seq2Seq:
    """The model with every parameter away from its initial value, in double precision."""
    torch.manual_seed(0)
    model = build(request.param).double().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.2 * torch.randn_like(parameter))
    return model


SOURCES = [[5, 9, 4, 7, 11, EOS], [6, EOS], [12, 8, 14, EOS]]
TARGETS = [[BOS, 15, 7, 6], [BOS, 4, 9, 21], [BOS, 8, 8, 17]]


@pytest.fixture
def source() -> tuple[Tensor, Tensor]:
    return pad(SOURCES)


@pytest.fixture
def target() -> Tensor:
    return torch.tensor(TARGETS)


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


def test_forward_equals_stacked_steps(model: Seq2Seq, source: tuple[Tensor, Tensor], target: Tensor) -> None:
    hidden, attention = model(*source, target, need_weights=True)
    stepped, weights, _ = run_steps(model, target, model.start(*source))
    close(stepped, hidden)
    assert attention is not None
    for t, step in enumerate(weights):
        for name in ("cross", "decoder_self"):
            whole, part = getattr(attention, name), getattr(step, name)
            assert (whole is None) == (part is None)
            if whole is not None:
                close(part, whole[..., t : t + 1, : part.shape[-1]])


def test_beams_share_what_belongs_to_the_sentence(
    model: Seq2Seq, source: tuple[Tensor, Tensor], target: Tensor
) -> None:
    """Expand to three beams, follow back-pointers at every step, and compare with each prefix decoded by itself."""
    generator, beams = torch.Generator().manual_seed(3), 3
    sentences = len(source[0])
    rows = torch.arange(sentences).repeat_interleave(beams)
    state = model.start(*source).select(rows)
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
        alone, weights = model(source[0][rows], source[1][rows], prefixes, need_weights=True)
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


def test_finished_sentences_can_be_dropped(model: Seq2Seq, source: tuple[Tensor, Tensor], target: Tensor) -> None:
    whole, _ = model(*source, target)
    _, _, state = run_steps(model, target[:, :2], model.start(*source))
    kept = torch.tensor([2, 0])
    rest, _, _ = run_steps(model, target[kept, 2:], state.select(kept, sentences=kept))
    close(rest, whole[kept, 2:])


def test_padding_changes_nothing_and_is_never_attended(
    model: Seq2Seq, source: tuple[Tensor, Tensor], target: Tensor
) -> None:
    ids, mask = source
    hidden, attention = model(ids, mask, target, need_weights=True)
    wider = torch.full((len(ids), 3), 19)  # what stands under the padding is not looked at
    more_ids, more_mask = torch.cat((ids, wider), 1), torch.cat((mask, torch.zeros_like(wider, dtype=torch.bool)), 1)
    more_hidden, more_attention = model(more_ids, more_mask, target, need_weights=True)
    close(more_hidden, hidden)
    for name in ("cross", "encoder_self"):
        weights, more = getattr(attention, name), getattr(more_attention, name)
        if weights is not None:
            close(more[..., : weights.shape[-2], : weights.shape[-1]], weights)
            assert not more.masked_select(~more_mask[:, None, None, None]).any(), "exactly 0"


def test_a_sentence_is_the_same_alone_and_in_a_batch(
    model: Seq2Seq, source: tuple[Tensor, Tensor], target: Tensor
) -> None:
    hidden, attention = model(*source, target, need_weights=True)
    for row, sentence in enumerate(SOURCES):
        alone, weights = model(*pad([sentence]), target[row : row + 1, :3], need_weights=True)
        close(alone[0], hidden[row, :3])
        if weights.cross is not None:
            close(weights.cross[0], attention.cross[row, :, :, :3, : len(sentence)])


def test_beam_search_finds_the_same_alone_and_in_a_batch(model: Seq2Seq) -> None:
    model = copy.deepcopy(model).float()
    together = best(model, SOURCES)
    for sentence, found in zip(SOURCES, together, strict=True):
        (alone,) = best(model, [sentence])
        assert alone.tokens == found.tokens and alone.score == pytest.approx(found.score, abs=1e-4)


def best(model: Seq2Seq, sources: list[list[int]]) -> list[Hypothesis]:
    limits = torch.tensor([len(sentence) for sentence in sources])
    with torch.inference_mode():
        found = BeamSearch(beam_size=3)(model.step, model.start(*pad(sources)), max_length=limits, keys=sources)
    return [hypotheses[0] for hypotheses in found]


def test_the_future_is_not_seen(model: Seq2Seq, source: tuple[Tensor, Tensor], target: Tensor) -> None:
    hidden, _ = model(*source, target)
    for t in range(1, target.shape[1]):
        other = target.clone()
        other[:, t:] = 20
        changed, _ = model(*source, other)
        close(changed[:, :t], hidden[:, :t])
        assert not torch.allclose(changed[:, t], hidden[:, t])


def test_asking_for_weights_changes_nothing_else(model: Seq2Seq, source: tuple[Tensor, Tensor], target: Tensor) -> None:
    hidden, none = model(*source, target)
    asked, attention = model(*source, target, need_weights=True)
    close(asked, hidden)
    assert none is None and isinstance(attention, AttentionWeights)
    tokens, state = target[:, 0], model.start(*source)
    assert model.decoder.step(tokens, state)[1] is None


def test_weights_have_the_shapes_of_the_contract_and_sum_to_one(
    model: Seq2Seq, source: tuple[Tensor, Tensor], target: Tensor
) -> None:
    _, attention = model(*source, target, need_weights=True)
    (sentences, longest), steps = source[0].shape, target.shape[1]
    expected = {"cross": (steps, longest), "decoder_self": (steps, steps), "encoder_self": (longest, longest)}
    for name, shape in expected.items():
        weights = getattr(attention, name)
        if weights is None:
            continue
        assert weights.dim() == 5 and len(weights) == sentences and weights.shape[3:] == shape
        assert (weights >= 0).all()
        if sums_to_one(model):
            close(weights.sum(-1), torch.ones_like(weights[..., 0]))
    if isinstance(model.decoder, RecurrentDecoder):
        assert (attention.cross is None) == (model.decoder.attention is None)
        assert attention.cross is None or attention.cross.shape[1:3] == (1, model.decoder.attention.heads)


def test_the_cross_attention_of_one_layer(model: Seq2Seq, source: tuple[Tensor, Tensor], target: Tensor) -> None:
    hidden, every = model(*source, target, need_weights=True)
    layers = 1 if every.cross is None else every.cross.shape[1]
    for number in (None, *range(1, layers + 1)):
        same, only = model(*source, target, need_weights=CrossLayer(number))
        close(same, hidden)
        assert only.encoder_self is only.decoder_self is None and (only.cross is None) == (every.cross is None)
        if every.cross is not None:
            place = max(0, layers - 2) if number is None else number - 1
            close(only.cross, every.cross[:, place : place + 1])


def sums_to_one(model: Seq2Seq) -> bool:
    """A family with weights of its own making answers for their sum itself."""
    attention = getattr(model.decoder, "attention", None)
    if not isinstance(attention, Attention):
        return True
    kind = type(attention)
    return all(getattr(kind, hook) is getattr(Attention, hook) for hook in ("weigh", "normalize", "reweigh"))


def test_the_model_passes_its_trial(model: Seq2Seq) -> None:
    try_model(model)


def test_gradients_reach_every_parameter(model: Seq2Seq, source: tuple[Tensor, Tensor], target: Tensor) -> None:
    model.zero_grad()
    hidden, _ = model(*source, target)
    model.decoder.output(hidden).log_softmax(-1)[..., 5].sum().backward()
    silent = [name for name, value in model.named_parameters() if value.grad is None or not value.grad.any()]
    assert not silent
    assert all(value.grad.isfinite().all() for value in model.parameters())


def test_the_state_is_a_value(model: Seq2Seq, source: tuple[Tensor, Tensor], target: Tensor) -> None:
    """A step leaves the state it was given as it was, and the model too."""
    state = model.start(*source)
    first, _, _ = model.decoder.step(target[:, 0], state)
    model.decoder.step(target[:, 1], state)
    again, _, _ = model.decoder.step(target[:, 0], state)
    close(again, first)


def test_per_sentence_is_what_the_memory_is() -> None:
    assert all(f.metadata == per_sentence().metadata for f in fields(AttentionMemory))


def test_an_encoder_without_final_state_goes_with_any_decoder() -> None:
    model = build("rnn model/attention=none")
    memory = torch.randn(2, 3, model.encoder.width)
    mask = torch.tensor([[True, True, False], [True, True, True]])
    changed = memory.clone()
    changed[0, 2] = 100.0
    with torch.no_grad():
        state, same = (model.decoder.init_state(EncoderOutput(m, mask)) for m in (memory, changed))
    close(state.layers[0][0], same.layers[0][0])
