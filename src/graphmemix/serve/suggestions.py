"""Questions that fit an archive, made from its own people, days, places, events and mails.

A question is suggested only after it was tried: the archive must hold its answer, and the answer
must begin with a memory that the question was made from. With a model in the settings trying would
cost calls, so that there the memory has to be among the best candidates instead.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import zip_longest
from typing import TYPE_CHECKING, Final, NamedTuple

from graphmemix.errors import GraphMemixError
from graphmemix.read.chance import DOES_NOT_SEEM, in_words
from graphmemix.store.records import Filter

if TYPE_CHECKING:
    from datetime import date

    from graphmemix.archive import Archive
    from graphmemix.memory import Kind, Memory
    from graphmemix.serve.archives import ServedArchive
    from graphmemix.store import Store
    from graphmemix.store.records import DayCount

__all__ = ["Suggestions"]

_MOST: Final = 5
_MOST_TRIED: Final = 15
_SECONDS: Final = 6.0  # of trying: on a slow machine or a huge archive fewer are suggested
_OF_EACH_SORT: Final = 4
_BEST: Final = 10  # candidates
_RECENT: Final = 400  # memories
_LOOKED_AT: Final = 60  # memories of a sort
_LONGEST_NAME: Final = 40  # characters
_LONGEST_TITLE: Final = 60
_PREFIX: Final = re.compile(r"(?:(?:re|fwd?|aw|wg|tr):\s*)+", re.IGNORECASE)


class Draft(NamedTuple):
    """A question, and the memories that it asks for: one of them has to be found."""

    text: str
    memory_ids: frozenset[str]


class Suggestions:
    """The questions of each archive; they are made again after the archive has changed."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, tuple[str, ...]]] = {}
        self._making = asyncio.Lock()

    async def get(self, served: ServedArchive) -> tuple[str, ...]:
        """Return at most five questions; it takes some seconds if the archive has changed."""
        async with self._making:
            state = await served.read(served.archive.store.state)
            known = self._known.get(served.place)
            if known is None or known[0] != state:
                known = state, await _tried(served)
                self._known[served.place] = known
        return known[1]


async def _tried(served: ServedArchive) -> tuple[str, ...]:
    found: list[str] = []
    drafts = await served.read(lambda: list(drafted(served.archive.store)))
    end = time.monotonic() + _SECONDS
    for draft in drafts[:_MOST_TRIED]:
        if len(found) == _MOST or time.monotonic() > end:
            break
        try:
            if await _is_answered(served.archive, draft):
                found.append(draft.text)
        except GraphMemixError:  # such as an encoder that is not there: then nothing is suggested
            continue
    return tuple(found)


async def _is_answered(archive: Archive, draft: Draft) -> bool:
    if archive.settings.model.base_url:
        graph = await asyncio.to_thread(archive.candidates, draft.text)
        return any(each.memory_id in draft.memory_ids for each in graph.candidates[:_BEST])
    trace = await archive.aask(draft.text, save=False)
    if trace.answer is None or in_words(trace, archive.settings.reader) == DOES_NOT_SEEM:
        return False
    cited = trace.answer.citations
    return bool(cited) and cited[0].memory_id in draft.memory_ids


def drafted(store: Store) -> Iterator[Draft]:
    """Yield questions about what the archive holds, sorts in turn."""
    days = store.days()
    if not days:
        return
    since = _recent(days)
    sorts = [
        _about_people(store, since),
        _about_events(store, since),
        _about_places(store),
        _about_mails(store, since),
        _about_days(store, since),
    ]
    for turn in zip_longest(*sorts):
        yield from (draft for draft in turn if draft is not None)


def _recent(days: Sequence[DayCount]) -> datetime:
    """Return since when the archive has its latest few hundred memories."""
    left = _RECENT
    for each in reversed(days):
        first, left = each.day, left - each.memories
        if left <= 0:
            break
    return datetime(first.year, first.month, first.day, tzinfo=UTC)


def _about_people(store: Store, since: datetime) -> list[Draft]:
    spoken = Filter(since=since, kinds=("message",))
    found = []
    for name, _ in store.people(spoken, limit=_OF_EACH_SORT):
        if not _is_name(name):
            continue
        said = store.find(Filter(since=since, kinds=("message",), speakers=(name,)), limit=500)
        by_month: dict[str, set[str]] = {}
        for memory in said:
            if memory.timestamp is not None:
                by_month.setdefault(f"{memory.timestamp:%B %Y}", set()).add(memory.id)
        month = max(by_month, key=lambda each: len(by_month[each]))
        found.append(Draft(f"What did {name} write in {month}?", frozenset(by_month[month])))
    return found


def _about_events(store: Store, since: datetime) -> list[Draft]:
    events = [memory for memory in _some(store, since, "event") if _title(memory)]
    latest = {_title(memory): memory for memory in events}
    found = []
    for title, memory in reversed(latest.items()):
        is_over = memory.timestamp is not None and memory.timestamp < datetime.now(UTC)
        asked = f"When {'was' if is_over else 'is'} {title}?"
        found.append(Draft(asked, frozenset(m.id for m in events if _title(m) == title)))
    return found[:_OF_EACH_SORT]


def _about_mails(store: Store, since: datetime) -> list[Draft]:
    found: dict[str, Draft] = {}
    for memory in reversed(_some(store, since, "email")):
        subject = _PREFIX.sub("", _title(memory))
        if subject and memory.speaker and _is_name(memory.speaker):
            asked = f"What did {memory.speaker} write about “{subject}”?"
            found.setdefault(asked, Draft(asked, frozenset({memory.id})))
    return list(found.values())[:_OF_EACH_SORT]


def _about_places(store: Store) -> list[Draft]:
    taken = Filter(kinds=("photo", "video"))
    spots = sorted(store.spots(taken), key=lambda spot: -spot.memories)[:_LOOKED_AT]
    named: dict[str, set[str]] = {}
    for memory in store.get_many(spot.memory_id for spot in spots).values():
        if memory.place is not None and memory.place.name and _is_name(memory.place.name):
            named.setdefault(memory.place.name, set()).add(memory.id)
    return [
        Draft(f"Which photos were taken in {name}?", frozenset(ids)) for name, ids in named.items()
    ][:_OF_EACH_SORT]


def _about_days(store: Store, since: datetime) -> list[Draft]:
    counts: dict[date, int] = {}
    for day, _, memories in store.days(Filter(since=since)):
        counts[day] = counts.get(day, 0) + memories
    fullest = sorted(counts, key=lambda day: (-counts[day], day))[:_OF_EACH_SORT]
    found = []
    for day in fullest:
        start = datetime(day.year, day.month, day.day, tzinfo=UTC)
        try:
            within = Filter(since=start, until=start + timedelta(days=1))
        except OverflowError:  # the last day of the calendar
            continue
        ids = frozenset(memory.id for memory in store.find(within, limit=500))
        found.append(Draft(f"What happened on {day.day} {day:%B %Y}?", ids))
    return found


def _some(store: Store, since: datetime, kind: Kind) -> list[Memory]:
    return store.find(Filter(since=since, kinds=(kind,)), limit=_LOOKED_AT)


def _title(memory: Memory) -> str:
    """Return the subject or the first line, if it can be part of a question."""
    subject = memory.metadata.get("subject")
    title = subject if isinstance(subject, str) else memory.text.strip().partition("\n")[0]
    title = title.strip().rstrip(".?!")
    return title if 3 <= len(title) <= _LONGEST_TITLE else ""


def _is_name(text: str) -> bool:
    return len(text) <= _LONGEST_NAME and "@" not in text and not any(map(str.isdigit, text))
