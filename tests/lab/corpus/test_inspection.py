"""The data report: every planted defect is found and nothing else, and its figures are those of counting by hand."""

from __future__ import annotations

import importlib.util
import random
import re

import pytest

from nmt.data.encoded import encode, encode_corpus
from nmt.data.filters import make_filters
from nmt.data.pair import SentencePair, Split
from nmt.data.sources.cldr import Cldr
from nmt.data.tokenizer import Tokenizer
from nmt.lab.callbacks.data_report import report_lines
from nmt.lab.corpus.defects import DEFECTS, FILTERS
from nmt.lab.corpus.inspection import inspect
from nmt.lab.corpus.report import page, short_text, text, visible
from tests.html_page import Page
from tests.lab.corpus.good import paired

ENGLISH = ("the old man walks his dog along river while children play in snow and women read books").split()  # noqa: SIM905
GERMAN = "der alte Mann führt seinen Hund am Fluss während Kinder im Schnee spielen und Frauen lesen".split()  # noqa: SIM905
NEEDS = {"encoding": "ftfy", "language": "py3langid"}
LOOKED_FOR = [name for name in DEFECTS if importlib.util.find_spec(NEEDS.get(name, "nmt")) is not None]

HELD_OUT = {
    "val": [SentencePair("Two dogs, running fast.", "Zwei Hunde, die schnell laufen."), SentencePair("Hi", "Tag")],
    "test": [SentencePair("A red boat sails.", "Ein rotes Boot segelt."), SentencePair("Snow!", "Schnee!")],
}
LEAKED = {"leaked_pair", "leaked_source", "leaked_target"}
# The defects of a pair, and the pair.
PLANTED = [
    ({"empty"}, SentencePair("", "Ein Hund.")),
    ({"empty"}, SentencePair("A dog.", " \t")),
    ({"too long"}, SentencePair("the old man walks " * 40, "der alte Mann " * 40)),
    ({"of unequal length"}, SentencePair("the old man walks his dog along the river " * 4, "Ja")),
    ({"identical"}, SentencePair("Berlin Dresden", "Berlin Dresden")),
    ({"duplicate"}, SentencePair("a first pair", "ein erstes Paar")),
    (LEAKED, SentencePair("A red boat sails.", "Ein rotes Boot segelt.")),
    (LEAKED, SentencePair("two dogs running fast", "zwei Hunde die schnell laufen!")),
    ({"leaked_source"}, SentencePair("A red boat sails.", "Ein Schiff, das rot ist.")),
    ({"leaked_target"}, SentencePair("A ship that is red.", "ein rotes Boot segelt")),
    ({"script"}, SentencePair("собака бежит", "ein Hund rennt")),
    ({"language"}, SentencePair("children play in the snow " * 4, "les enfants jouent dans la neige avec leurs amis")),
    ({"encoding"}, SentencePair("a bridge over the river", "eine BrÃ¼cke Ã¼ber den Fluss")),
    ({"encoding"}, SentencePair("a bridge over the street", "eine Br\ufffdcke \ufffdber die Straße")),
    ({"invisible", "encoding"}, SentencePair("an old\u0092 cat", "eine alte Katze")),
    ({"invisible"}, SentencePair("a young man", "ein junger \uf8ffMann")),
    ({"markup"}, SentencePair("a man &amp; his dog", "ein Mann & sein Hund")),
    ({"numbers"}, SentencePair("2,500 children in the snow", "3500 Kinder im Schnee")),
    ({"symbols"}, SentencePair("children at the river", "======= Kinder")),
    *(({"many_targets"}, SentencePair("yes", f"ja {word}")) for word in GERMAN[:6]),
]


def sentences(words, count, seed):
    draw = random.Random(seed)
    return [" ".join(draw.sample(words, 8)) for _ in range(count)]


@pytest.fixture(scope="module")
def corpus():
    """Sound pairs with planted ones among them; every pair has the number of its line."""
    sound = [SentencePair(*each) for each in zip(sentences(ENGLISH, 300, 1), sentences(GERMAN, 300, 2), strict=True)]
    train = [SentencePair("a first pair", "ein erstes Paar"), *sound, *(pair for _, pair in PLANTED)]
    order = [0, *random.Random(3).sample(range(1, len(train)), len(train) - 1)]
    lines = [SentencePair(train[i].source, train[i].target, line) for line, i in enumerate(order, 1)]
    return {split: Split.of(pairs) for split, pairs in {"train": lines, **HELD_OUT}.items()}


@pytest.fixture
def tokenizer(corpus, tokenizer_config):
    return Tokenizer.train(corpus["train"], tokenizer_config(vocab_size=None), cache_dir=None)


@pytest.fixture
def report(corpus, tokenizer, data_config):
    return inspect(corpus, tokenizer, data_config(), origin=lambda split: f"{split}.tsv", examples=1000)


def expected(corpus):
    """Return for each defect the lines of the planted pairs."""
    planted = {(pair.source, pair.target): names for names, pair in PLANTED}
    lines = {}
    for pair in list(corpus["train"])[1:]:
        for name in planted.get((pair.source, pair.target), ()):
            lines.setdefault(name, []).append(f"line {pair.line}")
    return {name: found for name, found in lines.items() if name in LOOKED_FOR or name not in DEFECTS}


def test_every_planted_defect_is_found_and_nothing_else(report, corpus):
    findings = report.splits["train"].findings
    found = {name: [each.where for each in finding.examples] for name, finding in findings.items() if finding.count}
    assert found == expected(corpus)
    assert all(finding.count == len(finding.examples) for finding in findings.values())
    assert not any(finding.count for split in HELD_OUT for finding in report.splits[split].findings.values())
    assert set(report.not_tested) == set(DEFECTS) - set(LOOKED_FOR)
    assert [(report.splits[split].seen_sources, report.splits[split].seen_pairs) for split in HELD_OUT] == [(1, 1)] * 2
    assert report.splits["train"].several_targets == 2, "yes, and the red boat"


