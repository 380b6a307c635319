"""The program of the lab: what it plans, what it trains again, and what it says of mistakes."""

import json
from pathlib import Path

import pytest

from nmt.config.compose import parse
from nmt.errors import UserError
from nmt.lab.claims import CLAIMS, gradient
from nmt.lab.claims.claim import Claim, Contrast, Curves, Text
from nmt.lab.claims.memory import FixedVectorMulti30k
from nmt.lab.cli import lab

TINY = (
    *("data=slots", "data.max_words=3", "data.sizes=[200,20,20]", "model=rnn", "model.encoder.embedding_width=8"),
    *("model.encoder.hidden_width=8", "model.decoder.width=16", "model.decoder.embedding_width=8"),
    *("model.decoder.readout_width=8", "trainer.max_steps=2", "search=greedy", "logger=none"),
)


class Tiny(Claim):
    """A claim with one system that is trained for two updates."""

    name = "tiny"

    def text(self, key, **values):
        return Text(key, key)

    def systems(self):
        return {"a system": TINY}

    def measure(self, runs):
        seeds = tuple(float(run.seed) for run in runs["a system"])
        return Curves(Text("x", "x"), Text("y", "y"), {"a": {"1": seeds}})

    def contrasts(self, lines, more):
        return (Contrast(Text("seed", "seed"), lines["a"]["1"]),)


@pytest.fixture
def tiny(monkeypatch):
    monkeypatch.setitem(CLAIMS, "tiny", Tiny)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["claims=[memry]"], "claims: got 'memry', expected some of"),
        (["seeds=[1,1]"], r"seeds: got \[1, 1\], expected 2 to 10 different seeds"),
        (["jobs=0"], "jobs: got 0"),
        (["claims=[memory,sinks,memory]"], r"claims: got memory, sinks, memory, expected different claims"),
        (["claims=[]"], "claims: got an empty list, expected some of"),
        ([f"out={Path(__file__).parents[3]}"], r"out=.*: has a README\.md that is not of this program; name another"),
    ],
)
def test_lab_errors_name_the_key(arguments, message):
    with pytest.raises(UserError, match=message):
        lab.main(arguments)


def test_a_claim_without_its_files_is_left_out(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(FixedVectorMulti30k, "results", tmp_path / "comparison.json")
    with pytest.raises(UserError, match="claims: none of them can be measured"):
        lab.main(["claims=[fixed_vector_multi30k]"])
    assert "fixed_vector_multi30k: left out; it needs docs/results/comparison.json" in capsys.readouterr().out


def test_a_folder_changes_with_the_settings_of_its_system(tiny, tmp_path):
    (own,) = lab.planned(Tiny(), [1, 2], tmp_path).values()
    assert [each.folder.name for each in own] == ["seed1", "seed2"] and own[0].settings == TINY
    assert own[0].folder.parent.name.startswith("slots-rnn-")
    changed = type("Changed", (Tiny,), {"systems": lambda self: {"a system": (*TINY, "optimizer.lr=0.1")}})
    assert lab.planned(changed(), [1], tmp_path)["a system"][0].folder.parent != own[0].folder.parent


def test_without_trainings_the_page_is_written_at_once(tmp_path, capsys, monkeypatch):
    for name, value in (("DISTANCES", (0, 20)), ("SENTENCES", 10), ("SEEDS", (1, 2))):
        monkeypatch.setattr(gradient, name, value)
    lab.main(["claims=[gradient]", f"out={tmp_path}", f"runs={tmp_path / 'runs'}"])
    assert "supported" in capsys.readouterr().out
    assert {path.name for path in tmp_path.iterdir()} == {
        *("README.md", "README.ko.md", "index.html"),
        *("claims.json", "gradient.png"),
    }
    (found,) = json.loads((tmp_path / "claims.json").read_text("utf-8"))
    assert all(line["0"] == [100.0, 100.0] for line in found["curves"].values())
    assert max(found["curves"]["no attention"]["20"]) < 1 < min(found["curves"]["Bahdanau"]["20"])


def test_a_comma_in_a_path_begins_no_other_value_of_a_training(tmp_path):
    folder, corpus = tmp_path / "runs, ours", f"{tmp_path}/en, de"
    words = lab.arguments_of(lab.Training(folder, ("data=files", f"data.path={corpus}"), 1))
    values = {each.key_or_group: each.value() for each in map(parse, words)}
    assert (values["hydra.run.dir"], values["data.path"], values["seed"]) == (str(folder), corpus, 1)


@pytest.mark.slow
def test_finished_trainings_are_used_again_and_a_failed_one_is_named(tiny, tmp_path, capsys, monkeypatch):
    arguments = ["claims=[tiny]", "seeds=[1,2]", f"out={tmp_path / 'out'}", f"runs={tmp_path / 'runs'}"]
    lab.main(arguments)
    assert "2 trainings, 0 of them finished" in capsys.readouterr().out
    (found,) = json.loads((tmp_path / "out" / "claims.json").read_text("utf-8"))
    assert found["contrasts"][0]["values"] == [1.0, 2.0]
    lab.main(arguments)
    assert "2 trainings, 2 of them finished" in capsys.readouterr().out
    monkeypatch.setattr(Tiny, "systems", lambda self: {"a system": (*TINY, "optimizer.lr=-1")})
    with pytest.raises(UserError, match=r"the training ended with status 2: error: optimizer"):
        lab.main(arguments)


@pytest.mark.slow
def test_lab_resumes_a_stopped_training(tiny, tmp_path):
    training = lab.planned(Tiny(), [1, 2], tmp_path)["a system"][0]
    metrics = training.folder / "metrics.json"
    lab.train_all([training], 1)
    whole = json.loads(metrics.read_text("utf-8"))
    metrics.unlink()  # as if it had been killed after the last update
    lab.train_all([training], 1)
    again = json.loads(metrics.read_text("utf-8"))
    assert (again["updates"], again["test"]) == (whole["updates"], whole["test"])
