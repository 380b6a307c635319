"""A checkpoint that a stranger made runs nothing, takes no memory, and ends in one line."""

import hashlib
import json
import os
import pickle
import subprocess
import sys

import pytest
import safetensors
import torch
from safetensors.torch import save_file

from nmt import checkpoint
from nmt.build import build_model
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError
from tests.checkpoint.tiny import BLOCK, CONFIG, content, refused, with_model


def rewrite(path, change=None, *, tensors=None, sign=True, **metadata):
    """Write a checkpoint again with other metadata or tensors, as its maker could: the digest is right if `sign`."""
    with safetensors.safe_open(path, framework="pt") as file:
        old = dict(file.metadata())
        held = {name: file.get_tensor(name).clone() for name in file.keys()}  # noqa: SIM118
    about = {name: text for name, text in (old | metadata).items() if text is not None}
    held |= tensors or {}
    if change:
        change(held)
    if sign:
        about["sha256"] = digest({name: text for name, text in about.items() if name != "sha256"}, held)
    save_file(held, path, metadata=about)


def digest(metadata, tensors):
    """The digest that the documentation of nmt.checkpoint describes, written again."""
    found = hashlib.sha256(json.dumps(sorted(metadata.items())).encode())
    for name in sorted(tensors):
        value = tensors[name]
        found.update(json.dumps([name, str(value.dtype), list(value.shape)]).encode())
        found.update(bytes(value.flatten().view(torch.uint8).tolist()))
    return found.hexdigest()


nested = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ({"nmt_format": "2"}, "got checkpoint format 2, expected 1; update the program"),
        ({"nmt_format": None}, "not a checkpoint of this program .it has no nmt_format"),
        ({"scores": "[]"}, r"scores: damaged .*got \[\], expected a mapping"),
        ({"scores": nested}, "scores: damaged .maximum recursion"),
        ({"update": "seven"}, "damaged checkpoint"),
        ({"config": json.dumps(CONFIG | {"name": "x" * 201})}, "name: got .*, expected text of at most 200 characters"),
        ({"config": "{"}, "config: damaged .Expecting"),
        ({"config": json.dumps({"model": {}, "search": 3, "name": ""})}, "search: got 3, expected a mapping"),
        ({"config": json.dumps(CONFIG | {"scores": {"bleu": 1}})}, "scores.bleu: got 1, expected a mapping"),
        ({"config": json.dumps(CONFIG | {"data": {"target_lang": "../x"}})}, "data.target_lang: got '../x'"),
        ({"config": json.dumps(with_model(tie_embeddings=10**9))}, "tie_embeddings: got 1000"),
    ],
)
def test_invalid_metadata_is_refused_by_name(saved, about, message):
    rewrite(saved, **about)
    refused(saved, message)


@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        ({"tokenizer.source": torch.zeros(9, dtype=torch.uint8)}, "no SentencePiece model, or it is damaged"),
        ({"decoder.norm.weight": torch.ones(8, dtype=torch.float8_e4m3fn)}, "damaged checkpoint .*Float8_e4m3fn"),
        ({"decoder.norm.weight": torch.tensor([torch.nan] * 8)}, "the weight decoder.norm.weight is not finite"),
        ({"decoder.norm.weight": torch.ones(8).long()}, "got numbers of type torch.int64, expected torch.float32"),
        ({"decoder.norm.weight": torch.ones(9)}, "decoder.norm.weight: got shape .9,., expected .8,."),
        ({"decoder.output.weight": torch.ones(1)}, "decoder.output.weight is not a weight of this model"),
        ({"decoder.x": torch.ones(0, 2**40)}, "decoder.x is not a weight of this model"),
    ],
)
def test_invalid_tensors_are_refused_by_name(saved, tensors, message):
    rewrite(saved, tensors=tensors)
    refused(saved, message)


def test_missing_weights_are_named(saved):
    whole = saved.read_bytes()
    for name, message in (("decoder.norm.weight", "is missing"), ("tokenizer.source", "damaged checkpoint")):
        saved.write_bytes(whole)
        rewrite(saved, lambda held, name=name: held.pop(name))
        refused(saved, message)


