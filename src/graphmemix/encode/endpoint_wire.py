"""What goes over the wire to an embeddings server and what comes back, and why it did not."""

from __future__ import annotations

import base64
import time
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from pydantic import BaseModel, ConfigDict

from graphmemix.encode.pictures import decode_picture
from graphmemix.errors import InvalidInputError

if TYPE_CHECKING:
    import httpx

__all__ = [
    "Body",
    "Failure",
    "Reply",
    "SHOWN",
    "address",
    "data_url",
    "message",
    "read_reply",
    "refusal",
]

Body: TypeAlias = dict[str, Any]  # what goes over the wire as JSON

SHOWN: Final = 300  # characters of a reply in an error
_TRANSIENT: Final = frozenset({408, 425, 429, *range(500, 600)})
# What Pillow tells about a picture that is nothing but pixels. Orientation, place, camera, comments
# and animation are not among it.
# fmt: off
_PLAIN_INFO: Final = frozenset({
    "adobe", "adobe_transform", "aspect", "background", "chromaticity", "dpi", "duration",
    "gamma", "icc_profile", "interlace", "jfif", "jfif_density", "jfif_unit",
    "jfif_version", "loop", "progression", "progressive", "srgb", "timestamp",
})
# fmt: on


class Failure:
    """Why a request failed, whether it may pass the next time, and when to try."""

    def __init__(self, reason: str, *, may_pass: bool = True, wait: float | None = None) -> None:
        self.reason = " ".join(reason.split())[: 2 * SHOWN]
        self.may_pass = may_pass
        self.wait = wait


class _Row(BaseModel):
    model_config = ConfigDict(extra="ignore")
    index: int | None = None
    embedding: list[float]


class Reply(BaseModel):
    """What a server answers: the rows, in any order if they have indices."""

    model_config = ConfigDict(extra="ignore")
    data: list[_Row]


def read_reply(response: httpx.Response, most: int, deadline: float) -> bytes:
    """Return the body of a reply.

    Raises:
        httpx.HTTPError: It is longer than `most` bytes, later than `deadline` (of
            `time.monotonic`), or breaks off.
    """
    import httpx

    content = bytearray()
    for chunk in response.iter_bytes():
        content += chunk
        if len(content) > most:
            raise httpx.DecodingError("the reply does not end")
        if time.monotonic() > deadline:
            raise httpx.ReadTimeout("the reply is too slow")
    return bytes(content)


def refusal(response: httpx.Response, content: bytes) -> Failure:
    """Return why a server refused, in its own words, and when it may be asked again."""
    said = content[: 4 * SHOWN].decode("utf-8", "replace")[:SHOWN]
    reason = f"HTTP {response.status_code} {response.reason_phrase}: {said}"
    wait = _seconds(response.headers.get("Retry-After", ""))
    return Failure(reason, may_pass=response.status_code in _TRANSIENT, wait=wait)


def _seconds(retry_after: str) -> float | None:
    """Return the pause that a server asks for, in seconds or as a date; None for nonsense."""
    try:
        wait = float(retry_after)
    except ValueError:
        try:
            then = parsedate_to_datetime(retry_after)
        except (ValueError, TypeError, OverflowError):
            return None
        if then.tzinfo is None:
            then = then.replace(tzinfo=UTC)
        wait = (then - datetime.now(UTC)).total_seconds()
    return wait if 0.0 < wait < float("inf") else None


def message(content: Body) -> Body:
    """Return one input in the form of a chat turn."""
    return {"messages": [{"role": "user", "content": [content]}]}


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


def address(base_url: str) -> httpx.URL:
    """Return where to post to.

    Raises:
        InvalidInputError: It is no address of a server.
    """
    import httpx

    try:
        url = httpx.URL(base_url.strip())
    except (httpx.InvalidURL, UnicodeError):
        url = httpx.URL("")
    if url.scheme not in {"http", "https"} or not url.host:  # the text may hold a password
        raise InvalidInputError("base_url: must be like http://localhost:8000/v1")
    path = url.path.rstrip("/") or "/v1"
    return url.copy_with(path=path if path.endswith("/embeddings") else f"{path}/embeddings")
