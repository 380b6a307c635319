"""Ten pairs of each defect, planted into good corpora, are found; of the good pairs fewer than 1 % have it."""

from __future__ import annotations

import random
import re

import pytest

from nmt.data.pair import SentencePair
from tests.lab.corpus.good import CORPORA, find, good_pairs

ENGLISH_MARKUP = ("<b>{}</b>", "<p>{}", "{}<br/>", '<a href="x.html">{}</a>', "{} <SUB>2</SUB>")
MARKUP = (*ENGLISH_MARKUP, "{} &amp; {}", "&quot;{}&quot;", "{}&nbsp;", "{} &#8211; {}", "{} &#x2026;")
SYMBOLS = (
    *("!!! ??? *** a", "{}" + "=" * 30, "|| -- || {{}} [] || x1 ||", "{} ............", "(*&^%$#@!)"),
    *("{} ~~~~~~", "♥ ♥ ♥ → → → ☆ ok", "{} ???????", "----- 1 -----", "«» „“ … — ¿ a"),
)
ADDRESSES = (
    *(("{} https://example.com/a", "{} https://example.com/b"), ("{} www.example.com", "{} www.example.org")),
    *(("{} (mail@example.com)", "{} (post@example.com)"), ("{} https://example.com/a?id=1", "{}")),
    *(("{}", "{} https://example.com/a"), ("{} mail@example.com", "{}"), ("{}", "{} mail@example.com.")),
    *(("{} http://a.example", "{} http://b.example"), ("{} ftp://a.example/x", "{} ftp://a.example/y")),
    ("{} a.b@example.com, c@example.com", "{} a.b@example.com"),
)
NUMBER = re.compile(r"(?<![\w%.$,])[1-9]\d\d+(?![\w%.$,])", re.ASCII)


def other_number(pair, draw):
    """Return the pair with another number on one side, or without it there; None if it has none of three digits."""
    numbers = [number for number in NUMBER.findall(pair.target) if number in NUMBER.findall(pair.source)]
    if not numbers:
        return None
    number = draw.choice(numbers)
    other = draw.choice([str(int(number) + draw.randint(1, 9)), ""])
    return SentencePair(pair.source, re.sub(rf"(?<!\d){number}(?!\d)", other, pair.target))


def one_side(texts):
    """Return a function that puts one text after another around the source or the target."""

    def plant(pair, draw, place):
        changed = texts[place].format(pair.target, pair.target)
        return SentencePair(pair.source, changed) if place % 2 else SentencePair(changed, pair.target)

    return plant


PLANTED = {
    "markup": one_side(MARKUP),
    "symbols": one_side(SYMBOLS),
    "addresses": lambda pair, draw, place: SentencePair(
        *(text.format(side) for text, side in zip(ADDRESSES[place], (pair.source, pair.target), strict=True))
    ),
    "numbers": lambda pair, draw, place: other_number(pair, draw),
}


@pytest.mark.parametrize("name", PLANTED)
@pytest.mark.parametrize("corpus", CORPORA, ids=" ".join)
def test_ten_planted_pairs_are_found_and_few_good_ones(corpus, name):
    draw, languages, pairs = random.Random(7), corpus[1:], list(good_pairs(*corpus))
    good = find(name, pairs, languages)
    assert len(good) < 0.01 * len(pairs)
    planted = []
    while len(planted) < 10:
        index = draw.randrange(len(pairs))
        changed = None if index in good or index in planted else PLANTED[name](pairs[index], draw, len(planted))
        if changed:
            pairs[index] = changed
            planted.append(index)
    assert sorted(find(name, pairs, languages)) == sorted([*good, *planted])
