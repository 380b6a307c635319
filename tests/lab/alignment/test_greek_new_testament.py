"""The Greek New Testament: a made-up package with its layout, and the real one where it is installed."""

import json
from importlib import metadata, util

import pytest

from nmt.build import build_source
from nmt.data.word_links import parse_pair
from nmt.errors import UserError

GREEK = "id\taltId\ttext\tstrongs\n"
ENGLISH = "id\tsource_verse\ttext\tskip_space_after\texclude\n"


def write(folder, verses):
    """Write a package: `verses` maps a number to Greek words, English words, and records of places in these."""
    greek, english, records = [], [], []
    for verse, (first, second, links) in verses.items():
        greek += [f"n{verse}{place:03}\t-\t{word}\t-" for place, word in enumerate(first.split(), 1)]
        english += [f"{verse}{place:03}\t{verse}\t{word}\t\t" for place, word in enumerate(second.split(), 1)]
        for left, right in links:
            records.append({
                "source": [f"n{verse}{place + 1:03}" for place in left],
                "target": [place if isinstance(place, str) else f"{verse}{place + 1:03}" for place in right],
                "meta": {},
            })  # fmt: skip
    texts = {
        "bible_alignments-0.4.2.dist-info/METADATA": "Metadata-Version: 2.1\nName: bible-alignments\nVersion: 0.4.2\n",
        "data/sources/SBLGNT.tsv": GREEK + "\n".join(greek) + "\n",
        "data/eng/targets/BSB/nt_BSB.tsv": ENGLISH + "\n".join(english) + "\n",
        "data/eng/alignments/BSB/SBLGNT-BSB-manual.json": json.dumps({"records": records}),
    }
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")


@pytest.fixture
def package(tmp_path, monkeypatch):
    verses = {
        40001000 + number: (f"λόγος {number}", f"the word {number} .", [([0], [0, 1]), ([1], [2])])
        for number in range(1, 200)
    }
    verses[40002001] = ("ἐν ἀρχῇ ἦν", "In the beginning was", [([2], [3]), ([0, 1], [0, 2]), ([0], ["40001001001"])])
    verses[40002002] = ("οὐδεὶς", "Nobody knows", [([0], ["40001001001"])])
    verses[40002003] = ("ἀμήν", "Amen", [])
    write(tmp_path, verses)
    monkeypatch.syspath_prepend(tmp_path)


def splits(data_config, **changes):
    return build_source(data_config("greek_new_testament", **changes)).splits()


def test_verses_with_their_links(package, data_config):
    found = splits(data_config)
    pairs = {pair.source: pair for pairs in found.values() for pair in pairs}
    assert len(pairs) == 200, "a verse without links in it is left out"
    verse = pairs["ἐν ἀρχῇ ἦν"]
    assert verse.target == "In the beginning was"
    assert verse.alignment == "0-0 0-2 1-0 1-2 2-3", "a link to another verse is left out"
    assert pairs["λόγος 7"].target == "the word 7 ." and pairs["λόγος 7"].alignment == "0-0 0-1 1-2"


def test_the_splits_are_the_same_in_both_directions_and_for_every_seed(package, data_config):
    one, other = splits(data_config), splits(data_config, source_lang="en", target_lang="grc", seed=7)
    assert sum(map(len, one.values())) == 200 and all(0 < len(one[split]) < 25 for split in ("val", "test"))
    for split, pairs in one.items():
        assert [(pair.target, pair.source) for pair in pairs] == [(pair.source, pair.target) for pair in other[split]]
    assert {pair.alignment for pair in other["train"]} <= {"0-0 1-0 2-1", "0-0 2-0 0-1 2-1 3-2"}


def test_other_languages_and_a_package_that_is_missing(data_config, monkeypatch):
    with pytest.raises(UserError, match=r"data.source_lang: got en to de, expected grc to en, or en to grc"):
        build_source(data_config("greek_new_testament", source_lang="en", target_lang="de"))

    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", missing)
    with pytest.raises(UserError, match=r"^data=greek_new_testament: needs .*; pip install --no-deps .* bible-align"):
        splits(data_config)


@pytest.mark.slow
@pytest.mark.skipif(util.find_spec("bible_alignments") is None, reason="needs the package bible-alignments")
def test_the_real_package(data_config):
    found = splits(data_config)
    assert {split: len(pairs) for split, pairs in found.items()} == {"train": 7143, "val": 378, "test": 398}
    links = 0
    for pairs in found.values():
        for pair in pairs:
            links += len(parse_pair(pair.alignment, pair, "").sure)
    assert links == 189_473
