"""Any server that speaks the OpenAI chat API: vLLM, llama.cpp, Ollama, hosted (extra ``llm``)."""

from __future__ import annotations

import asyncio
import os
import weakref
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Generic, Self, TypeVar

from pydantic import ValidationError

from graphmemix.errors import (
    InvalidInputError,
    MissingExtraError,
    ModelUnavailableError,
    SettingsError,
)
from graphmemix.llm.chat import (
    DEFAULT,
    Decoding,
    Message,
    Options,
    Piece,
    Reply,
    Usage,
    estimate_tokens,
)
from graphmemix.llm.limits import admit, check_limits, keep_limits, record
from graphmemix.llm.openai_stream import (
    Opened,
    failure_of,
    following,
    open_stream,
    transport_errors,
)
from graphmemix.llm.openai_wire import (
    Address,
    Body,
    Failure,
    Habits,
    WireReply,
    decoding_of,
    hush,
    quiet,
    usage_of,
    wire_body,
    wire_messages,
)
from graphmemix.llm.pace import Backoff, Pace, Place

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

    import openai

    from graphmemix.settings import ModelSettings

__all__ = ["OpenAiChat"]

_T = TypeVar("_T")
_LARGEST_REPLY: Final = 64 * 2**20  # bytes


@dataclass(frozen=True)
class _Sent(Generic[_T]):
    """A request that succeeded, what came of it, and what it took to get there."""

    outcome: _T
    place: Place
    tries: int
    decoding: Decoding


