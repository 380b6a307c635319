"""The engine of a page computes what the program computes: every model, the tokenizers, prefixes, heads, traces."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator
from itertools import repeat
from pathlib import Path
from typing import Any

import pytest
import torch

from nmt.build import build_model, search_node
from nmt.checkpoint import LoadedModel
from nmt.config.settings import TokenizerConfig
from nmt.data.pair import SentencePair, Split
from nmt.data.tokenizer import Tokenizer
from nmt.deploy.export.base import Exportable
from nmt.deploy.export.html import Engine, packed
from nmt.deploy.page import held
from nmt.search.beam import BeamSearch
from nmt.tokens import BOS, PAD
from nmt.translation.loading import load_models, make_translator
from tests.deploy.export.models import two_vocabularies
from tests.models.cases import BETWEEN, CASES, build, model_config
from tests.tiny_run import sentences

pytestmark = pytest.mark.skipif(Engine.program is None, reason="node is not installed")

GENERAL, BLOCK = "rnn model/attention=general model.attention.normalizer=", "transformer model.encoder.block."
MORE = [f"{GENERAL}sparsemax", f"{GENERAL}entmax", "rnn model/attention=multihead model.attention.normalizer=entmax"]
MORE += [BLOCK + each for each in ("norm_first=false", "activation=gelu", "qk_norm=true", "norm=rms")]
MORE += ["rnn model/attention=euclidean model.attention.scale=learned", "transformer model.tie_embeddings=target"]
TINY = [(f"{BLOCK}norm={norm} model.tie_embeddings=none", 1e-3) for norm in ("layer", "rms")]  # small beside epsilon
SLOW = [pytest.mark.slow]
ALL = [pytest.param(words, 1.0, marks=SLOW * (i % 8 > 0)) for i, words in enumerate([*CASES, *MORE])]
LOCAL = "rnn model/attention=local_p model/attention@model.attention.scores=multihead model.attention.window=2"
TRACED = ["transformer model/positions=rotary model.encoder.block.qk_norm=true", LOCAL, "additive, between"]
TRACED += ["transformer model/positions=relative model.encoder.block.attention_gate=true"]
TRACED += [f"rnn model/attention={name}" for name in ("coverage", "cosine", "euclidean", "luong", "local_m")]
EXAMPLES = Path(__file__).parents[3] / "examples"
SEARCH = BeamSearch(beam_size=4, n_best=4, length_penalty=0.8, max_length_factor=1.0, max_length_extra=4)
TEXTS = [*sentences(3, seed=5), "A  naïve café\u0301 ☃"]
PREFIX = "a red bike"  # so that each translation has some tokens
USUAL = "abcdefghi ABC ,.'-0123äöüß▁é한국어日かｱｶﾞ￼₂½Å…\u0301\u0323\u1100\u1161\u11a8\u0e01\u0915\u094d\u05d0\u0628"
HIDDEN = "\u00ad\u200b\u200c\u200d\u200e\u2066\ufeff\ufe0f\u034f\u115f\u1160\u00a0\u3000\u0085\x1c\t\u3164\u2028\u180e"
ODD = "😀 👩\u200d👧 🏴\U000e0067 1\ufe0f\u20e3 ｟0｠ ｟15｠ ｟99｠ </s> <0x41> ﬁ Ａ".split(" ")  # noqa: RUF001, SIM905


@functools.cache
def unigram() -> Tokenizer:
    pairs = Split.of([SentencePair(line, line.upper()) for line in sentences(60, seed=60)])
    settings = TokenizerConfig(type="unigram", vocab_size=345, joint=True, character_coverage=1.0)
    return Tokenizer.train(pairs, settings, cache_dir=None)


def both(words: str, tokenizer: Tokenizer | None = None, inputs: float = 1.0, banned: float = 0.0) -> Any:
    """Return the translator of a model with random weights, and its engine. `inputs` multiplies the source table."""
    own, draw = tokenizer or unigram(), torch.Generator().manual_seed(3)
    sizes = {"source_vocab_size": own.source_vocab_size, "target_vocab_size": own.target_vocab_size}
    model = build(words, own.source_vocab_size) if words in BETWEEN else build_model(model_config(words), **sizes)
    with torch.no_grad():
        for name, weight in model.eval().named_parameters():
            weight.copy_((0.3 * torch.randn(weight.shape, generator=draw) + ("norm" in name)).half())
        model.encoder.embedding.weight.copy_((model.encoder.embedding.weight * inputs).half())
        if banned:  # tokens that are never generated are the most probable ones
            model.decoder.output.bias[[PAD, BOS]] = banned
    config = {"name": "tiny", "model": {"encoder": {}, "decoder": {}}, "search": search_node(SEARCH)}
    return held_by_engine(LoadedModel(model, own, config, {}, 1, Path()))


def held_by_engine(loaded: LoadedModel) -> tuple[Any, Engine]:
    translator: Any = make_translator([loaded])
    return translator, Engine(held([packed(Exportable(loaded, translator.search, ""))]))


def numbers(value: Any) -> Iterator[float]:
    for each in value:
        yield from numbers(each) if isinstance(each, list) else [each]


def translated(engine: Engine, **options: Any) -> Any:
    return engine.ask("(model, texts, options) => texts.map((text) => model.translate(text, options))", TEXTS, options)


def check(translator: Any, engine: Engine, *, prefix: str = PREFIX, off: Any = (), **fields: Any) -> None:
    """Assert that the engine finds the same hypotheses with the same numbers."""
    found = translated(engine, prefix=prefix, off=off, **fields)
    expected = translator.hypotheses(TEXTS, prefixes=[prefix] * len(TEXTS), **fields)
    best = [several[0] for several in expected]
    maps = translator.attention_maps(best) if translator.attends else repeat(None)
    for ours, theirs, drawn in zip(expected, found, maps, strict=False):
        assert theirs["source_ids"] == ours[0].encoded.ids
        for one, other in zip(ours, theirs["translations"], strict=True):
            assert (other["tokens"], other["text"], other["pieces"]) == (one.tokens, one.text, one.pieces)
            values = [other["score"], other["log_prob"], *other["log_probs"]]
            assert values == pytest.approx([one.score, one.log_prob, *one.token_log_probs], rel=1e-6, abs=3e-5)
        for kind in ("cross", "encoder_self", "decoder_self"):
            weights = getattr(drawn, kind, None)
            got = (theirs if kind == "encoder_self" else theirs["translations"][0])[kind]
            if kind == "decoder_self" and weights is not None:  # the engine has no columns for what is not read yet
                weights = weights[..., torch.ones(weights.shape[2:]).tril().bool()]
            flat = [] if weights is None else weights.flatten().tolist()
            assert list(numbers(got or [])) == pytest.approx(flat, abs=1e-5)


@pytest.mark.parametrize(("words", "inputs"), [*ALL, *TINY])
def test_every_model_finds_the_same_with_the_same_numbers(words: str, inputs: float) -> None:
    if "entmax" in words or "sparsemax" in words:
        pytest.importorskip("entmax")
    check(*both(words, inputs=inputs))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(path.parent.name for path in EXAMPLES.glob("*/metrics.json")))
def test_examples_translate_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "TEXTS", sentences(20, seed=1))
    (loaded,) = load_models(EXAMPLES / name, "cpu")
    check(*held_by_engine(loaded), prefix="")


@pytest.mark.parametrize("make", [unigram, two_vocabularies])
def test_odd_texts_have_the_same_ids_and_odd_ids_the_same_texts(make: Any) -> None:
    own, draw = make(), random.Random(1)
    translator, engine = both("rnn model.tie_embeddings=target", own, banned=9.0)
    check(translator, engine, normalization="power", length_penalty=1.4, beam_size=3, n_best=2)
    letters = [*USUAL, *USUAL, *HIDDEN, *ODD]
    random_texts = ("".join(draw.choices(letters, k=draw.randint(1, 30))) for _ in range(500))
    texts = ["", " ", "▁▁ a ▁", "\u0e01\u200b\u0e01", *random_texts]
    found = engine.ask("(model, texts) => texts.map((text) => model.read(text))", texts)
    for text, one, other in zip(texts, translator.encode(texts), found, strict=True):
        assert one.ids == other, text
    most = (own.target_vocab_size, 280)
    lists = [[draw.randrange(draw.choice(most)) for _ in range(draw.randint(1, 12))] for _ in range(400)]
    first = own.target_vocabulary.index("<0x00>")
    lists.append([first + byte for byte in "\ufeff☃\ufffd".encode()])
    decode = "(model, lists) => lists.map((ids) => [model.target.decode(ids), model.target.labels(ids)])"
    read = engine.ask(decode, lists)
    for ids, given in zip(lists, read, strict=True):
        assert given == [own.decode_target(ids), [piece.label for piece in own.target_pieces(ids)]], ids


def test_first_words_and_the_likeliest_tokens() -> None:
    translator, engine = both("transformer")
    check(translator, engine, prefix="RED, ß")
    check(translator, engine, prefix="")
    assert translated(engine, beam_size=1, n_best=3) == translated(engine, beam_size=3, n_best=3), "as wide as needed"
    ids = torch.tensor([translator.encode(TEXTS[:1])[0].ids])
    with torch.no_grad():
        log_probs, _ = translator.model.step(torch.tensor([2]), translator.model.start(ids, ids != 0))
    best = log_probs[0].exp().topk(5)
    pieces, chances = zip(*translated(engine)[0]["translations"][0]["next"][0], strict=True)
    assert list(pieces) == [each.label for each in translator.tokenizer.target_pieces(best.indices.tolist())]
    assert chances == pytest.approx(best.values.tolist(), abs=1e-5)


def test_a_too_long_text_is_refused_and_an_empty_one_has_no_translation() -> None:
    translator, engine = both("transformer model/positions=learned")
    ask = "(model, text, options) => { try { return model.translate(text, options); } catch (error) { return error; } }"
    most = translator.source_limit().tokens
    assert engine.ask(ask, "a b " * most, {}).items() >= {"reason": "long", "limit": most}.items()
    assert engine.ask(ask, "a", {"prefix": "a b " * 9})["reason"] == "long_prefix"
    assert engine.ask(ask, " \ufeff", {})["translations"] == []
    limited = engine.ask(ask, "a b " * 14, {"prefix": "a b " * 20})  # by the positions of the decoder
    assert limited["limit"] == translator.longest_target - 1 == 31


@pytest.mark.parametrize(("kind", "layer", "head"), [("cross", 2, 1), ("encoder_self", 1, 2), ("decoder_self", 1, 4)])
def test_a_head_is_switched_off(kind: str, layer: int, head: int) -> None:
    translator, engine = both("transformer")
    layers: Any = (translator.model.encoder if kind == "encoder_self" else translator.model.decoder).layers
    attention = getattr(layers[layer - 1], "cross_attention" if kind == "cross" else "self_attention")
    width = attention.output.in_features // attention.heads

    def silence(module: Any, inputs: Any) -> Any:
        return inputs[0].index_fill(-1, torch.arange((head - 1) * width, head * width), 0)

    with attention.output.register_forward_pre_hook(silence):
        check(translator, engine, off=[(kind, layer, head)])
    assert translated(engine) != translated(engine, off=[(kind, layer, head)])


@pytest.mark.parametrize("words", [pytest.param(each, marks=SLOW * (i % 3 > 0)) for i, each in enumerate(TRACED)])
def test_a_trace_has_the_steps_and_the_numbers_of_the_laboratory(words: str) -> None:
    lab = pytest.importorskip("nmt.lab.trace.trace")
    translator, engine = both(words)
    (best,) = translator.translate(TEXTS[1:2], prefixes=[PREFIX])
    for kind in ("cross", "decoder_self") if words.startswith("transformer") else ("cross",):
        for position in (2, len(best.tokens)):
            trace = lab.trace_position(translator, best, position, kind=kind)
            place = {"position": position, "attention": kind, "layer": trace.layers, "head": trace.heads}
            found = engine.ask("(model, ...given) => model.trace(...given)", TEXTS[1], best.tokens, place)["steps"]
            assert found[-1]["rank"] == 1 + int((trace.logits > trace.logits[trace.token]).sum())
            expected = [lab.plain(step, columns=8) for step in trace.steps(trace.layers, trace.heads)]
            for one, other in zip(expected, found, strict=True):
                same = ("name", "shape", "labels", "columns")
                assert [other[key] for key in same] == [one[key] for key in same]
                assert list(numbers([other["values"]])) == pytest.approx(list(numbers([one["values"]])), abs=1e-4)
