"""Places that fail: small file systems, and folders without permission."""

from __future__ import annotations

import ctypes
import errno
import os
import subprocess
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_DAC_OVERRIDE, _DAC_READ_SEARCH = 1, 2  # capabilities of root to pass over permissions
_VERSION_3 = 0x20080522


class NotPermittedError(Exception):
    """This machine does not let us make such a place."""


@contextmanager
def small_disk(folder: Path, *, megabytes: int) -> Iterator[Path]:
    """Mount a small file system of its own.

    Raises:
        NotPermittedError: Mounting needs root.
    """
    folder.mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]
    try:
        subprocess.run(mount, check=True, capture_output=True)  # noqa: S603
    except (OSError, subprocess.CalledProcessError):
        raise NotPermittedError from None
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)  # noqa: S603, S607


def used(folder: Path) -> int:
    """Return how many bytes of a file system are in use."""
    found = os.statvfs(folder)
    return (found.f_blocks - found.f_bfree) * found.f_frsize


def fill_up(place: Path, *, leave: int) -> Path:
    """Fill a file system but for `leave` bytes; remove the returned file to have room again."""
    filler = place / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (1 << 20, 1 << 12):
            with suppress(OSError):
                while file.write(bytes(size)) == size:
                    pass
        file.truncate(max(0, file.tell() - leave))
    return filler


def obey_permissions() -> None:
    """Take from root, in this process, the power to pass over permissions of files."""
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(_VERSION_3, 0)
    sets = (ctypes.c_uint32 * 6)()
    if libc.capget(header, sets):
        raise OSError(ctypes.get_errno(), errno.errorcode[ctypes.get_errno()])
    for position in range(3):  # effective, permitted, inheritable
        sets[position] &= ~((1 << _DAC_OVERRIDE) | (1 << _DAC_READ_SEARCH))
    if libc.capset(header, sets):
        raise OSError(ctypes.get_errno(), errno.errorcode[ctypes.get_errno()])


@contextmanager
def forbidden(folder: Path) -> Iterator[None]:
    """Let nobody write into a folder, nor below it."""
    before = {path: path.stat().st_mode for path in [folder, *folder.rglob("*")]}
    for path, mode in before.items():
        path.chmod(mode & ~0o222)
    try:
        yield
    finally:
        for path, mode in before.items():
            with suppress(FileNotFoundError):
                path.chmod(mode)
