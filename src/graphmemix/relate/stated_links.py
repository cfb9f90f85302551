"""`reply_to` and `attachment_of` (ours): links that the source itself states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from graphmemix.relate.groups import Grouped, Rule
from graphmemix.relate.keys import group_name
from graphmemix.relate.moments import in_time

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from graphmemix.memory import Memory
    from graphmemix.settings import GraphSettings


def stated_link(relation: Literal["reply_to", "attachment_of"], settings: GraphSettings) -> Grouped:
    """Link a memory with the one that it names by its source id, in the same source.

    The named one may come later. If a source gave one id to several memories, the earliest
    ``group_neighbours`` count.
    """

    def wanted(memory: Memory) -> Iterable[str]:
        for reference in memory.references:
            if reference.relation == relation and reference.source_id:
                yield group_name(memory.source, reference.source_id)

    def own(memory: Memory) -> Iterable[str]:
        if memory.source_id:
            yield group_name(memory.source, memory.source_id)

    def link(
        _name: str, members: Sequence[Memory], others: Sequence[Memory]
    ) -> Iterable[tuple[Memory, Memory]]:
        named = sorted(others, key=in_time)[: settings.group_neighbours]
        return ((one, other) for one in members for other in named if one.id != other.id)

    return Grouped(relation, (Rule(f"wants:{relation}", wanted, link, "sid", own),))
