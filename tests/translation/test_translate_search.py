"""The options of a search through the Translator: log-probabilities, prefixes, and what is no text."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
import torch

from nmt.errors import UserError
from nmt.search.base import Search
from nmt.search.beam import BeamSearch
from nmt.search.sampling import Sampling
from nmt.tokens import BOS
from tests.tiny_run import Run, sentences

LIMITS: dict[str, Any] = {"max_length_factor": 1.0, "max_length_extra": 2}
RULES: dict[str, Any] = {"min_length": 4, "no_repeat_ngram_size": 2, **LIMITS}
SEARCHES = [
    BeamSearch(
        **{"beam_size": 4, "n_best": 4, "coverage_penalty": 0.3, "normalization": "power"},
        **{"utility": "bleu", **RULES},
    ),
    Sampling(samples=4, utility="chrf", **RULES),
]


@pytest.mark.parametrize("search", SEARCHES, ids=lambda search: search.label)
def test_log_probabilities_are_those_of_the_forced_model(run: Run, search: Search) -> None:
    model = run.translator.model.eval()
    for found in itertools.chain(*run.translator.hypotheses(sentences(3, seed=2), search=search)):
        source, read = torch.tensor([found.encoded.ids]), torch.tensor([[BOS, *found.tokens[:-1]]])
        with torch.no_grad():
            hidden, _ = model(source, torch.ones_like(source).bool(), read)
            forced = model.decoder.output(hidden[0]).log_softmax(-1)[range(len(found.tokens)), found.tokens]
        assert found.token_log_probs == pytest.approx(forced.tolist(), abs=1e-4)
        assert run.translator.attention_maps([found])[0].origin.log_prob == sum(found.token_log_probs)


def test_the_setting_of_a_doubt_changes_no_translation_and_no_file_name(run: Run) -> None:
    searches = [BeamSearch(beam_size=1, unsure_below=each) for each in (0.0, -100.0)]
    all_unsure, sure = (run.translator.translate(sentences(4, seed=3), search=search) for search in searches)
    assert all("unsure" in each.doubts for each in all_unsure) and not any("unsure" in each.doubts for each in sure)
    assert [each.tokens for each in all_unsure] == [each.tokens for each in sure]
    assert searches[0].limits == searches[1].limits and searches[0].label == searches[1].label
    order = ["max_length_factor", "max_length_extra", "long_source", "max_source_length"]
    assert [*searches[0].limits] == order, "file names have a digest of the values"


def test_a_translation_begins_with_its_prefix(run: Run) -> None:
    texts, prefixes = sentences(3, seed=3), ["a red", "", "the  snow, "]
    free = run.translator.translate(texts, max_length_extra=12)
    for search in (BeamSearch(), BeamSearch(beam_size=1), Sampling(samples=3)):
        found = run.translator.translate(texts, prefixes=prefixes, search=search, max_length_extra=12)
        assert found[0].text.startswith("a red") and found[2].text.startswith("the snow,")
        assert found[0].tokens[:-1] != run.translator.tokenizer.encode_target(["a red"])[0][:-1]
    found = run.translator.translate(texts, prefixes=prefixes, max_length_extra=12)
    assert found[1].tokens == free[1].tokens
    assert run.translator.translate([" "], prefixes=["a"])[0].text == ""


def test_prefixes_that_do_not_fit_are_refused(run: Run) -> None:
    for prefixes in (["a", "b"], []):
        with pytest.raises(UserError, match=rf"^prefix: got {len(prefixes)} texts, expected one for each of 1 sent"):
            run.translator.translate(["a dog"], prefixes=prefixes)
    done: list[int] = []
    message = r"^sentence 3 of 3: the prefix 'a red bike': got \d+ tokens, expected at most 1 tokens \(.*; shorten it"
    with pytest.raises(UserError, match=message):
        run.translator.translate(
            ["a dog", " ", "a cat"],
            prefixes=["", "a red bike", "a red bike"],
            max_length_factor=0.1,
            max_length_extra=2,
            batch_tokens=1,
            advance=done.append,
        )
    assert sum(done) <= 1, "nothing is translated before the refusal"


def test_what_is_no_text_is_refused(run: Run) -> None:
    texts = sentences(3, seed=3)
    assert run.translator.translate(iter(texts)) == run.translator.translate(texts)
    with pytest.raises(UserError, match=r"^sentence: got one text, expected a list of texts; write \[text\]$"):
        run.translator.translate(texts[0])
    with pytest.raises(UserError, match=r"^sentence 2 of 2: got None, expected a text of whole characters$"):
        run.translator.translate([texts[0], None])
    with pytest.raises(UserError, match=r"^prefix 1 of 1: got 3, expected a text of whole characters$"):
        run.translator.translate(texts[:1], prefixes=[3])
    with pytest.raises(UserError, match=r"^sentence 1 of 1: got 'a\\ud800b', expected a text of whole"):
        run.translator.translate(["a\ud800b"])
    with pytest.raises(UserError, match=r"^translation 1 of 1: got None, expected a text of whole characters$"):
        run.translator.score(texts[:1], [None])
    with pytest.raises(UserError, match=r"^translation: got 1 text, expected one for each of 2 sentences"):
        run.translator.score(texts[:2], texts[:1])
