"""A split is counted and digested in one pass, in flat memory."""

import tracemalloc
import unicodedata

import pytest

from nmt.data.pair import Reiterable, SentencePair, Split

PAIRS = [SentencePair(f"source {i}", f"target {i}") for i in range(20_001)]


def test_a_pair_is_normalized_text():
    assert SentencePair(unicodedata.normalize("NFD", " 나 für\u2003ihn "), "\ta  b\r") == SentencePair(
        "나 für ihn", "a b"
    )


def test_a_split_is_its_pairs():
    split = Split.of(PAIRS)
    assert list(split) == list(split) == PAIRS and len(split) == 20_001
    assert Split.of(split) is split
    assert Split.of(Reiterable(lambda: iter(PAIRS))).digest == split.digest


@pytest.mark.parametrize(
    "other",
    [
        PAIRS[:-1],
        [*PAIRS, SentencePair("", "")],
        [PAIRS[1], PAIRS[0], *PAIRS[2:]],
        [SentencePair("source 0", "target 1"), *PAIRS[1:]],
        [SentencePair("source 0target 0", ""), *PAIRS[1:]],
        [SentencePair(pair.target, pair.source) for pair in PAIRS],
    ],
    ids=["fewer", "more", "order", "text", "border", "sides"],
)
def test_the_digest_sees(other):
    assert Split.of(other).digest != Split.of(PAIRS).digest


def test_alignments_have_a_digest_of_their_own():
    def digest(*alignments):
        pairs = [SentencePair(f"source {i}", "x", alignment=given) for i, given in enumerate(alignments)]
        split = Split.of(pairs)
        assert split.digest == Split.of([SentencePair(pair.source, pair.target) for pair in pairs]).digest
        return split.links

    assert digest(None, None) is None and digest("", None) is None
    digests = [digest("0-0", None), digest(None, "0-0"), digest("0-0", "0-0"), digest("0-1", None)]
    assert None not in digests and len(set(digests)) == 4
    assert digest("0-0", "") == digests[0]
    far = [None] * 10_000
    assert digest(*far, "0-0") != digest("0-0", *far), "in different chunks"


def test_memory_does_not_grow_with_the_number_of_pairs():
    peaks = []
    for count in (20_000, 60_000):
        tracemalloc.start()
        pairs = Reiterable(lambda: (SentencePair(str(i), "x") for i in range(count)))  # noqa: B023
        assert len(Split.of(pairs)) == count
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.1 * peaks[0]
