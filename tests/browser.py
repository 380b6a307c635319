"""Headless browsers for tests of pages: Chromium, driven through a pipe by the Chrome DevTools Protocol, and Firefox,
driven by its Marionette protocol."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome")
CHROMIUM = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
MISSING = "no Chromium: install one (apt-get install chromium), or name it in the variable CHROMIUM"
FIREFOX = shutil.which("firefox")
SECONDS = 60


class Page(ABC):
    """A page in a browser."""

    @abstractmethod
    def run(self, script: str) -> Any:
        """Return the value of a JavaScript expression in the page."""

    def texts(self, selector: str) -> list[str]:
        """Return the text of each element that the selector chooses."""
        return list(self.run(f"[...document.querySelectorAll('{selector}')].map(made => made.textContent)"))

    def choose(self, name: str, value: str) -> None:
        """Choose an option of a select element by its id and the value of the option, as a person does."""
        choice = f"const made = document.getElementById('{name}'); made.value = '{value}'"
        self.run(f"(() => {{ {choice}; made.dispatchEvent(new Event('change', {{bubbles: true}})) }})()")
        assert self.run(f"document.getElementById('{name}').value") == value, f"{name} has no option {value}"

    def write(self, name: str, text: str) -> None:
        """Replace the text of a field, as if a person had typed it."""
        written = f"box.value = {json.dumps(text)}; box.dispatchEvent(new Event('input', {{bubbles: true}}))"
        self.run(f"(() => {{ const box = document.getElementById('{name}'); {written} }})()")

    def wait(self, script: str) -> Any:
        """Wait until a JavaScript expression is true, and return its value."""
        for _ in range(50 * SECONDS):
            if value := self.run(script):
                return value
            time.sleep(0.02)
        raise AssertionError(f"still not true after {SECONDS} seconds: {script}")


class Browser(Page):
    """A page in Chromium. `errors` are those of its console, `requests` the addresses that it asked for."""

    def __init__(self, commands: int, answers: int) -> None:
        self._commands, self._answers = commands, answers
        self._number, self._rest = 0, b""
        self.errors, self.requests = list[str](), list[str]()
        target = self._send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self._send(f"{domain}.enable")

    _session: str | None = None

    def open(self, page: Path | str, *, width: int = 1300, dark: bool = False) -> None:
        """Open a file, or the page of an address, and forget the errors of the page before."""
        self.errors.clear()
        self._send("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._send("Emulation.setEmulatedMedia", features=[scheme])
        self._send("Page.navigate", url=page if isinstance(page, str) else page.as_uri())
        self.wait("document.readyState === 'complete'")

    def run(self, script: str) -> Any:
        """Return the value of a JavaScript expression in the page."""
        result = self._send("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def hover(self, selector: str) -> None:
        """Move the mouse to the middle of an element."""
        self._mouse("mouseMoved", selector)

    def click(self, selector: str) -> None:
        """Click into the middle of an element."""
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self._mouse(kind, selector)

    def press(self, key: str) -> None:
        """Press a key, by its name in JavaScript."""
        text = {"text": "\r"} if key == "Enter" else {}  # without it, Enter presses no button
        self._send("Input.dispatchKeyEvent", type="keyDown", key=key, code=key, **text)
        self._send("Input.dispatchKeyEvent", type="keyUp", key=key, code=key)

    def _mouse(self, kind: str, selector: str) -> None:
        self.run(f"document.querySelector('{selector}').scrollIntoView({{block: 'center', inline: 'center'}})")
        box = self.run(f"document.querySelector('{selector}').getBoundingClientRect().toJSON()")
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self._send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def _send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command and return its result. Notes the events that come before it."""
        self._number += 1
        command: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            command["sessionId"] = self._session
        os.write(self._commands, json.dumps(command).encode() + b"\0")
        while True:
            message = self._next()
            if message.get("id") == self._number:
                assert "error" not in message, message
                return dict(message["result"])
            self._note(message.get("method", ""), message.get("params", {}))

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            block = os.read(self._answers, 1 << 16)
            assert block, "the browser has ended"
            self._rest += block
        message, _, self._rest = self._rest.partition(b"\0")
        return dict(json.loads(message))

    def _note(self, method: str, parameters: dict[str, Any]) -> None:
        if method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif method == "Page.javascriptDialogOpening":
            self.errors.append(f"dialog: {parameters['message']}")
        elif method == "Runtime.exceptionThrown":
            self.errors.append(str(parameters["exceptionDetails"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.errors.append(str(parameters["entry"]))
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "assert"):
            self.errors.append(str(parameters["args"]))


@contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    """Start Chromium with an empty profile in `folder`, and end it after the block."""
    assert CHROMIUM is not None
    (read_commands, commands), (answers, write_answers) = os.pipe(), os.pipe()
    os.set_inheritable(read_commands, True)
    os.set_inheritable(write_answers, True)
    flags = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}", "--remote-debugging-pipe"]
    # The browser reads commands from file descriptor 3 and writes to 4.
    move = f'exec 3<&{read_commands} 4>&{write_answers}; exec "$0" "$@"'
    process = subprocess.Popen(
        ["bash", "-c", move, CHROMIUM, *flags], close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    os.close(read_commands)
    os.close(write_answers)
    try:
        yield Browser(commands, answers)
    finally:
        process.kill()
        process.wait(SECONDS)
        os.close(commands)
        os.close(answers)


class Firefox(Page):
    """A page in Firefox."""

    def __init__(self, connection: socket.socket) -> None:
        self._stream = connection.makefile("rwb")
        self._answer()
        self._send("WebDriver:NewSession", capabilities={})

    def open(self, page: Path | str) -> None:
        """Open a file, or the page of an address."""
        self._send("WebDriver:Navigate", url=page if isinstance(page, str) else page.as_uri())

    def run(self, script: str) -> Any:
        """Return the value of a JavaScript expression in the page."""
        return self._send("WebDriver:ExecuteScript", script=f"return {script}", args=[], sandbox=None)["value"]

    def _send(self, method: str, **parameters: Any) -> Any:
        message = json.dumps([0, 1, method, parameters]).encode()
        self._stream.write(b"%d:%s" % (len(message), message))
        self._stream.flush()
        _, _, error, result = self._answer()
        assert error is None, error
        return result

    def _answer(self) -> Any:
        size = b""
        while (byte := self._stream.read(1)) != b":":
            size += byte
        return json.loads(self._stream.read(int(size)))


@contextmanager
def firefox(folder: Path) -> Iterator[Firefox]:
    """Start Firefox with an empty profile in `folder`, and end it after the block."""
    assert FIREFOX is not None
    (folder / "user.js").write_text('user_pref("marionette.port", 0);', "utf-8")
    flags = ["--headless", "--marionette", "--no-remote", "--profile", str(folder)]
    process = subprocess.Popen([FIREFOX, *flags], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        port = folder / "MarionetteActivePort"  # which Firefox writes when it is ready
        while not (port.exists() and port.read_text()):
            assert process.poll() is None, "Firefox has ended"
            time.sleep(0.05)
        with socket.create_connection(("127.0.0.1", int(port.read_text()))) as connection:
            yield Firefox(connection)
    finally:
        process.kill()
        process.wait(SECONDS)
