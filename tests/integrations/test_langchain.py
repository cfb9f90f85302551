from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from graphmemix import Archive, Filter
from graphmemix.errors import InvalidDataError

if TYPE_CHECKING:
    from langchain_core.documents import Document

    from graphmemix.integrations.langchain import GraphMemixRetriever

QUESTION = "Who has the spare key?"


def retriever_of(archive: Archive, *, save: bool = False) -> GraphMemixRetriever:
    # Loaded by who runs these tests, not by who collects them: it takes seconds.
    pytest.importorskip("langchain_core", reason="needs the extra langchain")
    from graphmemix.integrations.langchain import GraphMemixRetriever

    return GraphMemixRetriever(archive=archive, save=save)


def test_documents_are_the_forest_in_its_order(archive: Archive) -> None:
    documents = retriever_of(archive).invoke(QUESTION)
    forest = archive.recall(QUESTION, save=False).forest
    assert forest is not None
    assert tuple(document.id for document in documents) == forest.memory_ids
    found = {document.id: document for document in documents}
    assert found["key"].page_content == "The spare key is with Olga."
    assert found["key"].metadata["place"] == "Como"
    assert found["key"].metadata["timestamp"] == "2024-05-01T00:00:00+00:00"
    assert found["photo"].page_content == "The spare key hangs on a hook in the kitchen."
    assert len(found["photo"].metadata["media"][0]) == 64
    assert [document.metadata["rank"] for document in documents] == [*range(1, len(found) + 1)]


def test_it_is_a_part_of_a_chain_and_works_without_blocking(archive: Archive) -> None:
    def ids(documents: list[Document]) -> list[str | None]:
        return [document.id for document in documents]

    retriever = retriever_of(archive)
    from langchain_core.runnables import RunnableLambda

    chain = retriever | RunnableLambda(ids)
    assert asyncio.run(chain.ainvoke(QUESTION)) == chain.invoke(QUESTION)
    assert chain.batch([QUESTION, QUESTION]) == [chain.invoke(QUESTION)] * 2


def test_a_filter_hides_the_rest(archive: Archive) -> None:
    retriever = retriever_of(archive)
    retriever.filter = Filter(kinds=("photo",))
    assert [document.id for document in retriever.invoke(QUESTION)] == ["photo"]


def test_traces_are_kept_if_asked_for(archive: Archive) -> None:
    before = len(archive.traces())
    retriever_of(archive).invoke(QUESTION)
    assert len(archive.traces()) == before
    retriever_of(archive, save=True).invoke(QUESTION)
    assert len(archive.traces()) == before + 1


def test_errors_are_those_of_the_archive(archive: Archive) -> None:
    with pytest.raises(InvalidDataError, match="needs a text"):
        retriever_of(archive).invoke(" ")
