"""The examples print the numbers and shapes that a reader of tutorials computes by hand."""

from __future__ import annotations

import math
import re

import pytest
import torch

from nmt.errors import UserError
from nmt.lab.attention.examples import EXAMPLES, NEGATED, SEED, WORDS
from nmt.lab.cli import attend
from nmt.models.multihead import MultiHeadAttention


def numbers(line: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+\.\d+", line)]


def line_of(name: str, start: str) -> str:
    return next(line for line in EXAMPLES[name]().splitlines() if line.startswith(start))


def weights_of(text: str) -> torch.Tensor:
    """Return all tables of weights between the four words (tables, 4, 4), and check that their rows sum to 1."""
    rows = [numbers(line) for line in text.splitlines() if line.partition(" ")[0] in WORDS and "sum" in line]
    assert {row[-1] for row in rows} == {1.0} and {len(row) for row in rows} == {5}
    return torch.tensor([row[:-1] for row in rows]).view(-1, 4, 4)


def test_scores_become_weights() -> None:
    assert numbers(line_of("softmax", "weights"))[:3] == [0.66, 0.24, 0.10]
    assert numbers(line_of("softmax", "exp")) == [7.39, 2.72, 1.11, 11.21]


def test_a_price_is_looked_up_by_similarity() -> None:
    scores = {"apple": 0.4 + 0.5 + 0.7, "banana": 0.8 - 0.5 - 0.35, "carrot": -0.4 + 0.5 - 0.7}
    powers = {name: math.exp(score / math.sqrt(3)) for name, score in scores.items()}
    weights = {name: power / sum(powers.values()) for name, power in powers.items()}
    for name, score in scores.items():
        assert numbers(line_of("lookup", name))[-3:] == pytest.approx(
            [score, score / math.sqrt(3), weights[name]], abs=0.006
        )
    price = 1.2 * weights["apple"] + 0.8 * weights["banana"] + 0.5 * weights["carrot"]
    assert numbers(line_of("lookup", "result"))[-1] == pytest.approx(price, abs=0.006)


def test_self_attention_over_four_words() -> None:
    text = EXAMPLES["self"]()
    for name, shape in {"words": "(4, 20)", "queries": "(4, 5)", "scores": "(4, 4)", "context": "(4, 5)"}.items():
        assert shape in line_of("self", name)
    words = torch.randn(4, 20, generator=torch.Generator().manual_seed(SEED))
    torch.manual_seed(SEED)
    q, k = (torch.nn.Linear(20, 5, bias=False).weight.detach() for _ in range(2))
    expected = torch.empty(4, 4)
    for row in range(4):
        scores = [float((q @ words[row]) @ (k @ words[column])) / math.sqrt(5) for column in range(4)]
        expected[row] = torch.tensor([math.exp(score) for score in scores])
    torch.testing.assert_close(weights_of(text)[0], expected / expected.sum(1, True), atol=0.006, rtol=0)


def test_four_heads_of_five_are_joined_to_the_width() -> None:
    text = EXAMPLES["heads"]()
    shapes = {"queries": "(4, 4, 5)", "weights  ": "(4, 4, 4)", "contexts": "(4, 20)", "output": "(4, 20)"}
    for name, shape in shapes.items():
        assert shape in line_of("heads", name)
    words = torch.randn(4, 20, generator=torch.Generator().manual_seed(SEED))
    torch.manual_seed(SEED)
    attention = MultiHeadAttention(20, 4)
    _, weights = attention(words[None], words[None], need_weights=True)
    torch.testing.assert_close(weights_of(text), weights[0].detach(), atol=0.006, rtol=0)


def test_only_positions_tell_two_sentences_of_the_same_words_apart() -> None:
    first, second = (sentence.split() for sentence in NEGATED)
    assert first != second and sorted(first) == sorted(second)
    rows = [line.split() for line in EXAMPLES["order"]().splitlines() if line.partition(" ")[0] in first]
    assert [row[0] for row in rows] == first
    assert [second[int(row[2]) - 1] for row in rows] == first and len({row[2] for row in rows}) == len(first)
    assert all(row[3] == "0.00" and float(row[4]) > 0 for row in rows)
    moved = [float(row[4]) for row in rows if row[1] != row[2]]
    assert min(moved) > max(float(row[4]) for row in rows if row[1] == row[2])


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_needs_no_checkpoint(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    state = torch.random.get_rng_state()
    attend.main([f"example={name}"])
    assert capsys.readouterr().out == EXAMPLES[name]() + "\n"
    assert torch.equal(state, torch.random.get_rng_state())
    with pytest.raises(UserError, match=f"example={name}: it has numbers of its own and no settings; leave out ckpt=x"):
        attend.main([f"example={name}", "ckpt=x"])


def test_another_example_is_refused() -> None:
    with pytest.raises(UserError, match=r"example: got 'sofmax', expected one of .*; did you mean 'softmax'"):
        attend.main(["example=sofmax"])
