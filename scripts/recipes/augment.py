"""Write changed copies of training pairs, so that a model learns texts as people write them, or change a test set.

  python scripts/recipes/augment.py PAIRS SOURCE_LANG TARGET_LANG OUT [changes=NAME,NAME] [rounds=5] [test=NAME]

  PAIRS      a .jsonl or .tsv file, as in data.train; of two files, `paste train.en train.ko > train.tsv` makes one
  OUT        the file for the changed pairs (.jsonl)
  changes=   some of spans, phrases, joined_lines, title_case, no_full_stop (all of them)
  rounds=5   how often all pairs are read; each round changes a share of them (RATES)
  test=NAME  change a test set: write all pairs in their order, and make this change in each pair that allows it

With five rounds and a weight of 0.5, an epoch has half of the changed pairs, drawn anew:

  python scripts/recipes/augment.py train.jsonl en ko changed.jsonl
  python train.py data.path=FOLDER data.target_lang=ko spans=common \
    'data.more={changed: {train: changed.jsonl, weight: 0.5}}'
  python scripts/recipes/augment.py test.jsonl en ko test_spans.jsonl test=spans
  python scripts/evaluate.py ckpt=RUN_FOLDER data.test=test_spans.jsonl 'scores=[chrf,bleu,spans]'

A statistical aligner, which learns from the pairs themselves, finds the parts that translate each other.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import regex

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from nmt.cli.arguments import take
from nmt.cli.output import new_file
from nmt.cli.program import program
from nmt.config.settings import TokenizerConfig
from nmt.data.pair import SentencePair, Split
from nmt.data.sources.files import read_pairs
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError, counted
from nmt.system.atomic import write_atomically
from nmt.text.languages import UNSPACED
from nmt.tokens import WORD_MARK
from scripts.recipes.aligned import Example, begins_word, examples, text

Texts = tuple[str, str]
Change = Callable[[Example, random.Random, SentencePair], Texts | None]

SPANS = ("{name}", "{0}", "{{ user.name }}", "[X3X]", "${HOME}", "😀")  # spans that may stand directly beside a word
TAGS = (("<b>", "</b>"), ('<a href="/help">', "</a>"), ("<x1>", "</x1>"), ("{b}", "{/b}"))
FULL_STOPS = (".", "\u3002", "\u0964", "\u06d4")  # the last three are for Chinese and Japanese, Hindi, and Urdu
_OWN_SPAN = re.compile(r"[<>{}%$@\\_/]|www\.")
_PARTICLE = re.compile("(?<=[가-힣]{2})(을|를|이|가|은|는|의|에|에서|에게|으로|로|와|과|도|만)$")
_PUNCTUATION = regex.compile(r"\A\p{P}+|\p{P}+\Z")
_NO_SPACE_AFTER = regex.compile(rf"[{UNSPACED}\u3002\uff01\uff1f]\Z", regex.V1)


# The changes. Each returns the changed texts, or None for a pair that cannot be changed in this way.


def spans(example: Example, rng: random.Random, other: SentencePair) -> Texts | None:
    """Put up to three spans into both sides: in place of a word or two, around up to four words, or at the end."""
    sides = list(example.source), list(example.target)
    for _ in range(rng.choice([1, 1, 2, 3])):
        alone, tags = rng.choice(SPANS), rng.choice(TAGS)
        how = rng.choices(["replace", "surround", "end"], [3, 4, 1])[0]
        for parts in example.phrases(4 if how == "surround" else 2, rng) if how != "end" else ():
            if all(map(_is_markable, (example.source, example.target), sides, parts)):
                for side, part in zip(sides, parts, strict=True):
                    _mark(side, part, tags if how == "surround" else (alone, None))
                break
        if how == "end":
            space = rng.choice([WORD_MARK, WORD_MARK, ""])
            for side in sides:
                side.append(space + alone)
    return text(sides[0]), text(sides[1])


def _is_markable(original: Sequence[str], side: Sequence[str], part: range) -> bool:
    """Return whether a part has letters and no new span, and ends where a word ends or a Korean particle begins."""
    pieces = original[part.start : part.stop]
    rest = _PUNCTUATION.sub("", "".join([*original[part.stop :], WORD_MARK]).partition(WORD_MARK)[0])
    is_whole = begins_word(original, part.stop) or not rest or _PARTICLE.search(f"가가{rest}") is not None
    return is_whole and any(map(str.isalnum, text(pieces))) and pieces == side[part.start : part.stop]


def _mark(side: list[str], part: range, new: tuple[str, str | None]) -> None:
    """Replace a part by a span, or put two tags around it. Punctuation and a particle at its ends stay outside."""
    words = text(side[part.start : part.stop])
    core = _PUNCTUATION.sub("", words)
    before, _, after = words.partition(core)
    stem = _PARTICLE.sub("", core)
    marked = new[0] if new[1] is None else f"{new[0]}{stem}{new[1]}"
    space = WORD_MARK * side[part.start].startswith(WORD_MARK)
    side[part.start : part.stop] = [space + before + marked + core[len(stem) :] + after, *[""] * (len(part) - 1)]


def phrases(example: Example, rng: random.Random, other: SentencePair) -> Texts | None:
    """Make a pair of one to four words and their translation, so that translations of short texts stay short."""
    for part, translated in example.phrases(4, rng):
        sides = text(example.source[part.start : part.stop]), text(example.target[translated.start : translated.stop])
        is_shorter, has_words = len(part) < len(example.source), all(any(map(str.isalnum, side)) for side in sides)
        if is_shorter and has_words and begins_word(example.target, translated.stop):
            return sides
    return None


def joined_lines(example: Example, rng: random.Random, other: SentencePair) -> Texts:
    """Join a pair with another one, so that the translation of several sentences has all of them."""
    source, target = text(example.source), text(example.target)
    return f"{source}{_gap(source)}{other.source}", f"{target}{_gap(target)}{other.target}"


def _gap(text: str) -> str:
    return "" if _NO_SPACE_AFTER.search(text) else " "


def title_case(example: Example, rng: random.Random, other: SentencePair) -> Texts:
    """Write each word of the source with a capital, as in English headings."""
    title = regex.sub(r"(?<![\w\p{M}\p{N}'\u2019])\w", lambda found: found[0].title(), text(example.source))
    return title, text(example.target)


def no_full_stop(example: Example, rng: random.Random, other: SentencePair) -> Texts | None:
    """Leave out the full stop at the end of both sides. Several full stops, as in an ellipsis, stay."""
    source, target = text(example.source), text(example.target)
    if not all(side.endswith(FULL_STOPS) and not side[:-1].endswith(FULL_STOPS) for side in (source, target)):
        return None
    return source[:-1].rstrip(), target[:-1].rstrip()


# The share of the pairs that a change is made to in a round
RATES: dict[Change, float] = {spans: 0.30, phrases: 0.05, joined_lines: 0.05, title_case: 0.03, no_full_stop: 0.02}
CHANGES = {change.__name__: change for change in RATES}
INSIDE = (spans, phrases, title_case)  # changes that could divide a span


@program
def main(argv: list[str]) -> None:
    """Run the program with the arguments `argv`. Raises UserError for a mistake in them."""
    changes, words = take(argv, "changes")
    rounds, words = take(words, "rounds")
    test, words = take(words, "test")
    if len(words) != 4:
        raise UserError(
            f"command line: got {counted(len(words), 'argument')}, expected PAIRS SOURCE_LANG TARGET_LANG OUT"
        )
    file, source_lang, target_lang, out = words
    names = [test] if test else changes.split(",") if changes else list(CHANGES)
    if unknown := [name for name in names if name not in CHANGES]:
        raise UserError(f"changes: got '{unknown[0]}', expected some of {', '.join(CHANGES)}")
    if not re.fullmatch("[1-9][0-9]*", rounds or "5"):
        raise UserError(f"rounds: got '{rounds}', expected a number of at least 1")
    if not out.endswith(".jsonl"):
        raise UserError(f"OUT: got {out}, expected a name that ends in .jsonl")
    target = new_file(out, key="")
    assert target is not None
    pairs = list(read_pairs(Path(file), source_lang, target_lang))
    settings = TokenizerConfig(type="unigram", vocab_size=None, joint=True, character_coverage=1.0)
    tokenizer = Tokenizer.train(Split.of(pairs), settings, cache_dir=None)
    made = list(changed_pairs(pairs, tokenizer, [CHANGES[name] for name in names], 0 if test else int(rounds or 5)))
    rows = (json.dumps({source_lang: one, target_lang: other}, ensure_ascii=False) + "\n" for one, other in made)
    write_atomically(target, "".join(rows).encode())
    print(f"{counted(len(made), 'pair')} written to {target}")


def changed_pairs(
    pairs: Sequence[SentencePair], tokenizer: Tokenizer, changes: Sequence[Change], rounds: int
) -> Iterator[Texts]:
    """Yield the changed pairs of some rounds. With 0 rounds, yield each pair once, changed if possible."""
    rng = random.Random(1)
    rates = [1.0 if rounds == 0 else RATES[change] for change in changes]
    for example, pair in zip(examples(pairs, tokenizer), pairs, strict=True):
        own_span = _OWN_SPAN.search(pair.source + pair.target)
        for _ in range(rounds or 1):
            change = rng.choices([*changes, None], [*rates, 1 - sum(rates)])[0]
            if change is None or not (pair.source and pair.target) or (own_span and change in INSIDE):
                texts = None
            else:
                texts = change(example, rng, rng.choice(pairs))
            if texts is not None and texts != (pair.source, pair.target):
                yield texts
            elif rounds == 0:
                yield pair.source, pair.target


if __name__ == "__main__":
    main()
