"""HTML over the interface of LibreTranslate: its elements, its alternatives, and the language of its text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import pytest

from nmt.deploy.serve.worker import Worker
from nmt.spans import MARK, Spans
from nmt.translation.translation import Translation
from tests.deploy.serve.stub import MAX_WAIT, Stub, open_stub, served

ASK = {"source": "en", "target": "de", "format": "html"}


def test_tags_and_addresses_are_of_no_language() -> None:
    pages = [
        '<p>안녕하세요 <a href="https://social.example/tags/korea" class="mention" rel="tag">#한국</a></p>',
        "<style>body { font-family: sans-serif }</style><p>파일을 여세요.</p><!-- a comment in English -->",
        "<p>&#54028;&#51068;&#51012; &#50668;&#49464;&#50836;.</p>",
        '<p>안녕 <code>printf("hello world from the program")</code></p>',
        '<p>글 <a href="x"><span class="invisible">https://www.</span><span>example.com/articles/2026/11</span></a></p>',
    ]
    both = {pair: open_stub() for pair in (("en", "ko"), ("ko", "en"))}
    with served(Worker(both, max_wait=MAX_WAIT)) as client:
        found = client.post("/translate", {"q": pages, "source": "auto", "target": "en", "format": "html"}).body
        assert found["detectedLanguage"] == [{"confidence": 100.0, "language": "ko"}] * len(pages)


@dataclass
class Forgetful(Stub):
    """Moves the marks of spans to the end of the text."""

    def hypotheses(self, sentences: Sequence[str], **fields: Any) -> list[list[Translation]]:
        moved = [MARK.sub("", text) + "".join(MARK.findall(text)) for text in sentences]
        return super().hypotheses(moved, **fields)


@pytest.mark.parametrize(
    ("kind", "translation", "sources"),
    [(Stub, "<b>A DOG</b>", ["｟8｠a dog｟9｠ runs."]), (Forgetful, "<b>A DOG</b>", ["a dog", "runs."])],
)
def test_html_has_the_texts_of_its_elements(kind: type[Stub], translation: str, sources: list[str]) -> None:
    stub = kind(tokenizer=SimpleNamespace(spans=Spans({"braces": r"\{x\}"})))
    stub.gate.set()
    with served(Worker({("en", "de"): stub}, max_wait=MAX_WAIT)) as client:
        asked = {**ASK, "q": "<p><b>a dog</b> runs.</p><p>Ox.</p>", "nmt": True}
        body = client.post("/translate", asked).body
    assert body["translatedText"] == f"<p>{translation} RUNS.</p><p>OX.</p>"
    assert len(body["nmt"]) == len(sources) + 1
    assert kind is Forgetful or [each["source"] for each in body["nmt"]] == [*sources, "Ox."]


@dataclass
class Emptying(Stub):
    """Leaves the first element of all translations but the best empty."""

    def hypotheses(self, sentences: Sequence[str], **fields: Any) -> list[list[Translation]]:
        found = super().hypotheses(sentences, **fields)
        return [[best, *(replace(each, text=EMPTIED.sub("", each.text)) for each in rest)] for best, *rest in found]


EMPTIED = re.compile(r"(?<=｟8｠).*(?=｟9｠)")


@pytest.mark.parametrize(("kind", "count"), [(Stub, 2), (Emptying, 0)])
def test_alternatives_that_empty_an_element_are_left_out(kind: type[Stub], count: int) -> None:
    stub = kind(tokenizer=SimpleNamespace(spans=Spans({"braces": r"\{x\}"})))
    stub.gate.set()
    with served(Worker({("en", "de"): stub}, max_wait=MAX_WAIT)) as client:
        asked = {**ASK, "q": "<p><b>a dog</b> runs.</p>", "alternatives": 2}
        body = client.post("/translate", asked).body
    assert body["translatedText"] == "<p><b>A DOG</b> RUNS.</p>" and len(body["alternatives"]) == count
