"""The rows of views and of their vectors, as they are written."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from graphmemix.errors import InvalidDataError
from graphmemix.store.sanitize import cleaned_record, require_size
from graphmemix.store.sql.columns import VIEW_KINDS
from graphmemix.text import postings, words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graphmemix.memory import View
    from graphmemix.store.records import Derived

_WORTH_FINDING = 200  # characters; fewer are encoded sooner than they are looked up


def require_vectors(memory_id: str, derived: Derived) -> None:
    """Raise unless there is a vector or None for every view, and an encoder for vectors."""
    if derived.vectors and len(derived.vectors) != len(derived.views):
        raise InvalidDataError(f"memory {memory_id!r}: needs one vector (or None) per view")
    if not derived.encoder and any(vector is not None for vector in derived.vectors):
        raise InvalidDataError(f"memory {memory_id!r}: vectors need their encoder's identity")


def view_row(memory_id: str, mid: int, ordinal: int, view: View) -> dict[str, object]:
    """Return the row of a view, without its number."""
    if view.memory_id != memory_id or view.ordinal != ordinal:
        raise InvalidDataError(
            f"memory {memory_id!r}: view {ordinal} is view {view.ordinal} of {view.memory_id!r}"
        )
    view = cleaned_record(view)
    require_size(f"view {ordinal} of memory {memory_id!r}", view.text)
    counts = words.terms(view.text)
    return {
        "mid": mid,
        "ordinal": ordinal,
        "kind": VIEW_KINDS.index(view.kind),
        "text": view.text,
        "media_sha256": view.media_sha256,
        "seconds": view.seconds,
        "length": sum(counts.values()),
        "terms": postings.pack(counts),
        "words_hash": words_hash(view.text),
    }


def words_hash(text: str) -> int | None:
    """Return what a view is found by if another has the same words; None if they are few."""
    if len(text) < _WORTH_FINDING:
        return None
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def vector_row(view: Mapping[str, object], encoder: int, blob: bytes) -> dict[str, object]:
    """Return the row of a view's vector."""
    row = {key: view[key] for key in ("vid", "mid", "kind", "ordinal")}
    return {**row, "encoder": encoder, "vector": blob}
