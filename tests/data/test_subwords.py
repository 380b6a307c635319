"""Sampled encodings keep the text, follow their distributions, and repeat with the seed in every process."""

import itertools
import math
import random
import subprocess
import sys
from collections import Counter

import pytest

from nmt.data import subwords
from nmt.data.pair import SentencePair, Split
from nmt.data.subwords import SAMPLERS, BpeDropout, Inventory, UnigramSampler
from nmt.data.tokenizer import Tokenizer
from nmt.tokens import EOS

STRANGE = ["emoji 😀👩‍👩‍👧 한국어 日本語", "½ … ﬁ „Zitat“", "1234 3.14", "nul\0", "", "<0x0A> </s>", "a▁b ▁▁ c", "▁d"]


def texts(count=300, seed=0):
    draw = random.Random(seed)
    words = ["".join(draw.choices("aabbcdeé", k=draw.randint(1, 9))) for _ in range(200)]
    return [" ".join(draw.choices(words, k=8)) for _ in range(count)]


@pytest.fixture
def tokenizer(tokenizer_config):
    def make(type):
        pairs = list(map(SentencePair, texts(), texts(seed=1)))
        return Tokenizer.train(Split.of(pairs), tokenizer_config(type, vocab_size=340), cache_dir=None)

    return make


def inventory(scores):
    """Return an inventory of the pieces `scores`, whose ids begin at 4; the bytes come after them."""
    ids = {piece: 4 + place for place, piece in enumerate(scores)}
    first = 4 + len(ids)
    content = [b""] * 4 + [piece.encode() for piece in ids] + [bytes([byte]) for byte in range(256)]
    return Inventory(content, ids, scores, range(first, first + 256))


@pytest.mark.parametrize("type", ["unigram", "bpe"])
def test_words_that_are_not_kept_have_the_same_samples(tokenizer, monkeypatch, type):
    """Sentences without spaces are one word each, and would fill the memory."""
    model = tokenizer(type)
    ids = list(model.encode_source(["".join(text.split()) for text in texts(20)]))
    assert max(map(len, ids)) > subwords.LONGEST_KEPT
    inventory, _ = model.inventories
    found = []
    for longest in (0, subwords.LONGEST_KEPT, 10_000):
        monkeypatch.setattr(subwords, "LONGEST_KEPT", longest)
        sampler, rng = SAMPLERS[type](inventory, 0.3), random.Random(0)
        found.append([sampler(each, rng) for each in ids])
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize(("type", "strengths"), [("unigram", (0.1, 0.5, 1.0)), ("bpe", (0.1, 0.5, 1.0))])
def test_a_sampled_encoding_has_the_text_of_the_usual_one(tokenizer, type, strengths):
    model, rng = tokenizer(type), random.Random(0)
    inputs = STRANGE + texts(50, seed=2)
    usual = model.encode_target(inputs)
    for strength in strengths:
        sampler = SAMPLERS[type](model.inventories[1], strength)
        sampled = [sampler(ids, rng) for ids in usual]
        assert [model.decode_target(ids) for ids in sampled] == [model.decode_target(ids) for ids in usual]
        assert all(ids[-1] == EOS and EOS not in ids[:-1] for ids in sampled)
        assert sum(map(len, sampled)) > sum(map(len, usual)) and sampled != usual


def test_without_chance_the_encodings_are_those_of_sentencepiece(tokenizer):
    for type, strength in (("unigram", 1000.0), ("bpe", 0.0)):
        model = tokenizer(type)
        sampler = SAMPLERS[type](model.inventories[1], strength)
        inputs = STRANGE[:-2] + texts(200, seed=3)
        usual = model.encode_target(inputs)
        assert [sampler(ids, random.Random(0)) for ids in usual] == usual


def segmentations(text, pieces):
    """Yield all ways to cut a text into pieces."""
    for cuts in itertools.product([False, True], repeat=len(text) - 1):
        bounds = [0, *(place for place, cut in enumerate(cuts, 1) if cut), len(text)]
        found = tuple(text[start:end] for start, end in itertools.pairwise(bounds))
        if all(piece in pieces for piece in found):
            yield found


