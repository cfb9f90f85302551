"""A LlamaIndex retriever over an archive. Needs the extra ``llamaindex``.

::

    retriever = GraphMemixRetriever(archive)
    nodes = retriever.retrieve("Who has our spare key?")
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from graphmemix.errors import MissingExtraError
from graphmemix.integrations.evidence import Found, found_by

try:
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
except ImportError as error:
    raise MissingExtraError("llamaindex", "The LlamaIndex retriever") from error

if TYPE_CHECKING:
    from graphmemix.archive import Archive
    from graphmemix.store.protocol import Filter

__all__ = ["GraphMemixRetriever"]


class GraphMemixRetriever(BaseRetriever):
    """Finds the few memories that answer a question together.

    A node's text has the memory's words and those about its media; its metadata says when, where,
    by whom, and which other node it hangs on (``beside``, ``role``, ``gain``). Scores are
    utilities, 0 to 1. The settings of the archive decide how many come at most (``forest.budget``).
    """

    def __init__(
        self, archive: Archive, *, filter: Filter | None = None, save: bool = False
    ) -> None:
        """Retrieve from an archive, which stays open for as long as the retriever is used.

        Args:
            archive: Where to look.
            filter: What may be found at all.
            save: Keep a trace of each question in the archive, if it is open for writing.
        """
        super().__init__()
        self._archive = archive
        self._filter = filter
        self._save = save

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        trace = self._archive.recall(query_bundle.query_str, filter=self._filter, save=self._save)
        return [_node(each) for each in found_by(self._archive, trace)]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        trace = await self._archive.arecall(
            query_bundle.query_str, filter=self._filter, save=self._save
        )
        found = await asyncio.to_thread(found_by, self._archive, trace)
        return [_node(each) for each in found]


def _node(found: Found) -> NodeWithScore:
    node = TextNode(id_=found.memory.id, text=found.text, metadata=dict(found.facts))
    return NodeWithScore(node=node, score=found.utility)
