"""Stores what was read, in batches, and records it in the journal.

A memory is new, known, or a new version of one from the same source: the same id with other
content, or another id with the same source id. A new version updates the stored memory, which keeps
its id and history, so that a changed file never creates a duplicate. Memories that a source no
longer contains stay in the archive until they are erased.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from graphmemix.errors import GraphMemixError, InvalidInputError
from graphmemix.ingest.copies import is_copy, with_copy
from graphmemix.ingest.journal import name_hash
from graphmemix.ingest.protocol import Skipped
from graphmemix.memory import Description, Media, Memory, Place, content_id
from graphmemix.store.protocol import Entry
from graphmemix.store.sanitize import cleaned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from graphmemix.ingest.journal import Journal
    from graphmemix.ingest.sources import Source
    from graphmemix.store.protocol import Store

_MOST_WAITING = 256  # memories and ends of sources in a batch
_MOST_CHARACTERS = 4_000_000
_MOST_SECONDS = 2.0
_ELSEWHERE = "~"  # prefix in the journal for a memory that another source yielded first


@dataclass
class SourceState:
    """A source that is being read, and the outcome of its memories so far.

    Attributes:
        source: The source.
        counts: Of ``new``, ``updated``, ``known`` and ``skipped``.
        reason: Why it could not be read to the end; empty if it was.
        again: Whether the next run must read it again even so.
    """

    source: Source
    counts: Counter[str] = field(default_factory=Counter)
    reason: str = ""
    again: bool = False
    before: dict[str, str] = field(default_factory=dict)  # from earlier runs: ids by name
    met: set[int] = field(default_factory=set)  # hashes of the ids read in this run
    replaced: set[str] = field(default_factory=set)  # ids that have other content now
    entries: dict[str, str] = field(default_factory=dict)  # for the next page of the journal

    def __post_init__(self) -> None:
        pairs = self.before.items()
        self.own = {i for name, i in pairs if not name.startswith(_ELSEWHERE)}


class _End:
    """Marks the end of a source."""


_Waiting: TypeAlias = "tuple[SourceState, Memory | _End]"


class Writer:
    """Stores memories of several sources at the same time, from one thread."""

    def __init__(
        self,
        store: Store | None,
        journal: Journal,
        *,
        update: Callable[[Memory], object],
        add_words: Callable[[Sequence[str]], None] | None = None,
        skipped: Callable[[Skipped], object],
        ended: Callable[[SourceState], object],
        dry_run: bool = False,
    ) -> None:
        """Create a writer.

        Args:
            store: Where memories are stored; None in a dry run without an archive.
            journal: The archive's journal.
            update: Replaces a memory in the archive.
            add_words: Makes memories searchable; called with the changed ones of every batch.
            skipped: Called with memories that cannot be stored.
            ended: Called when all memories of a source are stored.
            dry_run: Write nothing.
        """
        self._store = store
        self._journal = journal
        self._update = update
        self._add_words = add_words
        self._changed: list[str] = []  # memories that were added or updated in this batch
        self._skipped = skipped
        self._ended = ended
        self._dry_run = dry_run
        self._waiting: list[_Waiting] = []
        self._characters = 0
        self._since = time.monotonic()
        self._open: dict[str, SourceState] = {}
        self._done: dict[str, str] = {}
        self._would_add: set[str] = set()  # in a dry run: ids that would be stored by now

    def take(self, source: Source, memory: Memory) -> None:
        """Add a memory to the current batch."""
        self._wait((self.state(source), memory), len(memory.text))

    def end(self, source: Source, reason: str = "", *, again: bool = False) -> None:
        """Record that a source was read to the end or, with a reason, why not."""
        state = self.state(source)
        state.reason, state.again = reason, again
        self._wait((state, _End()), 0)

    def zip_is_done(self, key: str, fingerprint: str) -> None:
        """Record that all files of a zip were read; call it after they have ended."""
        self._done[key] = fingerprint

    def state(self, source: Source) -> SourceState:
        """Return the state of a source; created by the first call."""
        state = self._open.get(source.key)
        if state is None:
            state = SourceState(source, before=self._journal.memories(source.key))
            self._open[source.key] = state
        return state

    def _wait(self, item: _Waiting, characters: int) -> None:
        if not self._waiting:
            self._since = time.monotonic()
        self._waiting.append(item)
        self._characters += characters
        if len(self._waiting) >= _MOST_WAITING or self._characters >= _MOST_CHARACTERS:
            self.flush()

    def flush_if_due(self) -> None:
        """Store the batch if it has waited long enough."""
        if self._waiting and time.monotonic() - self._since > _MOST_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Store the batch, then record it in the journal. Both are on disk when this returns.

        Raises:
            StoreError: The archive cannot be written; the next run reads the batch again.
        """
        waiting, self._waiting, self._characters = self._waiting, [], 0
        self._store_memories(list(_memories(waiting, self._skipped)))
        ended = [state for state, item in waiting if isinstance(item, _End)]
        for state in ended:
            # A file that yielded nothing is tried again next time: an extra may be missing.
            complete = not state.reason and not state.again
            if complete and (state.entries or state.counts or state.before):
                self._done[state.source.key] = state.source.fingerprint
        if not self._dry_run:
            entries = {key: each.entries for key, each in self._open.items() if each.entries}
            self._journal.write(entries, self._done)
            self._done = {}
        changed, self._changed = self._changed, []
        if self._add_words is not None and changed:
            self._add_words(changed)
        for state in self._open.values():
            state.entries = {}
        for state in ended:
            del self._open[state.source.key]
            self._ended(state)

    # Deciding

    def _store_memories(self, batch: list[tuple[SourceState, Memory]]) -> None:
        stored = self._stored({memory.id for _, memory in batch})
        new: dict[str, tuple[SourceState, Memory]] = {}
        copies: list[tuple[SourceState, Memory]] = []
        for state, memory in batch:
            if hash(memory.id) in state.met:  # the file contains it twice
                state.counts["known"] += 1
                continue
            state.met.add(hash(memory.id))
            if memory.id in new:
                copies.append((state, memory))
                continue
            target, known = self._target(state, memory, stored)
            if known is None:
                new[target.id] = (state, target)
            elif target.id in state.own:
                self._update_stored(state, known, target)
            elif is_copy(known, target):
                stored[target.id] = self._add_copy(state, known, target)
            else:
                self._note(state, target, "known", elsewhere=True)
        self._add(new)
        added = self._stored({memory.id for _, memory in copies})
        for state, memory in copies:
            if memory.id in added and is_copy(added[memory.id], memory):
                added[memory.id] = self._add_copy(state, added[memory.id], memory)
            else:
                self._note(state, memory, "known", elsewhere=True)

    def _stored(self, ids: set[str]) -> dict[str, Memory]:
        if self._store is None:
            return {}
        return self._store.get_many(sorted(ids))

    def _target(
        self, state: SourceState, memory: Memory, stored: dict[str, Memory]
    ) -> tuple[Memory, Memory | None]:
        """Return a memory under its id in the archive, and the stored memory of that id."""
        if memory.id in stored and memory.id not in state.replaced:
            return memory, stored[memory.id]
        earlier = state.before.get(_name(memory)) if memory.source_id else None
        if earlier is not None and earlier not in state.replaced:
            previous = self._stored({earlier}).get(earlier)
            if previous is not None:
                state.replaced.add(earlier)
                return replace(memory, id=earlier), previous
        if memory.id in state.replaced:  # its own id has other content now
            memory = replace(memory, id=content_id([memory.id, memory.source_id]))
            return memory, self._stored({memory.id}).get(memory.id)
        return memory, None

    def _update_stored(self, state: SourceState, known: Memory, memory: Memory) -> None:
        changed = _merged(known, memory)
        if is_copy(known, changed):
            changed = with_copy(known, changed)
        if changed == known:
            self._note(state, memory, "known")
            return
        try:
            if not self._dry_run:
                self._update(changed)
        except InvalidInputError as error:
            self._refuse(state, memory, error)
        else:
            self._note(state, memory, "updated")

    def _add_copy(self, state: SourceState, known: Memory, copy: Memory) -> Memory:
        """Store that a file is known from another folder too; return the one memory of both."""
        changed = with_copy(known, _merged(known, copy))
        if changed != known and not self._dry_run:
            self._update(changed)
        self._note(state, copy, "known", elsewhere=True)
        return changed

    def _add(self, new: dict[str, tuple[SourceState, Memory]]) -> None:
        if self._dry_run or self._store is None:
            for state, memory in new.values():
                self._note(state, memory, "known" if memory.id in self._would_add else "new")
                self._would_add.add(memory.id)
            return
        if not new:
            return
        try:
            self._store.add(Entry(memory) for _, memory in new.values())
        except InvalidInputError:  # one is invalid; store the others
            for state, memory in new.values():
                self._add_one(state, memory)
            return
        for state, memory in new.values():
            self._note(state, memory, "new")

    def _add_one(self, state: SourceState, memory: Memory) -> None:
        assert self._store is not None  # noqa: S101  # for the type checker
        try:
            self._store.add([Entry(memory)])
        except InvalidInputError as error:
            self._refuse(state, memory, error)
        else:
            self._note(state, memory, "new")

    def _refuse(self, state: SourceState, memory: Memory, error: GraphMemixError) -> None:
        state.counts["skipped"] += 1
        name = memory.source_id or memory.id
        self._skipped(Skipped(f"{state.source.name}: {name}", f"cannot be stored: {error}"))

    def _note(
        self, state: SourceState, memory: Memory, outcome: str, *, elsewhere: bool = False
    ) -> None:
        state.counts[outcome] += 1
        if outcome in {"new", "updated"}:
            self._changed.append(memory.id)
        name = _ELSEWHERE + memory.id[:15] if elsewhere else _name(memory)
        if state.entries.get(name, memory.id) != memory.id:  # two memories with one source id
            name = "=" + memory.id[:15]
        if state.before.get(name) != memory.id:
            state.entries[name] = memory.id


