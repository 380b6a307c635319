"""Checkpoints: whole or not at all, read back equal, refused in one line when they are not ours."""

import hashlib
import json
import os
import pickle
import random
import subprocess
import sys
from dataclasses import replace

import pytest
import safetensors
import torch
from safetensors.torch import load_file, save_file

from nmt import checkpoint
from nmt.build import build_model
from nmt.checkpoint import Checkpoint
from nmt.config.settings import TokenizerConfig
from nmt.data.pair import SentencePair
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError
from nmt.run_files import find_checkpoint

BLOCK = {"_target_": "nmt.models.transformer.TransformerBlock", "width": 8, "heads": 2, "feed_forward": 8}
SIZES = {"layers": 1, "block": BLOCK}
CONFIG = {
    "model": {
        "tie_embeddings": "all",
        "encoder": {"_target_": "nmt.models.transformer.TransformerEncoder", **SIZES},
        "decoder": {"_target_": "nmt.models.transformer.TransformerDecoder", **SIZES},
    },
    "search": {"_target_": "nmt.search.beam.BeamSearch"},
    "name": "tiny",
}


def with_model(**nodes):
    return {**CONFIG, "model": {**CONFIG["model"], **nodes}}


@pytest.fixture(scope="module")
def parts():
    draw = random.Random(0)
    words = ["a", "man", "rides", "red", "bike", "ein", "Mann", "fährt", "rot", "Rad"]
    pairs = [SentencePair(" ".join(draw.choices(words, k=5)), " ".join(draw.choices(words, k=5))) for _ in range(60)]
    config = TokenizerConfig(type="bpe", vocab_size=310, joint=True, character_coverage=1.0)
    tokenizer = Tokenizer.train(pairs, config, cache_dir=None)
    size = tokenizer.source_vocab_size
    torch.manual_seed(0)
    return tokenizer, build_model(CONFIG["model"], source_vocab_size=size, target_vocab_size=size, joint=True)


def content(parts, **changes):
    tokenizer, model = parts
    found = Checkpoint(checkpoint.weights_of(model), CONFIG, tokenizer, {"val": {"bleu": 1.5}}, 7)
    return replace(found, **changes)


@pytest.fixture
def saved(parts, tmp_path):
    path = tmp_path / "run" / "checkpoints" / "best.safetensors"
    checkpoint.save(content(parts), path)
    return path


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


def refused(path, match, load=checkpoint.load_model):
    with pytest.raises(UserError, match=match) as error:
        load(path)
    assert "\n" not in str(error.value) and str(path) in str(error.value)


@pytest.mark.parametrize("as_folder", [True, False])
def test_loads_what_was_saved(parts, saved, as_folder):
    loaded = checkpoint.load_model(saved.parents[1] if as_folder else saved)
    tokenizer, model = parts
    assert loaded.config == CONFIG and loaded.scores == {"val": {"bleu": 1.5}} and not loaded.model.training
    assert loaded.tokenizer.encode_source(["a red bike"]) == tokenizer.encode_source(["a red bike"])
    for name, value in model.state_dict().items():
        assert torch.equal(loaded.model.state_dict()[name], value)
    assert loaded.model.encoder.embedding.weight is loaded.model.decoder.output.weight


def test_other_readers_of_safetensors_see_plain_weights(parts, saved):
    """Names as in the model, a shared table once, the tokenizers' own bytes, and metadata that are text."""
    tokenizer, model = parts
    held = load_file(saved)
    assert bytes(held.pop("tokenizer.source").tolist()) == tokenizer.source_model and "tokenizer.target" not in held
    assert held.keys() == {name for name, _ in model.named_parameters()} < model.state_dict().keys()
    with safetensors.safe_open(saved, framework="pt") as file:
        about = file.metadata()
    assert json.loads(about["config"]) == CONFIG and about["update"] == "7"


def test_a_vocabulary_for_each_language_is_kept(parts, tmp_path):
    joint = parts[0].source_model
    for tokenizer in (Tokenizer(joint), Tokenizer(joint, joint)):
        checkpoint.save(content(parts, tokenizer=tokenizer), tmp_path / "x.safetensors")
        again = checkpoint.load(tmp_path / "x.safetensors").tokenizer
        assert (again.source_model, again.target_model) == (tokenizer.source_model, tokenizer.target_model)


def test_a_full_disk_is_named_and_leaves_the_old_file(parts, saved):
    resource = pytest.importorskip("resource")
    before, limits = saved.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) // 2, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large") as error:
            checkpoint.save(content(parts), saved)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert error.value.filename == str(saved) and saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == ["best.safetensors"]


