"""`consecutive_turn`: neighbours in the order of a session.

The memories of a session that have a sequence are ordered by it, and by id where it is the same;
each is linked with the next. Gaps in the numbering do not matter.

A session may be long, and most changes are at its end. So it is not read as a whole: the stored
links are a chain that tells who follows whom, and a newcomer's place in the chain is found from the
memories with nearly the same sequence. Where that is not certain (sparse numbering, a broken
chain), the whole session is worked out anew.

Cost of a change: its own size and a few blocks of `_BLOCK` positions; at worst the whole session.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from graphmemix.relate.keys import group_name
from graphmemix.relate.protocol import PairChange

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from graphmemix.evidence import Relation
    from graphmemix.memory import Memory
    from graphmemix.relate.after import After
    from graphmemix.relate.protocol import Pair

_BLOCK = 64  # positions

Turn: TypeAlias = tuple[int, str]
"""Position and id: turns sort as they follow each other."""


class ConsecutiveTurn:
    """The relation."""

    name: ClassVar[Relation] = "consecutive_turn"

    def keys(self, memory: Memory) -> Iterator[str]:
        """Yield the key of the session, and that of the block in it."""
        if memory.session is not None and memory.sequence is not None:
            yield _session_key(memory.session)
            yield _block_key(memory.session, memory.sequence // _BLOCK)

    def change(self, after: After) -> PairChange:
        """Mend the chain of every session that the change touches."""
        chain = _Chain(self.name, after)
        wanted: set[Pair] = set()
        replaced = {pair for pair in chain.stored if any(map(after.touches, pair))}
        for session in chain.sessions():
            stretches = chain.stretches(session)
            if stretches is None:
                whole = _turns(after.with_keys([_session_key(session)]).values())[session]
                replaced |= after.pairs(self.name, [memory_id for _, memory_id in whole])
                stretches = [sorted(whole)]
            for stretch in stretches:
                wanted |= _links(stretch)
                replaced |= _links([stretch[0], stretch[-1]]) & chain.stored if stretch else set()
        return PairChange(frozenset(wanted - replaced), frozenset(replaced - wanted))


class _Chain:
    """What is known of the stored chains around a change.

    A *survivor* is a memory that the change does not touch. Its place is the same before and after.
    """

    def __init__(self, relation: Relation, after: After) -> None:
        self._after = after
        self._came = _turns(after.changed.values())
        self._left = _turns(after.gone.values())
        blocks = {
            _block_key(session, position // _BLOCK + step)
            for turns in (self._came, self._left)
            for session, each in turns.items()
            for position, _ in each
            for step in (-1, 0, 1)
        }
        near = after.with_keys(blocks)
        links = after.pairs(relation, ())
        self._bereaved = {i for pair in links for i in pair if not after.touches(i)}
        self._explored = {*near, *self._bereaved}
        self.stored = after.pairs(relation, self._explored)
        self._linked: defaultdict[str, list[str]] = defaultdict(list)
        for one, other in self.stored:
            self._linked[one].append(other)
            self._linked[other].append(one)
        survivors = near | after.by_id(i for i in self._linked if not after.touches(i))
        self._survivors = _turns(m for m in survivors.values() if not after.touches(m.id))
        self._place = {
            turn[1]: (session, turn) for session, each in self._survivors.items() for turn in each
        }

    def sessions(self) -> set[str]:
        """Return the sessions that the change touches."""
        bereaved = {self._place[i][0] for i in self._bereaved if i in self._place}
        return bereaved | set(self._came) | set(self._left)

    def stretches(self, session: str) -> list[list[Turn]] | None:
        """Return the parts of the session that change, each from survivor to survivor.

        None if it is not certain who follows whom.
        """
        survivors = sorted(self._survivors[session])
        gaps: dict[tuple[Turn | None, Turn | None], list[Turn]] = {}
        for turn in (*self._came[session], *self._left[session]):
            i = bisect_left(survivors, turn)
            before = survivors[i - 1] if i > 0 else None
            behind = survivors[i] if i < len(survivors) else None
            if not self._adjacent(before, behind, turn, session):
                return None
            gaps.setdefault((before, behind), []).append(turn)
        for memory_id in self._bereaved:
            if memory_id in self._place and self._place[memory_id][0] == session:
                sides = self._sides(memory_id)
                if sides is None:
                    return None
                gaps.setdefault((sides[0], self._place[memory_id][1]), [])
        came = set(self._came[session])
        return [
            [*filter(None, (before,)), *sorted(came.intersection(inside)), *filter(None, (behind,))]
            for (before, behind), inside in gaps.items()
        ]

    def _adjacent(self, before: Turn | None, behind: Turn | None, turn: Turn, session: str) -> bool:
        """Return whether no unknown survivor can lie between two known ones, around `turn`."""
        block = turn[0] // _BLOCK
        if before and behind and behind[0] // _BLOCK - 1 <= block <= before[0] // _BLOCK + 1:
            return True  # all survivors of these blocks are known
        for survivor, other, side in ((before, behind, 1), (behind, before, 0)):
            if survivor is None or survivor[1] not in self._explored:
                continue
            sides = self._sides(survivor[1])
            if sides is None or sides[side] != other:
                return False
            # The end of the chain is believed only from one who is in it, and only if no link
            # was taken away together with the memory that is gone.
            if other is not None or (sides[1 - side] is not None and not self._blind(session)):
                return True
        return False

    def _blind(self, session: str) -> bool:
        return any(memory_id not in self._linked for _, memory_id in self._left[session])

    def _sides(self, memory_id: str) -> tuple[Turn | None, Turn | None] | None:
        """Return the survivors before and behind one, by the stored links; None if in disorder."""
        session, turn = self._place[memory_id]
        sides: list[Turn | None] = [None, None]
        for linked in self._linked.get(memory_id, ()):
            reached = self._next_survivor(memory_id, linked)
            if reached is None:
                continue
            place, other = self._place.get(reached, (None, turn))
            side = int(other > turn)
            if place != session or sides[side] is not None:
                return None
            sides[side] = other
        return sides[0], sides[1]

    def _next_survivor(self, memory_id: str, linked: str) -> str | None:
        """Walk along the stored links, past memories that the change touches."""
        seen = {memory_id}
        while self._after.touches(linked) and linked not in seen:
            seen.add(linked)
            onward = [each for each in self._linked.get(linked, ()) if each not in seen]
            if not onward:
                return None
            linked = onward[0]
        return linked


def _turns(memories: Iterable[Memory]) -> defaultdict[str, list[Turn]]:
    """Return the turns of each session, in any order."""
    turns: defaultdict[str, list[Turn]] = defaultdict(list)
    for memory in memories:
        if memory.session is not None and memory.sequence is not None:
            turns[memory.session].append((memory.sequence, memory.id))
    return turns


def _links(stretch: list[Turn]) -> set[Pair]:
    pairs = (sorted((one[1], other[1])) for one, other in pairwise(stretch))
    return {(lower, higher) for lower, higher in pairs}


def _session_key(session: str) -> str:
    return "session:" + group_name(session)


def _block_key(session: str, block: int) -> str:
    return "turns:" + group_name(block, session)
