"""What a view says of a translation: its pieces and words, the source share, and the views that configs/views has."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml

from nmt import load_translator
from nmt.build import build_views
from nmt.errors import UserError
from nmt.lab.attribution.base import Attribution, AttributionView, attribute, attributions, layer_names, shares
from nmt.lab.attribution.gradient import InputXGradient
from nmt.lab.attribution.logit_lens import LogitLens
from nmt.lab.attribution.occlusion import Occlusion
from nmt.lab.attribution.prediction import Prediction
from nmt.lab.attribution.value_zeroing import EncoderValueZeroing
from nmt.lab.cli import attend
from tests.attention_maps import ENGLISH, GERMAN, make_map
from tests.tiny_run import Run, save_other, sentences

CONFIGS = sorted((Path(__file__).parents[3] / "configs" / "views").glob("*.yaml"))


def views() -> dict[str, AttributionView]:
    return build_views({path.stem: yaml.safe_load(path.read_text("utf-8")) for path in CONFIGS})


@pytest.mark.parametrize("name", views())
def test_every_view_looks_into_a_transformer(run: Run, name: str) -> None:
    view = views()[name]
    (translation,) = run.translator.score(["two red bike, and a dog."], ["dog. a red"])
    found = attribute(view, run.translator, translation)
    for words in (False, True):
        seen = found.view(words=words)
        rows, columns = map(len, seen.axes)
        assert seen.weights.shape[2:] == (rows, columns) and len(seen.reach) == rows
        assert np.isfinite(seen.weights).all() and (seen.weights >= 0).all() and (seen.weights <= 1.001).all()
        panel, _ = seen.panel()
        assert all(not panel[row, reach:].any() for row, reach in enumerate(seen.reach))


def test_a_sentence_has_the_same_scores_beside_others_and_in_training(run: Run) -> None:
    translations = run.translator.score(sentences(4, seed=2), sentences(4, seed=3))
    alone = run.translator.score([translations[1].source], [translations[1].text])[0]
    expected = attribute(Occlusion(), run.translator, alone).scores
    model = run.translator.model.train()
    torch.testing.assert_close(attribute(Occlusion(), run.translator, translations[1]).scores, expected)
    assert all(module.training for module in model.modules())
    model.eval()


def test_the_probabilities_are_those_of_the_translator(run: Run, tmp_path: Path) -> None:
    other = load_translator(save_other(run, tmp_path / "other.safetensors"), device="cpu")
    for translator in (run.translator, other):
        for translation in translator.score(sentences(3, seed=2), sentences(3, seed=3)):  # padded to the longest
            source, target = torch.tensor(translation.encoded.ids), torch.tensor(translation.tokens)
            given = Prediction(translator.model, source, target, [])
            with torch.no_grad():
                hidden = given.hidden(*(vectors[None] for vectors in given.vectors))
                found = given.log_probs(hidden[0], target)
            torch.testing.assert_close(found, torch.tensor(translation.token_log_probs), atol=1e-5, rtol=1e-5)


def test_a_source_that_was_split_and_an_empty_one_have_no_views(run: Run) -> None:
    split, empty = run.translator.translate(["a dog. two men in snow.", ""], max_source_length=12)
    with pytest.raises(UserError, match="translated in 2 parts"):
        attribute(Occlusion(), run.translator, split)
    with pytest.raises(UserError, match="the sentence is empty"):
        attribute(Occlusion(), run.translator, empty)
    (whole,) = run.translator.translate(["a dog"])
    found = attributions({"one": Occlusion()}, run.translator, [split, whole, empty])
    assert list(found) == [1] and list(found[1]) == ["one"]


def test_gradients_are_computed_in_a_validation_too(run: Run) -> None:
    (translation,) = run.translator.score(["a dog"], ["ein Hund"])
    expected = attribute(InputXGradient(), run.translator, translation).scores
    with torch.inference_mode():
        torch.testing.assert_close(attribute(InputXGradient(), run.translator, translation).scores, expected)


# --- what is shown


def made(method: AttributionView, columns: int, *, rows: int = len(GERMAN), **fields: Any) -> Attribution:
    generator = torch.Generator().manual_seed(1)
    scores = torch.randn(2, 1, rows, columns, generator=generator)
    scores = scores if isinstance(method, Occlusion) else scores.softmax(-1)
    return Attribution(method, make_map(ENGLISH, GERMAN), scores, **fields)


def test_words_join_the_scores_of_pieces() -> None:
    found = made(Occlusion(), len(ENGLISH) + len(GERMAN))
    pieces, words = found.view(), found.view(words=True)
    assert pieces.axes == (GERMAN, [*ENGLISH, "<s>", *GERMAN[:-1]])
    assert "rides" in words.axes[1] and "roten" in words.axes[0]
    row, column = words.axes[0].index("roten"), words.axes[1].index("rides")
    first, ride = GERMAN.index("▁rot"), ENGLISH.index("▁ride")
    joined = found.scores[:, :, first : first + 2, ride : ride + 2].sum(-1).mean(-1)
    total = np.abs(found.scores.numpy()).sum(-1)
    assert words.weights.shape[2:] == (len(words.axes[0]), len(words.axes[1])) and total.shape[2] == len(GERMAN)
    ratio = words.weights[..., row, column] / words.weights[..., row, 0]
    other = found.scores[:, :, first : first + 2, 0].mean(-1).abs()
    np.testing.assert_allclose(ratio, joined.abs() / other, rtol=1e-4)
    assert pieces.reach == [len(ENGLISH) + row + 1 for row in range(len(GERMAN))]
    assert words.reach[0] == len(words.axes[1]) - len(words.axes[0]) + 1 and words.reach[-1] == len(words.axes[1])


def test_layers_and_encoders_have_columns_of_their_own() -> None:
    cells = [["▁Ja"] * 4 for _ in GERMAN]
    lens = made(LogitLens(), 4, cells=cells)
    assert lens.view().axes == (GERMAN, layer_names(4)) and lens.view().cells == cells
    assert layer_names(3) == ["embedding", "layer 1", "layer 2"]
    words = lens.view(words=True)
    assert words.cells is None and words.weights.shape[2:] == (len(words.axes[0]), 4)
    np.testing.assert_allclose(words.weights[0, 0, words.axes[0].index("roten")], lens.scores[0, 0, 4:6].mean(0))
    encoder = made(EncoderValueZeroing(), len(ENGLISH), rows=len(ENGLISH))
    assert encoder.view().axes == (ENGLISH, ENGLISH) and encoder.view().title == EncoderValueZeroing.title
    np.testing.assert_allclose(encoder.view().weights, shares(encoder.scores), rtol=1e-6)


def test_the_view_of_the_extending_page_is_shown(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (CONFIGS[0].parents[2] / "docs" / "extending.md").read_text("utf-8")
    for name, text in re.findall(
        r"^```(?:python|yaml) (my_\S*/noise\.\w+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL
    ):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    attend.main([f"ckpt={run.folder}", "--config-dir=my_configs", "allow=[my_lab]", "text=a dog", "views=noise"])
    assert "Noise in the source, in %" in capsys.readouterr().out
