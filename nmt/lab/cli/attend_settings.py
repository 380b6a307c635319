"""The settings of attend.py, and their contradictions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from nmt.cli.arguments import FreeText, OpenMapping, PathText, SearchSettings, changed
from nmt.parameters import PositiveInt

# The reason why a setting contradicts others, and the names of these others.
ALONE = {
    "trace": (
        "it explains one piece of one translation",
        ("input", "detachment", "data", "compare", "animation", "sentence", "words", "scaled", "format"),
    ),
    "animation": (
        "it shows the pictures that the run has drawn of its validation sentences",
        (
            *("text", "target", "input", "compare", "out", "kind", "views", "detachment", "data"),
            *("layer", "head", "format", "scaled", "search"),
        ),
    ),
}


@dataclass(kw_only=True)
class AttendConfig(SearchSettings):
    """The settings of attend.yaml."""

    ckpt: PathText | list[PathText]
    text: FreeText | None
    target: FreeText | None
    input: PathText | None
    kind: Literal["cross", "encoder_self", "decoder_self", "rollout"]
    views: OpenMapping
    detachment: bool
    data: OpenMapping
    layer: PositiveInt | None
    head: PositiveInt | None
    words: bool
    trace: PositiveInt | None
    compare: PathText | None
    animation: PathText | None
    sentence: PositiveInt
    out: PathText | None
    format: Literal["png", "svg", "pdf"]
    scaled: bool

    def contradictions(self) -> Iterator[str]:
        """Yield a message for each setting that contradicts another setting or has no effect with it."""
        alone = next((key for key in ALONE if getattr(self, key) is not None), None)
        if alone is not None:
            reason, excluded = ALONE[alone]
            given = changed("attend", self)
            if others := [f"{key}=" for key in excluded if key in given]:
                yield f"{alone}=: {reason}; leave out {' '.join(others)}"
            if isinstance(self.ckpt, list):
                yield f"ckpt: got a list of {len(self.ckpt)}, but {alone}= is of one model"
        if alone != "animation" and self.target is not None and self.text is None:
            yield 'target="...": it is the translation of one sentence; give that with text="..."'
        if alone == "trace" and self.kind not in ("cross", "decoder_self"):
            yield f"kind={self.kind}: a trace explains a position of the translation; use cross or decoder_self"
        if alone == "animation" and Path(self.animation or "").suffix.lower() != ".gif":
            yield f"animation={self.animation}: expected the name of a GIF, as in map.gif"
        if alone is not None:
            return
        if self.sentence != 1:
            yield "sentence=: it only chooses the sentence of an animation; add animation=map.gif"
        if self.data and not self.detachment:
            yield "data: it only names the validation sentences of detachment=true; add that"
        if self.text is not None and self.input is not None:
            yield 'text=: expected one sentence, as text="...", or a file, as input=lines.en'
        if self.kind == "rollout" and self.head is not None:
            yield f"head={self.head}: a rollout takes the mean of all heads; leave it out"
        if self.views and self.out is None and "kind" in changed("attend", self):
            yield "kind=: with views= it only chooses the picture; to draw it, add out=FOLDER"
        if self.out is None and (self.scaled or self.format != "png"):
            yield "scaled= and format=: they only change pictures; to draw them, add out=FOLDER"
