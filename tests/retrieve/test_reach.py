"""Memories by what a question names, and by what its hits are about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from graphmemix.archive import Archive
from graphmemix.memory import Media, Memory, Place
from graphmemix.retrieve.constraints import (
    Constraints,
    MediaConstraint,
    PersonConstraint,
    PlaceConstraint,
    TimeConstraint,
)
from graphmemix.retrieve.facets import CELL
from graphmemix.retrieve.reach import HitLink, Reach
from graphmemix.retrieve.relations import StayAway, stays_away
from graphmemix.settings import ReachSettings
from graphmemix.store.protocol import Filter
from tests.archives import opened

BLED = (46.363, 14.094)
ROME = (41.9, 12.5)
DAY = timedelta(days=1)


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with opened(tmp_path / "archive") as archive:
        yield archive


def noon(month: int, day: int) -> datetime:
    return datetime(2023, month, day, 12, tzinfo=UTC)


def photo(
    memory_id: str, when: datetime | None, *, at: tuple[float, float] | None = None, name: str = ""
) -> Memory:
    place = Place(name, *(at or (None, None))) if at or name else None
    return Memory(memory_id, "photo", timestamp=when, place=place, media=(Media("image"),))


def mail(memory_id: str, text: str, when: datetime | None, speaker: str | None = None) -> Memory:
    return Memory(memory_id, "email", text, timestamp=when, speaker=speaker)


def reach(archive: Archive, filter: Filter | None = None, **settings: Any) -> Reach:
    return Reach(archive.store, ReachSettings(**settings), filter)


def named(archive: Archive, filter: Filter | None = None, **settings: Any) -> Any:
    most = settings.pop("most", 40)
    return reach(archive, filter, named=most).named(Constraints(**settings))


def links(archive: Archive, *hits: str, shift: int = 0, **settings: Any) -> set[HitLink]:
    return set(reach(archive, **settings).around(hits, shift=shift))


JULY = (TimeConstraint("July", noon(7, 1) - DAY / 2, noon(8, 1) - DAY / 2),)
TENTH = (TimeConstraint("10 July", noon(7, 10) - DAY / 2, noon(7, 11) - DAY / 2),)
OLGA = (PersonConstraint("Olga", "Olga"),)
AT_BLED = (PlaceConstraint("Bled", "Lake Bled"),)
PHOTOS = (MediaConstraint("photos", ("photo",), ("image",)),)


# What a question names


def test_what_satisfies_most_comes_first(archive: Archive) -> None:
    archive.add(
        [
            photo("both", noon(7, 10), at=BLED, name="Lake Bled"),
            photo("only there", noon(5, 1), at=BLED, name="Lake Bled"),
            photo("only then", noon(7, 12)),
            photo("neither", noon(5, 1), at=ROME, name="Rome"),
        ]
    )
    found = named(archive, times=JULY, places=AT_BLED)
    assert found == {"both": 2, "only then": 1, "only there": 1}
    assert next(iter(found)) == "both"


def test_no_more_are_fetched_than_set_and_the_most_specific_stay(archive: Archive) -> None:
    archive.add([photo(f"p{day:02}", noon(7, day)) for day in range(1, 9)])
    archive.add([mail("m", "Hello", noon(7, 20), "Olga")])
    found = named(archive, times=JULY, people=OLGA, most=3)
    assert list(found.items()) == [("m", 2), ("p01", 1), ("p02", 1)]
    assert named(archive, times=JULY, people=OLGA, places=AT_BLED, most=0) == {}


def test_one_person_or_one_medium_of_several_sorts_does_not_fetch(archive: Archive) -> None:
    archive.add([mail("m", "Hello", noon(5, 1), "Olga"), photo("p", noon(5, 2))])
    assert named(archive, times=JULY, people=OLGA) == {}
    assert named(archive, times=JULY, media=PHOTOS) == {}
    assert named(archive, people=OLGA, media=PHOTOS) == {}


def test_a_person_or_a_medium_that_is_all_there_is_fetches(archive: Archive) -> None:
    archive.add([mail("m", "Hello", noon(5, 1), "Olga"), photo("p", noon(5, 2))])
    assert named(archive, people=OLGA) == {"m": 1}
    assert named(archive, media=PHOTOS) == {"p": 1}


def test_a_time_is_also_that_of_what_is_about_it(archive: Archive) -> None:
    archive.add(
        [
            mail("booking", "Your stay\n\nfrom 9 to 11 July 2023", noon(5, 1)),
            mail("other", "Your stay\n\nfrom 2 to 4 June 2023", noon(5, 1)),
            mail("made", "Hello", noon(7, 10)),
        ]
    )
    assert set(named(archive, times=TENTH)) == {"booking", "made"}


def test_a_place_reaches_memories_without_its_name_by_their_cell(archive: Archive) -> None:
    archive.add(
        [
            photo("named", noon(5, 1), at=BLED, name="Lake Bled"),
            photo("bare", noon(6, 1), at=(46.369, 14.091)),
            photo("far", noon(6, 1), at=(46.8, 14.091)),
            photo("nowhere", noon(6, 1)),
        ]
    )
    assert set(named(archive, places=AT_BLED)) == {"named", "bare"}


def test_a_place_without_coordinates_reaches_what_has_its_name(archive: Archive) -> None:
    archive.add([photo("named", noon(5, 1), name="Lake Bled"), photo("bare", noon(6, 1), at=BLED)])
    assert set(named(archive, places=AT_BLED)) == {"named"}


def test_a_filter_holds_for_all_that_is_fetched(archive: Archive) -> None:
    archive.add(
        [
            photo("now", noon(7, 10), at=BLED),
            photo("later", noon(7, 11), at=BLED, name="Lake Bled"),
        ]
    )
    hidden = Filter(as_of=noon(7, 10) + DAY / 4)
    assert named(archive, hidden, times=JULY) == {"now": 1}
    # Where a later memory lies is as little known as the memory itself.
    assert named(archive, hidden, places=AT_BLED) == {}
    assert reach(archive, hidden, stating_hits=8).around(["now"]) == []


def test_what_is_named_and_not_there_is_said(archive: Archive) -> None:
    archive.add([mail("m", "Hello", noon(5, 1), "Olga")])
    nothing = reach(archive).unmatched(Constraints(times=TENTH, people=OLGA, media=PHOTOS))
    assert nothing == ("nothing here is from 10 July", "there are no photos here")


def test_of_what_is_there_nothing_is_said(archive: Archive) -> None:
    archive.add([mail("m", "Hello", noon(7, 10), "Olga"), photo("p", noon(5, 1))])
    assert reach(archive).unmatched(Constraints(times=TENTH, people=OLGA, media=PHOTOS)) == ()


# What hits lead to


def test_a_stay_leads_to_what_was_made_or_is_about_a_day_inside(archive: Archive) -> None:
    archive.add(
        [
            mail("booking", "Your stay\n\nfrom 10 to 12 July 2023", noon(5, 1)),
            photo("during", noon(7, 11)),
            mail("tour", "The boat tour\n\nis on 12 July 2023", noon(4, 1)),
            photo("before", noon(7, 9)),
            photo("after", noon(7, 13)),
        ]
    )
    assert links(archive, "booking", nearby_hits=0) == {
        HitLink("booking", "during", "within"),
        HitLink("booking", "tour", "within"),
    }


@pytest.mark.parametrize(("last", "leads"), [(21, True), (22, False)])
def test_a_stay_of_more_than_three_weeks_leads_nowhere(
    archive: Archive, last: int, leads: bool
) -> None:
    archive.add(
        [
            mail("booking", f"Your stay\n\nfrom 1 to {last} July 2023", noon(5, 1)),
            photo("during", noon(7, 11)),
        ]
    )
    assert bool(links(archive, "booking")) is leads


@pytest.mark.parametrize(
    ("shift", "found"), [(-1, {"before", "on"}), (0, {"on"}), (1, {"on", "after"})]
)
def test_shortly_before_and_after_a_stated_day(
    archive: Archive, shift: int, found: set[str]
) -> None:
    archive.add(
        [
            mail("party", "The party\n\nis on 10 July 2023", noon(5, 1)),
            photo("long before", noon(7, 6)),
            photo("before", noon(7, 7)),
            photo("on", noon(7, 10)),
            photo("after", noon(7, 13)),
            photo("long after", noon(7, 14)),
        ]
    )
    assert {link.other for link in links(archive, "party", shift=shift, nearby_hits=0)} == found


@pytest.mark.parametrize(
    ("shift", "found"),
    [(-1, {"three before", "before"}), (0, {"before", "after"}), (1, {"after", "three after"})],
)
def test_shortly_before_and_after_a_hit_itself(
    archive: Archive, shift: int, found: set[str]
) -> None:
    archive.add(
        [
            photo("three before", noon(7, 7)),
            photo("before", noon(7, 9)),
            photo("hit", noon(7, 10)),
            photo("after", noon(7, 11)),
            photo("three after", noon(7, 13)),
        ]
    )
    made = links(archive, "hit", shift=shift)
    assert {link.other for link in made} == found
    assert {link.relation for link in made} == {"episode"}


def test_an_episode_is_of_about_one_day_and_one_place(archive: Archive) -> None:
    archive.add(
        [
            photo("hit", noon(7, 10), at=BLED),
            photo("beside", noon(7, 11), at=(46.43, 14.02)),
            photo("far", noon(7, 10), at=ROME),
            photo("somewhere", noon(7, 10)),
            photo("long after", noon(7, 12), at=BLED),
        ]
    )
    assert links(archive, "hit") == {
        HitLink("hit", "beside", "episode"),
        HitLink("hit", "somewhere", "episode"),  # it does not say that it was elsewhere
    }


HOME = (48.2, 16.4)


def at_home(*months: int) -> list[Memory]:
    return [photo(f"home {month}", noon(month, 3), at=HOME) for month in months]


def test_days_elsewhere_that_follow_each_other_are_a_stay(archive: Archive) -> None:
    trip = [photo(f"t{day:02}", noon(7, day), at=BLED) for day in (10, 12, 13)]
    archive.add([*at_home(1, 2, 3, 4), *trip, photo("outing", noon(9, 9), at=ROME)])
    days = archive.store.key_days(CELL)
    assert len(days) == 8
    assert stays_away(days) == (
        StayAway(date(2023, 7, 10), date(2023, 7, 13)),
    )  # a day alone is none


@pytest.mark.parametrize(
    ("days", "stays"),
    [
        ((1, 3, 5), 1),
        ((1, 4), 0),  # two days in between: each is alone
        ((1, 2, 5, 6), 2),
        (range(1, 29), 1),
    ],
)
def test_a_stay_has_no_gap_of_two_days(days: Iterable[int], stays: int) -> None:
    assert len(stays_away([(date(2023, 7, day), "cell:419,125") for day in days])) == stays


def test_who_is_away_for_longer_than_a_month_lives_there() -> None:
    first = date(2023, 7, 1)
    days = [(first + step * DAY, "cell:419,125") for step in range(32)]
    assert stays_away(days[:31]) == (StayAway(first, date(2023, 7, 31)),)
    assert stays_away(days) == ()


def test_a_place_of_four_months_is_usual_and_so_is_what_is_beside_it() -> None:
    rome = [(date(2023, month, day), "cell:419,125") for month in (1, 2, 3, 4) for day in (1, 2)]
    beside = [(date(2023, 9, day), "cell:420,124") for day in (1, 2)]
    assert stays_away(rome[:6] + beside[:0]) != ()
    assert stays_away(rome) == ()
    assert stays_away(rome + beside) == ()
    assert stays_away([]) == ()


def test_a_hit_of_a_stay_leads_to_all_of_it_if_asked_to(archive: Archive) -> None:
    archive.add(
        [
            *at_home(1, 2, 3, 4),
            photo("hit", noon(7, 10), at=BLED),
            photo("next", noon(7, 12), at=BLED),
            mail("dinner", "The trout was good", noon(7, 14)),
            photo("last", noon(7, 14), at=ROME),
            photo("shortly after", noon(7, 16), at=HOME),
            photo("later", noon(7, 22), at=HOME),
        ]
    )
    stays = stays_away(archive.store.key_days(CELL))
    reached = reach(archive)
    every = {link.other for link in reached.around(["hit"], stays=stays)}
    assert every == {"next", "dinner", "last"}
    assert {link.relation for link in reached.around(["hit"], stays=stays)} == {"episode"}
    assert {link.other for link in reached.around(["hit"])} == set()  # two days later
    after = {link.other for link in reached.around(["hit"], shift=1, stays=stays)}
    assert after == {*every, "shortly after"}
    assert reached.around(["home 1"], stays=stays) == []


def test_what_has_no_time_has_no_episode(archive: Archive) -> None:
    archive.add([photo("hit", None, at=BLED), photo("other", None, at=BLED)])
    assert links(archive, "hit") == set()


def test_an_order_number_leads_to_others_that_hold_it(archive: Archive) -> None:
    archive.add(
        [
            mail("ordered", "Order PT-88213 received", noon(5, 1)),
            mail("sent", "PT-88213: delivery postponed", noon(5, 20)),
            mail("another", "Order PT-88214 received", noon(5, 20)),
        ]
    )
    assert links(archive, "ordered") == {HitLink("ordered", "sent", "same_identifier")}


@pytest.mark.parametrize(("holding", "leads"), [(12, True), (13, False)])
def test_a_number_that_everybody_holds_leads_nowhere(
    archive: Archive, holding: int, leads: bool
) -> None:
    archive.add(
        [mail(f"m{i:02}", "Customer PT-88213", noon(1 + i % 12, 1)) for i in range(holding)]
    )
    found = {link for link in links(archive, "m00") if link.relation == "same_identifier"}
    assert len(found) == (holding - 1 if leads else 0)


def test_only_the_best_hits_are_followed(archive: Archive) -> None:
    archive.add(
        [
            mail("first", "The party\n\nis on 10 July 2023", noon(5, 1)),
            mail("second", "The fair\n\nis on 20 July 2023", noon(4, 1)),
            photo("party", noon(7, 10)),
            photo("fair", noon(7, 20)),
        ]
    )
    followed = links(archive, "first", "second", stating_hits=1, nearby_hits=0)
    assert followed == {HitLink("first", "party", "within")}
    assert links(archive, "first", "second", stating_hits=0, nearby_hits=0) == set()
    assert links(archive, "nobody") == set()


def test_one_hit_leads_to_no_more_than_set(archive: Archive) -> None:
    archive.add([mail("party", "The party\n\nis on 10 July 2023", noon(5, 1))])
    archive.add([photo(f"p{i}", noon(7, 10) + timedelta(minutes=i)) for i in range(6)])
    found = {link.other for link in links(archive, "party", fetched=4)}
    assert found == {"p0", "p1", "p2"}  # and the mail itself
