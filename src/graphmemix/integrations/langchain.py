"""A LangChain retriever over an archive. Needs the extra ``langchain``.

::

    retriever = GraphMemixRetriever(archive=archive)
    documents = retriever.invoke("Who has our spare key?")
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Unpack

from pydantic import ConfigDict

from graphmemix.archive import Archive  # noqa: TC001  # pydantic reads the annotation
from graphmemix.asking import Wanted  # noqa: TC001  # the same
from graphmemix.errors import MissingExtraError
from graphmemix.integrations.evidence import RetrievedMemory, retrieved_memories
from graphmemix.store.protocol import Filter  # noqa: TC001  # the same

try:
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
except ImportError as error:
    raise MissingExtraError("langchain", "The LangChain retriever") from error

if TYPE_CHECKING:
    from langchain_core.callbacks import (
        AsyncCallbackManagerForRetrieverRun,
        CallbackManagerForRetrieverRun,
    )

__all__ = ["GraphMemixRetriever"]


class GraphMemixRetriever(BaseRetriever):
    """Finds the few memories that answer a question together.

    A document's text has the memory's text and the descriptions of its media; its metadata has
    source, time (``timestamp``), place, author, ``score`` (the chance that it is evidence),
    ``citation`` (what to call it in an answer), and the document that it is linked to (``beside``,
    ``role``, ``gain``). Errors are those of `Archive.recall`.

    Attributes:
        archive: Must stay open as long as the retriever is used.
        k: Most documents to return; by default the setting ``forest.budget``. Also of one call:
            ``retriever.invoke(question, k=3)``.
        filter: Restricts which memories are considered. For one call, the keywords of
            `Archive.recall`: ``retriever.invoke(question, since="last May", kinds="photo")``.
        save: Save a trace of each question in the archive, if it is open for writing.
    """

    # A misspelt option would otherwise do nothing.
    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)

    archive: Archive
    k: int | None = None
    filter: Filter | None = None
    save: bool = False

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,
        k: int | None = None,
        **wanted: Unpack[Wanted],
    ) -> list[Document]:
        del run_manager  # there are no intermediate results to report
        limit = self.k if k is None else k
        trace = self.archive.recall(
            query, filter=self.filter, limit=limit, save=self.save, **wanted
        )
        return [_document(each) for each in retrieved_memories(self.archive, trace)]

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,
        k: int | None = None,
        **wanted: Unpack[Wanted],
    ) -> list[Document]:
        del run_manager
        limit = self.k if k is None else k
        trace = await self.archive.arecall(
            query, filter=self.filter, limit=limit, save=self.save, **wanted
        )
        found = await asyncio.to_thread(retrieved_memories, self.archive, trace)
        return [_document(each) for each in found]


def _document(found: RetrievedMemory) -> Document:
    metadata = {**found.facts, "utility": found.utility}
    return Document(id=found.memory.id, page_content=found.text, metadata=metadata)
