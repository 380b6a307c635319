"""Word alignments: links from weights by hand, symmetrization against the published algorithm, error rates by hand."""

from __future__ import annotations

import itertools
import random

import pytest
import torch

from nmt.data.pair import SentencePair
from nmt.data.word_links import Gold, Link, Links, parse_pair, to_text
from nmt.errors import UserError
from nmt.lab.alignment.alignment import Agreement, Panel, agreement, grow_diag_final_and, links_of, panels, units
from nmt.text.protect import Spans
from nmt.tokens import Piece
from nmt.translation.translator import Translator
from tests.tiny_run import Run

WEIGHTS = torch.tensor(  # target pieces down: Hun- d- . </s>; source pieces across: A dog . </s>
    [[0.1, 0.5, 0.1, 0.3], [0.4, 0.3, 0.2, 0.1], [0.0, 0.1, 0.2, 0.7], [0.0, 0.1, 0.6, 0.3]]
)


def links(*, threshold: float | None = None, shifted: bool = False, target: tuple[int, ...] = (0, 0, 1)) -> str:
    return to_text(links_of(WEIGHTS, ((0, 1, 2), target), threshold=threshold, shifted=shifted))


def test_each_target_piece_is_linked_to_its_highest_weight_but_not_to_the_end() -> None:
    assert links(target=(0, 1, 2)) == "0-1 1-0 2-2"
    assert links() == "0-0 1-0 2-1", "a word has the links of its pieces"
    assert links(shifted=True, target=(0, 1, 2)) == "0-0 2-1 2-2", "by the rows of the next steps"
    assert links(threshold=0.3, target=(0, 1, 2)) == "0-1 1-0 1-1"
    assert links(threshold=0.9) == ""
    only_the_end = torch.tensor([[0.0, 0.0, 1.0], [0.0, 0.4, 0.6]])
    assert links_of(only_the_end, ((0, 1), (0, 1)), threshold=None, shifted=False) == {(1, 1)}
    assert links_of(torch.ones(1, 1), ((), ()), threshold=None, shifted=False) == set()


def test_units_are_words_or_pieces_and_never_the_end() -> None:
    pieces = [Piece(label) for label in ("▁", "ein", "▁Hun", "d", "▁.", "</s>")]
    assert list(units(pieces, "ein  Hund .", words=True, where="")) == [0, 0, 1, 1, 2]
    assert list(units(pieces, "ein Hund .", words=False, where="")) == [0, 1, 2, 3, 4]
    with pytest.raises(UserError, match=r"^de:7: has the character '▁' \(U\+2581\)"):
        units(pieces, "ein▁Hund .", words=True, where="de:7")


def test_the_words_of_spans_and_of_texts_in_capitals_are_counted(run: Run) -> None:
    ours, patterns = run.translator, {"braces": r"\{[^{}]+\}", "tags": "</?[a-z][^<>]*>"}
    translator = Translator(ours.model, ours.tokenizer.with_spans(Spans(patterns)), ours.search)
    words_and_spans = "{name} {y} </a> <b> dog DOGS é".split()  # noqa: SIM905
    parts = [*words_and_spans, "{ a  b }", '<a href="x y">', *("  \u00a0 ")]
    draw = random.Random(1)
    texts = ["A DOG {a b} RIDES", "<a b>A</a> DOGS", *("".join(draw.choices(parts, k=12)).strip() for _ in range(60))]
    maps = translator.attention_maps(translator.score(texts, texts))
    for text, each in zip(texts, maps, strict=True):
        words, found = text.split(), units(each.source_pieces, text, words=True, where="")
        assert len(found) == len(each.source_pieces) - 1 and found[-1] == len(words) - 1
        for piece, unit in zip(each.source_pieces, found, strict=False):
            if text.count(piece.label) == 1 and piece.label in words:
                assert unit is not None and words[unit] == piece.label, text


@pytest.mark.parametrize(
    ("labels", "text", "expected"),
    [
        ("▁Click <b> ▁OK </b> ▁now", "Click <b>OK</b> now", [0, 1, 1, 1, 2]),
        ("▁Click <b> ▁OK </b> ▁now", "Click<b> OK</b> now", [0, 0, 1, 1, 2]),
        ("▁ <b> <i> ▁OK </i> </b> ▁, ▁ok", "<b><i>OK</i></b> , ok", [0, 0, 0, 0, 0, 0, 1, 2]),
        ("▁a <b> <i> ▁OK", "a  <b><i>OK", [0, 1, 1, 1]),
        ("▁un ? s <b> ▁OK ▁ x", "un☃s <b>OK x", [0, 0, 0, 0, 1, 2, 2]),
    ],
)
def test_the_text_decides_which_word_a_tag_begins(labels: str, text: str, expected: list[int]) -> None:
    assert list(units([*map(Piece, labels.split())], text, words=True, where="")) == expected


