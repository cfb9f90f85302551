"""Candidates by constraints, by an event that gives the time, and without any of it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from graphmemix.archive import Archive
from graphmemix.encode.hashing import HashingEncoder
from graphmemix.encode.views import views_of
from graphmemix.evidence import CandidateGraph
from graphmemix.memory import Description, Media, Memory, Place, Reference
from graphmemix.retrieve.graph import LINKED, Size
from graphmemix.settings import Settings
from tests.archives import ids, opened


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with opened(tmp_path / "archive") as archive:
        yield archive


def noon(month: int, day: int) -> datetime:
    return datetime(2023, month, day, 12, tzinfo=UTC)


def photo(memory_id: str, when: datetime, caption: str = "") -> Memory:
    media = (Media("image", description=Description(caption=caption)),)
    return Memory(memory_id, "photo", timestamp=when, media=media)


def mail(memory_id: str, text: str, when: datetime) -> Memory:
    return Memory(memory_id, "email", text, timestamp=when)


def test_constraints_alone_give_exactly_what_satisfies_them(archive: Archive) -> None:
    archive.add(
        [
            photo("on", noon(7, 10)),
            photo("on too", noon(7, 10) + timedelta(hours=2), "a castle"),
            photo("after", noon(7, 11), "photos from July"),
            mail("mail", "photos from 10 July\n\nAttached.", noon(7, 10)),
            mail("other", "photos from 10 July\n\nAttached.", noon(9, 10)),
        ]
    )
    graph = archive.candidates("photos from 10 July 2023")
    assert set(ids(graph)) == {"on", "on too"}
    assert [candidate.seed_rank for candidate in graph.candidates] == [0, 1]


def test_a_question_that_says_more_is_also_searched_for(archive: Archive) -> None:
    archive.add([photo("on", noon(7, 10)), photo("castle", noon(3, 3), "the castle at night")])
    graph = archive.candidates("photos of the castle from 10 July 2023")
    assert set(ids(graph)) == {"on", "castle"}


def test_what_constraints_fetch_follows_the_seeds(archive: Archive) -> None:
    archive.add([mail(f"m{i}", f"About the castle {i}", noon(3, 1 + i)) for i in range(9)])
    archive.add([photo("on", noon(7, 10))])
    overrides = {"retrieval.seeds_without_model": 2, "retrieval.seeds": 2, "graph.hops": 0}
    question = "What did we see of the castle on 10 July 2023?"
    seen = asked(archive, question, **overrides)
    assert "on" in ids(seen)
    assert "on" not in ids(asked(archive, question, **overrides, **{"graph.reach.on": False}))


def asked(archive: Archive, question: str, **overrides: object) -> CandidateGraph:
    """Ask the same archive with other settings."""
    chosen = Settings.load(environment={"HOME": "/nonexistent"}, overrides=overrides)
    return Archive(archive.store, HashingEncoder(), chosen).candidates(question)


def with_an_event(archive: Archive) -> None:
    archive.add(
        [
            Memory("tooth", "message", "Mia lost her tooth today", timestamp=noon(7, 10)),
            mail("hotel", "Your reservation\n\nSee you from 9 to 12 July 2023", noon(5, 1)),
            mail("later", "Your reservation\n\nSee you from 9 to 12 August 2023", noon(5, 1)),
            *(mail(f"x{i}", f"which hotel did we have {i}", noon(1, 1 + i)) for i in range(9)),
        ]
    )


def test_an_event_in_the_question_leads_to_what_is_of_its_days(archive: Archive) -> None:
    with_an_event(archive)
    few = {"retrieval.seeds": 3, "retrieval.seeds_without_model": 3, "graph.hops": 0}
    graph = asked(archive, "Which hotel did we have when Mia lost her tooth?", **few)
    found = {candidate.memory_id: candidate for candidate in graph.candidates}
    assert {"tooth", "hotel"} <= set(found)
    assert "later" not in found
    assert ("tooth", "episode", LINKED) in {
        (way.seed_id, way.relation, way.confidence) for way in found["hotel"].via
    }
    assert ("hotel", "tooth", "episode") in {
        (edge.source, edge.target, edge.relation) for edge in graph.edges
    }


@pytest.mark.parametrize("most", [1, 2, 4, 9])
def test_an_event_adds_no_more_than_there_is_room_for(archive: Archive, most: int) -> None:
    with_an_event(archive)
    size = {"graph.candidates": most, "graph.candidates_without_model": most}
    graph = asked(archive, "Which hotel did we have when Mia lost her tooth?", **size)
    assert len(graph.candidates) == most


def test_what_the_archive_does_not_hold_is_noted(archive: Archive) -> None:
    archive.add([mail("m", "About the castle", noon(3, 1))])
    notes = archive.candidates("photos of the castle from 10 July 2023").notes
    assert "there are no photos here" in notes
    assert any(note.startswith("nothing here is from") for note in notes)
    assert not any("nothing here" in note for note in archive.candidates("the castle").notes)


def test_more_are_looked_at_where_no_model_reads_them() -> None:
    settings = Settings.load(environment={"HOME": "/nonexistent"})
    assert Size.of(settings, with_model=True) == Size(24, 48)
    assert Size.of(settings, with_model=False) == Size(44, 96)
    paper = Settings.for_profile("paper")
    assert Size.of(paper, with_model=False) == Size.of(paper, with_model=True) == Size(24, 48)


# The published method

PLACES = (None, Place("Lake Bled", 46.36, 14.09), Place("Rome", 41.9, 12.5))


def varied() -> list[Memory]:
    """Memories with all that reach could follow."""
    mails = [
        Memory(
            f"m{i:02}",
            "email",
            f"Re: Castle {i}\n\nOrder PT-88213 on {i + 1} July 2023.\n\nOn Mon, Ben wrote:\n"
            f"> the hotel at the lake {i % 5}\n",
            source_id=f"<{i}>",
            references=(Reference("reply_to", f"<{i - 1}>"),) if i % 3 else (),
            speaker="Olga",
            timestamp=noon(7, 1 + i),
        )
        for i in range(25)
    ]
    photos = [
        Memory(
            f"p{i:02}",
            "photo",
            place=PLACES[i % 3],
            metadata={"album": "castle"},
            media=(Media("image", description=Description(caption=f"lake {i % 7} hotel")),),
            timestamp=noon(7, 1 + i),
        )
        for i in range(25)
    ]
    return [*mails, *photos]


@pytest.mark.parametrize(
    "question",
    [
        "photos from 10 July 2023",
        "Which hotel did we have when Olga saw the castle?",
        "What did Olga write at Lake Bled in July 2023?",
        "order PT-88213",
    ],
)
def test_published_candidates_are_the_best_by_cosine_alone(tmp_path: Path, question: str) -> None:
    encoder = HashingEncoder()
    with opened(tmp_path / "archive", encoder, profile="paper", **{"graph.hops": 0}) as archive:
        archive.add(varied())
        graph = archive.candidates(question)
        views = archive.settings.views
    asked_for = encoder.texts([question])[0]
    best = {
        memory.id: max(
            float(np.dot(encoder.texts([view.text])[0], asked_for))
            for view in views_of(memory, (), views)
        )
        for memory in varied()
    }
    expected = sorted(best, key=lambda i: (-round(best[i], 6), i))[:24]
    assert ids(graph) == expected
    for candidate in graph.candidates:
        assert candidate.score == candidate.dense == pytest.approx(best[candidate.memory_id])
        assert (candidate.lexical, candidate.matched, candidate.chance) == (0, 0, None)
    assert not {edge.relation for edge in graph.edges} & {"within", "episode", "same_identifier"}


def test_published_views_of_a_mail_are_its_whole_text() -> None:
    mail = varied()[1]
    (view,) = views_of(mail, (), Settings.for_profile("paper").views)
    assert view.text == mail.text.strip()
