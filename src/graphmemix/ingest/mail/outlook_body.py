"""Compressed RTF ([MS-OXRTFCP]): the only body that some Outlook messages have."""

from __future__ import annotations

import struct
from typing import Final

_COMPRESSED: Final = b"LZFu"
_PLAIN: Final = b"MELA"
_LARGEST = 64 << 20  # bytes, unpacked
_WINDOW = 4096
_KNOWN: Final = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern "
    b"\\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0"
    b"\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)
"""What every text is assumed to begin with, so that references into it are short."""


def unpacked_rtf(data: bytes) -> bytes:
    """Return RTF; as much of it as there is if the data are cut, empty if they are not RTF."""
    if len(data) < 16:
        return b""
    (size,) = struct.unpack_from("<I", data, 4)
    if data[8:12] == _PLAIN:
        return data[16 : 16 + size]
    if data[8:12] != _COMPRESSED:
        return b""
    return _expanded(data, min(size, _LARGEST))


def _expanded(data: bytes, size: int) -> bytes:
    """Return the text: literal bytes, and references to the last 4096 bytes, as flags tell."""
    made = bytearray(_KNOWN)
    end = len(_KNOWN) + size
    position = 16
    while position < len(data) and len(made) < end:
        flags = data[position]
        position += 1
        for bit in range(8):
            if position + (flags >> bit & 1) >= len(data) or len(made) >= end:
                return bytes(made[len(_KNOWN) : end])
            if not flags >> bit & 1:
                made.append(data[position])
                position += 1
                continue
            (reference,) = struct.unpack_from(">H", data, position)
            position += 2
            back = (len(made) - (reference >> 4)) % _WINDOW
            if not back:  # a reference to itself ends the text
                return bytes(made[len(_KNOWN) : end])
            _repeat(made, back, (reference & 15) + 2)
    return bytes(made[len(_KNOWN) : end])


def _repeat(made: bytearray, back: int, length: int) -> None:
    """Append what begins `back` bytes before the end; it may run into what it appends."""
    start = len(made) - back
    for at in range(start, start + length):
        made.append(made[at] if at >= 0 else 0x20)
