"""An OpenAI-compatible server over HTTP: address, key, timeout, retries and errors.

Chat (`graphmemix.llm.openai_chat`) and embeddings (`graphmemix.encode.endpoint`) are its two users.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
import weakref
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from graphmemix.errors import InvalidInputError, MissingExtraError
from graphmemix.llm.server_address import ServerAddress, bad_address

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator, Mapping

    import httpx

    from graphmemix.llm.pace import Backoff

__all__ = [
    "Body",
    "ModelServer",
    "RequestFailure",
    "TRANSIENT",
    "cancel_once",
    "retry_after",
]

Body: TypeAlias = dict[str, Any]  # what is sent as JSON
_T = TypeVar("_T")
_Client = TypeVar("_Client", "httpx.Client", "httpx.AsyncClient")

TRANSIENT: Final = frozenset({408, 409, 425, 429, *range(500, 600)})
"""HTTP statuses after which the same request may succeed."""

_REFUSED: Final = frozenset({400, 422, 501})  # how servers refuse a parameter
_SHOWN: Final = 300  # characters of a server's words in an error


@dataclass(frozen=True)
class RequestFailure:
    """Why a request failed. A value, because exceptions of httpx keep the request and its key.

    Attributes:
        reason: In words, without content of the request.
        may_pass: Whether the next try may succeed.
        wait: Seconds that the server asks for.
        refusal: The server's words, in lower case, if it refused a parameter.
        unreached: Whether no server was there.
    """

    reason: str
    may_pass: bool = True
    wait: float | None = None
    refusal: str | None = None
    unreached: bool = False


_ENDLESS: Final = RequestFailure("the reply does not end", may_pass=False)


class ModelServer:
    """One model on one server, and how to post to it.

    Nothing goes to the server but the request and the key, and the key is in no error, log or
    `repr`. Redirects are not followed: nothing is sent where the user did not say.
    """

    def __init__(
        self,
        base_url: str,
        path: str,
        model: str,
        *,
        api_key: str | None,
        timeout: float,
        backoff: Backoff,
        error: Callable[[str], Exception],
        extra: tuple[str, str],
    ) -> None:
        """Name a server. Nothing is sent yet.

        Args:
            base_url: Such as ``http://localhost:8000/v1``. ``/v1`` is added to a bare host.
            path: Below it, such as ``/embeddings``.
            model: The model's name on that server.
            api_key: Sent as bearer token.
            timeout: Seconds for a whole reply.
            backoff: When to repeat a request.
            error: What to raise when the server does not answer.
            extra: The extra that brings httpx, and what it is for.

        Raises:
            InvalidInputError: An argument is impossible.
            MissingExtraError: httpx is not installed.
        """
        try:
            import httpx
        except ImportError as missing:
            raise MissingExtraError(*extra) from missing
        if not model:
            raise InvalidInputError("model: must not be empty")
        if not timeout > 0:
            raise InvalidInputError(f"timeout: must be above 0, not {timeout}")
        if api_key is not None and not (
            api_key.isascii() and api_key.isprintable() and api_key.strip()
        ):
            raise InvalidInputError("api_key: must be printable ASCII and not empty")
        self.address = ServerAddress.parse(base_url, path)
        self.model = model
        self.timeout = timeout
        self._shown_url = self.address.url + path
        try:
            self._url = httpx.URL(self._shown_url, query=self.address.query.encode() or None)
        except (httpx.InvalidURL, UnicodeError):
            raise bad_address() from None
        self._api_key = api_key
        self._backoff = backoff
        self._error = error
        self._has_answered = False
        self._clients: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, httpx.AsyncClient] = (
            weakref.WeakKeyDictionary()
        )
        self.errors = (
            *(httpx.HTTPError, httpx.StreamError, httpx.InvalidURL),
            *(OSError, RuntimeError),  # RuntimeError: the client is closed
        )
        _keep_out_of_logs()

    def __repr__(self) -> str:
        return f"ModelServer({self._shown_url!r}, {self.model!r})"

    def new_client(self, kind: type[_Client], connections: int | None = None) -> _Client:
        """Return an HTTP client with at most so many connections; requests wait for a free one."""
        import httpx

        headers = {"User-Agent": "graphmemix"}
        if self._api_key:
            headers["Authorization"] = f"Bearer {self._api_key}"
        return kind(
            headers=headers,
            auth=None if self._api_key else self.address.login,
            timeout=httpx.Timeout(self.timeout, pool=None),
            limits=httpx.Limits(max_connections=connections),
            verify=self.address.url.startswith("https"),  # reading certificates takes time
        )

    async def aclose(self) -> None:
        """Close the connections of the running event loop; the next call opens new ones."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.aclose()

    def post_blocking(self, client: httpx.Client, body: Body, most: int) -> bytes | RequestFailure:
        """Send a request once and return the body of the reply, of `most` bytes."""
        deadline = time.monotonic() + self.timeout
        content = bytearray()
        try:
            with _quiet(), client.stream("POST", self._url, json=self._full(body)) as response:
                for chunk in response.iter_bytes():
                    content += chunk
                    if len(content) > most:
                        return _ENDLESS
                    if time.monotonic() > deadline:
                        return self._late
                return self._outcome(response, content)
        except self.errors as error:
            return self.failure(error)

    async def post(self, body: Body, most: int) -> bytes | RequestFailure:
        """Send a request once and return the body of the reply, of `most` bytes."""
        return await cancel_once(self._post(body, most))

    async def _post(self, body: Body, most: int) -> bytes | RequestFailure:
        try:
            async with asyncio.timeout(self.timeout):
                response = await self.open(body, most)
                if isinstance(response, RequestFailure):
                    return response
                return await self._read(response, most)
        except self.errors as error:
            return self.failure(error)

    async def open(self, body: Body, most: int) -> httpx.Response | RequestFailure:
        """Send a request once; return the response as soon as it begins. The caller closes it.

        To be awaited in `cancel_once`.
        """
        client = self._client()
        request = client.build_request("POST", self._url, json=self._full(body))
        try:
            with _quiet():
                response = await client.send(request, stream=True)
            if response.is_success:
                self._has_answered = True
                return response
            refused = await self._read(response, most)
        except self.errors as error:
            return self.failure(error)
        assert isinstance(refused, RequestFailure)  # noqa: S101  # for the type checker
        return refused

    def pause(self, failure: RequestFailure, tries: int) -> float:
        """Return how many seconds to wait before the next try; raises the error if it is the end.

        A server that asks for a longer pause than `Backoff.longest` counts as unavailable, unless
        the backoff is patient.
        """
        wait, longest = failure.wait, self._backoff.longest
        if wait is not None and wait > longest and not self._backoff.patient:
            raise self.unavailable(f"{failure.reason} (asks to wait {wait:g} s)")
        # A server that has answered before may be restarting; else the address is wrong.
        hopeless = failure.unreached and not self._has_answered
        if hopeless or not failure.may_pass or tries > self._backoff.retries:
            after = f", after {tries} tries" if tries > 1 else ""
            raise self.unavailable(failure.reason + after)
        return min(wait or self._backoff.pause(tries), longest)

    def unavailable(self, reason: str) -> Exception:
        """Return the error, without secrets, which servers and libraries like to repeat."""
        text = f"{self._shown_url}: {reason}"
        for secret in (self._api_key, *self.address.secrets):
            if secret:
                text = text.replace(secret, "***")
        return self._error(text)

    def failure(self, error: Exception) -> RequestFailure:
        """Return why a request failed, without the request, which holds the key and the content."""
        import httpx

        if isinstance(error, httpx.TimeoutException | TimeoutError):
            return self._late
        cause = " ".join(str(error).split())[:_SHOWN] or type(error).__name__
        if isinstance(error, httpx.ConnectError):
            return RequestFailure(f"cannot connect: {cause}", unreached=True)
        may_pass = isinstance(error, httpx.TransportError | OSError)
        return RequestFailure(f"the request failed: {cause}", may_pass=may_pass)

    @property
    def _late(self) -> RequestFailure:
        return RequestFailure(f"no complete reply within {self.timeout:g} s")

    def _full(self, body: Body) -> Body:
        return {"model": self.model, **body}

    def _client(self) -> httpx.AsyncClient:
        import httpx

        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            self._clients[loop] = self.new_client(httpx.AsyncClient)
        return self._clients[loop]

    async def _read(self, response: httpx.Response, most: int) -> bytes | RequestFailure:
        """Read the rest of a response, and close it."""
        content = bytearray()
        try:
            async for chunk in response.aiter_bytes():
                content += chunk
                if len(content) > most:
                    return _ENDLESS
        finally:
            await response.aclose()
        return self._outcome(response, content)

    def _outcome(self, response: httpx.Response, content: bytearray) -> bytes | RequestFailure:
        self._has_answered = True
        if response.is_success:
            return bytes(content)
        status, words = response.status_code, _message(bytes(content))
        shown = " ".join(words.split())[:_SHOWN]
        return RequestFailure(
            f"HTTP {status} {response.reason_phrase}: {shown}",
            may_pass=status in TRANSIENT,
            wait=retry_after(response.headers),
            refusal=words.lower() if status in _REFUSED else None,
        )


