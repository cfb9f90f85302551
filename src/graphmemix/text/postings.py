"""Counted terms as they are stored: what BM25 reads, the same for every store."""

from __future__ import annotations

import struct
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphmemix.errors import ArchiveDamagedError, InvalidDataError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

POSTING_BYTES = 12
"""What a packed term takes: eight bytes of fingerprint and four of count."""

_MOST_COUNT = 2**32 - 1


@lru_cache(maxsize=1 << 16)
def fingerprint(term: str) -> int:
    """Return 64 bits that stand for a term, the same on every machine.

    Two of a million different terms share one with a probability of 3e-8; they would count as one.
    """
    digest = blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def pack(terms: Mapping[str, int]) -> bytes:
    """Return counted terms as stored: ascending uint64 fingerprints, then uint32 counts.

    Little endian; 12 bytes per term.

    Raises:
        InvalidDataError: A count is not within 1 and 2^32 - 1.
    """
    counts = dict(zip(map(fingerprint, terms), terms.values(), strict=True))
    if len(counts) < len(terms):  # two terms share one; they count as one
        counts = dict.fromkeys(counts, 0)
        for term, count in terms.items():
            counts[fingerprint(term)] += count
    if terms and not 1 <= min(terms.values()) <= max(counts.values()) <= _MOST_COUNT:
        wrong = [term for term, count in terms.items() if not 1 <= count <= _MOST_COUNT]
        raise InvalidDataError(f"terms {wrong or [*terms]}: a count of these cannot be stored")
    keys = sorted(counts)
    return struct.pack(f"<{len(keys)}Q{len(keys)}I", *keys, *map(counts.__getitem__, keys))


def unpack(blob: bytes) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """Return what `pack` packed: ascending fingerprints, and their counts.

    Raises:
        ArchiveDamagedError: `pack` cannot have written this.
    """
    found = unpack_many([blob])
    return found.fingerprints, found.counts


class Postings(NamedTuple):
    """The terms of many texts.

    Attributes:
        sizes: How many terms each text has.
        fingerprints: Those of the first text, ascending, then those of the second, and so on.
        counts: How often each of them occurs in its text.
    """

    sizes: NDArray[np.int64]
    fingerprints: NDArray[np.uint64]
    counts: NDArray[np.uint32]


def unpack_many(blobs: Sequence[bytes], names: Sequence[object] = ()) -> Postings:
    """Unpack many at once, about 30 million terms per second.

    Args:
        blobs: What `pack` returned.
        names: What an error calls each of them.

    Raises:
        ArchiveDamagedError: `pack` cannot have written one of them.
    """
    lengths = np.fromiter(map(len, blobs), np.int64, len(blobs))
    sizes = lengths // POSTING_BYTES
    wrong = np.flatnonzero(lengths % POSTING_BYTES)
    if not wrong.size:
        cells = np.frombuffer(b"".join(blobs), "<u4")
        is_count = np.repeat(np.tile([False, True], len(blobs)), np.outer(sizes, [2, 1]).ravel())
        counts = cells[is_count].astype(np.uint32, copy=False)
        keys = cells[~is_count].view("<u8").astype(np.uint64, copy=False)
        ends = np.cumsum(sizes)
        falls = np.flatnonzero(keys[1:] <= keys[:-1]) + 1
        falls = falls[np.isin(falls, ends, invert=True)]  # the next text starts anew
        bad = np.concatenate([falls, np.flatnonzero(counts == 0)])
        if not bad.size:
            return Postings(sizes, keys, counts)
        wrong = np.searchsorted(ends, bad, side="right")
    first = int(wrong.min())
    name = names[first] if len(names) else f"posting list {first}"
    raise ArchiveDamagedError(f"{name}: its terms are not what was written; rebuild the postings")
