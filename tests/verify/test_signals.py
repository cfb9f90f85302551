"""Signals of real stores: what retrieval knows of each candidate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from graphmemix.archive import Archive
from graphmemix.encode.hashing import HashingEncoder
from graphmemix.evidence import Question
from graphmemix.memory import Description, Media, Memory, View
from graphmemix.retrieve.question import encode_question
from graphmemix.settings import Settings
from graphmemix.store.protocol import Derived
from graphmemix.verify.signals import Signals, gather

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
    assert found.question_words == QUESTION


def test_rows_follow_the_candidates(archive: Archive) -> None:
    one, other = signals(archive, "asked", "said"), signals(archive, "said", "asked")
    assert one.words.tolist() == other.words[::-1].tolist()


def test_what_has_no_vector_has_zeros(archive: Archive) -> None:
    archive.add([Memory("mute", "photo", media=(Media("image", name="x.jpg"),))])
    found = signals(archive, "mute")
    assert not found.canonical.any()
    assert (found.words[0], found.looks[0], found.own_bm25[0]) == (0, 0, 0)
    assert found.canonical.dtype == found.together.dtype == np.float32


class Forgetting:
    """A store whose memory is forgotten by another process after its views were read."""

    def __init__(self, archive: Archive, memory_id: str) -> None:
        self._archive, self._forgotten = archive, memory_id

    def __getattr__(self, name: str) -> object:
        return getattr(self._archive.store, name)

    def views(self, ids: Sequence[str]) -> dict[str, tuple[View, ...]]:
        found = self._archive.store.views(ids)
        self._archive.erase([self._forgotten])
        return found


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
