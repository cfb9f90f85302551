"""Files of an archive, by the hash of their content."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple
from urllib.parse import quote

from graphmemix.errors import ArchiveDamagedError, ArchiveReadOnlyError, InvalidDataError
from graphmemix.fsio import make_folder, partial_file, storage_faults
from graphmemix.store.sanitize import MOST_ARCHIVE_NAME_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_CHUNK = 1 << 20
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")
_INCOMING = "incoming"
_DESCRIBED = "described"


class StoredFile(NamedTuple):
    """Where a file went: its address, and its length in bytes."""

    sha256: str
    size: int


class MediaFolder:
    """A folder of immutable files named by their SHA-256, private to its owner.

    A file is on disk, whole, before its address is returned; the same content is kept once. The
    address is the only way in, so that no name from outside ever becomes a path.

    An empty file ``incoming/ADDRESS`` marks a file as unclaimed: whoever brought it has not stored
    the memory that it belongs to yet. If that process dies, the next writer removes the file.
    """

    def __init__(self, root: Path, *, writable: bool = True) -> None:
        self.root = root.absolute()
        self._writable = writable
        root = self.root
        if writable:
            with storage_faults(str(root)):
                make_folder(root / _INCOMING)
                root.chmod(0o700)

    def put(self, source: Path | bytes | BinaryIO, *, unclaimed: bool = False) -> StoredFile:
        """Store a file, some bytes or what a stream still holds; return its address.

        Args:
            source: What to store.
            unclaimed: Remove the file again, when the archive is next opened for writing, unless a
                memory names it by then. Without this, the file stays.

        Raises:
            InvalidDataError: `source` cannot be read.
            StorageFullError: The disk is full; nothing was stored.
        """
        self.require_writable()
        if isinstance(source, bytes):
            return self._put(iter([source]), unclaimed=unclaimed)
        if not isinstance(source, Path):
            return self._put(_chunks(source), unclaimed=unclaimed)
        try:
            stream = source.open("rb")
        except (OSError, ValueError) as error:
            raise InvalidDataError(f"media {str(source)!r} cannot be read: {error}") from None
        with stream:
            return self._put(_chunks(stream), unclaimed=unclaimed)

    def require_writable(self) -> None:
        """Raise `ArchiveReadOnlyError` if the archive was opened for reading."""
        if not self._writable:
            raise ArchiveReadOnlyError(f"{self.root} was opened for reading")

    def _put(self, chunks: Iterator[bytes], *, unclaimed: bool) -> StoredFile:
        digest, size = hashlib.sha256(), 0
        with storage_faults(str(self.root)):
            incoming = partial_file(self.root / _INCOMING, f"{os.getpid()}-")
            with incoming as partial:
                for chunk in chunks:
                    digest.update(chunk)
                    size += len(chunk)
                    partial.stream.write(chunk)
                stored = StoredFile(digest.hexdigest(), size)
                if unclaimed and stored.sha256 not in self:
                    self._mark(stored.sha256).touch(mode=0o600)
                target = self.path(stored.sha256)
                target.parent.mkdir(mode=0o700, exist_ok=True)
                partial.publish(target)  # the same content may be there: then nothing changes
            if not unclaimed:
                self.claim([stored.sha256])
        return stored

    def _mark(self, sha256: str) -> Path:
        return self.root / _INCOMING / sha256

    def path(self, sha256: str) -> Path:
        """Return where a file is, or would be.

        Raises:
            InvalidDataError: This is no SHA-256 address.
        """
        if not _SHA256.match(sha256):
            raise InvalidDataError(f"media address {sha256!r}: must be 64 hexadecimal digits")
        return self.root / sha256[:2] / sha256

    def described(self, sha256: str) -> Path:
        """Return the folder for what was told about a file; it goes when the file is removed.

        Raises:
            InvalidDataError: This is no SHA-256 address.
        """
        return self.root / _DESCRIBED / self.path(sha256).relative_to(self.root)

    def __contains__(self, sha256: str) -> bool:
        return self.path(sha256).is_file()

    def read(self, sha256: str) -> bytes:
        """Return a file's content.

        Raises:
            ArchiveDamagedError: The file is missing.
        """
        try:
            return self.path(sha256).read_bytes()
        except FileNotFoundError:
            raise ArchiveDamagedError(f"media {sha256} is missing") from None

    def intact(self, sha256: str) -> bool:
        """Return whether the content still has its hash. Reads the whole file."""
        try:
            with self.path(sha256).open("rb") as stream:
                return hashlib.file_digest(stream, "sha256").hexdigest() == sha256
        except FileNotFoundError:
            raise ArchiveDamagedError(f"media {sha256} is missing") from None

    def remove(self, sha256: str) -> int:
        """Remove a file and what was told about it; return its size, 0 if it was not there."""
        self.require_writable()
        path = self.path(sha256)
        with storage_faults(str(self.root)):
            with suppress(FileNotFoundError):
                shutil.rmtree(self.described(sha256))
            try:
                size = path.stat().st_size
                path.unlink()
            except FileNotFoundError:
                return 0
            with suppress(OSError):  # other files may be in the folder
                path.parent.rmdir()
        return size

    def __iter__(self) -> Iterator[StoredFile]:
        """Yield all files, by address."""
        for folder in sorted(self.root.glob("[0-9a-f][0-9a-f]")):
            for path in sorted(folder.iterdir()):
                if _SHA256.match(path.name):
                    yield StoredFile(path.name, path.stat().st_size)

    def discard_incoming(self, process: int) -> None:
        """Remove what a process that has ended left half written."""
        for path in (self.root / _INCOMING).glob(f"{process}-*"):
            path.unlink(missing_ok=True)

    def unclaimed(self) -> list[str]:
        """Return the addresses of files that came for memories that are not known to be stored."""
        names = (path.name for path in (self.root / _INCOMING).glob("*"))
        return sorted(name for name in names if _SHA256.match(name))

    def claim(self, addresses: Iterable[str]) -> None:
        """Keep these files: a memory names them now."""
        with storage_faults(str(self.root)):
            for sha256 in addresses:
                self._mark(sha256).unlink(missing_ok=True)

    def clear_incoming(self, is_used: Callable[[str], bool]) -> None:
        """Remove what interrupted writes left behind. Only for the archive's one writer.

        Another process may be writing a file down just now, for a memory that it adds in its turn.
        """
        with storage_faults(str(self.root)):
            for path in (self.root / _INCOMING).glob("*"):
                if _SHA256.match(path.name) and not is_used(path.name):
                    self.remove(path.name)
                if not _is_being_written(path.name):
                    path.unlink(missing_ok=True)


def _is_being_written(name: str) -> bool:
    """Return whether the process whose number begins a name is another one that is alive."""
    process = name.partition("-")[0]
    if not process.isdecimal() or int(process) == os.getpid():
        return False
    try:
        os.kill(int(process), 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True


def _chunks(stream: BinaryIO) -> Iterator[bytes]:
    while chunk := stream.read(_CHUNK):
        yield chunk


def default_media_folder(archive: str, uuid: str) -> Path:
    """Return ``~/.local/share/graphmemix/media/ARCHIVE-UUID``, with no path hidden in the name.

    The archive's uuid is in it because two databases may each have an archive of one name: what is
    erased from one must leave the files of the other alone.
    """
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    name = quote(archive, safe="").replace(".", "%2E")
    # A long name is cut so that the file system takes it; the uuid still tells it from others.
    return (
        Path(base)
        / "graphmemix"
        / "media"
        / f"{name[: MOST_ARCHIVE_NAME_BYTES - len(uuid) - 1]}-{uuid}"
    )
