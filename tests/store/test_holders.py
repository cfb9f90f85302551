from __future__ import annotations

from dataclasses import replace

import pytest

from graphmemix.errors import InvalidDataError
from graphmemix.memory import Media, Memory
from graphmemix.store import Entry, Store


def test_a_file_leads_to_the_memories_that_have_it_now(store: Store) -> None:
    kept = store.media.put(b"picture")
    medium = Media("image", kept.sha256)
    two = [Memory(name, "photo", media=(medium,)) for name in ("b", "a")]
    store.add(Entry(memory) for memory in [*two, Memory("c", "note", "no file")])
    assert [memory.id for memory in store.with_media(kept.sha256)] == ["a", "b"]
    store.update(replace(two[0], media=()))
    assert [memory.id for memory in store.with_media(kept.sha256)] == ["a"]
    store.erase(["a"])
    assert store.with_media(kept.sha256) == []


def test_what_is_no_address_is_refused(store: Store) -> None:
    with pytest.raises(InvalidDataError, match="64 hexadecimal digits"):
        store.with_media("../archive.db")
