"""The process that serves: its connections, and how signals end it."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection

import pytest

from nmt.deploy.serve.server import bound
from nmt.deploy.serve.worker import Worker
from nmt.errors import UserError
from tests.deploy.serve.stub import MAX_WAIT, Client, Reply, open_stub, served, wait_for

SIGNALS = (signal.SIGINT, signal.SIGTERM)
ASK = {"q": "Two men sit.", "source": "en", "target": "de"}
PROGRAM = """
import sys
from nmt.deploy.serve.server import bound, serve
from tests.deploy.serve.stub import MAX_WAIT, Stub, Worker, app_of

class Slow(Stub):
    def hypotheses(self, sentences, **fields):
        print("begun", flush=True)
        return super().hypotheses(sentences, **fields)

stub = Slow(seconds=float(sys.argv[1]))
stub.gate.set()
worker = Worker({("en", "de"): stub}, max_wait=MAX_WAIT)
listener = bound("127.0.0.1", 0)
listener.listen()
try:
    serve(app_of(worker), listener, lambda: print(listener.getsockname()[1], flush=True), worker.close)
except KeyboardInterrupt:
    sys.exit(130)
"""


@contextmanager
def translating(seconds: float) -> Iterator[tuple[subprocess.Popen[str], Client, Future[Reply]]]:
    """Run a server that has begun a translation, which takes so long."""
    command = [sys.executable, "-c", PROGRAM, str(seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process, ThreadPoolExecutor(1) as pool:
        assert process.stdout is not None
        try:
            client = Client(int(process.stdout.readline()))
            pending = pool.submit(client.post, "/translate", ASK)
            assert process.stdout.readline() == "begun\n"
            yield process, client, pending
        finally:
            process.kill()


def is_closed(client: Client) -> bool:
    try:
        socket.create_connection(("127.0.0.1", client.port), timeout=10).close()
    except (ConnectionRefusedError, ConnectionResetError):  # reset: it closed while it was asked
        return True
    return False


@pytest.mark.parametrize("host", ["192.168.1..5", "x" * 70])
def test_a_host_that_is_no_name_is_refused(host: str) -> None:
    with pytest.raises(UserError, match=rf"^host={host}: no name of a machine"):
        bound(host, 0)


def test_an_answer_on_an_open_connection_is_sent_at_once() -> None:
    """Without TCP_NODELAY, the body waits 40 ms for the client to confirm the headers."""
    with served(Worker({("en", "de"): open_stub()}, max_wait=MAX_WAIT)) as client:
        connection = HTTPConnection("127.0.0.1", client.port, timeout=30)
        times = []
        for _ in range(20):
            begun = time.perf_counter()
            connection.request("GET", "/health")
            connection.getresponse().read()
            times.append(time.perf_counter() - begun)
        connection.close()
    assert sorted(times)[10] < 0.03


@pytest.mark.parametrize(("number", "status"), [("SIGINT", 130), ("SIGTERM", 0)])
def test_a_signal_counts_as_soon_as_the_server_says_that_it_is_ready(number: str, status: int) -> None:
    killing = PROGRAM.replace("print(listener.getsockname()[1], flush=True)", f"signal.raise_signal(signal.{number})")
    done = subprocess.run([sys.executable, "-c", "import signal" + killing, "0"], timeout=60)
    assert done.returncode == status


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_a_signal_lets_requests_finish(number: int, status: int) -> None:
    with translating(1.0) as (process, client, pending):
        process.send_signal(number)
        wait_for(lambda: is_closed(client))
        assert not pending.done()
        assert pending.result(10).body == {"translatedText": "TWO MEN SIT."}
        assert process.wait(10) == status


@pytest.mark.parametrize("first", SIGNALS)
@pytest.mark.parametrize("second", SIGNALS)
def test_a_second_signal_ends_the_process_at_once(first: int, second: int) -> None:
    with translating(30.0) as (process, client, pending):
        process.send_signal(first)
        wait_for(lambda: is_closed(client))
        assert process.poll() is None
        process.send_signal(second)
        assert process.wait(5) == 128 + second
        assert isinstance(pending.exception(10), OSError)
