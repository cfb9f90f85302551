"""Pictures on their way to a model: small enough, and nothing but pixels."""

from __future__ import annotations

import base64
from io import BytesIO
from typing import TYPE_CHECKING, Final

from graphmemix.imaging import decode_picture

if TYPE_CHECKING:
    from graphmemix.llm.chat import ImagePart

__all__ = ["data_url", "picture_url"]

# What Pillow reports about a picture that is nothing but pixels. Orientation, place, camera,
# comments and animation are not among it.
# fmt: off
_PLAIN_INFO: Final = frozenset({
    "adobe", "adobe_transform", "aspect", "background", "chromaticity", "dpi", "duration",
    "gamma", "icc_profile", "interlace", "jfif", "jfif_density", "jfif_unit",
    "jfif_version", "loop", "progression", "progressive", "srgb", "timestamp",
})
# fmt: on


def picture_url(image: ImagePart, longest_edge: int, name: str) -> str:
    """Return a picture as data URL, scaled down if an edge is longer than `longest_edge` pixels.

    Place, camera and comments stay behind; a plain file that is small enough goes as it is.

    Raises:
        InvalidDataError: It cannot be decoded; names it.
    """
    from PIL import Image

    picture = decode_picture(image.data, name)
    if max(picture.size) <= longest_edge:
        return data_url(image.data, name)
    picture.thumbnail((longest_edge, longest_edge), Image.Resampling.LANCZOS)
    small = BytesIO()
    picture.info.clear()
    picture.save(small, "JPEG", quality=95)
    return data_url(small.getvalue(), name)


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
