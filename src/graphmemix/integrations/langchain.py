"""A LangChain retriever over an archive. Needs the extra ``langchain``.

::

    retriever = GraphMemixRetriever(archive=archive)
    documents = retriever.invoke("Who has our spare key?")
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from graphmemix.archive import Archive  # noqa: TC001  # pydantic reads the annotation
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
    time, place, author, and the document that it is linked to (``beside``, ``role``, ``gain``). The
    setting ``forest.budget`` limits their number. Errors are those of `Archive.recall`.

    Attributes:
        archive: Must stay open as long as the retriever is used.
        filter: Restricts which memories are considered.
        save: Save a trace of each question in the archive, if it is open for writing.
    """

    archive: Archive
    filter: Filter | None = None
    save: bool = False

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        del run_manager  # there are no intermediate results to report
        trace = self.archive.recall(query, filter=self.filter, save=self.save)
        return [_document(each) for each in retrieved_memories(self.archive, trace)]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        del run_manager
        trace = await self.archive.arecall(query, filter=self.filter, save=self.save)
        found = await asyncio.to_thread(retrieved_memories, self.archive, trace)
        return [_document(each) for each in found]


def _document(found: RetrievedMemory) -> Document:
    metadata = {**found.facts, "utility": found.utility}
    return Document(id=found.memory.id, page_content=found.text, metadata=metadata)