class OpenAiChat:
    """A `Chat` behind an OpenAI-compatible server.

    A request that fails on the way (429, 5xx, timeouts, lost connections) is repeated after a
    pause that doubles, or that the server names in ``Retry-After``. A server that refuses a JSON
    schema, or another optional parameter, gets the request without it, and the chat remembers.
    The API key is sent and nothing else: it is in no error, log or `repr`. One chat may be used
    from several threads and event loops; close it in each, or use it as an async context manager.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: str | None = None,
        sees_images: bool = True,
        timeout: float = 300.0,
        backoff: Backoff = Backoff(),  # noqa: B008 - frozen
        pace: Pace | None = None,
        prices: tuple[float, float] = (0.0, 0.0),
        image_edge: int = 2500,
    ) -> None:
        """Name a server. Nothing is sent yet.

        Args:
            base_url: Such as ``http://localhost:8000/v1``. ``/v1`` is added to a bare host.
            model: The model's name on that server.
            api_key: Sent as bearer token.
            sees_images: Whether the model sees images.
            timeout: Seconds for a whole reply, streamed or not.
            backoff: When to repeat a request.
            pace: Limits per minute and at once; None for four at once.
            prices: Of a million tokens sent, and received.
            image_edge: Longest edge of a picture in pixels; larger ones are scaled down.

        Raises:
            InvalidInputError: An argument is impossible.
            MissingExtraError: The openai SDK is not installed.
        """
        try:
            import openai
        except ImportError as error:
            raise MissingExtraError("llm", "A chat model behind a server") from error
        del openai
        if not model:
            raise InvalidInputError("model: must not be empty")
        if not timeout > 0:
            raise InvalidInputError(f"timeout: must be above 0, not {timeout}")
        if api_key is not None and not (api_key.isascii() and api_key.isprintable() and api_key):
            raise InvalidInputError("api_key: must be printable ASCII and not empty")
        self._address = Address.parse(base_url)
        self._model = model
        self._api_key = api_key
        self._sees_images = sees_images
        self._timeout = timeout
        self._backoff = backoff
        self._pace = pace or Pace()
        self._prices = prices
        self._image_edge = image_edge
        self._habits = Habits()
        self._has_answered = False
        self._clients: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, openai.AsyncOpenAI] = (
            weakref.WeakKeyDictionary()
        )
        hush()

    @classmethod
    def from_settings(cls, settings: ModelSettings, *, image_edge: int = 2500) -> Self:
        """Open the endpoint that the settings name.

        Raises:
            SettingsError: They name none, or an environment variable that is not set.
        """
        for key in ("base_url", "name"):
            if not getattr(settings, key):
                raise SettingsError(f"model.{key}", "is not set, so there is no model to ask")
        secret = settings.api_key.get_secret_value() if settings.api_key else None
        if settings.api_key_env:
            secret = os.environ.get(settings.api_key_env)
            if not secret:
                raise SettingsError(
                    "model.api_key_env", f"the variable {settings.api_key_env} is not set"
                )
        return cls(
            settings.base_url,
            settings.name,
            api_key=secret,
            sees_images=settings.images,
            timeout=settings.timeout,
            backoff=Backoff(settings.retries, settings.first_wait, settings.longest_wait),
            pace=Pace(
                requests=settings.requests_per_minute,
                tokens=settings.tokens_per_minute,
                concurrency=settings.concurrency,
            ),
            prices=(settings.input_price, settings.output_price),
            image_edge=image_edge,
        )

    def __repr__(self) -> str:
        return f"OpenAiChat({self._address.url!r}, {self._model!r})"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections of the running event loop; the next call opens new ones."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()

    @property
    def identity(self) -> str:
        """The model's name."""
        return self._model

    @property
    def scope(self) -> str:
        """Where the model is: the same name elsewhere may be another model. For the cache."""
        return self._address.url

    @property
    def sees_images(self) -> bool:
        """As given."""
        return self._sees_images

    async def complete(self, messages: Sequence[Message], options: Options = DEFAULT) -> Reply:
        """Return the reply. An empty one is a reply too.

        Raises:
            ModelUnavailableError: The server does not answer, refuses, or makes no sense, after
                all retries.
            InvalidDataError: A picture cannot be decoded.
            LimitReachedError: A limit does not allow the call, or ran out during it.
        """

        async def once(body: Body) -> Reply | Failure:
            async with self._pace.slot():
                return await self._complete_once(body, messages)

        with admit(estimate_tokens(messages)):
            sent = await self._insist(messages, options, once, stream=False)
            usage = sent.outcome.usage
            sent.place.tokens = usage.tokens
            record(usage)
        return replace(sent.outcome, usage=replace(usage, calls=sent.tries), decoding=sent.decoding)

    async def stream(
        self, messages: Sequence[Message], options: Options = DEFAULT
    ) -> AsyncIterator[Piece]:
        """Yield the reply in pieces. Until the first piece, failures are retried as in `complete`.

        Raises:
            ModelUnavailableError: As in `complete`, or the connection broke in the middle.
            InvalidDataError: A picture cannot be decoded.
            LimitReachedError: A limit does not allow the call, or ran out during it.
        """

        async def once(body: Body) -> Opened | Failure:
            return await open_stream(self._client(), self._model, body, self._pace, self._timeout)

        with admit(estimate_tokens(messages)):
            sent = await self._insist(messages, options, once, stream=True)
            opened = sent.outcome
            try:
                while opened.pending is not None:
                    if opened.pending:
                        yield Piece(opened.pending)
                    async with self._calling():
                        failure = await following(opened)
                    if failure is not None:
                        raise self._unavailable(failure, "in the middle of the reply")
            finally:  # also when the listener has heard enough
                await opened.close()
                usage = usage_of(opened.usage, messages, opened.text, self._prices)
                sent.place.tokens = usage.tokens
                record(usage)
        usage = replace(usage, calls=sent.tries)
        yield Piece("", Reply(opened.text, opened.finish, usage, sent.decoding))

    async def _insist(
        self,
        messages: Sequence[Message],
        options: Options,
        once: Callable[[Body], Awaitable[_T | Failure]],
        *,
        stream: bool,
    ) -> _Sent[_T]:
        """Send a request until it succeeds or there is no hope."""
        tokens = estimate_tokens(messages)
        wired = await asyncio.to_thread(wire_messages, messages, self._image_edge)
        habits, tries = self._habits, 0
        async with self._calling():
            while True:
                check_limits()
                place = await self._pace.turn(tokens)
                body = wire_body(wired, options, habits, stream=stream)
                try:
                    outcome = await once(body)
                except asyncio.CancelledError:  # the server has the question, and charges for it
                    record(usage_of(None, messages, "", self._prices))
                    raise
                tries += 1
                if not isinstance(outcome, Failure):
                    self._habits, self._has_answered = habits, True
                    return _Sent(outcome, place, tries, decoding_of(options, habits))
                record(Usage(calls=1))
                fewer = None if outcome.said is None else habits.without(body, outcome.said)
                if fewer is not None:
                    habits = fewer
                    continue
                await self._pause_or_raise(outcome, tries)

    @asynccontextmanager
    async def _calling(self) -> AsyncIterator[None]:
        token = quiet.set(True)
        try:
            async with keep_limits():
                yield
        finally:
            with suppress(ValueError):  # a generator that another task closes
                quiet.reset(token)

    async def _pause_or_raise(self, failure: Failure, tries: int) -> None:
        if failure.wait is not None and failure.wait > self._backoff.longest:
            told = Failure(f"{failure.reason} (asks to wait {failure.wait:g} s)")
            raise self._unavailable(told, "")
        # Nobody there who ever answered: the address is wrong, rather than the server restarting.
        hopeless = failure.unreached and not self._has_answered
        if hopeless or not failure.may_pass or tries > self._backoff.retries:
            raise self._unavailable(failure, f"after {tries} tries" if tries > 1 else "")
        pause = self._backoff.pause(tries) if failure.wait is None else failure.wait
        await asyncio.sleep(pause)

    async def _complete_once(self, body: Body, messages: Sequence[Message]) -> Reply | Failure:
        """Send a request once. Errors come back as values, so that no exception keeps the key."""
        create = self._client().chat.completions.with_streaming_response.create
        content = bytearray()
        try:
            async with (
                asyncio.timeout(self._timeout),
                create(model=self._model, timeout=self._timeout, **body) as response,
            ):
                async for chunk in response.iter_bytes():
                    content += chunk
                    if len(content) > _LARGEST_REPLY:
                        return Failure("the reply does not end", may_pass=False)
        except transport_errors() as error:
            return failure_of(error, self._timeout)
        try:
            wire = WireReply.model_validate_json(bytes(content))
        except ValidationError:
            return Failure("the reply is not one of the OpenAI API")
        choice = wire.choices[0]
        text = choice.message.content or ""
        usage = usage_of(wire.usage, messages, text, self._prices)
        return Reply(text, choice.finish_reason or "stop", usage)

    def _client(self) -> openai.AsyncOpenAI:
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            self._clients[loop] = self._new_client()
        return self._clients[loop]

    def _new_client(self) -> openai.AsyncOpenAI:
        import openai

        async def undress(request: Any) -> None:
            """Take off what nobody asked to send: the platform, and accounts of other services."""
            own = [name for name in request.headers if name.startswith(("x-stainless", "openai-"))]
            request.extensions["graphmemix"] = {name: request.headers.pop(name) for name in own}
            request.headers["User-Agent"] = "graphmemix"
            if self._api_key is None and self._address.login is None:
                request.headers.pop("Authorization", None)

        async def dress(response: Any) -> None:
            """Give the SDK its headers back: it reads there how the reply was asked for."""
            response.request.headers.update(response.request.extensions["graphmemix"])

        return openai.AsyncOpenAI(
            base_url=self._address.url,
            api_key=self._api_key or "none",  # without one the SDK would take the environment's
            default_query=self._address.query,
            max_retries=0,
            http_client=openai.DefaultAsyncHttpxClient(
                follow_redirects=False,  # nothing goes where the user did not say
                event_hooks={"request": [undress], "response": [dress]},
                auth=None if self._api_key else self._address.login,
                verify=self._address.url.startswith("https"),
            ),
        )

    def _unavailable(self, failure: Failure, when: str) -> ModelUnavailableError:
        text = f"{self._address.url}: {failure.reason}" + (f", {when}" if when else "")
        secrets = [self._api_key, *(self._address.login or ()), *self._address.query.values()]
        for secret in secrets:
            if secret:
                text = text.replace(secret, "***")
        return ModelUnavailableError(text)
