"""`scripts/benchmark.py corpus`: its text, its arguments and, slowly, all of it."""

import re

import pytest

from nmt.errors import UserError
from scripts import benchmark
from scripts.benchmarks import corpus as corpus_benchmark


@pytest.mark.parametrize("count", ["9999", "many", "-5", ""])
def test_the_number_of_pairs_is_checked(count):
    with pytest.raises(UserError, match=rf"pairs: got {count}, expected a number of at least 10,000"):
        benchmark.main(["corpus", f"pairs={count}"])


def test_generated_text_is_parallel_and_repeatable(tmp_path):
    texts = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        size = corpus_benchmark.generate(folder, 500)
        files = [(folder / f"{split}.{lang}").read_text("utf-8") for split in ("train", "val") for lang in ("en", "de")]
        assert size == sum(len(text.encode()) for text in files[:2])
        assert [text.count("\n") for text in files] == [500, 500, 20, 20]
        sources, targets = ([line.split() for line in text.splitlines()] for text in files[:2])
        assert all(4 <= len(source) == len(target) <= 24 for source, target in zip(sources, targets, strict=True))
        texts.append(files)
    assert texts[0] == texts[1]


@pytest.mark.slow
def test_the_whole_report(tmp_path, capfd, monkeypatch):
    monkeypatch.setenv("NMT_CACHE", "")  # it sets another one
    benchmark.main(["corpus", "pairs=12000", f"folder={tmp_path}", "model=rnn", "trainer.max_steps=2"])
    output = capfd.readouterr().out
    for expected in (
        r"generated: 12,000 pairs, \d+ MB of text",
        r"preparation: [\d,]+ pairs/s \(counting .* s, tokenizer .* s, encoding .* s; .*\); encoded corpus \d+ MB",
        r"second start: \d+ s",
        r"plan of an epoch: \d\.\d s, \d+ batches .*; resumed after 20: the next \d+ batches are the same",
        r"memory of training on 10,000 pairs: \d+ MB anonymous, \d+ MB in total",
        r"memory of training on 12,000 pairs: ",
        r"memory above that of 10,000 pairs: -?\d+ MB anonymous, -?\d+ MB in total",
    ):
        assert re.search(expected, output), output
    assert not list(tmp_path.iterdir()), "nothing is left"
