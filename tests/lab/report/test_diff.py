"""The words in which two texts differ."""

from __future__ import annotations

import random

import pytest

from nmt.lab.report.page import differing


def shown(one: str, other: str) -> tuple[str, str]:
    texts = differing(one, other)
    first, second = ("".join(f"[{text}]" if differs else text for text, differs in parts) for parts in texts)
    return first, second


@pytest.mark.parametrize(
    ("one", "other", "marked"),
    [
        ("A dog runs.", "A dog runs.", ("A dog runs.", "A dog runs.")),
        ("A dog runs fast.", "A big dog ran.", ("A dog [runs fast].", "A [big] dog [ran].")),
        ("a b", "", ("[a b]", "")),
        ("犬が走る。", "犬は走った。", ("犬[が]走[る]。", "犬[は]走[った]。")),  # characters
        ("개가 빨리 달린다.", "개는 빨리 달린다.", ("[개가] 빨리 달린다.", "[개는] 빨리 달린다.")),  # words
        ("हिन्दी भाषा", "हिन्दी बोली", ("हिन्दी [भाषा]", "हिन्दी [बोली]")),  # marks belong to their words
        ("ที่นี่", "ที่โน่น", ("ที่[นี่]", "ที่[โน่น]")),  # marks belong to their characters
    ],
)
def test_differing_words_are_marked(one: str, other: str, marked: tuple[str, str]) -> None:
    assert shown(one, other) == marked
    assert shown(other, one) == marked[::-1]


def test_the_parts_are_the_whole_text() -> None:
    draw = random.Random(1)
    for _ in range(200):
        texts = ["".join(draw.choices("ab c.,犬走하 \u0301", k=draw.randint(0, 12))) for _ in range(2)]
        for text, parts in zip(texts, differing(*texts), strict=True):
            assert "".join(part for part, _ in parts) == text and all(part for part, _ in parts)
        one, other = ("".join(part for part, differs in parts if not differs) for parts in differing(*texts))
        assert "".join(one.split()) == "".join(other.split())
