"""Arrays of the index of words: on disk, growing, as inverted lists, and as what was found.

On disk they are written whole, checked whole, and mapped into memory. A set of arrays with the name
``words`` is, in its folder,

- ``words-<generation>.<array>.npy``: one array each;
- ``words.manifest``: its own CRC32, then JSON: whose arrays these are, and the CRC32 of each file.

The manifest is replaced by rename when all files of its generation are there. So a reader keeps
what it has mapped, and a crash leaves the old set or the new one.
"""

from __future__ import annotations

import mmap
import secrets
import zlib
from collections.abc import Mapping  # pydantic reads the annotations
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from graphmemix.errors import InvalidDataError
from graphmemix.fsio import make_folder, open_binary, write_whole
from graphmemix.record import Record

if TYPE_CHECKING:
    from pathlib import Path


class SavedArrays(NamedTuple):
    """One-dimensional arrays and the numbers that go with them, by name."""

    arrays: Mapping[str, NDArray[np.generic]]
    numbers: Mapping[str, int | float]


@dataclass(frozen=True)
class _File(Record):
    """One array's file.

    Attributes:
        dtype: As numpy writes it, byte order included.
        length: Values in the array.
        size: Bytes of the file.
        crc32: Of the whole file.
    """

    dtype: str
    length: int
    size: int
    crc32: int


@dataclass(frozen=True)
class _Manifest(Record):
    """What a generation consists of."""

    key: str
    generation: str
    numbers: Mapping[str, int | float]
    files: Mapping[str, _File]


def save_arrays(folder: Path, name: str, key: str, saved: SavedArrays) -> None:
    """Replace the set of this name; only one process at a time may. Files are the owner's only.

    Not flushed to the disk: after a power cut the set may be damaged, and then it does not load.

    Raises:
        OSError: It could not be written; what was saved before still loads.
    """
    make_folder(folder)
    generation = secrets.token_hex(8)
    try:
        files = {
            array: _write(folder / f"{name}-{generation}.{array}.npy", values)
            for array, values in saved.arrays.items()
        }
        body = _Manifest(key, generation, saved.numbers, files).to_json().encode()
        _delete(folder, f"{name}.manifest.*")  # what a killed process left
        write_whole(folder / f"{name}.manifest", _sealed(body), durable=False)
    except BaseException:
        _delete(folder, f"{name}-{generation}.*")
        raise
    _delete(folder, f"{name}-*", but=f"{name}-{generation}.")


def load_arrays(folder: Path, name: str, key: str) -> SavedArrays | None:
    """Return the set that was saved with this name and key; None if it is missing or damaged.

    Every byte is checked, at more than 1 GB/s. The arrays are read-only and stay on disk.
    """
    for _ in range(3):  # the writer may delete the files after the manifest was read
        manifest = _read_manifest(folder / f"{name}.manifest")
        if manifest is None or manifest.key != key:
            return None
        stem = f"{name}-{manifest.generation}"
        try:
            arrays = {
                array: _map(folder / f"{stem}.{array}.npy", file)
                for array, file in manifest.files.items()
            }
            return SavedArrays(arrays, manifest.numbers)
        except FileNotFoundError:
            continue
        except (OSError, ValueError):
            return None
    return None


def discard_arrays(folder: Path, name: str) -> None:
    """Delete the set of this name, if there is one."""
    _delete(folder, f"{name}.manifest*")
    _delete(folder, f"{name}-*")


def _write(path: Path, array: NDArray[np.generic]) -> _File:
    with open_binary(path, "xb") as file:
        np.save(file, array, allow_pickle=False)
    size, crc32 = path.stat().st_size, 0
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            crc32 = zlib.crc32(block, crc32)
    return _File(array.dtype.str, len(array), size, crc32)


def _map(path: Path, about: _File) -> NDArray[np.generic]:
    """Map a file's values, and check all of it. Raises `OSError` or `ValueError` if it differs."""
    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    if len(mapped) != about.size or zlib.crc32(mapped) != about.crc32:
        raise InvalidDataError(f"{path}: is not what was written")
    dtype = np.dtype(about.dtype)
    # The header is what was written, so it need not be read: the values are the file's end.
    return np.frombuffer(mapped, dtype, about.length, about.size - about.length * dtype.itemsize)


def _read_manifest(path: Path) -> _Manifest | None:
    try:
        sealed = path.read_bytes()
        body = sealed.partition(b"\n")[2]
        return _Manifest.from_json(body) if sealed == _sealed(body) else None
    except (OSError, InvalidDataError):
        return None


def _sealed(body: bytes) -> bytes:
    return b"%08x\n%s" % (zlib.crc32(body), body)


def _delete(folder: Path, pattern: str, *, but: str = "\0") -> None:
    for path in folder.glob(pattern):
        if not path.name.startswith(but):
            path.unlink(missing_ok=True)


