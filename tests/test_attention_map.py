"""The map between pieces and words, its JSON, and pictures in which everything can be read."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch

from nmt.attention_map import AttentionMap, figure, figure_grid, group_words, load, overview, save
from nmt.errors import UserError
from nmt.models.interface import AttentionWeights

ENGLISH = ["▁A", "▁man", ",", "▁in", "▁a", "▁red", "▁shirt", ",", "▁ride", "s", "▁a", "▁bike", ".", "</s>"]
GERMAN = ["▁Ein", "▁Mann", "▁in", "▁einem", "▁rot", "en", "▁Hemd", "▁fährt", "▁Fahr", "rad", ".", "</s>"]


def weights(layers: int, heads: int, rows: int, columns: int, *, causal: bool = False) -> torch.Tensor:
    scores = 2 * torch.randn(layers, heads, rows, columns, generator=torch.Generator().manual_seed(rows * columns))
    if causal:
        scores = scores.masked_fill(torch.ones(rows, columns).triu(1).bool(), -torch.inf)
    return scores.softmax(-1)


def make(source: list[str] = ENGLISH, target: list[str] = GERMAN, layers: int = 2, heads: int = 3) -> AttentionMap:
    s, t = len(source), len(target)
    return AttentionMap(
        source_pieces=source,
        target_pieces=target,
        cross=weights(layers, heads, t, s),
        encoder_self=weights(layers, heads, s, s),
        decoder_self=weights(layers, heads, t, t, causal=True),
        source="the source",
        target="das Ziel",
    )


# --- words


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        (ENGLISH, ["A", "man,", "in", "a", "red", "shirt,", "rides", "a", "bike.", "</s>"]),
        (["▁", "🍕", "<9F>", "<8D>", "<95>", "!", "▁x"], ["🍕!", "x"]),
        (["▁caf", "é", "<A9>", "s", "</s>"], ["cafés", "</s>"]),
        (["▁a", "<FF>", "<9F>"], ["a<FF>"]),
        (
            ["▁", "私", "は", "▁", "Python", "が", "好き", "です", "。", "</s>"],
            ["私", "は", "Python", "が", "好き", "です", "。", "</s>"],
        ),
        (["▁我们", "用", "GPU", "s", "训练"], ["我们", "用", "GPUs", "训练"]),
        (["▁", "你", "<BD>", "<A0>", "好", "<A5>", "<BD>"], ["你", "好"]),
        (["▁20", "24", "년", "▁3", "월", "</s>"], ["2024년", "3월", "</s>"]),
        (["▁สวัส", "ดี", "▁ครับ"], ["สวัส", "ดี", "ครับ"]),
        (["ne", "xt", "▁", "</s>"], ["next", "▁", "</s>"]),
        (["</s>"], ["</s>"]),
    ],
)
def test_words_of_a_sentence(pieces: list[str], expected: list[str]) -> None:
    groups = group_words(pieces)
    assert [i for group in groups for i in group] == list(range(len(pieces)))
    both = AttentionMap(pieces, pieces, torch.eye(len(pieces))[None, None], None, None, "", "").words()
    assert list(both.source_pieces) == list(both.target_pieces) == expected


def test_words_sum_over_columns_and_average_over_rows() -> None:
    cross = torch.tensor([[0.1, 0.2, 0.3, 0.4], [0.5, 0.1, 0.1, 0.3], [0.0, 0.0, 0.0, 1.0]])[None, None]
    pieces = AttentionMap(["▁Do", "nau", "▁!", "</s>"], ["▁Dan", "ube", "</s>"], cross, None, None, "", "")
    by_hand = torch.tensor([[0.45, 0.2, 0.35], [0.0, 0.0, 1.0]])
    torch.testing.assert_close(pieces.words().cross, by_hand[None, None])


def test_word_rows_still_sum_to_one_and_a_word_map_is_its_own() -> None:
    words = make().words()
    for kind in words.kinds:
        sums = getattr(words, kind).sum(-1)
        torch.testing.assert_close(sums, torch.ones_like(sums))
    assert words.words() is words


@pytest.mark.parametrize("ended", [True, False])
def test_decoder_self_reads_the_target_shifted_by_one(ended: bool) -> None:
    pieces = make(target=GERMAN if ended else GERMAN[:-2])  # without eos the last word is cut in two: written, not read
    assert pieces.read_pieces == ("<s>", *pieces.target_pieces[:-1])
    words = pieces.words()
    assert words.read_pieces[0] == "<s>" and words.read_pieces[1:4] == words.target_pieces[:3]
    assert words.decoder_self is not None
    assert words.decoder_self.shape[2:] == (len(words.target_pieces), len(words.read_pieces))


# --- the value


def test_a_row_of_a_padded_batch_is_cut_to_its_pieces() -> None:
    batch = AttentionWeights(torch.rand(3, 2, 4, 9, 8), torch.rand(3, 2, 4, 9, 9), None)
    names = {"source_pieces": ENGLISH[:5], "target_pieces": GERMAN[:6], "source": "", "target": ""}
    cut = AttentionMap.from_weights(batch, 1, **names)  # type: ignore[arg-type]
    assert batch.cross is not None and batch.decoder_self is not None
    assert torch.equal(cut.cross, batch.cross[1, :, :, :6, :5])  # type: ignore[arg-type]
    assert torch.equal(cut.decoder_self, batch.decoder_self[1, :, :, :6, :6])  # type: ignore[arg-type]
    assert cut.kinds == ("cross", "decoder_self")


def test_weights_of_the_wrong_shape_or_not_finite_are_refused() -> None:
    with pytest.raises(ValueError, match=r"cross: got shape \(1, 1, 3, 3\), expected \(layers, heads, 2, 3\)"):
        AttentionMap(["a", "b", "c"], ["d", "e"], torch.ones(1, 1, 3, 3), None, None, "", "")
    with pytest.raises(ValueError, match="finite"):
        AttentionMap(["a"], ["b"], torch.full((1, 1, 1, 1), torch.nan), None, None, "", "")


# --- JSON


@pytest.mark.parametrize("level", ["pieces", "words"])
def test_json_there_and_back(level: str) -> None:
    written = make() if level == "pieces" else make().words()
    back = AttentionMap.from_json(written.to_json())
    assert (back.level, back.source, back.target) == (level, "the source", "das Ziel")
    assert (back.source_pieces, back.target_pieces) == (written.source_pieces, written.target_pieces)
    for kind in written.kinds:
        torch.testing.assert_close(getattr(back, kind), getattr(written, kind), atol=5e-5, rtol=0)
    assert back.to_json() == AttentionMap.from_json(back.to_json()).to_json()


def test_json_is_as_documented_and_readable() -> None:
    attention = make()
    text = attention.to_json()
    data = json.loads(text)
    assert list(data) == ["format", "version", "source", "target", "pieces", "words"]
    assert data["pieces"]["source"] == ENGLISH and data["words"]["source"][-2] == "bike."
    assert data["pieces"]["cross"][1][2][5][7] == pytest.approx(float(attention.cross[1, 2, 5, 7]), abs=5e-5)  # type: ignore[index]
    assert "▁Fahr" in text and max(map(len, text.splitlines())) < 200
    assert text.count(json.dumps(data["pieces"]["cross"][0][0][0])) == 1  # a row is a line


def test_json_of_a_model_with_one_kind_has_null_for_the_others() -> None:
    data = json.loads(AttentionMap(["a"], ["b"], torch.ones(1, 1, 1, 1), None, None, "", "").to_json())
    assert data["pieces"]["encoder_self"] is None and data["words"]["cross"] == [[[[1.0]]]]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("no", "not JSON"),
        ("[]", '"format": "nmt-attention-map"'),
        ('{"format": "nmt-attention-map", "version": 2}', "version 2"),
        ('{"format": "nmt-attention-map", "version": 1}', "KeyError"),
        (make().to_json().replace('"▁bike", ', ""), "expected (layers, heads"),
        (make().to_json().replace("0.", '"', 1).replace(", 0.", '", 0.', 1), "damaged"),
    ],
)
def test_what_is_no_map_is_refused_in_one_line(text: str, part: str, tmp_path: Path) -> None:
    path = tmp_path / "map.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError) as caught:
        load(path)
    message = str(caught.value)
    assert message.startswith(str(path)) and part in message and "\n" not in message


# --- files


def test_save_writes_data_and_pictures(tmp_path: Path) -> None:
    attention = make()
    save(attention, tmp_path / "map.json")
    save(attention, tmp_path / "map.PNG", words=True)
    assert load(tmp_path / "map.json").source_pieces == tuple(ENGLISH)
    assert (tmp_path / "map.PNG").read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["map.PNG", "map.json"]


def test_save_says_what_it_cannot_do_and_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    attention = make()
    with pytest.raises(UserError, match=r"suffix '\.svg', expected \.png .* or \.json"):
        save(attention, tmp_path / "map.svg")
    with pytest.raises(UserError, match=r"folder .*none does not exist"):
        save(attention, tmp_path / "none" / "map.png")
    with pytest.raises(UserError, match="no attention"):
        save(AttentionMap(["a"], ["b"], None, None, None, "", ""), tmp_path / "map.json")
    old = tmp_path / "old.json"
    old.write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        save(attention, old)
    assert old.read_text() == "old" and list(tmp_path.iterdir()) == [old]


# --- pictures


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
@pytest.mark.parametrize("draw", [figure, overview, figure_grid])
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


@pytest.mark.parametrize("draw", [overview, figure_grid])
def test_a_very_long_sentence_does_not_make_a_picture_of_gigabytes(draw: object) -> None:
    drawn = draw(make(repeated(ENGLISH, 400), repeated(GERMAN, 400)))  # type: ignore[operator]
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


def test_overview_and_grid_show_every_head_in_its_place() -> None:
    attention = make()
    for drawn, axes in [(figure_grid(attention), 0), (overview(attention), 2)]:
        images = drawn.axes[axes].images
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
    even = AttentionMap(
        ENGLISH, GERMAN, torch.full((1, 1, len(GERMAN), len(ENGLISH)), 1 / len(ENGLISH)), None, None, "", ""
    )
    assert figure(even).axes[0].images[0].get_clim() == (0, pytest.approx(2 / len(ENGLISH)))


def test_what_a_model_does_not_have_is_named() -> None:
    attention = AttentionMap(["a"], ["b"], torch.ones(1, 1, 1, 1), None, None, "", "")
    with pytest.raises(UserError, match="kind 'encoder_self', but this model has cross"):
        figure(attention, kind="encoder_self")
    for number in (0, 2, -1):
        with pytest.raises(UserError, match=f"layer {number}, expected 1 to 1"):
            figure(attention, layer=number)


def test_importing_costs_no_matplotlib_and_drawing_no_pyplot() -> None:
    program = (
        "import sys, torch, nmt.attention_map as m\n"
        "assert 'matplotlib' not in sys.modules\n"
        "m.overview(m.AttentionMap(['a'], ['b'], torch.ones(1, 2, 1, 1), None, None, '', '')).canvas.draw()\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    root = Path(__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
