"""The pairs of an epoch follow from seed and epoch, and a loader stopped inside an epoch goes on with the same ones."""

import random
from collections import Counter
from functools import cache

import numpy as np
import pytest

from nmt.data.batches import BatchLoader
from nmt.data.encoded import encode, encode_corpus, lengths_of
from nmt.data.epochs import SubwordSampling, TrainingPairs, WeightedCorpus
from nmt.data.filters import Filters
from nmt.data.pair import SentencePair, Split
from nmt.data.tokenizer import Tokenizer
from nmt.data.word_links import linked_words, links_of_pair, to_text, words_of_pieces
from nmt.text.protect import Spans

COUNT, CHUNK, LONGEST = 420, 400, 40  # more pairs than one chunk of the encoder


def texts(count, seed):
    draw = random.Random(seed)
    words = ["".join(draw.choices("abcdefgh한é", k=draw.randint(1, 8))) for _ in range(300)]
    return [" ".join(draw.choices(words, k=draw.randint(1, 7))) for _ in range(count)]


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch):
    for module in ("encoded", "epochs"):
        monkeypatch.setattr(f"nmt.data.{module}.CHUNK_PAIRS", CHUNK)


@pytest.fixture(scope="module")
def pairs():
    draw, found = random.Random(3), []
    for source, target in zip(texts(COUNT, 1), texts(COUNT, 2), strict=True):
        links = {(draw.randrange(len(source.split())), draw.randrange(len(target.split()))) for _ in range(3)}
        found.append(SentencePair(source, target, alignment=to_text(links) if draw.random() < 0.8 else None))
    return found


@pytest.fixture(scope="module")
def tokenizer(pairs, tokenizer_config):
    @cache
    def make(type="unigram", *, joint=True):
        return Tokenizer.train(Split.of(pairs), tokenizer_config(type, vocab_size=400, joint=joint), cache_dir=None)

    return make


def encoded(pairs, tokenizer, folder, **settings):
    filters = Filters(max_length=LONGEST, max_ratio=100.0)
    return encode_corpus(Split.of(pairs), tokenizer, filters, folder=folder, **settings)


def sampled(usual, model, strength, seed=0):
    return TrainingPairs([WeightedCorpus(usual)], SubwordSampling(model, strength, LONGEST), seed)


def lengths_fit(pairs):
    return all(np.array_equal(one, other) for one, other in zip(pairs.lengths, lengths_of(list(pairs)), strict=True))


def same(one, other):
    """Return whether two lists of encoded pairs are equal."""
    return len(one) == len(other) and all(
        a[:2] == b[:2] and np.array_equal(a.links, b.links) for a, b in zip(one, other, strict=True)
    )


@pytest.mark.parametrize("joint", [True, False])
@pytest.mark.parametrize("type", ["unigram", "bpe"])
def test_sampled_pairs_are_other_encodings_of_the_same_texts(pairs, tokenizer, tmp_path, type, joint):
    model = tokenizer(type, joint=joint)
    usual = encoded(pairs, model, tmp_path)
    train, again, other = (sampled(usual, model, 0.3, seed=seed) for seed in (1, 1, 2))
    epochs = [list(train.of_epoch(epoch)) for epoch in (0, 1)]
    back = model if joint else Tokenizer(model.target_model, model.source_model)
    for epoch in epochs:
        assert len(epoch) == len(train) == len(usual) and train.differ
        assert [model.decode_target(pair.target) for pair in epoch] == [model.decode_target(p.target) for p in usual]
        assert [back.decode_target(pair.source) for pair in epoch] == [back.decode_target(p.source) for p in usual]
    assert sum(a[:2] != b[:2] for a, b in zip(*epochs, strict=True)) > COUNT / 2
    assert list(again.of_epoch(1)) == epochs[1] != list(other.of_epoch(1)), "no matter which epochs were made before"


@pytest.mark.parametrize("type", ["unigram", "bpe"])
def test_links_follow_their_words(pairs, tokenizer, tmp_path, type):
    model, filters = tokenizer(type), Filters(max_length=LONGEST, max_ratio=100.0)
    made = sampled(encoded(pairs, model, tmp_path, linked=True), model, 0.2).of_epoch(0)
    kept = [
        pair for pair, drop in zip(pairs, filters.reasons(*lengths_of(encode(pairs, model))), strict=True) if not drop
    ]
    for pair, ids in zip(kept, made, strict=True):
        words = [words_of_pieces(side, starts) for side, starts in zip(ids[:2], model.word_starts, strict=True)]
        assert linked_words(ids.links, *words) == links_of_pair(pair, "here")


def turned(pair):
    links = " ".join("-".join(reversed(link.split("-"))) for link in (pair.alignment or "").split())
    return SentencePair(pair.target, pair.source, alignment=links or None)