@pytest.mark.parametrize("damage", ["flip", "cut", "empty", "text"])
def test_damage_is_refused_in_one_line(saved, damage):
    content = bytearray(saved.read_bytes())
    if damage == "flip":
        content[len(content) // 2] ^= 1
    written = {"cut": content[:-200], "empty": b"", "text": b"hello\n"}.get(damage, content)
    saved.write_bytes(bytes(written))
    with pytest.raises(UserError) as error:
        checkpoint.load(saved)
    assert "\n" not in str(error.value) and str(saved) in str(error.value)


def same(one, other):
    return (
        (one.config, one.scores, one.update) == (other.config, other.scores, other.update)
        and one.tokenizer.source_model == other.tokenizer.source_model
        and one.weights.keys() == other.weights.keys()
        and all(torch.equal(one.weights[name], other.weights[name]) for name in one.weights)
    )


def flips(file, count, seed):
    """Yield `count` copies with one flipped bit: half of them anywhere, half in the header."""
    draw = random.Random(seed)
    header = 8 + int.from_bytes(file[:8], "little")
    for number in range(count):
        flipped = bytearray(file)
        flipped[draw.randrange(header if number % 2 else len(file))] ^= 1 << draw.randrange(8)
        yield bytes(flipped)


@pytest.mark.parametrize("count", [150, pytest.param(5000, marks=pytest.mark.slow)])
def test_a_flipped_bit_is_refused_in_one_line_or_changes_nothing(saved, tmp_path, count):
    whole, path = checkpoint.load(saved), tmp_path / "flipped.safetensors"
    for number, flipped in enumerate(flips(saved.read_bytes(), count, seed=count)):
        path.write_bytes(flipped)
        try:
            assert same(checkpoint.load(path), whole), number
        except UserError as error:
            assert "\n" not in str(error) and str(path) in str(error), number


JUNK = ["", "x", -1, 0, 2**63, 1e308, None, True, [], {}, [[-1, 5]], "F32", "U8", [2**62, 2**62], [0], "\x1b[2J\n"]


def changed_headers(file, count, seed):
    """Yield `count` copies whose header is valid JSON but has one or two other values, or another length."""
    draw = random.Random(seed)
    length = int.from_bytes(file[:8], "little")
    for _ in range(count):
        header = json.loads(file[8 : 8 + length])
        for _ in range(draw.randint(1, 2)):
            entry = header[draw.choice(list(header))]
            entry[draw.choice(list(entry))] = draw.choice(JUNK)
        new = json.dumps(header).encode()
        new += b" " * draw.choice([0, 0, -len(new) % 8, 1_000_000])
        said = draw.choice([len(new)] * 6 + [0, len(new) - 1, len(new) + 8, 2**40, 2**64 - 1])
        yield said.to_bytes(8, "little") + new + file[8 + length :]


@pytest.mark.parametrize("count", [60, pytest.param(1500, marks=pytest.mark.slow)])
def test_a_changed_header_is_refused_in_one_line_or_changes_nothing(saved, tmp_path, count):
    whole, path = checkpoint.load(saved), tmp_path / "changed.safetensors"
    for number, changed in enumerate(changed_headers(saved.read_bytes(), count, seed=count)):
        path.write_bytes(changed)
        try:
            assert same(checkpoint.load(path), whole), number
        except UserError as error:
            assert "\n" not in str(error) and str(path) in str(error), number


nested = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ({"nmt_format": "2"}, "got checkpoint format 2, expected 1; update the program"),
        ({"nmt_format": None}, "not a checkpoint of this program .it has no nmt_format"),
        ({"update": None}, "not a checkpoint of this program .it has no update"),
        ({"scores": "[]"}, "scores: damaged .no mapping"),
        ({"scores": nested}, "scores: damaged .not JSON"),
        ({"update": "seven"}, "damaged checkpoint"),
        ({"update": "9" * 5000}, "damaged checkpoint"),
        ({"update": "-5"}, "update: got -5, expected a number of updates"),
        ({"config": json.dumps(CONFIG | {"name": "x" * 201})}, "name: got .*, expected text of at most 200 characters"),
        ({"config": json.dumps(CONFIG | {"tokenizer": None})}, "tokenizer: got null, expected a mapping"),
        ({"config": json.dumps(CONFIG | {"data": {"path": "a\0b"}})}, "a text with a NUL"),
        ({"config": "{"}, "config: damaged .not JSON"),
        ({"config": "[1]"}, "config: damaged .no mapping"),
        ({"config": '{"a": ' * 900 + "1" + "}" * 900}, "config: damaged .more than 20 levels"),
        ({"config": json.dumps({"search": {}, "name": ""})}, "no model"),
        ({"config": json.dumps({"model": {}, "search": 3, "name": ""})}, "search: got 3, expected a mapping"),
        ({"config": json.dumps({"model": {}, "search": {}})}, "no name"),
        ({"config": json.dumps(CONFIG | {"name": 7})}, "name: got 7, expected text"),
        ({"config": json.dumps(CONFIG | {"scores": {"bleu": 1}})}, "scores.bleu: got 1, expected a mapping"),
        ({"config": json.dumps(CONFIG | {"data": {"max_length": "a"}})}, "data.max_length: got 'a'"),
        ({"config": json.dumps(CONFIG | {"data": {"target_lang": "../x"}})}, "data.target_lang: got '../x'"),
        ({"config": json.dumps(CONFIG | {"x": 10**500})}, "a number of 1661 bits"),
        ({"config": json.dumps(with_model(tie_embeddings=10**9))}, "tie_embeddings: got 1000"),
    ],
)
def test_metadata_of_another_kind_are_named(saved, about, message):
    rewrite(saved, **about)
    refused(saved, message)


