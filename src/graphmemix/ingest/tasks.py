"""Tasks on untrusted files that run in a killable worker process: recognise, unpack, read.

A task is pickled and sent to a worker process (`graphmemix.ingest.worker`), which sends back its
results one by one. A task that cannot be pickled runs in this process.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path  # noqa: TC003  # the fields of what is sent to other processes
from typing import TYPE_CHECKING, Protocol

from graphmemix.errors import ArchiveReadOnlyError, GraphMemixError, StorageFullError
from graphmemix.ingest.limits import FileLimits
from graphmemix.ingest.media_sink import ArchiveMediaSink
from graphmemix.ingest.protocol import FolderOfFiles, Found, Importer
from graphmemix.ingest.recognition import GONE, head, importer_of, recognise
from graphmemix.ingest.zips import UnpackedSize, ZipLimits, extract
from graphmemix.store.media import MediaFolder

if TYPE_CHECKING:
    from collections.abc import Callable

_INTERVAL = 0.2  # seconds between two messages about the position


class StoppedError(Exception):
    """The run was stopped; raised by the receiver of a task's results."""


class LimitExceededError(Exception):
    """A task has sent too much; the message names the limit."""


@dataclass(frozen=True)
class BytesRead:
    """How many bytes of the file have been read; also shows that the worker makes progress."""

    position: int


@dataclass(frozen=True)
class TaskResult:
    """How a task ended.

    Attributes:
        reason: Why it failed; empty if it did not.
        fatal: The name of an error that every other file would meet too.
        leaving: Whether the worker process exits afterwards.
    """

    reason: str = ""
    fatal: str = ""
    leaving: bool = False


class Task(Protocol):
    """Work for a worker process; `size` and `limits` bound its cost."""

    @property
    def limits(self) -> FileLimits:
        """What it may cost."""
        ...

    @property
    def size(self) -> int:
        """Bytes of the file that it reads."""
        ...

    def run(self, send: Callable[[object], None]) -> None:
        """Run the task and send its results."""
        ...

    def failure(self, error: Exception) -> str:
        """Return the message for an error."""
        ...


@dataclass(frozen=True)
class RecogniseFiles:
    """Find the importers of some files: sends the result of `recognise` for each."""

    importers: tuple[Importer, ...]
    files: tuple[tuple[Path, str], ...]
    forced: bool = False
    limits: FileLimits = field(default_factory=FileLimits)
    size: int = 0

    def run(self, send: Callable[[object], None]) -> None:
        """Recognise each file."""
        for path, name in self.files:
            send(recognise(self.importers, path, name, forced=self.forced))

    def failure(self, error: Exception) -> str:
        """Name the kind of error."""
        return failure_message(error, "", "recognition")


@dataclass(frozen=True)
class RecogniseFolder:
    """Find the importer of a whole folder: sends its number, then the folder's parts, if any."""

    importers: tuple[Importer, ...]
    path: Path
    name: str
    forced: bool = False
    limits: FileLimits = field(default_factory=FileLimits)
    size: int = 0

    def run(self, send: Callable[[object], None]) -> None:
        """Ask the importers."""
        found = Found(self.path, self.name, is_folder=True)
        number = importer_of(self.importers, found, forced=self.forced)
        send(number)
        if number is not None and isinstance(importer := self.importers[number], FolderOfFiles):
            for part in importer.parts(found):
                send(part)

    def failure(self, error: Exception) -> str:
        """Name the kind of error."""
        return failure_message(error, self.name, "recognition")


@dataclass(frozen=True)
class UnpackZip:
    """Unpack a zip into an empty folder: sends the results of `extract`."""

    path: Path
    name: str
    folder: Path
    zip_limits: ZipLimits
    around: UnpackedSize
    limits: FileLimits = field(default_factory=FileLimits)
    size: int = 0

    def run(self, send: Callable[[object], None]) -> None:
        """Unpack it."""
        send_position = _throttled(send)
        for item in extract(
            self.path,
            self.name,
            self.folder,
            self.zip_limits,
            self.around,
            lambda: send_position(0),
        ):
            send(item)

    def failure(self, error: Exception) -> str:
        """Name the kind of error."""
        return failure_message(error, self.name, "unpacking")


@dataclass(frozen=True)
class ReadSource:
    """Read a source: sends its memories and what was skipped.

    Attributes:
        media: Where files are stored; None in a dry run.
        within: The folder that links must not lead out of; None if they may.
    """

    importer: Importer
    path: Path
    name: str
    is_folder: bool
    media: Path | None
    within: Path | None = None
    limits: FileLimits = field(default_factory=FileLimits)
    size: int = 0

    def run(self, send: Callable[[object], None]) -> None:
        """Read it."""
        found = Found(
            self.path, self.name, b"" if self.is_folder else head(self.path), self.is_folder
        )
        media = MediaFolder(self.media) if self.media is not None else None
        sink = ArchiveMediaSink(media, _throttled(send), self.within)
        for reading in self.importer.read(found, sink):
            send(reading)

    def failure(self, error: Exception) -> str:
        """Return why the source could not be read to the end."""
        return failure_message(error, self.name, f"importer {self.importer.name}")


def run_task(task: Task, send: Callable[[object], None]) -> TaskResult:
    """Run a task in this process. `StoppedError` and `LimitExceededError` of `send` are raised."""
    try:
        task.run(send)
    except (StoppedError, LimitExceededError):
        raise
    except (StorageFullError, ArchiveReadOnlyError) as error:
        return TaskResult(str(error), fatal=type(error).__name__)
    except MemoryError:
        return TaskResult(task.limits.too_much_memory(), leaving=True)
    except Exception as error:  # noqa: BLE001  # one bad file never stops the run
        return TaskResult(task.failure(error))
    return TaskResult()


def failure_message(error: Exception, name: str, who: str) -> str:
    """Return the message for a file that could not be read to the end."""
    if isinstance(error, FileNotFoundError):
        return GONE
    if isinstance(error, OSError) and not isinstance(error, GraphMemixError):
        return f"cannot be read: {error.strerror or error}"
    if isinstance(error, GraphMemixError):
        return str(error).removeprefix(f"{name}: ")
    # Only the type: the message of an unexpected error may contain content.
    return f"{who} failed: {type(error).__name__}"


def _throttled(send: Callable[[object], None]) -> Callable[[int], None]:
    """Return a function that sends positions, but not more often than every `_INTERVAL`."""
    last = 0.0

    def send_position(position: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last > _INTERVAL:
            last = now
            send(BytesRead(position))

    return send_position
