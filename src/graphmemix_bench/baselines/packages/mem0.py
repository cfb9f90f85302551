"""mem0: a model turns each memory into facts, which are deduplicated and searched."""

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
    "mem0",
    "mem0",
    "mem0ai",
    "facts in an embedded Qdrant, no threshold for results, no spaCy and no graph",
)
_USER: Final = "archive"
_KEY: Final = "graphmemix"


class _Facts:
    """One store of facts."""

    def __init__(self, folder: str, bridge: Bridge, parts: BaselineParts) -> None:
        os.environ.update(MEM0_TELEMETRY="False", MEM0_DIR=folder)
        from mem0 import Memory as Mem0

        server = {"openai_base_url": bridge.url, "api_key": "none"}
        model = parts.chat.identity if parts.chat else "none"
        store = {"path": str(Path(folder) / "qdrant"), "on_disk": True}
        self._memory = Mem0.from_config(
            {
                "llm": {
                    "provider": "openai",
                    "config": {"model": model, "temperature": 0.0, **server},
                },
                "embedder": {
                    "provider": "openai",
                    "config": {"model": parts.encoder.identity, **server},
                },
                "vector_store": {
                    "provider": "qdrant",
                    "config": {
                        "collection_name": "facts",
                        "embedding_model_dims": parts.encoder.dimension,
                        **store,
                    },
                },
                "history_db_path": str(Path(folder) / "history.db"),
            }
        )

    async def store(self, slots: Sequence[str], texts: Sequence[str]) -> None:
        for slot, text in zip(slots, texts, strict=True):
            await asyncio.to_thread(self._memory.add, text, user_id=_USER, metadata={_KEY: slot})

    async def search(self, text: str, count: int) -> Sequence[tuple[str, float, str]]:
        found = await asyncio.to_thread(
            self._memory.search, text, top_k=count, filters={"user_id": _USER}, threshold=0.0
        )
        return [_hit(each) for each in found["results"]]


def _hit(found: dict[str, Any]) -> tuple[str, float, str]:
    return found["metadata"][_KEY], float(found.get("score") or 0.0), found["memory"]


def open_mem0(parts: BaselineParts) -> PackageSystem:
    """Return mem0."""
    return PackageSystem(_NAMES, parts, _Facts)
