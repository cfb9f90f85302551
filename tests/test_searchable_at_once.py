"""Memories are found by words as soon as they are stored; vectors come later, and only once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from graphmemix.archive import Archive, upkeep
from graphmemix.asking import NOT_ENCODED
from graphmemix.encode.hashing import HashingEncoder
from graphmemix.encode.protocol import Matrix, Progress
from graphmemix.integrations.tools import OpenArchiveAccess, call_tool
from graphmemix.llm.sync_bridge import run_sync
from graphmemix.store import Entry
from graphmemix.store.sqlite.database import SqliteDatabase, SqliteSession
from tests.archives import ids, note, opened, require_rebuilt, state, turn

NOON = datetime(2023, 6, 1, 12, tzinfo=UTC)
MAIL = """From: {sender}@example.org
To: mia@example.org
Message-ID: <{number}@example.org>
{answers}Subject: {subject}
Date: {day:02} Jun 2023 10:00:00 +0200

{text}
"""


class Counting(HashingEncoder):
    """Counts which texts it was given, and can be told to wait no longer."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: Counter[str] = Counter()

    def texts(self, texts: Sequence[str], *, progress: Progress | None = None) -> Matrix:
        self.seen.update(texts)
        return super().texts(texts, progress=progress)


class KilledError(BaseException):
    """Stands for the end of the process."""


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "_BATCH", 3)
    monkeypatch.setattr(upkeep, "_WORDS_BATCH", 4)


@pytest.fixture
def mails(tmp_path: Path) -> Path:
    """A folder of mails, some of which answer others."""
    folder = tmp_path / "mails"
    folder.mkdir()
    for number in range(10):
        asked = number - 1 if number % 2 else None
        text = MAIL.format(
            sender=f"person{number % 3}",
            number=number,
            answers="" if asked is None else f"In-Reply-To: <{asked}@example.org>\n",
            subject=f"Boat {number - number % 2}",
            day=number + 1,
            text=f"The boat at pier {number} needs paint, says number {number}.",
        )
        (folder / f"{number}.eml").write_text(text, "utf-8")
    return folder


