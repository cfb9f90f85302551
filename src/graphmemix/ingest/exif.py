"""EXIF: time with offset, coordinates, orientation, camera, texts, bursts of Apple phones.

Any tag may be missing, of the wrong type or nonsense: then it is ignored, with a note if it should
have been a date or a place. Tag numbers are those of EXIF 2.32 and TIFF 6.
"""

from __future__ import annotations

import math
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from graphmemix.ingest.facts import Facts, clean
from graphmemix.text.coordinates import degrees, point
from graphmemix.text.dates.capture_time import Hint, parse_time, written_time

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from PIL.Image import Exif

    from graphmemix.record import Json
    from graphmemix.text.coordinates import Point

_EXIF_IFD: Final = 0x8769
_GPS_IFD: Final = 0x8825
_ORIENTATION: Final = 0x0112
_MAKER_NOTE: Final = 0x927C
# (time, offset, fraction of a second); the time of capture first.
_CHANGED: Final = 0x0132
_TIMES: Final = ((0x9003, 0x9011, 0x9291), (0x9004, 0x9012, 0x9292), (_CHANGED, 0x9010, 0x9290))
_OFFSET_TIME: Final = 0x9010


class Tags:
    """The EXIF tags of a picture; damaged ones count as missing."""

    def __init__(self, exif: Exif) -> None:
        self._groups = [_group(exif, None), _group(exif, _EXIF_IFD)]
        self.gps = _group(exif, _GPS_IFD)

    def get(self, tag: int) -> object:
        """Return the value of a tag from whichever group has it; None if none does."""
        return next((group[tag] for group in self._groups if tag in group), None)

    def text(self, tag: int) -> str:
        """Return a tag as text; empty if it is not text."""
        return as_text(self.get(tag))

    @property
    def lies_on_its_side(self) -> bool:
        """Whether width and height swap when the picture is shown upright."""
        return self.get(_ORIENTATION) in {5, 6, 7, 8}


def _group(exif: Exif, ifd: int | None) -> Mapping[int, object]:
    try:
        return dict(exif) if ifd is None else dict(exif.get_ifd(ifd))
    except Exception:  # noqa: BLE001  # Pillow raises anything on damaged EXIF
        return {}


def exif_facts(tags: Tags) -> Facts:
    """Return the facts in EXIF tags."""
    notes: list[str] = []
    times = _times(tags, notes)
    where = _point(tags, notes)
    make, model = tags.text(0x010F), tags.text(0x0110)
    camera = model if model.casefold().startswith(make.casefold()) else f"{make} {model}"
    others: dict[str, Json] = {}
    if lens := tags.text(0xA434):
        others["lens"] = lens
    if (altitude := _altitude(tags)) is not None:
        others["altitude"] = altitude
    comment = _user_comment(tags.get(0x9286))
    if comment.casefold() == "screenshot":  # what iOS writes into those
        others["screenshot"], comment = True, ""
    texts = (_windows(tags.get(0x9C9B)), tags.text(0x010E), comment, _windows(tags.get(0x9C9C)))
    return Facts(
        times=tuple(times),
        point=where,
        texts=tuple(filter(None, texts)),
        tags=tuple(filter(None, (t.strip() for t in _windows(tags.get(0x9C9E)).split(";")))),
        creator=tags.text(0x013B) or _windows(tags.get(0x9C9D)),
        camera=camera.strip(),
        burst=_apple_burst(tags.get(_MAKER_NOTE)),
        others=others,
        notes=tuple(notes),
    )


def _times(tags: Tags, notes: list[str]) -> list[Hint]:
    hints = []
    for tag, offset_tag, fraction_tag in _TIMES:
        offset = tags.text(offset_tag) or tags.text(_OFFSET_TIME)
        try:
            hint = written_time(
                "exif", tags.text(tag), offset, tags.text(fraction_tag), is_change=tag == _CHANGED
            )
        except (ValueError, OverflowError) as error:
            notes.append(f"EXIF time ignored: {_reason(error)}")
            continue
        if hint is not None:
            hints.append(hint)
            break
    utc = _numbers(tags.gps.get(7))
    day = as_text(tags.gps.get(29))
    if day and len(utc) == 3 and None not in utc:
        hour, minute, second = (number or 0.0 for number in utc)
        if hour < 24 and minute < 60 and second < 60:
            text = f"{day} {int(hour):02}:{int(minute):02}:{int(second):02}"
            moment = _parsed(text, "Z", "", notes)
            if moment is not None:
                hints.append(Hint("gps time", moment, "utc"))
    return hints


