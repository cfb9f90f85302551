"""What tests put into an archive, and what they look at."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from graphmemix.errors import GraphMemixError
from graphmemix.evidence import Edge
from graphmemix.memory import Description, Media, Memory, Place, Reference, View, ViewKind
from graphmemix.store import Derived, Entry, Log, Store

T = TypeVar("T")
Floats: TypeAlias = NDArray[np.float32]
ENCODER = "hash/8"
DIMENSION = 8
NOON = datetime(2024, 5, 17, 12, tzinfo=timezone(timedelta(hours=2)))


def outcome(act: Callable[[], T]) -> T | type[GraphMemixError]:
    """Return what `act` returns, or the kind of typed error that it raises."""
    try:
        return act()
    except GraphMemixError as error:
        return type(error)


def unit_vectors(count: int, *, dimension: int = DIMENSION, seed: int = 0) -> Floats:
    rows = np.random.default_rng(seed).standard_normal((count, dimension))
    return normalised(rows)


def normalised(rows: NDArray[np.floating]) -> Floats:
    result: Floats = (rows / np.linalg.norm(rows, axis=-1, keepdims=True)).astype(np.float32)
    return result


def axis(position: int, *, dimension: int = DIMENSION) -> Floats:
    """Return the unit vector along one axis."""
    vector: Floats = np.eye(dimension, dtype=np.float32)[position]
    return vector


def note(memory_id: str, text: str = "", **fields: Any) -> Memory:
    return Memory(**{"id": memory_id, "kind": "note", "text": text, **fields})


def derived(
    memory_id: str,
    texts: Sequence[str],
    vectors: Sequence[Floats | None] = (),
    *,
    kinds: Sequence[ViewKind] = (),
    encoder: str = ENCODER,
) -> Derived:
    """Make one view per text, of the kinds given or else of text."""
    views = tuple(
        View(memory_id, kinds[ordinal] if kinds else "text", ordinal, text)
        for ordinal, text in enumerate(texts)
    )
    return Derived(views, tuple(vectors), encoder if vectors else "")


def entry(
    memory_id: str,
    text: str = "",
    vectors: Sequence[Floats | None] = (),
    *,
    kinds: Sequence[ViewKind] = (),
    encoder: str = ENCODER,
    **fields: Any,
) -> Entry:
    """Make a memory with a view per vector, or one view without; each view has the same text."""
    texts = [text] * max(1, len(vectors))
    made = derived(memory_id, texts, vectors, kinds=kinds, encoder=encoder)
    return Entry(note(memory_id, text, **fields), made)


def found(store: Store, query: Floats, **options: Any) -> list[str]:
    """Return the ids that a vector search finds, best first."""
    return [hit.memory_id for hit in store.search_vectors(query, ENCODER, **options)]


def found_words(store: Store, query: str, **options: Any) -> list[str]:
    """Return the ids that a text search finds, best first."""
    return [hit.memory_id for hit in store.search_text(query, **options)]


def everything(store: Store) -> dict[str, object]:
    """Return all that a store tells about itself, but for times of erasure and replacement."""
    ids = [memory.id for memory in store.find()]
    vectors = store.vectors(ids)
    stats = store.stats()
    return {
        "memories": store.find(),
        "count": store.count(),
        "history": [[(v.number, v.memory) for v in store.history(each)] for each in ids],
        "views": store.views(ids),
        "vectors": {i: [None if v is None else v.tobytes() for v in vectors[i]] for i in ids},
        "edges": store.edges(ids),
        "keys": store.keys(ids),
        "neighbours": store.neighbours(),
        "encoder": store.encoder(),
        "without_vectors": store.without_vectors(),
        "logs": [store.logs("trace"), store.logs("job")],
        "receipts": [_without_time(receipt.to_json()) for receipt in store.receipts()],
        "media": [*store.media],
        "stats": re.sub(r'"database_bytes":\d+', "", stats.to_json()),
    }


def portable_files(folder: Path, *, times: bool = True) -> dict[str, bytes]:
    """Return the files of an export by name, without its date; or without any time of change."""
    files = {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    manifest = json.loads(files["manifest.json"])
    del manifest["exported_at"]
    if not times:
        del manifest["files"]  # their hashes
        files = {
            name: _without_time(data.decode()).encode() if name.endswith("jsonl") else data
            for name, data in files.items()
        }
    return {**files, "manifest.json": json.dumps(manifest).encode()}


def _without_time(text: str) -> str:
    return re.sub('"(replaced_at|erased_at|finished_at)":"[^"]*"', r'"\1":""', text)


def fill(store: Store) -> None:
    """Give an archive a bit of everything."""
    photo, thumbnail, sound = (store.media.put(data) for data in (b"photo", b"thumb", b"sound"))
    rows = unit_vectors(7)
    picture = Media(
        "image",
        photo.sha256,
        mime="image/jpeg",
        name="IMG_1.jpg",
        size=photo.size,
        description=Description(caption="a red bicycle at the canal", ocr="7Q4-118"),
    )
    store.add(
        [
            entry(
                "chat-1",
                "Shall we meet at the canal?",
                [rows[0], None],
                kinds=("text", "context"),
                kind="message",
                source="whatsapp",
                session="anna",
                speaker="Anna",
                timestamp=NOON,
            ),
            entry(
                "photo-1",
                "",
                [rows[1], rows[2]],
                kinds=("caption", "image"),
                kind="photo",
                source="camera",
                timestamp=NOON.astimezone(UTC) + timedelta(microseconds=1),
                place=Place("Amsterdam", 52.37, 4.9),
                media=(picture, Media("image", thumbnail.sha256)),
            ),
            entry(
                "mail-1",
                "東京都の写真 is attached",
                [rows[3]],
                kind="email",
                source="mail",
                references=(Reference("attachment_of", "<1@mail.org>"),),
                metadata={"to": ["b@mail.org"], "flags": {"seen": True, "size": 12.5, "x": None}},
            ),
            entry("note-1", "first words", [rows[4]], media=(Media("audio", sound.sha256),)),
            Entry(note("note-2", "nothing was derived from this")),
            entry("secret", "to be erased", [rows[5]], media=(Media("audio", sound.sha256),)),
        ],
        [
            Edge("chat-1", "photo-1", "event_bridge", 0.99),
            Edge("chat-1", "photo-1", "semantic", 0.1 + 0.2),
            Edge("mail-1", "note-1", "same_document", 0.99),
            Edge("note-1", "secret", "semantic", 0.5),
        ],
    )
    changed = note("note-1", "second words", timestamp=NOON)
    store.update(changed, derived("note-1", ["second words"], [rows[6]]))
    store.update(note("note-1", "third words"), derived("note-1", ["third words"], [rows[5]]))
    store.put_log(Log("trace-1", "trace", NOON, '{"asked": "where?"}', ("chat-1", "photo-1")))
    store.put_log(Log("job-1", "job", NOON, "imported 5", ("note-2",)))
    store.put_log(Log("job-2", "job", NOON, "nothing in particular"))
    store.erase(["secret"])


def crowd(store: Store, count: int) -> None:
    """Add many memories, each with one word of its own and a vector."""
    rows = unit_vectors(count)
    store.add(entry(f"m{n:04}", f"word {n}", [rows[n]]) for n in range(count))


INSERT_VIEW_BEFORE_HASHES = """
INSERT INTO views (archive, vid, mid, ordinal, kind, text, media_sha256, seconds, length, terms)
VALUES (:archive, :vid, :mid, :ordinal, :kind, :text, :media_sha256, :seconds, :length, :terms)
"""
"""What versions wrote that did not look for the same words."""
