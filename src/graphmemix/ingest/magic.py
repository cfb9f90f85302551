"""Recognises media files by their first bytes; file names are not reliable."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

_HEIC_BRANDS = frozenset({b"heic", b"heix", b"hevc", b"hevx", b"heim", b"heis"})
_HEIF_BRANDS = frozenset({b"mif1", b"msf1"})  # pictures in some coding; as compatible brand of all
_AVIF_BRANDS = frozenset({b"avif", b"avis"})
_AUDIO_BRANDS = frozenset({b"M4A ", b"M4B ", b"M4P ", b"F4A "})
_QUICKTIME_ATOMS = frozenset({b"moov", b"mdat", b"wide", b"free", b"skip", b"pnot"})
_TRANSPORT_PACKET = 188  # bytes; 192 with the time code that camcorders put before each


class Magic(NamedTuple):
    """The format of a file by its first bytes.

    Attributes:
        mime: Its media type.
        format: The name in the library that opens it: Pillow for pictures, FFmpeg for the rest.
            Files are opened in this format only, so that no file can pose as a playlist that makes
            a decoder read others.
    """

    mime: str
    format: str


# By the first bytes, and those from the ninth on, where RIFF files state their type.
_PICTURES: Final = (
    (b"\xff\xd8\xff", b"", Magic("image/jpeg", "JPEG")),
    (b"\x89PNG\r\n\x1a\n", b"", Magic("image/png", "PNG")),
    (b"RIFF", b"WEBP", Magic("image/webp", "WEBP")),
    (b"GIF87a", b"", Magic("image/gif", "GIF")),
    (b"GIF89a", b"", Magic("image/gif", "GIF")),
    (b"II*\0", b"", Magic("image/tiff", "TIFF")),
    (b"MM\0*", b"", Magic("image/tiff", "TIFF")),
    (b"II+\0", b"", Magic("image/tiff", "TIFF")),  # BigTIFF
    (b"MM\0+", b"", Magic("image/tiff", "TIFF")),
)
_BMP_HEADERS: Final = frozenset({12, 40, 52, 56, 64, 108, 124})  # bytes; a text may begin with BM
_SOUNDS_AND_VIDEOS: Final = (
    (b"RIFF", b"WAVE", Magic("audio/wav", "wav")),
    (b"RF64", b"WAVE", Magic("audio/wav", "wav")),
    (b"RIFF", b"AVI ", Magic("video/x-msvideo", "avi")),
    (b"OggS", b"", Magic("audio/ogg", "ogg")),
    (b"fLaC", b"", Magic("audio/flac", "flac")),
    (b"#!AMR", b"", Magic("audio/amr", "amr")),
    (b"ID3", b"", Magic("audio/mpeg", "mp3")),
    (b"\0\0\1\xba", b"", Magic("video/mpeg", "mpeg")),
)


def picture_magic(head: bytes) -> Magic | None:
    """Return the picture format that starts with these bytes; None if unknown."""
    brands = _brands(head)
    if brands & _AVIF_BRANDS:
        return Magic("image/avif", "AVIF")
    if brands & _HEIC_BRANDS or head[8:12] in brands & _HEIF_BRANDS:
        return Magic("image/heic", "HEIF")
    if head[:2] == b"BM" and int.from_bytes(head[14:18], "little") in _BMP_HEADERS:
        return Magic("image/bmp", "BMP")
    return _listed(head, _PICTURES)


def sound_or_video_magic(head: bytes) -> Magic | None:
    """Return the video or sound format that starts with these bytes; None if unknown.

    Containers hold either: whether there is a video stream is known only after opening one.
    """
    if picture_magic(head) is not None:
        return None
    return (
        _listed(head, _SOUNDS_AND_VIDEOS) or _iso_magic(head) or _matroska_magic(head)
    ) or _repeating_magic(head)


def _listed(head: bytes, known: Sequence[tuple[bytes, bytes, Magic]]) -> Magic | None:
    return next(
        (
            magic
            for first, ninth, magic in known
            if head.startswith(first) and head.startswith(ninth, 8)
        ),
        None,
    )


def _iso_magic(head: bytes) -> Magic | None:
    if head[4:8] == b"ftyp":
        brand = head[8:12]
        if brand in _AUDIO_BRANDS:
            return Magic("audio/mp4", "mov")
        kinds = {b"qt": "video/quicktime", b"3g": "video/3gpp"}
        return Magic(kinds.get(brand[:2], "video/mp4"), "mov")
    # QuickTime files from before 2001 have no ftyp; their first atom must have a sensible size.
    size = int.from_bytes(head[:4])
    if head[4:8] in _QUICKTIME_ATOMS and (size == 1 or size >= 8):
        return Magic("video/quicktime", "mov")
    return None


def _matroska_magic(head: bytes) -> Magic | None:
    if head[:4] != b"\x1aE\xdf\xa3":
        return None
    return Magic("video/webm" if b"webm" in head[:64] else "video/x-matroska", "matroska")


def _repeating_magic(head: bytes) -> Magic | None:
    """Return formats without a file header, recognised by consecutive frames."""
    if _is_mp3_frame(head):
        return Magic("audio/mpeg", "mp3")
    if re.match(rb"\xff[\xf0\xf1\xf8\xf9]", head) and _adts_repeats(head):
        return Magic("audio/aac", "aac")
    return Magic("video/mp2t", "mpegts") if _is_transport_stream(head) else None


def _brands(head: bytes) -> set[bytes]:
    """Return the brands of an ISO base media file."""
    if head[4:8] != b"ftyp":
        return set()
    end = min(int.from_bytes(head[:4]), len(head), 256)
    return {head[8:12], *(head[at : at + 4] for at in range(16, end - 3, 4))}


_MP3_KILOBITS = (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320)
_MP3_HERTZ = (44100, 48000, 32000)


def _is_mp3_frame(head: bytes) -> bool:
    """Return whether the data starts with two consecutive MPEG-1 layer III frames.

    The first two bytes of a frame alone occur in any data.
    """
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xFE != 0xFA:
        return False
    rate, hertz = head[2] >> 4, head[2] >> 2 & 3
    if not 0 < rate < 15 or hertz == 3:
        return False
    length = 144000 * _MP3_KILOBITS[rate] // _MP3_HERTZ[hertz] + (head[2] >> 1 & 1)
    return head[length : length + 2] == head[:2]


def _adts_repeats(head: bytes) -> bool:
    if len(head) < 7:
        return False
    length = (head[3] & 3) << 11 | head[4] << 3 | head[5] >> 5
    return length > 7 and head[length : length + 2] == head[:2]


def _is_transport_stream(head: bytes) -> bool:
    for first, step in ((0, _TRANSPORT_PACKET), (4, _TRANSPORT_PACKET + 4)):
        marks = head[first::step][:5]
        if len(marks) == 5 and set(marks) == {0x47}:
            return True
    return False
