"""Any server that speaks the OpenAI embeddings API: ``POST …/v1/embeddings`` (extra ``endpoint``).

A text goes as ``{"model": …, "input": ["text", …]}``. There is no standard for pictures; two forms
are in wide use, and `EndpointEncoder` speaks both:

``image_style="input"``
    ``{"model": …, "input": [{"image": "data:image/png;base64,…"}, …]}``, as Jina's service and
    servers modelled on it take it. Texts stay plain strings. Many inputs a request.
``image_style="messages"``
    ``{"model": …, "messages": [{"role": "user", "content": [{"type": "image_url", "image_url":
    {"url": "data:…"}}]}]}``, as vLLM takes it for multimodal models. It applies the model's chat
    template, so texts go as messages too; else they would land elsewhere in the space. One input
    a request.
"""

from __future__ import annotations

import threading
import weakref
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import count
from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypeAlias

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from graphmemix.encode.rows import unit_rows
from graphmemix.errors import EncoderError, InvalidInputError
from graphmemix.llm.model_server import ModelServer
from graphmemix.llm.pace import Backoff
from graphmemix.llm.pictures import data_url
from graphmemix.record import describe

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from graphmemix.encode.protocol import Matrix, Progress
    from graphmemix.llm.model_server import Body

__all__ = ["EndpointEncoder", "ImageStyle"]

ImageStyle: TypeAlias = Literal["input", "messages"]

_FIRST_WAIT: Final = 0.5  # seconds; doubles with every retry
_LONGEST_WAIT: Final = 60.0  # seconds, whatever the server asks for
_LARGEST_NUMBER: Final = 40  # bytes of one number in a reply, with its white space
_MOST_NUMBERS: Final = 65_536  # of a vector
_SHOWN: Final = 300  # characters about a bad reply in an error
_PROBE: Final = "dimension"


class _Embedding(BaseModel):
    model_config = ConfigDict(extra="ignore")
    index: int | None = None
    embedding: list[float]


class _Embeddings(BaseModel):
    """What a server answers: the vectors, in any order if they have indices."""

    model_config = ConfigDict(extra="ignore")
    data: list[_Embedding]