@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        ({"tokenizer.source": torch.zeros(9, dtype=torch.uint8)}, "SentencePiece model is damaged"),
        ({"tokenizer.source": torch.zeros(9)}, "SentencePiece model is damaged"),
        ({"decoder.norm.weight": torch.ones(8, dtype=torch.float8_e4m3fn)}, "norm.weight is of type F8_E4M3"),
        (
            {"decoder.norm.weight": torch.tensor([torch.nan] * 8)},
            "the weight decoder.norm.weight is not finite",
        ),
        ({"decoder.norm.weight": torch.ones(8).double() * 1e300}, "decoder.norm.weight is too large for torch.float32"),
        ({"decoder.norm.weight": torch.ones(8).long()}, "got numbers of type torch.int64, expected torch.float32"),
        ({"decoder.norm.weight": torch.ones(9)}, "decoder.norm.weight: got shape .9,., expected .8,."),
        ({"decoder.output.weight": torch.ones(1)}, "decoder.output.weight is not a weight of this model"),
        ({"decoder.x": torch.ones(0, 2**40)}, "decoder.x is not a weight of this model"),
    ],
)
def test_tensors_of_another_kind_are_named(saved, tensors, message):
    rewrite(saved, tensors=tensors)
    refused(saved, message)


def test_missing_tensors_are_named(saved):
    whole = saved.read_bytes()
    for name, message in (("decoder.norm.weight", "is missing"), ("tokenizer.source", "damaged checkpoint")):
        saved.write_bytes(whole)
        rewrite(saved, lambda held, name=name: held.pop(name))
        refused(saved, message)


def test_content_that_its_digest_does_not_describe_is_refused(parts, saved):
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
    real = []
    monkeypatch.setattr(checkpoint, "set_weights", lambda *_: real.append(True))
    refused(saved, message)
    assert not real


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


def test_files_that_are_no_checkpoints(parts, saved):
    save_file({"x": torch.zeros(1)}, saved)
    refused(saved, "not a checkpoint of this program", checkpoint.load)
    torch.save({"state_dict": {}}, saved)
    refused(saved, "the state of a training, which only resume=RUN_FOLDER reads", checkpoint.load)


def test_nothing_in_a_file_is_executed(saved, tmp_path):
    class Evil:
        def __reduce__(self):
            return (open, (str(tmp_path / "ran"), "w"))

    saved.write_bytes(pickle.dumps(Evil()))
    refused(saved, "not a checkpoint", checkpoint.load)
    assert not (tmp_path / "ran").exists()


def test_a_target_outside_the_allow_list_is_refused(parts, saved):
    bad = with_model(encoder={"_target_": "os.system", "command": "true"})
    checkpoint.save(content(parts, config=bad), saved)
    refused(saved, r"os\.system")


def test_missing_files_are_named(tmp_path):
    for nothing in (tmp_path / "nothing", "~nobody-of-this-name/run"):
        with pytest.raises(UserError, match="no such file"):
            find_checkpoint(nothing)
    with pytest.raises(UserError, match="not the folder of a run; give a run"):
        find_checkpoint(tmp_path)


def test_a_run_without_a_best_checkpoint_says_what_to_do(tmp_path):
    run = tmp_path / "run"
    (run / "checkpoints").mkdir(parents=True)
    (run / "config.yaml").touch()
    with pytest.raises(UserError, match="before it wrote a checkpoint; start it again"):
        find_checkpoint(run)
    (run / "checkpoints" / "last.ckpt").touch()
    with pytest.raises(UserError, match=f"before its first validation; continue it .python train.py resume={run}"):
        find_checkpoint(run)


def test_a_folder_of_runs_names_the_newest(tmp_path):
    for name, seconds in (("b", 3), ("a", 5), ("c", 4)):
        best = tmp_path / name / "checkpoints" / "best.safetensors"
        best.parent.mkdir(parents=True)
        (tmp_path / name / "config.yaml").touch()
        best.touch()
        os.utime(best, (seconds, seconds))
    with pytest.raises(UserError, match=f"not a run but holds 3; name one of them, as in {tmp_path}/a .the newest"):
        find_checkpoint(tmp_path)


def test_average_is_the_mean(parts, tmp_path):
    paths = []
    for number in (1, 2, 6):
        weights = {"w": torch.full((2,), float(number)), "n": torch.tensor(number), "h": torch.ones(1).half() * number}
        paths.append(tmp_path / f"{number}.safetensors")
        checkpoint.save(content(parts, weights=weights), paths[-1])
    averaged = checkpoint.average(paths)
    assert averaged["w"].tolist() == [3.0, 3.0] and averaged["n"] == 3
    assert averaged["h"].dtype == torch.float16 and averaged["h"].tolist() == [3.0]
