"""Pictures that show the same: a 64-bit difference hash that survives resizing and compression."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from graphmemix.imaging import decode_picture

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PREFIX: Final = "look:"
"""Keys of memories that carry a look."""

_SIDE = 8
_BOX = 4  # Pillow's number of the box filter
_LEAST_CONTRAST = 8  # of 255


def look(data: bytes) -> str:
    """Return the look of an encoded picture as 16 hexadecimal digits; empty for a plain one.

    Each bit says whether a pixel of the picture, shrunk to 9 x 8 grey ones, is darker than the one
    to its right.

    Raises:
        InvalidDataError: This is not a picture that can be decoded.
    """
    grey = decode_picture(data, "image").convert("L")
    small = grey.resize((_SIDE + 1, _SIDE), _BOX)
    pixels = small.tobytes()
    if max(pixels) - min(pixels) < _LEAST_CONTRAST:
        return ""  # nothing to recognise it by
    bits = 0
    for row in range(_SIDE):
        for column in range(_SIDE):
            at = row * (_SIDE + 1) + column
            bits = bits << 1 | (pixels[at] < pixels[at + 1])
    return f"{bits:016x}"


def passed_over(
    ranked: Sequence[str], keys: Mapping[str, set[str]], *, most_bits: int
) -> dict[str, str]:
    """Return which of the ranked memories show the same as a better one, and which that is.

    Two memories show the same if each picture of the lesser one looks like one of the better one.
    """
    kept: list[tuple[str, list[int]]] = []
    duplicates: dict[str, str] = {}
    for memory_id in ranked:
        mine = (key for key in keys.get(memory_id, ()) if key.startswith(PREFIX))
        looks = [int(key.removeprefix(PREFIX), 16) for key in mine]
        if not looks:
            continue
        for better, others in kept:
            if all(any((a ^ b).bit_count() <= most_bits for b in others) for a in looks):
                duplicates[memory_id] = better
                break
        else:
            kept.append((memory_id, looks))
    return duplicates