def store(archive: Archive, count: int = 10) -> None:
    """Store messages of exchanges of two, and make them searchable by words."""
    said = [turn(f"t{i}", f"boat at pier {i}", i, str(i // 2)) for i in range(count)]
    dated = [replace(m, timestamp=NOON + timedelta(days=i)) for i, m in enumerate(said)]
    archive.store.add(map(Entry, dated))
    archive.add_words()


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with opened(tmp_path / "archive", Counting()) as archive:
        yield archive


def test_what_is_stored_is_found_by_words_people_and_relations(
    archive: Archive, mails: Path
) -> None:
    report = archive.ingest([mails], index=False)
    assert (report.new, report.indexed, report.pending) == (10, 0, 10)
    [best, *_] = archive.candidates("paint at pier 7").candidates
    assert "pier 7" in archive.get(best.memory_id).text
    assert {edge.relation for edge in archive.store.edges([best.memory_id])} >= {"reply_to"}
    assert archive.candidates("what did person1 write on 2 June 2023?").candidates


def test_a_question_says_that_part_of_the_archive_is_not_encoded(archive: Archive) -> None:
    store(archive)
    said = f"10 of 10 memories {NOT_ENCODED}"
    assert said in archive.recall("Which pier?").notes
    answer = run_sync(call_tool("ask", {"question": "Which pier?"}, OpenArchiveAccess(archive)))
    assert said in answer.text
    archive.index()
    assert not any(NOT_ENCODED in each for each in archive.recall("Which pier?").notes)


def test_encoding_later_ends_in_the_same_archive_as_encoding_at_once(
    archive: Archive, tmp_path: Path
) -> None:
    store(archive)
    while archive.encode_some():
        pass
    with opened(tmp_path / "at-once") as other:
        other.add(archive.find())
        assert state(other) == state(archive)
    require_rebuilt(archive)


def test_the_newest_are_encoded_first(archive: Archive) -> None:
    store(archive)
    by_time = [memory.id for memory in archive.find()]
    archive.encode_some()
    assert archive.store.without_vectors() == by_time[:7][::-1]


def test_words_are_encoded_once_however_often_their_exchange_grows(
    archive: Archive,
) -> None:
    store(archive)
    archive.index()
    encoder = archive.encoder
    assert isinstance(encoder, Counting)
    assert set(encoder.seen.values()) == {1}


@pytest.mark.parametrize("committed", [True, False])
def test_a_run_that_is_killed_at_any_write_ends_in_the_same_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, committed: bool
) -> None:
    with opened(tmp_path / "whole") as whole:
        store(whole, 6)
        whole.index()
        wanted = state(whole)
    killed = True
    writes = 3  # opening takes some
    while killed:
        writes += 1
        encoder = Counting()
        place = tmp_path / f"killed-{writes}"
        killed = _run_until(place, encoder, writes, monkeypatch, committed=committed)
        with opened(place, encoder) as archive:
            store(archive, 6)
            archive.index()
            assert state(archive) == wanted
        # At most the batch that was on its way is encoded again.
        assert sum(encoder.seen.values()) - len(encoder.seen) <= 3 * 3
    assert writes > 8


def _run_until(
    place: Path,
    encoder: Counting,
    writes: int,
    monkeypatch: pytest.MonkeyPatch,
    *,
    committed: bool,
) -> bool:
    """Store and encode until the process ends at a write, before or after it is committed."""
    left = [writes]
    write = SqliteDatabase.write

    @contextmanager
    def dying(database: SqliteDatabase) -> Iterator[SqliteSession]:
        left[0] -= 1
        if left[0] <= 0 and not committed:
            raise KilledError
        with write(database) as session:
            yield session
        if left[0] <= 0:
            raise KilledError

    with monkeypatch.context() as patched:
        patched.setattr(SqliteDatabase, "write", dying)
        try:
            with opened(place, encoder) as archive:
                store(archive, 6)
                archive.index()
        except KilledError:
            return True
    return False


class Interrupted(Counting):
    """Somebody changes a memory while its words are encoded."""

    archive: Archive

    def texts(self, texts: Sequence[str], *, progress: Progress | None = None) -> Matrix:
        if "a boat" in texts:
            self.archive._upkeep.update_before_index(note("a", "a kite"))
        return super().texts(texts, progress=progress)


def test_a_memory_that_changes_while_it_is_encoded_goes_on_waiting(tmp_path: Path) -> None:
    encoder = Interrupted()
    with opened(tmp_path / "a", encoder) as archive:
        encoder.archive = archive
        archive.store.add([Entry(note("a", "a boat"))])
        archive.add_words()
        archive.encode_some()
        assert archive.store.without_vectors() == ["a"]
        archive.index()
        assert archive.store.without_vectors() == []
        require_rebuilt(archive)


def test_two_handles_in_turn_keep_all_neighbours(tmp_path: Path) -> None:
    def shared() -> Archive:
        return Archive.open(tmp_path / "a", mode="shared", encoder=HashingEncoder(), wait=0.0)

    with shared() as one, shared() as other:
        one.add([note("a", "red boat"), note("b", "red kite")])
        other.add([note("c", "red boat again")])
        one.add([turn("d", "red boat on the lake", 0)])
        other.erase(["b"])
        one.add([note("e", "a red kite")])
        require_rebuilt(one)
        assert ids(other.candidates("red boat on the lake"))[0] == "d"


def test_the_same_words_are_encoded_once_in_an_archive_whatever_run_brings_them(
    tmp_path: Path,
) -> None:
    words = "You receive this because you ordered from us. " * 8
    first, second = Counting(), Counting()
    with opened(tmp_path / "archive", first) as archive:
        archive.add([note("a", words), note("b", "short"), note("c", "another " + words)])
    with opened(tmp_path / "archive", second) as archive:
        archive.add([note("d", words), note("e", "short")])
        assert sum(first.seen.values()) == 3
        assert list(second.seen) == ["short"]  # looking it up would take as long
        archive.add([note(f"f{i}", words) for i in range(600)])  # as many wait for their vectors
        assert list(second.seen) == ["short"]
        vectors = archive.store.vectors(["a", "d", "f7"])
        made = {v.tobytes() for each in vectors.values() for v in each if v is not None}
        assert made == {HashingEncoder().texts([words.strip()]).tobytes()}
        archive.erase(["a", "d", *(f"f{i}" for i in range(600))])
        archive.add([note("g", words)])
        assert words.strip() in second.seen
        require_rebuilt(archive)
