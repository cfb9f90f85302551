"""Pictures on their way to a model: small enough, and nothing but pixels."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from graphmemix.imaging import decode_picture
from graphmemix.llm.wire import data_url

if TYPE_CHECKING:
    from graphmemix.llm.chat import ImagePart

__all__ = ["picture_url"]


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
