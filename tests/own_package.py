"""A package outside the project that brings an attention, and a folder of configs that use it."""

from pathlib import Path

ATTENTION = '''
from typing import Any

import torch
from torch import Tensor

from nmt.models.attention.base import Attention, AttentionMemory


class First(Attention):
    """Scores each source position by the first number of its memory, times a learned scale."""

    def __init__(self, query_width: int, memory_width: int) -> None:
        super().__init__(query_width, memory_width)
        self.scale = torch.nn.Parameter(torch.ones(()))

    def project_keys(self, memory: Tensor) -> Tensor:
        return memory[:, :, :1]

    def score(self, query: Tensor, memory: AttentionMemory, state: Any) -> Tensor:
        return self.scale * memory.keys.transpose(1, 2).expand(-1, query.shape[1], -1)
'''
FILES = {
    "packages/acme_nmt/__init__.py": "",
    "packages/acme_nmt/attention.py": ATTENTION,
    "configs/model/attention/first.yaml": """# The first number of the memory.
_target_: acme_nmt.attention.First
_partial_: true
""",
    "configs/search/short.yaml": "defaults:\n  - beam\n  - _self_\n\nbeam_size: 2\nmax_length_extra: 0\n",
    "configs/experiment/acme.yaml": """# @package _global_
# A tiny run with an attention of our own.
defaults:
  - override /data: cldr
  - override /model: rnn
  - override /model/attention: first
  - override /search: short
  - _self_
name: acme
data: {sizes: [200, 8, 8], topics: [numbers], max_parts: 1}
tokenizer: {vocab_size: 300}
""",
}
SMALL = [
    "model.encoder.embedding_width=8", "model.encoder.hidden_width=8", "model.decoder.embedding_width=8",
    "model.decoder.width=16", "model.decoder.readout_width=8", "trainer.accelerator=cpu",
]  # fmt: skip


def write(folder: Path) -> None:
    """Write configs/ and packages/ into `folder`."""
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
