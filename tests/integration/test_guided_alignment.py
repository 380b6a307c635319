"""A run that is guided by a file of word alignments: its figures, its mistakes, and the alignment of its pairs."""

import gzip

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from nmt.cli import train as train_program
from nmt.errors import UserError
from tests.integration.small_training import SMALL_TRANSFORMER, best

PAIRS = 60
WORDS = ["objective=guided_alignment", *SMALL_TRANSFORMER, "data=files", "tokenizer.vocab_size=291",
         "data.batch_tokens=200", "trainer.accelerator=cpu", "search.max_length_factor=1", "callbacks=plain",
         "trainer.max_steps=4", "trainer.log_every_n_steps=2"]  # fmt: skip


@pytest.fixture
def corpus(tmp_path):
    """A folder with sentences, the same backwards, and their links."""
    for split, count in (("train", PAIRS), ("val", 6)):
        words = [[f"w{number % 7}", *["ab", "cd"][: number % 3]] for number in range(count)]
        lines = {
            "en": [" ".join(each) for each in words],
            "de": [" ".join(each[::-1]) for each in words],
            "align": [" ".join(f"{len(each) - 1 - j}-{j}" for j in range(len(each))) for each in words],
        }
        for kind, texts in lines.items():
            (tmp_path / f"{split}.{kind}").write_text("".join(f"{text}\n" for text in texts), "utf-8")
    return tmp_path


def go(corpus, *more):
    train_program.main([*WORDS, f"data.path={corpus}", *more, f"hydra.run.dir={corpus / 'run'}"])
    return corpus / "run"


@pytest.mark.slow
def test_a_run_and_its_figures(corpus):
    files = [f"data.{split}_alignment={corpus / split}.align" for split in ("train", "val")]
    folder = go(corpus, *files)
    scores = best(folder).scores["val"]
    assert scores["alignment_loss"] > 0 and scores["loss"] > 0
    log = EventAccumulator(str(folder))
    log.Reload()
    for name in ("train/alignment_loss", "val/alignment_loss"):
        assert all(event.value > 0 for event in log.Scalars(name)) and log.Scalars(name)

    # Compressed links are the same links.
    written = corpus / "mine.align.gz"
    written.write_bytes(gzip.compress((corpus / "train.align").read_bytes()))

    # Another alignment is another corpus.
    (corpus / "train.align").write_text("0-0\n" * PAIRS, "utf-8")
    with pytest.raises(UserError, match="are not those that this run began with"):
        train_program.main([f"resume={folder}", "trainer.max_steps=6"])
    (corpus / "run").rename(corpus / "first run")
    again = go(corpus, f"data.train_alignment={written}")
    scores = best(again).scores["val"]
    assert "alignment_loss" not in scores, "the validation pairs have no links"


def test_without_links_there_is_nothing_to_learn_from(corpus):
    message = (
        r"^objective: GuidedAlignment learns from word alignments, but the training pairs of data\.path=.* have no"
    )
    with pytest.raises(UserError, match=message):
        go(corpus)
    with pytest.raises(UserError, match=message):
        go(corpus, f"data.val_alignment={corpus}/val.align")
