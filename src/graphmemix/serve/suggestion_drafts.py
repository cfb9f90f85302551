"""Questions that an archive might answer, made from its own people, days, places, events, mails."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import zip_longest
from typing import TYPE_CHECKING, Final, NamedTuple

from graphmemix.store.records import Filter

if TYPE_CHECKING:
    from datetime import date

    from graphmemix.memory import Kind, Memory
    from graphmemix.store import Store
    from graphmemix.store.records import DayCount

__all__ = ["Draft", "Wording", "drafted", "phrases_in"]

_OF_EACH_SORT: Final = 4
_RECENT: Final = 400  # memories
_LOOKED_AT: Final = 60  # memories of a sort
_FEWEST_WORDS: Final = 4  # of a question about an event: its title has two at least
_LONGEST_NAME: Final = 40  # characters
_LONGEST_TITLE: Final = 60
_PREFIX: Final = re.compile(r"(?:(?:re|fwd?|aw|wg|tr):\s*)+", re.IGNORECASE)


class Draft(NamedTuple):
    """A question, and the memories that it asks for: one of them has to be found."""

    text: str
    memory_ids: frozenset[str]


class Wording(NamedTuple):
    """How questions are put in a language; `months` has twelve names."""

    months: str
    wrote: str
    was: str
    is_: str
    about: str
    photos: str
    day: str


_PHRASES: Final = {
    "en": Wording(
        "January February March April May June July August September October November December",
        "What did {name} write in {month} {year}?",
        "When was “{title}”?",
        "When is “{title}”?",
        "What did {name} write about “{title}”?",
        "Which photos were taken in {place}?",
        "What happened on {day} {month} {year}?",
    ),
    "de": Wording(
        "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
        "Was hat {name} im {month} {year} geschrieben?",
        "Wann war „{title}“?",
        "Wann ist „{title}“?",
        "Was hat {name} über „{title}“ geschrieben?",
        "Welche Fotos wurden in {place} gemacht?",
        "Was ist am {day}. {month} {year} passiert?",
    ),
    "fr": Wording(
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "Qu’a écrit {name} en {month} {year} ?",
        "Quand a eu lieu « {title} » ?",
        "Quand a lieu « {title} » ?",
        "Qu’a écrit {name} à propos de « {title} » ?",
        "Quelles photos ont été prises à {place} ?",
        "Que s’est-il passé le {day} {month} {year} ?",
    ),
    "es": Wording(
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "¿Qué escribió {name} en {month} de {year}?",
        "¿Cuándo fue «{title}»?",
        "¿Cuándo es «{title}»?",
        "¿Qué escribió {name} sobre «{title}»?",
        "¿Qué fotos se hicieron en {place}?",
        "¿Qué pasó el {day} de {month} de {year}?",
    ),
}


def phrases_in(language: str) -> Wording:
    """Return the phrases of a language, such as ``de``; English if there are none."""
    return _PHRASES.get(language, _PHRASES["en"])


def drafted(store: Store, language: str = "en") -> Iterator[Draft]:
    """Yield questions about what the archive holds, sorts in turn."""
    phrases = phrases_in(language)
    days = store.days()
    if not days:
        return
    since = _recent(days)
    sorts = [
        _about_people(store, since, phrases),
        _about_events(store, since, phrases),
        _about_places(store, phrases),
        _about_mails(store, since, phrases),
        _about_days(store, since, phrases),
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


def _about_people(store: Store, since: datetime, phrases: Wording) -> list[Draft]:
    spoken = Filter(since=since, kinds=("message",))
    found = []
    for name, _ in store.people(spoken, limit=_OF_EACH_SORT):
        if not _is_name(name):
            continue
        said = store.find(Filter(since=since, kinds=("message",), speakers=(name,)), limit=500)
        by_month: dict[tuple[int, int], set[str]] = {}
        for memory in said:
            if memory.timestamp is not None:
                at = memory.timestamp.year, memory.timestamp.month
                by_month.setdefault(at, set()).add(memory.id)
        year, month = max(by_month, key=lambda each: len(by_month[each]))
        asked = phrases.wrote.format(name=name, month=phrases.months.split()[month - 1], year=year)
        found.append(Draft(asked, frozenset(by_month[year, month])))
    return found


def _about_events(store: Store, since: datetime, phrases: Wording) -> list[Draft]:
    events = [memory for memory in _some(store, since, "event") if _title(memory)]
    latest = {_title(memory): memory for memory in events}
    found = []
    for title, memory in reversed(latest.items()):
        is_over = memory.timestamp is not None and memory.timestamp < datetime.now(UTC)
        asked = (phrases.was if is_over else phrases.is_).format(title=title)
        found.append(Draft(asked, frozenset(m.id for m in events if _title(m) == title)))
    found.sort(key=lambda draft: len(draft.text.split()) < _FEWEST_WORDS)  # "Paris" says little
    return found[:_OF_EACH_SORT]


def _about_mails(store: Store, since: datetime, phrases: Wording) -> list[Draft]:
    found: dict[str, Draft] = {}
    for memory in reversed(_some(store, since, "email")):
        subject = _PREFIX.sub("", _title(memory))
        if subject and memory.speaker and _is_name(memory.speaker):
            asked = phrases.about.format(name=memory.speaker, title=subject)
            found.setdefault(asked, Draft(asked, frozenset({memory.id})))
    return list(found.values())[:_OF_EACH_SORT]


def _about_places(store: Store, phrases: Wording) -> list[Draft]:
    taken = Filter(kinds=("photo", "video"))
    spots = sorted(store.spots(taken), key=lambda spot: -spot.memories)[:_LOOKED_AT]
    named: dict[str, set[str]] = {}
    for memory in store.get_many(spot.memory_id for spot in spots).values():
        # Of "Malcesine, Veneto, Italy" the town.
        town = "" if memory.place is None else memory.place.name.partition(",")[0].strip()
        if town and _is_name(town):
            named.setdefault(town, set()).add(memory.id)
    return [
        Draft(phrases.photos.format(place=town), frozenset(ids)) for town, ids in named.items()
    ][:_OF_EACH_SORT]


def _about_days(store: Store, since: datetime, phrases: Wording) -> list[Draft]:
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
        month = phrases.months.split()[day.month - 1]
        found.append(Draft(phrases.day.format(day=day.day, month=month, year=day.year), ids))
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
