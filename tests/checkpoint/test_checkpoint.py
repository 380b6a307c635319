"""A checkpoint is written whole or not at all, and read back equal."""

import json

import pytest
import safetensors
import torch
from safetensors.torch import load_file

from nmt import checkpoint
from nmt.data.tokenizer import Tokenizer
from tests.checkpoint.tiny import CONFIG, content


@pytest.mark.parametrize("as_folder", [True, False])
def test_loads_what_was_saved(parts, saved, as_folder):
    loaded = checkpoint.load_model(saved.parents[1] if as_folder else saved)
    tokenizer, model = parts
    assert loaded.config == CONFIG and loaded.scores == {"val": {"bleu": 1.5}} and not loaded.model.training
    assert loaded.tokenizer.encode_source(["a red bike"]) == tokenizer.encode_source(["a red bike"])
    for name, value in model.state_dict().items():
        assert torch.equal(loaded.model.state_dict()[name], value)
    assert loaded.model.encoder.embedding.weight is loaded.model.decoder.output.weight


def test_safetensors_library_reads_the_weights(parts, saved):
    """Names as in the model, a shared table once, the tokenizers' own bytes, and metadata that are text."""
    tokenizer, model = parts
    held = load_file(saved)
    assert bytes(held.pop("tokenizer.source").tolist()) == tokenizer.source_model and "tokenizer.target" not in held
    assert held.keys() == {name for name, _ in model.named_parameters()} < model.state_dict().keys()
    with safetensors.safe_open(saved, framework="pt") as file:
        about = file.metadata()
    assert json.loads(about["config"]) == CONFIG and about["update"] == "7"


def test_separate_vocabularies_survive_saving(parts, tmp_path):
    joint = parts[0].source_model
    for tokenizer in (Tokenizer(joint), Tokenizer(joint, joint)):
        checkpoint.save(content(parts, tokenizer=tokenizer), tmp_path / "x.safetensors")
        again = checkpoint.load(tmp_path / "x.safetensors").tokenizer
        assert (again.source_model, again.target_model) == (tokenizer.source_model, tokenizer.target_model)


def test_full_disk_while_saving_keeps_the_old_checkpoint(parts, saved):
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


def test_average_of_checkpoints_is_the_mean_of_weights(parts, tmp_path):
    paths = []
    for number in (1, 2, 6):
        weights = {"w": torch.full((2,), float(number)), "n": torch.tensor(number), "h": torch.ones(1).half() * number}
        paths.append(tmp_path / f"{number}.safetensors")
        checkpoint.save(content(parts, weights=weights), paths[-1])
    averaged = checkpoint.average(paths)
    assert averaged["w"].tolist() == [3.0, 3.0] and averaged["n"] == 3
    assert averaged["h"].dtype == torch.float16 and averaged["h"].tolist() == [3.0]
