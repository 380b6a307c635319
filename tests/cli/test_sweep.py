"""The table of a multirun and the names of its folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from nmt.cli.multirun import SIZES, Result, cautions, differences, folder_name, with_means, write


def test_only_what_differs_is_told_by_the_shortest_clear_name() -> None:
    jobs = [["model=rnn", f"model/attention={name}", f"seed={seed}"] for name in ("none", "luong") for seed in (1, 2)]
    assert differences(jobs)[3] == {"attention": "luong", "seed": "2"}
    assert differences(jobs[:1]) == [{}] and differences([["+a.b=1"], []]) == [{"b": "1"}, {"b": ""}]
    jobs = [["model.encoder.layers=1", "model.decoder.layers=2"], ["model.encoder.layers=3", "model.decoder.layers=4"]]
    assert differences(jobs)[0] == {"model.encoder.layers": "1", "model.decoder.layers": "2"}


def test_only_the_seed_itself_makes_runs_of_one_system() -> None:
    for key, rows in (("seed", 4), ("data.seed", 2), ("search.seed", 2)):
        settings = differences([[f"{key}=1"], [f"{key}=2"]])
        assert settings == [{key: "1"}, {key: "2"}]
        assert len(with_means([Result(str(n), each, {"BLEU": 1.0}) for n, each in enumerate(settings)])) == rows


@pytest.mark.parametrize(("values", "mean"), [("nan 1", "nan"), ("inf 1", "inf"), ("inf -inf", "nan")])
def test_a_score_that_is_not_finite_leaves_the_rest_of_the_table(values: str, mean: str) -> None:
    scores = list(map(float, values.split()))
    results = [Result(str(n), {"seed": str(n)}, {"own": scores[n], "BLEU": 10.0 + n}) for n in (0, 1)]
    *_, means, deviations = with_means(results)
    assert (str(means.figures["own"]), means.figures["BLEU"]) == (mean, 10.5)
    assert (str(deviations.figures["own"]), deviations.figures["BLEU"]) == ("nan", pytest.approx(0.5**0.5))


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"attention": "luong", "seed": "2"}, "3_attention=luong,seed=2"),
        ({"path": "/data/my corpus", "model/x": "[1,2]"}, "3_path=data-my-corpus,model-x=1-2"),
        ({}, "3"),
        ({f"설정{number}": "값" * 100 for number in range(9)}, f"3_설정0={'값' * 30},설정1={'값' * 14}"),
    ],
)
def test_names_of_folders_need_no_quotes_and_are_not_too_long(settings: dict[str, str], name: str) -> None:
    assert folder_name(3, settings) == name


def test_the_table_has_rounded_figures_and_the_file_all_digits(tmp_path: Path) -> None:
    figures = {"val BLEU": 1.0, "test BLEU": 12.345, "parameters": 4_124_648, "updates": 1_219, "minutes": 1.5}
    results = [Result(str(n), {"path": "a|b", "seed": str(n)}, {**figures, "val BLEU": float(n)}) for n in (1, 2)]
    shown = write(with_means(results), tmp_path).splitlines()
    assert " ".join(shown[:2]).split() == ["job", "path", "seed", *SIZES, "val", "test", "BLEU", "BLEU"]
    assert shown[2].split() == ["1", "a|b", "1", "4,124,648", "1,219", "1.5", "1.00", "12.35"]
    assert "mean of 2" in shown[4] and "1.50" in shown[4]
    lines = (tmp_path / "results.tsv").read_text().splitlines()
    assert lines[1].split("\t") == ["1", "a|b", "1", "4124648", "1219", "1.5", "1.0", "12.345"] and len(lines) == 5
    markdown = (tmp_path / "results.md").read_text().splitlines()
    assert r"a\|b" in markdown[2] and len(markdown) == 6


@pytest.mark.parametrize(
    ("runs", "words"),
    [
        ([(1000, 3.0, False), (1040, 3.1, False)], []),
        ([(87, 1.5, False), (256, 2.0, False)], ["made 87 to 256 updates"]),
        ([(100, 0.9, False), (100, 1.0, False)], ["1 of 2 runs have learned too little"]),
        ([(10, 5.0, True), (11, 0.5, False)], ["made 10 to 11 updates", "2 of 2 runs have learned too little"]),
    ],
)
def test_a_table_says_why_its_runs_cannot_be_compared(runs: list[tuple[int, float, bool]], words: list[str]) -> None:
    notes = cautions([dict(zip(("updates", "epochs", "by_chance"), run, strict=True)) for run in runs])
    assert len(notes) == len(words) and all(word in note for word, note in zip(words, notes, strict=True))
