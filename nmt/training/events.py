"""TensorBoard's event files. After a full disk, one message is logged, and a run goes on without its curves."""

from __future__ import annotations

import itertools
import logging
import os
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, cast

from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.summary.writer.record_writer import RecordWriter
from torch.utils.tensorboard import SummaryWriter
from torch.utils.tensorboard.writer import FileWriter

from nmt.system.run_files import EVENTS

logger = logging.getLogger(__name__)

_numbers = itertools.count()


class Events(SummaryWriter):
    """Writes summaries to a new event file in `folder`; the name of the file ends with `suffix`.

    If the disk fails, an OSError with the name of the file is raised. Without `required` it is logged instead, once,
    and nothing more is written.
    """

    file_writer: Any
    all_writers: Any

    def __init__(self, folder: Path, suffix: str = "", *, required: bool = True) -> None:
        self.failed = False
        self._required = required
        super().__init__(str(folder), filename_suffix=suffix)

    def _get_file_writer(self) -> FileWriter:
        if self.file_writer is None:  # at the beginning, and again after close
            # TensorBoard reads the files with "tfevents" in their names, in the order of the names.
            name = f"{EVENTS}{time.time():010.0f}.{socket.gethostname()}.{os.getpid()}.{next(_numbers):03d}"
            path = Path(self.log_dir) / f"{name}{self.filename_suffix}"
            self.file_writer = _Writer(_EventFile(path, self))
            self.all_writers = {self.file_writer.get_logdir(): self.file_writer}
        return cast("FileWriter", self.file_writer)

    def begin_session(self, step: int) -> None:
        """Let TensorBoard drop the points of earlier sessions from this step on: this session writes them again."""
        self._get_file_writer().add_event(Event(session_log=SessionLog(status=SessionLog.START)), step)

    def fail(self, path: Path, error: OSError) -> None:
        """Raise or log an error of the file `path`."""
        self.failed = True
        if self._required:
            raise OSError(error.errno, error.strerror or str(error), str(path)) from error
        logger.warning(f"{path}: {error.strerror or error}; the run goes on, but TensorBoard gets no more of it")


class _Writer(FileWriter):
    """Adds the time and the step to each event and passes it to `event_writer`."""

    def __init__(self, event_writer: _EventFile) -> None:
        self.event_writer = event_writer


class _EventFile:
    """Writes events at once. TensorBoard's own class has a thread for it, which prints a traceback of each error."""

    def __init__(self, path: Path, events: Events) -> None:
        self._path, self._events = path, events
        self._file: IO[bytes] | None = None
        if not events.failed:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                self._file = path.open("wb")
            except OSError as error:
                events.fail(path, error)
        self.add_event(Event(wall_time=time.time(), file_version="brain.Event:2"))

    def get_logdir(self) -> str:
        return str(self._path.parent)

    def add_event(self, event: Any) -> None:
        """Write an event and pass it to the operating system, so that a kill does not lose it."""
        self._use(lambda file: RecordWriter(file).write(event.SerializeToString()))
        self.flush()

    def flush(self) -> None:
        self._use(lambda file: file.flush())

    def close(self) -> None:
        self._use(lambda file: file.close())
        self._file = None

    def _use(self, work: Callable[[IO[bytes]], object]) -> None:
        if self._file is None:  # the disk has failed
            return
        try:
            work(self._file)
        except OSError as error:
            with suppress(OSError):
                self._file.close()
            self._file = None
            self._events.fail(self._path, error)