def test_panels_are_heads_means_of_layers_and_the_mean_of_all() -> None:
    assert panels(1, 1) == [Panel()] and panels(1, 2) == [Panel(1, 1), Panel(1, 2), Panel()]
    assert panels(2, 1) == [Panel(1), Panel(2), Panel()]
    names = ["layer 1, head 1", "layer 1, head 2", "layer 2, head 1", "layer 2, head 2"]
    assert [str(each) for each in panels(2, 2)] == [
        *names, "layer 1, mean of heads", "layer 2, mean of heads", "mean of all heads",
    ]  # fmt: skip
    weights = torch.rand(2, 3, 4, 5)
    assert torch.equal(Panel(2, 3).of(weights), weights[1, 2])
    assert torch.allclose(Panel(2).of(weights), weights[1].mean(0))
    assert torch.allclose(Panel(head=1).of(weights), weights[:, 0].mean(0))
    assert torch.allclose(Panel().of(weights), weights.mean((0, 1)))
    with pytest.raises(UserError, match=r"^head: got 4, but this model has 3; expected 1 to 3, or null"):
        Panel(1, 4).of(weights)


def published(forward: Links, backward: Links) -> set[Link]:
    """Return grow-diag-final-and as the pseudocode of the Moses manual has it, over all words; e is the target."""
    neighbouring = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))
    e2f, f2e = {(j, i) for i, j in forward}, {(j, i) for i, j in backward}
    found, size = e2f & f2e, range(8)

    def aligned(side: int, word: int) -> bool:
        return any(link[side] == word for link in found)

    while True:
        before = len(found)
        for e, f in itertools.product(size, size):
            if (e, f) in found:
                for down, across in neighbouring:
                    new = e + down, f + across
                    if (not aligned(0, new[0]) or not aligned(1, new[1])) and new in e2f | f2e:
                        found.add(new)
        if len(found) == before:
            break
    for side in (e2f, f2e):
        for e, f in itertools.product(size, size):
            if not aligned(0, e) and not aligned(1, f) and (e, f) in side:
                found.add((e, f))
    return {(i, j) for j, i in found}


def test_grow_diag_final_and_is_the_published_algorithm() -> None:
    draw, sizes = random.Random(3), set()
    for _ in range(300):
        # One link for each word of the other side, as aligners give them, mostly near the diagonal.
        forward = {(min(7, max(0, j + draw.choice((-2, -1, 0, 0, 1, 2)))), j) for j in range(8) if draw.random() < 0.9}
        backward = {(i, min(7, max(0, i + draw.choice((-3, -1, 0, 0, 1, 3))))) for i in range(8) if draw.random() < 0.9}
        found = grow_diag_final_and(forward, backward)
        assert found == published(forward, backward)
        assert forward & backward <= found <= forward | backward
        sizes.add((len(found - (forward & backward)) > 0, len((forward | backward) - found) > 0))
    assert (True, True) in sizes


def test_precision_recall_and_error_rate() -> None:
    gold = parse_pair("0-0 1-1 1?2 2?2", SentencePair("a b c", "d e f"), "")
    found = agreement({(0, 0), (1, 2), (2, 0)}, gold)
    assert found == Agreement(links=3, sure=2, in_sure=1, in_possible=2)
    assert (found.precision, found.recall) == (2 / 3, 1 / 2)
    assert found.error_rate == pytest.approx(1 - (1 + 2) / (3 + 2))
    assert agreement(gold.sure, gold).error_rate == agreement(gold.possible, gold).error_rate == 0
    both = found + agreement({(0, 0)}, Gold(frozenset({(0, 0)}), frozenset({(0, 0)})))
    assert both == Agreement(4, 3, 2, 3) and both.error_rate == pytest.approx(1 - 5 / 7)
    nothing = Agreement()
    assert (nothing.precision, nothing.recall, nothing.error_rate) == (0, 0, 1)
