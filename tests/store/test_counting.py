from __future__ import annotations

from graphmemix.memory import Media
from graphmemix.store import Entry, Stats, Store
from tests.store.conftest import Pair
from tests.store.contents import ENCODER, NOON, fill, note


def test_stats_count_everything(pair: Pair) -> None:
    fill(pair.sqlite)
    fill(pair.postgres)
    for store in pair:
        stats = store.stats()
        assert stats.database_bytes > 0
        assert stats == Stats(
            memories=5,
            versions=7,
            kinds={"message": 1, "photo": 1, "email": 1, "note": 2},
            sources={"": 2, "whatsapp": 1, "camera": 1, "mail": 1},
            views={"text": 3, "context": 1, "caption": 1, "image": 1},
            vectors={ENCODER: 5},
            edges={"event_bridge": 1, "semantic": 1, "same_document": 1},
            media_files=3,
            media_bytes=15,
            database_bytes=stats.database_bytes,
            first=NOON,
            last=stats.last,
        )
        assert stats.last is not None
        assert stats.last > NOON


def test_stats_of_nothing(store: Store) -> None:
    stats = store.stats()
    empty = Stats(0, 0, {}, {}, {}, {}, {}, 0, 0, stats.database_bytes)
    assert stats == empty


def test_stats_leave_out_media_that_nobody_uses(store: Store) -> None:
    store.media.put(b"orphan")
    store.add([Entry(note("a", media=(Media("image"),)))])
    assert (store.stats().media_files, store.stats().media_bytes) == (0, 0)
