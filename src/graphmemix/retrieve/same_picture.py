"""`same_picture` (ours): copies of a picture, as a photo that was sent in a chat and its original.

A copy is the same file, or looks the same: the hash of what it shows (`facets.look`) differs in few
bits. Looks are found by their quarters: of two that differ in at most three bits, one agrees.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from graphmemix.retrieve.facets import FILE, QUARTER
from graphmemix.retrieve.following import HitLink
from graphmemix.store.protocol import Facets

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from graphmemix.retrieve.following import Fetch
    from graphmemix.store.protocol import Relations

_COMMON: Final = 12  # memories; a picture that more of them hold is a logo
_MOST_ALIKE: Final = 40  # memories that share a quarter of the look


def same_picture(
    hits: Sequence[str],
    keys: Mapping[str, Collection[str]],
    fetch: Fetch,
    store: Relations,
    *,
    most_bits: int,
) -> Iterator[HitLink]:
    """Yield links to copies of the pictures of hits.

    Args:
        hits: The memories, best first.
        keys: Their keys, at least those of their pictures.
        fetch: Finds memories by keys.
        store: Has the keys of what is found.
        most_bits: In how many bits two looks may differ.
    """
    for hit in hits:
        mine = keys.get(hit, ())
        wanted = tuple(sorted(key for key in mine if key.startswith((FILE, QUARTER))))
        if not wanted:
            continue
        found = [other for other in fetch(Facets(keys=wanted), _MOST_ALIKE) if other != hit]
        theirs = store.keys(found)
        copies = [other for other in found if _is_copy(mine, theirs.get(other, ()), most_bits)]
        if len(copies) < _COMMON:
            yield from (HitLink(hit, other, "same_picture") for other in copies)


def _is_copy(mine: Collection[str], theirs: Collection[str], most_bits: int) -> bool:
    """Return whether a file is the same, or a picture looks the same."""
    if any(key.startswith(FILE) and key in theirs for key in mine):
        return True
    bits = 0
    for ours, others in zip(_by_quarter(mine), _by_quarter(theirs), strict=True):
        # With several pictures the nearest quarter counts, which can only be too generous.
        bits += min(((a ^ b).bit_count() for a in ours for b in others), default=16)
    return bits <= most_bits


def _by_quarter(keys: Collection[str]) -> tuple[list[int], ...]:
    found: tuple[list[int], ...] = ([], [], [], [])
    for key in keys:
        if key.startswith(QUARTER):
            found[int(key[len(QUARTER)])].append(int(key[len(QUARTER) + 1 :], 16))
    return found
