from __future__ import annotations

import dataclasses
import math
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmemix.errors import InvalidDataError
from graphmemix.memory import Description, Kind, Media, Memory, Place
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


MOMENTS = st.datetimes(max_value=datetime(9000, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001


def day(month: int, number: int, hour: int = 0, year: int = 2023) -> datetime:
    return datetime(year, month, number, hour, tzinfo=UTC)


def memory(
    text: str = "",
    *,
    kind: Kind = "message",
    at: datetime | None = None,
    place: str | None = None,
    speaker: str | None = None,
    media: tuple[Media, ...] = (),
) -> Memory:
    where = None if place is None else Place(place)
    return Memory("m", kind, text, timestamp=at, place=where, speaker=speaker, media=media)


def time_of(moment: datetime | None, start: datetime, end: datetime) -> float | None:
    return Constraints(times=(TimeConstraint("then", start, end),)).match(memory(at=moment)).time


def place_of(each: Memory, name: str) -> float | None:
    return Constraints(places=(PlaceConstraint(name, name),)).match(each).place


def person_of(each: Memory, name: str, text: str | None = None) -> float | None:
    return Constraints(people=(PersonConstraint(text or name, name),)).match(each).person


# 1 to 11 June is ten days long, so the score falls to 0 over five days beside it:
# after one day (1 + cos 36°) / 2 = 0.9045, after 2.5 days one half.
@pytest.mark.parametrize(
    ("moment", "expected"),
    [
        (day(6, 1), 1.0),
        (day(6, 10, 23), 1.0),
        (day(6, 11), 1.0),  # the border itself
        (day(5, 31), (1 + math.cos(math.pi / 5)) / 2),
        (day(6, 12), (1 + math.cos(math.pi / 5)) / 2),
        (day(6, 13, 12), 0.5),
        (day(6, 16), 0.0),
        (day(6, 16, year=2024), 0.0),
        (None, 0.5),
    ],
)
def test_time(moment: datetime | None, expected: float) -> None:
    assert time_of(moment, day(6, 1), day(6, 11)) == pytest.approx(expected)


def test_beside_a_single_day_the_score_falls_over_one_day() -> None:
    assert time_of(day(6, 2, 12), day(6, 1), day(6, 2)) == pytest.approx(0.5)
    assert time_of(day(6, 3), day(6, 1), day(6, 2)) == 0.0


def test_beside_a_decade_it_falls_over_one_year() -> None:
    start, end = day(1, 1, year=1990), day(1, 1, year=2000)
    assert time_of(end + timedelta(days=365) / 2, start, end) == pytest.approx(0.5)
    assert time_of(end + timedelta(days=365), start, end) == 0.0


def test_beside_an_open_side_it_falls_over_one_week() -> None:
    assert time_of(day(1, 1, year=1850), EARLIEST, day(6, 1)) == 1.0
    assert time_of(day(6, 4, 12), EARLIEST, day(6, 1)) == pytest.approx(0.5)
    assert time_of(day(5, 25), day(6, 1), LATEST) == 0.0


def test_time_is_compared_across_zones() -> None:
    tokyo = timezone(timedelta(hours=9))
    assert time_of(datetime(2023, 6, 2, 8, tzinfo=tokyo), day(6, 1), day(6, 2)) == 1.0


def test_a_memory_is_from_a_day_by_its_own_clock_too() -> None:
    tokyo, lima = timezone(timedelta(hours=9)), timezone(timedelta(hours=-5))
    for moment in (datetime(2023, 6, 1, 0, tzinfo=tokyo), datetime(2023, 6, 1, 23, tzinfo=lima)):
        assert time_of(moment, day(6, 1), day(6, 2)) == 1.0
    assert time_of(datetime(2023, 6, 2, 0, tzinfo=lima), day(6, 1), day(6, 2)) != 1.0
    in_tokyo = (datetime(2023, 6, 1, tzinfo=tokyo), datetime(2023, 6, 2, tzinfo=tokyo))
    assert time_of(day(6, 1, 20), *in_tokyo) != 1.0  # UTC is no clock on a wall


@given(MOMENTS, MOMENTS)
def test_time_scores_stay_within_0_and_1(moment: datetime, start: datetime) -> None:
    end = max(LATEST, start + timedelta(days=1))
    score = time_of(moment, start, end)
    assert score is not None
    assert 0 <= score <= 1


def test_of_several_times_the_best_counts() -> None:
    both = Constraints(
        times=(
            TimeConstraint("05/06/2023", day(5, 6), day(5, 7)),
            TimeConstraint("05/06/2023", day(6, 5), day(6, 6)),
        )
    )
    assert both.match(memory(at=day(6, 5, 9))).time == 1.0
    assert both.match(memory(at=day(5, 20))).time == 0.0


@pytest.mark.parametrize(
    ("each", "name", "expected"),
    [
        (memory(place="Café Central, Vienna, Austria"), "Vienna", 1.0),
        (memory(place="Cafe Central, Vienna"), "Café Central", 1.0),
        (memory("We met in vienna."), "Vienna", 1.0),
        (memory("Viennese coffee"), "Vienna", 0.25),
        (memory(), "Vienna", 0.25),
        (memory(place=""), "Vienna", 0.25),
        (memory(place="Graz"), "Vienna", 0.0),
        (memory(place="San Diego"), "San Francisco", 0.25),  # half of the words: 0.5 * 1/2
        (memory("so nice to see you", place="Graz"), "Nice", 0.0),
        (memory("three days in Nice", place="Graz"), "Nice", 1.0),
        (memory("三日間東京にいた"), "東京", 1.0),
    ],
)
def test_place(each: Memory, name: str, expected: float) -> None:
    assert place_of(each, name) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("each", "name", "called", "expected"),
    [
        (memory(speaker="Anna Smith"), "Anna Smith", "Anna", 1.0),
        (memory(speaker="anna smith"), "Anna Smith", "Anna", 1.0),
        (memory(speaker="Anna"), "Anna Smith", "Anna", 0.75),
        (memory("I saw Anna today", speaker="Ben"), "Anna Smith", "Anna", 1.0),
        (memory("I saw Anna Smith", speaker="Ben"), "Anna Smith", "Anna Smith", 1.0),
        (memory("Annabel came", speaker="Ben"), "Anna Smith", "Anna", 0.0),
        (memory("I will come", speaker="Ben"), "Will", "Will", 0.0),
        (memory("ask Will about it", speaker="Ben"), "Will", "Will", 1.0),
        (memory(), "Anna Smith", "Anna", 0.0),
        (memory("Zoe\u0308 came"), "Zoë", "Zoe", 1.0),
    ],
)
def test_person(each: Memory, name: str, called: str, expected: float) -> None:
    assert person_of(each, name, called) == expected


@pytest.mark.parametrize("field", ["caption", "short_caption", "ocr", "transcript"])
def test_words_derived_from_media_count(field: str) -> None:
    told = Description(**{field: "Anna in front of the sign ROME"})
    each = memory(kind="photo", media=(Media("image", description=told),))
    assert person_of(each, "Anna Smith", "Anna") == 1.0
    assert place_of(each, "Rome") == 1.0


def test_of_several_people_each_counts() -> None:
    both = Constraints(
        people=(
            PersonConstraint("Anna", "Anna Smith"),
            PersonConstraint("Anna", "Anna Lopez"),  # two readings of one name count once
            PersonConstraint("Ben", "Ben"),
        )
    )
    assert both.match(memory(speaker="Anna Lopez")).person == 0.5
    assert both.match(memory("Ben was here", speaker="Anna Lopez")).person == 1.0
    assert both.match(memory("nobody", speaker="Eva")).person == 0.0


PHOTO = MediaConstraint("photo", ("photo",), ("image",))


@pytest.mark.parametrize(
    ("each", "wanted", "expected"),
    [
        (memory(kind="photo"), PHOTO, 1.0),
        (memory("look", media=(Media("image"),)), PHOTO, 1.0),
        (memory("look", media=(Media("video"),)), PHOTO, 0.0),
        (memory("look"), PHOTO, 0.0),
        (memory(kind="email"), MediaConstraint("mail", ("email",)), 1.0),
        (memory(kind="message"), MediaConstraint("mail", ("email",)), 0.0),
    ],
)
def test_media(each: Memory, wanted: MediaConstraint, expected: float) -> None:
    assert Constraints(media=(wanted,)).match(each).media == expected


def test_what_is_not_asked_for_is_none() -> None:
    assert Constraints().match(memory("hello", at=day(6, 1))) == Match()
    assert Constraints(media=(PHOTO,)).match(memory()) == Match(media=0.0)


def test_a_name_may_be_a_word_that_connects_in_another_language() -> None:
    assert not find_constraints("photos of Mia", None).alone
    assert find_constraints("photos of us", None).alone


@pytest.mark.parametrize(
    ("question", "people"),
    [
        ("In welchem Hotel waren wir?", []),
        ("Dans quel Hotel étions-nous ?", []),
        ("Wann schrieb Hotel Olivo?", ["Hotel Olivo"]),
        ("What is her allergy?", []),
        ("What did the Allergy Practice say?", ["Allergy Practice Weiss"]),
        ("what did panitech say", ["Panitech Service"]),
        ("What did Panitech say?", ["Panitech Service"]),
        ("What did anna say to us in May?", ["Anna Berg"]),
    ],
)
def test_words_for_houses_are_nobodys_first_name(question: str, people: list[str]) -> None:
    known = (
        "Hotel Olivo",
        "Hotel Jezero",
        "Allergy Practice Weiss",
        "Panitech Service",
        "Anna Berg",
    )
    assert [each.name for each in find_constraints(question, None, people=known).people] == people


def test_a_name_that_nobody_has_may_be_a_misspelt_one() -> None:
    known = ("Tomás Ferreira", "Ruth Brandt")
    assert find_constraints("What did Tomaz write?", None, people=known).meant == (
        ("Tomaz", "Tomás Ferreira"),
    )
    assert find_constraints("What did Zoltan write?", None, people=known).meant == ()


def test_a_german_owner_is_named_without_the_s() -> None:
    assert find_constraints("Wann ist Zoltans Geburtstag?", None).unknown == ("Zoltan",)
    assert find_constraints("Wann ist der Geburtstag von Zoltan?", None).unknown == ("Zoltan",)
