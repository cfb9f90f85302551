"""The other half of an exchange: what a memory must be read together with (METHOD section 1).

A round belongs together, a turn without a round with the turn before it, a mail with the mail that
it answers, a photo with its burst. Keys let the other half be found again, whichever comes first.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from graphmemix.memory import Memory

_BURST_SECONDS = 60
_MOST_COMPANIONS = 8  # a round or a burst may be huge; the nearest ones are enough to read with


def exchange_keys(memory: Memory) -> set[str]:
    """Return the keys under which others find this memory."""
    keys = set()
    if memory.session is not None and memory.round is not None:
        keys.add(f"exchange:{memory.session}:{memory.round}")
    elif memory.session is not None and memory.sequence is not None:
        keys.add(f"turn:{memory.session}:{memory.sequence}")
    if memory.source_id:
        keys.add(f"named:{memory.source_id}")
    keys |= {f"answers:{name}" for name in _answered(memory)}
    if (minute := _minute(memory)) is not None:
        keys.add(f"minute:{minute}")
    return keys


def keys_around(memory: Memory) -> set[str]:
    """Return the keys of all that this memory may be a companion of, or have as companions."""
    keys = set()
    if memory.session is not None and memory.round is not None:
        keys.add(f"exchange:{memory.session}:{memory.round}")
    elif memory.session is not None and memory.sequence is not None:
        keys |= {f"turn:{memory.session}:{memory.sequence + step}" for step in (-1, 1)}
    if memory.source_id:
        keys.add(f"answers:{memory.source_id}")
    keys |= {f"named:{name}" for name in _answered(memory)}
    if (minute := _minute(memory)) is not None:
        keys |= {f"minute:{minute + step}" for step in (-1, 0, 1)}
    return keys


class Around:
    """Memories by their keys, so that those which one may be read with are found without a scan."""

    def __init__(self, memories: Iterable[Memory]) -> None:
        self._by_key: defaultdict[str, list[Memory]] = defaultdict(list)
        for memory in memories:
            for key in exchange_keys(memory):
                self._by_key[key].append(memory)

    def of(self, memory: Memory) -> list[Memory]:
        """Return all that may be companions of a memory, each once."""
        found = (other for key in keys_around(memory) for other in self._by_key.get(key, ()))
        return list({other.id: other for other in found}.values())


def companions(memory: Memory, around: Iterable[Memory]) -> list[Memory]:
    """Return those of `around` that are read together with this memory, in order."""
    found = [other for other in around if other.id != memory.id and _together(memory, other)]
    nearest = sorted(found, key=lambda other: _distance(memory, other))[:_MOST_COMPANIONS]
    return sorted(nearest, key=lambda other: (other.sequence or 0, other.id))


def came_later(other: Memory, memory: Memory) -> bool:
    """Return whether there is a moment as of which the memory is known and the other is not."""
    if other.timestamp is None:
        return False
    return memory.timestamp is None or other.timestamp > memory.timestamp


def _distance(memory: Memory, other: Memory) -> tuple[int, float, str]:
    steps = abs((memory.sequence or 0) - (other.sequence or 0))
    if memory.timestamp is None or other.timestamp is None:
        return steps, 0.0, other.id
    return steps, abs((memory.timestamp - other.timestamp).total_seconds()), other.id


def _together(memory: Memory, other: Memory) -> bool:
    if memory.session is not None and memory.session == other.session:
        if memory.round is not None:
            return memory.round == other.round
        if memory.sequence is not None and other.sequence == memory.sequence - 1:
            return other.round is None
    if other.source_id and other.source_id in _answered(memory):
        return True
    if _minute(memory) is None or _minute(other) is None:
        return False
    assert memory.timestamp is not None  # noqa: S101  # for the type checker
    assert other.timestamp is not None  # noqa: S101
    return abs((memory.timestamp - other.timestamp).total_seconds()) < _BURST_SECONDS


def _answered(memory: Memory) -> set[str]:
    return {each.source_id for each in memory.references if each.relation == "reply_to"}


def _minute(memory: Memory) -> int | None:
    """Return the minute in which a photo was taken."""
    if memory.kind != "photo" or memory.timestamp is None:
        return None
    return int(memory.timestamp.timestamp() // _BURST_SECONDS)
