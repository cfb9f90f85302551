"""A LlamaIndex retriever over an archive. Needs the extra ``llamaindex``.

::

    retriever = GraphMemixRetriever(archive)
    nodes = retriever.retrieve("Who has our spare key?")
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from graphmemix.errors import MissingExtraError
from graphmemix.integrations.evidence import RetrievedMemory, retrieved_memories

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

    A node's text has the memory's text and the descriptions of its media; its metadata has source,
    time (``timestamp``), place, author, ``score``, ``citation`` (what to call it in an answer), and
    the node that it is linked to (``beside``, ``role``, ``gain``). The scores of nodes are
    utilities, 0 to 1.
    """

    def __init__(
        self,
        archive: Archive,
        *,
        similarity_top_k: int | None = None,
        filter: Filter | None = None,
        save: bool = False,
    ) -> None:
        """Retrieve from an archive, which must stay open as long as the retriever is used.

        Args:
            archive: The archive.
            similarity_top_k: Most nodes to return; by default the setting ``forest.budget``.
            filter: Restricts which memories are considered.
            save: Save a trace of each question in the archive, if it is open for writing.
        """
        super().__init__()
        self._archive = archive
        self._limit = similarity_top_k
        self._filter = filter
        self._save = save

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        trace = self._archive.recall(
            query_bundle.query_str, filter=self._filter, limit=self._limit, save=self._save
        )
        return [_node(each) for each in retrieved_memories(self._archive, trace)]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        trace = await self._archive.arecall(
            query_bundle.query_str, filter=self._filter, limit=self._limit, save=self._save
        )
        found = await asyncio.to_thread(retrieved_memories, self._archive, trace)
        return [_node(each) for each in found]


def _node(found: RetrievedMemory) -> NodeWithScore:
    node = TextNode(id_=found.memory.id, text=found.text, metadata=dict(found.facts))
    return NodeWithScore(node=node, score=found.utility)
