"""Checkpoints: whole or not at all, read back equal, refused in one line when they are not ours."""

import os
import random
import re
import zipfile
from typing import Any

import pytest
import torch

from nmt import checkpoint
from nmt.build import build_model
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


def payload(parts):
    tokenizer, model = parts
    about = checkpoint.describe(CONFIG, tokenizer, {"val": {"bleu": 1.5}}, 7)
    return {"state_dict": checkpoint.with_prefix(model.state_dict()), "nmt": about}


@pytest.fixture
def saved(parts, tmp_path):
    path = tmp_path / "run" / "checkpoints" / "best.ckpt"
    checkpoint.save(payload(parts), path)
    return path


@pytest.mark.parametrize("as_folder", [True, False])
def test_loads_what_was_saved(parts, saved, as_folder):
    loaded = checkpoint.load_model(saved.parents[1] if as_folder else saved)
    tokenizer, model = parts
    assert loaded.config == CONFIG and loaded.scores == {"val": {"bleu": 1.5}} and not loaded.model.training
    assert loaded.tokenizer.encode_source(["a red bike"]) == tokenizer.encode_source(["a red bike"])
    for name, value in model.state_dict().items():
        assert torch.equal(loaded.model.state_dict()[name], value)
    assert loaded.model.encoder.embedding.weight is loaded.model.decoder.output.weight


def test_a_failed_save_leaves_the_old_file(parts, saved, monkeypatch):
    before = saved.read_bytes()

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(torch, "save", fail)
    with pytest.raises(OSError, match="disk full"):
        checkpoint.save(payload(parts), saved)
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == ["best.ckpt"]


def test_a_full_disk_is_named_and_leaves_the_old_file(parts, saved):
    resource = pytest.importorskip("resource")
    before, limits = saved.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) // 2, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large") as error:
            checkpoint.save(payload(parts), saved)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert error.value.filename == str(saved) and saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == ["best.ckpt"]


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
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return torch.equal(one, other) if isinstance(one, torch.Tensor) else one == other


def flips(content, count, seed):
    """Yield `count` copies with one flipped bit: half of them anywhere, half in or near a header of the archive."""
    draw = random.Random(seed)
    headers = [match.start() + offset for match in re.finditer(rb"PK[\x01-\x07]{2}", content) for offset in range(60)]
    for number in range(count):
        place = draw.choice(headers) if number % 2 else draw.randrange(len(content))
        flipped = bytearray(content)
        flipped[min(place, len(content) - 1)] ^= 1 << draw.randrange(8)
        yield bytes(flipped)


@pytest.mark.parametrize("count", [150, pytest.param(5000, marks=pytest.mark.slow)])
def test_a_flipped_bit_is_refused_in_one_line_or_changes_nothing(saved, count):
    whole, content = checkpoint.load(saved), saved.read_bytes()
    for number, flipped in enumerate(flips(content, count, seed=count)):
        saved.write_bytes(flipped)
        try:
            assert same(checkpoint.load(saved), whole), number
        except UserError as error:
            assert "\n" not in str(error) and str(saved) in str(error), number


