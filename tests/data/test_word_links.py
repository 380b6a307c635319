"""The Pharaoh format, and links between words carried to their pieces, against a plain reference."""

import random

import numpy as np
import pytest

from nmt.data.encoded import encode
from nmt.data.pair import SentencePair, Split
from nmt.data.tokenizer import Tokenizer
from nmt.data.word_links import Gold, parse_pair, to_text
from nmt.errors import UserError


def test_the_pharaoh_format():
    pair = SentencePair("a b c", "d  e")
    gold = parse_pair(" 2-0 0?1  1-1 ", pair, "gold:1")
    assert gold == Gold(frozenset({(2, 0), (1, 1)}), frozenset({(2, 0), (1, 1), (0, 1)}))
    assert to_text(gold.possible) == "0-1 1-1 2-0"
    assert parse_pair("", SentencePair("", ""), "gold:2") == Gold(frozenset(), frozenset())
    for text, message in {
        "0-1 1:2": r"^gold:3: got '1:2', expected links such as 0-0 \(sure\) or 0\?1 \(possible\)",
        "0-1-2": "got '0-1-2', expected",
        "-1-0": "got '-1-0', expected",
        "3-0": "^gold:3: got the link 3-0, but the source has 3 words, counted from 0; check",
        "0?2": "got the link 0\\?2, but the target has 2 words",
    }.items():
        with pytest.raises(UserError, match=message):
            parse_pair(text, pair, "gold:3")


def aligned_pairs(count):
    """Return random pairs of made-up words with strange white space, and random links."""
    draw = random.Random(5)
    found = []
    for _ in range(count):
        words = [["".join(draw.choices("abcdé한3.", k=draw.randint(1, 6))) for _ in range(draw.randint(1, 6))]
                 for _ in range(2)]  # fmt: skip
        links = {(draw.randrange(len(words[0])), draw.randrange(len(words[1]))) for _ in range(draw.randint(0, 7))}
        text = [draw.choice([" ", "  ", "\u3000"]).join(side) + draw.choice(["", " "]) for side in words]
        found.append(SentencePair(*text, alignment=to_text(links)))
    return found


@pytest.fixture
def tokenizer(tokenizer_config):
    return Tokenizer.train(Split.of(aligned_pairs(300)), tokenizer_config(vocab_size=330), cache_dir=None)


def word_of_each_piece(pieces):
    """Count the words: a piece with the mark of a space begins one. The last piece is the end of the sentence."""
    return [sum(piece.label.startswith("▁") for piece in pieces[: place + 1]) - 1 for place in range(len(pieces) - 1)]


def test_linked_words_link_all_their_pieces(tokenizer):
    pairs = aligned_pairs(300)
    seen = 0
    for pair, encoded in zip(pairs, encode(pairs, tokenizer, linked=True), strict=True):
        links = {tuple(map(int, link.split("-"))) for link in pair.alignment.split()}
        source = word_of_each_piece(tokenizer.source_pieces(encoded.source))
        target = word_of_each_piece(tokenizer.target_pieces(encoded.target))
        expected = [(t, s) for t, j in enumerate(target) for s, i in enumerate(source) if (i, j) in links]
        assert list(map(tuple, encoded.links.tolist())) == expected
        assert encoded.links.shape == (len(expected), 2)
        seen += len(expected)
    assert seen > 3000, "words of several pieces"


def test_only_sure_links_are_used_and_a_pair_may_have_none(tokenizer):
    texts = ["0?0 1-1", "0?0", "", None]
    found = encode([SentencePair("a b", "a b", alignment=text) for text in texts], tokenizer, linked=True)
    with_links, *without = [pair.links for pair in found]
    assert len(with_links) and all(np.array_equal(links, np.empty((0, 2))) for links in without)
