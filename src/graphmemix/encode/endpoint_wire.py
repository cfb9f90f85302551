"""What goes over the wire to an embeddings server and what comes back, and why it did not."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from pydantic import BaseModel, ConfigDict

from graphmemix.errors import InvalidInputError
from graphmemix.llm.wire import TRANSIENT, retry_after

if TYPE_CHECKING:
    import httpx

__all__ = [
    "Body",
    "Failure",
    "Reply",
    "SHOWN",
    "address",
    "message",
    "read_reply",
    "refusal",
]

Body: TypeAlias = dict[str, Any]  # what goes over the wire as JSON

SHOWN: Final = 300  # characters of a reply in an error


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
    wait = retry_after(response.headers)
    return Failure(reason, may_pass=response.status_code in TRANSIENT, wait=wait)


def message(content: Body) -> Body:
    """Return one input in the form of a chat turn."""
    return {"messages": [{"role": "user", "content": [content]}]}


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