Integers: TypeAlias = NDArray[np.int64]
Keys: TypeAlias = NDArray[np.uint64]
Rows: TypeAlias = NDArray[np.int32]
Counts: TypeAlias = NDArray[np.unsignedinteger]  # as narrow as the highest count allows

_T = TypeVar("_T", bound=np.generic)


class Column(Generic[_T]):
    """An array that grows at its end; amortised O(1) per value."""

    def __init__(self, values: NDArray[_T]) -> None:
        self._cells = values
        self._used = len(values)

    def __len__(self) -> int:
        return self._used

    @property
    def values(self) -> NDArray[_T]:
        """All values; valid until the next change."""
        return self._cells[: self._used]

    def extend(self, values: NDArray[_T]) -> None:
        """Add values at the end."""
        needed = self._used + len(values)
        if needed > len(self._cells):
            cells = np.empty(max(needed, len(self._cells) * 3 // 2), self._cells.dtype)
            cells[: self._used] = self.values
            self._cells = cells
        self._cells[self._used : needed] = values
        self._used = needed


class Inverted(NamedTuple):
    """The documents of each term, as one long list with an entry for each term.

    Attributes:
        keys: Fingerprints, ascending; each has at least one document.
        starts: Where the list of each key starts, and in the end the length of all.
        rows: The documents' row numbers, ascending within each list.
        counts: How often the term occurs in that document.
    """

    keys: Keys
    starts: Integers
    rows: Rows
    counts: Counts

    @classmethod
    def empty(cls) -> Inverted:
        """Return lists of nothing."""
        return cls(
            np.empty(0, np.uint64),
            np.zeros(1, np.int64),
            np.empty(0, np.int32),
            np.empty(0, np.uint8),
        )

    def of(self, key: int) -> tuple[Rows, Counts]:
        """Return the rows that hold a term, and how often; O(log keys)."""
        place = int(np.searchsorted(self.keys, np.uint64(key)))
        if place == len(self.keys) or int(self.keys[place]) != key:
            return self.rows[:0], self.counts[:0]
        part = slice(int(self.starts[place]), int(self.starts[place + 1]))
        return self.rows[part], self.counts[part]

    def extended(self, keys: Keys, rows: Rows, counts: Counts) -> Inverted:
        """Return lists with more entries, whose rows ascend and are higher than those here.

        Sorts the new entries and copies the others once.
        """
        if not len(keys):
            return self
        order = np.argsort(keys, kind="stable")  # keeps rows ascending within each key
        keys, rows, counts = keys[order], rows[order], counts[order]
        del order
        firsts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
        new_keys, new_sizes = keys[firsts], np.diff(firsts, append=len(keys))
        # Behind the list of the same key, or where that list would be.
        places = self.starts[np.searchsorted(self.keys, new_keys, side="right")]
        narrow = np.result_type(self.counts.dtype, np.min_scalar_type(int(counts.max())))
        all_keys = np.union1d(self.keys, new_keys)
        sizes = np.zeros(len(all_keys), np.int64)
        sizes[np.searchsorted(all_keys, self.keys)] += np.diff(self.starts)
        sizes[np.searchsorted(all_keys, new_keys)] += new_sizes
        into = np.repeat(places, new_sizes) + np.arange(len(keys))
        return Inverted(
            all_keys,
            np.concatenate([[0], np.cumsum(sizes)]),
            _merged(self.rows, rows, into),
            _merged(self.counts.astype(narrow, copy=False), counts.astype(narrow), into),
        )

    def without(self, live: NDArray[np.bool_]) -> Inverted:
        """Return the lists of the rows that are live, numbered anew from 0."""
        if not len(self.rows):
            return self
        keep = live[self.rows]
        sizes = np.add.reduceat(keep, self.starts[:-1], dtype=np.int64)
        numbers = (np.cumsum(live) - 1).astype(np.int32)
        return Inverted(
            self.keys[sizes > 0],
            np.concatenate([[0], np.cumsum(sizes[sizes > 0])]),
            numbers[self.rows[keep]],
            self.counts[keep],
        )


def _merged(old: NDArray[_T], new: NDArray[_T], into: Integers) -> NDArray[_T]:
    """Return both arrays in one, the new values at `into`."""
    merged = np.empty(len(old) + len(new), old.dtype)
    is_old = np.ones(len(merged), np.bool_)
    is_old[into] = False
    merged[is_old] = old
    merged[into] = new
    return merged


class Matches(NamedTuple):
    """Found views: their ids, the memories that they belong to, and their scores."""

    view_ids: Integers
    owners: Integers
    scores: NDArray[np.float64]

    def first(self, limit: int) -> Matches:
        """Return the first `limit`, and those with the same score as the last of them."""
        if len(self.scores) <= limit:
            return self
        end = int(np.searchsorted(-self.scores, -self.scores[limit - 1], side="right"))
        return Matches(self.view_ids[:end], self.owners[:end], self.scores[:end])
