"""Make training pairs with trained models: back-translation of a text in one language, and distillation.

  python scripts/synthesize.py ckpt=RUN_FOLDER_OR_FILE input=FILE output=PAIRS.jsonl [key=value ...]

{settings}

The pairs are stored by language. So the direction of the training that reads them (data.more=) decides which side the
model has written: the source (back-translation) or the target (distillation). With tag=true, it must be the source.

Each different translation gives a pair. Left out are pairs with a defect of the data report (encoding, invisible,
markup, symbols) and translations with doubts (docs/translating.md). "unsure" alone is no reason: most samples are.

  python scripts/synthesize.py ckpt=DE_EN input=mono.de output=back.jsonl judge=EN_DE keep=0.8 tag=true
  python scripts/synthesize.py 'ckpt=[RUN,OTHER]' input=train.en output=distilled.jsonl search.n_best=4
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
import shlex
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from nmt.cli.arguments import PathText, SearchSettings, configured
from nmt.cli.output import messages_on, new_file, output_file
from nmt.cli.translate import DOCUMENTS
from nmt.cli.translation_lines import CHUNK, DECIMALS, LineTranslator, translate_file, unfinished
from nmt.data.progress import PassProgress
from nmt.data.sources.files import read_lines, read_texts
from nmt.errors import UserError, counted
from nmt.lab.corpus.defects import defect_finder
from nmt.parameters import Range
from nmt.search.beam import BeamSearch
from nmt.search.risk import Utility, expected_utilities
from nmt.system.lines import as_line, format_of
from nmt.tokens import MACHINE_MARK
from nmt.translation.base import BaseTranslator

SHARPNESS = 3.0  # the weight of a translation is exp(SHARPNESS * score)
DEFECTS = ("encoding", "invisible", "markup", "symbols")  # the others are doubts, or filters of the training


@dataclass(kw_only=True)
class SynthesizeConfig(SearchSettings):
    """The settings of synthesize.yaml."""

    ckpt: PathText | list[PathText]
    apart: bool
    input: PathText
    output: PathText
    agree: Utility | None
    judge: PathText | list[PathText] | None
    keep: Annotated[float, Range(above=0, high=1)] | None
    tag: bool

    def contradictions(self) -> Iterator[str]:
        if format_of(self.input) in DOCUMENTS:
            yield f"input={self.input}: not a file of sentences; expected one sentence on each line"
        if format_of(self.output) != ".jsonl":
            yield f"output={self.output}: expected a name that ends in .jsonl, which train.py reads as JSON Lines"
        if self.apart and (isinstance(self.ckpt, str) or len(self.ckpt) < 2):
            yield "apart=true: got one model, expected several, as in ckpt=[RUN_FOLDER,RUN_FOLDER]"
        if (self.judge is None) != (self.keep is None):
            yield "judge=, keep=: got one of them, expected both, as in judge=RUN_FOLDER keep=0.8"


Languages = tuple[str, str]
Judge = BaseTranslator | None


@configured(SynthesizeConfig)
def main(config: SynthesizeConfig) -> None:
    """Run the program. Raises UserError for a mistake in the settings or in a file."""
    new_file(config.output)
    output, scored = Path(config.output), config.agree is not None
    loaded = [replace(config, ckpt=each).load() for each in (config.ckpt if config.apart else [config.ckpt])]
    languages = languages_of(config, [translator for translator, _ in loaded])
    judge, judges = load_judge(config, languages) if config.judge else (None, [])
    work = partial(intermediate, output.with_name(f"{output.name}.work"))
    keys = [[digest(config.input), languages, config.engine, scored, *key(*each)] for each in loaded]
    found = [work("translations", *each) for each in keys]
    for (translator, _), path in zip(loaded, found, strict=True):
        if not path.exists():
            lines = partial(read_sources, Path(config.input), languages[0])
            translate_file(Lines(translator, scored), config.input, lines, path, sys.stdout)
    path = work("pairs", keys, config.agree, key(judge, judges) if judge else None)
    if not path.exists():
        choose(config.agree, found, path, languages, judge)
    write(config, path, languages)
    name = re.sub(r"\W", "_", output.name.partition(".")[0], flags=re.ASCII)
    direction = f" from {languages[1]} to {languages[0]}" if config.tag else ""
    quoted = json.dumps(config.output, ensure_ascii=False)
    print(f"for a training{direction}:", shlex.quote(f"data.more={{{name}: {{train: {quoted}}}}}"))


def read_sources(path: Path, column: str) -> Iterator[tuple[int, str]]:
    """Yield the number and the text of each line, without the mark of a source that a model has written."""
    for number, text in read_texts(path, column):
        yield number, text.removeprefix(f"{MACHINE_MARK} ")


def intermediate(folder: Path, stem: str, *key: Any) -> Path:
    """Return a file whose name changes with `key`: all that its content depends on."""
    return folder / f"{stem}-{hashlib.sha256(json.dumps(key).encode()).hexdigest()[:12]}.jsonl"


def languages_of(config: SynthesizeConfig, translators: Sequence[BaseTranslator]) -> Languages:
    """Return the languages of the models. Raises UserError for models or searches that do not fit the settings."""
    first, *others = {each.languages for each in translators}
    if first is None or others:
        got = ", ".join("-".join(each or "?") for each in (first, *others))
        raise UserError(f"ckpt={config.ckpt}: got models of {got}, expected the same two languages in each")
    searches = [each.search for each in translators]
    if config.agree and not all(isinstance(each, BeamSearch) and not each.utility for each in searches):
        raise UserError(f"agree={config.agree}: needs the lists of a beam search; of samples, search=mbr chooses")
    if config.agree and len(searches) == 1 and getattr(searches[0], "n_best", 1) == 1:
        raise UserError(f"agree={config.agree}: got one translation of each sentence; add search.n_best=5")
    return first


def load_judge(config: SynthesizeConfig, languages: Languages) -> tuple[BaseTranslator, Sequence[Any]]:
    """Return the model of the other direction. Raises UserError if there is no such model."""
    back = {"source_lang": languages[1], "target_lang": languages[0]}
    other: dict[str, Any] = {"ckpt": config.judge, **back, "engine": "torch", "search": {}}
    try:
        return replace(config, **other).load()
    except UserError as error:
        raise UserError(f"judge={config.judge}: {error}") from error


def key(translator: BaseTranslator, models: Sequence[Any]) -> list[Any]:
    """Return what translations depend on: the files of the models and the search, but for the size of the batches."""
    return [repr(translator.search.replace(batch_tokens=1)), *(digest(each.path) for each in models)]


def digest(path: str | Path) -> str:
    """Return a digest of the content of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Lines(LineTranslator):
    """Writes a line for each sentence: [sentence, [[translation, score, doubts], ...]]."""

    def __init__(self, translator: BaseTranslator, scored: bool) -> None:
        super().__init__(translator)
        self._scored = scored  # in CTranslate2, a score takes as long as the translation

    def lines(self, sentences: Sequence[str], places: Sequence[str], *, prefix: str = "") -> Iterator[str]:
        for source, found in zip(sentences, self.translations(sentences, places, prefix=prefix), strict=True):
            listed = [[as_line(each.text), each.score if self._scored else 0.0, each.doubts] for each in found]
            yield json.dumps([source, listed], ensure_ascii=False) + "\n"


