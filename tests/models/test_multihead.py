"""Multi-head attention against torch's own, against single heads, and against itself by another path."""

import pytest
import torch
from torch import nn

from nmt.models.multihead import MultiHeadAttention, attention_weights
from nmt.models.positions.functions import rotate, sinusoids

WIDTH, HEADS = 12, 3


@pytest.fixture
def inputs():
    torch.manual_seed(0)
    query, memory = torch.randn(4, 5, WIDTH), torch.randn(4, 7, WIDTH)
    mask = torch.arange(7) < torch.tensor([[7], [3], [1], [5]])
    return query, memory, mask


@pytest.mark.parametrize("fused", [True, False])
def test_equals_torch(inputs, fused):
    query, memory, mask = inputs
    ours = MultiHeadAttention(WIDTH, HEADS)
    theirs = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat((ours.query.weight, ours.key_value.weight)))
        theirs.in_proj_bias.copy_(torch.randn(3 * WIDTH))
        ours.query.bias.copy_(theirs.in_proj_bias[:WIDTH])
        ours.key_value.bias.copy_(theirs.in_proj_bias[WIDTH:])
        theirs.out_proj.load_state_dict(ours.output.state_dict())
    expected, expected_weights = theirs(query, memory, memory, ~mask, average_attn_weights=False)
    out, weights = ours(query, memory, mask, need_weights=not fused)
    torch.testing.assert_close(out, expected)
    if not fused:
        torch.testing.assert_close(weights, expected_weights)


def test_heads_equal_a_list_of_single_heads(inputs):
    query, memory, mask = inputs
    fused = MultiHeadAttention(WIDTH, HEADS)
    size = WIDTH // HEADS
    keys, values = fused.key_value.weight[:WIDTH], fused.key_value.weight[WIDTH:]
    out = fused.output.bias.clone()
    for head in range(HEADS):
        rows = slice(head * size, (head + 1) * size)
        q, k, v = query @ fused.query.weight[rows].T, memory @ keys[rows].T, memory @ values[rows].T
        scores = (q @ k.transpose(1, 2) / size**0.5).masked_fill(~mask[:, None], float("-inf"))
        out = out + scores.softmax(-1) @ v @ fused.output.weight[:, rows].T
    torch.testing.assert_close(fused(query, memory, mask)[0], out)


def test_a_large_negative_fill_agrees_with_infinity(inputs):
    query, memory, mask = inputs
    q, k = query[:, None], memory[:, None]
    options = {"mask": mask[:, None, None], "causal": False, "scale": 0.5}
    infinite = attention_weights(q, k, **options)
    torch.testing.assert_close(attention_weights(q, k, fill=-1e9, **options), infinite)
    assert (infinite.masked_select(~mask[:, None, None].expand_as(infinite)) == 0).all()


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("scale_scores", [True, False])
@pytest.mark.parametrize("rotary", [True, False])
def test_both_paths_agree(causal, scale_scores, rotary):
    torch.manual_seed(1)
    attention = MultiHeadAttention(WIDTH, HEADS, scale_scores=scale_scores, rotary=rotary)
    x = torch.randn(2, 6, WIDTH)
    mask = None if causal else torch.arange(6) < torch.tensor([[6], [2]])
    fused, none = attention(x, x, mask, causal=causal)
    explicit, weights = attention(x, x, mask, causal=causal, need_weights=True)
    torch.testing.assert_close(fused, explicit)
    assert none is None
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, HEADS, 6))
    if causal:
        assert (weights.triu(1) == 0).all()


def test_unscaled_scores_by_hand():
    query = key = torch.tensor([[[[2.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]]])
    weights = attention_weights(query, key, None, causal=False, scale=0.5)
    e = torch.tensor([2.0, 0.5]).exp()
    torch.testing.assert_close(weights[0, 0, 0, 0], e[0] / (e[0] + 1))
    torch.testing.assert_close(weights[0, 0, 1, 1], e[1] / (e[1] + 1))


def test_rotary_scores_depend_on_distance_only():
    torch.manual_seed(2)
    q, k = torch.randn(1, 1, 1, 8), torch.randn(1, 1, 1, 8)
    near = (rotate(q, 3) * rotate(k, 1)).sum()
    far = (rotate(q, 103) * rotate(k, 101)).sum()
    torch.testing.assert_close(near, far, rtol=1e-4, atol=1e-4)
    assert not torch.isclose(near, (rotate(q, 4) * rotate(k, 1)).sum())


def test_sinusoids_by_hand():
    like = torch.zeros(1)
    row = sinusoids(3, 1, 4, like)[0]
    fast, slow = torch.tensor(3.0), torch.tensor(0.03)
    torch.testing.assert_close(row, torch.stack((fast.sin(), fast.cos(), slow.sin(), slow.cos())))
    torch.testing.assert_close(sinusoids(0, 9, 6, like)[4:], sinusoids(4, 5, 6, like))


@pytest.mark.parametrize(("width", "heads", "rotary"), [(10, 3, False), (6, 0, False), (9, 3, True)])
def test_sizes_that_do_not_divide_are_refused(width, heads, rotary):
    with pytest.raises(ValueError, match=str(width)):
        MultiHeadAttention(width, heads, rotary=rotary)