class EndpointEncoder:
    """An `Encoder` behind an OpenAI-compatible embeddings server.

    Requests are repeated when the server is busy (429), fails (5xx) or is late, after a pause that
    doubles or that the server names in ``Retry-After``. The API key is sent and nothing else: it
    is in no error, log or `repr`. Calls from several threads are safe. Use it as a context manager
    or `close` it to give the connections back at once.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: str | None = None,
        images: bool = False,
        image_style: ImageStyle = "input",
        dimensions: int | None = None,
        timeout: float = 60.0,
        batch: int = 32,
        concurrency: int = 4,
        retries: int = 4,
        max_characters: int = 20_000,
    ) -> None:
        """Name an endpoint. Nothing is sent yet.

        Args:
            base_url: Such as ``http://localhost:8000/v1``. ``/v1`` is added to a bare host.
            model: The model's name on that server.
            api_key: Sent as bearer token.
            images: Whether the model sees images.
            image_style: How pictures are sent; see the module.
            dimensions: Ask for shorter vectors, if the model can make them.
            timeout: Seconds without a sign from the server, and for a whole reply.
            batch: So many inputs go in one request.
            concurrency: So many requests are under way at once.
            retries: So many times a failed request is repeated.
            max_characters: Longer texts are cut here. A server with a short context refuses what
                is too long for it; then set this lower.

        Raises:
            InvalidInputError: An argument is impossible.
            MissingExtraError: httpx is not installed.
        """
        if image_style not in {"input", "messages"}:
            raise InvalidInputError(f"image_style must be input or messages, not {image_style!r}")
        _require_at_least(0, retries=retries)
        _require_at_least(
            1,
            dimensions=dimensions,
            batch=batch,
            concurrency=concurrency,
            max_characters=max_characters,
        )
        self._server = ModelServer(
            base_url,
            "/embeddings",
            model,
            api_key=api_key,
            timeout=timeout,
            backoff=Backoff(retries, _FIRST_WAIT, _LONGEST_WAIT, patient=True),
            error=EncoderError,
            extra=("endpoint", "An embeddings endpoint"),
        )
        import httpx

        self._asked_dimensions = dimensions
        self._sees_images = images
        self._style = image_style
        self._batch = 1 if images and image_style == "messages" else batch
        self._concurrency = concurrency
        self._max_characters = max_characters
        self._known_dimension = dimensions
        self._lock = threading.Lock()
        self._client = self._server.new_client(httpx.Client, concurrency)
        self._closer = weakref.finalize(self, self._client.close)

    def __repr__(self) -> str:
        return f"EndpointEncoder({self._server.address.url!r}, {self._server.model!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections. The encoder cannot be used after that."""
        self._closer()

    @property
    def identity(self) -> str:
        """``endpoint:model`` or ``endpoint:model@dimensions``; the model makes the vectors."""
        asked = f"@{self._asked_dimensions}" if self._asked_dimensions else ""
        return f"endpoint:{self._server.model}{asked}"

    @property
    def dimension(self) -> int:
        """How many numbers a vector has. Asks the server once, if nothing was encoded yet.

        Raises:
            EncoderError: The server failed.
        """
        if self._known_dimension is None:
            self.texts([_PROBE])
        return self._known_dimension or 0

    @property
    def sees_images(self) -> bool:
        """Whether the endpoint was opened with ``images=True``."""
        return self._sees_images

    def texts(self, texts: Sequence[str], *, progress: Progress | None = None) -> Matrix:
        """Return one unit vector per text.

        Raises:
            EncoderError: The server failed, or its reply makes no sense.
        """

        def body(first: int, part: Sequence[str]) -> Body:
            del first
            # Servers refuse empty strings and characters that are no UTF-8.
            sent = [text[: self._max_characters] or " " for text in part]
            sent = [text.encode("utf-8", "replace").decode("utf-8") for text in sent]
            if self._sees_images and self._style == "messages":
                return _message({"type": "text", "text": sent[0]})
            return {"input": sent}

        return self._encode(texts, "texts", body, progress)

    def images(self, images: Sequence[bytes], *, progress: Progress | None = None) -> Matrix:
        """Return one unit vector per encoded picture.

        Plain JPEG, PNG and WebP files go as they are. Of all others the pixels alone are sent,
        without EXIF and its like: upright, RGB, transparency on white, the first frame.

        Raises:
            InvalidDataError: A picture cannot be decoded; names which.
            EncoderError: The server failed, its reply makes no sense, or it does not see images.
        """
        if not self._sees_images:
            raise EncoderError(f"{self.identity} does not see images; open it with images=True")

        def body(first: int, part: Sequence[bytes]) -> Body:
            urls = [data_url(data, f"images[{first + i}]") for i, data in enumerate(part)]
            if self._style == "messages":
                return _message({"type": "image_url", "image_url": {"url": urls[0]}})
            return {"input": [{"image": url} for url in urls]}

        return self._encode(images, "images", body, progress)

    def _encode(
        self,
        items: Sequence[Any],
        what: str,
        body: Callable[[int, Sequence[Any]], Body],
        progress: Progress | None,
    ) -> Matrix:
        """Send all items in batches, several at once, and put the rows into their order."""
        if not items:
            return np.empty((0, self.dimension), dtype=np.float32)
        stop = threading.Event()

        def encode(first: int) -> Matrix:
            part = items[first : first + self._batch]
            rows = self._request(body(first, part), len(part), stop)
            return unit_rows(rows, what, first)

        found: dict[int, Matrix] = {}
        done = 0
        with ThreadPoolExecutor(self._concurrency, "graphmemix-endpoint") as pool:
            futures = {
                pool.submit(encode, first): first for first in range(0, len(items), self._batch)
            }
            try:
                for future in as_completed(futures):
                    rows = found[futures[future]] = future.result()
                    done += len(rows)
                    if progress is not None:
                        progress(done, len(items))
            finally:
                stop.set()  # wakes those who wait for a retry
                pool.shutdown(cancel_futures=True)
        return np.concatenate([found[first] for first in sorted(found)])

    def _request(self, body: Body, inputs: int, stop: threading.Event) -> Matrix:
        """Send one request until it succeeds, and return its rows in the order of the inputs."""
        body = {**body, "encoding_format": "float"}
        if self._asked_dimensions:
            body["dimensions"] = self._asked_dimensions
        most = inputs * _MOST_NUMBERS * _LARGEST_NUMBER
        for tries in count(1):
            outcome = self._server.post_blocking(self._client, body, most)
            if isinstance(outcome, bytes):
                return self._rows(outcome, inputs)
            pause = self._server.pause(outcome, tries)
            if stop.wait(pause):  # another request has failed for good
                raise self._server.unavailable(outcome.reason)
        raise AssertionError  # the loop returns or raises

    def _rows(self, content: bytes, inputs: int) -> Matrix:
        """Read a reply, and put its rows into the order of the inputs."""
        fault = ""
        try:
            data = _Embeddings.model_validate_json(content).data
        except ValidationError as error:
            fault = describe(error, "reply of an embeddings server")[:_SHOWN]
        if fault:  # outside of the handler, so that the reply is not kept with the error
            raise self._bad(fault)
        if len(data) != inputs:
            raise self._bad(f"{len(data)} vectors came back for {inputs} inputs")
        if all(row.index is None for row in data):  # some servers leave it out
            ordered = data
        else:
            ordered = sorted(data, key=lambda row: -1 if row.index is None else row.index)
            if [row.index for row in ordered] != list(range(inputs)):
                raise self._bad("the indices of the vectors are not 0, 1, 2, …")
        sizes = {len(row.embedding) for row in ordered}
        with self._lock:
            expected = self._known_dimension or len(ordered[0].embedding)
            if sizes != {expected} or not expected:
                raise self._bad(f"vectors of {sorted(sizes)} numbers instead of {expected}")
            self._known_dimension = expected
        rows = np.array([row.embedding for row in ordered], dtype=np.float64)
        if not np.isfinite(rows).all():
            raise self._bad("a vector is not finite")
        return rows.astype(np.float32)

    def _bad(self, reason: str) -> Exception:
        return self._server.unavailable(f"bad reply: {reason}")


def _message(content: Body) -> Body:
    """Return one input in the form of a chat turn."""
    return {"messages": [{"role": "user", "content": [content]}]}


def _require_at_least(least: int, **values: int | None) -> None:
    for name, value in values.items():
        if value is not None and value < least:
            raise InvalidInputError(f"{name} must be at least {least}, not {value}")