def choose(agree: Utility | None, found: Sequence[Path], path: Path, languages: Languages, judge: Judge) -> None:
    """Write the pairs of each sentence to a line of `path`. `found` are the files of `Lines`, one for each model."""
    total, defect = sum(1 for _ in read_lines(found[0])), defect_finder(DEFECTS, languages)
    with messages_on(sys.stderr), unfinished(path, total) as (file, done):
        rest = itertools.islice(zip(*map(read_lines, found), strict=True), done, None)
        with PassProgress("choosing", total, unit="lines", done=done, stderr=True) as progress:
            while chunk := [list(map(json.loads, lines)) for lines in itertools.islice(rest, CHUNK)]:
                both = [(lines[0][0], chosen([own for _, own in lines], agree)) for lines in chunk]
                rows = [[(s, text, bad or defect(s, text)) for text, bad in own] for s, own in both]
                scores = judged(judge, [(s, text) for row in rows for s, text, bad in row if not bad])
                for row in rows:
                    pairs = [(s, text, bad, None if bad else next(scores)) for s, text, bad in row]
                    file.write(json.dumps(pairs, ensure_ascii=False) + "\n")
                file.flush()
                progress.advance(len(chunk))


def chosen(lists: Sequence[Sequence[Any]], agree: Utility | None) -> list[tuple[str, str]]:
    """Return the translations of a sentence by all models, or only the one that is most similar to the others.

    Each has its problem, or "". The most similar one has a problem if it has one wherever it occurs.
    """
    own, weights = list[tuple[str, str]](), list[float]()
    for found in lists:
        scores = SHARPNESS * np.array([score for _, score, _ in found])
        weights += np.exp(scores - np.logaddexp.reduce(scores)).tolist()  # their sum is 1
        for text, _, doubts in found:
            own.append((text, next((each for each in doubts if each != "unsure"), "" if text.strip() else "empty")))
    if agree is None:
        return own
    best = own[int(np.argmax(expected_utilities([text for text, _ in own], weights, agree)))][0]
    return [(best, min(problem for text, problem in own if text == best))]


