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

import pytest

from nmt.deploy.cli import serve
from nmt.errors import UserError
from tests.deploy.serve.stub import Client
from tests.tiny_run import Run, save_other


def test_an_address_that_cannot_be_had_is_named_before_a_model_is_loaded(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        for words in ([f"port={taken.getsockname()[1]}"], ["host=203.0.113.9"], ["host=192.168.1..5"]):
            with pytest.raises(UserError, match=r"^host=.* port=\d+: .*; expected an address of this machine"):
                serve.main([f"ckpt={run.folder}", "api_key=a, b", *words])


def test_another_address_needs_a_key(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(serve.KEY, raising=False)
    for host in ("0.0.0.0", "example.org", "::"):
        with pytest.raises(UserError, match=rf"^host={host}: other machines may reach it, .*{serve.KEY}"):
            serve.main([f"ckpt={run.folder}", f"host={host}"])
    monkeypatch.setenv(serve.KEY, "sesame")
    with pytest.raises(UserError, match="expected an address of this machine"):
        serve.main([f"ckpt={run.folder}", "host=203.0.113.9"])


def test_two_models_of_one_pair_and_one_without_languages_are_refused(run: Run) -> None:
    paths = [save_other(run, run.folder.parent / f"{name}.safetensors") for name in ("one", "two")]
    with pytest.raises(UserError, match=r"^ckpt: .*two.safetensors translates en to de, as a model before it; leave"):
        serve.main([f"ckpt=[{paths[0]},{paths[1]}]", "port=0"])
    with pytest.raises(UserError, match="ckpt: got nothing, expected at least one model"):
        serve.main(["ckpt=[]", "port=0"])
    path = run.folder.parent / "unknown.safetensors"
    run.translator.save(path)
    with pytest.raises(UserError, match=r"^ckpt: .*unknown.safetensors does not say its languages"):
        serve.main([f"ckpt={path}", "port=0"])


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
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)])
def test_a_signal_ends_the_program_after_what_was_accepted(run: Run, number: int, status: int) -> None:
    fields = {"q": [f"a man rides {number}." for number in range(40)], "source": "en", "target": "de"}
    with started(f"ckpt={run.folder}") as (process, client), ThreadPoolExecutor(8) as pool:
        assert client.get("/health").body == {"status": "ok"}
        assert client.send("POST", "/translate?q=secret", b"secret", "multipart/form-data; boundary=x").status == 400
        pending = [pool.submit(client.post, "/translate", fields) for _ in range(8)]
        time.sleep(0.3)
        process.send_signal(number)
        replies = [each.result() for each in pending]
        assert process.wait(30) == status
        assert process.stderr is not None and process.stderr.read() == ""
    assert [(reply.status, len(reply.body["translatedText"])) for reply in replies] == [(200, 40)] * 8
