"""Ensembles: several checkpoints that translate together."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from nmt import load_translator
from nmt.config.settings import TokenizerConfig
from nmt.data.pair import SentencePair, Split
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError
from nmt.search.base import Search
from nmt.search.beam import BeamSearch
from nmt.search.sampling import Sampling
from nmt.text.protect import Spans
from nmt.text.terms import Terms
from nmt.translation.base import BaseTranslator
from nmt.translation.translation import Translation
from nmt.translation.translator import Ensemble, Translator
from tests.tiny_run import Run, make_model, recurrent, save_other, sentences

TEXTS = [*sentences(6, seed=1), "", sentences(1, seed=2)[0]]
SEARCHES = [
    BeamSearch(beam_size=3, max_length_factor=1.0, coverage_penalty=0.3, n_best=2),
    BeamSearch(beam_size=4, n_best=4, max_length_factor=1.0, utility="chrf"),
    Sampling(samples=2, max_length_factor=1.0, top_p=0.9),
]


@pytest.fixture(scope="module")
def other(run: Run) -> Translator:
    """A recurrent model with the tokenizer of `run`."""
    return Translator(make_model(recurrent(), run.translator.tokenizer), run.translator.tokenizer, BeamSearch())


@pytest.fixture(scope="module")
def mixed(run: Run, other: Translator) -> Ensemble:
    return Ensemble([run.translator, other])


def other_tokenizer(change: Callable[[str], str] = lambda text: text, size: int = 346) -> Tokenizer:
    """Return a tokenizer of changed texts."""
    pairs = [SentencePair(change(line), change(line[::-1])) for line in sentences(60, seed=60)]
    settings = TokenizerConfig(type="bpe", vocab_size=size, joint=True, character_coverage=1.0)
    return Tokenizer.train(Split.of(pairs), settings, cache_dir=None)


def same(one: list[list[Translation]], other: list[list[Translation]]) -> None:
    assert [[t.tokens for t in found] for found in one] == [[t.tokens for t in found] for found in other]
    for first, second in zip(one, other, strict=True):
        assert [t.score for t in first] == pytest.approx([t.score for t in second], abs=1e-4)


@pytest.mark.parametrize("search", SEARCHES, ids=lambda search: search.label)
def test_search_and_score_agree_in_any_batch(mixed: Ensemble, search: Search) -> None:
    together = mixed.hypotheses(TEXTS, search=search)
    for text, found in zip(TEXTS, together, strict=True):
        same(mixed.hypotheses([text], search=search), [found])
        for each in found:
            if each.tokens and mixed.tokenizer.encode_target([each.text])[0] == each.tokens:
                (scored,) = mixed.score([text], [each.text])
                assert each.token_log_probs == pytest.approx(scored.token_log_probs, abs=1e-3)


def test_scores_are_means_of_probabilities(run: Run, other: Translator, mixed: Ensemble) -> None:
    sources, targets = sentences(5, seed=8), ["", *sentences(4, seed=13)]
    three = (translator.score(sources, targets) for translator in (run.translator, other, mixed))
    for one, two, mean in zip(*three, strict=True):
        pairs = zip(one.token_log_probs, two.token_log_probs, strict=True)
        expected = [math.log((math.exp(a) + math.exp(b)) / 2) for a, b in pairs]
        assert mean.token_log_probs == pytest.approx(expected, abs=1e-4)
        assert mean.score == pytest.approx(sum(expected), abs=1e-3)
        assert (mean.tokens, mean.pieces) == (one.tokens, one.pieces)


def test_the_smallest_limit_counts(run: Run, other: Translator) -> None:
    short = Translator(other.model, other.tokenizer, BeamSearch(), trained_length=20)
    for members in ([run.translator, short], [short, run.translator]):
        both = Ensemble(members)
        assert str(both.source_limit()) == "20 tokens (data.max_length of the training)"
        both.search = BeamSearch(long_source="refuse")
        with pytest.raises(UserError, match=r"here: got \d+ tokens, expected at most 20"):
            both.check_source("dog " * 30, "here")


def test_a_member_draws_the_map_of_a_translation_of_the_ensemble(run: Run) -> None:
    models = [make_model(recurrent(), run.translator.tokenizer) for _ in range(2)]
    members = [Translator(each, run.translator.tokenizer, BeamSearch()) for each in models]
    both = Ensemble(members)
    with pytest.raises(UserError, match=r"^attention map: an ensemble or an exported model has none"):
        both.attention_map("a man")
    (found,) = both.translate(["a man sees the dog"])
    for member in members:
        (own,) = member.score([found.source], [found.text])
        theirs, ours = member.attention_maps([found, own])
        assert theirs.source_pieces == ours.source_pieces
    other = Tokenizer(other_tokenizer(str.upper).source_model, run.translator.tokenizer.source_model)
    with pytest.raises(UserError, match="have different vocabularies"):
        Ensemble([members[0], Translator(make_model(recurrent(), other), other, BeamSearch())])


def test_a_member_reads_the_marks_of_a_glossary_of_the_ensemble(run: Run) -> None:
    spans = Spans({"braces": r"\{\w+\}"})
    members = [
        Translator(each, run.translator.tokenizer.with_spans(spans), run.translator.search)
        for each in (run.translator.model, make_model(recurrent(), run.translator.tokenizer))
    ]
    terms = Terms({"dog": "Hund"})
    (found,) = Ensemble(members).with_terms(terms).translate(["a dog {x} sees"])
    (alone,) = members[0].with_terms(terms).translate(["a dog {x} sees"])
    assert found.encoded == alone.encoded
    pieces = [each.attention_maps([every])[0].source_pieces for each in members for every in (found, alone)]
    assert pieces[0] == pieces[1] == pieces[2] == pieces[3]
    with pytest.raises(UserError, match="have different spans, but"):
        Ensemble([members[0], run.translator])


def test_models_that_make_no_ensemble(run: Run, other: Translator) -> None:
    for tokenizer in (other_tokenizer(size=320), other_tokenizer(lambda text: text[::-1] + "x")):
        stranger = Translator(make_model(recurrent(), tokenizer), tokenizer, BeamSearch(), name="far")
        match = r"^ensemble: model 1 \(tiny\) and model 3 \(far\) have different vocabularies, but"
        with pytest.raises(UserError, match=match):
            Ensemble([run.translator, other, stranger])
    ways = [replace(other, languages=languages) for languages in (None, ("en", "ko"), ("ko", "en"))]
    assert Ensemble(ways[:2]).languages == ("en", "ko")
    with pytest.raises(UserError, match="have different languages, but"):
        Ensemble(ways)


def test_checkpoints_make_an_ensemble(run: Run, other: Translator, mixed: Ensemble, tmp_path: Path) -> None:
    path = save_other(run, tmp_path / "other.safetensors")
    both = load_translator([run.folder, path], device="cpu", beam_size=2)
    assert isinstance(both, Ensemble) and both.search == run.translator.search.replace(beam_size=2)
    same(both.hypotheses(TEXTS), mixed.hypotheses(TEXTS, beam_size=2))
    alone: BaseTranslator = load_translator([run.folder], device="cpu")
    assert isinstance(alone, Translator)
    assert alone.translate(TEXTS) == load_translator(run.folder, device="cpu").translate(TEXTS)
    korean = save_other(run, tmp_path / "korean.safetensors", target_lang="ko")
    with pytest.raises(UserError, match=rf"best\.safetensors and {korean} have different languages"):
        load_translator([run.folder, korean], device="cpu")
    with pytest.raises(UserError, match="ckpt: got nothing, expected at least one"):
        load_translator([])


def test_a_model_without_attention_has_no_coverage(run: Run) -> None:
    config = recurrent()
    config["decoder"]["attention"] = None
    plain = Translator(make_model(config, run.translator.tokenizer), run.translator.tokenizer, BeamSearch())
    both = Ensemble([run.translator, plain])
    assert torch.isfinite(torch.tensor([each.score for each in both.translate(TEXTS)])).all()
    with pytest.raises(UserError, match=r"search\.coverage_penalty: .*use 0"):
        both.translate(TEXTS, coverage_penalty=0.2)
