"""`same_identifier` (ours): both hold the same order, booking, claim or tracking number."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from graphmemix.retrieve.following import HitLink
from graphmemix.store.protocol import Facets

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from graphmemix.retrieve.following import Fetch

_COMMON: Final = 12  # memories; a number that more of them hold is everybody's


def same_identifier(
    hits: Sequence[str], numbers: Mapping[str, Collection[str]], fetch: Fetch
) -> Iterator[HitLink]:
    """Yield links to what holds a number of a hit, unless everybody holds it.

    Args:
        hits: The memories, best first.
        numbers: The keys of their numbers.
        fetch: Finds memories by keys.
    """
    holders: dict[str, list[str]] = defaultdict(list)
    for hit in hits:
        for number in sorted(numbers.get(hit, ())):
            holders[number].append(hit)
    for number, holding in holders.items():
        found = fetch(Facets(keys=(number,)), _COMMON + 1)
        if len(found) <= _COMMON:
            for hit in holding:
                yield from (HitLink(hit, o, "same_identifier") for o in found if o != hit)