def _parsed(text: str, offset: str, fraction: str, notes: list[str]) -> datetime | None:
    try:
        return parse_time(text, offset, fraction)
    except (ValueError, OverflowError) as error:
        notes.append(f"EXIF time ignored: {_reason(error)}")
        return None


def _reason(error: Exception) -> str:
    """Return the reason without the value: notes hold no content."""
    return re.sub(r"[^a-zA-Z ,]", "", str(error)).strip()[:80]


def _point(tags: Tags, notes: list[str]) -> Point | None:
    gps = tags.gps
    if 2 not in gps and 4 not in gps:
        return None
    if as_text(gps.get(9)).upper() == "V":
        notes.append("EXIF place ignored: the receiver had no fix")
        return None
    latitude = degrees(_numbers(gps.get(2)), as_text(gps.get(1)))
    longitude = degrees(_numbers(gps.get(4)), as_text(gps.get(3)))
    found = point(latitude, longitude)
    if found is None:
        notes.append("EXIF place ignored: not a point on Earth")
    return found


def _altitude(tags: Tags) -> float | None:
    values = _numbers(tags.gps.get(6))
    if len(values) != 1 or values[0] is None:
        return None
    below = tags.gps.get(5) in {1, b"\x01"}
    return round(-values[0] if below else values[0], 2)


def _numbers(value: object) -> list[float | None]:
    """Return rationals as numbers; None for those with a zero denominator."""
    values = value if isinstance(value, tuple | list) else () if value is None else (value,)
    return [_number(each) for each in values[:4]]


def _number(value: Any) -> float | None:
    try:
        number = value[0] / value[1] if isinstance(value, tuple) else float(value)
    except (ArithmeticError, TypeError, ValueError, IndexError):
        return None
    return number if math.isfinite(number) and number >= 0 else None


def as_text(value: object) -> str:
    """Return a tag of type ASCII, into which most programs write UTF-8."""
    if isinstance(value, str):
        with suppress(UnicodeError):
            value = value.encode("latin-1").decode()  # Pillow reads it as Latin-1
    elif isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    return clean(value.partition("\0")[0]) if isinstance(value, str) else ""


def _windows(value: object) -> str:
    """Return a text that Windows wrote as UTF-16 into a byte tag."""
    if isinstance(value, tuple) and all(isinstance(n, int) and 0 <= n < 256 for n in value):
        value = bytes(value)
    if not isinstance(value, bytes):
        return ""
    return clean(value.decode("utf-16-le", "ignore").partition("\0")[0])


def _user_comment(value: object) -> str:
    """Return the comment after its eight bytes of character code."""
    if not isinstance(value, bytes):
        return as_text(value)
    code, comment = value[:8], value[8:]
    if code == b"UNICODE\0":
        return clean(_utf16(comment).strip("\0"))
    if code == b"JIS\0\0\0\0\0":
        return clean(comment.decode("iso2022_jp", "ignore"))
    if code not in {b"ASCII\0\0\0", bytes(8)}:
        return ""  # written by the camera, not by a person
    text = comment.partition(b"\0")[0].strip()
    try:
        return clean(text.decode())
    except UnicodeDecodeError:
        return ""


def _utf16(data: bytes) -> str:
    if data[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        return data.decode("utf-16", "ignore")
    # Programs use either byte order, regardless of the file's; letters have a zero high byte.
    big = data[0::2].count(0) > data[1::2].count(0)
    return data.decode("utf-16-be" if big else "utf-16-le", "ignore")


_APPLE = b"Apple iOS\0"
_APPLE_IFD = 14  # bytes before it; its offsets count from the note's beginning
_APPLE_BURST = 0x000B


def _apple_burst(note: object) -> str:
    """Return the id that all photos of an iPhone burst share."""
    if not isinstance(note, bytes) or not note.startswith(_APPLE):
        return ""
    order: Any = "little" if note[12:14] == b"II" else "big"
    for at in range(_APPLE_IFD + 2, min(len(note), 4096), 12):
        entry = note[at : at + 12]
        if len(entry) == 12 and int.from_bytes(entry[:2], order) == _APPLE_BURST:
            size, start = (int.from_bytes(entry[i : i + 4], order) for i in (4, 8))
            found = note[start : start + size] if size <= 64 else b""
            return clean(found.partition(b"\0")[0].decode("ascii", "ignore"))
    return ""
