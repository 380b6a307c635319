"""Pictures of attention maps: everything in them can be read, nothing of the user's is lost."""

from __future__ import annotations

import subprocess
import sys
import warnings
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch

from nmt.analysis.figure import figure, overview, save
from nmt.attention_map import load
from nmt.errors import UserError
from tests.attention_maps import ENGLISH, GERMAN, make, make_map


def test_save_writes_data_and_pictures(tmp_path: Path) -> None:
    attention = make()
    save(attention, tmp_path / "map.json")
    save(attention, tmp_path / "map.PNG", words=True)
    assert load(tmp_path / "map.json").axes("cross") == (GERMAN, ENGLISH)
    assert (tmp_path / "map.PNG").read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["map.PNG", "map.json"]


def test_save_says_what_it_cannot_do_and_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    attention = make()
    with pytest.raises(UserError, match=r"suffix '\.svg', expected \.png .* or \.json"):
        save(attention, tmp_path / "map.svg")
    with pytest.raises(UserError, match=r"folder .*none does not exist"):
        save(attention, tmp_path / "none" / "map.png")
    with pytest.raises(UserError, match="no attention"):
        save(make_map(["a"], ["b"]), tmp_path / "map.json")
    old = tmp_path / "old.json"
    old.write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
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


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("draw", [figure, overview])
def test_no_label_is_cut_off_or_covers_another(name: str, draw: object) -> None:
    attention = make(*SHAPES[name])
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # matplotlib warns of glyphs it does not have
        drawn = draw(attention, title="A title of ไทย and $words$ that goes on and on " * 2)  # type: ignore[operator]
        drawn.canvas.draw()
    boxes = {text: text.get_window_extent() for text in drawn.texts}
    for text, box in boxes.items():
        assert box.x0 >= -1 and box.x1 <= drawn.bbox.x1 + 1, text
        assert box.y0 >= -1 and box.y1 <= drawn.bbox.y1 + 1, text
    level = [box for text, box in boxes.items() if text.get_rotation() == 0]
    for i, box in enumerate(level):
        for other in level[:i]:
            across = min(box.x1, other.x1) - max(box.x0, other.x0)
            down = min(box.y1, other.y1) - max(box.y0, other.y0)
            assert across <= 1 or down <= 2, (box, other)


def test_a_very_long_sentence_does_not_make_a_picture_of_gigabytes() -> None:
    drawn = overview(make(repeated(ENGLISH, 400), repeated(GERMAN, 400)))
    assert drawn.get_size_inches().max() < 70 and drawn.get_size_inches().min() < 35


def test_slanted_labels_keep_a_line_between_them() -> None:
    drawn = figure(make(*SHAPES["long"]))
    slanted = [text for text in drawn.texts if text.get_rotation() == 45]
    assert len(slanted) == 60
    places = [text.get_transform().transform(text.get_position())[0] for text in slanted]
    line = slanted[0].get_fontsize() / 72 * drawn.dpi
    assert min(b - a for a, b in pairwise(places)) * np.sqrt(0.5) >= 0.99 * line


def test_a_panel_shows_the_mean_or_the_one_asked_for() -> None:
    attention = make()
    assert attention.cross is not None
    for arguments, expected in [
        ({}, attention.cross.mean((0, 1))),
        ({"layer": 2}, attention.cross[1].mean(0)),
        ({"head": 3}, attention.cross[:, 2].mean(0)),
        ({"layer": 1, "head": 2}, attention.cross[0, 1]),
    ]:
        shown = figure(attention, **arguments).axes[0].images[0].get_array()  # type: ignore[arg-type]
        np.testing.assert_allclose(shown, expected, atol=1e-6)


def test_overview_shows_every_head_in_its_place() -> None:
    attention = make()
    images = overview(attention).axes[2].images
    assert len(images) == 6 and attention.cross is not None
    for image, expected in zip(images, attention.cross.flatten(0, 1), strict=True):
        np.testing.assert_array_equal(image.get_array(), expected)
    lefts, tops = (sorted({round(image.get_extent()[i], 4) for image in images}) for i in (0, 3))
    assert (len(lefts), len(tops)) == (3, 2)


def test_a_recurrent_model_has_one_panel() -> None:
    drawn = overview(make(layers=1, heads=1))
    assert sum(len(axes.images) for axes in drawn.axes) == 1
    assert not any("mean" in text.get_text() or "head" in text.get_text() for text in drawn.texts)


def test_even_attention_does_not_look_certain() -> None:
    even = make_map(ENGLISH, GERMAN, cross=torch.full((1, 1, len(GERMAN), len(ENGLISH)), 1 / len(ENGLISH)))
    assert figure(even).axes[0].images[0].get_clim() == (0, pytest.approx(2 / len(ENGLISH)))


def test_what_a_model_does_not_have_is_named() -> None:
    attention = make_map(["a"], ["b"], cross=torch.ones(1, 1, 1, 1))
    with pytest.raises(UserError, match="kind 'encoder_self', but this model has cross"):
        figure(attention, kind="encoder_self")
    for number in (0, 2, -1):
        with pytest.raises(UserError, match=f"layer {number}, expected 1 to 1"):
            figure(attention, layer=number)


@pytest.mark.slow
def test_importing_costs_no_matplotlib_and_drawing_no_pyplot() -> None:
    program = (
        "import sys, nmt.attention_map, nmt.analysis.figure as f\n"
        "assert 'matplotlib' not in sys.modules\n"
        "from tests.attention_maps import make\n"
        "f.overview(make(heads=2)).canvas.draw()\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
