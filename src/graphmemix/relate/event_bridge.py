"""`event_bridge`: photos and videos of one event.

Any two that lie at least ``min_seconds`` and at most ``max_seconds`` and ``max_kilometres`` apart
may be linked, but no memory gets more than ``max_neighbours`` links. Pairs are taken in order of
time between them, then distance, then ids, and linked while both have links to spare.

So whether a pair is linked may depend on other pairs, but on none beyond a pause: where nothing was
taken for longer than ``max_seconds``, the runs on both sides do not know of each other. A change
works out anew the runs that it touches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from graphmemix.relate.bursts import Shot, bridges
from graphmemix.relate.moments import SECOND, instant
from graphmemix.relate.protocol import PairChange

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graphmemix.evidence import Relation
    from graphmemix.memory import Memory
    from graphmemix.relate.after import After
    from graphmemix.settings import GraphSettings


def is_visual(memory: Memory) -> bool:
    """Return whether a memory is or holds a photo or a video."""
    return memory.kind in {"photo", "video"} or any(
        medium.modality in {"image", "video"} for medium in memory.media
    )


class EventBridge:
    """The relation under given settings."""

    name: ClassVar[Relation] = "event_bridge"

    def __init__(self, settings: GraphSettings) -> None:
        self._limits = settings.event_bridge
        # An empty slot is then a pause, and what may be linked lies in neighbouring slots.
        self._slot = max(SECOND, round(self._limits.max_seconds * SECOND))

    def keys(self, memory: Memory) -> Iterator[str]:
        """Yield the key of the slot of time in which it was taken."""
        slot = self._slot_of(memory)
        if slot is not None:
            yield f"slot:{slot}"

    def change(self, after: After) -> PairChange:
        """Work out again the runs around all disturbed memories."""
        slots = {self._slot_of(memory) for memory in after.disturbed(self.name)} - {None}
        around = {slot + step for slot in slots if slot is not None for step in (-1, 0, 1)}
        shots = self._runs(around, after)
        wanted = bridges(shots, self._limits)
        stored = after.pairs(self.name, [shot.id for shot in shots])
        return PairChange(frozenset(wanted - stored), frozenset(stored - wanted))

    def _slot_of(self, memory: Memory) -> int | None:
        shot = _shot(memory)
        return None if shot is None else shot.time // self._slot

    def _runs(self, slots: set[int], after: After) -> list[Shot]:
        """Return the shots of these slots and of all that join on without an empty one between."""
        known: dict[int, list[Shot]] = {}
        asked, reach = slots, 1
        while asked:
            known |= self._fetched(asked, after)
            ends = [
                (slot, sign)
                for slot in _joined(slots, known)
                for sign in (-1, 1)
                if known[slot] and slot + sign not in known
            ]
            # Twice as far each time, so that a long run takes few questions.
            steps = range(1, reach + 1)
            asked = {slot + sign * step for slot, sign in ends for step in steps} - known.keys()
            reach *= 2
        return [shot for slot in _joined(slots, known) for shot in known[slot]]

    def _fetched(self, slots: set[int], after: After) -> dict[int, list[Shot]]:
        found: dict[int, list[Shot]] = {slot: [] for slot in slots}
        for memory in after.with_keys([f"slot:{slot}" for slot in slots]).values():
            shot = _shot(memory)
            if shot is not None and (slot := shot.time // self._slot) in found:
                found[slot].append(shot)
        return found


def _shot(memory: Memory) -> Shot | None:
    """Return when and where; None if that is not known, or if nothing is to be seen."""
    place = memory.place
    if memory.timestamp is None or place is None or not is_visual(memory):
        return None
    if place.latitude is None or place.longitude is None:
        return None
    return Shot(instant(memory.timestamp), memory.id, (place.latitude, place.longitude))


def _joined(slots: set[int], known: dict[int, list[Shot]]) -> set[int]:
    """Return the slots and all known ones that they reach through slots that are not empty."""
    joined, todo = set(), [slot for slot in slots if slot in known]
    while todo:
        slot = todo.pop()
        if slot not in joined:
            joined.add(slot)
            if known[slot]:
                todo += [near for near in (slot - 1, slot + 1) if near in known]
    return joined
