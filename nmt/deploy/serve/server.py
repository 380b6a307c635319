"""A socket, and the process that serves an application on it until it is told to stop."""

from __future__ import annotations

import errno
import logging
import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn
from starlette.types import ASGIApp

from nmt.errors import UserError

END_SECONDS = 60  # in which a server that was told to stop answers what it has accepted


def bound(host: str, port: int) -> socket.socket:
    """Return a socket of an address of this machine. Raises UserError if it cannot be had."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        made = socket.socket(family, kind, protocol)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
    except UnicodeError as error:
        raise UserError(f"host={host}: no name of a machine; expected for example 127.0.0.1") from error
    except OSError as error:
        raise UserError(_problem(error, host, port)) from error
    return made


def _problem(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        other = port + 1 if port < 65535 else port - 1
        return f"port={port}: another program uses it; end that one, or take another: port={other}"
    if error.errno == errno.EACCES:
        return f"port={port}: this user may not open it; take one from 1024 to 65535"
    return f"host={host}: no address of this machine ({error.strerror}); expected for example 127.0.0.1"


class _Server(uvicorn.Server):
    """A server that does not handle signals itself."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Do nothing."""
        yield


def serve(app: ASGIApp, listener: socket.socket, ready: Callable[[], None], then: Callable[[], None]) -> None:
    """Handle signals, call `ready`, answer requests until SIGTERM or Ctrl-C, finish those accepted, and call `then`.

    After SIGTERM it returns, and after Ctrl-C it raises KeyboardInterrupt, as the program handles it. A second signal
    ends the process at once, with the status that shells use: 128 and the number of the signal.
    """
    config = uvicorn.Config(
        app, log_level="error", access_log=False, server_header=False, timeout_graceful_shutdown=END_SECONDS
    )
    logging.getLogger("python_multipart").setLevel(logging.ERROR)  # it warns of each broken form
    server = _Server(config)
    received: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        if received:
            os._exit(128 + number)
        received.append(number)
        server.should_exit = True

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        ready()
        server.run(sockets=[listener])
        then()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if signal.SIGINT in received:
        raise KeyboardInterrupt
