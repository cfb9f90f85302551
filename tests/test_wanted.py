"""Which memories are wanted: names of people and places, and boxes around them."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from graphmemix import Archive, HashingEncoder, InvalidInputError, Place
from graphmemix.asking import Wanted, wanted_filter, wanted_in
from graphmemix.store.protocol import Box

AUTHORS = ("Anna Berg", "Anna Klein", "Dr. Özgür Şahin <oezguer@example.org>")


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    places = [
        ("Lake Garda, Italy", 45.6, 10.7),
        ("Lake Garda, Italy", 45.7, 10.8),
        ("Suva", -18.1, 178.4),
        ("Springfield", 42.1, -72.6),
        ("Springfield", 39.8, -89.6),
        ("Home", None, None),
    ]
    place = tmp_path_factory.mktemp("wanted") / "a"
    with Archive.open(place, encoder=HashingEncoder()) as opened:
        opened.add(
            {
                "kind": "message",
                "text": f"From {name}, number {i}",
                "place": {"name": name, "latitude": latitude, "longitude": longitude},
                "speaker": AUTHORS[i % 3],
            }
            for i, (name, latitude, longitude) in enumerate(places)
        )
        yield opened


def box_of(archive: Archive, near: Any) -> Box:
    made = wanted_filter(archive.store, "", near=near)
    assert made is not None
    assert made.place is not None
    return made.place


def test_nothing_wanted_is_no_filter(archive: Archive) -> None:
    assert wanted_filter(archive.store, "") is None
    assert wanted_filter(archive.store, "", kinds=[], people=()) is None


def test_requests_have_the_keywords_as_fields(archive: Archive) -> None:
    """Over HTTP all of them; agents do not know the sessions of an archive."""
    from graphmemix.integrations.tools.arguments import SearchArguments
    from graphmemix.serve.question_schemas import RecallRequest

    given = {"question": "Who?", "since": "2023", "kinds": ["photo"], "near": "Suva"}
    body = wanted_in(RecallRequest.model_validate(given))
    assert set(body) == set(Wanted.__annotations__)
    assert body["since"] == "2023"
    tool = wanted_in(SearchArguments.model_validate(given))
    assert body == {**tool, "sessions": []}
    assert wanted_filter(archive.store, "", **body) == wanted_filter(archive.store, "", **tool)
    nothing = wanted_in(SearchArguments.model_validate({"question": "Who?"}))
    assert wanted_filter(archive.store, "", **nothing) is None


def test_a_part_of_a_places_name_means_all_of_its_memories(archive: Archive) -> None:
    box = box_of(archive, "lake garda")
    assert box.south < 45.6 < 45.7 < box.north
    assert box.west < 10.7 < 10.8 < box.east
    assert box.north - box.south < 0.2
    assert len(archive.find(near="Garda")) == 2


def test_a_box_around_a_point_has_the_kilometres_that_are_named(archive: Archive) -> None:
    box = box_of(archive, (60.0, 10.0, 111.2))
    assert (box.south, box.north) == pytest.approx((59, 61))
    assert box.east - box.west == pytest.approx(4.13, abs=0.05)  # degrees are shorter up there
    assert box_of(archive, "60,10,111.2") == box
    assert box_of(archive, Place("x", 60.0, 10.0)) == box_of(archive, (60.0, 10.0))
    assert box_of(archive, box) is box


def test_a_box_may_cross_the_180th_meridian_and_hold_the_pole(archive: Archive) -> None:
    box = box_of(archive, (-18.1, 179.9, 200))
    assert box.west > box.east
    assert [memory.place and memory.place.name for memory in archive.find(near=box)] == ["Suva"]
    pole = box_of(archive, (90.0, 0.0, 500))
    assert (pole.north, pole.west, pole.east) == (90, -180, 180)


@pytest.mark.parametrize(
    ("near", "words"),
    [
        ("Springfield", "are far apart; use coordinates"),
        ("Home", "have no coordinates"),
        ("Atlantis", "no memory is from a place called"),
        ("", "no memory is from a place called ''"),
        ((1.0,), "must be the name of a place"),
        (("a", "b"), "must be the name of a place"),
        ((0.0, 0.0, -1.0), "the distance must be more than 0"),
        ((0.0, 181.0), "longitude between -180 and 180"),
        ((float("nan"), 0.0), "latitude must be between"),
    ],
)
def test_a_place_that_cannot_be_used_is_refused(archive: Archive, near: Any, words: str) -> None:
    with pytest.raises(InvalidInputError, match=words):
        box_of(archive, near)


@pytest.mark.parametrize(
    ("people", "authors"),
    [
        ("Anna Berg", {"Anna Berg"}),
        ("anna klein", {"Anna Klein"}),
        ("Anna", {"Anna Berg", "Anna Klein"}),
        ("ozgur sahin", {"Dr. Özgür Şahin <oezguer@example.org>"}),
        (["Anna Berg", "Şahin"], {"Anna Berg", "Dr. Özgür Şahin <oezguer@example.org>"}),
    ],
)
def test_people_are_found_by_parts_of_their_names(
    archive: Archive, people: Any, authors: set[str]
) -> None:
    assert {memory.speaker for memory in archive.find(people=people)} == authors


def test_somebody_unknown_is_refused_with_some_who_are_known(archive: Archive) -> None:
    with pytest.raises(InvalidInputError, match="authors here are Anna Berg, Anna Klein, Dr"):
        archive.find(people=["Anna Berg", "Nobody"])


def test_an_archive_without_authors_says_so(tmp_path: Path) -> None:
    with Archive.open(tmp_path / "a", encoder=HashingEncoder()) as empty:
        empty.add("a note")
        with pytest.raises(InvalidInputError, match="no memory here names its author"):
            empty.find(people="Anna")


@pytest.mark.parametrize("name", ["find", "recall", "arecall", "ask", "aask", "stream", "astream"])
def test_every_method_lists_the_keywords_in_its_signature(archive: Archive, name: str) -> None:
    parameters = inspect.signature(getattr(archive, name)).parameters
    assert set(Wanted.__annotations__) <= set(parameters)
    assert not any(each.kind == each.VAR_KEYWORD for each in parameters.values())
    assert parameters["since"].default is None
    assert parameters["since"].annotation == "Moment | None"


@pytest.mark.parametrize(
    "use",
    [
        lambda archive, given: archive.find(**given),
        lambda archive, given: archive.recall("the key", **given),
        lambda archive, given: archive.ask("the key", **given),
        lambda archive, given: list(archive.stream("the key", **given)),
        lambda archive, given: asyncio.run(archive.arecall("the key", **given)),
        lambda archive, given: asyncio.run(archive.aask("the key", **given)),
    ],
)
def test_an_unknown_keyword_is_named(
    archive: Archive, use: Callable[[Archive, dict[str, Any]], object]
) -> None:
    with pytest.raises(TypeError, match="'sinse'; did you mean 'since'"):
        use(archive, {"sinse": None})
    with pytest.raises(TypeError, match=r"'colour'; there are since, until, kinds"):
        use(archive, {"colour": "red"})
