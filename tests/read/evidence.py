"""Forests and packets that tests can hold in mind."""

from __future__ import annotations

from graphmemix.evidence import EvidenceNode, EvidenceTree, Forest, Packet
from graphmemix.memory import Memory
from graphmemix.read.packet import make_packet
from graphmemix.settings import Settings


def forest(*memory_ids: str) -> Forest:
    """A forest whose members stand alone, in this order."""
    trees = tuple(EvidenceTree((EvidenceNode(each, 0.8731),)) for each in memory_ids)
    return Forest(trees, memory_ids, 1.2345, "exact", proven_optimal=True)


def packet(*memories: Memory, settings: Settings | None = None, instruction: str = "") -> Packet:
    """A packet of these memories, in this order."""
    ids = [memory.id for memory in memories]
    by_id = {memory.id: memory for memory in memories}
    return make_packet(forest(*ids), by_id, settings or Settings(), instruction)


def with_context(tokens: int) -> Settings:
    """Settings of a model with a small context."""
    return Settings.load(
        environment={"HOME": "/nowhere"}, overrides={"verifier.context_tokens": tokens}
    )
