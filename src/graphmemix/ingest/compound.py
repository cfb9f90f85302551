"""Compound files ([MS-CFB]): the container of Outlook messages and of Office files before 2007."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Final, Self

from graphmemix.errors import ImportSourceError

if TYPE_CHECKING:
    from pathlib import Path

MAGIC: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

_IN_HEADER = 109  # sectors of the allocation table that the header lists
_LARGEST_SECTOR = 0xFFFFFFFA  # greater numbers mark ends and free sectors
_ENTRY = 128  # bytes of a directory entry
_STORAGE, _STREAM, _ROOT = 1, 2, 5
_DEEPEST = 16  # storages within each other; a message within a message takes two
_MOST_ENTRIES = 100_000
_READ_AGAIN = 4  # times the size of the file that its streams may have together: they may overlap


@dataclass(frozen=True)
class _Entry:
    name: str
    kind: int
    left: int
    right: int
    child: int
    start: int
    size: int


class Compound:
    """A compound file, open for reading; a context manager.

    Streams are named by their path, such as ``__attach_version1.0_#00000000/__substg1.0_37010102``.
    Every method raises `ImportSourceError`, naming the file, if the structure is damaged.
    """

    def __init__(self, path: Path, name: str) -> None:
        """Read header, allocation table and directory."""
        self._name = name
        try:
            self._file: BinaryIO = path.open("rb")
        except OSError as error:
            raise ImportSourceError(f"{name}: cannot be read: {error.strerror}") from None
        try:
            self._open(path.stat().st_size)
        except (OSError, struct.error, ValueError, IndexError):
            self._file.close()
            raise self._damaged() from None
        except ImportSourceError:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._file.close()

    def __contains__(self, stream: str) -> bool:
        return stream in self._streams

    def streams(self) -> list[str]:
        """Return the paths of all streams, sorted."""
        return sorted(self._streams)

    def storages(self, parent: str) -> list[str]:
        """Return the paths of the storages directly in another, sorted; each ends with a slash."""
        return sorted(self._storages.get(parent, ()))

    def read(self, stream: str) -> bytes:
        """Return the content of a stream."""
        entry = self._streams[stream]
        self._left -= entry.size
        if self._left < 0:
            raise ImportSourceError(f"{self._name}: holds more than its size")
        try:
            if entry.size >= self._cutoff:
                return self._chain(entry.start, entry.size)
            return self._small(entry.start, entry.size)
        except (OSError, struct.error, IndexError):
            raise self._damaged() from None

    def _open(self, size: int) -> None:
        header = self._file.read(512)
        if not header.startswith(MAGIC):
            raise ImportSourceError(f"{self._name}: is not a compound file")
        shift, small_shift = struct.unpack_from("<HH", header, 30)
        if shift not in {9, 12} or not 2 <= small_shift <= shift:
            raise self._damaged()
        self._sector, self._small_sector = 1 << shift, 1 << small_shift
        self._count = size // self._sector  # no chain is longer
        self._left = _READ_AGAIN * size
        directory, self._cutoff, small_table = struct.unpack_from("<I4xII", header, 48)
        self._table = self._allocation(header)
        self._small_table = self._numbers(self._chain(small_table))
        entries = self._directory(self._chain(directory))
        root = entries[0]
        self._small_data = self._chain(root.start)
        self._streams: dict[str, _Entry] = {}
        self._storages: dict[str, list[str]] = {}
        self._name_entries(entries, root)

    def _allocation(self, header: bytes) -> tuple[int, ...]:
        """Return for each sector the one that follows it."""
        listed = list(struct.unpack_from(f"<{_IN_HEADER}I", header, 76))
        more = struct.unpack_from("<I", header, 68)[0]
        seen = 0
        while more <= _LARGEST_SECTOR and seen <= self._count:
            *numbers, more = self._numbers(self._at(more))
            listed += numbers
            seen += 1
        known = [number for number in listed if number <= _LARGEST_SECTOR][: self._count]
        return self._numbers(b"".join(self._at(number) for number in known))

    def _at(self, number: int) -> bytes:
        """Return a sector; the last one of a file may be cut."""
        self._file.seek((number + 1) * self._sector)
        return self._file.read(self._sector)

    def _chain(self, number: int, size: int | None = None) -> bytes:
        """Return the sectors that follow one another, up to `size` bytes."""
        most = self._count if size is None else -(-size // self._sector)
        pieces: list[bytes] = []
        while number <= _LARGEST_SECTOR and len(pieces) < most:
            pieces.append(self._at(number))
            number = self._table[number]
        return b"".join(pieces)[:size]

    def _small(self, number: int, size: int) -> bytes:
        """Return a stream that lies in small sectors within the root's own stream."""
        pieces: list[bytes] = []
        while number <= _LARGEST_SECTOR and len(pieces) * self._small_sector < size:
            at = number * self._small_sector
            pieces.append(self._small_data[at : at + self._small_sector])
            number = self._small_table[number]
        return b"".join(pieces)[:size]

    def _directory(self, data: bytes) -> list[_Entry]:
        entries: list[_Entry] = []
        for at in range(0, min(len(data) // _ENTRY, _MOST_ENTRIES) * _ENTRY, _ENTRY):
            length, kind, left, right, child = struct.unpack_from("<HBxIII", data, at + 64)
            start, size = struct.unpack_from("<IQ", data, at + 116)
            name = data[at : at + max(min(length, 64) - 2, 0)].decode("utf-16-le", "replace")
            if self._sector == 512:
                size &= 0xFFFFFFFF  # the upper half may hold anything in files of this version
            entries.append(_Entry(name, kind, left, right, child, start, size))
        if not entries or entries[0].kind != _ROOT:
            raise self._damaged()
        return entries

    def _name_entries(self, entries: list[_Entry], root: _Entry) -> None:
        """Find the path of each entry. The children of a storage are a tree of their own."""
        waiting = [(root.child, "", 0)]
        seen: set[int] = set()
        while waiting:
            number, path, depth = waiting.pop()
            if number >= len(entries) or number in seen:
                continue
            seen.add(number)
            entry = entries[number]
            waiting += [(entry.left, path, depth), (entry.right, path, depth)]
            if entry.kind == _STREAM:
                self._streams[path + entry.name] = entry
            elif entry.kind == _STORAGE and depth < _DEEPEST:
                inside = f"{path}{entry.name}/"
                self._storages.setdefault(path, []).append(inside)
                waiting.append((entry.child, inside, depth + 1))

    def _numbers(self, data: bytes) -> tuple[int, ...]:
        return struct.unpack(f"<{len(data) // 4}I", data[: len(data) // 4 * 4])

    def _damaged(self) -> ImportSourceError:
        return ImportSourceError(f"{self._name}: is damaged")
