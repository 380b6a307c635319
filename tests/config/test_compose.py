"""From the shipped configs and a command line to validated settings and folders."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from nmt.build import build_objects
from nmt.config import compose as config
from nmt.config.groups import groups, training_groups
from nmt.config.settings import TrainConfig, validate
from nmt.errors import UserError
from tests.optional import SCORES

MODELS = [
    ["model=transformer"],
    ["model=hybrid"],
    *(["model=rnn", f"model/attention={name}"] for name in groups()["model/attention"]),
]


# What is shipped


@pytest.mark.parametrize("overrides", MODELS, ids=" ".join)
def test_every_model_composes_validates_and_builds(overrides: list[str]) -> None:
    found = config.compose("train", overrides)
    assert json.loads(json.dumps(found)) == found and "hydra" not in found
    assert found["name"] == overrides[0].removeprefix("model=")
    settings = validate(found)
    assert isinstance(settings, TrainConfig)
    build_objects(settings)


GLOSSARY = Path(__file__).parents[1] / "evaluation" / "metrics" / "glossary.tsv"
# One option of each group at a time: as many compositions as the largest group has options.
OPTIONS = {
    group: SCORES if group == "scores" else options
    for group, options in training_groups().items()
    if group not in ("model", "model/attention", "experiment", "debug")
}


@pytest.mark.parametrize("number", range(max(map(len, OPTIONS.values()))))
def test_every_option_of_every_group_composes_and_builds(number: int) -> None:
    chosen = [f"{group}={options[number % len(options)]}" for group, options in OPTIONS.items()]
    if "objective=guided_alignment" in chosen:  # its alignments are those of unchanged pairs
        chosen = [each for each in chosen if not each.startswith("spans=")]
    if not any(each in chosen for each in ("data=hub", "data=multi30k", "data=files", "data=cldr")):
        chosen = [each for each in chosen if each != "filters=language"]  # of invented or old languages
    if "data=greek_new_testament" in chosen:  # which has no German
        chosen = [each.replace("scores=multi30k", "scores=bleu") for each in chosen]
    if "callbacks=plain" in chosen:  # which draw nothing
        chosen = [each for each in chosen if not each.startswith("views=")]
    given = ["callbacks.monitor=loss"]  # which needs none of the scores
    given += ["data.name=owner/set"] if "data=hub" in chosen else []
    given += ["data.path=folder"] if "data=files" in chosen else []
    given += [f"scores.terms.file='{GLOSSARY}'"] if "scores=terms" in chosen else []
    given += ["data.source_lang=en", "data.target_lang=de"] if "scores=multi30k" in chosen else []
    build_objects(validate(config.compose("train", [*chosen, *given])))


@pytest.mark.parametrize("experiment", groups()["experiment"])
def test_experiments_name_their_runs_and_bow_to_debug_and_the_command_line(experiment: str) -> None:
    words = ["init=null", "debug=fast", "seed=7", "optimizer.lr=0.5"]
    words += ["data.source_lang=en"] * (experiment == "fine_tune")  # it has those of init
    found = config.compose("train", [f"experiment={experiment}", *words])
    assert (found["name"], found["seed"], found["optimizer"]["lr"]) == (experiment, 7, 0.5)
    assert (found["trainer"]["max_steps"], found["trainer"]["max_time"], found["data"]["limit"]) == (2, None, 64)
    build_objects(validate(found))


def test_the_recurrent_recipes_differ_in_attention_alone() -> None:
    names = [f"multi30k_{name}" for name in ("rnn", "luong", "bahdanau")]
    recipes = [config.compose("train", [f"experiment={name}"]) for name in names]
    assert [recipe.pop("name") for recipe in recipes] == names
    attentions = [recipe["model"].pop("attention") for recipe in recipes]
    assert attentions[0] is None
    assert (attentions[1]["score"], attentions[2]["query_state"]) == ("general", "between")
    assert attentions == [recipe["model"]["decoder"].pop("attention") for recipe in recipes]
    assert recipes[0] == recipes[1] == recipes[2]


def test_composing_is_the_same_twice_and_leaves_no_trace() -> None:
    from hydra.core.global_hydra import GlobalHydra
    from hydra.core.hydra_config import HydraConfig

    before = HydraConfig.instance().cfg
    first = config.compose("train", ["model=rnn"])
    config.compose("train", ["seed=2"])
    assert config.compose("train", ["model=rnn"]) == first
    assert not GlobalHydra.instance().is_initialized() and HydraConfig.instance().cfg is before


def test_a_list_of_metrics_is_chosen_as_one_option() -> None:
    found = config.compose("train", ["scores=[ter,bleu]", "scores.bleu.tokenize=char"])["scores"]
    assert list(found) == ["ter", "bleu"] and found["bleu"]["tokenize"] == "char"
    assert list(config.compose("train", ["scores=chrf"])["scores"]) == ["chrf"]


def test_paths_become_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run is resumed, and its checkpoint is used, from another folder too."""
    monkeypatch.chdir(tmp_path)
    plain = config.compose_run(["data.path=corpus", "scores=[bleu,terms]", "scores.terms.file=g.tsv", "init=run"]).plain
    found = [plain["data"]["path"], plain["scores"]["terms"]["file"], plain["init"]]
    assert found == [str(tmp_path / name) for name in ("corpus", "g.tsv", "run")]
    assert config.compose_run(["scores=[bleu,terms]"]).plain["scores"]["terms"]["file"] is None


def test_jobs_are_those_that_hydra_would_run() -> None:
    from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
    from hydra.core.override_parser.overrides_parser import OverridesParser

    lines = ["model=rnn", "model/attention=none,luong", "seed=1,2,3", "name='a.b'", "optimizer.lr=choice(0.1,1e-3)"]
    theirs = BasicSweeper.split_arguments(OverridesParser.create().parse_overrides(lines), None)[0]
    assert config.jobs(lines) == theirs and len(theirs) == 12
    for job in itertools.islice(theirs, 2):
        config.compose("train", job)


def test_folders_of_runs_and_jobs() -> None:
    here = Path.cwd()
    assert config.compose_run(["hydra.run.dir=here"]).folder == here / "here"
    assert config.compose_run(["name=x"]).folder.parent == here / "outputs/x"
    assert config.compose_run(["hydra.sweep.dir=there"], key=config.SWEEP_DIR).folder == here / "there"
    with pytest.raises(UserError, match="has no effect here"):
        config.compose_run(["hydra.sweep.dir=x"], key=config.RUN_DIR)


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("data.path=~/a b(c)", "~/a b(c)"),
        ("data.path=it's {here}", "it's {here}"),
        ("data.train=[a(1).en, b(1).de]", ["a(1).en", "b(1).de"]),
        ("data.filters=[script", "[script"),
        (r"+spans.ids=\[\d+\]{2,3}", r"\[\d+\]{2,3}"),
        ("data.path='a,b'", "a,b"),
        ("data.path=null", None),
    ],
)
def test_a_value_that_hydra_cannot_read_is_a_text(word: str, value: object) -> None:
    assert config.parse(word).value() == value
