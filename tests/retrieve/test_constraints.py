from __future__ import annotations

import dataclasses
from datetime import UTC, datetime

import pytest

from graphmemix.errors import InvalidDataError
from graphmemix.retrieve.constraints import (
    EARLIEST,
    LATEST,
    Constraints,
    Match,
    MediaConstraint,
    PersonConstraint,
    PlaceConstraint,
    TimeConstraint,
    find_constraints,
)
from tests.text.dates.dated import ASKED

PEOPLE = ("Anna Smith", "Ben")
PLACES = ("Caffè Roma, Rome, Italy",)
MAY = TimeConstraint("May 2023", datetime(2023, 5, 1, tzinfo=UTC), datetime(2023, 6, 1, tzinfo=UTC))


def test_all_sorts_in_one_question() -> None:
    question = "Which photos did Anna send me from Rome in May 2023, and which mails did Ben?"
    found = find_constraints(question, None, people=PEOPLE, places=PLACES)
    assert found == Constraints(
        times=(MAY,),
        places=(PlaceConstraint("Rome", "Rome"),),
        people=(PersonConstraint("Anna", "Anna Smith"), PersonConstraint("Ben", "Ben")),
        media=(
            MediaConstraint("photos", ("photo",), ("image",)),
            MediaConstraint("mails", ("email",)),
        ),
    )
    assert found.all == (*found.times, *found.places, *found.people, *found.media)


def test_a_question_that_names_nothing() -> None:
    found = find_constraints("When did I last laugh?", ASKED, people=PEOPLE, places=PLACES)
    assert found == Constraints()
    assert not found
    assert find_constraints("today", ASKED)


@pytest.mark.parametrize(
    "record",
    [
        MAY,
        TimeConstraint("before 2015", EARLIEST, datetime(2015, 1, 1, tzinfo=UTC)),
        TimeConstraint("after 2015", datetime(2016, 1, 1, tzinfo=UTC), LATEST),
        PlaceConstraint("Rome", "Rome"),
        PersonConstraint("Anna", "Anna Smith"),
        MediaConstraint("recording", ("audio", "video"), ("audio", "video")),
        Match(time=0.5, media=1.0),
        find_constraints("Ben's photos, last summer", ASKED, people=PEOPLE),
    ],
)
def test_records_survive_json(record: Constraints | Match | TimeConstraint) -> None:
    assert type(record).from_json(record.to_json()) == record


def test_records_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        MAY.text = "June"  # type: ignore[misc]


def test_a_time_needs_a_zone_and_an_end_behind_its_start() -> None:
    with pytest.raises(InvalidDataError, match="start"):
        TimeConstraint("May", datetime(2023, 5, 1), MAY.end)  # noqa: DTZ001
    with pytest.raises(InvalidDataError, match="before it ends"):
        TimeConstraint("May", MAY.end, MAY.start)


def test_the_clock_needs_a_zone() -> None:
    with pytest.raises(InvalidDataError, match="asked_at"):
        find_constraints("yesterday", datetime(2024, 3, 13))  # noqa: DTZ001


@pytest.mark.parametrize(
    ("question", "text", "kinds", "modalities"),
    [
        ("Show me the photo of the dog", "photo", ("photo",), ("image",)),
        ("the picture with the red car", "picture", ("photo",), ("image",)),
        ("that screenshot from my phone", "screenshot", ("photo",), ("image",)),
        ("the video of the concert", "video", ("video",), ("video",)),
        ("in which e-mail is the booking?", "e-mail", ("email",), ()),
        ("Who emailed me about it?", "emailed", ("email",), ()),
        ("the message about dinner", "message", ("message",), ()),
        ("What did we chat about?", "chat", ("message",), ()),
        ("Who sent the text message?", "text message", ("message",), ()),
        ("in the PDF of the contract", "PDF", ("document",), ()),
        ("the voice note from Mum", "voice note", ("audio",), ("audio",)),
        ("a voice message", "voice message", ("audio",), ("audio",)),
        ("the recording of the talk", "recording", ("audio", "video"), ("audio", "video")),
        ("in my notes", "notes", ("note",), ()),
        ("When is my appointment?", "appointment", ("event",), ()),
        ("das Bild vom Hund", "Bild", ("photo",), ("image",)),
        ("la vidéo du concert", "vidéo", ("video",), ("video",)),
        ("el correo electrónico de Ana", "correo electrónico", ("email",), ()),
        ("la nota de voz de Ana", "nota de voz", ("audio",), ("audio",)),
    ],
)
def test_media_words(
    question: str, text: str, kinds: tuple[str, ...], modalities: tuple[str, ...]
) -> None:
    (found,) = find_constraints(question, None).media
    assert (found.text, found.kinds, found.modalities) == (text, kinds, modalities)


@pytest.mark.parametrize(
    "question",
    [
        "What is Anna's email address?",
        "Which video game did I play?",
        "our video call",
        "Please note that I left",
        "the photographer's name",
        "the text on the sign",
        "Who sent the invoice?",
        "Videography",
    ],
)
def test_no_media_words(question: str) -> None:
    assert find_constraints(question, None).media == ()


def test_each_medium_stands_once() -> None:
    found = find_constraints("photos or pictures or a video", None).media
    assert [medium.text for medium in found] == ["photos", "video"]
