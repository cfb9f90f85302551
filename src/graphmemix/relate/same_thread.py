"""`same_thread` (ours): mails that follow each other in a thread."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from graphmemix.relate.groups import Grouped, Rule
from graphmemix.relate.keys import group_name
from graphmemix.relate.moments import in_time

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from graphmemix.memory import Memory


def same_thread() -> Grouped:
    """Link mails of one thread that follow each other in time.

    `reply_to` links an answer with what it answers; this one also holds a thread together of which
    the archive lacks a mail.
    """
    return Grouped("same_thread", (Rule("thread", _threads, _link),))


def _threads(memory: Memory) -> Iterable[str]:
    if memory.kind == "email" and memory.session is not None:
        yield group_name(memory.source, memory.session)


def _link(
    _name: str, members: Sequence[Memory], _others: Sequence[Memory]
) -> Iterable[tuple[Memory, Memory]]:
    return pairwise(sorted(members, key=in_time))
