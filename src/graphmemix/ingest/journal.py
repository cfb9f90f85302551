"""What was read before, so that a second run adds only what is new and a killed run can resume.

The journal is kept in the archive's job logs, in numbered pages. It holds no path and no content:
for a source, a hash of its location and a fingerprint (hash of sizes and dates); for its memories,
their ids and hashes of their source ids. A page lists its memories, so that erasing one of them
also deletes the page; `release` moves the other entries to a new page first.

Pages are written after the memories that they list. Memories that a crash leaves unlisted are read
again and recognised as known.
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
_LAST = _PREFIX + "last"  # the number of the last page
_REREAD = "-"  # a fingerprint that no source has; later pages override earlier ones


@dataclass(frozen=True)
class JournalEntry(Record):
    """The entry of one source on one page.

    Attributes:
        memories: Memory ids by hash of the source id.
        fingerprint: Of the source, set once it was read to the end.
        pages: With `fingerprint`, how many pages have an entry of the source, this one included.
            If one is lost, the source is read again.
    """

    memories: dict[str, str]
    fingerprint: str = ""
    pages: int = 0


@dataclass(frozen=True)
class JournalPage(Record):
    """Entries by the key of their source."""

    sources: dict[str, JournalEntry]


@dataclass
class _SourceIndex:
    """Where the entries of a source are, kept while the archive is open."""

    pages: set[int] = field(default_factory=set)
    fingerprint: str = ""
    needs: int = 0


class Journal:
    """Reads and writes the journal of one archive. Reading costs one lookup per page."""

    def __init__(self, store: Logs | None) -> None:
        """Open the journal of an archive; without an archive it is empty."""
        self._store = store
        self._last = 0 if store is None else _last(store)
        self._read: dict[str, _SourceIndex] | None = None
        self._reading = Lock()

    @property
    def _sources(self) -> dict[str, _SourceIndex]:
        """The index of sources by key; loaded on first use, by one thread."""
        with self._reading:
            if self._read is None:
                known: dict[str, _SourceIndex] = {}
                for number, page in self._pages(range(1, self._last + 1)):
                    _remember(known, number, page)
                self._read = known
            return self._read

    def is_done(self, key: str, fingerprint: str) -> bool:
        """Return whether a source was read to the end and is unchanged."""
        known = self._sources.get(key)
        return (
            known is not None
            and known.fingerprint == fingerprint != ""
            and len(known.pages) >= known.needs
        )

    def memories(self, key: str) -> dict[str, str]:
        """Return the memories of a source: ids by hash of the source id."""
        known = self._sources.get(key)
        found: dict[str, str] = {}
        for _, page in self._pages(sorted(known.pages)) if known else ():
            found |= page.sources[key].memories
        return found

    def write(self, memories: Mapping[str, Mapping[str, str]], done: Mapping[str, str]) -> None:
        """Write one page.

        Args:
            memories: By source, the memories that were read from it and are stored.
            done: By source, the fingerprint of those that were read to the end.
        """
        number = self._last + 1
        sources = {}
        for key in dict.fromkeys([*memories, *done]):
            mark = done.get(key, "")
            known = self._sources.get(key)
            pages = len(known.pages) + 1 if known else 1
            sources[key] = JournalEntry(dict(memories.get(key, {})), mark, pages if mark else 0)
        if sources:
            self._write(number, JournalPage(sources))

    def release(self, memory_ids: Collection[str]) -> None:
        """Prepare the erasure of memories: save the other entries of the pages that list them.

        Their sources count as unread afterwards: the next run reads them again.
        """
        erased = set(memory_ids)
        touched: set[str] = set()
        moving = []
        for number, page in self._pages(range(1, self._last + 1)):
            named = {k for k, entry in page.sources.items() if erased & {*entry.memories.values()}}
            if named:
                touched |= named
                moving.append(number)
        for number, page in list(self._pages(moving)):
            entries = page.sources.items()
            kept = {key: _without(entry, erased, reread=key in touched) for key, entry in entries}
            self._write(self._last + 1, JournalPage(kept))
            self._clear(number)

    # Pages

    def _write(self, number: int, page: JournalPage) -> None:
        assert self._store is not None  # noqa: S101  # a dry run writes nothing
        ids = sorted({i for entry in page.sources.values() for i in entry.memories.values()})
        now = datetime.now(UTC)
        self._store.put_log(Log(_LAST, "job", now, str(number)))
        self._store.put_log(Log(f"{_PREFIX}{number}", "job", now, page.to_json(), tuple(ids)))
        self._last = number
        if self._read is not None:
            _remember(self._read, number, page)

    def _pages(self, numbers: Collection[int] | range) -> Iterator[tuple[int, JournalPage]]:
        if self._store is None:
            return
        for number in numbers:
            try:
                log = self._store.log(f"{_PREFIX}{number}")
            except MemoryNotFoundError:
                continue  # deleted together with an erased memory
            yield number, JournalPage.from_json(log.body)

    def _clear(self, number: int) -> None:
        """Empty a page whose entries were moved."""
        assert self._store is not None  # noqa: S101
        self._store.put_log(Log(f"{_PREFIX}{number}", "job", datetime.now(UTC), '{"sources":{}}'))
        for known in (self._read or {}).values():
            known.pages.discard(number)


def name_hash(source_id: str) -> str:
    """Return the hash of a memory's source id for the journal."""
    return hashlib.sha256(source_id.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _remember(sources: dict[str, _SourceIndex], number: int, page: JournalPage) -> None:
    for key, entry in page.sources.items():
        known = sources.setdefault(key, _SourceIndex())
        known.pages.add(number)
        if entry.fingerprint:
            known.fingerprint, known.needs = entry.fingerprint, entry.pages


def _without(entry: JournalEntry, erased: set[str], *, reread: bool) -> JournalEntry:
    kept = {name: i for name, i in entry.memories.items() if i not in erased}
    return JournalEntry(kept, _REREAD, 0) if reread else entry


def _last(store: Logs) -> int:
    try:
        return int(store.log(_LAST).body)
    except (MemoryNotFoundError, ValueError):
        return 0
