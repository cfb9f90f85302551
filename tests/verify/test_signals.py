"""Signals of real stores: what retrieval knows of each candidate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from graphmemix.archive import Archive
from graphmemix.encode.hashing import HashingEncoder
from graphmemix.evidence import Candidate, CandidateGraph, Edge, Question
from graphmemix.memory import Description, Media, Memory, View, ViewKind
from graphmemix.retrieve.question import encode_question
from graphmemix.settings import Settings
from graphmemix.store.protocol import Derived, Vector
from graphmemix.verify.protocol import make_case
from graphmemix.verify.signals import Neighbourhood, Signals, gather

KINDS = ("text", "caption", "ocr", "transcript", "image", "frame", "context", "exchange")
QUESTION = "Who has the spare key?"
ENCODER = HashingEncoder(64)


def told(memory_id: str, text: str, sequence: int, **more: object) -> Memory:
    fields = {"session": "s", "round": "1", "sequence": sequence, **more}
    return Memory(memory_id, "message", text, **fields)  # type: ignore[arg-type]


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    caption = Description("A spare key on a table.")
    with Archive.open(tmp_path / "a", encoder=ENCODER, settings=Settings()) as opened:
        opened.add(
            [
                told("asked", "Who has the spare key?", 0),
                told("said", "Olga.", 1),
                Memory(
                    "photo", "photo", media=(Media("image", name="k.jpg", description=caption),)
                ),
            ]
        )
        yield opened


def signals(archive: Archive, *ids: str) -> Signals:
    encoded = encode_question(Question(QUESTION), ENCODER)
    return gather(archive.store, encoded, ids, KINDS)  # type: ignore[arg-type]


def cosine(text: str, other: str = QUESTION) -> float:
    first, second = ENCODER.texts([text, other])
    return float(first @ second)


def test_words_looks_and_contexts_are_told_apart(archive: Archive) -> None:
    found = signals(archive, "asked", "said", "photo")
    assert found.words == pytest.approx([1.0, cosine("Olga."), 0.0], abs=1e-6)
    assert found.looks == pytest.approx([0, 0, cosine("A spare key on a table.")], abs=1e-6)
    whole = cosine("Who has the spare key? Olga.")
    assert found.context[:2] == pytest.approx([whole, whole], abs=1e-6)


def test_an_answer_has_its_words_from_the_exchange(archive: Archive) -> None:
    found = signals(archive, "asked", "said")
    assert found.own_bm25[0] > 0
    assert found.own_bm25[1] == 0
    assert found.context_bm25[1] > 0


def test_vectors_are_the_canonical_one_and_that_of_the_exchange(archive: Archive) -> None:
    found = signals(archive, "said", "photo")
    own, caption, whole = ENCODER.texts(
        ["Olga.", "A spare key on a table.", "Who has the spare key? Olga."]
    )
    assert found.canonical == pytest.approx(np.stack([own, caption]), abs=1e-6)
    assert found.together[0] == pytest.approx(whole, abs=1e-6)
    assert found.question_words == "spare key?"


def test_rows_follow_the_candidates(archive: Archive) -> None:
    one, other = signals(archive, "asked", "said"), signals(archive, "said", "asked")
    assert one.words.tolist() == other.words[::-1].tolist()


def test_what_has_no_vector_has_zeros(archive: Archive) -> None:
    archive.add([Memory("mute", "photo", media=(Media("image", name="IMG_0001.jpg"),))])
    found = signals(archive, "mute")
    assert not found.canonical.any()
    assert (found.words[0], found.looks[0], found.own_bm25[0]) == (0, 0, 0)
    assert found.canonical.dtype == found.together.dtype == np.float32


class Forgetting:
    """A store whose memory is forgotten by another process before its vectors are read."""

    def __init__(self, archive: Archive, memory_id: str) -> None:
        self._archive, self._forgotten = archive, memory_id

    def __getattr__(self, name: str) -> object:
        return getattr(self._archive.store, name)

    def vectors_by_kind(self, ids: Sequence[str]) -> dict[str, tuple[tuple[ViewKind, Vector], ...]]:
        self._archive.erase([self._forgotten])
        return self._archive.store.vectors_by_kind(ids)


def test_what_is_forgotten_meanwhile_has_zeros(archive: Archive) -> None:
    encoded = encode_question(Question(QUESTION), ENCODER)
    store = Forgetting(archive, "asked")
    found = gather(store, encoded, ("asked", "photo"), KINDS)  # type: ignore[arg-type]
    assert (found.words[0], found.own_bm25[0], found.canonical[0].any()) == (0, 0, False)
    assert found.looks[1] > 0


def test_a_video_is_as_its_frames_are_on_the_whole(archive: Archive) -> None:
    archive.add([Memory("film", "video", media=(Media("video", name="x.mp4"),))])
    frames = np.eye(64, dtype=np.float32)[:2]
    views = tuple(View("film", "frame", i, media_sha256="a" * 64, seconds=float(i)) for i in (0, 1))
    archive.store.put_derived({"film": Derived(views, tuple(frames), ENCODER.identity)})
    found = signals(archive, "film")
    assert found.canonical[0, :3] == pytest.approx([0.5**0.5, 0.5**0.5, 0.0])


def test_without_candidates_there_is_nothing(archive: Archive) -> None:
    found = signals(archive)
    assert found.words.shape == (0,)
    assert found.canonical.shape == (0, 64)
    assert found.canonical.dtype == np.float32


def test_a_candidate_that_was_erased_meanwhile_has_no_signals(archive: Archive) -> None:
    found = signals(archive, "asked", "nobody")
    assert found.words[0] > 0.9
    for column in (found.words, found.looks, found.context, found.own_bm25, found.context_bm25):
        assert column[1] == 0
    assert not found.canonical[1].any()
    assert not found.together[1].any()


def test_a_question_that_names_nothing_and_is_one_has_neither_matches_nor_parts(
    archive: Archive,
) -> None:
    found = signals(archive, "asked", "photo")
    assert np.isnan(found.matches).all()
    assert np.isnan(found.parts).all()
    assert (found.matches.shape, found.parts.shape) == ((2, 4), (2, 2))


def test_a_memory_agrees_with_the_time_that_it_is_about(archive: Archive) -> None:
    made = datetime(2023, 5, 1, 12, tzinfo=UTC)
    archive.add(
        [
            Memory("about", "email", "Your stay\n\nfrom 9 to 11 July 2023", timestamp=made),
            Memory("then", "note", "Hello", timestamp=made.replace(month=7, day=10)),
            Memory("other", "email", "Your stay\n\non 12 July 2023", timestamp=made),
        ]
    )
    encoded = encode_question(Question("What was booked for 10 July 2023?"), ENCODER)
    found = gather(archive.store, encoded, ["about", "then", "other"], KINDS)  # type: ignore[arg-type]
    assert found.matches[:2, 0].tolist() == [1, 1]
    assert found.matches[2, 0] < 0.99
    assert np.isnan(found.matches[:, 1:]).all()


def test_the_parts_of_a_question_are_looked_for_apart(archive: Archive) -> None:
    question = Question("Who has the spare key when Olga is away?")
    encoded = encode_question(question, ENCODER)
    found = gather(archive.store, encoded, ["asked"], KINDS)  # type: ignore[arg-type]
    views = ("Who has the spare key?", "Who has the spare key? Olga.")
    best = [max(cosine(v, p) for v in views) for p in ("Who has the spare key", "Olga is away")]
    assert found.parts[0] == pytest.approx(best, abs=1e-6)


def around(*sequences: int | None) -> Neighbourhood:
    memories = [
        Memory(f"m{i}", "message", "Hello.", session="s", round=str(i), sequence=sequence)
        for i, sequence in enumerate(sequences)
    ]
    candidates = tuple(Candidate(memory.id, 0.5, i) for i, memory in enumerate(memories))
    by_id = {memory.id: memory for memory in memories}
    return Neighbourhood(make_case(Question("?"), CandidateGraph(candidates), by_id, 2))


def test_three_positions_are_near_and_four_are_not() -> None:
    assert around(0, 3, 4).near.tolist() == [
        [False, True, False],
        [True, False, True],
        [False, True, False],
    ]


def test_nothing_comes_after_itself() -> None:
    assert around(0, 3).after.tolist() == [[False, False], [True, False]]


def test_messages_without_positions_are_near_nothing() -> None:
    found = around(None, None, 5)
    assert not found.near.any()
    assert not found.after.any()


def test_links_by_day_and_by_number_are_apart_from_those_of_the_schema() -> None:
    memories = {i: Memory(i, "note", "Hello.") for i in "abcd"}
    candidates = tuple(Candidate(i, 0.5, rank) for rank, i in enumerate(memories))
    edges = (
        Edge("a", "b", "within", 0.9),
        Edge("a", "c", "episode", 0.9),
        Edge("b", "c", "same_identifier", 0.9),
        Edge("c", "d", "same_document", 0.99),
    )
    graph = CandidateGraph(candidates, edges)
    found = Neighbourhood(make_case(Question("?"), graph, memories, 2))

    def pairs(matrix: NDArray[np.bool_]) -> list[tuple[int, ...]]:
        assert (matrix == matrix.T).all()
        return [(int(i), int(j)) for i, j in np.argwhere(matrix) if i < j]

    assert pairs(found.within) == [(0, 1)]
    assert pairs(found.same_episode) == [(0, 2)]
    assert pairs(found.same_number) == [(1, 2)]
    assert pairs(found.near) == [(2, 3)]
