"""Pictures of attention maps: everything in them can be read, nothing of the user's is lost."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
import torch
from matplotlib.figure import Figure
from matplotlib.text import Text

from nmt.attention_map import AttentionMap, load
from nmt.errors import UserError
from nmt.lab.attention.figure import card, draw, figure, overview, save
from nmt.lab.attention.view import view
from tests.attention_maps import ENGLISH, GERMAN, make, make_map


def small(attention: AttentionMap) -> Figure:
    return card(view(attention, words=True))


def texts(drawn: Figure) -> list[Text]:
    """Return the texts of a figure: labels of its panels, and what stands around them."""
    return [*(text for axes in drawn.axes for text in axes.texts), *drawn.texts]


@pytest.mark.slow
def test_save_writes_data_and_pictures(tmp_path: Path) -> None:
    attention = make()
    save(attention, tmp_path / "map.json")
    assert load(tmp_path / "map.json").axes("cross") == (GERMAN, ENGLISH)
    for name, start in {"map.PNG": b"\x89PNG", "map.svg": b"<?xml", "map.pdf": b"%PDF"}.items():
        save(attention, tmp_path / name, words=True)
        assert (tmp_path / name).read_bytes().startswith(start)
    assert len(list(tmp_path.iterdir())) == 4


def test_save_says_what_it_cannot_do_and_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    attention = make()
    with pytest.raises(UserError, match=r"suffix '\.jpg', expected \.png, .* or \.json"):
        save(attention, tmp_path / "map.jpg")
    with pytest.raises(UserError, match=r"folder .*none does not exist"):
        save(attention, tmp_path / "none" / "map.png")
    with pytest.raises(UserError, match="no attention"):
        save(make_map(["a"], ["b"]), tmp_path / "map.json")
    old = tmp_path / "old.json"
    old.write_text("old")
    monkeypatch.setattr("os.fsync", Mock(side_effect=OSError(28, "No space left on device")))
    with pytest.raises(OSError, match="No space left"):
        save(attention, old)
    assert old.read_text() == "old" and list(tmp_path.iterdir()) == [old]


def repeated(pieces: list[str], length: int) -> list[str]:
    return [*(pieces[:-1] * (length // len(pieces) + 1))[: length - 1], "</s>"]


SHAPES = {
    "tiny": (["</s>"], ["</s>"]),
    "short": (["▁Hi", ".", "</s>"], ["▁Hallo", ".", "</s>"]),
    "usual": (ENGLISH, GERMAN),
    "long": (repeated(ENGLISH, 60), repeated(GERMAN, 58)),
    "wide": (repeated(ENGLISH, 60), ["▁Ja", "</s>"]),
    "tall": (["▁Ja", "</s>"], repeated(GERMAN, 60)),
    "long words": (
        ["▁Donaudampfschifffahrtsgesellschaftskapitän"] * 3,
        ["▁Donaudampfschifffahrtsgesellschaft", "</s>"],
    ),
    "odd": (["▁$", "x_1^2$", "\\frac{", "<0xF0>", "▁\u200d", "▁\t"], ["▁한국어", "▁ไทย", "$$"]),
}


def pair_up(attention: AttentionMap) -> Figure:
    return draw([view(attention), view(make())])


def drawings() -> Iterator[Any]:
    """Yield each shape with each drawing; fast are every shape of a figure and every drawing of a long sentence."""
    for name, drawing in product(SHAPES, (figure, overview, small, pair_up)):
        fast = drawing is figure or name == "long"
        yield pytest.param(name, drawing, marks=[] if fast else pytest.mark.slow, id=f"{name}-{drawing.__name__}")


@pytest.mark.parametrize(("name", "drawing"), list(drawings()))
def test_no_label_is_cut_off_or_covers_another(name: str, drawing: Callable[[AttentionMap], Figure]) -> None:
    attention = make(*SHAPES[name])
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # matplotlib warns of glyphs it does not have
        drawn = drawing(replace(attention, source="A text of ไทย and $words$ that goes on and on " * 5))
        drawn.draw_without_rendering()
    boxes = {text: text.get_window_extent() for text in texts(drawn)}
    for text, box in boxes.items():
        assert box.x0 >= -1 and box.x1 <= drawn.bbox.x1 + 1, text
        assert box.y0 >= -1 and box.y1 <= drawn.bbox.y1 + 1, text
    level = [box for text, box in boxes.items() if text.get_rotation() == 0]
    for i, box in enumerate(level):
        for other in level[:i]:
            across = min(box.x1, other.x1) - max(box.x0, other.x0)
            down = min(box.y1, other.y1) - max(box.y0, other.y0)
            assert across <= 1 or down <= 2, (box, other)


@pytest.mark.slow
def test_a_very_long_sentence_does_not_make_a_picture_of_gigabytes() -> None:
    drawn = overview(make(repeated(ENGLISH, 400), repeated(GERMAN, 400)))
    assert drawn.get_size_inches().max() < 70 and drawn.get_size_inches().min() < 35


def test_overview_shows_every_head_in_its_place() -> None:
    attention = make()
    images = overview(attention).axes[2].images
    assert len(images) == 6 and attention.cross is not None
    for image, expected in zip(images, attention.cross.flatten(0, 1), strict=True):
        np.testing.assert_array_equal(image.get_array(), expected)
    lefts, tops = (sorted({round(image.get_extent()[i], 4) for image in images}) for i in (0, 3))
    assert (len(lefts), len(tops)) == (3, 2)


def test_colours_mean_the_same_in_every_picture_unless_one_is_scaled() -> None:
    even = make_map(ENGLISH, GERMAN, cross=torch.full((1, 1, len(GERMAN), len(ENGLISH)), 1 / len(ENGLISH)))
    for attention in (even, make()):
        shown = [image for axes in overview(attention).axes for image in axes.images]
        assert {image.get_clim() for image in shown} == {(0, 1)}
    scaled = figure(even, scaled=True)
    assert scaled.axes[0].images[0].get_clim() == (0, pytest.approx(2 / len(ENGLISH)))  # it does not look certain
    assert any("colours only for this picture: 0 to 0.14" in text.get_text() for text in scaled.texts)
