"""Names are matched against those that the archive knows; none is guessed."""

from __future__ import annotations

import pytest

from graphmemix.retrieve.constraints import find_constraints
from graphmemix.retrieve.question import described
from tests.text.dates.dated import ASKED

PEOPLE = (
    "Anna Smith",
    "Anna Maria Lopez",
    "Ben",
    "Dr. Clara Oswald",
    "O'Brien, Miles",
    "Jean-Luc Picard",
    "Will Turner",
    "Rose",
    "April",
    "Zoë",
    "tom.jones@example.org",
    "Eva Braun <eva@example.org>",
    "Li",
    "李明",
    "Mum",
)
PLACES = (
    "Paris, France",
    "Café Central, Vienna, Austria",
    "75001 Paris",
    "Nice",
    "New York",
    "York",
    "May Street 5, London",
    "Köln",
    "東京",
)


def people(question: str) -> list[tuple[str, str]]:
    found = find_constraints(question, ASKED, people=PEOPLE, places=PLACES).people
    return [(person.text, person.name) for person in found]


def places(question: str) -> list[tuple[str, str]]:
    found = find_constraints(question, ASKED, people=PEOPLE, places=PLACES).places
    return [(place.text, place.name) for place in found]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What did Ben say?", [("Ben", "Ben")]),
        ("what did ben say?", [("ben", "Ben")]),
        ("WHAT DID BEN SAY?", [("BEN", "Ben")]),
        ("Ben's birthday", [("Ben", "Ben")]),
        ("Ben’s birthday", [("Ben", "Ben")]),
        ("bens birthday", [("bens", "Ben")]),
        ("Did Anna Smith call?", [("Anna Smith", "Anna Smith")]),
        ("Did Anna Maria Lopez call?", [("Anna Maria Lopez", "Anna Maria Lopez")]),
        ("Did Anna call?", [("Anna", "Anna Smith"), ("Anna", "Anna Maria Lopez")]),
        ("Did Clara call?", [("Clara", "Dr. Clara Oswald")]),
        ("Did Dr. Clara Oswald call?", [("Dr. Clara Oswald", "Dr. Clara Oswald")]),
        ("Did Clara Oswald call?", [("Clara Oswald", "Dr. Clara Oswald")]),
        ("Did Miles O'Brien call?", [("Miles O'Brien", "O'Brien, Miles")]),
        ("Did Jean Luc Picard call?", [("Jean Luc Picard", "Jean-Luc Picard")]),
        ("Did Will call?", [("Will", "Will Turner")]),
        ("Will's new car", [("Will", "Will Turner")]),
        ("Did will turner call?", [("will turner", "Will Turner")]),
        ("Did Rose call?", [("Rose", "Rose")]),
        ("Did Zoe call?", [("Zoe", "Zoë")]),
        ("Did Zoe\u0308 call?", [("Zoe\u0308", "Zoë")]),
        ("Did Tom Jones call?", [("Tom Jones", "tom.jones@example.org")]),
        ("Did Eva call?", [("Eva", "Eva Braun <eva@example.org>")]),
        ("Did Li call?", [("Li", "Li")]),
        ("李明在哪里?", [("李明", "李明")]),
        ("what did mum say?", [("mum", "Mum")]),
        ("Did Ben meet Rose, and did Ben stay?", [("Ben", "Ben"), ("Rose", "Rose")]),
        ("a message from April", [("April", "April")]),
        ("a rose for Ben", [("Ben", "Ben")]),
        ("Will I see it?", []),
        ("I will see it", []),
        ("Rose petals", []),
        ("How many miles did I run?", []),
        ("Did Benjamin call?", []),
        ("Did Smith call?", []),
        ("Did Oscar call?", []),
        ("in April 2023", []),
        ("in April", []),
        ("a fine li", []),
    ],
)
def test_people(question: str, expected: list[tuple[str, str]]) -> None:
    assert people(question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What did we eat in Paris?", [("Paris", "Paris")]),
        ("What did we eat in paris?", [("paris", "Paris")]),
        ("What did we eat in Paris, France?", [("Paris, France", "Paris, France")]),
        ("What did we eat in Vienna?", [("Vienna", "Vienna")]),
        ("Who was at Cafe Central?", [("Cafe Central", "Café Central")]),
        ("Who was in Nice?", [("Nice", "Nice")]),
        ("Who was in New York?", [("New York", "New York")]),
        ("Who was in York?", [("York", "York")]),
        ("Who lives in May Street 5?", [("May Street 5", "May Street 5")]),
        ("Wer war in Koeln oder Köln?", [("Köln", "Köln")]),
        ("東京で何を食べた?", [("東京", "東京")]),
        ("a nice photo", []),
        ("Nice photo!", []),
        ("Parisian food", []),
        ("What did we eat in Rome?", []),
    ],
)
def test_places(question: str, expected: list[tuple[str, str]]) -> None:
    assert places(question) == expected