def test_wrong_digest_is_refused(parts, saved):
    weight = parts[1].decoder.norm.weight.detach()
    whole = saved.read_bytes()
    for change in (
        {"scores": '{"val": {"bleu": 99.0}}'},
        {"tensors": {"decoder.norm.weight": weight + 1e-3}},
        {"tensors": {"decoder.norm.weight": weight.view(torch.int32)}},
        {"tensors": {"decoder.norm.weight": weight.reshape(2, -1)}},
    ):
        saved.write_bytes(whole)
        rewrite(saved, sign=False, **change)
        refused(saved, "damaged checkpoint .its content does not match its SHA-256")
    saved.write_bytes(whole)
    rewrite(saved, scores='{"val": {"bleu": 99.0}}')
    assert checkpoint.load(saved).scores == {"val": {"bleu": 99.0}}, "the tests' own digest is that of the program"


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"layers": 20}, "is missing"),
        ({"layers": 10**9}, "layers: got 1000000000, expected an integer of at least 1 and at most 256"),
        ({"block": {**BLOCK, "width": 60_000}}, r"got shape \(\d+, 8\), expected \(\d+, 60000\)"),
        ({"block": {**BLOCK, "feed_forward": 65_536}}, r"got shape \(8, 8\), expected \(65536, 8\)"),
    ],
)
def test_a_config_larger_than_the_weights_allocates_nothing(parts, saved, monkeypatch, sizes, message):
    large = with_model(**{side: {**CONFIG["model"][side], **sizes} for side in ("encoder", "decoder")})
    checkpoint.save(content(parts, config=large), saved)

    def build(*arguments, **more):
        model = build_model(*arguments, **more)
        assert all(value.is_meta for value in model.parameters())
        return model

    monkeypatch.setattr(checkpoint, "build_model", build)
    refused(saved, message)


PEAK = """
import resource, sys
from nmt import checkpoint
from nmt.errors import UserError

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

checkpoint.load_model(sys.argv[1])
before = peak()
for path in sys.argv[2:]:
    try:
        checkpoint.load_model(path)
    except UserError as error:
        print(str(error)[:300])
print(peak() - before)
"""


@pytest.mark.slow
def test_reading_needs_no_more_memory_than_the_file(parts, saved, tmp_path):
    """A large file, true or not, and small files that claim to be large: the peak of a process of its own."""
    size = 60_000_000
    numbers = torch.ones(size // 4)
    checkpoint.save(content(parts, weights={"x": numbers}), tmp_path / "large")
    numbers[9] = torch.nan
    checkpoint.save(content(parts, weights={"x": numbers}), tmp_path / "nan")
    claims = {"many": (2**40).to_bytes(8, "little"), "long": (900_000).to_bytes(8, "little") + b"[" * 900_000}
    for name, start in claims.items():
        (tmp_path / name).write_bytes(start)
    config = json.dumps(with_model(tie_embeddings=[[]] * 190_000))
    checkpoint.save(content(parts), tmp_path / "lists")
    rewrite(tmp_path / "lists", config=config)
    torch.save({"x": torch.zeros(3)}, tmp_path / "pickle")
    paths = [str(tmp_path / name) for name in ("large", "nan", "lists", "pickle", *claims)]
    done = subprocess.run([sys.executable, "-c", PEAK, str(saved), *paths], capture_output=True, text=True)
    assert not done.stderr
    *problems, grown = done.stdout.splitlines()
    assert int(grown) < 1.5 * size
    messages = ("is missing", "not finite", "tie_embeddings: got", "state of a training", "not a", "not a")
    for message, problem in zip(messages, problems, strict=True):
        assert message in problem


def test_large_files_that_take_no_place_on_the_disk_are_not_read(parts, saved):
    header, size = saved.read_bytes()[8:], 3 * 10**12
    about = json.loads(header[: int.from_bytes(saved.read_bytes()[:8], "little")])
    claims = json.dumps({**about, "x": {"dtype": "U8", "shape": [size], "data_offsets": [0, size]}}).encode()
    saved.write_bytes(len(claims).to_bytes(8, "little") + claims)
    os.truncate(saved, 8 + len(claims) + size)
    refused(saved, r"not a checkpoint \(more than 10,000 MB\)")
    with pytest.raises(UserError, match="the SentencePiece model is empty or very large"):
        Tokenizer(bytes(64_000_001))


def test_loading_a_checkpoint_executes_no_code(saved, tmp_path):
    class Evil:
        def __reduce__(self):
            return (open, (str(tmp_path / "ran"), "w"))

    saved.write_bytes(pickle.dumps(Evil()))
    refused(saved, "not a checkpoint", checkpoint.load)
    assert not (tmp_path / "ran").exists()


def test_target_outside_the_allow_list_is_refused(parts, saved):
    bad = with_model(encoder={"_target_": "os.system", "command": "true"})
    checkpoint.save(content(parts, config=bad), saved)
    refused(saved, r"os\.system")
