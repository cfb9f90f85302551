"""A country that a question names, by what an archive knows of it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from graphmemix.archive import Archive
from graphmemix.evidence import Question
from graphmemix.memory import Media, Memory, Place
from graphmemix.retrieve import countries as module
from graphmemix.retrieve.constraints import Constraints, find_constraints
from graphmemix.retrieve.countries import Countries, any_country
from graphmemix.retrieve.question import described
from graphmemix.text.countries import countries_at
from tests.archives import opened

PORTO = (41.15, -8.61)
FARO = (37.02, -7.93)
BERLIN = (52.52, 13.4)
AT_SEA = (0.0, -30.0)


def noon(month: int, day: int) -> datetime:
    return datetime(2023, month, day, 12, tzinfo=UTC)


def photo(memory_id: str, at: tuple[float, float] | None, name: str = "", month: int = 7) -> Memory:
    place = Place(name, *(at or (None, None)))
    return Memory(
        memory_id, "photo", timestamp=noon(month, 1), place=place, media=(Media("image"),)
    )


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with opened(tmp_path / "archive") as archive:
        yield archive


def understood(archive: Archive, text: str, as_of: datetime | None = None) -> Constraints:
    places = tuple(archive.store.key_names("place:"))
    return find_constraints(
        text,
        None,
        people=tuple(archive.store.speakers()),
        places=places,
        countries=partial(Countries(archive.store, places).find, as_of=as_of),
    )


def candidates(archive: Archive, text: str) -> set[str]:
    graph = archive.candidates(Question(text, asked_at=noon(12, 1)))
    return {each.memory_id for each in graph.candidates}


def notes(archive: Archive, text: str) -> tuple[str, ...]:
    return archive.recall(Question(text, asked_at=noon(12, 1)), save=False).notes


def test_memories_are_of_a_country_by_their_coordinates_alone(archive: Archive) -> None:
    archive.add([photo("north", PORTO), photo("south", FARO), photo("home", BERLIN)])
    assert candidates(archive, "photos from Portugal") == {"north", "south"}


def test_it_has_the_cells_of_a_country(archive: Archive) -> None:
    archive.add([photo("north", PORTO), photo("home", BERLIN), photo("sea", AT_SEA)])
    (place,) = understood(archive, "photos from Portugal").places
    assert place.cells == ("cell:411,-87",)


@pytest.mark.parametrize("question", ["Bilder aus Japan", "photos from Japan", "fotos de Japón"])
def test_the_name_of_a_place_says_its_country_without_coordinates(
    archive: Archive, question: str
) -> None:
    archive.add([photo("temple", None, "Kyoto, Japan"), photo("home", BERLIN)])
    assert candidates(archive, question) == {"temple"}


def test_a_text_that_names_a_place_of_the_country_is_about_it(archive: Archive) -> None:
    archive.add([photo("bridge", PORTO, "Ribeira, Porto")])
    mail = Memory("mail", "email", "Flights\n\nTo Porto at nine", timestamp=noon(6, 1))
    other = Memory("other", "email", "Flights\n\nTo Rome at nine", timestamp=noon(6, 1))
    asked = understood(archive, "Which flight to Portugal?")
    assert [asked.match(mail).place, asked.match(other).place] == [1.0, 0.25]


def test_what_was_made_elsewhere_is_not_from_there(archive: Archive) -> None:
    archive.add([photo("bridge", PORTO), photo("home", BERLIN)])
    asked = understood(archive, "photos from Portugal")
    made = [photo("there", PORTO), photo("elsewhere", BERLIN), photo("unknown", None)]
    assert [asked.match(each).place for each in made] == [1.0, 0.0, 0.25]


def test_a_name_that_places_abroad_have_does_not_mean_the_country(archive: Archive) -> None:
    archive.add([photo("new", PORTO, "Oma Else, Porto"), photo("old", BERLIN, "Oma Else", 3)])
    (place,) = understood(archive, "photos from Portugal").places
    assert place.inside == ("Porto",)


def test_a_place_of_the_neighbour_near_a_border_does_not_mean_the_country(archive: Archive) -> None:
    archive.add([photo("lake", (47.65, 9.15), "Konstanz, Germany")])
    (place,) = understood(archive, "photos from Switzerland").places
    assert place.inside == ()


@pytest.mark.parametrize("name", ["Home", "Beach", "Hotel"])
def test_a_word_for_many_places_does_not_mean_the_country(archive: Archive, name: str) -> None:
    archive.add([photo("sand", PORTO, f"{name}, Porto")])
    (place,) = understood(archive, "photos from Portugal").places
    assert place.inside == ("Porto",)


def test_a_country_from_which_nothing_is_stays_unknown(archive: Archive) -> None:
    archive.add([photo("bridge", PORTO, "Porto")])
    assert "nothing here mentions Italy" in notes(archive, "photos from Italy")


def test_an_empty_archive_knows_no_country(archive: Archive) -> None:
    assert understood(archive, "photos from Italy").places == ()


def test_a_memory_at_sea_is_of_no_country(archive: Archive) -> None:
    archive.add([photo("waves", AT_SEA)])
    assert understood(archive, "photos from Brazil").places == ()


def test_both_sides_of_the_date_line_are_one_country(archive: Archive) -> None:
    archive.add([photo("east", (-16.8, 179.99)), photo("west", (-16.8, -179.99))])
    assert candidates(archive, "photos from Fiji") == {"east", "west"}


def test_a_country_that_is_set_aside_is_not_sought(archive: Archive) -> None:
    archive.add([photo("bridge", PORTO, "Porto"), photo("home", BERLIN)])
    asked = understood(archive, "photos apart from Portugal")
    assert (asked.places, asked.apart) == ((), ("Portugal",))


def test_a_known_person_is_no_country(archive: Archive) -> None:
    archive.add([photo("rock", (30.33, 35.44), "Petra"), spoken("Jordan")])
    asked = understood(archive, "photos from Jordan")
    assert (asked.places, [each.name for each in asked.people]) == ((), ["Jordan"])


def test_behind_in_a_country_is_no_person(archive: Archive) -> None:
    archive.add([photo("rock", (30.33, 35.44), "Petra"), spoken("Jordan")])
    asked = understood(archive, "When were we in Jordan?")
    assert ([each.name for each in asked.places], asked.people) == (["Jordan"], ())


def spoken(by: str) -> Memory:
    return Memory(f"by-{by}", "message", "hello", timestamp=noon(2, 2), speaker=by)


def test_a_longer_name_of_a_place_is_no_country(archive: Archive) -> None:
    archive.add([photo("cup", BERLIN, "Café Portugal"), photo("bridge", PORTO, "Porto")])
    (place,) = understood(archive, "photos from Café Portugal").places
    assert (place.name, place.cells) == ("Café Portugal", ())


def test_the_notes_name_the_country_with_places_there(archive: Archive) -> None:
    archive.add([photo("a", PORTO, "Ribeira, Porto, Portugal"), photo("b", FARO, "Faro, Portugal")])
    asked = understood(archive, "photos from Portugal")
    assert described(asked) == ("place: Portugal (Ribeira, Porto, Faro)", "media: photos")


def test_the_notes_of_a_country_without_names_have_no_brackets(archive: Archive) -> None:
    archive.add([photo("a", PORTO)])
    assert described(understood(archive, "Fotos aus Portugal")) == (
        "place: Portugal",
        "media: Fotos",
    )


def test_what_came_later_does_not_say_that_somebody_was_there(archive: Archive) -> None:
    archive.add([photo("bridge", PORTO, "Porto", 7), photo("home", BERLIN, "Berlin", 3)])
    earlier = understood(archive, "photos from Portugal", as_of=noon(5, 1))
    later = understood(archive, "photos from Portugal", as_of=noon(9, 1))
    assert (earlier.places, len(later.places)) == ((), 1)


def test_a_nation_is_found_with_its_kingdom(archive: Archive) -> None:
    archive.add([photo("castle", (55.95, -3.19)), photo("bay", (51.48, -3.18))])
    assert candidates(archive, "photos from the United Kingdom") == {"castle", "bay"}
    assert candidates(archive, "Fotos aus Schottland") == {"castle"}


def test_what_was_added_after_a_question_is_found_by_the_next(archive: Archive) -> None:
    archive.add([photo("bridge", PORTO)])
    assert candidates(archive, "photos from Portugal") == {"bridge"}
    archive.add([photo("beach", FARO)])
    assert candidates(archive, "photos from Portugal") == {"bridge", "beach"}


@pytest.fixture
def placed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many points were looked up, each time."""
    counts: list[int] = []

    def counted(points: NDArray[np.float64]) -> list[str]:
        counts.append(len(points))
        return countries_at(points)

    monkeypatch.setattr(module, "countries_at", counted)
    return counts


def test_cells_are_placed_once_for_all_questions(archive: Archive, placed: list[int]) -> None:
    archive.add([photo("bridge", PORTO)])
    for question in ("photos from Portugal", "Fotos aus Spanien", "photos from Portugal"):
        candidates(archive, question)
    assert placed == [1]


def test_a_question_without_a_country_places_no_cells(archive: Archive, placed: list[int]) -> None:
    archive.add([photo("bridge", PORTO, "Porto")])
    candidates(archive, "photos from Porto")
    assert placed == []


def test_without_an_archive_every_country_is_one() -> None:
    (found,) = any_country("Fotos aus Italien")
    assert (found.named.name, found.inside, found.cells) == ("Italien", (), ())