def frequencies(sampler, word, draws=20_000):
    ids = [*(sampler.inventory.ids[character] for character in word), EOS]
    rng, names = random.Random(7), {index: piece for piece, index in sampler.inventory.ids.items()}
    counts = Counter(tuple(names[index] for index in sampler(ids, rng)[:-1]) for _ in range(draws))
    return {pieces: count / draws for pieces, count in counts.items()}


def assert_close(found, expected, draws=20_000):
    assert found.keys() <= expected.keys()
    for pieces, share in expected.items():
        assert found.get(pieces, 0.0) == pytest.approx(share, abs=5 * math.sqrt(share / draws))


@pytest.mark.parametrize("alpha", [0.1, 0.5, 1.0])
def test_unigram_samples_as_often_as_all_segmentations_added_up_say(tokenizer, alpha):
    model = tokenizer("unigram")
    inventory = model.inventories[1]
    sampler = UnigramSampler(inventory, alpha)
    words = [piece for piece in inventory.scores if piece.startswith("▁") and len(piece) <= 8]
    word = max(words, key=lambda each: len(list(segmentations(each, inventory.scores))))
    weights = {
        pieces: math.exp(alpha * sum(map(inventory.scores.__getitem__, pieces)))
        for pieces in segmentations(word, inventory.scores)
    }
    total = sum(weights.values())
    assert 4 < len(weights) <= subwords.BEST
    assert_close(frequencies(sampler, word), {pieces: weight / total for pieces, weight in weights.items()})


def outcomes(pieces, order, drop):
    """Return the probability of each result of BPE-dropout, from all subsets of merges that can be left out."""
    merges = [place for place in range(len(pieces) - 1) if pieces[place] + pieces[place + 1] in order]
    found = Counter()
    for dropped in itertools.product([False, True], repeat=len(merges)):
        share = math.prod(drop if left_out else 1 - drop for left_out in dropped)
        rest = [place for place, left_out in zip(merges, dropped, strict=True) if not left_out]
        if not rest:
            found[pieces] += share
            continue
        place = min(rest, key=lambda place: (order.index(pieces[place] + pieces[place + 1]), place))
        after = (*pieces[:place], pieces[place] + pieces[place + 1], *pieces[place + 2 :])
        for result, part in outcomes(after, order, drop).items():
            found[result] += share * part
    return found


@pytest.mark.parametrize("drop", [0.1, 0.5])
def test_bpe_dropout_samples_as_often_as_all_subsets_of_merges_say(drop):
    order = ["ab", "▁a", "ba", "▁ab", "abab"]
    scores = {piece: -float(rank) for rank, piece in enumerate([*order, "▁", "a", "b"])}
    sampler = BpeDropout(inventory(scores), drop)
    assert_close(frequencies(sampler, "▁abab"), outcomes(tuple("▁abab"), order, drop))


PROGRAM = """
import random, sys
from nmt.data.subwords import SAMPLERS
from nmt.data.tokenizer import Tokenizer
for type, path in zip(SAMPLERS, sys.argv[1:], strict=True):
    model = Tokenizer(open(path, "rb").read())
    sampler, rng = SAMPLERS[type](model.inventories[0], 0.3), random.Random("1 2")
    print([sampler(model.encode_source(["abba cabé deb"])[0], rng) for _ in range(20)])
"""


def test_another_process_draws_the_same(tokenizer, tmp_path):
    for type in SAMPLERS:
        (tmp_path / type).write_bytes(tokenizer(type).source_model)
    words = [sys.executable, "-c", PROGRAM, *(str(tmp_path / type) for type in SAMPLERS)]
    first, second = (
        subprocess.run(words, check=True, capture_output=True, text=True, env={"PYTHONHASHSEED": seed}).stdout
        for seed in ("1", "2")
    )
    assert first == second and len(set(first.split("["))) > 10
