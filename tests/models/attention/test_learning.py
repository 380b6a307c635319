"""Every attention learns to reverse random sequences that it has never seen. Without attention little is learnt."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from nmt.models.rnn import RecurrentEncoder
from nmt.models.rnn_decoder import RecurrentDecoder
from nmt.tokens import BOS
from tests.models.cases import BETWEEN
from tests.models.test_attention import FAMILIES

WIDTH, LENGTH, WORDS, BATCH = 32, 8, 12, 32
ATTENTIONS = {**FAMILIES, **BETWEEN, "none": None}


def accuracy(name: str, updates: int) -> float:
    """Return the share of right tokens in the last ten batches, each before the update that it makes."""
    torch.manual_seed(0)
    encoder = RecurrentEncoder(vocab_size=WORDS, embedding_width=16, hidden_width=WIDTH // 2)
    sizes = {"vocab_size": WORDS, "memory_width": WIDTH, "embedding_width": 16, "width": WIDTH, "readout_width": 32}
    decoder = RecurrentDecoder(**sizes, attention=ATTENTIONS[name])
    parameters = [*encoder.parameters(), *decoder.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=0.01)
    right = []
    for _ in range(updates):
        words = torch.randint(4, WORDS, (BATCH, LENGTH))
        target_out = words.flip(1)
        target_in = torch.cat((torch.full((BATCH, 1), BOS), target_out[:, :-1]), dim=1)
        logits = decoder.output(decoder(target_in, encoder(words, words > 0))[0])
        optimizer.zero_grad()
        nn.functional.cross_entropy(logits.flatten(0, 1), target_out.flatten()).backward()
        nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        right.append((logits.argmax(-1) == target_out).float().mean().item())
    return sum(right[-10:]) / 10


@pytest.mark.slow
@pytest.mark.parametrize("name", ATTENTIONS)
def test_every_attention_learns_what_no_attention_does_not(name: str) -> None:
    assert (accuracy(name, updates=300) > 0.7) == (name != "none")
