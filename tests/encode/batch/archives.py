"""Archives with something to encode."""

from __future__ import annotations

from pathlib import Path

from graphmemix import Archive, Memory
from graphmemix.store.protocol import Entry

WORDS = ("spare", "key", "is", "with", "olga", "mia", "lost", "first", "tooth", "under", "como")


def texts(count: int) -> list[str]:
    """Return different texts of many lengths."""
    return [
        " ".join(WORDS[(i * k + k) % len(WORDS)] for k in range(3 + i % 29)) + f" {i}."
        for i in range(count)
    ]


def make(folder: Path, notes: list[str], *, encoder: str | None = "hashing:8") -> Path:
    """Make an archive of notes; without an encoder they wait to be encoded."""
    memories = [Memory(f"m{i:05}", "note", text) for i, text in enumerate(notes)]
    with Archive.open(folder, encoder=encoder or "hashing:8") as archive:
        if encoder is None:
            archive.store.add(Entry(memory) for memory in memories)
        else:
            archive.add(memories)
    return folder
