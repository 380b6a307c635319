"""Whole updates, and a validation, against loops written by hand with nothing but torch and sacreBLEU."""

import json

import pytest
import sacrebleu
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from torch.nn.functional import cross_entropy

from nmt import checkpoint, load_translator
from nmt.build import build_source
from nmt.cli import train as train_program
from nmt.config.compose import compose
from nmt.config.settings import validate
from nmt.data.batches import BatchLoader
from nmt.data.corpus import load_corpus
from nmt.data.encoded import encode, encode_corpus
from nmt.data.epochs import TrainingPairs, WeightedCorpus
from nmt.data.filters import Filters
from nmt.search.beam import BeamSearch
from tests.integration.small_training import SMALL_TRANSFORMER, last_weights

PEAK, WARMUP, CLIP, SMOOTHING, UPDATES = 0.01, 3, 0.3, 0.2, 5
COMMON = [
    "data=cldr", "data.sizes=[300,40,4]", "data.topics=[dates,numbers]", "data.max_parts=1", "data.batch_tokens=300",
    "tokenizer.vocab_size=400", "search.max_length_factor=1", "trainer.accelerator=cpu",
    *SMALL_TRANSFORMER, "model.encoder.embedding_dropout=0", "model.encoder.block.residual_dropout=0",
    "model.encoder.block.attention_dropout=0", "model.encoder.block.feed_forward_dropout=0",
    "callbacks=plain", "callbacks.checkpointing.average_last=0",
    f"trainer.max_steps={UPDATES}", f"objective.label_smoothing={SMOOTHING}", f"trainer.gradient_clip_val={CLIP}",
    "scheduler=constant", f"scheduler.warmup_updates={WARMUP}", "scheduler.warmup_share=1", "optimizer.eps=1.0e-3",
]  # fmt: skip


def go(folder, *more):
    train_program.main([*COMMON, *more, f"hydra.run.dir={folder}"])
    return json.loads((folder / "metrics.json").read_text("utf-8"))


def batches(translator, folder):
    """Return the corpus of COMMON, and its batches."""
    config = validate(compose("train", COMMON))
    corpus = load_corpus(build_source(config.data), config.data)
    filters = Filters(config.data.max_length, config.data.max_ratio)
    train = TrainingPairs(
        [WeightedCorpus(encode_corpus(corpus["train"], translator.tokenizer, filters, folder=folder))]
    )
    val = encode(list(corpus["val"]), translator.tokenizer)
    return (
        corpus,
        BatchLoader(train.of_epoch, config.data.batch_tokens, seed=config.seed),
        BatchLoader(lambda _: val, config.data.eval_batch_tokens, shuffled=False),
    )


def logits(model, batch):
    hidden, _ = model(batch.source, batch.source_mask, batch.target_in)
    return model.decoder.output(hidden)


def test_updates_equal_a_loop_by_hand(tmp_path):
    """Loss per real token, smoothing, clipping, warm-up, Adam and the order of the batches, weight by weight."""
    short = ["data.sizes=[300,4,4]", "search.beam_size=1", "search.max_length_factor=0.1"]
    go(tmp_path / "start", "optimizer.lr=1e-30", "trainer.max_steps=1", *short)
    go(tmp_path / "run", f"optimizer.lr={PEAK}", *short)
    translator = load_translator(tmp_path / "start", device="cpu")
    loader = batches(translator, tmp_path)[1]
    loader.set_epoch(0)
    model = translator.model.train()
    adam = torch.optim.Adam(model.parameters(), lr=PEAK, betas=(0.9, 0.98), eps=1e-3)
    for update, batch in zip(range(1, UPDATES + 1), loader, strict=False):
        for group in adam.param_groups:
            group["lr"] = PEAK * min(1.0, update / WARMUP)
        targets = batch.target_out.masked_fill(~batch.target_mask, -100)
        loss = cross_entropy(logits(model, batch).transpose(1, 2), targets, label_smoothing=SMOOTHING)
        adam.zero_grad()
        loss.backward()
        assert torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP) > CLIP, "clipping has nothing to do"
        adam.step()
    trained = last_weights(tmp_path / "run")
    for name, value in model.state_dict().items():
        torch.testing.assert_close(trained[name], value, rtol=1e-4, atol=1e-6)


@pytest.mark.slow
def test_a_validation_equals_one_by_hand(tmp_path):
    go(
        tmp_path / "run",
        "trainer.max_steps=140",
        "optimizer.lr=0.02",
        "optimizer.eps=1e-9",
        "trainer.gradient_clip_val=1",
    )
    events = EventAccumulator(str(tmp_path / "run"))
    events.Reload()
    logged = {name: events.Scalars(f"val/{name}")[-1].value for name in ("loss", "perplexity", "bleu", "chrf")}
    assert logged["chrf"] > 3, "nothing is learnt, so nothing can be in the wrong order"

    translator = load_translator(tmp_path / "run", device="cpu")
    checkpoint.set_weights(translator.model, last_weights(tmp_path / "run"))
    corpus, _, val_batches = batches(translator, tmp_path)
    model, sums, tokens = translator.model.eval(), [0.0, 0.0], 0
    with torch.no_grad():
        for batch in val_batches:
            real, targets = logits(model, batch)[batch.target_mask], batch.target_out[batch.target_mask]
            for place, smoothing in enumerate((SMOOTHING, 0.0)):
                sums[place] += float(cross_entropy(real, targets, label_smoothing=smoothing, reduction="sum"))
            tokens += len(targets)
    assert logged["loss"] == pytest.approx(sums[0] / tokens, rel=1e-4)
    assert logged["perplexity"] == pytest.approx(float(torch.tensor(sums[1] / tokens).exp()), rel=1e-4)
    greedy = translator.translate([p.source for p in corpus["val"]], search=BeamSearch(beam_size=1))
    hypotheses = [found.text for found in greedy]
    references = [[pair.target for pair in corpus["val"]]]
    assert logged["bleu"] == pytest.approx(sacrebleu.corpus_bleu(hypotheses, references, force=True).score, rel=1e-4)
    assert logged["chrf"] == pytest.approx(sacrebleu.corpus_chrf(hypotheses, references).score, rel=1e-4)
