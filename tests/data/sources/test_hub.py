"""The Hub, through the real client against a small server that answers as the Hub does; nothing leaves the machine.

The client reads its address and folders when it is imported, so what goes over the wire runs in a process of its own.
"""

import hashlib
import http.server
import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from nmt.build import build_source
from nmt.data.corpus import load_corpus
from nmt.data.pair import SentencePair
from nmt.data.sources import hub
from nmt.errors import UserError

COMMIT = "a" * 40
ROOT = Path(__file__).parents[2]


def rows(*texts):
    return "".join(json.dumps({"en": text, "de": text.upper()}) + "\n" for text in texts).encode()


REPOSITORIES = {
    "acme/tiny": {"train.jsonl": rows("a", "b", "c"), "validation.jsonl": rows("d"), "test.jsonl": rows("e", "f")},
    "acme/scripted": {"scripted.py": b"", "README.md": b"# x"},
    "acme/configs": {
        "README.md": b"---\nconfigs:\n- config_name: de-en\n  data_files: one/train.jsonl\n"
        b"- config_name: de-fr\n  data_files: two/train.jsonl\n---\n",
        "one/train.jsonl": b'{"id": "1", "translation": {"de": "A", "en": "a"}}\n' * 3,
        "two/train.jsonl": b'{"id": "1", "translation": {"de": "A", "fr": "a"}}\n',
    },
}


class Hub(http.server.BaseHTTPRequestHandler):
    """What of the Hub's interface the client needs for a data set of plain files."""

    protocol_version = "HTTP/1.1"

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = self.path.split("?")[0].strip("/").split("/")
        if parts[0] == "api":
            return self.api(parts[1:], body)
        files = REPOSITORIES.get("/".join(parts[1:3]))
        if files is None or len(parts) < 6:
            return self.answer(404, X_Error_Code="RepoNotFound")
        revision, name = parts[4], "/".join(parts[5:])
        if revision not in ("main", COMMIT):
            return self.answer(404, X_Error_Code="RevisionNotFound")
        if name not in files:
            return self.answer(404, X_Error_Code="EntryNotFound", X_Repo_Commit=COMMIT)
        etag = hashlib.sha1(files[name]).hexdigest()
        return self.answer(200, files[name], X_Repo_Commit=COMMIT, ETag=f'"{etag}"')

    def api(self, parts, body):
        name = "/".join(parts[1:3])
        files = REPOSITORIES.get(name)
        if files is None:
            return self.answer(404, X_Error_Code="RepoNotFound")
        kind = parts[3] if len(parts) > 3 else "info"
        if kind == "tree":
            return self.as_json(self.tree(files, "/".join(parts[5:])))
        if kind == "paths-info":
            wanted = json.loads(body)["paths"]
            return self.as_json([entry for path in wanted for entry in self.entry(files, path)])
        siblings = [{"rfilename": path} for path in files]
        info = {"id": name, "sha": COMMIT, "private": False, "disabled": False, "gated": False, "tags": []}
        return self.as_json({"_id": "1", "downloads": 0, "likes": 0, **info, "siblings": siblings})

    def tree(self, files, folder):
        prefix = f"{folder}/" if folder else ""
        inside = sorted({prefix + path[len(prefix) :].split("/")[0] for path in files if path.startswith(prefix)})
        return [entry for path in inside for entry in self.entry(files, path)]

    def entry(self, files, path):
        if path in files:
            digest = hashlib.sha1(files[path]).hexdigest()
            return [{"type": "file", "path": path, "size": len(files[path]), "oid": digest}]
        there = any(name.startswith(f"{path}/") for name in files)
        return [{"type": "directory", "path": path, "oid": "0", "size": 0}] if there else []

    def as_json(self, value):
        self.answer(200, json.dumps(value).encode(), Content_Type="application/json")

    do_HEAD = do_POST = do_GET

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def server():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hub) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield running
        running.shutdown()


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("hub")


PROGRAM = """
import json, logging, sys, torch, yaml
from nmt.build import build_source
from nmt.data.corpus import load_corpus
from nmt.data.corpus import load_corpus
from nmt.errors import UserError
from nmt.config.settings import DataConfig
class Listener(logging.Handler):
    def emit(self, record):
        said.append(record.getMessage())
logging.getLogger("nmt").addHandler(Listener())
logging.getLogger("nmt").setLevel(logging.INFO)
for request in json.loads(sys.argv[1]):
    said = []
    try:
        config = DataConfig(**request)
        corpus = load_corpus(build_source(config), config)
        answer = {split: [[pair.source, pair.target] for pair in pairs] for split, pairs in corpus.items()}
    except UserError as error:
        answer = str(error)
    print(json.dumps([answer, said]))
"""


