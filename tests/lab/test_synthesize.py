"""The program that makes training pairs with trained models, and a training that reads them."""

from __future__ import annotations

import itertools
import json
import math
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from sacrebleu.metrics import CHRF

from nmt import load_translator
from nmt.cli import train, translation_lines
from nmt.data.filters import simplified
from nmt.data.pair import SentencePair
from nmt.errors import UserError
from nmt.lab.corpus.defects import defect_finder
from nmt.text.protect import Spans
from nmt.tokens import MACHINE_MARK
from nmt.translation.base import BaseTranslator
from scripts import synthesize
from tests.integration.small_training import PLAIN, TINY
from tests.tiny_run import Run, save_other

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "transformer"
SOURCES = ("three days before", "three hours", "", "three days before", "May 3, 2027", "two hours later")


def read(path: Path) -> list[tuple[str, ...]]:
    rows = [json.loads(line)["translation"] for line in path.read_text("utf-8").splitlines()]
    assert all([*row] == ["en", "de"] for row in rows)
    return [tuple(row.values()) for row in rows]


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    """Three translations of each source, by a model that was trained on the embedded corpus. One source has a mark."""
    lines = "".join(f"{each}\n" for each in SOURCES).replace("two hours", f"{MACHINE_MARK} two hours")
    (tmp_path / "train.en").write_text(lines, "utf-8")
    return [f"ckpt={EXAMPLE}", "device=cpu", "search.n_best=3", f"input={tmp_path / 'train.en'}"]


@pytest.fixture
def judge(run: Run, tmp_path: Path) -> Path:
    """A model from German to English."""
    return save_other(run, tmp_path / "judge.safetensors", source_lang="de", target_lang="en")


def clean(sources: Sequence[str]) -> list[tuple[str, str]]:
    found = load_translator(EXAMPLE, device="cpu", n_best=3).hypotheses(sources)
    pairs = [(best.source, each.text) for best, *rest in found for each in (best, *rest) if each.text]
    doubtful = {(each.source, each.text) for own in found for each in own if {*each.doubts} - {"unsure"}}
    return [pair for pair in dict.fromkeys(pairs) if pair not in doubtful]


