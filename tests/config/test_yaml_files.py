"""Mistakes in an experiment, or between it and the command line, name its file and line and say what to do."""

from __future__ import annotations

from pathlib import Path

import hydra
import pytest

from nmt.config.compose import compose_run
from nmt.config.explain import naming_files
from nmt.config.yaml_files import also_in, config_dir, read_file
from nmt.errors import UserError
from nmt.preflight import build_components
from scripts import benchmark


def message(*overrides: str) -> str:
    with pytest.raises(UserError) as error, naming_files(overrides):
        build_components(compose_run(overrides).settings)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.fixture
def experiment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The place of an experiment of the user's own, `experiment=mine`."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "own" / "experiment" / "mine.yaml"
    path.parent.mkdir(parents=True)
    return path


def line_of(path: Path, text: str) -> int:
    return 1 + [line.strip() for line in path.read_text("utf-8").splitlines()].index(text)


@pytest.mark.parametrize(
    ("overrides", "key", "written", "meant", "chosen"),
    [
        (["experiment=demo", "model=rnn"], "model.encoder.block", "block:", "model=transformer", "model=rnn"),
        (["experiment=demo", "data=multi30k"], "data.max_parts", "max_parts: 1", "data=cldr", "data=multi30k"),
        (
            ["scheduler=constant", "experiment=demo"],
            *("scheduler.final", "final: 0.02", "scheduler=cosine", "scheduler=constant"),
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_an_option_that_an_experiment_is_not_made_for(
    overrides: list[str], key: str, written: str, meant: str, chosen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(config_dir().parent)
    line = line_of(config_dir() / "experiment" / "demo.yaml", written)
    said = message(*overrides)
    assert (
        f"{key}: unknown key for {chosen}; configs/experiment/demo.yaml, line {line}, sets it for {meant}: "
        f"add ~{key} to leave it out, or leave out {chosen}"
    ) in said
    assert ("or leave out model=rnn, or use experiment=demo_rnn" in said) is (chosen == "model=rnn")


def test_what_a_message_says_can_be_done() -> None:
    build_components(compose_run(["experiment=demo", "model=rnn", "~model.encoder.block"]).settings)
    build_components(compose_run(["experiment=demo", "data=multi30k", "~data.topics", "~data.max_parts"]).settings)


def test_an_experiment_that_chooses_an_attention_for_a_model_without_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(config_dir().parent)
    line = line_of(config_dir() / "experiment" / "multi30k_luong.yaml", "- override /model/attention: luong")
    assert message("experiment=multi30k_luong", "model=transformer") == (
        f"configs/experiment/multi30k_luong.yaml, line {line}, chooses model/attention=luong, but model=transformer "
        "has no attention: leave out model=transformer, or use model=hybrid or model=rnn"
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "# mine\nname: mine\n",
            "own/experiment/mine.yaml: its first line must be '# @package _global_'; without it, all of its keys "
            "belong to 'experiment' and not to the sections data, model and so on",
        ),
        (
            "# mine\n# @package _global_\nname: mine\n",
            "own/experiment/mine.yaml: its first line must be '# @package _global_'; without it, all of its keys "
            "belong to 'experiment' and not to the sections data, model and so on",
        ),
        (
            "# @package _global_\ndefaults:\n  - override model: rnn\n",
            "own/experiment/mine.yaml, line 3: got '- override model: rnn', expected '- override /model: rnn'",
        ),
        (
            "# @package _global_\ndefaults:\n  - /model: rnn\n",
            "own/experiment/mine.yaml, line 3: got '- /model: rnn', expected '- override /model: rnn'",
        ),
        (
            "# @package _global_\ndefaults:\n  - override /model: rnnn\n",
            "own/experiment/mine.yaml, line 3: model: got 'rnnn', expected one of hybrid, rnn, transformer; did you "
            "mean 'rnn'?",
        ),
        (
            "# @package _global_\ndefaults:\n  - override /modle: rnn\n",
            "own/experiment/mine.yaml, line 3: unknown group 'modle'; did you mean 'model'?",
        ),
        (
            "# @package _global_\ndefaults:\n  - override /scores: [bleu]\n  - override /scores: [ter]\n",
            "own/experiment/mine.yaml, line 4: 'override /scores' stands in line 3 too; remove one of them",
        ),
        (
            "# @package _global_\ndefaults:\n  - demo\n  - mine\n",
            "own/experiment/mine.yaml, line 4: experiment=mine would build on itself; remove this line",
        ),
        (
            "# @package _global_\nname: mine\n data: 3\n",
            "own/experiment/mine.yaml, line 3: cannot be read as YAML (mapping values are not allowed here); correct "
            "the file",
        ),
        (
            "# @package _global_\ndata: {limit: 2}\ndata: {seed: 3}\n",
            "own/experiment/mine.yaml, line 3: cannot be read as YAML (found duplicate key data); correct the file",
        ),
        (
            "# @package _global_\ntrainer:\n  max_time: '40'\n",
            "trainer.max_time: got '40', expected DD:HH:MM:SS; three minutes are 00:00:03:00 "
            "(own/experiment/mine.yaml, line 3)",
        ),
        (
            "# @package _global_\ndata: {limit: 0}\noptimizer:\n  lrr: 1\n",
            "data.limit: got 0, expected an integer of at least 1 or null (own/experiment/mine.yaml, line 2)",
        ),
    ],
)
def test_a_mistake_in_an_experiment_of_ones_own_names_its_line(experiment: Path, text: str, words: str) -> None:
    experiment.write_text(text, "utf-8")
    with also_in("own"):
        assert message("experiment=mine") == words


@pytest.mark.parametrize(
    "head",
    [
        "# @package scores.own\n",
        "\n  #@package   scores.own\r\n",
        "# mine\n# @package scores.own\n",
        "## @package scores.own\n",
        "_partial_: false\n# @package scores.own\n",
        f"{' ' * 512}\n# @package scores.own\n",
        "",
    ],
)
def test_the_package_line_is_where_hydra_finds_it(experiment: Path, head: str) -> None:
    file = experiment.parent.parent / "scores" / "ours.yaml"
    file.parent.mkdir()
    file.write_text(f"{head}_target_: nmt.evaluation.metrics.ter.TER\n", "utf-8")
    with hydra.initialize_config_dir(str(file.parent.parent), version_base="1.3"):
        composed = hydra.compose("scores/ours").scores
    with also_in("own"):
        assert read_file("scores/ours").package == ("scores.own" if "own" in composed else "scores")
        if "own" in composed:
            assert [*compose_run(["scores=[ours,bleu]"]).plain["scores"]] == ["own", "bleu"]
        else:
            assert message("scores=[ours,bleu]") == (
                "own/scores/ours.yaml: its first line must be '# @package scores.ours'; without it, its keys belong to "
                "'scores' and not to 'scores.ours'"
            )


def test_a_byte_order_mark_that_hides_the_package_line_is_refused(experiment: Path) -> None:
    experiment.write_text("name: mine\n", "utf-8-sig")
    with also_in("own"):
        assert read_file("experiment/mine").package == "experiment"
        experiment.write_text("# @package _global_\nname: mine\n", "utf-8-sig")
        assert message("experiment=mine") == (
            "own/experiment/mine.yaml, line 1: a byte order mark stands before '# @package', so Hydra does not see it; "
            "save the file as UTF-8 without the mark"
        )


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("defaults:\n  override /model: rnn\n", 3),
        ("name: mine\ndefaults: demo\n", 3),
        ("defaults:\nname: mine\n", 2),
        ("defaults:\n  - _self_\n  - override /model: {rnn: 1}\n", 4),
        ("defaults:\n  - [override /model]\n", 3),
        ("defaults:\n  - '': rnn\n", 3),
    ],
)
def test_defaults_that_are_no_list(experiment: Path, text: str, line: int) -> None:
    experiment.write_text(f"# @package _global_\n{text}", "utf-8")
    with also_in("own"):
        assert message("experiment=mine") == (
            f"own/experiment/mine.yaml, line {line}: defaults: expected a list of groups, as in "
            "'- override /model: rnn'"
        )