def _memories(
    waiting: list[_Waiting], refused: Callable[[Skipped], object]
) -> Iterator[tuple[SourceState, Memory]]:
    """Yield the memories of a batch, cleaned for storage."""
    for state, item in waiting:
        if isinstance(item, Memory):
            try:
                yield state, cleaned(item)
            except InvalidInputError as error:
                state.counts["skipped"] += 1
                refused(Skipped(f"{state.source.name}: {item.source_id}", str(error)))


def _name(memory: Memory) -> str:
    return name_hash(memory.source_id) if memory.source_id else "=" + memory.id[:15]


def _merged(stored: Memory, read: Memory) -> Memory:
    """Return `read` with the descriptions of its media and the name of its place from `stored`.

    These were derived after the first reading and must not be lost.
    """
    return replace(
        read, media=_with_descriptions(stored.media, read.media), place=_named(stored.place, read)
    )


def _with_descriptions(stored: Iterable[Media], read: Iterable[Media]) -> tuple[Media, ...]:
    known = {medium.sha256: medium for medium in stored if medium.sha256 is not None}
    return tuple(
        _described(medium, known[medium.sha256]) if medium.sha256 in known else medium
        for medium in read
    )


def _described(read: Media, stored: Media) -> Media:
    new, old = read.description, stored.description
    description = Description(
        caption=new.caption or old.caption,
        short_caption=new.short_caption or old.short_caption,
        ocr=new.ocr or old.ocr,
        transcript=new.transcript or old.transcript,
    )
    return replace(read, description=description)


def _named(stored: Place | None, read: Memory) -> Place | None:
    place = read.place
    if place is None or stored is None or place.name:
        return place
    same = (place.latitude, place.longitude) == (stored.latitude, stored.longitude)
    return stored if same else place
