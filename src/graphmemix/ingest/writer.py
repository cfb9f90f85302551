"""The one writer: stores what readers read, in batches, and notes it in the journal.

A memory is new, known, or the new state of one that came from the same source before: that is so
if it has the same id and says something else, or another id and the same source id. Then the one in
the archive is updated and keeps its id and its history, so that a changed file never leaves a
double. What a source no longer holds stays in the archive until it is erased.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from graphmemix.errors import GraphMemixError, InvalidInputError
from graphmemix.ingest.journal import name_hash
from graphmemix.ingest.merge import merged
from graphmemix.ingest.protocol import Skipped
from graphmemix.memory import Memory, content_id
from graphmemix.store.protocol import Entry
from graphmemix.store.sanitize import cleaned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from graphmemix.ingest.journal import Journal
    from graphmemix.ingest.walker import Source
    from graphmemix.store.protocol import Store

_MOST_WAITING = 256  # memories, or ends of sources, in a batch
_MOST_CHARACTERS = 4_000_000
_MOST_SECONDS = 2.0
_ELSEWHERE = "~"  # before the name of a memory that another source brought first


@dataclass
class Intake:
    """A source that is being read, and what became of its memories so far.

    Attributes:
        source: Which one.
        counts: Of ``new``, ``updated``, ``known`` and ``skipped``.
        reason: Why it could not be read to its end; empty if it was.
        again: Whether the next run has to read it again all the same.
    """

    source: Source
    counts: Counter[str] = field(default_factory=Counter)
    reason: str = ""
    again: bool = False
    before: dict[str, str] = field(default_factory=dict)  # of earlier runs: id by name
    met: set[int] = field(default_factory=set)  # hashes of ids that were read in this run
    replaced: set[str] = field(default_factory=set)  # ids that now stand for other content
    lines: dict[str, str] = field(default_factory=dict)  # for the next page of the journal

    def __post_init__(self) -> None:
        pairs = self.before.items()
        self.own = {i for name, i in pairs if not name.startswith(_ELSEWHERE)}


class _End:
    """Stands behind the last memory of a source."""


_Waiting: TypeAlias = "tuple[Intake, Memory | _End]"


class Writer:
    """Takes memories of several sources at once, from one thread."""

    def __init__(
        self,
        store: Store | None,
        journal: Journal,
        *,
        update: Callable[[Memory], object],
        skipped: Callable[[Skipped], object],
        ended: Callable[[Intake], object],
        dry_run: bool = False,
    ) -> None:
        """Make a writer.

        Args:
            store: Where memories go; None in a dry run without an archive.
            journal: Where it is noted.
            update: Replaces a memory in the archive.
            skipped: Is told what cannot be stored.
            ended: Is told when all of a source is stored.
            dry_run: Only look.
        """
        self._store = store
        self._journal = journal
        self._update = update
        self._skipped = skipped
        self._ended = ended
        self._dry_run = dry_run
        self._waiting: list[_Waiting] = []
        self._characters = 0
        self._since = time.monotonic()
        self._open: dict[str, Intake] = {}
        self._done: dict[str, str] = {}
        self._told: set[str] = set()  # in a dry run: what would be there by now

    def take(self, source: Source, memory: Memory) -> None:
        """Store a memory soon."""
        self._wait((self.intake(source), memory), len(memory.text))

    def end(self, source: Source, reason: str = "", *, again: bool = False) -> None:
        """Note that a source was read to its end, or, with a reason, why not."""
        intake = self.intake(source)
        intake.reason, intake.again = reason, again
        self._wait((intake, _End()), 0)

    def zip_is_done(self, key: str, fingerprint: str) -> None:
        """Note that all files in a zip were read; they must have ended before."""
        self._done[key] = fingerprint

    def intake(self, source: Source) -> Intake:
        """Return the state of a source; the first call begins it."""
        intake = self._open.get(source.key)
        if intake is None:
            intake = Intake(source, before=self._journal.memories(source.key))
            self._open[source.key] = intake
        return intake

    def _wait(self, item: _Waiting, characters: int) -> None:
        if not self._waiting:
            self._since = time.monotonic()
        self._waiting.append(item)
        self._characters += characters
        if len(self._waiting) >= _MOST_WAITING or self._characters >= _MOST_CHARACTERS:
            self.flush()

    def flush_if_due(self) -> None:
        """Store what has waited long enough."""
        if self._waiting and time.monotonic() - self._since > _MOST_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Store everything that waits, then note it. When this returns, it is on disk.

        Raises:
            StoreError: The archive cannot be written to; the batch is read again next time.
        """
        waiting, self._waiting, self._characters = self._waiting, [], 0
        self._store_memories(list(_memories(waiting, self._skipped)))
        ended = [intake for intake, item in waiting if isinstance(item, _End)]
        for intake in ended:
            # A file of which nothing could be read is tried again: an extra may be missing.
            complete = not intake.reason and not intake.again
            if complete and (intake.lines or intake.counts or intake.before):
                self._done[intake.source.key] = intake.source.fingerprint
        if not self._dry_run:
            lines = {key: each.lines for key, each in self._open.items() if each.lines}
            self._journal.write(lines, self._done)
            self._done = {}
        for intake in self._open.values():
            intake.lines = {}
        for intake in ended:
            del self._open[intake.source.key]
            self._ended(intake)

    # Deciding

    def _store_memories(self, batch: list[tuple[Intake, Memory]]) -> None:
        held = self._held({memory.id for _, memory in batch})
        new: dict[str, tuple[Intake, Memory]] = {}
        for intake, memory in batch:
            if hash(memory.id) in intake.met:  # the same file holds it twice
                intake.counts["known"] += 1
                continue
            intake.met.add(hash(memory.id))
            if memory.id in new:
                self._note(intake, memory, "known", elsewhere=True)
                continue
            target, known = self._target(intake, memory, held)
            if known is None:
                new[target.id] = (intake, target)
            elif target.id in intake.own:
                self._bring_up_to_date(intake, known, target)
            else:
                self._note(intake, target, "known", elsewhere=True)
        self._add(new)

    def _held(self, ids: set[str]) -> dict[str, Memory]:
        if self._store is None:
            return {}
        return self._store.get_many(sorted(ids))

    def _target(
        self, intake: Intake, memory: Memory, held: dict[str, Memory]
    ) -> tuple[Memory, Memory | None]:
        """Return a memory under the id that it has in the archive, and what is there."""
        if memory.id in held and memory.id not in intake.replaced:
            return memory, held[memory.id]
        earlier = intake.before.get(_name(memory)) if memory.source_id else None
        if earlier is not None and earlier not in intake.replaced:
            there = self._held({earlier}).get(earlier)
            if there is not None:
                intake.replaced.add(earlier)
                return replace(memory, id=earlier), there
        if memory.id in intake.replaced:  # its own id stands for something else by now
            memory = replace(memory, id=content_id([memory.id, memory.source_id]))
            return memory, self._held({memory.id}).get(memory.id)
        return memory, None

    def _bring_up_to_date(self, intake: Intake, known: Memory, memory: Memory) -> None:
        changed = merged(known, memory)
        if changed == known:
            self._note(intake, memory, "known")
            return
        try:
            if not self._dry_run:
                self._update(changed)
        except InvalidInputError as error:
            self._refuse(intake, memory, error)
        else:
            self._note(intake, memory, "updated")

    def _add(self, new: dict[str, tuple[Intake, Memory]]) -> None:
        if self._dry_run or self._store is None:
            for intake, memory in new.values():
                self._note(intake, memory, "known" if memory.id in self._told else "new")
                self._told.add(memory.id)
            return
        if not new:
            return
        try:
            self._store.add(Entry(memory) for _, memory in new.values())
        except InvalidInputError:  # names one; the others must not suffer
            for intake, memory in new.values():
                self._add_one(intake, memory)
            return
        for intake, memory in new.values():
            self._note(intake, memory, "new")

    def _add_one(self, intake: Intake, memory: Memory) -> None:
        assert self._store is not None  # noqa: S101  # for the type checker
        try:
            self._store.add([Entry(memory)])
        except InvalidInputError as error:
            self._refuse(intake, memory, error)
        else:
            self._note(intake, memory, "new")

    def _refuse(self, intake: Intake, memory: Memory, error: GraphMemixError) -> None:
        intake.counts["skipped"] += 1
        name = memory.source_id or memory.id
        self._skipped(Skipped(f"{intake.source.name}: {name}", f"cannot be stored: {error}"))

    def _note(
        self, intake: Intake, memory: Memory, outcome: str, *, elsewhere: bool = False
    ) -> None:
        intake.counts[outcome] += 1
        name = _ELSEWHERE + memory.id[:15] if elsewhere else _name(memory)
        if intake.lines.get(name, memory.id) != memory.id:  # two of one source id
            name = "=" + memory.id[:15]
        if intake.before.get(name) != memory.id:
            intake.lines[name] = memory.id


def _memories(
    waiting: list[_Waiting], refused: Callable[[Skipped], object]
) -> Iterator[tuple[Intake, Memory]]:
    """Yield the memories of a batch as they can be stored."""
    for intake, item in waiting:
        if isinstance(item, Memory):
            try:
                yield intake, cleaned(item)
            except InvalidInputError as error:
                intake.counts["skipped"] += 1
                refused(Skipped(f"{intake.source.name}: {item.source_id}", str(error)))


def _name(memory: Memory) -> str:
    return name_hash(memory.source_id) if memory.source_id else "=" + memory.id[:15]
