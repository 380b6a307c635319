"""Multi-head attention against single heads, and against itself by another path; test_transformer.py has torch's."""

import pytest
import torch
from torch import nn

from nmt.models.multihead import MultiHeadAttention
from nmt.models.positions.alibi import Alibi
from nmt.models.positions.base import Positions
from nmt.models.positions.learned import Relative
from nmt.models.positions.sinusoidal import Rotary

WIDTH, HEADS = 12, 3


@pytest.fixture
def inputs():
    torch.manual_seed(0)
    query, memory = torch.randn(4, 5, WIDTH), torch.randn(4, 7, WIDTH)
    mask = torch.arange(7) < torch.tensor([[7], [3], [1], [5]])
    return query, memory, mask


@pytest.mark.parametrize("masked", [-torch.inf, -1e9])
@pytest.mark.parametrize("gate", [False, True])
@pytest.mark.parametrize("qk_norm", [False, True])
def test_heads_equal_a_list_of_single_heads(inputs, qk_norm, gate, masked):
    """Each head has its own rows of the weights; a large negative score is as good as minus infinity."""
    query, memory, mask = inputs
    fused = MultiHeadAttention(WIDTH, HEADS, qk_norm=qk_norm, gate=gate)
    if qk_norm:
        torch.nn.init.normal_(fused.query_norm.weight), torch.nn.init.normal_(fused.key_norm.weight)
    size = WIDTH // HEADS
    keys, values = fused.key_value.weight[:WIDTH], fused.key_value.weight[WIDTH:]
    out = fused.output.bias.clone()
    for head in range(HEADS):
        rows = slice(head * size, (head + 1) * size)
        q, k, v = query @ fused.query.weight[rows].T, memory @ keys[rows].T, memory @ values[rows].T
        q, k = fused.query_norm(q), fused.key_norm(k)
        scores = (q @ k.transpose(1, 2) / size**0.5).masked_fill(~mask[:, None], masked)
        context = scores.softmax(-1) @ v
        if gate:
            context = context / (1 + (-query @ fused.gate.weight[rows].T - fused.gate.bias[rows]).exp())
        out = out + context @ fused.output.weight[:, rows].T
    torch.testing.assert_close(fused(query, memory, mask)[0], out)


@pytest.mark.parametrize("need_weights", [True, False])
def test_an_open_gate_changes_nothing_and_a_closed_one_leaves_the_bias(inputs, need_weights):
    """A gate is weights of its own beside those of an attention without a gate."""
    query, memory, mask = inputs
    plain, gated = MultiHeadAttention(WIDTH, HEADS), MultiHeadAttention(WIDTH, HEADS, gate=True)
    found = gated.load_state_dict(plain.state_dict(), strict=False)
    assert found.missing_keys == ["gate.weight", "gate.bias"] and not found.unexpected_keys
    expected, _ = plain(query, memory, mask)
    half, _ = gated(query, memory, mask, need_weights=need_weights)
    assert not torch.allclose(half, expected)
    nn.init.constant_(gated.gate.bias, 100.0)
    torch.testing.assert_close(gated(query, memory, mask, need_weights=need_weights)[0], expected)
    nn.init.constant_(gated.gate.bias, -100.0)
    closed, weights = gated(query, memory, mask, need_weights=need_weights)
    torch.testing.assert_close(closed, gated.output.bias.expand_as(closed))
    assert weights is None or torch.equal(weights, plain(query, memory, mask, need_weights=True)[1])


def test_a_few_queries_get_what_they_get_among_many():
    """On a CPU a few queries take another path than many."""
    attention = MultiHeadAttention(WIDTH, HEADS)
    query, memory, mask = torch.randn(4, 20, WIDTH), torch.randn(4, 200, WIDTH), torch.rand(4, 200) < 0.5
    many, _ = attention(query, memory, mask)
    for count in (1, 5):
        few, weights = attention(query[:, :count], memory, mask)
        torch.testing.assert_close(few, many[:, :count])
        assert weights is None


