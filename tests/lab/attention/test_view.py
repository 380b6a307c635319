"""What is shown of a map: a kind, a layer and head or their mean, a rollout, the mask."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import torch

from nmt.errors import UserError
from nmt.lab.attention.view import rollout, shown_kinds, view, with_layers
from tests.attention_maps import ENGLISH, GERMAN, make, make_map, weights


def along_all_paths(matrices: torch.Tensor, start: int, end: int) -> float:
    """Return the sum over all paths from a position of the top layer to a source position (L, S, S)."""
    layers, size = matrices.shape[:2]
    total = 0.0
    for between in product(range(size), repeat=layers - 1):
        path = [start, *between, end]  # from the top layer down
        total += float(np.prod([matrices[layers - 1 - i, path[i], path[i + 1]] for i in range(layers)]))
    return total


def test_rollout_is_the_sum_over_all_paths_through_the_layers() -> None:
    given = weights(3, 2, 4, 4)
    steps = torch.empty(3, 4, 4)
    for layer, row, column in product(range(3), range(4), range(4)):
        heads = [float(given[layer, head, row, column]) for head in range(2)]
        steps[layer, row, column] = (sum(heads) / 2 + (row == column)) / 2
    found = rollout(given)
    assert found.shape == (3, 4, 4)
    for layer, row, column in product(range(3), range(4), range(4)):
        expected = along_all_paths(steps[: layer + 1], row, column)
        assert float(found[layer, row, column]) == pytest.approx(expected, abs=1e-6)
    torch.testing.assert_close(found.sum(-1), torch.ones(3, 4))


def test_a_view_is_the_mean_or_the_one_asked_for() -> None:
    attention = make()
    assert attention.cross is not None and attention.encoder_self is not None
    for arguments, expected, note in [
        ({}, attention.cross.mean((0, 1)), "mean of 2 layers and 3 heads"),
        ({"layer": 2}, attention.cross[1].mean(0), "layer 2 of 2, mean of 3 heads"),
        ({"head": 3}, attention.cross[:, 2].mean(0), "head 3 of 3, mean of 2 layers"),
        ({"layer": 1, "head": 2}, attention.cross[0, 1], "layer 1 of 2, head 2 of 3"),
    ]:
        found, said = view(attention).panel(**arguments)
        np.testing.assert_allclose(found, expected, atol=1e-6)
        assert said == note
    rolled = view(attention, "rollout")
    for layer in (1, 2):
        np.testing.assert_allclose(rolled.panel(layer)[0], rollout(attention.encoder_self)[layer - 1], atol=1e-6)
    np.testing.assert_array_equal(rolled.panel()[0], rolled.panel(2)[0])
    assert rolled.axes == (ENGLISH, ENGLISH)


def test_words_of_a_rollout_are_merged_after_it() -> None:
    attention = make()
    assert attention.encoder_self is not None
    rolled = rollout(attention.encoder_self)[:, None]
    expected = make_map(ENGLISH, GERMAN, encoder_self=rolled).words().encoder_self
    np.testing.assert_allclose(view(attention, "rollout", words=True).weights, expected, atol=1e-6)


@pytest.mark.parametrize("words", [False, True])
def test_the_reach_of_a_row_is_where_the_causal_mask_lets_it_look(words: bool) -> None:
    seen = view(make(), "decoder_self", words=words)
    weighted = (seen.weights > 0).any(axis=(0, 1))  # softmax gives nothing exactly 0 but to what is masked
    assert seen.reach == [int(row.nonzero()[0].max()) + 1 for row in weighted]
    columns = seen.attention.words().cross.shape[3] if words else len(ENGLISH)
    assert view(make(), "cross", words=words).reach == [columns] * len(seen.reach)


def test_what_a_model_does_not_have_is_named() -> None:
    recurrent = make_map(["a"], ["b"], cross=torch.ones(1, 1, 1, 1))
    assert shown_kinds(recurrent) == ["cross"] and shown_kinds(make())[-1] == "rollout"
    with pytest.raises(UserError, match="got kind 'rollout', but this model has cross; choose"):
        view(recurrent, "rollout")
    with pytest.raises(UserError, match="got layer 3, but 'Attention to the source' has 2 layers"):
        view(make()).panel(3)
    with pytest.raises(UserError, match="nobody can look into the layers of an exported model; name its run"):
        with_layers(object())
    with pytest.raises(UserError, match="got head 4, but 'Attention to the source' has 3 heads"):
        view(make()).panel(head=4)
