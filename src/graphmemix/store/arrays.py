"""Arrays on disk for caches: written whole, checked whole, mapped into memory.

A set of arrays with the name ``words`` is, in its folder,

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
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphmemix.errors import InvalidDataError
from graphmemix.fsio import make_folder, open_binary, write_whole
from graphmemix.record import Record

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["SavedArrays", "discard_arrays", "load_arrays", "save_arrays"]


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