@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("scale_scores", [True, False])
@pytest.mark.parametrize("qk_norm", [True, False])
@pytest.mark.parametrize("gate", [True, False])
@pytest.mark.parametrize("make", [Positions, Rotary, Alibi, Relative])
def test_both_paths_agree(masked, causal, scale_scores, qk_norm, gate, make):
    """With every combination of padding mask, causal mask and positions; gradients included."""
    torch.manual_seed(1)
    attention = MultiHeadAttention(WIDTH, HEADS, scale_scores=scale_scores, qk_norm=qk_norm, gate=gate).double()
    positions = make(WIDTH, HEADS).double()
    x = torch.randn(2, 6, WIDTH, dtype=torch.float64, requires_grad=True)
    mask = torch.arange(6) < torch.tensor([[6], [2]]) if masked else None
    options = {"mask": mask, "positions": positions, "causal": causal}
    fused, none = attention(x, x, **options)
    explicit, weights = attention(x, x, **options, need_weights=True)
    torch.testing.assert_close(fused, explicit)
    wanted = [x, *attention.parameters(), *positions.parameters()]
    for one, other in zip(
        torch.autograd.grad(fused.pow(2).sum(), wanted), torch.autograd.grad(explicit.pow(2).sum(), wanted), strict=True
    ):
        torch.testing.assert_close(one, other)
    assert none is None
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, HEADS, 6, dtype=torch.float64))
    if causal:
        assert (weights.triu(1) == 0).all()
    if masked:
        assert (weights[1, :, :, 2:] == 0).all()


@pytest.mark.parametrize("causal", [True, False])
def test_the_library_of_products_does_not_matter(causal):
    """On a CPU that multiplies with oneDNN, attention takes another path (see nmt.system.process)."""
    attention = MultiHeadAttention(WIDTH, HEADS)
    x, mask = torch.randn(3, 20, WIDTH), torch.arange(20) < torch.tensor([[20], [7], [1]])
    fused, _ = attention(x, x, mask, causal=causal)
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("medium")
    try:
        products, weights = attention(x, x, mask, causal=causal)
    finally:
        torch.set_float32_matmul_precision(before)
    assert weights is None
    torch.testing.assert_close(products, fused, rtol=0.02, atol=0.02)  # "medium" may round to bfloat16


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("make", [Positions, Alibi])
def test_bfloat16_on_a_cpu_rounds_only_what_enters_and_leaves_the_kernel(causal, make):
    """With identities as projections, the factors are exact in bfloat16, so only the result is rounded."""
    torch.manual_seed(0)
    attention, positions = MultiHeadAttention(WIDTH, HEADS), make(WIDTH, HEADS)
    with torch.no_grad():
        for projection in (attention.query, attention.key_value, attention.output):
            projection.weight.copy_(torch.eye(WIDTH).repeat(len(projection.weight) // WIDTH, 1))
    x = torch.randn(3, 20, WIDTH).bfloat16().float().requires_grad_()
    options = {"mask": torch.arange(20) < torch.tensor([[20], [7], [9]]), "positions": positions, "causal": causal}
    exact, _ = attention(x, x, **options)
    with torch.autocast("cpu", torch.bfloat16):
        rounded, _ = attention(x, x, **options)
    assert (rounded == exact.bfloat16()).float().mean() > 0.999  # two values in the middle may be rounded apart
    gradients = [torch.autograd.grad(out.float().pow(2).sum(), x)[0] for out in (exact, rounded)]
    torch.testing.assert_close(gradients[1], gradients[0], rtol=0.05, atol=0.05)


@pytest.mark.parametrize("need_weights", [True, False])
def test_mask_causal_and_dropout_work_together(inputs, need_weights):
    """Dropout zeroes weights in training: with a share near 1 nearly nothing of the values is left."""
    x, mask = inputs[1], inputs[2]
    attention = MultiHeadAttention(WIDTH, HEADS, dropout=0.99)
    expected, _ = attention.eval()(x, x, mask, causal=True, need_weights=need_weights)
    attention.train()
    torch.manual_seed(0)
    out, _ = attention(x, x, mask, causal=True, need_weights=need_weights)
    untouched = (out == attention.output.bias).all(-1)
    assert untouched.float().mean() > 0.5 and not (expected == attention.output.bias).all(-1).any()
