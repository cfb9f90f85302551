"""The importer protocol: recognise a file or folder by its content and read memories from it.

An importer never writes: it yields memories and passes files to a `MediaSink`, so that several can
run in parallel and a dry run stores nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

from graphmemix.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from graphmemix.memory import Media, Memory, Modality

HEAD_BYTES = 8192
"""How much of a file importers see when they recognise it."""


@dataclass(frozen=True)
class Found:
    """A file or a folder that the walker met.

    Attributes:
        path: Where it is.
        name: Its path relative to the path that the user named, with slashes; used in reports.
        head: The first `HEAD_BYTES` of a file; empty for a folder.
        is_folder: Whether it is a folder.
    """

    path: Path
    name: str
    head: bytes = b""
    is_folder: bool = False

    @property
    def suffix(self) -> str:
        """The extension in lower case, with its dot; a hint, never proof."""
        return self.path.suffix.lower()


@dataclass(frozen=True)
class Skipped(Record):
    """Something that was skipped, and why, for the report.

    Attributes:
        name: A file, or a part of one, such as ``inbox.mbox message 17``.
        reason: Why, in a few words and without content.
    """

    name: str
    reason: str


Reading: TypeAlias = "Memory | Skipped"


class MediaSink(Protocol):
    """Stores files that belong to memories and returns their `Media`."""

    def keep_bytes(self, data: bytes, *, modality: Modality, mime: str, name: str) -> Media:
        """Store bytes; the same bytes are stored once."""
        ...

    def keep_file(self, path: Path, *, modality: Modality, mime: str, name: str = "") -> Media:
        """Store a file by streaming it. The name is the file's own unless given."""
        ...


@runtime_checkable
class Gauge(Protocol):
    """A sink that also reports progress within one large file."""

    def advance(self, position: int) -> None:
        """Report how many bytes of the source have been read so far."""
        ...


class Importer(Protocol):
    """Reads one kind of source.

    An importer is created once, and pickled copies of it read in worker processes, one source at a
    time, within the limits of the settings (section ``ingest``). One that cannot be pickled or
    imported there, such as a class of a notebook, runs in several threads of this process, where
    it cannot be stopped.

    An optional integer attribute `version` (default 1) identifies how it reads: increment it, and
    unchanged files are read again. If the class takes an argument `zone`, it gets the time zone for
    timestamps without an offset (a ``tzinfo``, None for this machine's); stored as attribute
    `zone`, a change of it also makes unchanged files be read again.

    Attributes:
        name: The name for ``--as``, and `Memory.source` of its memories.
    """

    name: str

    def recognises(self, found: Found) -> bool:
        """Return whether it reads this file or folder, judged by content. Cheap; never raises.

        A recognised folder is read as a whole (a Maildir, a Slack export); other importers see
        nothing below it.
        """
        ...

    def companions(self, found: Found) -> Iterable[Path]:
        """Return files that are read along with this one, such as sidecars and chat media.

        They are not imported on their own, and the source is read again when one of them changes.
        """
        ...

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:
        """Yield memories lazily, in constant memory where the format allows it.

        A part that cannot be read is yielded as `Skipped`, and reading continues.

        Raises:
            ImportSourceError: The source cannot be read to the end; what was yielded is kept.
        """
        ...


@runtime_checkable
class FolderOfFiles(Importer, Protocol):
    """An importer of folders with many independent files, such as a Maildir.

    Each file is read and journaled on its own, so that one new file does not make the whole folder
    be read again.
    """

    def parts(self, found: Found) -> Iterable[Path]:
        """Return the files of a recognised folder, in a stable order."""
        ...
