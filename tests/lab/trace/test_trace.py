"""A trace: its weights, context and next-token distribution are those of the model, for every family of attention."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch
import yaml
from torch import Tensor

from nmt.attention_map import AttentionMap
from nmt.build import MODELS
from nmt.config.nodes import instantiate
from nmt.errors import UserError
from nmt.lab.attention.caption import shown
from nmt.lab.trace.terminal import lines
from nmt.lab.trace.trace import Step, Trace, trace_position
from nmt.models.attention.base import AttentionFactory
from nmt.models.attention.local import PredictiveLocalAttention
from nmt.models.attention.luong import DotAttention
from nmt.models.interface import Decoder
from nmt.models.rnn_decoder import RecurrentDecoder
from nmt.models.seq2seq import Seq2Seq
from nmt.models.transformer import TransformerBlock, TransformerDecoder, TransformerEncoder
from nmt.tokens import BOS
from nmt.translation.translation import Translation
from nmt.translation.translator import Translator
from tests.models.cases import BETWEEN, CONFIGS, attention_node, build_recurrent
from tests.models.test_attention import FAMILIES as SHIPPED
from tests.tiny_run import Run

SOURCE, TARGET = "two dogs, a man and a bike", "ein Mann sieht"
FAMILIES: dict[str, AttentionFactory] = SHIPPED | BETWEEN
FAMILIES["local_p, multihead"] = functools.partial(PredictiveLocalAttention, scores=FAMILIES["multihead"], window=3)
POSITIONS = [path.stem for path in sorted((CONFIGS / "model" / "positions").glob("*.yaml"))]


def query_state(name: str) -> str:
    return FAMILIES[name](query_width=32, memory_width=32).query_state


FEEDING = [(name, None) for name in FAMILIES]
FEEDING += [(name, False) for name in FAMILIES if query_state(name) == "current"]


def randomized(model: Seq2Seq) -> Seq2Seq:
    """The model with every parameter away from its initial value, such as 0 and 1."""
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn(parameter.shape, generator=generator))
    return model.eval()


Make = Callable[..., Translator]


@pytest.fixture
def recurrent(run: Run) -> Make:
    def make(attention: AttentionFactory, *, input_feeding: bool | None = None, layers: int = 1) -> Translator:
        tokenizer = run.translator.tokenizer
        model = build_recurrent(attention, tokenizer.target_vocab_size, input_feeding=input_feeding, layers=layers)
        return Translator(randomized(model), tokenizer, run.translator.search)

    return make


@pytest.fixture
def transformer(run: Run) -> Make:
    def make(positions: str, **settings: Any) -> Translator:
        tokenizer = run.translator.tokenizer
        node = yaml.safe_load((CONFIGS / "model" / "positions" / f"{positions}.yaml").read_text("utf-8"))
        block = TransformerBlock(width=16, heads=2, feed_forward=16, **settings)
        sizes = {"vocab_size": tokenizer.target_vocab_size, "layers": 2, "block": block}
        sizes["positions"] = instantiate(node, "model.positions", within=MODELS)
        model = Seq2Seq(TransformerEncoder(**sizes), TransformerDecoder(memory_width=16, **sizes))
        return Translator(randomized(model), tokenizer, run.translator.search)

    return make


@functools.lru_cache(maxsize=1)
def scored(translator: Translator) -> Translation:
    return translator.score([SOURCE], [TARGET])[0]


@functools.lru_cache(maxsize=1)
def mapped(translator: Translator) -> AttentionMap:
    return translator.attention_maps([scored(translator)])[0]


def traces(translator: Translator, kind: Any = "cross") -> list[Trace]:
    """The first, a middle and the last position of one translation."""
    translation = scored(translator)
    return [trace_position(translator, translation, at, kind=kind) for at in (1, 3, len(translation.tokens))]


def by_name(trace: Trace, layer: int | None = None, head: int | None = None) -> dict[str, Step]:
    steps = trace.steps(layer, head)
    assert len({step.name for step in steps}) == len(steps) and all(step.sentence for step in steps)
    return {step.name: step for step in steps}


def close(got: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-5)


def check(trace: Trace, translator: Translator) -> None:
    """Compare a trace with what the model gives for the same translation."""
    attention = mapped(translator)
    every = getattr(attention, trace.kind)
    for layer in range(1, trace.layers + 1):
        for head in range(1, trace.heads + 1):
            steps = by_name(trace, layer, head)
            weights = steps.get("weights") or steps["softmax"]
            assert torch.equal(weights.values, every[layer - 1, head - 1, trace.position - 1])
            assert [*weights.labels] == attention.axes(trace.kind)[1]
            close(steps["masked"].values.softmax(-1), steps["softmax"].values)
            close(weights.values @ steps["values"].values, steps["context"].values)
            close(steps["weighted values"].values.sum(0), steps["context"].values)
    check_next_token(by_name(trace)["next token"], trace, translator)


def check_next_token(step: Step, trace: Trace, translator: Translator) -> None:
    """Compare with the steps of a search along the translation."""
    translation = scored(translator)
    (source,) = translator.tokenizer.encode_source([SOURCE])
    with torch.no_grad():
        state: Any = translator.model.start(torch.tensor([source]), torch.ones(1, len(source), dtype=torch.bool))
        for token in [BOS, *translation.tokens[: trace.position - 1]]:
            log_probs, state = translator.model.step(torch.tensor([token]), state)
    best, ids = log_probs[0].exp().topk(5)
    close(step.values[:5, 1], best)
    labels = [translator.tokenizer.target_pieces([index])[0].label for index in ids.tolist()]
    assert [*step.labels[:5]] == labels and step.shape == (log_probs.shape[1],)
    own = step.values[step.labels.index(translation.pieces[trace.position - 1]), 1]
    assert float(own.log()) == pytest.approx(translation.token_log_probs[trace.position - 1], abs=1e-4)


@pytest.mark.parametrize(("name", "feeding"), FEEDING)
def test_a_trace_is_what_the_model_computes(name: str, feeding: bool | None, recurrent: Make) -> None:
    translator = recurrent(FAMILIES[name], input_feeding=feeding)
    for trace in traces(translator):
        check(trace, translator)


@pytest.mark.parametrize("kind", ["cross", "decoder_self"])
@pytest.mark.parametrize("positions", POSITIONS)
def test_a_trace_of_a_transformer_is_what_it_computes(positions: str, kind: str, transformer: Make) -> None:
    settings = {"qk_norm": positions == "rotary", "attention_gate": positions != "learned"}
    translator = transformer(positions, norm_first=positions != "alibi", **settings)
    for trace in traces(translator, kind):
        check(trace, translator)


def test_the_steps_are_those_of_the_formulas(recurrent: Make) -> None:
    additive = by_name(traces(recurrent(FAMILIES["bahdanau"]))[1])
    assert additive["state"].values.shape == additive["query"].values.shape
    close((additive["projected query"].values + additive["keys"].values).tanh(), additive["tanh"].values)
    cosine = by_name(traces(recurrent(FAMILIES["cosine"]))[1])
    assert "memory norms" in cosine
    close(cosine["keys"].values.norm(dim=-1), cosine["factor"].values.expand(len(cosine["keys"].values)))
    close(cosine["query"].values @ cosine["keys"].values.T / cosine["query norm"].values, cosine["scores"].values)
    local = by_name(traces(recurrent(FAMILIES["local_p"]))[1])
    close(local["softmax"].values * local["bell"].values, local["weights"].values)
    close(torch.arange(len(local["bell"].values)) - local["centre"].values, local["offsets"].values)
    trace = traces(recurrent(FAMILIES["coverage"]))[1]
    coverage, weights = by_name(trace), trace.attention.cross
    assert weights is not None
    close(weights[0, 0, :2].sum(0) / coverage["fertility"].values, coverage["coverage"].values)


def test_a_window_and_later_tokens_are_hidden(recurrent: Make, transformer: Make) -> None:
    narrow = instantiate(attention_node("local_m") | {"window": 1}, "model.attention", within=MODELS)
    step = by_name(traces(recurrent(narrow))[1])["masked"]
    length = len(step.values)
    assert step.values.isfinite().tolist() == [1 <= place <= 3 for place in range(length)]
    assert step.sentence.startswith(f"{length - 3} of {length} tokens are hidden")
    step = by_name(traces(transformer("sinusoidal"), "decoder_self")[1])["masked"]
    assert step.values.isfinite().tolist() == [place < 3 for place in range(len(step.values))]


def test_the_gate_of_a_transformer(transformer: Make) -> None:
    translator = transformer("sinusoidal", attention_gate=True)
    for kind in ("cross", "decoder_self"):
        trace = traces(translator, kind)[1]
        one, two = (by_name(trace, 1, head) for head in (1, 2))
        names = ["context", "gate", "gated context", "joined"]
        assert [name for name in one if name in names] == names
        assert one["joined"].equation == "W^O [z_1 c_1; …; z_H c_H] + b"
        attention: Any = translator.model.decoder.attentions(kind)[0]
        gate = torch.cat((one["gate"].values, two["gate"].values))
        close(gate, attention.gate(one["query"].values).sigmoid().detach())
        both = torch.cat((one["gated context"].values, two["gated context"].values))
        close(both, gate * torch.cat((one["context"].values, two["context"].values)))
        close(one["joined"].values, attention.output(both).detach())


def test_the_normalizer_names_its_step(recurrent: Make) -> None:
    pytest.importorskip("entmax")
    trace = traces(recurrent(functools.partial(DotAttention, normalizer="sparsemax")))[1]
    assert trace.attention.cross is not None and "softmax" not in by_name(trace)
    assert torch.equal(by_name(trace)["sparsemax"].values, trace.attention.cross[0, 0, 2])


def test_watching_changes_nothing_and_ends(transformer: Make) -> None:
    translator = transformer("sinusoidal")
    (translation,) = translator.score([SOURCE], [TARGET])
    before = sys.gettrace()
    trace = trace_position(translator, translation, 1)
    count = len(trace.watched)
    assert translator.score([SOURCE], [TARGET]) == [translation]
    assert sys.gettrace() is before and count == len(trace.watched) > 0
    assert not translator.model.decoder._forward_hooks


@pytest.mark.parametrize("name", ["local_p", "multihead", "coverage"])
def test_the_terminal_shows_the_numbers_in_a_hundred_columns(name: str, recurrent: Make) -> None:
    trace = traces(recurrent(FAMILIES[name]))[1]
    said = list(lines(trace, 100))
    assert said[0].startswith("position 3 of ") and f"“{shown(trace.piece)}”, after <s> " in said[0]
    assert max(map(len, said)) <= 100
    for number, step in enumerate(trace.steps(), start=1):
        assert any(line.startswith(f"{number}. {step.name}") for line in said)
    weights = trace.steps()[-1].values[:, 1]
    assert f"{weights[0]:.3f}" in said[-len(weights)]


def test_the_json_has_all_numbers(recurrent: Make) -> None:
    narrow = instantiate(attention_node("local_m") | {"window": 1}, "model.attention", within=MODELS)
    trace = traces(recurrent(narrow))[1]
    data = json.loads(trace.to_json())
    assert (data["position"], data["token"], data["before"]) == (3, trace.piece, trace.before)
    for step, written in zip(trace.steps(), data["steps"], strict=True):
        assert (written["name"], tuple(written["labels"]), tuple(written["shape"])) == (
            step.name,
            step.labels,
            step.shape,
        )
        values = json.loads(json.dumps(written["values"]).replace("null", "-Infinity"))
        close(torch.tensor(values, dtype=torch.float32), step.values)


def test_what_a_model_cannot_show(recurrent: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    translator = recurrent(FAMILIES["dot"])
    (translation,) = translator.score([SOURCE], [TARGET])
    for place in (99, 0, -1):
        with pytest.raises(UserError, match=rf"trace: got {place}, but the translation has the positions 1:.* 2:"):
            trace_position(translator, translation, place)
    with pytest.raises(UserError, match="got kind 'decoder_self', but the decoder of this model has cross"):
        trace_position(translator, translation, 1, kind="decoder_self")
    with pytest.raises(UserError, match="trace: got head 2, but this model has 1 head"):
        trace_position(translator, translation, 1).steps(head=2)
    monkeypatch.setattr(RecurrentDecoder, "attentions", Decoder.attentions)
    with pytest.raises(UserError, match="does not say which modules compute its attention"):
        trace_position(translator, translation, 1)
    without: Any = None
    with pytest.raises(UserError, match=r"no attention; all that it gets from the source is its first state"):
        trace_position(recurrent(without), translation, 1)
