"""What tools and retrievers tell about links."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from graphmemix.integrations.evidence import retrieved_memories
from graphmemix.integrations.tools import OpenArchiveAccess, call_tool
from graphmemix.read.chance import in_words
from tests.answering import KEY, household


def test_links_are_told_with_role_and_gain(tmp_path: Path) -> None:
    with household(tmp_path / "a") as archive:
        trace = archive.recall(KEY)
        told = asyncio.run(call_tool("recall", {"question": KEY}, OpenArchiveAccess(archive))).text
        found = retrieved_memories(archive, trace)
        words = in_words(trace, archive.settings.reader)
    assert told.endswith(f"\n\n{words.capitalize()}.")
    assert trace.forest is not None
    nodes = [node for tree in trace.forest.trees for node in tree.nodes]
    rank = {node.memory_id: i for i, node in enumerate(nodes, start=1)}
    linked = [node for node in nodes if node.parent_id is not None]
    assert linked
    for node in linked:
        role = str(node.role).replace("_", " ")
        ends = rf"\[{rank[node.memory_id]}\] adds to \[{rank[str(node.parent_id)]}\]"
        assert re.search(rf"^{ends}: {role} \(gain {node.gain:.3f}\)$", told, re.MULTILINE)
    facts = {each.memory.id: each.facts for each in found}
    assert [facts[n.memory_id].get("gain") for n in nodes] == [n.gain for n in nodes]
    assert [facts[n.memory_id].get("beside") for n in nodes] == [n.parent_id for n in nodes]
