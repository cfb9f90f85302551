"""Wipes what SQLite leaves behind in pages that are still in use.

With ``secure_delete`` SQLite overwrites deleted rows and free pages with zeros. One thing is left:
when it moves rows from a page to others, the old bytes stay in the unused middle of the page,
between the list of its cells and the first of them. Only pages that were written can have such
bytes, and every page that is written goes through the log. So whenever the log has been copied into
the database, the pages that it names are looked at, and their middles filled with zeros; then an
erasure has to look at the pages that it wrote itself, and not to rewrite the database.

Formats: https://sqlite.org/fileformat.html, sections 1.6 (pages) and 4.1 (the log).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

MOST_PAGES: Final = 1 << 25
"""Beyond 270 GB a page of another kind could begin as one with cells does."""

_LOG_HEAD, _FRAME_HEAD = 32, 24
_SALT: Final = slice(16, 24)  # of the log, repeated in every frame that belongs to it
_FRAME_SALT: Final = slice(8, 16)
_FIRST_PAGE_HEAD: Final = 100  # bytes of the database's own head
_FRAMES_AT_ONCE: Final = 256  # 2 MB
_HEAD: Final = {2: 12, 5: 12, 10: 8, 13: 8}  # bytes of a page's head, by its first byte


def pages_in_log(log: Path, page_bytes: int) -> set[int]:
    """Return the numbers of the pages in a log; those of frames that do not count are no harm."""
    found: set[int] = set()
    try:
        file = os.open(log, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return found
    try:
        salt = np.frombuffer(os.pread(file, _LOG_HEAD, 0)[_SALT], np.uint8)
        frame = _FRAME_HEAD + page_bytes
        at = _LOG_HEAD
        while salt.size and (read := os.pread(file, _FRAMES_AT_ONCE * frame, at)):
            whole = len(read) // frame
            heads = np.frombuffer(read, np.uint8, whole * frame).reshape(whole, frame)
            others = np.flatnonzero((heads[:, _FRAME_SALT] != salt).any(axis=1))
            last = int(others[0]) if others.size else whole
            numbers = np.ascontiguousarray(heads[:last, :4]).view(">u4")
            found.update(numbers.ravel().tolist())
            if last < _FRAMES_AT_ONCE:
                break
            at += whole * frame
    finally:
        os.close(file)
    return found


def wipe(database: Path, pages: Iterable[int], page_bytes: int) -> int:
    """Fill the unused middles of these pages with zeros; return in how many there was anything.

    Nobody may write to the database meanwhile. Readers may read: nothing that they see changes.
    """
    wiped = 0
    file = os.open(database, os.O_RDWR | os.O_CLOEXEC)
    try:
        for number in sorted(pages):
            start = (number - 1) * page_bytes
            page = os.pread(file, page_bytes, start)
            first, last = unused(page, is_first=number == 1)
            if page.count(0, first, last) != last - first:
                os.pwrite(file, bytes(last - first), start + first)
                wiped += 1
        if wiped:
            os.fsync(file)
    finally:
        os.close(file)
    return wiped


def unused(page: bytes, *, is_first: bool = False) -> tuple[int, int]:
    """Return where the unused middle of a page begins and ends; nothing if it has no cells."""
    at = _FIRST_PAGE_HEAD if is_first else 0
    size = _HEAD.get(page[at], 0) if len(page) > at else 0
    if not size:
        return 0, 0
    cells = int.from_bytes(page[at + 3 : at + 5], "big")
    content = int.from_bytes(page[at + 5 : at + 7], "big") or 1 << 16
    first = at + size + 2 * cells
    return (first, content) if first <= content <= len(page) else (0, 0)
