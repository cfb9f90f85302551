"""`same_round`: memories of one exchange, as the source numbers exchanges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmemix.relate.groups import Grouped, Rule, banded
from graphmemix.relate.keys import group_name
from graphmemix.relate.moments import in_time

if TYPE_CHECKING:
    from collections.abc import Iterable

    from graphmemix.memory import Memory
    from graphmemix.settings import GraphSettings


def same_round(settings: GraphSettings) -> Grouped:
    """Link memories with the same session and the same round.

    Up to ``group_neighbours + 1`` of them are linked pairwise. In a larger round each is linked
    with ``group_neighbours`` before and after it, by sequence, then time, then id.
    """

    def rounds(memory: Memory) -> Iterable[str]:
        if memory.session is not None and memory.round is not None:
            yield group_name(memory.session, memory.round)

    link = banded(_in_sequence, settings.group_neighbours)
    return Grouped("same_round", (Rule("round", rounds, link),))


def _in_sequence(memory: Memory) -> tuple[bool, int, tuple[int, str]]:
    return (memory.sequence is None, memory.sequence or 0, in_time(memory))
