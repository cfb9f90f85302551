"""The journal in both stores: what was read, what must be read again, and what erasure leaves."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmemix.archive import Archive
from graphmemix.encode.hashing import HashingEncoder
from graphmemix.ingest.journal import Journal, name_hash
from graphmemix.memory import Memory
from graphmemix.settings import Settings
from graphmemix.store import Entry, Store
from tests.store.conftest import (  # noqa: F401  # fixtures
    Archives,
    backend,
    make_store,
    postgres,
    store,
)

ONE, TWO = {"n1": "one"}, {"n2": "two"}


def test_a_source_is_done_only_as_it_was_and_only_to_its_end(store: Store) -> None:  # noqa: F811
    journal = Journal(store)
    journal.write({"a": ONE, "b": TWO}, {"a": "print"})
    for each in (journal, Journal(store)):
        assert each.is_done("a", "print")
        assert not each.is_done("a", "other")
        assert not each.is_done("b", "")
        assert not each.is_done("c", "print")
        assert each.memories("b") == TWO
        assert each.memories("c") == {}


def test_a_source_on_many_pages_is_put_together(store: Store) -> None:  # noqa: F811
    journal = Journal(store)
    journal.write({"a": ONE}, {})
    journal.write({"a": TWO}, {})
    journal.write({}, {"a": "print"})
    for each in (journal, Journal(store)):
        assert each.is_done("a", "print")
        assert each.memories("a") == {**ONE, **TWO}


def test_a_later_reading_counts_more(store: Store) -> None:  # noqa: F811
    journal = Journal(store)
    journal.write({"a": ONE}, {"a": "old"})
    journal.write({"a": {"n1": "new"}}, {"a": "print"})
    assert Journal(store).is_done("a", "print")
    assert not Journal(store).is_done("a", "old")
    assert Journal(store).memories("a") == {"n1": "new"}


def test_a_page_that_is_lost_makes_its_sources_be_read_again(store: Store) -> None:  # noqa: F811
    store.add([Entry(Memory("one", "note", "x"))])
    journal = Journal(store)
    journal.write({"a": ONE, "b": TWO}, {"b": "print"})
    journal.write({"a": TWO}, {"a": "print"})
    store.erase(["one"])  # past the archive: the page goes as a whole
    after = Journal(store)
    assert not after.is_done("a", "print")
    assert not after.is_done("b", "print")


def test_erasing_a_memory_leaves_the_other_sources_alone(store: Store) -> None:  # noqa: F811
    store.add([Entry(Memory("one", "note", "x")), Entry(Memory("two", "note", "y"))])
    archive = Archive(store, HashingEncoder(), Settings())
    journal = Journal(store)
    journal.write({"a": ONE, "b": TWO}, {"b": "print"})
    journal.write({"a": {"n3": "three"}}, {"a": "print"})
    archive.erase(["one"])
    after = Journal(store)
    assert not after.is_done("a", "print")
    assert after.memories("a") == {"n3": "three"}
    assert after.is_done("b", "print")
    assert after.memories("b") == TWO
    assert not any("one" in log.memory_ids or '"one"' in log.body for log in store.logs("job"))


def test_ingestion_is_the_same_in_both_stores(store: Store, tmp_path: Path) -> None:  # noqa: F811
    archive = Archive(store, HashingEncoder(), Settings())
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(3):
        mail = f"From: a@b.org\nMessage-ID: <{number}@x>\nSubject: s\n\nwords {number}\n"
        (folder / f"{number}.eml").write_text(mail)
    assert archive.ingest([folder]).new == 3
    (folder / "3.eml").write_text("From: a@b.org\nMessage-ID: <3@x>\nSubject: s\n\nmore\n")
    second = archive.ingest([folder])
    assert (second.new, second.sources[0].unchanged) == (1, 3)


@pytest.mark.parametrize("name", ["", "<1@x>", "\ud800", "ä" * 1000])
def test_any_source_id_has_a_short_name(name: str) -> None:
    assert len(name_hash(name)) == 16