@pytest.mark.parametrize("name", ["1", "1.5", "2026_11", "true", "nan"])
def test_a_name_that_reads_as_a_number_needs_quotes(experiment: Path, name: str) -> None:
    scores = experiment.parent.parent / "scores"
    scores.mkdir()
    experiment.with_stem(name).write_text("# @package _global_\nname: mine\n", "utf-8")
    (scores / f"{name}.yaml").write_text("# @package scores.own\n_target_: nmt.evaluation.metrics.ter.TER\n", "utf-8")
    with also_in("own"):
        for group, option, asked in (("experiment", name, "'NAME'"), ("scores", f"[{name},bleu]", "['NAME']")):
            assert message(f"{group}={option}").endswith(
                "; a name that reads as a number, true or false needs quotes inside those of the shell: "
                f'{group}="{asked}"'
            )
        quoted = compose_run([f"experiment='{name}'", f"scores=['{name}',bleu]"]).plain
    assert quoted["name"] == "mine" and [*quoted["scores"]] == ["own", "bleu"]


def test_an_experiment_that_builds_on_another(experiment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(config_dir().parent)
    start = "# @package _global_\ndefaults:\n"
    experiment.write_text(f"{start}  - demo_rnn\n  - override /model/attention: luong\n  - _self_\n", "utf-8")
    own = ["--config-dir", str(experiment.parent.parent)]
    with also_in(own[1]):
        assert compose_run(["experiment=mine"]).plain["model"]["attention"]["score"] == "general"
        experiment.write_text(f"{start}  - demo\n  - override /scheduler: constant\n  - _self_\n", "utf-8")
        line = line_of(config_dir() / "experiment" / "demo.yaml", "final: 0.02")
        assert message("experiment=mine").endswith(f"(configs/experiment/demo.yaml, line {line})")

        experiment.write_text(f"{start}  - demo_rn\n  - _self_\n", "utf-8")
        said = message("experiment=mine")
        assert said.startswith(f"{experiment}, line 3: experiment: got 'demo_rn', expected one of demo, demo_rnn, ")
        assert said.endswith("; did you mean 'demo_rnn'?")


@pytest.mark.parametrize("nested", [False, True])
def test_a_file_in_another_encoding_names_its_line(experiment: Path, nested: bool) -> None:
    """Also one that only the defaults of another file name."""
    latin = experiment.with_name("latin.yaml") if nested else experiment
    experiment.write_text("# @package _global_\ndefaults:\n  - latin\n", "utf-8")
    latin.write_bytes("# @package _global_\nname: mine  # größer\n".encode("latin-1"))
    with also_in("own"):
        assert message("experiment=mine") == (
            f"own/experiment/{latin.name}, line 2: not UTF-8 (byte 0xf6 at 17); convert the text to UTF-8, for example "
            "with iconv"
        )


def test_each_of_several_problems_has_its_own_line(experiment: Path) -> None:
    huge = 10**20
    experiment.write_text(f"# @package _global_\ndata:\n  limit: {huge}\n  seed: {huge}\n", "utf-8")
    with also_in("own"):
        said = message("experiment=mine").split("; ")
    assert {(each.partition(":")[0], each[-7:]) for each in said} == {
        ("data.limit", "line 3)"),
        ("data.seed", "line 4)"),
    }


@pytest.mark.lab
@pytest.mark.parametrize("text", ["data: {limit: 0}", "data: {filters: [long]}", "data: {no_key: 1}"])
def test_the_program_that_inspects_data_names_the_file_too(experiment: Path, text: str) -> None:
    from nmt.lab.cli import inspect_data

    experiment.write_text(f"# @package _global_\n{text}\n", "utf-8")
    with pytest.raises(UserError, match=r"\(own/experiment/mine\.yaml, line 2\)$"):
        inspect_data.main(["--config-dir", "own", "experiment=mine"])


def test_the_benchmark_names_the_file_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(config_dir().parent)
    with pytest.raises(
        UserError, match=r"model\.encoder\.block: .* configs/experiment/demo\.yaml, line \d+, sets it for"
    ):
        benchmark.main(["experiment=demo", "model=rnn"])


def test_a_key_on_the_command_line_is_not_laid_to_a_file(experiment: Path) -> None:
    experiment.write_text("# @package _global_\ndata: {limit: 5}\n", "utf-8")
    with also_in("own"):
        assert message("experiment=mine", "data.limit=0") == (
            "data.limit: got 0, expected an integer of at least 1 or null"
        )


def test_a_wrong_value_in_a_file_is_wrong_for_every_option(experiment: Path) -> None:
    experiment.write_text("# @package _global_\noptimizer: {lr: abc}\n", "utf-8")
    with also_in("own"):
        said = message("experiment=mine")
        assert said == "optimizer.lr: got 'abc', expected a number (own/experiment/mine.yaml, line 2)"
        assert message("experiment=mine", "optimizer=adamw") == said


def test_a_parameter_that_the_program_sets_is_refused_in_a_file_too(experiment: Path) -> None:
    own = experiment.parent.parent / "model" / "attention" / "wide.yaml"
    own.parent.mkdir(parents=True)
    target = "nmt.models.attention.luong.LuongAttention"
    own.write_text(f"_target_: {target}\n_partial_: true\nscore: general\nquery_width: 8\n", "utf-8")
    experiment.write_text(
        "# @package _global_\ndefaults:\n  - override /model: rnn\n  - override /model/attention: wide\n", "utf-8"
    )
    words = "model.attention.query_width: the program sets this parameter; remove the key"
    with also_in("own"):
        for chosen in (["model=rnn", "model/attention=wide"], ["experiment=mine"]):
            assert message(*chosen) == f"{words} (own/model/attention/wide.yaml, line 4)"
