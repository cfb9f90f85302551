"""What an importer is: it recognises a file or a folder by its content and reads memories from it.

An importer never writes: it yields memories, and hands files to a `MediaSink`, so that reading can
run beside other readers and a dry run costs nothing.
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
"""How much of a file an importer sees before it says whether the file is its own."""


@dataclass(frozen=True)
class Found:
    """A file or a folder that the walker met.

    Attributes:
        path: Where it is.
        name: Its path below what the user named, with forward slashes; names it in reports.
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
    """Something that was left out, and why, in words for the report.

    Attributes:
        name: What: a file, or a part of one, such as ``inbox.mbox message 17``.
        reason: Why, in a few words without content of the memory.
    """

    name: str
    reason: str


Reading: TypeAlias = "Memory | Skipped"


class MediaSink(Protocol):
    """Takes files that belong to memories and returns their addresses in the archive."""

    def keep_bytes(self, data: bytes, *, modality: Modality, mime: str, name: str) -> Media:
        """Keep some bytes; the same bytes again cost nothing."""
        ...

    def keep_file(self, path: Path, *, modality: Modality, mime: str, name: str = "") -> Media:
        """Keep a file by streaming it. The name is the file's own unless given."""
        ...


@runtime_checkable
class Gauge(Protocol):
    """A sink that also shows progress within one large file."""

    def advance(self, position: int) -> None:
        """Say how many bytes of the source have been read so far."""
        ...


class Importer(Protocol):
    """Reads one kind of source.

    An importer is made once, and a copy of it (by `pickle`) reads in worker processes, one source
    at a time, within the limits of the settings (section ``ingest``). One that cannot be copied or
    imported there, such as a class of a notebook, is read from several threads of this process,
    where nothing can end it. A whole number
    `version`, 1 if there is none, says how it reads: raise it, and unchanged files are read again.
    If its class takes `zone`, it gets the zone of clocks that tell none (a ``tzinfo``, None for the
    machine's); kept as an attribute `zone`, a change of it makes unchanged files be read again.

    Attributes:
        name: What the user writes after ``--as``, and `Memory.source` of what it reads.
    """

    name: str

    def recognises(self, found: Found) -> bool:
        """Say whether this file or folder is its own, by content. Cheap; never raises.

        A folder that is recognised is read as a whole (a Maildir, a Slack export), and nothing
        below it is offered to another importer.
        """
        ...

    def companions(self, found: Found) -> Iterable[Path]:
        """Name other files that are read along with this one, such as sidecars and chat media.

        They are not imported on their own, and the source is read again when one of them changes.
        """
        ...

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:
        """Yield what is there, lazily and in constant memory where the format allows it.

        A part that cannot be read is yielded as `Skipped`, and reading goes on.

        Raises:
            ImportSourceError: Nothing can be read, or nothing further; what was yielded stands.
        """
        ...


@runtime_checkable
class FolderOfFiles(Importer, Protocol):
    """An importer whose folders hold many sources that stand for themselves, such as a Maildir.

    Each part is read on its own and seen on its own by the journal, so that one new file does not
    make the whole folder be read again.
    """

    def parts(self, found: Found) -> Iterable[Path]:
        """Return the files of a folder that was recognised, in a stable order."""
        ...
