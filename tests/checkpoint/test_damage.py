"""A damaged checkpoint is refused in one line, or holds what it held before."""

import random

import pytest
import torch

from nmt import checkpoint
from nmt.errors import UserError


def same(one, other):
    return (
        (one.config, one.scores, one.update) == (other.config, other.scores, other.update)
        and one.tokenizer.source_model == other.tokenizer.source_model
        and one.weights.keys() == other.weights.keys()
        and all(torch.equal(one.weights[name], other.weights[name]) for name in one.weights)
    )


def assert_refused_or_same(saved, path, copies):
    """Each of the changed copies of a file is refused in one line, or has the content of the file."""
    whole = checkpoint.load(saved)
    for number, copy in enumerate(copies):
        path.write_bytes(copy)
        try:
            assert same(checkpoint.load(path), whole), number
        except UserError as error:
            assert "\n" not in str(error) and str(path) in str(error), number


def flips(file, count, seed):
    """Yield `count` copies with one flipped bit: half of them anywhere, half in the header."""
    draw = random.Random(seed)
    header = 8 + int.from_bytes(file[:8], "little")
    for number in range(count):
        flipped = bytearray(file)
        flipped[draw.randrange(header if number % 2 else len(file))] ^= 1 << draw.randrange(8)
        yield bytes(flipped)


@pytest.mark.parametrize("count", [150, pytest.param(5000, marks=pytest.mark.slow)])
def test_flipped_bit_is_one_line_error_or_changes_nothing(saved, tmp_path, count):
    whole = saved.read_bytes()
    copies = [b"", b"hello\n", whole[:-200], *flips(whole, count, seed=count)]
    assert_refused_or_same(saved, tmp_path / "flipped", copies)
