"""Citations in an answer: ``[1]``, ``[1, 3]``, ``[1-3]``, ``[Memory 2]``, ``【2】``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from graphmemix.evidence import Citation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graphmemix.evidence import Packet

__all__ = ["cited_numbers", "find_citations"]

# At most three digits: [2024] is a year, and no packet has a thousand blocks.
_NUMBER: Final = r"(?:(?:memory|memories|block|source)\s{0,3}+)?#?\d{1,3}+"
# Spaces around a separator, or spaces alone: each text can match in one way only, because an
# ambiguous repetition backtracks exponentially, bounded or not.
_BETWEEN: Final = r"(?:\s{0,3}+(?:[,;&–—-]|\band\b|\bto\b)\s{0,3}+|\s{1,7}+)"
_CITED: Final = re.compile(
    rf"[\[【]\s{{0,3}}+({_NUMBER}(?:{_BETWEEN}{_NUMBER}){{0,99}}+)\s{{0,3}}+[\]】]", re.IGNORECASE
)
_PART: Final = re.compile(r"(\d++)(?:\s*+(?:[-–—]|\bto\b)[^\d,;&]*+(\d++))?", re.IGNORECASE)


def find_citations(text: str, packet: Packet) -> tuple[tuple[Citation, ...], int]:
    """Return the memories that a text cites, in order of appearance, each once.

    The second value counts numbers without a block, which are ignored. The text is not changed.
    """
    ids = {block.rank: block.memory_id for block in packet.blocks}
    found: dict[str, None] = {}
    unknown = 0
    for number in cited_numbers(text):
        if number in ids:
            found[ids[number]] = None
        else:
            unknown += 1
    return tuple(Citation(memory_id) for memory_id in found), unknown


def cited_numbers(text: str) -> Iterator[int]:
    """Yield the numbers that a text cites, in order, with ranges expanded. Linear in its length."""
    for cited in _CITED.finditer(text):
        for first, last in _PART.findall(cited[1]):
            low, high = int(first), int(last or first)
            # A descending range is taken as two numbers.
            yield from range(low, high + 1) if low <= high else (low, high)
