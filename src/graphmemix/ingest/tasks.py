"""What is done to foreign files in a process that can be ended: look, unpack, read.

A task is data: it is sent to a worker process (`graphmemix.ingest.worker`) and says there what it
finds, piece by piece. The same task runs in this process where it cannot be sent.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path  # noqa: TC003  # the fields of what is sent to other processes
from typing import TYPE_CHECKING, Protocol

from graphmemix.errors import ArchiveReadOnlyError, GraphMemixError, StorageFullError
from graphmemix.ingest.limits import FileLimits
from graphmemix.ingest.looking import GONE, head, look, reader
from graphmemix.ingest.media_sink import ArchiveMediaSink
from graphmemix.ingest.protocol import FolderOfFiles, Found, Importer
from graphmemix.ingest.zips import Grown, ZipLimits, extract
from graphmemix.store.media import MediaFolder

if TYPE_CHECKING:
    from collections.abc import Callable

_TELL_EVERY = 0.2  # seconds between two signs of life


class StoppedError(Exception):
    """The run was stopped; raised by who takes what a task sends."""


class EnoughError(Exception):
    """A task has sent too much; the message says which limit it broke."""


@dataclass(frozen=True)
class Advanced:
    """A sign of life: so many bytes of the file have been read."""

    position: int


@dataclass(frozen=True)
class Done:
    """How a task ended.

    Attributes:
        reason: Why it did not get to its end; empty if it did.
        fatal: The name of the error if every other file would meet it too.
        leaving: Whether the process that did it ends now.
    """

    reason: str = ""
    fatal: str = ""
    leaving: bool = False


class Task(Protocol):
    """Something to do; `size` and `limits` say what it may cost."""

    @property
    def limits(self) -> FileLimits:
        """What it may cost."""
        ...

    @property
    def size(self) -> int:
        """Bytes of what it reads."""
        ...

    def run(self, send: Callable[[object], None]) -> None:
        """Do it; send what is found."""
        ...

    def why(self, error: Exception) -> str:
        """Say in words why it could not be done."""
        ...


@dataclass(frozen=True)
class Look:
    """Find out who reads some files: sends for each what `look` returns."""

    importers: tuple[Importer, ...]
    files: tuple[tuple[Path, str], ...]
    forced: bool = False
    limits: FileLimits = field(default_factory=FileLimits)
    size: int = 0

    def run(self, send: Callable[[object], None]) -> None:
        """Look at each."""
        for path, name in self.files:
            send(look(self.importers, path, name, forced=self.forced))

    def why(self, error: Exception) -> str:
        """Name the kind of error."""
        return why(error, "", "recognition")


@dataclass(frozen=True)
class LookAtFolder:
    """Find out who reads a folder as a whole: sends the number, then its parts, if it has any."""

    importers: tuple[Importer, ...]
    path: Path
    name: str
    forced: bool = False
    limits: FileLimits = field(default_factory=FileLimits)
    size: int = 0

    def run(self, send: Callable[[object], None]) -> None:
        """Ask the importers."""
        found = Found(self.path, self.name, is_folder=True)
        number = reader(self.importers, found, forced=self.forced)
        send(number)
        if number is not None and isinstance(importer := self.importers[number], FolderOfFiles):
            for part in importer.parts(found):
                send(part)

    def why(self, error: Exception) -> str:
        """Name the kind of error."""
        return why(error, self.name, "recognition")


@dataclass(frozen=True)
class Unpack:
    """Unpack a zip into an empty folder: sends what `extract` yields."""

    path: Path
    name: str
    folder: Path
    zip_limits: ZipLimits
    around: Grown
    limits: FileLimits = field(default_factory=FileLimits)
    size: int = 0

    def run(self, send: Callable[[object], None]) -> None:
        """Unpack it."""
        advanced = _now_and_then(send)
        for item in extract(
            self.path, self.name, self.folder, self.zip_limits, self.around, lambda: advanced(0)
        ):
            send(item)

    def why(self, error: Exception) -> str:
        """Name the kind of error."""
        return why(error, self.name, "unpacking")


@dataclass(frozen=True)
class Read:
    """Read a source: sends its memories and what was skipped.

    Attributes:
        media: Where files are kept; None for nowhere.
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
        sink = ArchiveMediaSink(media, _now_and_then(send), self.within)
        for reading in self.importer.read(found, sink):
            send(reading)

    def why(self, error: Exception) -> str:
        """Say why the source could not be read to its end."""
        return why(error, self.name, f"importer {self.importer.name}")


def carry_out(task: Task, send: Callable[[object], None]) -> Done:
    """Do a task in this process. What `send` raises to end it, comes through."""
    try:
        task.run(send)
    except (StoppedError, EnoughError):
        raise
    except (StorageFullError, ArchiveReadOnlyError) as error:
        return Done(str(error), fatal=type(error).__name__)
    except MemoryError:
        return Done(task.limits.too_much_memory(), leaving=True)
    except Exception as error:  # noqa: BLE001  # one bad file never stops the run
        return Done(task.why(error))
    return Done()


def why(error: Exception, name: str, who: str) -> str:
    """Return in words why something could not be read to its end."""
    if isinstance(error, FileNotFoundError):
        return GONE
    if isinstance(error, OSError) and not isinstance(error, GraphMemixError):
        return f"cannot be read: {error.strerror or error}"
    if isinstance(error, GraphMemixError):
        return str(error).removeprefix(f"{name}: ")
    # The kind alone: the message of an error that nobody expected may hold content.
    return f"{who} failed: {type(error).__name__}"


def _now_and_then(send: Callable[[object], None]) -> Callable[[int], None]:
    last = 0.0

    def advanced(position: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last > _TELL_EVERY:
            last = now
            send(Advanced(position))

    return advanced
