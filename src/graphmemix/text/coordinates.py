"""Coordinates as files write them: degrees, minutes and seconds; XMP; ISO 6709."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

Point: TypeAlias = tuple[float, float]
"""Latitude and longitude, in degrees."""

_DIGITS = 7  # decimals of a degree: one centimetre


def point(latitude: float | None, longitude: float | None) -> Point | None:
    """Return a point on Earth, or None.

    Exactly 0, 0 is what devices and services write when they do not know.
    """
    if latitude is None or longitude is None:
        return None
    if not (math.isfinite(latitude) and math.isfinite(longitude)):
        return None
    if abs(latitude) > 90 or abs(longitude) > 180 or (latitude == 0 and longitude == 0):
        return None
    return round(latitude, _DIGITS), round(longitude, _DIGITS)


def degrees(parts: Sequence[float | None], reference: str) -> float | None:
    """Return degrees, minutes and seconds as one number with a sign.

    Args:
        parts: Up to three numbers; None for one that was not written (a zero denominator). Minutes
            and seconds may be missing, degrees may not.
        reference: N, S, E or W, in any case.
    """
    sign = {"N": 1, "E": 1, "S": -1, "W": -1}.get(reference.strip("\0 \t").upper()[:1])
    if sign is None or not parts or parts[0] is None:
        return None
    total = sum((part or 0.0) / 60.0**i for i, part in enumerate(parts[:3]))
    return sign * total if math.isfinite(total) else None


_XMP = re.compile(
    r"\s*(\d{1,3}(?:\.\d+)?)(?:,(\d{1,2}(?:\.\d+)?))?(?:,(\d{1,2}(?:\.\d+)?))?\s*([NSEW])\s*"
)


def xmp_degrees(text: str) -> float | None:
    """Return the coordinate that XMP writes as ``48,8.25N`` or ``48,8,15N``; also plain degrees."""
    match = _XMP.fullmatch(text[:64].upper())
    if match is not None:
        *parts, reference = match.groups()
        return degrees([None if part is None else float(part) for part in parts], reference)
    try:
        return float(text[:64])
    except ValueError:
        return None


_ISO_6709 = re.compile(r"([+-]\d+(?:\.\d+)?)([+-]\d+(?:\.\d+)?)(?:([+-]\d+(?:\.\d+)?))?")


def iso_6709(text: str) -> tuple[Point, float | None] | None:
    """Return the point and the altitude in metres of ``+48.1374+011.5755+520.1/``; None if unclear.

    Degrees, degrees and minutes, or those and seconds, told apart by the number of digits.
    """
    match = _ISO_6709.match(text.strip()[:80])
    if match is None:
        return None
    found = point(_packed(match[1], 2), _packed(match[2], 3))
    return None if found is None else (found, float(match[3]) if match[3] else None)


def _packed(text: str, whole: int) -> float | None:
    """Return ±DD.D, ±DDMM.M or ±DDMMSS.S as degrees; `whole` digits are degrees."""
    sign = -1 if text[0] == "-" else 1
    digits, _, fraction = text[1:].partition(".")
    extra = len(digits) - whole
    if extra <= 0:
        return float(text)
    if extra not in {2, 4}:
        return None
    parts = [digits[:whole], *(digits[i : i + 2] for i in range(whole, len(digits), 2))]
    parts[-1] += "." + (fraction or "0")
    return sign * sum(float(part) / 60.0**i for i, part in enumerate(parts))
