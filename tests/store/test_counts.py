"""How many memories there are by day, person and place, alike in both stores."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from graphmemix.errors import InvalidInputError
from graphmemix.memory import Memory, Place
from graphmemix.store import Entry, Store
from graphmemix.store.records import Box, DayCount, Filter, PersonCount, Spot

EVENING = datetime(2023, 7, 14, 23, 30, tzinfo=UTC)
RIVA, GRAZ = Place("Riva", 45.88, 10.84), Place("Graz", 47.07, 15.44)


@pytest.fixture
def filled(store: Store) -> Store:
    there = timezone(timedelta(hours=2))
    memories = [
        Memory("a", "photo", timestamp=EVENING, speaker="Grace", place=RIVA),
        Memory("b", "photo", timestamp=EVENING.astimezone(there), speaker="Grace", place=RIVA),
        Memory("c", "message", "early", timestamp=EVENING - timedelta(hours=24), speaker="Dele"),
        Memory("d", "note", "long ago", timestamp=datetime(1923, 3, 1, 12, tzinfo=UTC)),
        Memory("e", "note", "the first day", timestamp=datetime(1, 1, 1, tzinfo=UTC), place=GRAZ),
        Memory("f", "note", "no time", speaker="Abe"),
    ]
    store.add(Entry(memory) for memory in memories)
    return store


def test_days_are_those_of_utc_from_the_first_to_the_last(filled: Store) -> None:
    assert filled.days() == [
        DayCount(date(1, 1, 1), "note", 1),
        DayCount(date(1923, 3, 1), "note", 1),
        DayCount(date(2023, 7, 13), "message", 1),
        DayCount(date(2023, 7, 14), "photo", 2),
    ]


def test_people_come_with_most_first_then_by_name(filled: Store) -> None:
    everybody = [PersonCount("Grace", 2), PersonCount("Abe", 1), PersonCount("Dele", 1)]
    assert filled.people() == everybody
    assert filled.people(limit=1) == everybody[:1]
    with pytest.raises(InvalidInputError):
        filled.people(limit=0)


def test_equal_coordinates_are_one_spot(filled: Store) -> None:
    assert filled.spots() == [Spot(45.88, 10.84, 2, "a"), Spot(47.07, 15.44, 1, "e")]


def test_a_filter_holds_for_all_counts(filled: Store) -> None:
    lake = Filter(place=Box(45.0, 10.0, 46.0, 11.0))
    assert filled.days(lake) == [DayCount(date(2023, 7, 14), "photo", 2)]
    assert filled.people(lake) == [PersonCount("Grace", 2)]
    assert filled.spots(Filter(kinds=("note",))) == [Spot(47.07, 15.44, 1, "e")]
