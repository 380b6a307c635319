"""The program that serves translations: what it asks for, and how it ends."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from nmt.deploy.cli import export, serve
from nmt.errors import UserError
from tests.deploy.serve.stub import Client
from tests.tiny_run import Run, save_other


@pytest.fixture
def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_port_in_use_is_named_before_a_model_is_loaded(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(UserError) as error:
        serve.main([f"ckpt={run.folder}", f"port={taken.getsockname()[1]}"])
    assert re.match(r"port=\d+: another program uses it; end that one, or take another: port=\d+$", str(error.value))


def test_another_address_needs_a_key(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(serve.KEY, raising=False)
    for host in ("0.0.0.0", "example.org", "::"):
        with pytest.raises(UserError, match=rf"^host={host}: other machines may reach it, .*{serve.KEY}"):
            serve.main([f"ckpt={run.folder}", f"host={host}"])


def test_a_key_comes_from_the_command_line_or_the_environment(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(serve.KEY, "sesame")
    with pytest.raises(UserError, match=r"^host=203\.0\.113\.9: no address of this machine"):
        serve.main([f"ckpt={run.folder}", "host=203.0.113.9"])
    monkeypatch.delenv(serve.KEY)
    with pytest.raises(UserError, match=r"^host=203\.0\.113\.9: no address of this machine"):
        serve.main([f"ckpt={run.folder}", "host=203.0.113.9", "api_key=a, b"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["port=70000"], "port: got 70000"),
        (["max_texts=0"], "max_texts: got 0"),
        (["search.beam_size=0"], "beam_size: got 0"),
        (["text=x"], "text"),
        (["ckpt=[]"], "^ckpt: got an empty list"),
        (["ckpt=[]"], "^ckpt: got an empty list"),
    ],
)
def test_mistakes_in_the_settings(run: Run, free_port: int, words: list[str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        serve.main([f"ckpt={run.folder}", f"port={free_port}", *words])


def test_two_models_of_one_pair_are_refused(run: Run, free_port: int) -> None:
    paths = [save_other(run, run.folder.parent / f"{name}.safetensors") for name in ("one", "two")]
    with pytest.raises(UserError, match=r"^ckpt: .*one.safetensors and .*two.safetensors both translate en to de; le"):
        serve.main([f"ckpt=[{paths[0]},{paths[1]}]", f"port={free_port}"])


def test_a_model_without_languages_is_refused(run: Run, free_port: int) -> None:
    path = run.folder.parent / "unknown.safetensors"
    run.translator.save(path)
    with pytest.raises(UserError, match=r"^ckpt: .*unknown.safetensors does not say its languages"):
        serve.main([f"ckpt={path}", f"port={free_port}"])


def test_a_missing_package_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"needs starlette and uvicorn and python_multipart, .*-lab\[deploy\]"):
        serve.main([f"ckpt={run.folder}"])


@contextmanager
def started(*words: str) -> Iterator[tuple[subprocess.Popen[str], Client]]:
    """Run the program on a free port, and wait until it can translate."""
    command = [sys.executable, "-c", "from nmt.deploy.cli.serve import main; main()", *words, "port=0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            found = re.search(r"on http://127\.0\.0\.1:(\d+);", line)
            assert found, line + process.stderr.read()
            yield process, Client(int(found[1]))
        finally:
            process.kill()


@pytest.mark.slow
def test_sigterm_ends_the_program_after_what_was_accepted(run: Run) -> None:
    with started(f"ckpt={run.folder}") as (process, client), ThreadPoolExecutor(8) as pool:
        assert client.get("/health").body == {"status": "ok"}
        fields = {"q": [f"a man rides {number}." for number in range(40)], "source": "en", "target": "de"}
        pending = [pool.submit(client.post, "/translate", fields) for _ in range(8)]
        time.sleep(0.3)
        process.send_signal(signal.SIGTERM)
        replies = [each.result() for each in pending]
        assert process.wait(30) == 0
        assert process.stderr is not None and process.stderr.read() == ""
    assert [reply.status for reply in replies] == [200] * 8
    assert [len(reply.body["translatedText"]) for reply in replies] == [40] * 8


@pytest.mark.slow
def test_ctrl_c_ends_the_program_with_its_status(run: Run) -> None:
    with started(f"ckpt={run.folder}") as (process, client):
        assert client.get("/health").body == {"status": "ok"}
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 128 + signal.SIGINT
        assert process.stderr is not None and process.stderr.read() == ""


@pytest.mark.slow
def test_several_models_serve_several_pairs_and_no_text_is_logged(run: Run) -> None:
    there = save_other(run, run.folder.parent / "there.safetensors")
    back = save_other(run, run.folder.parent / "back.safetensors", source_lang="de", target_lang="en")
    with started(f"ckpt=[{there},{back}]") as (process, client):
        pairs = {each["code"]: each["targets"] for each in client.get("/languages").body}
        assert pairs == {"en": ["de", "en"], "de": ["de", "en"]}
        for source, target in (("en", "de"), ("de", "en")):
            reply = client.post("/translate", {"q": "secret", "source": source, "target": target})
            assert reply.status == 200 and isinstance(reply.body["translatedText"], str)
        assert client.send("POST", "/translate?q=secret&source=en&target=de").status == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
        assert process.stderr is not None and "secret" not in process.stderr.read()


@pytest.mark.slow
def test_an_exported_model_is_served_by_its_engine(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("ctranslate2")
    folder = tmp_path / "exported"
    export.main([f"ckpt={run.folder}", f"out={folder}", "format=ctranslate2"])
    with started(f"ckpt={folder}") as (process, client):
        reply = client.post("/translate", {"q": "a man reads.", "source": "en", "target": "de", "nmt": True})
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
    assert reply.status == 200
    (sentence,) = reply.body["nmt"]
    assert sentence["translation"] == reply.body["translatedText"] and sentence["attention"] is None
