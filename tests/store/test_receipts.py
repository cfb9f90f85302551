"""An erasure that is repeated gives its receipt, and nothing is kept that says what was erased."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from graphmemix.memory import Memory
from graphmemix.store import Entry, Store, open_store
from graphmemix.store.protocol import Filter
from graphmemix.store.sql import derived as sql_derived
from graphmemix.store.sqlite import database as sqlite_database
from graphmemix.store.sqlite.schema import MIGRATIONS
from graphmemix.store.sqlite.store import Reserve
from tests.store.conftest import Archives
from tests.store.contents import INSERT_VIEW_BEFORE_HASHES, note


def filled(store: Store, *ids: str) -> None:
    store.add(Entry(note(memory_id, f"words of {memory_id}")) for memory_id in ids)


def test_an_erasure_that_is_repeated_gives_its_receipt(store: Store) -> None:
    filled(store, "a", "b", "c")
    first = store.erase(["a", "b"])
    assert not first.repeated
    assert store.erase(["b", "a"]) == replace(first, repeated=True)
    assert store.receipts() == (first,)


def test_a_receipt_is_found_by_what_was_erased(make_store: Archives) -> None:
    chosen = Filter(sessions=("trip",))
    with make_store() as store:
        filled(store, "a")
        receipt = store.erase(["a"], chosen_by=chosen)
    with make_store(mode="read") as store:
        assert store.receipt_of("a") == store.receipt_of(chosen) == receipt
        assert store.receipt_of("b") is None
        assert store.receipt_of(Filter(sources=("trip",))) is None


def test_what_was_never_there_has_no_receipt(store: Store) -> None:
    filled(store, "a")
    assert store.erase(["a", "never"]).memories == 1
    assert store.receipt_of("never") is None
    assert not store.erase(["never"]).repeated


def test_the_rest_of_an_erasure_gets_a_receipt_of_its_own(store: Store) -> None:
    filled(store, "a", "b")
    first = store.erase(["a"])
    second = store.erase(["a", "b"])
    assert (second.memories, second.repeated) == (1, False)
    assert store.receipt_of("a") == first
    assert store.receipt_of("b") == second


def test_a_memory_that_came_back_is_erased_again(store: Store) -> None:
    filled(store, "a")
    store.erase(["a"])
    filled(store, "a")
    again = store.erase(["a"])
    assert (again.memories, again.repeated) == (1, False)
    assert store.receipt_of("a") == again
    assert len(store.receipts()) == 2


def test_the_journal_holds_no_id_and_no_filter(make_sqlite: Archives) -> None:
    with make_sqlite() as store:
        filled(store, "olga-tells-secrets")
        store.erase(["olga-tells-secrets"], chosen_by=Filter(sessions=("whatsapp:Olga",)))
    kept = b"".join(p.read_bytes() for p in make_sqlite.folder.rglob("*") if p.is_file())
    assert b"olga-tells" not in kept
    assert b"whatsapp" not in kept


def test_two_archives_have_other_marks_of_the_same_id(tmp_path: Path) -> None:
    marks = []
    for name in ("one", "two"):
        with open_store(tmp_path / name) as store:
            filled(store, "a")
            store.erase(["a"])
            with store.db.read() as session:  # type: ignore[attr-defined]
                marks.append(session.run("SELECT mark FROM erasures"))
    assert len(marks[0]) == len(marks[1]) == 1
    assert marks[0] != marks[1]


def test_an_archive_from_before_the_journal_can_be_read_and_has_no_receipts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as old:
        old.setattr(sqlite_database, "MIGRATIONS", MIGRATIONS[:3])
        old.setattr(sql_derived, "_INSERT_VIEW", INSERT_VIEW_BEFORE_HASHES)
        with open_store(tmp_path / "archive") as store:
            filled(store, "a")
    with open_store(tmp_path / "archive", mode="read") as store:
        assert store.get("a") == note("a", "words of a")
        assert store.receipt_of("b") is None
    with open_store(tmp_path / "archive") as store:
        receipt = store.erase(["a"])
        assert store.receipt_of("a") == receipt


def test_an_erasure_in_parts_has_one_receipt(
    make_sqlite: Archives, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that ends between two parts has not lost what the first ones counted."""
    ids = [f"m{number:02}" for number in range(40)]

    def end(part: Sequence[str]) -> None:
        if "m39" in part:
            raise KeyboardInterrupt

    with make_sqlite() as store:
        filled(store, *ids, "stays")
        monkeypatch.setattr(Reserve, "is_short", lambda *_: True)
        with pytest.raises(KeyboardInterrupt):
            store.erase(ids, before=end)
        assert store.count() == 9
    with make_sqlite() as store:
        receipt = store.erase(ids)
        assert (receipt.memories, receipt.purged, receipt.repeated) == (40, True, False)
        assert store.receipts() == (receipt,)
        assert [memory.id for memory in store.find()] == ["stays"]
        assert store.receipt_of("m00") == store.receipt_of("m39") == receipt


def test_memories_keep_their_words_until_their_part_comes(store: Store) -> None:
    filled(store, "a", "b")
    seen: list[Memory] = []
    store.erase(["a", "b"], before=lambda part: seen.extend(store.get_many(part).values()))
    assert [memory.id for memory in seen] == ["a", "b"]
