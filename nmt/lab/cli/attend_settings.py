"""The settings of attend.py, and their contradictions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from nmt.cli.arguments import FreeText, OpenMapping, PathText, SearchSettings, changed
from nmt.parameters import PositiveInt

WITHOUT_TRACE = ("input", "compare", "words", "scaled", "format")


@dataclass(kw_only=True)
class AttendConfig(SearchSettings):
    """The settings of attend.yaml."""

    ckpt: PathText | list[PathText]
    text: FreeText | None
    target: FreeText | None
    input: PathText | None
    kind: Literal["cross", "encoder_self", "decoder_self", "rollout"]
    views: OpenMapping
    layer: PositiveInt | None
    head: PositiveInt | None
    words: bool
    trace: PositiveInt | None
    compare: PathText | None
    out: PathText | None
    format: Literal["png", "svg", "pdf"]
    scaled: bool

    def contradictions(self) -> Iterator[str]:
        """Yield a message for each setting that contradicts another setting or has no effect with it."""
        if self.target is not None and self.text is None:
            yield 'target="...": it is the translation of one sentence; give that with text="..."'
        if self.trace is not None:
            given = changed("attend", self)
            if others := [f"{key}=" for key in WITHOUT_TRACE if key in given]:
                yield f"trace=: it explains one piece of one translation; leave out {' '.join(others)}"
            if isinstance(self.ckpt, list):
                yield f"ckpt: got a list of {len(self.ckpt)}, but trace= is of one model"
            if self.kind not in ("cross", "decoder_self"):
                yield f"kind={self.kind}: a trace explains a position of the translation; use cross or decoder_self"
            return
        if self.text is not None and self.input is not None:
            yield 'text=: expected one sentence, as text="...", or a file, as input=lines.en'
        if self.kind == "rollout" and self.head is not None:
            yield f"head={self.head}: a rollout takes the mean of all heads; leave it out"
        if self.views and self.out is None and "kind" in changed("attend", self):
            yield "kind=: with views= it only chooses the picture; to draw it, add out=FOLDER"
        if self.out is None and (self.scaled or self.format != "png"):
            yield "scaled= and format=: they only change pictures; to draw them, add out=FOLDER"
