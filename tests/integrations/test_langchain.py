from __future__ import annotations

import asyncio

import pytest

from graphmemix import Archive, Filter
from graphmemix.errors import InvalidDataError

pytest.importorskip("langchain_core", reason="needs the extra langchain")

from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda

from graphmemix.integrations.langchain import GraphMemixRetriever

QUESTION = "Who has the spare key?"


def test_documents_are_the_forest_in_its_order(archive: Archive) -> None:
    documents = GraphMemixRetriever(archive=archive).invoke(QUESTION)
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

    chain = GraphMemixRetriever(archive=archive) | RunnableLambda(ids)
    assert asyncio.run(chain.ainvoke(QUESTION)) == chain.invoke(QUESTION)
    assert chain.batch([QUESTION, QUESTION]) == [chain.invoke(QUESTION)] * 2


def test_a_filter_hides_the_rest(archive: Archive) -> None:
    retriever = GraphMemixRetriever(archive=archive, filter=Filter(kinds=("photo",)))
    assert [document.id for document in retriever.invoke(QUESTION)] == ["photo"]


def test_traces_are_kept_if_asked_for(archive: Archive) -> None:
    before = len(archive.traces())
    GraphMemixRetriever(archive=archive).invoke(QUESTION)
    assert len(archive.traces()) == before
    GraphMemixRetriever(archive=archive, save=True).invoke(QUESTION)
    assert len(archive.traces()) == before + 1


def test_errors_are_those_of_the_archive(archive: Archive) -> None:
    with pytest.raises(InvalidDataError, match="needs a text"):
        GraphMemixRetriever(archive=archive).invoke(" ")