def test_a_filter_drops_exactly_what_the_report_finds(report, corpus, tokenizer, data_config, tmp_path):
    for name in filter(FILTERS.__contains__, LOOKED_FOR):
        filters = make_filters(data_config(), {name: FILTERS[name]}, corpus)
        encoded = encode_corpus(corpus["train"], tokenizer, filters, folder=tmp_path)
        lines = {each.where for each in report.splits["train"].findings[name].examples}
        limits = {line for reason in ("empty", "too long", "of unequal length") for line in expected(corpus)[reason]}
        kept = [pair for pair in corpus["train"] if f"line {pair.line}" not in lines | limits]
        assert list(encoded) == encode(kept, tokenizer) and encoded.dropped.get(name, 0) == len(lines), name


def test_figures_are_those_of_counting_by_hand(report, corpus, tokenizer):
    for name, split in corpus.items():
        pairs = list(split)
        encoded = encode(pairs, tokenizer)
        for side in (0, 1):
            texts = [(pair.source, pair.target)[side] for pair in pairs]
            lengths = sorted(len(ids[side]) for ids in encoded)
            found = (report.splits[name].source, report.splits[name].target)[side]
            assert found.words == sum(len(each.split()) for each in texts)
            assert found.characters == sum(map(len, texts)) and found.texts == len(texts)
            assert found.pieces == sum(lengths) - len(lengths)
            assert found.longest == lengths[-1] and found.median == lengths[(len(lengths) - 1) // 2]
            below = [sum(length <= bound for length in lengths) for bound in found.histogram]
            assert list(found.histogram.values()) == [b - a for a, b in zip([0, *below], below, strict=False)]
    assert report.splits["train"].source.unknown_pieces == 0


def test_further_training_corpora_are_inspected_as_train_is(corpus, tokenizer, data_config):
    sound = Split.of(list(corpus["train"])[:5])
    whole = inspect(corpus, tokenizer, data_config(), origin=str, examples=1000)
    parted = inspect({**corpus, "train": sound}, tokenizer, data_config(), origin=str, more={"a": corpus["train"]})
    assert list(parted.splits) == ["train", "more.a", "val", "test"] and list(parted.training) == ["train", "more.a"]
    counts = [{name: each.count for name, each in split.findings.items()} for split in (*parted.training.values(),)]
    assert counts[1] == {name: each.count for name, each in whole.splits["train"].findings.items()} != counts[0]
    for split in HELD_OUT:  # found in `more`, since `train` has none of them
        assert (parted.splits[split].seen_sources, parted.splits[split].seen_pairs) == (1, 1)
    lines = report_lines({**corpus, "train": sound}, {"a": corpus["train"]}, tokenizer, data_config())
    assert lines[1].startswith("data report, 5 training pairs: ") and "2 leaked_pair" in lines[2]
    assert lines[2].startswith(f"data report, {len(corpus['train'])} training pairs of data.more.a: ")


def test_a_shift_is_a_warning(tokenizer, data_config):
    pairs = Cldr(source_lang="en", target_lang="de", sizes=(900, 300, 1), seed=1).splits()
    sources, targets = ([getattr(pair, side) for pair in pairs["train"]] for side in ("source", "target"))
    moved = paired(sources, [*targets[:600], *targets[601:], ""])
    corpus = {"train": Split.of(moved), "val": Split.of(pairs["val"])}
    report = inspect(corpus, tokenizer, data_config(), origin=str)
    (warning,) = (line.removeprefix("warning: ") for line in text(report) if line.startswith("warning: "))
    assert re.match(r"train: from about line 601 to line 900, the target of .* 1 line earlier; compare", warning)
    assert f"Warning: {warning}." in page(report) and f"data report, warning: {warning}" in short_text(report)
    sound = inspect({**corpus, "train": Split.of(pairs["train"])}, tokenizer, data_config(), origin=str)
    assert "arning: " not in "\n".join([*text(sound), page(sound), *short_text(sound)])


def test_markup_in_sentences_does_nothing_on_the_page(tokenizer, data_config):
    evil = "\x1b" * 9 + '<script>alert(1)</script><img src="http://x.test/a.png" onerror=alert(1)>\u202e{{ 7 * 7 }}</p>'
    corpus = {"train": Split.of([SentencePair(evil, evil)]), "val": Split.of([SentencePair("a", "b")])}
    found = page(inspect(corpus, tokenizer, data_config(), origin=lambda split: evil))
    seen = Page(found)
    assert not seen.tags & {"script", "img", "link", "iframe", "object", "a", "form"} and seen.addresses == []
    assert "<script>alert(1)</script>" in seen.text and "{{ 7 * 7 }}" in seen.text and "\\u202e" in seen.text
    assert "source: \\x1b repeated" in seen.text and "default-src 'none'" in found
    assert not re.search(r"url\(|@import|\u202e|\x1b", found)


def test_what_cannot_be_seen_is_made_visible_and_long_texts_are_cut():
    assert visible("a\x00b\u200b\ufeff\u00a0\n\U000e0001") == "a\\x00b\\u200b\\ufeff\\xa0\\n\\U000e0001"
    assert visible("위에 über 😀") == "위에 über 😀"
    assert visible("x" * 160) == "x" * 160 and visible("x" * 161) == visible("x" * 10**6) == "x" * 160 + "…"
