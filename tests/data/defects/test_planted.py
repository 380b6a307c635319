"""Ten pairs of each defect, planted into good corpora, are found; of the good pairs fewer than 1 % have it."""

from __future__ import annotations

import random
import re
import unicodedata

import pytest

from nmt.data.defects.base import CorpusContext
from nmt.data.defects.corpus import several_targets
from nmt.data.filters import DEFECTS
from nmt.data.pair import SentencePair, Split
from tests.data.defects.good import CORPORA, find, good_pairs

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
NUMBER = re.compile(r"(?<![\w%.$,])[1-9]\d+(?![\w%.$,])", re.ASCII)
CAN_HAVE_OTHER_FORM = 12


def other_number(pair, draw):
    """Return the pair with another number on one side, or without it there; None if it has none of two digits."""
    numbers = [
        n for n in NUMBER.findall(pair.target) if n in NUMBER.findall(pair.source) and int(n) > CAN_HAVE_OTHER_FORM
    ]
    if not numbers:
        return None
    number = draw.choice(numbers)
    other = draw.choice([str(int(number) + draw.randint(1, 9)), ""])
    if other and re.search(rf"{other}|{int(other) % 12}", pair.source + pair.target):
        return None
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


def test_texts_are_compared_as_the_model_reads_them():
    decomposed = unicodedata.normalize("NFD", "Das Café  öffnet. ")
    pairs = [SentencePair("The café opens.", "Das Café öffnet."), SentencePair(" The  café opens.", decomposed)]
    assert find("duplicate", pairs, ("en", "de")) == {1: "again"}
    assert find("identical", [SentencePair("Das Café öffnet.", decomposed)], ("en", "de")) == {0: "same text"}
    context = CorpusContext(("en", "de"), Split.of(pairs[1:]), {"test": Split.of(pairs[:1])})
    assert DEFECTS["leaked_pair"](context).find(0, pairs[1]) == "test, exactly"
    assert several_targets(*CorpusContext(("en", "de"), Split.of(pairs)).hashes) == 0
