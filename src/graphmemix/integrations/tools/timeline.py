"""The tool ``timeline``: what there is in a period, in order, within a budget."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from graphmemix.asking import wanted_filter, wanted_in
from graphmemix.integrations.tools.access import ToolResult
from graphmemix.integrations.tools.reading import iso_of
from graphmemix.integrations.tools.results import Holdings, TimelineEntry, TimelineResult
from graphmemix.memory import shown_words
from graphmemix.read.packet import kind_name, text_tokens
from graphmemix.text.dates.zones import shown_in
from graphmemix.text.quoting import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graphmemix.archive import Archive
    from graphmemix.integrations.tools.access import ArchiveAccess
    from graphmemix.integrations.tools.arguments import TimelineArguments
    from graphmemix.memory import Memory
    from graphmemix.store.protocol import Filter

__all__ = ["timeline"]

_PAGE: Final = 200  # memories that are read at most
_ENTRY: Final = 120  # characters of a memory
_ENTRY_TOKENS: Final = 12  # of a line about a year


async def timeline(given: TimelineArguments, access: ArchiveAccess) -> ToolResult:
    """Return what there is in a period, in order; of all of it, how much each month has."""

    def work() -> ToolResult:
        archive = access.archive
        zone = archive.settings.ingest.zone
        wanted = wanted_filter(archive.store, zone, **wanted_in(given))
        holdings = _holdings(archive, wanted)
        if wanted is None and given.after is None:
            entries, after = _by_period(archive, given.budget), None
        else:
            entries, after = _by_memory(archive, wanted, given)
        result = TimelineResult(holdings=holdings, entries=entries, next=after)
        span = f" from {holdings.first[:10]} to {holdings.last[:10]}" if holdings.first else ""
        count = "1 memory" if holdings.memories == 1 else f"{holdings.memories:,} memories"
        lines = [f"{count}{span}: {_by_kind(holdings.kinds)}" if holdings.kinds else f"{count}."]
        if wanted is None and holdings.sources:
            sources = (f"{one_line(name)} ({each:,})" for name, each in holdings.sources.items())
            lines.append(f"Sources: {', '.join(sources)}")
        lines += [_line(entry) for entry in entries]
        if after is not None:
            lines.append(f"There is more: continue with after={after}")
        return ToolResult("\n".join(lines), data=result.model_dump())

    return await access.read(work)


def _holdings(archive: Archive, wanted: Filter | None) -> Holdings:
    if wanted is None:
        stats = archive.store.stats()
        return Holdings(
            memories=stats.memories,
            first=iso_of(stats.first) or "",
            last=iso_of(stats.last) or "",
            kinds=dict(stats.kinds),
            sources={name or "unknown": count for name, count in stats.sources.items()},
        )
    days = archive.store.days(wanted)
    kinds: Counter[str] = Counter()
    for day in days:
        kinds[day.kind] += day.memories
    return Holdings(
        memories=archive.store.count(wanted),
        first=days[0].day.isoformat() if days else "",
        last=days[-1].day.isoformat() if days else "",
        kinds=dict(kinds),
    )


def _by_period(archive: Archive, budget: int) -> list[TimelineEntry]:
    """Return how many memories each month has, or each year if months take too much room."""
    days = archive.store.days()
    for length in (len("2023-05"), len("2023")):
        periods: dict[str, Counter[str]] = {}
        for day in days:
            periods.setdefault(day.day.isoformat()[:length], Counter())[day.kind] += day.memories
        entries = [
            TimelineEntry(date=date, words=_by_kind(counts)) for date, counts in periods.items()
        ]
        if sum(text_tokens(_line(entry)) for entry in entries) <= budget:
            return entries
    return entries[-max(1, budget // _ENTRY_TOKENS) :]


def _by_memory(
    archive: Archive, wanted: Filter | None, given: TimelineArguments
) -> tuple[list[TimelineEntry], str | None]:
    zone = archive.settings.ingest.zone
    entries: list[TimelineEntry] = []
    room = given.budget
    memories = archive.store.find(wanted, limit=_PAGE + 1, after=given.after)
    for memory in memories[:_PAGE]:
        entry = _entry(memory, zone)
        room -= text_tokens(_line(entry))
        if room < 0 and entries:
            break
        entries.append(entry)
    more = len(entries) < len(memories)
    return entries, entries[-1].id if more and entries else None


def _entry(memory: Memory, zone: str) -> TimelineEntry:
    when = shown_in(memory.timestamp, zone) if memory.timestamp else None
    return TimelineEntry(
        date=f"{when:%Y-%m-%d %H:%M}" if when else "",
        words=one_line(shown_words(memory, _ENTRY), 2 * _ENTRY),
        id=memory.id,
        kind=memory.kind,
        speaker=one_line(memory.speaker or ""),
    )


def _line(entry: TimelineEntry) -> str:
    if not entry.id:
        return f"{entry.date}: {entry.words}"
    by = f" by {entry.speaker}" if entry.speaker else ""
    return f"{entry.date or 'undated'} {kind_name(entry.kind)}{by}: {entry.words} (id {entry.id})"


def _by_kind(counts: Mapping[str, int]) -> str:
    """Return how many there are of each kind: ``12 mails, 1 note``."""
    return ", ".join(f"{count:,} {_noun(kind, count)}" for kind, count in counts.items())


def _noun(kind: str, count: int) -> str:
    name = kind_name(kind)
    if count == 1:
        return name
    return f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"
