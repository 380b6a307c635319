"""Positions: each hook by hand, and what a shift of all positions changes."""

from __future__ import annotations

import functools
from typing import Any

import pytest
import torch
from torch import Tensor

from nmt.models.positions.alibi import Alibi, head_slopes
from nmt.models.positions.base import NoPositions, Positions, PositionsFactory
from nmt.models.positions.learned import Learned, Relative
from nmt.models.positions.sinusoidal import Rotary, Sinusoidal
from nmt.models.transformer import TransformerBlock, TransformerDecoder, TransformerEncoder
from nmt.tokens import EOS

WIDTH, HEADS = 8, 2
ALL: dict[str, PositionsFactory] = {
    "none": NoPositions,
    "sinusoidal": Sinusoidal,
    "learned": functools.partial(Learned, max_length=40),
    "rotary": Rotary,
    "alibi": Alibi,
    "relative": functools.partial(Relative, max_distance=2),
}


def close(got: Tensor, expected: Any) -> None:
    torch.testing.assert_close(got, torch.as_tensor(expected, dtype=got.dtype), rtol=1e-5, atol=1e-6)


# Hooks by hand


def test_the_base_class_changes_nothing() -> None:
    positions, x = Positions(WIDTH, HEADS), torch.randn(2, 3, WIDTH)
    heads = torch.randn(2, HEADS, 3, WIDTH // HEADS)
    assert positions.embed(x, 5) is x and positions.rotate(heads, 5) is heads
    assert positions.bias(heads, 8, start=5, scale=2.0) is None and positions.max_length is None


def test_sinusoids_by_hand() -> None:
    fast, slow = torch.tensor(3.0), torch.tensor(0.03)
    row = Sinusoidal(4, 1).embed(torch.zeros(1, 1, 4), start=3)[0, 0]
    close(row, torch.stack((fast.sin(), fast.cos(), slow.sin(), slow.cos())))


def test_rotation_by_hand() -> None:
    """Width 4 at position 2: the first pair turns by 2 radians, the second by 0.02."""
    fast, slow = torch.tensor(2.0), torch.tensor(0.02)
    turned = Rotary(4, 1).rotate(torch.tensor([[[[1.0, 0.0, 0.0, 1.0]]]]), start=2)
    close(turned[0, 0, 0], torch.stack((fast.cos(), fast.sin(), -slow.sin(), slow.cos())))


@pytest.mark.parametrize(
    ("heads", "expected"),
    [
        (1, [2**-8]),
        (2, [2**-4, 2**-8]),
        (8, [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256]),
        (3, [2**-4, 2**-8, 2**-2]),  # the series for 2, then the first of the series for 4
        (6, [2**-2, 2**-4, 2**-6, 2**-8, 2**-1, 2**-3]),  # the series for 4, then the first and third of that for 8
        (12, [*(2**-n for n in range(1, 9)), 2**-0.5, 2**-1.5, 2**-2.5, 2**-3.5]),
    ],
)
def test_alibi_slopes(heads: int, expected: list[float]) -> None:
    assert head_slopes(heads) == pytest.approx(expected)


def test_alibi_by_hand() -> None:
    positions, queries = Alibi(WIDTH, HEADS), torch.randn(5, HEADS, 4, WIDTH // HEADS)
    first, second = 1 / 16, 1 / 256
    distances = torch.tensor([[0, 1, 2, 3], [1, 0, 1, 2], [2, 1, 0, 1], [3, 2, 1, 0]])
    whole = positions.bias(queries, 4, scale=0.5)
    assert whole is not None
    close(whole, torch.stack((-first * distances, -second * distances))[None])
    step = positions.bias(queries[:, :, 2:3], 3, start=2, scale=0.5)
    assert step is not None
    close(step, [[[[-2 * first, -1 * first, 0.0]], [[-2 * second, -1 * second, 0.0]]]])


def test_relative_scores_are_products_with_key_plus_vector() -> None:
    """Eq. 4 of the paper as it stands: (x_i W^Q) (x_j W^K + a_ij)^T / sqrt(d)."""
    torch.manual_seed(0)
    positions, k = Relative(WIDTH, HEADS, max_distance=2), 2
    queries, keys = torch.randn(2, 3, HEADS, 6, WIDTH // HEADS)
    bias = positions.bias(queries, 6, scale=0.7)
    assert bias is not None
    for i in range(6):
        for j in range(6):
            vector = positions.table.weight[max(-k, min(k, j - i)) + k]
            close(
                (queries @ keys.mT * 0.7 + bias)[..., i, j], (queries[:, :, i] * (keys[:, :, j] + vector)).sum(-1) * 0.7
            )


def test_learned_by_hand() -> None:
    positions = Learned(3, 1, max_length=5)
    x = torch.randn(2, 2, 3)
    close(positions.embed(x, start=3), (x + positions.table.weight[3:]).detach())


# Stacks


def make_encoder(name: str) -> TransformerEncoder:
    torch.manual_seed(0)
    block = TransformerBlock(width=12, heads=HEADS, feed_forward=16)
    return TransformerEncoder(vocab_size=20, layers=2, block=block, positions=ALL[name]).double().eval()


def make_decoder(name: str) -> TransformerDecoder:
    torch.manual_seed(0)
    block = TransformerBlock(width=12, heads=HEADS, feed_forward=16)
    decoder = TransformerDecoder(vocab_size=20, memory_width=12, layers=2, block=block, positions=ALL[name])
    return decoder.double().eval()


@pytest.mark.parametrize("name", [name for name in ALL if name != "none"])
def test_an_encoder_with_positions_tells_orders_apart(name: str) -> None:
    source = torch.tensor([[5, 6, 7, 8]])
    mask = torch.ones_like(source, dtype=torch.bool)
    order = torch.tensor([2, 0, 1, 3])  # not a mirror image: ALiBi treats both sides alike
    for kind in (name, "none"):
        encoder = make_encoder(kind)
        same = torch.allclose(encoder(source, mask).memory[:, order], encoder(source[:, order], mask).memory, atol=1e-6)
        assert same == (kind == "none")


@pytest.mark.parametrize("name", ALL)
def test_only_absolute_positions_see_a_shift(name: str) -> None:
    """Padding before the sentence, hidden by the mask, moves it to other positions."""
    encoder, source = make_encoder(name), torch.tensor([[5, 6, 7, 8, EOS]])
    shifted = torch.cat((torch.tensor([[0, 9, 4]]), source), dim=1)
    mask = torch.tensor([[False] * 3 + [True] * 5])
    alone = encoder(source, torch.ones_like(source, dtype=torch.bool), need_weights=True)
    moved = encoder(shifted, mask, need_weights=True)
    assert torch.allclose(moved.memory[:, 3:], alone.memory) == (name not in ("sinusoidal", "learned"))


@pytest.mark.parametrize("name", ALL)
def test_half_precision_keeps_its_type(name: str) -> None:
    encoder, decoder = make_encoder(name).float(), make_decoder(name).float()
    source, mask = torch.randint(4, 20, (2, 6)), torch.arange(6) < torch.tensor([[6], [2]])
    expected = decoder(source, encoder(source, mask))[0]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        hidden, weights = decoder(source, encoder(source, mask), need_weights=True)
        fused, _ = decoder(source, encoder(source, mask))
    for got in (hidden, fused):
        torch.testing.assert_close(got.float(), expected, rtol=0.1, atol=0.1)
    assert weights is not None and weights.decoder_self.isfinite().all()
