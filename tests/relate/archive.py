"""Short ways to make memories, and an archive in memory that keeps its edges by `relate`."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta, timezone
from typing import Literal, TypeAlias

from graphmemix.evidence import Edge, Relation
from graphmemix.memory import Description, Kind, Media, Memory, Place, Reference
from graphmemix.relate import EdgeChange, relate
from graphmemix.settings import GraphSettings, RecordGroundingSettings

Way: TypeAlias = Literal["first relate", "hidden", "first store"]
"""When `relate` is called: before anything is stored; before, with the changed memories hidden; or
after the store has removed or replaced memories together with their keys and edges."""

SETTINGS = GraphSettings()

NARROW = GraphSettings(
    group_neighbours=2, record_grounding=RecordGroundingSettings(max_neighbours=2, max_dates=3)
)
"""Narrow limits, so that small archives reach them."""


def at(text: str, offset: float = 0) -> datetime:
    """A moment by the clock of a UTC offset in hours."""
    return datetime.fromisoformat(text).replace(tzinfo=timezone(timedelta(hours=offset)))


def turn(
    name: str,
    sequence: int | None,
    session: str | None = "s",
    *,
    round: str | None = None,  # noqa: A002
    timestamp: datetime | None = None,
) -> Memory:
    return Memory(
        name, "message", name, session=session, sequence=sequence, round=round, timestamp=timestamp
    )


def mail(
    name: str,
    text: str = "",
    *,
    subject: object = None,
    when: datetime | None = None,
    references: tuple[Reference, ...] = (),
) -> Memory:
    metadata = {} if subject is None else {"subject": subject}
    return Memory(
        name,
        "email",
        text,
        source="mail",
        source_id=f"<{name}>",
        timestamp=when,
        references=references,
        metadata=metadata,  # type: ignore[arg-type]
    )


def photo(
    name: str,
    when: datetime | None,
    latitude: float | None = 48.0,
    longitude: float | None = 11.0,
    *,
    place: str = "",
    caption: str = "",
    ocr: str = "",
    tags: object = None,
    kind: Kind = "photo",
) -> Memory:
    known = latitude is not None or bool(place)
    return Memory(
        name,
        kind,
        timestamp=when,
        place=Place(place, latitude, longitude) if known else None,
        media=(Media("image", description=Description(caption=caption, ocr=ocr)),),
        metadata={} if tags is None else {"tags": tags},  # type: ignore[dict-item]
    )


class Nothing:
    """An empty store."""

    def with_keys(self, keys: Collection[str]) -> list[Memory]:
        return []

    def edges(self, memory_ids: Collection[str]) -> list[Edge]:
        return []


def rebuilt(
    memories: Iterable[Memory], settings: GraphSettings = SETTINGS
) -> set[tuple[str, str, Relation]]:
    """All edges of an archive, made at once."""
    change = relate(list(memories), [], Nothing(), settings)
    assert not change.remove
    return {(edge.source, edge.target, edge.relation) for edge in change.add}


def linked(
    relation: Relation, memories: Iterable[Memory], settings: GraphSettings = SETTINGS
) -> set[tuple[str, str]]:
    """All pairs of one relation."""
    return {(one, other) for one, other, name in rebuilt(memories, settings) if name == relation}


class InMemory:
    """Keeps memories, keys and edges; a `Lookup`."""

    def __init__(self, settings: GraphSettings = SETTINGS, way: Way = "first relate") -> None:
        self.memories: dict[str, Memory] = {}
        self.found: dict[str, frozenset[str]] = {}
        self.stored: dict[tuple[str, str, Relation], Edge] = {}
        self.fetched = 0
        self.asked = 0
        self._settings = settings
        self._way = way
        self._hidden: set[str] = set()

    def with_keys(self, keys: Collection[str]) -> list[Memory]:
        self.asked += 1
        wanted = set(keys)
        found = [
            self.memories[i]
            for i, own in self.found.items()
            if not wanted.isdisjoint(own) and i not in self._hidden
        ]
        self.fetched += len(found)
        return found

    def edges(self, memory_ids: Collection[str]) -> list[Edge]:
        wanted = set(memory_ids)
        return [e for e in self.stored.values() if e.source in wanted or e.target in wanted]

    def change(self, changed: Sequence[Memory] = (), gone: Iterable[str] = ()) -> EdgeChange:
        erased = [self.memories[i] for i in dict.fromkeys(gone) if i in self.memories]
        if self._way == "first store":
            replaced = [self.memories[m.id] for m in changed if m.id in self.memories]
            for memory in (*erased, *replaced):
                self._forget(memory.id)
            self.memories |= {memory.id: memory for memory in changed}
            self._apply(relate([], [*erased, *replaced], self, self._settings))
            return self._apply(relate(changed, [], self, self._settings))
        if self._way == "hidden":
            self._hidden = {memory.id for memory in (*changed, *erased)}
        change = relate(changed, erased, self, self._settings)
        self._hidden = set()
        self._apply(change)
        for memory in erased:
            assert not self.edges([memory.id])
            self._forget(memory.id)
        self.memories |= {memory.id: memory for memory in changed}
        return change

    def _forget(self, memory_id: str) -> None:
        self.memories.pop(memory_id, None)
        self.found.pop(memory_id, None)
        self.stored = {k: e for k, e in self.stored.items() if memory_id not in k[:2]}

    def _apply(self, change: EdgeChange) -> EdgeChange:
        removed = {(e.source, e.target, e.relation) for e in change.remove}
        added = {(e.source, e.target, e.relation): e for e in change.add}
        assert removed <= self.stored.keys(), "removes what is not there"
        assert not added.keys() & self.stored.keys(), "adds what is there"
        self.stored = {k: e for k, e in self.stored.items() if k not in removed} | added
        self.found |= change.keys
        return change


START = at("2023-07-14T10:00")


def crowd(rng: random.Random, kind: str) -> Memory:
    """A memory of a crowded archive: one session, one record, one afternoon."""
    name = f"{rng.randrange(60):02}"
    when = START + timedelta(seconds=rng.randrange(0, 9000, 30))
    if kind == "turns":
        return turn(name, rng.choice([rng.randrange(200), rng.randrange(5000)]), round="1")
    if kind == "mails":
        days = timedelta(days=rng.randrange(120))
        text = rng.choice(["", "Order number 302-1234567", "Booking reference: AB12CD"])
        return mail(name, text, subject=rng.choice(["Trip", "Re: Trip", None]), when=when + days)
    if rng.random() < 0.3:
        return mail(name, "Rowing to the castle of Bled on 14 July 2023", when=when)
    return photo(name, when, 46 + rng.random() / 10, 14.0, place=rng.choice(["", "Bled"]))