@pytest.mark.parametrize("linked", [True, False])
def test_a_corpus_backwards_is_the_corpus_with_its_sides_swapped(pairs, tokenizer, tmp_path, linked):
    """Also the marks of spans have the order of the new source."""
    model = tokenizer().with_spans(Spans({"braces": r"\{\w+\}", "tags": "</?[a-z]>"}))
    draw, marked = random.Random(5), []
    for pair in pairs:
        sides, spans = (pair.source.split(), pair.target.split()), ["{a}", "{b}", "{c}", "<b>a</b>", "<i>b</i>"]
        for span in draw.sample(spans, draw.randint(0, 4)):
            for side in sides:
                side.insert(draw.randint(0, len(side)), span)
        marked.append(SentencePair(*map(" ".join, sides), alignment=pair.alignment))
    forwards = encoded(marked, model, tmp_path, linked=linked)
    backwards = encoded(marked, model, tmp_path, linked=linked, backwards=True)
    assert same(backwards, encoded(list(map(turned, marked)), model, tmp_path, linked=linked))
    assert [pair.source for pair in forwards] != [pair.target for pair in backwards], "some are numbered anew"
    train = TrainingPairs([WeightedCorpus(forwards), WeightedCorpus(backwards)])
    both = train.of_epoch(0)
    assert same(both, [*forwards, *backwards]) and len(train) == len(both) and not train.differ and lengths_fit(both)
    assert sum(len(batch.source) for batch in BatchLoader(train.of_epoch, 2000)) == len(both)


def counted(pairs):
    return Counter((tuple(pair.source), tuple(pair.target)) for pair in pairs)


def test_an_epoch_has_the_pairs_of_each_corpus_as_often_as_their_weights_say(pairs, tokenizer, tmp_path):
    model = tokenizer()
    main, other, third = (encoded(pairs[part], model, tmp_path) for part in (slice(50), slice(60, 90), slice(90, 130)))
    whole = TrainingPairs([WeightedCorpus(main), WeightedCorpus(other, 3)])
    assert list(whole.of_epoch(0)) == [*main, *other, *other, *other] and not whole.differ
    assert whole.of_epoch(1) is whole.of_epoch(0) and len(whole) == 140

    train = TrainingPairs([WeightedCorpus(main), WeightedCorpus(other, 2.5), WeightedCorpus(third, 0.25)], seed=1)
    assert train.differ and len(train) == 50 + 75 + 10
    assert len(WeightedCorpus(main, 0.0001)) == 1, "no corpus is without a pair"
    shares = []
    for epoch in range(40):
        mixture = train.of_epoch(epoch)
        found = list(mixture)
        assert len(found) == len(mixture) == 135 and found[:110] == [*main, *other, *other]
        assert lengths_fit(mixture)
        more = counted(found[110:])
        assert more <= counted(other) + counted(third) and len(found[125:]) == 10
        shares.append(more)
        assert same([mixture[-1], mixture[60]], [found[-1], found[60]])
    assert counted(third) <= sum(shares, Counter()) and shares[0] != shares[1]
    again = TrainingPairs([WeightedCorpus(main), WeightedCorpus(other, 2.5), WeightedCorpus(third, 0.25)], seed=1)
    assert counted(again.of_epoch(7)) == counted(train.of_epoch(7))
    loader = BatchLoader(train.of_epoch, 100, seed=1)
    for epoch in range(5):
        loader.set_epoch(epoch)
        assert len(list(loader)) == len(loader)


def batches(loader):
    return [(batch.source.tolist(), batch.target_out.tolist()) for batch in loader]


@pytest.mark.parametrize(("type", "ranks"), [("unigram", 2), ("bpe", 1)])
def test_a_loader_goes_on_where_it_stopped(pairs, tokenizer, tmp_path, type, ranks):
    model = tokenizer(type)
    usual = encoded(pairs, model, tmp_path)

    def loader(epoch, rank=0):
        made = BatchLoader(sampled(usual, model, 0.3, seed=1).of_epoch, 500, seed=1, rank=rank, world_size=ranks)
        made.set_epoch(epoch)
        return made

    whole = [batches(loader(epoch)) for epoch in range(3)]
    assert {len(each) for each in whole} == {len(loader(0))} == {len(batches(loader(2, ranks - 1)))}
    for stop in (0, 1, len(whole[2]) - 1):
        stopped, resumed = loader(2), loader(0)
        for _ in zip(range(stop), stopped, strict=False):
            pass
        resumed.load_state_dict(stopped.state_dict())
        resumed.set_epoch(2)
        assert batches(resumed) == whole[2][stop:]
