"""`same_document` (ours): neighbouring parts of one document."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from graphmemix.relate.groups import Grouped, Rule
from graphmemix.relate.keys import group_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from graphmemix.memory import Memory


def same_document() -> Grouped:
    """Link parts that name the same document and follow each other by sequence, then id.

    A part without a sequence has no neighbours. A document is one of one source: two sources may
    use the same name for different ones.
    """
    return Grouped("same_document", (Rule("doc", _documents, _link),))


def _documents(memory: Memory) -> Iterable[str]:
    if memory.sequence is not None:
        for reference in memory.references:
            if reference.relation == "same_document" and reference.source_id:
                yield group_name(memory.source, reference.source_id)


def _link(
    _name: str, members: Sequence[Memory], _others: Sequence[Memory]
) -> Iterable[tuple[Memory, Memory]]:
    return pairwise(sorted(members, key=lambda part: (part.sequence or 0, part.id)))