def test_compressed_members_are_refused(saved):
    with zipfile.ZipFile(saved) as archive:
        members = {info.filename: archive.read(info) for info in archive.infolist()}
    with zipfile.ZipFile(saved, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    with pytest.raises(UserError, match="is compressed"):
        checkpoint.load(saved)


endless: dict[str, Any] = {"model": {}, "search": {}, "name": "endless"}
endless["model"]["model"] = endless


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ("nmt.format", "2", "not a checkpoint of this program"),
        ("nmt.format", None, "not a checkpoint of this program"),
        ("state_dict", [], "not a checkpoint of this program"),
        ("nmt", [], "not a checkpoint of this program"),
        ("nmt.scores", None, "scores: got NoneType, expected dict"),
        ("nmt.update", "7", "update: got str, expected int"),
        ("nmt.config", [1], "config: got list, expected dict"),
        ("nmt.config", {"search": {}}, "it has no model"),
        ("nmt.config", {"model": {}, "search": 3}, "search: got int, expected dict"),
        ("nmt.config", {"model": {}, "search": {}, "name": "", "scores": {"bleu": 1}}, "bleu: got int, expected dict"),
        ("nmt.config", {"model": {}, "search": {}}, "it has no name"),
        ("nmt.config", {"model": {}, "search": {}, "name": 7}, "name: got int, expected str"),
        ("nmt.config", {"model": {"a": b"b"}, "search": {}, "name": ""}, "config: got bytes, expected plain values"),
        ("nmt.config", {"model": {"a": 10**500}, "search": {}, "name": ""}, "config: got a number of 1661 bits"),
        ("nmt.config", endless, "more than 100,000 values or 50 levels"),
        ("nmt.tokenizer", {"joint": True, "source": None, "target": None}, "the stored source is NoneType"),
        ("nmt.tokenizer", {"joint": False, "source": b"x", "target": None}, "the stored target is NoneType"),
        ("state_dict", {3: torch.zeros(1)}, "expected a tensor with a name"),
        ("state_dict", {"model.w": [0.0]}, "got list as 'model.w'"),
        ("state_dict", {"model.w": torch.zeros(1).expand(10**12)}, "model.w is not stored as a whole tensor"),
        ("state_dict", {"model.w": torch.zeros(3).to_sparse()}, "model.w is not stored as a whole tensor"),
        ("state_dict", {"model.w": torch.zeros(3, device="meta")}, "model.w is not stored as a whole tensor"),
        ("state_dict", {"model.w": torch.tensor([0.0, torch.nan])}, "the weight model.w is not finite"),
    ],
)
def test_fields_of_a_wrong_type_are_named(parts, saved, place, value, message):
    bad = payload(parts)
    *outer, last = place.split(".")
    (bad[outer[0]] if outer else bad)[last] = value
    checkpoint.save(bad, saved)
    with pytest.raises(UserError) as error:
        checkpoint.load_model(saved)
    assert message in str(error.value) and str(saved) in str(error.value) and "\n" not in str(error.value)


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
    bad = payload(parts)
    bad["nmt"]["config"] = with_model(**{side: {**CONFIG["model"][side], **sizes} for side in ("encoder", "decoder")})
    checkpoint.save(bad, saved)
    real = []
    monkeypatch.setattr(checkpoint.Seq2Seq, "load_state_dict", lambda *_: real.append(True))
    with pytest.raises(UserError, match=message):
        checkpoint.load_model(saved)
    assert not real


def test_strangers_and_other_formats_are_refused(parts, saved):
    torch.save({"state_dict": {}}, saved)
    with pytest.raises(UserError, match="not a checkpoint of this program"):
        checkpoint.load(saved)
    for number in (1, checkpoint.FORMAT + 1):
        other = payload(parts)
        other["nmt"]["format"] = number
        checkpoint.save(other, saved)
        with pytest.raises(UserError, match=f"format {number}, expected {checkpoint.FORMAT}"):
            checkpoint.load(saved)


def test_nothing_in_a_file_is_executed(saved, tmp_path):
    class Evil:
        def __reduce__(self):
            return (open, (str(tmp_path / "ran"), "w"))

    torch.save({"state_dict": {}, "nmt": {"format": 1}, "evil": Evil()}, saved)
    with pytest.raises(UserError, match="read safely"):
        checkpoint.load(saved)
    assert not (tmp_path / "ran").exists()


def test_a_target_outside_the_allow_list_is_refused(parts, saved):
    bad = payload(parts)
    bad["nmt"]["config"] = with_model(encoder={"_target_": "os.system", "command": "true"})
    checkpoint.save(bad, saved)
    with pytest.raises(UserError, match=r"os\.system"):
        checkpoint.load_model(saved)


def test_weights_that_do_not_fit_are_refused(parts, saved):
    bad = payload(parts)
    bad["state_dict"].pop("model.decoder.norm.weight")
    checkpoint.save(bad, saved)
    with pytest.raises(UserError, match="do not fit"):
        checkpoint.load_model(saved)


def test_missing_files_are_named(tmp_path):
    for nothing in (tmp_path / "nothing", "~nobody-of-this-name/run"):
        with pytest.raises(UserError, match="no such file"):
            find_checkpoint(nothing)
    with pytest.raises(UserError, match="not the folder of a run; give one"):
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
        best = tmp_path / name / "checkpoints" / "best.ckpt"
        best.parent.mkdir(parents=True)
        (tmp_path / name / "config.yaml").touch()
        best.touch()
        os.utime(best, (seconds, seconds))
    with pytest.raises(UserError, match=f"not a run but holds 3; name one of them, as in {tmp_path}/a .the newest"):
        find_checkpoint(tmp_path)


def test_average_is_the_mean(parts, tmp_path):
    paths = []
    for number in (1, 2, 6):
        content = payload(parts)
        content["state_dict"] = {"model.w": torch.full((2,), float(number)), "model.n": torch.tensor(number)}
        paths.append(tmp_path / f"{number}.ckpt")
        checkpoint.save(content, paths[-1])
    averaged = checkpoint.average(paths)
    assert averaged["model.w"].tolist() == [3.0, 3.0] and averaged["model.n"] == 3
