"""What models learn in a short training: a handful of pairs by heart, with R-Drop, and in half precision."""

import pytest
import torch

from tests.integration.small_training import MODELS, go, last_weights, same

LEARNT = "search.max_length_extra=10"  # what is learnt ends by itself


@pytest.mark.slow
@pytest.mark.parametrize("name", ["transformer", "bahdanau"])
def test_half_precision_learns_as_single_does(tmp_path, name):
    common = [
        *MODELS[name], "data.sizes=[100,4,4]", "trainer.max_steps=3", "optimizer.eps=1",
        "scheduler=constant", "scheduler.warmup_updates=0",
    ]  # fmt: skip
    # eps=1 keeps Adam's steps proportional to the gradients.
    go(tmp_path / "start", *common, "optimizer.lr=1e-30")
    go(tmp_path / "single", *common, "optimizer.lr=1")
    go(tmp_path / "half", *common, "optimizer.lr=1", "trainer.precision=bf16-mixed")
    start, single, half = (last_weights(tmp_path / run) for run in ("start", "single", "half"))
    assert not same(single, half) and all(value.dtype == torch.float32 for value in half.values())
    changes = [torch.cat([(end[key] - start[key]).flatten() for key in start]) for end in (single, half)]
    assert torch.cosine_similarity(*changes, dim=0) > 0.99


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_a_handful_of_pairs_is_learnt_by_heart(name, tmp_path):
    choice = [word for word in MODELS[name] if word.startswith(("model=", "model/", "model.attention"))]
    rarely = "trainer.check_val_every_n_epoch=100"
    report = go(tmp_path / "run", "debug=overfit", "tokenizer.vocab_size=320", rarely, LEARNT, *choice)
    assert report["test"]["bleu"]["value"] == pytest.approx(100.0)
