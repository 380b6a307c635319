"""The contract of a search strategy, held to by every YAML in configs/search."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest
import torch

from nmt.build import build_search, search_node
from nmt.config.compose import compose
from nmt.errors import ParameterError
from nmt.search.base import Search
from nmt.search.beam import BeamSearch
from nmt.search.sampling import Sampling
from nmt.tokens import BOS, EOS, PAD
from tests.search.toy import Toy, total

FOLDER = Path(__file__).resolve().parents[2] / "configs" / "search"
NAMES = sorted(path.stem for path in FOLDER.glob("*.yaml"))


@pytest.fixture(scope="module", params=NAMES)
def search(request: pytest.FixtureRequest) -> Search:
    return build_search(compose("train", [f"search={request.param}"])["search"])


def test_defaults_in_code_make_every_key_optional(search: Search) -> None:
    node = search_node(search)
    assert build_search(node) == search and hash(build_search(node)) == hash(search)
    assert type(search)() == build_search({"_target_": node["_target_"]})
    with pytest.raises(dataclasses.FrozenInstanceError):
        search.batch_tokens = 1  # type: ignore[misc]


@dataclasses.dataclass(frozen=True)
class Bonus:
    words: float = 0.2


@dataclasses.dataclass(frozen=True, kw_only=True)
class Rewarding(BeamSearch):
    """A search of one's own, with a part that has settings and a field that is none."""

    bonus: Bonus = dataclasses.field(default_factory=Bonus)
    cache: dict[str, int] = dataclasses.field(init=False, default_factory=dict, compare=False)

    @property
    def label(self) -> str:
        return "rewarding"


def test_the_node_of_a_search_of_ones_own_can_be_read_again() -> None:
    own = {"_target_": f"{__name__}.Rewarding"}
    allow = [__name__.partition(".")[0]]
    bonus = {"_target_": f"{__name__}.Bonus", "words": 0.5}
    search = build_search({**own, "bonus": bonus}, allow=allow)
    node = search_node(search)
    assert node["bonus"] == bonus and "cache" not in node
    assert build_search(node, allow=allow) == search


OTHER_VALUES: dict[str, Any] = {
    **{"beam_size": 20, "length_penalty": 0.5, "normalization": "power", "coverage_penalty": 0.2},
    **{"n_best": 3, "temperature": 0.5, "top_k": 3, "top_p": 0.5, "samples": 7, "seed": 9},
    **{"min_length": 3, "no_repeat_ngram_size": 3, "utility": "bleu"},
}


@pytest.mark.parametrize("several", [BeamSearch(beam_size=10, n_best=10), Sampling(samples=5)])
def test_every_setting_that_changes_results_changes_the_label(several: Search) -> None:
    names = {field.name for field in dataclasses.fields(several)} - {field.name for field in dataclasses.fields(Search)}
    names -= {"groups", "diversity", "repetition_penalty"}  # of earlier versions
    labels = [several.label]
    for name in sorted(names):
        labels.append(several.replace(**{name: OTHER_VALUES[name]}).label)
        assert re.fullmatch(r"[\w.+-]+", labels[-1])
    assert len(set(labels)) == len(names) + 1


def test_one_fields_change_is_checked(search: Search) -> None:
    assert search.replace(batch_tokens=7).batch_tokens == 7
    for fields in ({"batch_tokens": 0}, {"max_length_extra": 0.5}, {"max_length_factor": 0.0}, {"nothing": 1}):
        with pytest.raises(ParameterError) as caught:
            search.replace(**fields)
        assert caught.value.parameter in fields


def test_hypotheses_are_whole_ranked_and_scored_by_the_model(search: Search) -> None:
    toy = Toy(30, seed=1)
    topics, limits = toy.topics(5), [9, 1, 4, 9, 6]
    for topic, limit, hypotheses in zip(topics, limits, toy.find(search, topics, limits), strict=True):
        scores = [hypothesis.score for hypothesis in hypotheses]
        assert hypotheses and scores == sorted(scores, reverse=True)
        for hypothesis in hypotheses:
            tokens = hypothesis.tokens
            assert not {PAD, BOS} & set(tokens) and EOS not in tokens[:-1]
            assert len(tokens) == limit or tokens[-1] == EOS
            assert sum(hypothesis.token_log_probs) == pytest.approx(total(toy, topic, tokens), abs=1e-4)


def test_a_sentence_finds_the_same_alone_and_in_any_batch(search: Search) -> None:
    toy = Toy(30, seed=2)
    topics, limits = toy.topics(9), [int(n) for n in torch.randint(1, 12, (9,), generator=toy.generator)]
    together = [[h.tokens for h in found] for found in toy.find(search, topics, limits)]
    for order in (list(range(8, -1, -1)), [4], [2, 2, 0]):
        again = toy.find(search, topics[order], [limits[i] for i in order])
        assert [[h.tokens for h in found] for found in again] == [together[i] for i in order]


def test_torchs_generator_is_left_alone(search: Search) -> None:
    toy, before = Toy(30, seed=3), torch.get_rng_state()
    toy.find(search, toy.topics(3), [5] * 3)
    assert torch.equal(torch.get_rng_state(), before)
