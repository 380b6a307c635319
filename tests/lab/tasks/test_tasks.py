"""The generated tasks: the answer follows from the source, and nothing but the source decides it."""

import re
from collections import Counter

import pytest

from nmt.build import build_source
from nmt.data.word_links import parse_pair
from nmt.errors import ParameterError, UserError
from nmt.lab.tasks.copy import WORDS, Copy
from nmt.lab.tasks.order import Order
from nmt.lab.tasks.slots import Slots
from nmt.lab.tasks.task import PHRASES

TASKS = ("slots", "agreement", "coreference", "negation", "order", "copy", "buried")
ANIMAL_WORDS = {"tired", "hungry", "weak", "scared", "sleepy", "thirsty"}
PARTICIPLES = {
    "follows": "followed",
    "sees": "seen",
    "calls": "called",
    "helps": "helped",
    "finds": "found",
    "likes": "liked",
}


@pytest.fixture
def make(data_config):
    def generated(name, **changes):
        return build_source(data_config(name, **({"sizes": [300, 60, 60]} | changes)))

    return generated


def slots(source):
    order = ["one two six ten", "big low new old", "red tan grey blue", "cats dogs hens pigs", "eat nap run sit"]
    words = [word for group in [*order, "away here home out"] for word in group.split() if word in source.split()]
    return " ".join(words), len(source.split())


def copy(source):
    return source, len(source.split())


def buried(source):
    words = source.split()
    places = [place for place, word in enumerate(words) if word in WORDS]
    assert places == [places[0], places[0] + 1] and len(words) == 2 * places[1]
    return " ".join(words[place] for place in places), places[0]


def agreement(source):
    subject, *others = re.findall(r"the (\w+)", source)
    quality = source.split(" will be ")[1]
    return f"{'they are' if subject.endswith('s') else 'it is'} {quality}", len(others)


def coreference(source):
    animal, place, between, quality = re.fullmatch(
        r"the (\w+) did not cross the (\w+)(.*) because it was too (\w+)", source
    ).groups()
    return f"the {animal if quality in ANIMAL_WORDS else place} was too {quality}", phrases(between)


def negation(source):
    did, mark, between, could, goal = re.fullmatch(
        r"although \w+ (did not|did) get (\d+)(.*) , \w+ (could not|could) (.*)", source
    ).groups()
    assert (did == "did") != (could == "could")
    answers = ["no" if verb.endswith("not") else "yes" for verb in (did, could)]
    return f"{mark} {answers[0]} , {goal} {answers[1]}", phrases(between)


def order(source):
    clauses = [clause.split() for clause in source.split(" , ")]
    passive = [f"{other} is {PARTICIPLES[verb]} by {subject}" for subject, verb, other in clauses]
    return " , ".join(passive), len(clauses)


def phrases(text):
    found = [phrase for phrase in PHRASES if phrase in text]
    assert sum(map(len, found)) + len(found) == len(text)
    return len(found)


def difficulty(source, text):
    if isinstance(source, (Copy, Slots)):
        return len(text.split())
    return text.count(" , ") + 1 if isinstance(source, Order) else source.measure(text)


@pytest.mark.parametrize("name", TASKS)
def test_the_answer_and_its_difficulty_follow_from_the_source(name, make):
    source = make(name)
    pairs = [pair for split in source.splits().values() for pair in split]
    assert len({pair.source for pair in pairs}) == len(pairs) == 420
    for pair in pairs:
        assert globals()[name](pair.source) == (pair.target, difficulty(source, pair.source))
    assert len({difficulty(source, pair.source) for pair in pairs}) > 2
    assert source.origin("test") == name


@pytest.mark.parametrize("name", TASKS)
def test_the_seed_decides(name, make):
    assert make(name).splits() == make(name).splits()
    assert make(name, seed=2).splits()["test"] != make(name).splits()["test"]


@pytest.mark.parametrize("name", TASKS)
def test_the_opposite_direction_has_the_pairs_swapped(name, make):
    other = make(name, source_lang="answer", target_lang="question")
    assert other.origin("test") == name
    for split, pairs in make(name).splits().items():
        back = list(other.splits()[split])
        assert [(pair.target, pair.source) for pair in back] == [(pair.source, pair.target) for pair in pairs]
        for pair, turned in zip(pairs, back, strict=True):
            assert (turned.alignment is None) == (pair.alignment is None)
            gold, swapped = (parse_pair(each.alignment or "", each, "pair") for each in (pair, turned))
            assert swapped.sure == {(j, i) for i, j in gold.sure}
            assert swapped.possible == {(j, i) for i, j in gold.possible}
    message = r"^data.source_lang: got de to answer, expected question to answer, or answer to question$"
    with pytest.raises(UserError, match=message):
        make(name, source_lang="de")


def test_the_words_of_slots_know_their_place_in_the_source(make):
    for pair in make("slots").splits()["test"]:
        source, target = pair.source.split(), pair.target.split()
        assert [source[position - 1] for position in Slots.positions(pair.source)] == target
        gold = parse_pair(pair.alignment, pair, "pair")
        assert gold.sure == {(source.index(word), place) for place, word in enumerate(target)}


def test_all_lengths_of_copies_have_about_as_many_tokens(make):
    words = [pair.source.split() for pair in make("copy", sizes=[8000, 60, 60]).splits()["train"]]
    tokens = Counter(length for each in words for length in [len(each)] * (len(each) + 1))
    assert all(tokens[length] / tokens[16] == pytest.approx(1, abs=0.2) for length in range(4, 16))
    assert {word for each in words for word in each} == set(WORDS) and len(WORDS) == len(set(WORDS)) == 40


def test_the_alignment_of_order_links_each_word_with_its_passive(make):
    same = {word: {word} for word in ("anna", ",")} | {one: {other} for one, other in PARTICIPLES.items()}
    for pair in make("order").splits()["test"]:
        source, target = pair.source.split(), pair.target.split()
        gold = parse_pair(pair.alignment, pair, "pair")
        assert all(target[j] in same.get(source[i], {source[i]}) for i, j in gold.sure)
        assert {target[j] for i, j in gold.possible - gold.sure} == {"is", "by"}
        assert sorted(i for i, j in gold.sure) == list(range(len(source)))
        assert sorted(j for i, j in gold.possible) == list(range(len(target)))


def test_only_the_place_of_not_tells_the_answers_apart(make):
    pairs = make("negation", sizes=[2000, 60, 60]).splits()["train"]
    answers = {}
    for pair in pairs:
        words = pair.source.split()
        words.remove("not")
        answers.setdefault(" ".join(words), set()).add(pair.target)
    assert any(len(targets) == 2 for targets in answers.values())


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("slots", {"max_words": 7}, "data.max_words: got 7, expected an integer of at least 2 and at most 6"),
        ("negation", {"max_distance": -1}, "data.max_distance: got -1"),
        ("coreference", {"sizes": [10, 0, 1]}, "data.sizes: got"),
    ],
)
def test_wrong_settings_are_named(name, changes, message, make):
    with pytest.raises((ParameterError, UserError), match=re.escape(message)):
        make(name, **changes)
