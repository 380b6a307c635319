"""Models in CTranslate2 compute the same numbers, find the same translations, and leave our weights as they are."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import torch

from nmt.checkpoint import weights_of
from nmt.cli.translation_lines import LineTranslator
from nmt.data.batches import pad
from nmt.deploy.export.ctranslate2 import CTranslate2
from nmt.errors import UserError
from nmt.search.beam import BeamSearch
from nmt.tokens import BOS, EOS
from nmt.translation.base import BaseTranslator
from nmt.translation.loading import load, load_translator, make_translator
from tests.deploy.export.models import TEXTS, check_spans, exported, largest_difference, same, transformer
from tests.tiny_run import Run

pytest.importorskip("ctranslate2")

Pair = tuple[BaseTranslator, BaseTranslator]

POSITIONS = "nmt.models.positions"
HELD: dict[str, dict[str, Any]] = {
    "pre-norm": {},
    "post-norm": {"norm_first": False},
    "swiglu": {"activation": "swiglu"},
    "geglu of one post-norm side": {"activation": "geglu", "norm_first": False, "sides": "decoder"},
    "rms": {"norm": "rms"},
    "unscaled scores": {"scale_scores": False},
    "other heads in the decoder": {"heads": 4, "sides": "decoder"},
    "learned positions": {"positions": f"{POSITIONS}.learned.Learned"},
    "rotary, rms": {"positions": f"{POSITIONS}.sinusoidal.Rotary", "norm": "rms"},
}


@pytest.fixture(scope="module")
def pair(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Pair:
    """The translators of a model and of what is written of it."""
    return exported(CTranslate2(), transformer(run), tmp_path_factory.mktemp("out") / "model")


@pytest.mark.parametrize("settings", HELD.values(), ids=HELD)
def test_numbers_and_translations_are_ours(settings: dict[str, Any], run: Run, tmp_path: Path) -> None:
    pair = exported(CTranslate2(), transformer(run, **settings), tmp_path / "model")
    assert largest_difference(*pair) < 1e-4
    for fields in ({"beam_size": 1}, {"beam_size": 1, "no_repeat_ngram_size": 2}, {"beam_size": 1, "min_length": 9}):
        assert len({each.text for each in same(pair, TEXTS, **fields)}) > 6, "the texts say something"


def test_a_translation_may_be_empty(run: Run, tmp_path: Path) -> None:
    model = transformer(run)
    (part,) = make_translator([model]).encode(TEXTS[:1])
    with torch.no_grad():
        source, mask = pad([part.ids])
        first, _, _ = model.model.decoder.step(torch.tensor([BOS]), model.model.start(source, mask))
        weights_of(model.model)["decoder.output.weight"][EOS] = 9 * first[0] / first[0].norm()  # eos comes at once
    pair = exported(CTranslate2(), model, tmp_path / "model")
    assert not same(pair, TEXTS, beam_size=1)[0].text and not same(pair, TEXTS, beam_size=5)[0].text


def test_beam_scores_are_ours(pair: Pair) -> None:
    one_limit: dict[str, Any] = {"max_length_factor": 0.001, "max_length_extra": 15}  # the engine has one for a batch
    best = [[several[0] for several in each.hypotheses(TEXTS, n_best=5, **one_limit)] for each in pair]
    equal = [(a, b) for a, b in zip(*best, strict=True) if a.tokens == b.tokens]
    assert len(equal) > 0.8 * len(TEXTS)
    assert all(a.score == pytest.approx(b.score, abs=1e-4) for a, b in equal)


def test_scores_are_computed_together_when_one_is_read(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    engine, asked = pair[1], list[int]()
    compute = engine.token_log_probs
    monkeypatch.setattr(engine, "token_log_probs", lambda pairs: asked.append(len(pairs)) or compute(pairs))
    lines = LineTranslator(engine)
    list(lines.lines(TEXTS, [""] * len(TEXTS)))
    lines.close()
    found = engine.translate(["", *TEXTS], beam_size=1)
    assert not asked, "texts and the warnings beside them need no scores"
    assert [each.log_prob < 0 for each in found] == [False] + [True] * len(TEXTS) and asked == [len(TEXTS)]
    ours = pair[0].translate(["", *TEXTS], beam_size=1)
    assert [each.log_prob for each in found] == pytest.approx([each.log_prob for each in ours], abs=1e-3)


def test_scores_of_long_and_of_many_pairs_are_ours(pair: Pair) -> None:
    long = " ".join(TEXTS * 2)
    sources = [*TEXTS, long, *TEXTS]
    assert pair[0].encode([long])[0].tokens > 512
    one, two = (each.score(sources, [text[:40] for text in sources]) for each in pair)
    assert [each.score for each in two] == pytest.approx([each.score for each in one], abs=1e-3)


def test_each_sentence_has_its_own_limit_of_the_length(pair: Pair) -> None:
    texts = ["dog", " ".join(TEXTS[:3])]
    fields: dict[str, Any] = {"beam_size": 1, "max_length_factor": 0.5, "max_length_extra": 1, "long_source": "whole"}
    assert all(each.cut for each in same(pair, texts, **fields))
    same(pair, texts, min_length=4, **fields)  # the limit overrides min_length


def test_a_translation_may_fill_all_positions_of_the_decoder(run: Run, tmp_path: Path) -> None:
    positions = {"_target_": f"{POSITIONS}.learned.Learned", "max_length": 10}
    pair = exported(CTranslate2(), transformer(run, positions=positions), tmp_path / "model")
    texts = [text for text in TEXTS if pair[0].encode([text])[0].tokens <= 10]
    found = same(pair, texts, beam_size=1, max_length_factor=3.0)
    assert sum(each.cut for each in found) > 3 and max(len(each.tokens) for each in found) == 10


def test_prefixes_begin_the_translations(pair: Pair) -> None:
    prefixes = ["god a", "", *[text[:3] for text in TEXTS[2:]]]
    same(pair, TEXTS, prefixes=prefixes, beam_size=1)
    for several in pair[1].hypotheses(TEXTS, prefixes=prefixes, beam_size=6, n_best=6):
        assert [each.score for each in several] == sorted((each.score for each in several), reverse=True)


@pytest.mark.parametrize("quantization", ["int8", "int16", "float16", "bfloat16"])
def test_rounding_is_small_and_leaves_our_model_alone(quantization: Any, run: Run, tmp_path: Path) -> None:
    model = transformer(run)
    before = copy.deepcopy(weights_of(model.model))
    exact, rounded = (tmp_path / "exact", tmp_path / "rounded")
    exported(CTranslate2(), model, exact)
    ours, theirs = exported(CTranslate2(quantization=quantization), model, rounded)
    assert all(torch.equal(value, before[name]) for name, value in weights_of(model.model).items())
    assert (rounded / "model.bin").stat().st_size < 0.9 * (exact / "model.bin").stat().st_size
    assert 0 < largest_difference(ours, theirs) < (3 if quantization == "int8" else 0.5)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"qk_norm": True, "sides": "decoder"}, "its decoder has qk_norm=true, expected false; docs/deploying.md"),
        ({"attention_gate": True, "sides": "encoder"}, "its encoder has attention_gate=true, expected false"),
        ({"positions": f"{POSITIONS}.alibi.Alibi"}, "positions=alibi, expected sinusoidal or learned or rotary"),
        ({"positions": f"{POSITIONS}.base.NoPositions"}, "positions=nopositions, expected"),
    ],
    ids=str,
)
def test_what_the_engine_lacks_is_refused(settings: dict[str, Any], words: str, run: Run) -> None:
    with pytest.raises(UserError, match=words):
        CTranslate2().require(transformer(run, **settings))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"normalization": "gnmt"}, "search.normalization: .*power"),
        ({"coverage_penalty": 0.1}, "search.coverage_penalty: got 0.1"),
    ],
)
def test_a_search_that_the_engine_lacks_is_refused(fields: dict[str, Any], words: str, pair: Pair) -> None:
    with pytest.raises(UserError, match=words):
        pair[1].translate(TEXTS, **fields)


@pytest.mark.parametrize("key", ["coverage_penalty", "no_repeat_ngram_size", "min_length"])
def test_a_setting_that_the_files_do_not_keep_is_refused(key: str) -> None:
    with pytest.raises(UserError, match=rf"search\.{key}: got 4.*, which format=ctranslate2 does not keep; set"):
        CTranslate2().search_of(BeamSearch(**{key: 4}), 10)


def test_a_run_is_converted_when_it_is_loaded(run: Run) -> None:
    engine = load_translator(run.folder, engine="ctranslate2", device="cpu", beam_size=4, normalization="gnmt")
    same((run.translator, engine), TEXTS, beam_size=1)
    assert isinstance(engine.search, BeamSearch) and engine.search.label == "beam4.power0.75"
    for ckpt, search, words in (
        ([run.folder] * 2, {}, "engine=ctranslate2: got 2 models, expected one"),
        (run.folder, {"coverage_penalty": 0.2}, "search.coverage_penalty: got 0.2, which CTranslate2 does not have"),
        (run.folder, {"_target_": "nmt.search.sampling.Sampling"}, "beam search only; leave search= out, or engine="),
    ):
        with pytest.raises(UserError, match=words):
            load_translator(ckpt, engine="ctranslate2", device="cpu", search=search)  # type: ignore[arg-type]


def test_spans_are_kept(run: Run, tmp_path: Path) -> None:
    check_spans(CTranslate2(), run, tmp_path / "model")


def test_two_threads_find_the_translations_of_one_and_stay_two(run: Run, tmp_path: Path) -> None:
    _, one = exported(CTranslate2(), transformer(run), tmp_path / "model")
    texts = TEXTS * 8  # several batches, so that both threads have work
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        two = load(tmp_path / "model", device="cpu")[0]
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
    found = [[each.tokens for each in engine.translate(texts, beam_size=3)] for engine in (one, two)]
    assert found[0] == found[1]
