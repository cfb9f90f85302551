"""Any server that speaks the OpenAI chat API: vLLM, llama.cpp, Ollama, hosted (extra ``llm``)."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Generic, Self, TypeVar

from pydantic import ValidationError

from graphmemix.errors import ModelUnavailableError, SettingsError
from graphmemix.llm.cache import RememberingChat, ReplyCache
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
from graphmemix.llm.model_server import ModelServer, RequestFailure
from graphmemix.llm.openai_stream import FOREIGN_REPLY, StreamedReply, open_stream
from graphmemix.llm.openai_wire import (
    ServerFeatures,
    WireReply,
    decoding_of,
    usage_of,
    wire_body,
    wire_messages,
)
from graphmemix.llm.pace import Backoff, Pace, PacedRequest

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
    from pathlib import Path

    from graphmemix.llm.chat import Chat
    from graphmemix.llm.model_server import Body
    from graphmemix.settings import ModelSettings, Settings

__all__ = ["OpenAiChat", "open_chat"]

_T = TypeVar("_T")
_LONGEST_NAME: Final = 200  # characters of a model's name
_LARGEST_REPLY: Final = 64 * 2**20  # bytes


@dataclass(frozen=True)
class _Sent(Generic[_T]):
    """A request that succeeded, what came of it, and what it took."""

    outcome: _T
    paced: PacedRequest
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
            MissingExtraError: httpx is not installed.
        """
        self._server = ModelServer(
            base_url,
            "/chat/completions",
            model,
            api_key=api_key,
            timeout=timeout,
            backoff=backoff,
            error=ModelUnavailableError,
            extra=("llm", "A chat model behind a server"),
        )
        self._sees_images = sees_images
        self._pace = pace or Pace()
        self._prices = prices
        self._image_edge = image_edge
        self._features = ServerFeatures()

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
        return f"OpenAiChat({self._server.address.url!r}, {self._server.model!r})"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections of the running event loop; the next call opens new ones."""
        await self._server.aclose()

    @property
    def identity(self) -> str:
        """The model's name."""
        return self._server.model

    @property
    def scope(self) -> str:
        """Where the model is: the same name elsewhere may be another model. For the cache."""
        return self._server.address.url

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

        async def once(body: Body) -> Reply | RequestFailure:
            async with self._pace.slot():
                return await self._complete_once(body, messages)

        with admit(estimate_tokens(messages)):
            sent = await self._insist(messages, options, once, stream=False)
            usage = sent.outcome.usage
            sent.paced.tokens = usage.tokens
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

        async def once(body: Body) -> StreamedReply | RequestFailure:
            return await open_stream(self._server, body, self._pace, _LARGEST_REPLY)

        with admit(estimate_tokens(messages)):
            sent = await self._insist(messages, options, once, stream=True)
            reply = sent.outcome
            try:
                while reply.pending is not None:
                    if reply.pending:
                        yield Piece(reply.pending)
                    async with keep_limits():
                        failure = await reply.advance()
                    if failure is not None:
                        reason = f"{failure.reason}, in the middle of the reply"
                        raise self._server.unavailable(reason)
            finally:  # also when the listener has heard enough
                await reply.close()
                usage = usage_of(reply.usage, messages, reply.text, self._prices)
                sent.paced.tokens = usage.tokens
                record(usage)
        usage = replace(usage, calls=sent.tries)
        yield Piece("", Reply(reply.text, reply.finish, usage, sent.decoding))

    async def _insist(
        self,
        messages: Sequence[Message],
        options: Options,
        once: Callable[[Body], Awaitable[_T | RequestFailure]],
        *,
        stream: bool,
    ) -> _Sent[_T]:
        """Send a request until it succeeds or there is no hope."""
        tokens = estimate_tokens(messages)
        wired = await asyncio.to_thread(wire_messages, messages, self._image_edge)
        features, tries = self._features, 0
        async with keep_limits():
            while True:
                check_limits()
                paced = await self._pace.turn(tokens)
                body = wire_body(wired, options, features, stream=stream)
                try:
                    outcome = await once(body)
                except asyncio.CancelledError:  # the server has the question, and charges for it
                    record(usage_of(None, messages, "", self._prices))
                    raise
                tries += 1
                if not isinstance(outcome, RequestFailure):
                    self._features = features
                    return _Sent(outcome, paced, tries, decoding_of(options, features))
                record(Usage(calls=1))
                if outcome.refusal is not None:
                    fewer = features.without(body, outcome.refusal)
                    if fewer is not None:
                        features = fewer
                        continue
                await asyncio.sleep(self._server.pause(outcome, tries))

    async def _complete_once(
        self, body: Body, messages: Sequence[Message]
    ) -> Reply | RequestFailure:
        content = await self._server.post(body, _LARGEST_REPLY)
        if isinstance(content, RequestFailure):
            return content
        try:
            wire = WireReply.model_validate_json(content)
        except ValidationError:
            return FOREIGN_REPLY
        choice = wire.choices[0]
        text = choice.message.content or ""
        usage = usage_of(wire.usage, messages, text, self._prices)
        named = wire.model[:_LONGEST_NAME] if isinstance(wire.model, str) else ""
        return Reply(text, choice.finish_reason or "stop", usage, model=named)


def open_chat(settings: Settings, cache_folder: Path | None = None) -> Chat | None:
    """Return the chat model that the settings name, or None if they name none.

    Nothing is sent. Close it with `aclose`, in the event loop that used it.

    Args:
        settings: `Settings.model` and the picture size of `Settings.verifier`.
        cache_folder: Where replies are remembered, if `model.cache` is on; None for nowhere.

    Raises:
        SettingsError: An endpoint without a model, or a key that is not there.
        MissingExtraError: httpx is not installed.
    """
    if not settings.model.base_url:
        return None
    chat = OpenAiChat.from_settings(settings.model, image_edge=settings.verifier.image_edge)
    if cache_folder is None or not settings.model.cache:
        return chat
    cache = ReplyCache(cache_folder, megabytes=settings.model.cache_megabytes)
    return RememberingChat(chat, cache, scope=chat.scope)
