# ruff: noqa: RUF001 - punctuation of other scripts
"""Changed training pairs: each change keeps what a translator would keep, and an epoch follows from its seed."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from nmt.build import build_augmentations
from nmt.config.compose import compose
from nmt.config.settings import TokenizerConfig
from nmt.data.augment.base import Augmentation, Example
from nmt.data.augment.lengths import JoinedLines, Phrases
from nmt.data.augment.pairs import Augmenter, as_pieces, with_numbers
from nmt.data.augment.spans import InsertSpans
from nmt.data.augment.texts import (
    NoFullStop,
    TitleCase,
    TypingErrors,
    UpperCase,
    title_case,
    with_typing_errors,
)
from nmt.data.encoded import EncodedCorpus, encode_corpus
from nmt.data.epochs import BothDirections, SubwordSampling, Swap, TrainingPairs, WeightedCorpus
from nmt.data.filters import Filters
from nmt.data.pair import SentencePair, Split
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError
from nmt.spans import MARK, Spans, as_written
from nmt.tokens import CAPITALS, ELEMENT_MARKS, RESERVED, SPAN_MARKS

LONGEST = 40
SPANS = Spans({"braces": r"\{\w+\}"})
KINDS: list[Augmentation] = [
    *(InsertSpans(rate=1), UpperCase(rate=1), TitleCase(rate=1), NoFullStop(rate=1)),
    *(TypingErrors(rate=1), Phrases(rate=1), JoinedLines(rate=1)),
]


@cache
def dictionary() -> dict[str, str]:
    """Return words of a language and their translations into another one."""
    draw, found = random.Random(4), {}
    while len(found) < 60:
        word = "".join(draw.choices("abcdefgh", k=draw.randint(2, 7)))
        found[word] = "".join(draw.choices("mnopqrst", k=draw.randint(2, 7)))
    return found


def translation(words: list[str]) -> list[str]:
    """Return the translations of words, each second one before the first: "a b c d" becomes "B A D C"."""
    pairs = [words[start : start + 2] for start in range(0, len(words), 2)]
    return [dictionary().get(word, word) for pair in pairs for word in reversed(pair)]


@pytest.fixture(scope="module")
def pairs() -> list[SentencePair]:
    draw, found = random.Random(5), []
    for _ in range(400):
        words = draw.choices([*dictionary()], k=draw.randint(1, 9))
        words += ["{x}"] * (draw.random() < 0.2)
        stop = draw.choice([".", ""])
        found.append(SentencePair(" ".join(words) + stop, " ".join(translation(words)) + stop))
    return found


@pytest.fixture(scope="module")
def tokenizer(pairs: list[SentencePair], tokenizer_config: Callable[..., TokenizerConfig]) -> Tokenizer:
    settings = tokenizer_config(vocab_size=400, joint=True)
    return Tokenizer.train(pairs, settings, cache_dir=None, spans=SPANS)


@pytest.fixture(scope="module")
def corpus(pairs: list[SentencePair], tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> EncodedCorpus:
    folder = tmp_path_factory.mktemp("augment")
    return encode_corpus(Split.of(pairs), tokenizer, Filters(max_length=LONGEST, max_ratio=9.0), folder=folder)


@pytest.fixture(scope="module")
def changed(tokenizer: Tokenizer, corpus: EncodedCorpus) -> Callable[..., Iterator[tuple[Example, tuple[str, str]]]]:
    """Return a function that yields the examples that a change can change, with the changed texts."""
    augmenter = Augmenter(tokenizer, [], LONGEST, corpus)

    def make(kind: Augmentation, seed: int = 0) -> Iterator[tuple[Example, tuple[str, str]]]:
        rng = random.Random(seed)
        for pair in corpus:
            example = augmenter._example(pair, linked=kind.reads_links)
            assert example is not None
            found = kind(example, rng, lambda: augmenter._another(corpus, corpus.same_direction(0), rng))
            if found is not None:
                yield example, found

    return make


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: type(kind).__name__)
def test_every_change_keeps_the_marks_of_both_sides_equal(kind: Augmentation, changed: Callable[..., Any]) -> None:
    several = list(changed(kind))
    assert len(several) > 100
    for example, (source, target) in several:
        assert (source, target) != example.texts and source.strip() == source != "" and target.strip() == target != ""
        marks = MARK.findall(source)
        assert sorted(marks) == sorted(MARK.findall(target)) and len({*marks}) == len(marks)
        numbered = with_numbers(source, target, random.Random(0))
        if numbered is None:
            continue  # it needs more than three elements
        assert [MARK.sub("", side) for side in numbered] == [MARK.sub("", side) for side in (source, target)]


@pytest.mark.parametrize("kind", [InsertSpans(rate=1), Phrases(rate=1)], ids=lambda kind: type(kind).__name__)
def test_a_part_is_not_chosen_if_its_translation_lacks_a_mark(kind: Augmentation) -> None:
    """The aligner took the mark of the source for a translation of the first word."""
    source, target = ["▁abcd", "▁｟0｠", "▁efgh", "▁abab"], ["▁mnop", "▁qrst", "▁｟0｠", "▁mnmn"]
    example = Example(source, target, forward=[0, 2, 2, 3], backward=[0, 0, 1, 3])
    found = [sides for seed in range(200) if (sides := kind(example, random.Random(seed), lambda: example))]
    assert len(found) > 50
    for source, target in found:
        assert sorted(MARK.findall(source)) == sorted(MARK.findall(target)), (source, target)


@pytest.mark.parametrize(
    ("pieces", "divided"),
    [
        (["▁mnop", "▁ijkl"], True),
        (["▁mnop", "ijkl"], False),
        (["▁파일", "을"], True),
        (["▁mnop", "을"], True),
        (["▁파일", "명을"], False),
    ],
)
def test_a_mark_takes_no_part_of_a_word(pieces: list[str], divided: bool) -> None:
    """The aligner links a source word to each of two pieces. A Korean particle is no part of its word."""
    example = Example(["▁abcd", "▁efgh"], pieces, forward=[0, 1], backward=[0, 1])
    made = (InsertSpans(rate=1)(example, random.Random(seed), lambda: example) for seed in range(100))
    targets = [sides[1] for sides in made if sides]
    first, second = (piece.strip("▁") for piece in pieces)
    between = [re.search(rf"{first}｟\d+｠ ?{second}|｟\d+｠ ?{second}", target) for target in targets]
    assert len(targets) > 50 and any(between) == divided


def test_a_mark_takes_no_other_mark() -> None:
    source = ["▁abcd", "▁｟0｠", "▁efgh", "▁abab"]
    example = Example(source, source, forward=[0, 1, 2, 3], backward=[0, 1, 2, 3])
    for seed in range(200):
        for side in InsertSpans(rate=1)(example, random.Random(seed), lambda: example) or ():
            assert "｟0｠" in side


def test_a_mark_stands_for_words_that_translate_each_other(changed: Callable[..., Any]) -> None:
    """Without the marks, what is left of the target translates what is left of the source."""
    ways, right = Counter[str](), list[bool]()
    for example, sides in changed(InsertSpans(rate=1)):
        left = [MARK.sub(" ", side).replace(".", " ").split() for side in sides]
        right.append(sorted(dictionary()[word] for word in left[0]) == sorted(left[1]))
        words = [len(MARK.sub(" ", side).replace(".", " ").split()) for side in example.texts]
        ways["replaced"] += len(left[0]) < words[0]
        ways["all words"] += len(left[0]) == words[0]
        ways["surrounded"] += re.search("\uff5f[0-9]+\uff60[a-h ]+\uff5f[0-9]+\uff60", sides[0]) is not None
    assert min(ways.values()) > 50 and len(ways) == 3
    assert sum(right) / len(right) > 0.98, "the aligner can take equal words for each other"


def test_a_phrase_and_its_translation_are_of_the_dictionary(changed: Callable[..., Any]) -> None:
    lengths, right = Counter[int](), list[bool]()
    for example, sides in changed(Phrases(rate=1, words=3)):
        source, target = (side.replace(".", "").split() for side in sides)
        assert sides[0] in example.texts[0] and sides[1] in example.texts[1]
        right.append(sorted(dictionary().get(word, word) for word in source) == sorted(target))
        lengths[len(source)] += 1
    assert {*lengths} == {1, 2, 3}
    assert sum(right) / len(right) > 0.95, "the aligner can take equal words for each other"


@pytest.mark.parametrize("kind", [InsertSpans(rate=1, more=0), Phrases(rate=1)], ids=lambda kind: type(kind).__name__)
def test_a_text_without_spaces_has_several_words(kind: Augmentation) -> None:
    source, target = ["▁打开", "新", "文件", "。"], ["▁open", "▁a", "▁new", "▁file", "."]
    example = Example(source, target, forward=[0, 1, 1, 2, 3], backward=[0, 2, 3, 4])
    found = {sides for seed in range(200) if (sides := kind(example, random.Random(seed), lambda: example))}
    assert (("｟100｠新文件。", "｟100｠ a new file.") if isinstance(kind, InsertSpans) else ("打开", "open")) in found


def test_marks_are_numbered_as_in_real_texts_or_anywhere() -> None:
    """Half of the pairs have the first marks of each kind, and the others any, in the order of the source."""
    draw, source, target = (
        random.Random(0),
        "｟300｠ a ｟108｠b｟109｠ ｟0｠ ｟8｠c｟9｠",
        "｟0｠ ｟108｠B｟109｠ ｟300｠ ｟8｠C｟9｠",
    )
    first, used = 0, set[str]()
    for _ in range(400):
        numbered = with_numbers(source, target, draw)
        assert numbered is not None
        one, start, end, two, *element = MARK.findall(numbered[0])
        assert numbered[1] == f"{two} {start}B{end} {one} {element[0]}C{element[1]}"
        assert SPAN_MARKS.index(one) < SPAN_MARKS.index(two)
        assert ELEMENT_MARKS.index((start, end)) < ELEMENT_MARKS.index((element[0], element[1]))
        first += (one, two, start, element[0]) == (*SPAN_MARKS[:2], ELEMENT_MARKS[0][0], ELEMENT_MARKS[1][0])
        used |= {one, start, end, two, *element}
    assert 200 < first < 260 and used == {*SPAN_MARKS, *ELEMENT_MARKS[0], *ELEMENT_MARKS[1], *ELEMENT_MARKS[2]}
    assert with_numbers("".join(f"｟{100 * number}｠" for number in range(1, 10)), "", draw) is None
    assert with_numbers("".join(f"｟{100 * number + 8}｠" for number in range(1, 5)), "", draw) is None


def test_punctuation_and_particles_stay_outside_of_the_marks() -> None:
    pairs = [
        Example(["▁Open", "▁the", "▁file"], ["▁파일", "을", "▁여세요"], (2, 1, 0), (2, 1, 0)),
        Example(["▁Files", "."], ["▁파일", "."], (0, 1), (0, 1)),
        Example(["▁(%", "s)"], ["▁(%1", "s)"], (0, 1), (0, 1)),
    ]
    draw, change, found = random.Random(0), InsertSpans(rate=1, more=0), set[str]()
    for _ in range(200):
        found |= {made[1] for pair in pairs if (made := change(pair, draw, lambda: pairs[0])) is not None}
    assert {
        "｟100｠을 여세요",
        "｟108｠파일｟109｠을 여세요",
        "｟100｠.",
        "｟108｠파일｟109｠.",
        "(｟108｠%1s｟109｠)",
    } <= found
    assert not any(re.search("을｟10[89]|파일｟10[08]", each) for each in found - {"파일을 여세요｟100｠"})


@pytest.mark.parametrize("word", ["文件，", "「文件」：", "الملف؟", "फ़ाइल।", "（ファイル）", "‘file’", "—file;"])
def test_punctuation_of_every_language_stays_outside_of_the_marks(word: str) -> None:
    draw, example = random.Random(0), Example([f"▁{word}"], [f"▁{word}"], (0,), (0,))
    made = [InsertSpans(rate=1, more=0)(example, draw, lambda: example) for _ in range(60)]
    replaced = {pair for pair in made if pair and "｟100｠" in pair[0] and len(pair[0]) <= len(word) + 3}
    ends = word.replace("文件", "｟100｠").replace("الملف", "｟100｠").replace("फ़ाइल", "｟100｠")
    assert replaced == {(ends.replace("ファイル", "｟100｠").replace("file", "｟100｠"),) * 2}


def test_pairs_in_capitals_are_not_changed(tokenizer: Tokenizer) -> None:
    capitals, usual = tokenizer.encode_source([f"{CAPITALS}abcde ｟0｠ gh.", "abcde ｟0｠ gh."])
    assert as_pieces(tokenizer, capitals[:-1], usual[:-1]) is None is as_pieces(tokenizer, usual[:-1], capitals[:-1])
    assert as_pieces(tokenizer, usual[:-1], usual[:-1]) is not None


def test_parts_that_translate_each_other_have_no_link_outside() -> None:
    draw, found = random.Random(6), 0
    for _ in range(2_000):
        sizes = draw.randint(1, 5), draw.randint(1, 5)
        forward = [draw.randrange(sizes[0]) for _ in range(sizes[1])]
        backward = [draw.randrange(sizes[1]) for _ in range(sizes[0])]
        example = Example(["▁a"] * sizes[0], ["▁b"] * sizes[1], forward, backward)
        links = {(position, place) for place, position in enumerate(forward)} | {*enumerate(backward)}
        sure = {(position, place) for place, position in enumerate(forward) if backward[position] == place}
        start = draw.randrange(sizes[0])
        part = range(start, draw.randint(start + 1, sizes[0]))
        possible = [
            range(first, last)
            for first in range(sizes[1])
            for last in range(first + 1, sizes[1] + 1)
            if all((position in part) == (first <= place < last) for position, place in links)
            and any(position in part for position, _ in sure)
        ]
        assert example.translation(part) == (possible[0] if possible else None)
        assert len(possible) <= 1
        found += bool(possible)
    assert found > 200


def test_lines_are_joined_with_all_their_spans(changed: Callable[..., Any]) -> None:
    longest = 0
    for example, (source, target) in changed(JoinedLines(rate=1)):
        assert source.startswith(MARK.sub("\uff5f0\uff60", example.texts[0])) and " " in target
        longest = max(longest, len(MARK.findall(source)))
    assert longest > 1


def test_joined_lines_translate_in_one_direction(tokenizer: Tokenizer, corpus: EncodedCorpus, tmp_path: Path) -> None:
    both = BothDirections(corpus, Swap(tokenizer))
    found = Augmenter(tokenizer, [JoinedLines(rate=1)], 400, both)(both, random.Random(3))
    sources = [set(tokenizer.decode_target(pair.source)) & set("abcdefghmnopqrst") for pair in found]
    assert len(found) == 2 * len(corpus)
    assert all(letters <= set("abcdefgh") or letters <= set("mnopqrst") for letters in sources)


def test_chinese_lines_are_joined_without_a_space() -> None:
    example = Example(["▁他走了。"], ["▁He left."])
    source, target = JoinedLines(rate=1)(example, random.Random(1), lambda: example) or ("", "")
    assert (source, target) == ("他走了。" * 2, "He left. He left.")


def test_changed_pairs_have_tags_in_the_form_that_sources_have(tokenizer: Tokenizer, tmp_path: Path) -> None:
    """A space before a start tag is read after it, also where a change puts something before the tag."""
    tagged = tokenizer.with_spans(Spans({"tags": "</?[a-z]>"}))
    pair = SentencePair("<b>abcd</b> abcd", "abcd <b>abcd</b>")
    filters = Filters(max_length=99, max_ratio=9.0)
    corpus = encode_corpus(Split.of([pair] * 20), tagged, filters, folder=tmp_path)
    for kind, inside in ((JoinedLines(rate=1), r"d｟(8|10|12)｠ a"), (UpperCase(rate=1), r"｟14｠｟(8|10|12)｠ ")):
        changed = Augmenter(tagged, [kind], 99, corpus)(corpus, random.Random(3))
        texts = [tagged.decode_target(side) for pair in changed for side in pair[:2]]
        assert all(text == tagged.spans.as_read(as_written(text)) for text in texts)
        assert any(re.search(inside, text) for text in texts)


def test_texts_are_changed_as_their_names_say() -> None:
    rng = random.Random(1)

    def changed(kind: Augmentation, source: str, target: str) -> tuple[str, str] | None:
        return kind(Example([source], [target]), rng, lambda: Example([], []))

    assert changed(UpperCase(rate=1), "Save ｟0｠", "Straße ｟0｠") == ("SAVE ｟0｠", "STRASSE ｟0｠")
    assert changed(UpperCase(rate=1), "저장 1", "Save 1") is None
    assert changed(UpperCase(rate=1), "html 파일", "HTML file") is None
    assert changed(UpperCase(rate=1), "άνοιξε", "Open") is None
    assert changed(TitleCase(rate=1), "გამარჯობა", "Hello") is None, "whose capitals begin no word"
    assert changed(NoFullStop(rate=1), "यह है।", "It is.") == ("यह है", "It is")
    assert changed(TitleCase(rate=1), "don't save it", "nicht") == ("Don't Save It", "nicht")
    assert changed(TitleCase(rate=1), "Save", "Speichern") is None
    assert changed(NoFullStop(rate=1), "Save it.", "저장한다.") == ("Save it", "저장한다")
    assert changed(NoFullStop(rate=1), "Save it.", "Speichern") is None
    assert changed(NoFullStop(rate=1), "Wait...", "Warte...") is None
    assert title_case("l'eau ｟0｠ über 3d") == "L'eau ｟0｠ Über 3d"
    assert title_case("CO₂e 1½cups") == "CO₂e 1½cups"
    assert title_case("ẹ̀kọ́ g̃uahẽ") == "Ẹ̀kọ́ G̃uahẽ", "a combining mark is inside its word"


def test_typing_errors_are_in_a_share_of_the_long_words() -> None:
    text = " ".join(["paragraph", "it", "｟0｠", "line"] * 2_000)
    words = with_typing_errors(text, 0.2, random.Random(2)).split()
    pairs = list(zip(text.split(), words, strict=True))
    wrong = Counter(right for right, word in pairs if right != word)
    assert {*wrong} == {"paragraph", "line"} and wrong.total() / 4_000 == pytest.approx(0.2, abs=0.02)
    for right, word in pairs:
        assert abs(len(word) - len(right)) <= 1 and word[0] == right[0]


def test_rates_are_the_shares_of_changed_pairs(tokenizer: Tokenizer, corpus: EncodedCorpus) -> None:
    kinds = [UpperCase(rate=0.3), NoFullStop(rate=0.0)]
    found = Augmenter(tokenizer, kinds, 10 * LONGEST, corpus)(corpus, random.Random(3))
    assert len(found) == len(corpus)
    old, new = (Counter((*pair.source, -1, *pair.target) for pair in pairs) for pairs in (corpus, found))
    upper = [tokenizer.decode_target(pair.source) for pair in found]
    assert (new - old).total() == (old - new).total() == sum(text[:4] == CAPITALS or text.isupper() for text in upper)
    assert (new - old).total() / len(corpus) == pytest.approx(0.3, abs=0.08)
    assert Augmenter(tokenizer, [UpperCase(rate=0)], LONGEST, corpus)(corpus, random.Random(3)) is corpus


def test_a_changed_pair_that_is_too_long_stays_as_it_was(tokenizer: Tokenizer, corpus: EncodedCorpus) -> None:
    found = Augmenter(tokenizer, [JoinedLines(rate=1)], LONGEST, corpus)(corpus, random.Random(3))
    assert len(found) == len(corpus) and max(*found.lengths[0], *found.lengths[1]) <= LONGEST
    assert max(found.lengths[0]) > max(corpus.lengths[0])


def epochs(tokenizer: Tokenizer, corpus: EncodedCorpus, *, sampling: SubwordSampling | None = None) -> TrainingPairs:
    kinds = [InsertSpans(rate=0.3), JoinedLines(rate=0.1), TypingErrors(rate=0.2), Phrases(rate=0.1)]
    augmenter = Augmenter(tokenizer, kinds, LONGEST, corpus)
    return TrainingPairs([WeightedCorpus(corpus, 1.5)], augmenter=augmenter, sampling=sampling, seed=7)


def test_an_epoch_follows_from_its_number(tokenizer: Tokenizer, corpus: EncodedCorpus) -> None:
    one, two = epochs(tokenizer, corpus), epochs(tokenizer, corpus)
    first = [list(one.of_epoch(number)) for number in range(3)]
    assert list(two.of_epoch(2)) == first[2], "as in a resumed run"
    assert first[0] != first[1] != first[2] and one.differ


def test_sampled_pieces_leave_marks_as_they_are(tokenizer: Tokenizer, corpus: EncodedCorpus) -> None:
    usual = list(epochs(tokenizer, corpus).of_epoch(0))
    sampled = list(epochs(tokenizer, corpus, sampling=SubwordSampling(tokenizer, "unigram", 0.1, 99)).of_epoch(0))
    decode = tokenizer.decode_target
    assert [decode(pair.source) for pair in usual] == [decode(pair.source) for pair in sampled] and usual != sampled
    marks = {tokenizer.source_vocabulary.index(mark) for mark in RESERVED}
    kept = [[[index for index in pair.target if index in marks] for pair in pairs] for pairs in (usual, sampled)]
    assert kept[0] == kept[1] and any(kept[0])


def test_the_shipped_options_are_built(tmp_path: Path) -> None:
    found = build_augmentations(compose("train", ["augment=text"])["augment"])
    assert {type(kind) for kind in found} == {type(kind) for kind in KINDS}
    assert build_augmentations(compose("train", ["augment=[spans,phrases]", "augment.spans=null"])["augment"])


def test_rates_above_one_are_an_error() -> None:
    nodes = compose("train", ["augment=[spans,phrases]", "augment.spans.rate=0.7", "augment.phrases.rate=0.5"])
    with pytest.raises(UserError, match=r"augment: the rates of spans, phrases sum to 1\.2, expected at most 1"):
        build_augmentations(nodes["augment"])
    with pytest.raises(UserError, match=r"augment\.spans\.rate: got 1\.5"):
        build_augmentations(compose("train", ["augment=[spans]", "augment.spans.rate=1.5"])["augment"])


def test_no_phrase_parts_a_thai_vowel_from_its_consonant() -> None:
    example = Example(["▁The", "▁boy"], ["▁", "เ", "ด", "็กชาย"], [0, 0, 1, 1], [1, 2])
    assert not list(example.phrases(1, random.Random(1)))
    turned = Example(example.target, example.source, example.backward, example.forward)
    assert turned.words() == [range(0, 1), range(1, 4)]
