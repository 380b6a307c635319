"""Data sets of the Hub: what of their rows is read, and what is said where the client fails. Nothing is downloaded."""

import json

import pytest

from nmt.build import build_source
from nmt.data.corpus import load_corpus
from nmt.data.pair import SentencePair
from nmt.data.sources import hub
from nmt.errors import UserError


@pytest.fixture
def no_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    for name in ("HF_DATASETS_CACHE", "HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE"):
        monkeypatch.delenv(name, raising=False)


def test_missing_network_is_one_line(data_config, monkeypatch, no_cache):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:1")
    with pytest.raises(UserError) as error:
        build_source(data_config("multi30k")).splits()
    message = str(error.value)
    assert "\n" not in message and "data.path=" in message and "experiment=demo" in message


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"config": "de-fr"}, r"data.config=de-fr \(train\): 1 of 1 row .*no language key 'en'.*; there are: de, fr"),
        ({"config": None}, "Config name is missing"),
        ({"config": "nope"}, r"BuilderConfig 'nope' not found. Available: \['de-en', 'de-fr'\]"),
    ],
)
def test_a_wrong_configuration_is_one_line(tmp_path, data_config, no_cache, changes, message):
    nodes = []
    for name in ("de-en", "de-fr"):
        nodes.append(f"- config_name: {name}\n  data_files: {name}.jsonl\n")
        row = {"translation": dict.fromkeys(name.split("-"), "a")}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row), "utf-8")
    (tmp_path / "README.md").write_text(f"---\nconfigs:\n{''.join(nodes)}---\n", "utf-8")
    with pytest.raises(UserError, match=message) as error:
        list(build_source(data_config("hub", name=str(tmp_path), **changes)).splits()["train"])
    assert "\n" not in str(error.value)


def test_a_data_set_that_needs_a_script_is_refused_with_the_revision_that_needs_none(data_config, monkeypatch):
    def load_dataset(*_, **__):
        raise RuntimeError("Dataset scripts are no longer supported,\nbut found scripted.py")

    monkeypatch.setattr("datasets.load_dataset", load_dataset)
    with pytest.raises(UserError, match=r"^data\.name=acme/scripted: .* try data\.revision=refs/convert/parquet"):
        build_source(data_config("hub", name="acme/scripted")).splits()


def test_a_file_in_place_of_a_split_needs_no_network(data_config, monkeypatch, tmp_path):
    monkeypatch.setattr(hub.Hub, "_load", lambda self: pytest.fail("the Hub was asked"))
    (tmp_path / "own.tsv").write_text("en\tde\na\tA\n", "utf-8")
    config = data_config("multi30k", test=str(tmp_path / "own.tsv"))
    assert list(load_corpus(build_source(config), config, ("test",))["test"]) == [SentencePair("a", "A")]


@pytest.mark.parametrize("streaming", [False, True])
def test_a_local_folder_downloaded_or_streamed(tmp_path, data_config, heard, no_cache, streaming):
    for split, count in (("train", 2500), ("validation", 3)):
        rows = [{"en": None if row == 1 else f"{split} {row}", "de": f"{row}"} for row in range(count)]
        (tmp_path / f"{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    splits = build_source(data_config("hub", name=str(tmp_path), streaming=streaming)).splits()
    assert sorted(splits) == ["train", "val"]
    expected = [SentencePair(f"train {row}", f"{row}") for row in range(2500) if row != 1]
    assert list(splits["train"]) == list(splits["train"]) == expected
    assert heard == [f"data.name={tmp_path} (train): 1 of 2,500 rows was left out: 2 ('en' is null)"]
