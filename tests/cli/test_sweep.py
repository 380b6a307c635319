"""The table of a multirun and the names of its folders."""

from __future__ import annotations

import pytest

from nmt.cli.sweep import Result, common, differences, folder_name, with_means


def test_only_what_differs_is_told() -> None:
    jobs = [["model=rnn", f"model/attention={name}", f"seed={seed}"] for name in ("none", "luong") for seed in (1, 2)]
    assert differences(jobs)[3] == {"attention": "luong", "seed": "2"}
    assert common(jobs) == ["model=rnn"]
    assert differences(jobs[:1]) == [{}]


def test_a_name_that_two_settings_share_is_written_out() -> None:
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


def test_a_setting_that_only_one_job_has_differs() -> None:
    assert differences([["+a.b=1"], []]) == [{"b": "1"}, {"b": ""}]


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"attention": "luong", "seed": "2"}, "3_attention=luong,seed=2"),
        ({"path": "/data/my corpus", "model/x": "[1,2]"}, "3_path=data-my-corpus,model-x=1-2"),
        ({}, "3"),
    ],
)
def test_names_of_folders_need_no_quotes(settings: dict[str, str], name: str) -> None:
    assert folder_name(3, settings) == name


def test_a_long_name_is_cut_to_what_file_systems_allow() -> None:
    name = folder_name(3, {f"설정{number}": "값" * 100 for number in range(9)})
    assert name.startswith("3_설정0=값값") and len(name.encode()) < 200
