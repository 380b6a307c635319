"""`python scripts/benchmark.py doubts`: how often planted faults and sound translations are doubted.

    python scripts/benchmark.py doubts ckpt=RUN [data.path=FOLDER] [foreign=FILE ...] [seed=1]

The first 500 sentences of the test split are translated with the search of the run. These kinds of translations are
compared:

- `own`: as the model translates. `own, better half`: those of them with the higher chrF, which are taken as sound.
- `references`: the translations of people, scored.
- planted in the source, and translated: `noise` (a third more words, of random letters), `noise before` (the same,
  before the first word), and the lines of each FILE in a language that the model does not read. `one word`: a word of a
  test sentence; `headings`: sentences of the split with at most four words and no mark at the end.
- planted in the translation, and scored: `swapped` (that of another sentence), `repeated` (two to five words of it
  three times), `doubled` (all of it twice), `truncated` (its first half).

`doubted` is the share with any doubt, then come the shares with each. `AUC` is the area under the ROC curve of the mean
log-probability of a token: the probability that a translation of the model has a higher one than a faulty one.
`Wass-...` are the areas of the scores of detachment (nmt/lab/attention/detachment.py), which are higher for a faulty
one, and `detached` is the share with a Wass-Combo above that of 99 % of the validation translations. A model without
attention to the source has none.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sacrebleu import sentence_chrf

from nmt.build import build_source
from nmt.checkpoint import load_model
from nmt.cli.arguments import take
from nmt.cli.evaluate import data_of
from nmt.cli.table import Cell, Column, Table, text_cell, to_markdown
from nmt.data.corpus import load_corpus
from nmt.errors import UserError
from nmt.lab.attention.detachment import HeldOut, patterns
from nmt.lab.report.faults import DETACHED_ABOVE
from nmt.system import machine, process
from nmt.translation.doubts import REASONS
from nmt.translation.loading import load_translator, require_data_settings
from nmt.translation.translation import Translation
from nmt.translation.translator import Translator

USAGE = "ckpt=RUN [data.path=FOLDER] [foreign=FILE ...] [seed=1]"
SENTENCES = 500
FEWEST = 20  # a kind with fewer translations is left out
LETTERS = "abcdefghijklmnopqrstuvwxyz"
MARKS = ".:!?…"

Scores = NDArray[np.float64]


def run(arguments: Sequence[str]) -> None:
    """Measure, and print the table. Raises UserError for a mistake in `arguments`."""
    ckpt, rest = take(list(arguments), "ckpt")
    path, rest = take(rest, "data.path")
    seed, rest = take(rest, "seed")
    files = [Path(word.removeprefix("foreign=")) for word in rest if word.startswith("foreign=")]
    if ckpt is None or len(files) < len(rest) or not (seed or "1").isdecimal():
        raise UserError(f"benchmark.py doubts: got {' '.join(arguments) or 'nothing'}, expected {USAGE}")
    process.speed_up()
    pairs, translator = _pairs(ckpt, path, "test")[:SENTENCES], load_translator(ckpt, device="cpu")
    kinds = dict(measured(translator, pairs, files, random.Random(int(seed or 1))))
    kinds = {kind: found for kind, found in kinds.items() if len(found) >= FEWEST}
    scores = detachment(translator, [source for source, _ in _pairs(ckpt, path, "val")], kinds)
    sentences = f"{len(pairs):,} sentences, {translator.search.label}, seed {seed or 1}"
    print(f"hardware: {machine.summary(machine.describe())}; {sentences}\n\n{to_markdown(_table(kinds, scores))}")


def measured(
    translator: Translator, pairs: Sequence[tuple[str, str]], files: Sequence[Path], draw: random.Random
) -> Iterator[tuple[str, list[Translation]]]:
    """Yield each kind of translations with its name; `own` is the first."""
    sources, references = map(list, zip(*pairs, strict=True))
    own = translator.translate(sources)
    texts = [each.text for each in own]
    yield "own", own
    quality = [sentence_chrf(text, [reference]).score for text, reference in zip(texts, references, strict=True)]
    yield "own, better half", [own[place] for place in np.argsort(quality)[len(own) // 2 :]]
    yield "references", translator.score(sources, references)
    yield "noise", translator.translate([_noisy(source, draw) for source in sources])
    for file in files:
        lines = [line for line in file.read_text("utf-8").splitlines() if line.strip()]
        yield file.stem, translator.translate(lines[:SENTENCES])
    words = sorted({word for source in sources for word in source.split() if word.isalpha()})
    yield "one word", translator.translate(draw.sample(words, min(SENTENCES, len(words))))
    yield "headings", [each for each in own if len(each.source.split()) <= 4 and each.source[-1:] not in MARKS]
    yield "swapped", translator.score(sources, [*texts[1:], *texts[:1]])
    yield "repeated", translator.score(sources, [_repeated(text, draw) for text in texts])
    yield "doubled", translator.score(sources, [f"{text} {text}" for text in texts])
    halves = [" ".join(text.split()[: len(text.split()) // 2]) for text in texts]
    places = [place for place, half in enumerate(halves) if half]
    yield "truncated", translator.score([sources[i] for i in places], [halves[i] for i in places])
    yield "noise before", translator.translate([_noisy(source, draw, before=True) for source in sources])


def detachment(
    translator: Translator, held_out: Sequence[str], kinds: Mapping[str, Sequence[Translation]]
) -> dict[str, Scores]:
    """Return the scores (N, 4) of detachment of each kind: the three distances, and the rank."""
    if not translator.model.decoder.attends:
        return {}
    usual = HeldOut.of(translator, held_out)
    scores = {kind: map(usual.compare, patterns(translator, found).values()) for kind, found in kinds.items()}
    return {kind: np.array(list(map(astuple, found))) for kind, found in scores.items()}


def _noisy(source: str, draw: random.Random, *, before: bool = False) -> str:
    words = source.split()
    for _ in range(1 + len(words) // 3):
        place = 0 if before else draw.randint(0, len(words))
        words.insert(place, "".join(draw.choices(LETTERS, k=draw.randint(3, 9))))
    return " ".join(words)


def _repeated(text: str, draw: random.Random) -> str:
    words = text.split()
    size = min(draw.randint(2, 5), len(words))
    place = draw.randint(0, len(words) - size)
    return " ".join([*words[:place], *words[place : place + size] * 3, *words[place + size :]])


def _table(kinds: Mapping[str, Sequence[Translation]], scores: Mapping[str, Scores]) -> Table:
    of_attention = ["Wass-to-Unif", "Wass-to-Data", "Wass-Combo", "detached"] if scores else []
    columns = [Column("kind", number=False), *map(Column, ["translations", "doubted", *REASONS, "AUC", *of_attention])]
    rows = []
    for kind, found in kinds.items():
        shares = [100 * float(np.mean([bool(each.doubts) for each in found]))]
        shares += [100 * float(np.mean([reason in each.doubts for each in found])) for reason in REASONS]
        areas = [auc(_confidences(kinds["own"]), _confidences(found))]
        if scores:
            areas += [auc(*pair) for pair in zip(-scores["own"].T[:3], -scores[kind].T[:3], strict=True)]
        rows.append([text_cell(kind), Cell(f"{len(found):,}", (len(found),)), *map(_share, shares)])
        rows[-1] += [Cell("" if kind.startswith("own") else f"{area:.3f}", (area,)) for area in areas]
        if scores:
            rows[-1].append(_share(100 * float((scores[kind][:, 3] > DETACHED_ABOVE).mean())))
    return Table(columns, rows)


def _share(share: float) -> Cell:
    return Cell(f"{share:.1f} %" if share else "", (share,))


def _confidences(translations: Sequence[Translation]) -> NDArray[np.float64]:
    return np.array([each.log_prob / len(each.tokens) for each in translations if each.tokens])


def auc(sound: NDArray[np.float64], faulty: NDArray[np.float64]) -> float:
    """Return the probability that a value of `sound` is higher than one of `faulty`; equal ones count a half."""
    higher = sound[:, None] > faulty
    return float(np.mean(higher + 0.5 * (sound[:, None] == faulty)))


def _pairs(ckpt: str, path: str | None, split: str) -> list[tuple[str, str]]:
    """Return the pairs of a split of a run, without empty ones."""
    loaded = load_model(ckpt)
    require_data_settings(loaded.config, loaded.path, "give the folder of a run")
    data = data_of(loaded, {} if path is None else {"path": path})
    pairs = load_corpus(build_source(data), data, (split,))[split]
    return [(pair.source, pair.target) for pair in pairs if pair.source.strip() and pair.target.strip()]