def judged(judge: Judge, pairs: Sequence[tuple[str, str]]) -> Iterator[float | None]:
    """Yield for each pair log P a piece of the sentence, given the translation; None if the judge cannot read it."""
    try:
        found = judge.score([text for _, text in pairs], [source for source, _ in pairs]) if judge else []
        yield from (round(each.score / len(each.tokens), DECIMALS) for each in found)
        yield from [None] * (len(pairs) - len(found))
    except UserError:  # too long
        yield from [None] if len(pairs) == 1 else (next(judged(judge, [pair])) for pair in pairs)


def read_pairs(path: Path) -> Iterator[tuple[str, str, str, float | None]]:
    """Yield each pair of a file that `choose` wrote, its problem ("duplicate" if it came before), and its score."""
    seen = set[int]()
    for source, text, problem, score in itertools.chain.from_iterable(map(json.loads, read_lines(path))):
        again = hash((source, text)) in seen
        seen |= set() if problem else {hash((source, text))}
        yield source, text, problem or "duplicate" * again, score


def write(config: SynthesizeConfig, path: Path, languages: Languages) -> None:
    """Write the pairs without a problem, and print how many are left out, and why. Raises UserError if none is left."""
    left_out, least = Counter[str](), -np.inf
    if config.keep is not None:
        scores = np.sort([score for *_, problem, score in read_pairs(path) if score is not None and not problem])
        least = scores[-max(1, round(config.keep * len(scores)))] if len(scores) else least
    with output_file(Path(config.output)) as file:
        for source, text, problem, score in read_pairs(path):
            if config.keep is not None and not problem and (score is None or score < least):
                problem = "too long for the judge" if score is None else f"judged below {least:.3f} a piece"
            left_out[problem] += 1
            if not problem:
                pair = dict(zip(languages, (source, f"{MACHINE_MARK} {text}" if config.tag else text), strict=True))
                file.write(json.dumps({"translation": pair}, ensure_ascii=False) + "\n")
        count = left_out.pop("", 0)
        reasons = ", ".join(f"{number:,} {reason}" for reason, number in sorted(left_out.items())) or "nothing"
        if not count:
            raise UserError(f"{config.input}: no pair is left; left out: {reasons}")
    print(f"{counted(count, 'pair')} written to {config.output}; left out: {reasons}")


if __name__ == "__main__":
    from scripts import synthesize

    synthesize.main()
