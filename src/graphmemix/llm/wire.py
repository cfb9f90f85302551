"""What any model server gets and says: pictures as data URLs, and when to ask it again."""

from __future__ import annotations

import base64
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from io import BytesIO
from typing import TYPE_CHECKING, Final

from graphmemix.imaging import decode_picture

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["TRANSIENT", "data_url", "retry_after"]

TRANSIENT: Final = frozenset({408, 409, 425, 429, *range(500, 600)})
"""HTTP statuses after which the same request may pass: one rule for chat and embeddings."""

# What Pillow tells about a picture that is nothing but pixels. Orientation, place, camera, comments
# and animation are not among it.
# fmt: off
_PLAIN_INFO: Final = frozenset({
    "adobe", "adobe_transform", "aspect", "background", "chromaticity", "dpi", "duration",
    "gamma", "icc_profile", "interlace", "jfif", "jfif_density", "jfif_unit",
    "jfif_version", "loop", "progression", "progressive", "srgb", "timestamp",
})
# fmt: on


def data_url(data: bytes, name: str) -> str:
    """Return a picture as data URL: plain, so that any server decodes it in the same way.

    Raises:
        InvalidDataError: It cannot be decoded.
    """
    from PIL import Image

    picture = decode_picture(data, name)
    with Image.open(BytesIO(data)) as original:
        kind = original.format or ""
        is_plain = (
            kind in {"JPEG", "PNG", "WEBP"}
            and original.mode in {"RGB", "L"}
            and getattr(original, "n_frames", 1) == 1
            and original.info.keys() <= _PLAIN_INFO
        )
    if not is_plain:
        out = BytesIO()
        kind = "JPEG" if kind in {"JPEG", "MPO", "WEBP"} else "PNG"
        picture.info.clear()  # Pillow would write comments and the like
        picture.save(out, kind, quality=95)
        data = out.getvalue()
    return f"data:image/{kind.lower()};base64,{base64.b64encode(data).decode('ascii')}"


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the pause that a server asks for, in seconds or as a date; None for nonsense."""
    text = headers.get("Retry-After", "")
    try:
        wait = float(text)
    except ValueError:
        try:
            then = parsedate_to_datetime(text)
        except (ValueError, TypeError, OverflowError):
            return None
        then = then if then.tzinfo else then.replace(tzinfo=UTC)
        wait = (then - datetime.now(UTC)).total_seconds()
    return wait if 0.0 <= wait < float("inf") else None
