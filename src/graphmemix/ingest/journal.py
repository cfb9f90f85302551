"""What was read before, so that a second run adds only what is new and a killed one goes on.

The journal lies in the archive's job logs, in numbered pages. It holds no path and no content: of a
source, a hash of where it is and a fingerprint (hash of sizes and dates); of what was read from it,
ids of memories and hashes of their source ids. A page names its memories, so that erasing one
takes the page along; `release` moves what else stood there to a new page first.

Pages are written after the memories that they name. What a crash leaves out is read again and
found to be there.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import Lock
from typing import TYPE_CHECKING

from graphmemix.errors import MemoryNotFoundError
from graphmemix.record import Record
from graphmemix.store.records import Log

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from graphmemix.store.protocol import Logs

_PREFIX = "ingest:"
_LAST = _PREFIX + "last"  # how many pages there were ever
_REREAD = "-"  # a fingerprint that no source has; later pages count more than earlier ones


@dataclass(frozen=True)
class Line(Record):
    """What one page says about one source.

    Attributes:
        memories: Id by hash of the source id.
        fingerprint: Set once the source was read to its end: how it was then.
        pages: With `fingerprint`, on how many pages the source stands, this one included. If one
            is lost, the source is read again.
    """

    memories: dict[str, str]
    fingerprint: str = ""
    pages: int = 0


@dataclass(frozen=True)
class Page(Record):
    """Some sources by key."""

    sources: dict[str, Line]


@dataclass
class _Known:
    """What is remembered of a source while the archive is open."""

    pages: set[int] = field(default_factory=set)
    fingerprint: str = ""
    needs: int = 0


class Journal:
    """Reads and writes the journal of one archive. Reading costs one look-up a page."""

    def __init__(self, store: Logs | None) -> None:
        """Open the journal of an archive. Without one, nothing is known."""
        self._store = store
        self._last = 0 if store is None else _last(store)
        self._read: dict[str, _Known] | None = None
        self._reading = Lock()

    @property
    def _sources(self) -> dict[str, _Known]:
        """What is known of sources by key; read when it is first asked for, by one thread."""
        with self._reading:
            if self._read is None:
                known: dict[str, _Known] = {}
                for number, page in self._pages(range(1, self._last + 1)):
                    _remember(known, number, page)
                self._read = known
            return self._read

    def is_done(self, key: str, fingerprint: str) -> bool:
        """Return whether a source was read to its end and is as it was."""
        known = self._sources.get(key)
        return (
            known is not None
            and known.fingerprint == fingerprint != ""
            and len(known.pages) >= known.needs
        )

    def memories(self, key: str) -> dict[str, str]:
        """Return the memories that came from a source: id by hash of the source id."""
        known = self._sources.get(key)
        found: dict[str, str] = {}
        for _, page in self._pages(sorted(known.pages)) if known else ():
            found |= page.sources[key].memories
        return found

    def write(self, memories: Mapping[str, Mapping[str, str]], done: Mapping[str, str]) -> None:
        """Write one page.

        Args:
            memories: By source, what was read from it and is stored by now.
            done: By source, the fingerprint of those that were read to their end.
        """
        number = self._last + 1
        sources = {}
        for key in dict.fromkeys([*memories, *done]):
            mark = done.get(key, "")
            known = self._sources.get(key)
            pages = len(known.pages) + 1 if known else 1
            sources[key] = Line(dict(memories.get(key, {})), mark, pages if mark else 0)
        if sources:
            self._write(number, Page(sources))

    def release(self, memory_ids: Collection[str]) -> None:
        """Get ready for the erasure of memories: keep what else stands on the pages that name them.

        The sources that they came from count as not read: the next run reads them again.
        """
        going = set(memory_ids)
        touched: set[str] = set()
        moving = []
        for number, page in self._pages(range(1, self._last + 1)):
            named = {k for k, line in page.sources.items() if going & {*line.memories.values()}}
            if named:
                touched |= named
                moving.append(number)
        for number, page in list(self._pages(moving)):
            lines = page.sources.items()
            kept = {key: _without(line, going, reread=key in touched) for key, line in lines}
            self._write(self._last + 1, Page(kept))
            self._forget(number)

    # Pages

    def _write(self, number: int, page: Page) -> None:
        assert self._store is not None  # noqa: S101  # a dry run writes nothing
        ids = sorted({i for line in page.sources.values() for i in line.memories.values()})
        now = datetime.now(UTC)
        self._store.put_log(Log(_LAST, "job", now, str(number)))
        self._store.put_log(Log(f"{_PREFIX}{number}", "job", now, page.to_json(), tuple(ids)))
        self._last = number
        if self._read is not None:
            _remember(self._read, number, page)

    def _pages(self, numbers: Collection[int] | range) -> Iterator[tuple[int, Page]]:
        if self._store is None:
            return
        for number in numbers:
            try:
                log = self._store.log(f"{_PREFIX}{number}")
            except MemoryNotFoundError:
                continue  # it went with a memory that was erased
            yield number, Page.from_json(log.body)

    def _forget(self, number: int) -> None:
        """Empty a page whose sources stand elsewhere by now."""
        assert self._store is not None  # noqa: S101
        self._store.put_log(Log(f"{_PREFIX}{number}", "job", datetime.now(UTC), '{"sources":{}}'))
        for known in (self._read or {}).values():
            known.pages.discard(number)


def name_hash(source_id: str) -> str:
    """Return what the journal keeps of a memory's source id."""
    return hashlib.sha256(source_id.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _remember(sources: dict[str, _Known], number: int, page: Page) -> None:
    for key, line in page.sources.items():
        known = sources.setdefault(key, _Known())
        known.pages.add(number)
        if line.fingerprint:
            known.fingerprint, known.needs = line.fingerprint, line.pages


def _without(line: Line, going: set[str], *, reread: bool) -> Line:
    kept = {name: i for name, i in line.memories.items() if i not in going}
    return Line(kept, _REREAD, 0) if reread else line


def _last(store: Logs) -> int:
    try:
        return int(store.log(_LAST).body)
    except (MemoryNotFoundError, ValueError):
        return 0