def test_a_longer_name_holds_no_date() -> None:
    found = find_constraints("Who lived in May Street 5 before 2020?", ASKED, places=PLACES)
    assert [time.text for time in found.times] == ["before 2020"]


def test_a_month_that_is_a_name_needs_a_clear_preposition() -> None:
    question = "the photos from April in June"
    named = find_constraints(question, ASKED, people=("April",))
    assert [time.text for time in named.times] == ["June"]
    assert [person.text for person in named.people] == ["April"]
    unnamed = find_constraints(question, ASKED)
    assert [time.text for time in unnamed.times] == ["April", "June"]


def test_a_month_that_is_a_first_name_is_a_month_behind_in() -> None:
    found = find_constraints("the photos in April", ASKED, people=("April Jones",))
    assert [each.text for each in found.all] == ["April", "photos"]
    assert found.times


def test_a_name_that_very_many_bear_stands_for_itself() -> None:
    crowd = tuple(f"Anna {letter}xyz" for letter in "bcdfghjklm")
    (found,) = find_constraints("What did anna say?", ASKED, people=crowd).people
    assert (found.text, found.name) == ("anna", "anna")


def test_names_of_no_letters_are_never_found() -> None:
    assert find_constraints("?! 1", ASKED, people=("", "?!", " "), places=("", ",", "1")).all == ()


@pytest.mark.parametrize(
    ("question", "sought", "apart"),
    [
        ("Apart from Pune, where did we stay on trips?", (), ("Pune",)),
        ("Photos from Italy except Rome and Pisa", ("Italy",), ("Rome", "Pisa")),
        ("Who besides Mia came to Pisa?", ("Pisa",), ("Mia",)),
        ("Wer war außer Noah noch in Rome?", ("Rome",), ("Noah",)),
        ("Où étions-nous à part Rome ou Pisa ?", (), ("Rome", "Pisa")),
        ("¿Dónde estuvimos, excepto en Rome?", (), ("Rome",)),
        ("Apart from Mia, Noah and Anna came to Pisa?", ("Pisa", "Noah", "Anna"), ("Mia",)),
        # Nothing is set aside here.
        ("Besides, Mia came to Pune", ("Pune", "Mia"), ()),
        ("Photos of Mia and Noah in Rome", ("Rome", "Mia", "Noah"), ()),
        ("Did the exception from Rome arrive in Pisa?", ("Rome", "Pisa"), ()),
    ],
)
def test_what_a_question_sets_aside_is_not_sought(
    question: str, sought: tuple[str, ...], apart: tuple[str, ...]
) -> None:
    names, towns = ("Anna", "Mia", "Noah"), ("Italy", "Pisa", "Pune", "Rome")
    found = find_constraints(question, None, people=names, places=towns)
    named = [each.name for each in found.places] + [each.name for each in found.people]
    assert tuple(named) == sought
    assert found.apart == apart
    assert found.unknown == ()
    notes = [note for note in described(found) if note.startswith("apart")]
    assert notes == ([f"apart from: {', '.join(apart)}"] if apart else [])