async def cancel_once(work: Coroutine[Any, Any, _T]) -> _T:
    """Run in a task of its own, which is cancelled with the caller, and then left to clean up.

    A cancel scope of anyio, such as the MCP server has, cancels again at every step. httpcore would
    be interrupted while it closes the connection, and the server would go on answering nobody.
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        task.cancel()
        raise


def _message(content: bytes) -> str:
    """Return what a server says in a refusal: ``error.message``, or else all of it."""
    text = content.decode("utf-8", "replace")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text
    for key in ("error", "message"):
        found = found.get(key, found) if isinstance(found, dict) else found
    # JSON may name half a character, which no error could show.
    return found.encode("utf-8", "replace").decode() if isinstance(found, str) else text


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


_calling: ContextVar[bool] = ContextVar("graphmemix_calling", default=False)
"""Set while we call: httpx logs addresses, whose query may hold a key."""


class _OurCalls(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        del record
        return not _calling.get()


@contextmanager
def _quiet() -> Iterator[None]:
    token = _calling.set(True)
    try:
        yield
    finally:
        _calling.reset(token)


def _keep_out_of_logs() -> None:
    """Keep our calls out of the log of httpx; those of others stay as they are."""
    logger = logging.getLogger("httpx")
    if not any(isinstance(each, _OurCalls) for each in logger.filters):
        logger.addFilter(_OurCalls())
