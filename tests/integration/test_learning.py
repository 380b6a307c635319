"""What models learn in a short training: a handful of pairs by heart, with R-Drop, and in half precision."""

import pytest
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from tests.integration.small_training import MODELS, NO_AVERAGE, go, last_weights, same

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
def test_a_model_learns_with_rdrop(tmp_path):
    """200 updates with dropout, so that the two passes differ."""
    folder = tmp_path / "run"
    metrics = go(
        folder, "objective=rdrop", "model.encoder.layers=2", "model.encoder.block.width=64",
        "model.encoder.block.heads=4", "model.encoder.block.feed_forward=128", "data.sizes=[3000,100,100]",
        "data.batch_tokens=1000", "optimizer.lr=0.003",
        "trainer.max_steps=200", "trainer.max_epochs=null", "trainer.check_val_every_n_epoch=null",
        "trainer.val_check_interval=50", "scheduler.warmup_updates=30", NO_AVERAGE, LEARNT,
    )  # fmt: skip
    events = EventAccumulator(str(folder))
    events.Reload()
    perplexities = [event.value for event in events.Scalars("val/perplexity")]
    assert len(perplexities) == 4 and perplexities == sorted(perplexities, reverse=True)
    assert perplexities[-1] < 7, "of 400 pieces"
    assert metrics["updates"] == 200 and metrics["val"]["chrf"]["value"] > 10


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_a_handful_of_pairs_is_learnt_by_heart(name, tmp_path):
    choice = [word for word in MODELS[name] if word.startswith(("model=", "model/", "model.attention"))]
    rarely = "trainer.check_val_every_n_epoch=100"
    report = go(tmp_path / "run", "debug=overfit", "tokenizer.vocab_size=320", rarely, LEARNT, *choice)
    assert report["test"]["bleu"]["value"] == pytest.approx(100.0)
