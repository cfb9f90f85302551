"""Every memory is reachable by what a question names, with or without words, in both stores."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from graphmemix.archive import Archive
from graphmemix.encode.hashing import HashingEncoder
from graphmemix.evidence import Question
from graphmemix.memory import Media, Memory, Place
from graphmemix.settings import Settings
from tests.archives import scene
from tests.store.conftest import Postgres, postgres  # noqa: F401  # a fixture

ASKED = datetime(2024, 3, 1, 12, tzinfo=UTC)
NERJA = Place("Playa de Burriana, Nerja", 36.75, -3.87)


def at(month: int, day: int, hour: int = 12) -> datetime:
    return datetime(2023, month, day, hour, tzinfo=UTC)


def bare(memory_id: str, when: datetime | None, **more: object) -> Memory:
    """A photo without a word."""
    return Memory(memory_id, "photo", timestamp=when, **{"media": (Media("image"),), **more})  # type: ignore[arg-type]


def household() -> list[Memory]:
    return [
        bare("bare", at(7, 10), media=(Media("image", name="IMG_2034.HEIC"),)),
        bare("july", at(7, 14), place=Place("", 36.751, -3.871)),
        bare("album", at(8, 2), metadata={"album": "Fotos/Sommer 2023"}),
        Memory("video", "video", timestamp=at(7, 15), place=NERJA, media=(Media("video"),)),
        Memory("hers", "photo", timestamp=at(5, 3), speaker="Olga", media=(Media("image"),)),
        Memory("mail", "email", "Tickets\n\nThey are here.", timestamp=at(5, 4), speaker="Olga"),
        Memory("tooth", "message", "Mia hat ihren Zahn verloren", timestamp=at(9, 9)),
        Memory("hotel", "email", "Hotel\n\nIhr Zimmer am 9. September 2023", timestamp=at(6, 1)),
        Memory("boiler", "message", "la chaudière est tombée en panne", timestamp=at(11, 4)),
        bare("repair", at(11, 5)),
        Memory("talk", "event", "mi charla en Sevilla", timestamp=at(10, 20)),
        bare("eve", at(10, 19)),
        bare("far", datetime(2023, 3, 5, 22, tzinfo=timezone(timedelta(hours=-5)))),
    ]  # fmt: skip


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def archive(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Archive]:
    folder = tmp_path_factory.mktemp("reachable")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_DATA_HOME", str(folder))  # of media beside PostgreSQL
        place: str | Path = folder / "archive"
        if request.param == "postgres":
            server: Postgres = request.getfixturevalue("postgres")
            place = f"{server.new_database().url}#household"
        settings = Settings.load(environment={"HOME": str(folder)})
        with Archive.open(place, encoder=HashingEncoder(), settings=settings) as archive:
            archive.add(household())
            yield archive


def asked(text: str) -> Question:
    return Question(text, asked_at=ASKED)


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("photos from 10 July 2023", {"bare"}),
        ("Fotos vom 10. Juli 2023", {"bare"}),
        ("photos du 10 juillet 2023", {"bare"}),
        ("fotos del 10 de julio de 2023", {"bare"}),
        ("foto del 10 luglio 2023", {"bare"}),
        ("fotos de 10 de julho de 2023", {"bare"}),
        ("foto's van 10 juli 2023", {"bare"}),
        ("bilder från den 10 juli 2023", {"bare"}),
        ("2023年7月10日の写真", {"bare"}),
        ("2023年7月10日的照片", {"bare"}),
        ("2023년 7월 10일 사진", {"bare"}),
        ("cosa abbiamo fatto il 14 luglio 2023?", {"july"}),
        ("o que fizemos a 14 de julho de 2023?", {"july"}),
        ("wat deden we op 14 juli 2023?", {"july"}),
        ("vad gjorde vi den 14 juli 2023?", {"july"}),
        ("2023年7月14日は何をした?", {"july"}),
        ("What happened on 14 July 2023?", {"july"}),
        ("What happened on 5 March 2023?", {"far"}),  # by its own clock, not in UTC
        ("Was ist am 14. Juli 2023 passiert?", {"july"}),
        ("Qu'est-ce qui s'est passé le 14 juillet 2023 ?", {"july"}),
        ("¿Qué pasó el 14 de julio de 2023?", {"july"}),
        ("videos from Nerja", {"video"}),
        ("Videos aus Nerja", {"video"}),
        ("vidéos de Nerja", {"video"}),
        ("vídeos de Nerja", {"video"}),
        ("photos from Nerja", {"july"}),  # it has only coordinates
        ("photos from Spain", {"july"}),  # nothing here names it
        ("Fotos aus Spanien", {"july"}),
        ("photos d'Espagne", {"july"}),
        ("fotos de España", {"july"}),
        ("videos from spain", {"video"}),
        ("album Sommer 2023", {"album"}),
        ("Fotos aus dem Album Sommer 2023", {"album"}),
        ("photos de l'album Sommer 2023", {"album"}),
        ("fotos del álbum Sommer 2023", {"album"}),
        ("IMG_2034", {"bare"}),
        ("Zeig mir IMG_2034.HEIC", {"bare"}),
        ("montre-moi img_2034", {"bare"}),
        ("foto IMG_2034", {"bare"}),
        ("What did Olga write in May 2023?", {"mail", "hers"}),
        ("Was hat Olga im Mai 2023 geschrieben?", {"mail", "hers"}),
        ("photos by Olga from May 2023", {"hers"}),
        ("e-mails from May 2023", {"mail"}),
    ],
)
def test_what_a_question_names_decides_alone(
    archive: Archive, question: str, found: set[str]
) -> None:
    graph = archive.candidates(asked(question))
    assert {each.memory_id for each in graph.candidates} == found
    trace = archive.recall(asked(question), save=False)
    assert trace.forest is not None
    assert set(trace.forest.memory_ids) == found


@pytest.mark.parametrize("asked_at", [None, datetime(2033, 2, 1, tzinfo=UTC)])
@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("photos from 10 July", {"bare"}),
        ("Fotos vom 10. Juli", {"bare"}),
        ("photos du 10 juillet", {"bare"}),
        ("fotos del 10 de julio", {"bare"}),
        ("What did Olga write in May?", {"mail", "hers"}),
        ("Was hat Olga im Mai geschrieben?", {"mail", "hers"}),
        ("Qu'a écrit Olga en mai ?", {"mail", "hers"}),
        ("¿Qué escribió Olga en mayo?", {"mail", "hers"}),
    ],
)
def test_a_date_without_a_year_needs_no_time_of_the_question(
    archive: Archive, question: str, found: set[str], asked_at: datetime | None
) -> None:
    graph = archive.candidates(Question(question, asked_at=asked_at))
    assert {each.memory_id for each in graph.candidates} == found


def test_a_plain_text_is_asked_now(archive: Archive) -> None:
    trace = archive.recall("photos from last week", save=False)
    assert "nothing here is from last week" in trace.notes
    assert trace.question.asked_at is not None
    assert trace.question.asked_at.utcoffset() is not None


@pytest.mark.parametrize(
    "question", ["videos from the beach in Nerja", "vídeos de la playa de Nerja"]
)
def test_what_satisfies_all_that_is_named_is_evidence(archive: Archive, question: str) -> None:
    trace = archive.recall(asked(question), save=False)
    assert trace.forest is not None
    assert "video" in trace.forest.memory_ids


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("photos from 3 March 2019", "nothing here is from 3 March 2019"),
        ("Was ist am 3. März 2019 passiert?", "nothing here is from 3. März 2019"),
        ("voice notes from July 2023", "there are no voice notes here"),
        ("Sprachnachrichten von Olga", "there are no Sprachnachrichten here"),
        ("photos from Samarkand", "nothing here mentions Samarkand"),
        ("What did Zoltan write in May?", "nothing here mentions Zoltan"),
        ("Was schrieb Zoltan im Mai?", "nothing here mentions Zoltan"),
        ("Qu'a écrit Zoltan en mai ?", "nothing here mentions Zoltan"),
        ("When is Zoltan's birthday?", "nothing here mentions Zoltan"),
        ("Wann ist Zoltans Geburtstag?", "nothing here mentions Zoltan"),
        ("¿Cuándo es el cumpleaños de Zoltan?", "nothing here mentions Zoltan"),
        ("album Winter 2031", "there is no such album here"),
        ("IMG_9999.jpg", "there is no IMG_9999.jpg here"),
    ],
)
def test_what_is_named_and_not_there_is_said(archive: Archive, question: str, said: str) -> None:
    assert said in archive.recall(asked(question), save=False).notes


@pytest.mark.parametrize(
    "question", ["What did Olga write in May 2023?", "photos from Nerja", "album Sommer 2023"]
)
def test_of_what_is_there_nothing_is_said(archive: Archive, question: str) -> None:
    notes = archive.recall(asked(question), save=False).notes
    assert not [note for note in notes if note.startswith(("nothing here", "there "))]


@pytest.mark.parametrize(
    ("question", "event", "led_to"),
    [
        ("Which hotel did we have when Mia lost her tooth? Zahn", "tooth", "hotel"),
        ("Welches Hotel hatten wir, als Mia ihren Zahn verlor?", "tooth", "hotel"),
        ("Qui est venu le week-end où la chaudière est tombée en panne ?", "boiler", "repair"),
        ("¿Qué hicimos el día antes de mi charla?", "talk", "eve"),
    ],
)
def test_an_event_gives_the_time(archive: Archive, question: str, event: str, led_to: str) -> None:
    found = [each.memory_id for each in archive.candidates(asked(question)).candidates]
    assert {event, led_to} <= set(found)


@pytest.mark.parametrize(
    "question",
    [
        "What did we eat on the trip to Ohrid?",
        "Was haben wir auf der Reise nach Ohrid gegessen?",
        "Qu'avons-nous mangé pendant le voyage à Ohrid ?",
        "¿Qué comimos en el viaje a Ohrid?",
    ],
)
def test_a_trip_is_all_of_the_days_away(archive: Archive, question: str) -> None:
    lake, vienna = Place("", 41.1, 20.8), Place("", 48.2, 16.4)
    trip = [
        Memory("arrived", "message", "Ohrid at last!", timestamp=at(6, 2)),
        *(bare(f"day {day}", at(6, day), place=lake) for day in (2, 4, 6, 8)),
        bare("plate", at(6, 8, 20)),
    ]
    home = [bare(f"home {month}", at(month, 20), place=vienna) for month in (2, 3, 4, 11, 12)]
    archive.add([*trip, *home])
    try:
        edges = related(archive, question, "episode")
        assert {("arrived", "day 8"), ("arrived", "plate")} <= edges
        assert not [edge for edge in edges if "arrived" in edge and edge[1].startswith("home")]
    finally:
        archive.erase([memory.id for memory in (*trip, *home)])


# Relations across sources


def jpeg(data: bytes, quality: int) -> bytes:
    out = io.BytesIO()
    small = Image.open(io.BytesIO(data)).resize((80, 80))
    small.save(out, "JPEG", quality=quality)
    return out.getvalue()


def related(archive: Archive, question: str, relation: str) -> set[tuple[str, str]]:
    edges = archive.candidates(asked(question)).edges
    return {(edge.source, edge.target) for edge in edges if edge.relation == relation}


def test_a_copy_in_a_chat_is_related_with_the_original_photo(archive: Archive) -> None:
    original = scene("red", seed=7)
    other = np.random.default_rng(5).integers(0, 255, (40, 40, 3)).astype(np.uint8)
    out = io.BytesIO()
    Image.fromarray(other).save(out, "PNG")
    held = [
        archive.media.put(data).sha256 for data in (original, jpeg(original, 60), out.getvalue())
    ]
    archive.add(
        [
            bare("original", at(4, 1), media=(Media("image", sha256=held[0]),)),
            Memory(
                "copy", "message", "Look, the kite!", timestamp=at(12, 1), speaker="Olga",
                media=(Media("image", sha256=held[1]),),
            ),
            bare("another", at(4, 20), media=(Media("image", sha256=held[2]),)),
        ]
    )  # fmt: skip
    try:
        assert related(archive, "the kite", "same_picture") == {("copy", "original")}
    finally:
        archive.erase(["original", "copy", "another"])


def test_a_forward_is_related_with_the_original_after_years(archive: Archive) -> None:
    text = "The lease ends in autumn, and the landlord wants to sell the flat by then."
    forward = (
        f"Fwd: The lease\n\nFYI\n\n---------- Forwarded message ---------\nFrom: Ben\n\n{text}"
    )
    archive.add(
        [
            Memory(
                "lease", "email", f"The lease\n\n{text}", timestamp=at(1, 1), source="mbox",
                metadata={"subject": "The lease"},
            ),
            Memory(
                "forward", "email", forward, timestamp=datetime(2025, 1, 1, tzinfo=UTC),
                source="maildir", metadata={"subject": "Fwd: The lease"},
            ),
        ]
    )  # fmt: skip
    try:
        assert related(archive, "landlord", "forward_of") == {("forward", "lease")}
    finally:
        archive.erase(["lease", "forward"])


def test_a_thread_holds_together_though_a_mail_of_it_is_missing(archive: Archive) -> None:
    archive.add(
        [
            Memory("first", "email", "Kayak\n\nSaturday?", timestamp=at(2, 1), session="<kayak>"),
            Memory("third", "email", "Re: kayak\n\nAgreed.", timestamp=at(2, 9), session="<kayak>"),
        ]
    )
    try:
        assert related(archive, "kayak", "same_thread") == {("first", "third")}
    finally:
        archive.erase(["first", "third"])