def load(requests, home, endpoint, **more):
    """Return what load_corpus answers to each of the configs, and what it said, in a process with its own cache."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    variables = {
        "PYTHONPATH": str(ROOT),
        "HF_HOME": str(home),
        "HF_ENDPOINT": endpoint,
        "NO_PROXY": "127.0.0.1",
        **more,
    }
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps([vars(request) for request in requests])],
        env={**inherited, **variables},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.slow
def test_data_sets_of_the_hub(data_config, server, home):
    endpoint = f"http://127.0.0.1:{server.server_port}"
    answers = load(
        [
            data_config("hub", name="acme/tiny"),
            data_config("hub", name="acme/configs", config="de-en", val_size=1),
            data_config("hub", name="acme/configs", config="de-fr", val_size=1),
            data_config("hub", name="acme/configs"),
            data_config("hub", name="acme/configs", config="nope"),
            data_config("hub", name="acme/none"),
            data_config("hub", name="acme/tiny", revision="v9"),
            data_config("hub", name="acme/tiny", target_lang="fr"),
            data_config("hub", name="acme/scripted"),
        ],
        home,
        endpoint,
    )
    whole = {"train": [["a", "A"], ["b", "B"], ["c", "C"]], "val": [["d", "D"]], "test": [["e", "E"], ["f", "F"]]}
    assert answers[0] == [whole, ["data: train 3, val 1, test 2 pairs, en to de, from the Hub's acme/tiny"]]
    results = [answer for answer, _ in answers[1:]]
    for result, message in zip(
        results,
        [
            "every training sentence is among the 1 held out",
            "data.name=acme/configs data.config=de-fr (train): no language key 'en'; there are: de, fr",
            "Config name is missing",
            "BuilderConfig 'nope' not found. Available: ['de-en', 'de-fr']",
            "data.name=acme/none: Dataset 'acme/none' doesn't exist on the Hub",
            "Revision 'v9' doesn't exist",
            "(train): no language key 'fr'; there are: en, de",
            "try data.revision=refs/convert/parquet",
        ],
        strict=True,
    ):
        assert message in result and "\n" not in result


@pytest.mark.slow
def test_cached_hub_data_need_no_network(data_config, server, home):
    tiny = data_config("hub", name="acme/tiny")
    before = load([tiny], home, f"http://127.0.0.1:{server.server_port}")
    nobody = f"http://127.0.0.1:{unused_port()}"
    answers = load([data_config("hub", name="acme/other"), tiny], home, nobody, HF_HUB_OFFLINE="1")
    assert "data.name=acme/other: " in answers[0][0]
    assert answers[1][0] == before[0][0] and len(before[0][0]["train"]) == 3


def unused_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


@pytest.fixture
def no_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    for name in ("HF_DATASETS_CACHE", "HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE"):
        monkeypatch.delenv(name, raising=False)


def test_missing_network_is_one_line(data_config, monkeypatch, no_cache):
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{unused_port()}")
    with pytest.raises(UserError) as error:
        build_source(data_config("multi30k")).splits()
    message = str(error.value)
    assert "\n" not in message and "data.path=" in message and "experiment=demo" in message


def test_a_file_in_place_of_a_split_needs_no_network(data_config, monkeypatch, tmp_path):
    monkeypatch.setattr(hub.Hub, "_load", lambda self: pytest.fail("the Hub was asked"))
    (tmp_path / "own.tsv").write_text("en\tde\na\tA\n", "utf-8")
    config = data_config("multi30k", test=str(tmp_path / "own.tsv"))
    assert list(load_corpus(build_source(config), config, ("test",))["test"]) == [SentencePair("a", "A")]


def test_rows_without_a_text_are_counted_and_other_values_refused(heard):
    def read(*batches):
        return list(hub.read_rows(batches, "en", "de", "x (train)"))

    assert read({"en": ["a", None], "de": ["A", "B"]}, {"en": ["c"], "de": [None]}) == [SentencePair("a", "A")]
    assert heard == ["x (train): left out 2 rows without text on one side"]
    with pytest.raises(UserError, match=r"x \(train\): got \('c', 1\), expected two texts"):
        read({"en": ["a", "b"], "de": ["A", "B"]}, {"en": ["c"], "de": [1]})
    assert len(heard) == 1
    rows = [None, {"en": "a", "de": "A"}, {"en": "b", "de": None}, {"en": "c"}]
    assert read({"translation": rows}, {"translation": [None]}) == [SentencePair("a", "A")]
    assert heard[1:] == ["x (train): left out 4 rows without text on one side"]
    with pytest.raises(UserError, match=r"x \(train\): the column 'translation' holds no texts by language"):
        read({"translation": ["hello"]})
    with pytest.raises(UserError, match="de"):
        read({"translation": [{"en": "a", "fr": "A"}]})


@pytest.mark.parametrize("streaming", [False, True])
def test_a_local_folder_downloaded_or_streamed(tmp_path, data_config, heard, no_cache, streaming):
    for split, count in (("train", 2500), ("validation", 3)):
        rows = [{"en": None if row == 1 else f"{split} {row}", "de": f"{row}"} for row in range(count)]
        (tmp_path / f"{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    splits = build_source(data_config("hub", name=str(tmp_path), streaming=streaming)).splits()
    assert sorted(splits) == ["train", "val"]
    expected = [SentencePair(f"train {row}", f"{row}") for row in range(2500) if row != 1]
    assert list(splits["train"]) == list(splits["train"]) == expected
    assert heard == [f"data.name={tmp_path} (train): left out 1 rows without text on one side"]
