from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from graphmemix import Archive, Filter

if TYPE_CHECKING:
    from graphmemix.integrations.llamaindex import GraphMemixRetriever

QUESTION = "Who has the spare key?"


def retriever_of(archive: Archive, filter: Filter | None = None) -> GraphMemixRetriever:
    # Loaded by who runs these tests, not by who collects them: it takes seconds.
    pytest.importorskip("llama_index.core", reason="needs the extra llamaindex")
    from graphmemix.integrations.llamaindex import GraphMemixRetriever

    return GraphMemixRetriever(archive, filter=filter)


def test_nodes_are_the_forest_in_its_order_with_utilities_as_scores(archive: Archive) -> None:
    nodes = retriever_of(archive).retrieve(QUESTION)
    forest = archive.recall(QUESTION, save=False).forest
    assert forest is not None
    chosen = [node for tree in forest.trees for node in tree.nodes]
    assert [(node.node_id, node.score) for node in nodes] == [
        (each.memory_id, each.utility) for each in chosen
    ]
    key = next(node for node in nodes if node.node_id == "key")
    assert key.text == "The spare key is with Olga."
    assert key.metadata["speaker"] == "Ann"


def test_it_works_without_blocking_and_with_a_filter(archive: Archive) -> None:
    retriever = retriever_of(archive, Filter(kinds=("photo",)))
    assert [node.node_id for node in asyncio.run(retriever.aretrieve(QUESTION))] == ["photo"]
    assert [node.node_id for node in retriever.retrieve(QUESTION)] == ["photo"]


def test_a_query_engine_answers_from_it(archive: Archive) -> None:
    retriever = retriever_of(archive)
    from llama_index.core import MockEmbedding, Settings
    from llama_index.core.llms import MockLLM
    from llama_index.core.query_engine import RetrieverQueryEngine
    from llama_index.core.response_synthesizers import get_response_synthesizer

    Settings.embed_model = MockEmbedding(embed_dim=4)  # or it would look for one of OpenAI's
    engine = RetrieverQueryEngine(retriever, get_response_synthesizer(llm=MockLLM()))
    response = engine.query(QUESTION)
    assert "The spare key is with Olga." in str(response)  # the double repeats its prompt
    assert "key" in {node.node_id for node in response.source_nodes}