def test_every_different_translation_without_a_doubt_is_a_pair(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "pairs.jsonl"
    synthesize.main([*words, f"output={out}"])
    expected = clean(SOURCES)
    assert read(out) == expected and len(expected) > 4, "n-best lists count"
    said = capsys.readouterr().out
    assert f"{len(expected)} pairs written to {out}; left out: 3 duplicate, 1 empty" in said
    with pytest.raises(UserError, match="exists already; give another name"):
        synthesize.main([*words, f"output={out}"])

    several = [f"ckpt=[{EXAMPLE},{EXAMPLE.with_name('luong')}]", "apart=true", *words[1:]]
    synthesize.main([*several, f"output={tmp_path / 'all.jsonl'}"])
    assert {*expected} < {*read(tmp_path / "all.jsonl")}
    synthesize.main([*several, f"output={tmp_path / 'one.jsonl'}", "agree=chrf"])
    agreed = read(tmp_path / "one.jsonl")
    assert {*agreed} < {*read(tmp_path / "all.jsonl")} and [source for source, _ in agreed] == [*dict(agreed)]


def test_a_problem_has_a_name() -> None:
    found = [
        ["drei", -1.0, []],
        ["drei drei", -1.0, ["unsure", "repeated"]],
        [" ", 0.0, []],
        ["dreie", -9.0, ["unsure"]],
    ]
    assert synthesize.chosen([found], None) == [("drei", ""), ("drei drei", "repeated"), (" ", "empty"), ("dreie", "")]
    defect = defect_finder(synthesize.DEFECTS, ("en", "de"))
    assert [defect("ten", text) for text in ("zehn", "<b>zehn</b>", "-- -- --")] == ["", "markup", "symbols"]


def test_agreement_chooses_the_translation_that_is_most_similar_to_the_others() -> None:
    texts: list[list[dict[str, float]]] = [
        [{"ein Hund rennt": -0.5, "eine Katze rennt": -0.6}, {"ein Hund schwimmt": -0.2, "der Hund rennt": -0.9}],
        [{"drei": -1000.0}, {"vier": -1.0, "drei": -1.5}, {"zwei": -0.9}],
        [{"drei drei drei": -0.1}, {"drei drei drei": -0.1}, {"drei drei": -0.1}],
    ]
    for lists in texts:
        weights: dict[str, float] = {}
        for scores in lists:
            best = max(scores.values())
            total = sum(math.exp(3 * (score - best)) for score in scores.values())
            for text, score in scores.items():
                weights[text] = weights.get(text, 0) + math.exp(3 * (score - best)) / total
        similar = {t: sum(w * CHRF().sentence_score(t, [r]).score for r, w in weights.items()) for t in weights}
        doubts = {text: ["repeated"] * ("drei drei" in text) for text in weights}
        found = [[[text, score, doubts[text]] for text, score in scores.items()] for scores in lists]
        expected = max(similar, key=similar.__getitem__)
        assert synthesize.chosen(found, "chrf") == [(expected, "repeated" if doubts[expected] else "")]
    some = [[["ja", 0.0, ["cut"]], ["ja", 0.0, []]]]
    assert synthesize.chosen(some, "chrf") == [("ja", "")], "it has no doubt in one of its places"


def stop_at(patch: pytest.MonkeyPatch, name: str, last: int) -> None:
    """Let the program end at a call of a method of the translators."""
    method, count = getattr(BaseTranslator, name), itertools.count(1)

    def until(self: BaseTranslator, *args: Any, **options: Any) -> Any:
        if next(count) == last:
            raise KeyboardInterrupt
        return method(self, *args, **options)

    patch.setattr(BaseTranslator, name, until)


def test_the_judge_keeps_the_pairs_from_which_the_sentence_is_probable(
    words: list[str], judge: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = clean(SOURCES)
    found = load_translator(judge, device="cpu").score([de for _, de in pairs], [en for en, _ in pairs])
    scores = [each.score / len(each.tokens) for each in found]
    least = sorted(scores, reverse=True)[round(0.5 * len(pairs)) - 1]
    words = [*words, f"judge={judge}", "keep=0.5"]
    synthesize.main([*words, f"output={tmp_path / 'whole.jsonl'}"])
    kept = read(tmp_path / "whole.jsonl")
    assert kept == [pair for pair, score in zip(pairs, scores, strict=True) if score >= least - 1e-5]
    assert f"{len(pairs) - len(kept)} judged below {least:.3f} a piece" in capsys.readouterr().out

    for module in (synthesize, translation_lines):
        monkeypatch.setattr(module, "CHUNK", 2)
    for name in ("hypotheses", "score"):  # each pass is stopped in its third chunk
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            stop_at(patch, name, 3)
            synthesize.main([*words, f"output={tmp_path / 'parts.jsonl'}"])
    synthesize.main([*words, f"output={tmp_path / 'parts.jsonl'}"])
    assert read(tmp_path / "parts.jsonl") == kept
    assert capsys.readouterr().err.count("goes on after line") == 2

    long = "to " * 1100
    assert list(synthesize.judged(load_translator(judge), [("a", "ein"), ("a", long)]))[1] is None


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["output=x.de"], "expected a name that ends in .jsonl"),
        (["output=x.jsonl", "keep=0.8"], "judge=, keep=: got one of them"),
        (["output=x.jsonl", "apart=true"], "apart=true: got one model"),
        (["output=x.jsonl", "agree=chrf", "search.n_best=1"], "agree=chrf: got one translation"),
        (["output=x.jsonl", "agree=chrf", "search.utility=chrf"], "agree=chrf: needs the lists of a beam search"),
        (["output=x.jsonl", f"judge={EXAMPLE}", "keep=0.8"], "source_lang: got de to en, expected en to de"),
    ],
)
def test_settings_that_do_not_fit(words: list[str], more: list[str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        synthesize.main([*words, *more])


def test_the_mark_passes_normalization_and_spans() -> None:
    marked = f"{MACHINE_MARK} Ein {{0}} <b>Hund</b>."
    source, target = Spans({"any": r"<[^>]*>|\{\w+\}"}).read_pair(SentencePair(marked, "").source, "A {0} <b>dog</b>.")
    assert source.startswith(f"{MACHINE_MARK} Ein ｟0｠｟8｠ Hund｟9｠") and MACHINE_MARK not in target
    assert simplified(marked) == simplified("ein {0} <b>hund</b>"), "held-out sources are found behind the mark too"


@pytest.mark.slow
def test_the_whole_loop_on_the_embedded_corpus(tmp_path: Path) -> None:
    """Back-translation for a model from German to English: the example writes sources for English sentences."""
    corpus = ["data.source_lang=de", "data.target_lang=en"]
    train.main([*TINY, *PLAIN, *corpus, "trainer.max_steps=2", f"hydra.run.dir={tmp_path / 'first'}"])
    mono = tmp_path / "first" / "translations"
    (english,) = mono.glob("val.*ref.en")
    words = [f"ckpt={EXAMPLE}", "device=cpu", f"input={english}", f"output={tmp_path / 'back.jsonl'}", "tag=true"]
    program = [sys.executable, str(EXAMPLE.parents[1] / "scripts" / "synthesize.py"), *words]
    done = subprocess.run(
        [*program, f"judge={tmp_path / 'first'}", "keep=0.9"], capture_output=True, text=True, check=True
    )
    pairs = read(tmp_path / "back.jsonl")
    assert len(pairs) > 20 and all(german.startswith(f"{MACHINE_MARK} ") for _, german in pairs)
    tokenizer = load_translator(tmp_path / "first", device="cpu").tokenizer
    labels = [piece.label for piece in tokenizer.source_pieces(tokenizer.encode_source([pairs[0][1]])[0])]
    assert MACHINE_MARK in labels[:2]
    said = done.stdout.splitlines()
    more = shlex.split(next(line for line in said if line.startswith("for a training from de to en: ")))[-1]
    train.main([*TINY, *PLAIN, *corpus, "trainer.max_steps=3", more, f"hydra.run.dir={tmp_path / 'second'}"])
    assert f"data.more.back: {len(pairs)} training pairs" in (tmp_path / "second" / "train.log").read_text("utf-8")
