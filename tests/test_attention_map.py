"""The map between pieces and words, its JSON, and back."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
import torch

from nmt.attention_map import AttentionMap, group_words, load
from nmt.errors import UserError
from nmt.models.interface import AttentionWeights
from nmt.text.protect import Spans
from nmt.tokens import Piece
from nmt.translation.translator import Translator
from tests.attention_maps import ENGLISH, GERMAN, ORIGIN, WORDS, as_pieces, make, make_map
from tests.tiny_run import Run


@pytest.mark.parametrize(("pieces", "expected"), WORDS)
def test_words_of_a_sentence(pieces: list[Piece | str], expected: list[str], tmp_path: Path) -> None:
    groups = group_words(as_pieces(pieces))
    assert [i for group in groups for i in group] == list(range(len(pieces)))
    both = make_map(pieces, pieces, cross=torch.eye(len(pieces))[None, None])
    assert both.words().axes("cross") == (expected, expected)
    assert there_and_back(both, tmp_path).words().axes("cross") == (expected, expected)


@pytest.fixture
def translator(run: Run) -> Translator:
    """The tiny translator, which keeps tags."""
    tokenizer = run.translator.tokenizer.with_spans(Spans({"tags": "</?[a-z]>"}))
    return Translator(run.translator.model, tokenizer, run.translator.search)


def test_the_words_of_a_text_with_tags_are_those_between_its_spaces(translator: Translator) -> None:
    texts = ["a , <b>dog</b> two", "<b>A</b> dog", "a <b><i>two dogs</i></b> .", "a <b>dog", "a<b>dog</b>, <b> </b>"]
    texts += ["a <b> dog </b> two", "a <b> <i>dog</i></b>", "(<b>a</b>) dog", "<b><i>a</i></b> , <b>b</b>"]
    for each in translator.attention_maps(translator.score(texts, texts)):
        words = each.words()
        assert [piece.label for piece in words.source_pieces] == [*each.source.split(), "</s>"]
        assert [piece.label for piece in words.target_pieces] == [*each.target.split(), "</s>"]
        assert words.read_pieces == (Piece("<s>"), *words.target_pieces[:-1])


@pytest.mark.lab
def test_a_tag_is_not_the_start_or_the_end_of_the_sentence(translator: Translator) -> None:
    from nmt.lab.alignment.alignment import units
    from nmt.lab.attention.measures import measures
    from nmt.lab.heads.roles import roles

    (one, other) = translator.attention_maps(
        translator.score(["a dog<s>two</s> men", "a dog<b>two</b> men"], ["a"] * 2)
    )
    columns, words = one.columns("cross"), one.words()
    assert [piece.label for piece in columns if piece.label in ("<s>", "</s>")] == ["<s>", "</s>", "</s>"]
    assert [place for place, piece in enumerate(columns) if piece.is_special] == [len(columns) - 1]
    assert [piece.label for piece in words.source_pieces] == ["a", "dog<s>two</s>", "men", "</s>"]
    groups = group_words(one.source_pieces)
    assert groups == group_words(other.source_pieces)
    numbers = units(one.source_pieces, one.source, words=True, where="")
    assert [*numbers] == [number for number, group in enumerate(groups[:-1]) for _ in group]
    for figures in (partial(measures, kind="cross"), partial(roles, kind="cross", frequencies=None)):
        found, expected = figures([one]), figures([other])
        torch.testing.assert_close(found, expected)


def test_words_sum_over_columns_and_average_over_rows() -> None:
    cross = torch.tensor([[0.1, 0.2, 0.3, 0.4], [0.5, 0.1, 0.1, 0.3], [0.0, 0.0, 0.0, 1.0]])[None, None]
    pieces = make_map(["▁Do", "nau", "▁!", "</s>"], ["▁Dan", "ube", "</s>"], cross=cross)
    by_hand = torch.tensor([[0.45, 0.2, 0.35], [0.0, 0.0, 1.0]])
    words = pieces.words()
    torch.testing.assert_close(words.cross, by_hand[None, None])
    assert words.words() is words


@pytest.mark.parametrize("ended", [True, False])
def test_decoder_self_reads_the_target_shifted_by_one(ended: bool) -> None:
    pieces = make(target=GERMAN if ended else GERMAN[:-2])  # without eos the last word is cut in two: written, not read
    assert pieces.read_pieces == (Piece("<s>"), *pieces.target_pieces[:-1])
    words = pieces.words()
    assert words.read_pieces[0] == Piece("<s>") and words.read_pieces[1:4] == words.target_pieces[:3]
    assert words.decoder_self is not None
    assert words.decoder_self.shape[2:] == (len(words.target_pieces), len(words.read_pieces))


# --- the value


def test_a_row_of_a_padded_batch_is_cut_to_its_pieces() -> None:
    batch = AttentionWeights(torch.rand(3, 2, 4, 9, 8), torch.rand(3, 2, 4, 9, 9), None)
    sides = {"source_pieces": as_pieces(ENGLISH[:5]), "target_pieces": as_pieces(GERMAN[:6])}
    cut = AttentionMap.from_weights(batch, 1, **sides, source="", target="")
    assert batch.cross is not None and batch.decoder_self is not None
    assert torch.equal(cut.cross, batch.cross[1, :, :, :6, :5])  # type: ignore[arg-type]
    assert torch.equal(cut.decoder_self, batch.decoder_self[1, :, :, :6, :6])  # type: ignore[arg-type]
    assert cut.kinds == ("cross", "decoder_self")


def test_weights_of_the_wrong_shape_or_not_finite_are_refused() -> None:
    abc, de = tuple(as_pieces(["a", "b", "c"])), tuple(as_pieces(["d", "e"]))
    with pytest.raises(ValueError, match=r"cross: got shape \(1, 1, 3, 3\), expected \(layers, heads, 2, 3\)"):
        AttentionMap(abc, de, (), torch.ones(1, 1, 3, 3), None, None, "", "")
    with pytest.raises(ValueError, match="finite"):
        AttentionMap(abc, de, (), torch.full((1, 1, 2, 3), torch.nan), None, None, "", "")


# --- JSON


def there_and_back(attention: AttentionMap, folder: Path) -> AttentionMap:
    """Return the map in a file with the JSON of a map."""
    path = folder / "map.json"
    path.write_text(attention.to_json())
    return load(path)


@pytest.mark.parametrize("level", ["pieces", "words"])
def test_json_there_and_back(level: str, tmp_path: Path) -> None:
    written = make() if level == "pieces" else make().words()
    back = there_and_back(written, tmp_path)
    assert (back.level, back.source, back.target, back.origin) == (level, "the source", "das Ziel", ORIGIN)
    assert (back.source_pieces, back.target_pieces) == (written.source_pieces, written.target_pieces)
    for kind in written.kinds:
        torch.testing.assert_close(getattr(back, kind), getattr(written, kind), atol=5e-5, rtol=0)
    assert back.to_json() == there_and_back(back, tmp_path).to_json()


def test_json_is_as_documented_and_readable() -> None:
    attention = make()
    text = attention.to_json()
    data = json.loads(text)
    assert list(data) == ["format", "version", "source", "target", "origin", "pieces", "words"]
    assert data["pieces"]["source"] == ENGLISH and data["words"]["source"][-2] == "bike."
    assert "▁Fahr" in text


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("no", "damaged ("),
        ("[" * 100_000, "damaged ("),
        ('{"format": "nmt-attention-map", "version": 2}', "version: got 2, expected an integer of exactly 3"),
        (make().to_json().replace(", 0.", f", {'9' * 99}", 1), "finite"),
        (make().to_json().replace(", 0.", f", {'9' * 400}", 1), "too large"),
        (make().to_json().replace('"▁bike"', "7"), "pieces.source: got"),
        (make().to_json().replace('"▁bike", ', ""), "expected (layers, heads"),
        (make().to_json().replace("[0.", '["', 1).replace(", 0.", '", 0.', 1), "damaged"),
    ],
)
def test_what_is_no_map_is_refused_in_one_line(text: str, part: str, tmp_path: Path) -> None:
    path = tmp_path / "map.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError) as caught:
        load(path)
    message = str(caught.value)
    assert message.startswith(str(path)) and part in message and "\n" not in message
