"""A model of several directions in every format: the tag of the target language stands before each source."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
import sentencepiece

from nmt.checkpoint import LoadedModel
from nmt.config.settings import TokenizerConfig
from nmt.data.pair import SentencePair, Split
from nmt.data.tokenizer import Tokenizer
from nmt.deploy.cli.export import in_direction
from nmt.deploy.export.argos import Argos
from nmt.deploy.export.base import Exportable, Format
from nmt.deploy.export.ctranslate2 import CTranslate2
from nmt.deploy.export.html import Engine, Html, packed
from nmt.deploy.export.huggingface import HuggingFace
from nmt.deploy.page import held
from nmt.translation.loading import directions_of, load
from tests.deploy.export.models import SEARCH, TEXTS, exported, largest_difference, same, transformer
from tests.tiny_run import Run, sentences

DIRECTIONS = [("en", "de"), ("en", "fr"), ("de", "en"), ("fr", "en")]


@pytest.fixture(scope="module")
def model(run: Run) -> LoadedModel:
    pairs = Split.of([SentencePair(line, line[::-1].upper()) for line in sentences(60, seed=60)])
    settings = TokenizerConfig(type="bpe", vocab_size=340, joint=True, character_coverage=1.0)
    tokenizer = Tokenizer.train(pairs, settings, cache_dir=None, tags=["de", "en", "fr"]).towards("de")
    found = transformer(run, tokenizer=tokenizer)
    data = {**found.config["data"], "both_directions": True, "pairs": {"other": {"target_lang": "fr"}}}
    return replace(found, config={**found.config, "data": data})


@pytest.mark.parametrize(
    "format", [CTranslate2(), pytest.param(HuggingFace(), marks=pytest.mark.slow), Html()], ids=lambda each: each.name
)
def test_each_direction_has_our_numbers(format: Format, model: LoadedModel, tmp_path: Path) -> None:
    for source, target in (("en", "fr"), ("fr", "en")):
        turned = in_direction(model, (source, target))
        assert {*directions_of(turned.config)} == {*DIRECTIONS} and directions_of(turned.config)[0] == (source, target)
        try:
            pair = exported(format, turned, tmp_path / target)
        except ImportError:
            pytest.skip("the library is not installed")
        if pair[1] is None:
            pytest.skip("no node")
        assert largest_difference(*pair) < 1e-4
        assert len({each.text for each in same(pair, TEXTS[:5], beam_size=1)}) > 1
    if format.name == "ctranslate2":
        translator, _ = load(tmp_path / "fr", source_lang="de")
        theirs = translator.score(TEXTS, TEXTS)
        ours, _ = load(tmp_path / "en", target_lang="en", source_lang="de")
        assert [each.token_log_probs for each in theirs] == [each.token_log_probs for each in ours.score(TEXTS, TEXTS)]


def test_the_engine_of_argos_writes_the_tag(model: LoadedModel, tmp_path: Path) -> None:
    ctranslate2 = pytest.importorskip("ctranslate2")
    turned = in_direction(model, ("en", "fr"))
    ours, _ = exported(Argos(quantization="float32"), turned, tmp_path / "argos")
    with zipfile.ZipFile(tmp_path / "argos" / "translate.argosmodel") as archive:
        archive.extractall(tmp_path)
    (folder,) = tmp_path.glob("translate-*")
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / "sentencepiece.model"))
    engine = ctranslate2.Translator(str(folder / "model"), compute_type="float32")
    for text, translation in zip(TEXTS, ours.translate(TEXTS, beam_size=1), strict=True):
        (found,) = engine.score_batch(
            [pieces.encode(text, out_type=str)], [pieces.encode(translation.text, out_type=str)]
        )
        (expected,) = ours.score([text], [translation.text])
        assert found.log_probs == pytest.approx(expected.token_log_probs, abs=1e-4)


def test_a_page_has_all_directions(model: LoadedModel) -> None:
    if Engine.program is None:
        pytest.skip("no node")
    engine = Engine(held([packed(Exportable(model, SEARCH, ""))]))
    directions = engine.ask("(model) => model.header.directions")
    assert directions == [[*each, [model.tokenizer.tags[each[1]]]] for each in DIRECTIONS]
    for *languages, tag in directions:
        (found,) = engine.ask("(model, text, tag) => [model.translate(text, { tag })]", TEXTS[0], tag)
        turned = in_direction(model, (languages[0], languages[1]))
        assert found["source_ids"] == turned.tokenizer.encode_source(TEXTS[:1])[0]
        assert json.dumps(found["source_pieces"][0]) == f'">>{languages[1]}<<"'
