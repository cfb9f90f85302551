"""MemPalace: texts as they are, in drawers with closets that point to them; no model."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from graphmemix_bench.baselines.packages.frame import PackageNames, PackageSystem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphmemix_bench.baselines.catalogue import BaselineParts
    from graphmemix_bench.baselines.packages.bridge import Bridge

_NAMES: Final = PackageNames(
    "mempalace",
    "MemPalace",
    "mempalace",
    "its own chunks, closets and ranking; short texts are stored too, as one room",
    needs_model=False,
)
_AT_A_TIME: Final = 128  # drawers of one call
_WING, _ROOM = "archive", "all"


class _Palace:
    """One palace: a folder."""

    def __init__(self, folder: str, bridge: Bridge, parts: BaselineParts) -> None:
        self._path = str(Path(folder) / "palace")
        os.environ.update(
            MEMPALACE_EMBEDDING_MODEL="openai-compat",
            MEMPALACE_EMBEDDING_API_URL=bridge.url,
            MEMPALACE_EMBEDDING_API_MODEL=parts.encoder.identity,
            MEMPALACE_EMBEDDING_API_KEY="none",
            ANONYMIZED_TELEMETRY="False",
            HOME=folder,  # its settings and logs
        )

    async def store(self, slots: Sequence[str], texts: Sequence[str]) -> None:
        await asyncio.to_thread(self._store, slots, texts)

    def _store(self, slots: Sequence[str], texts: Sequence[str]) -> None:
        from mempalace.miner import chunk_text
        from mempalace.palace import (
            build_closet_lines,
            get_closets_collection,
            get_collection,
            upsert_closet_lines,
        )

        drawers, closets = get_collection(self._path), get_closets_collection(self._path)
        waiting: list[tuple[str, str, dict[str, Any]]] = []
        for slot, text in zip(slots, texts, strict=True):
            chunks = chunk_text(text, slot, min_chunk_size=1)
            ids = [f"{slot}-{chunk['chunk_index']}" for chunk in chunks]
            about = {"wing": _WING, "room": _ROOM, "source_file": slot}
            for drawer, chunk in zip(ids, chunks, strict=True):
                numbered = {**about, "chunk_index": chunk["chunk_index"]}
                waiting.append((drawer, chunk["content"], numbered))
            lines = build_closet_lines(slot, ids, text, _WING, _ROOM)
            upsert_closet_lines(closets, f"closet-{slot}", lines, about)
            if len(waiting) >= _AT_A_TIME:
                _file(drawers, waiting)
        _file(drawers, waiting)

    async def search(self, text: str, count: int) -> Sequence[tuple[str, float, str]]:
        return await asyncio.to_thread(self._search, text, count)

    def _search(self, text: str, count: int) -> list[tuple[str, float, str]]:
        from mempalace.searcher import search_memories

        found = search_memories(text, palace_path=self._path, n_results=count)
        return [
            (hit["source_path"], float(hit.get("similarity") or 0.0), hit["text"])
            for hit in found.get("results", ())
        ]


def _file(drawers: Any, waiting: list[tuple[str, str, dict[str, Any]]]) -> None:
    if waiting:
        ids, texts, about = (list(column) for column in zip(*waiting, strict=True))
        drawers.upsert(documents=texts, ids=ids, metadatas=about)
        waiting.clear()


def open_mempalace(parts: BaselineParts) -> PackageSystem:
    """Return MemPalace."""
    return PackageSystem(_NAMES, parts, _Palace)
