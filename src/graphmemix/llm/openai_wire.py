"""What goes over the wire to an OpenAI-compatible server and what comes back."""

from __future__ import annotations

import logging
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from pydantic import BaseModel, ConfigDict, Field

from graphmemix.errors import InvalidInputError
from graphmemix.llm.chat import Decoding, ImagePart, Message, Options, Usage, estimate_tokens
from graphmemix.llm.pictures import picture_url
from graphmemix.llm.wire import TRANSIENT, retry_after

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Address", "Body", "Failure", "Habits", "WireReply", "quiet", "usage_of", "wire_body"]

Body: TypeAlias = dict[str, Any]

_SHOWN: Final = 300  # characters of a server's words in an error
_REFUSED: Final = frozenset({400, 422, 501})  # how servers refuse a parameter
_LADDER: Final[dict[Decoding, Decoding]] = {"json_schema": "json_object", "json_object": "text"}


@dataclass(frozen=True)
class Address:
    """Where a server is. Its secrets are in no `repr`.

    Attributes:
        url: Without user, password and query.
        query: What goes with every request.
        login: User and password.
    """

    url: str
    query: dict[str, str]
    login: tuple[str, str] | None

    def __repr__(self) -> str:
        return f"Address({self.url!r})"

    @classmethod
    def parse(cls, base_url: str) -> Address:
        """Read an address; a bare host gets ``/v1``.

        Raises:
            InvalidInputError: It is no address of a server.
        """
        try:
            parts = urlsplit(base_url.strip())
            host, port = parts.hostname, parts.port
        except ValueError:
            host, port, parts = None, None, urlsplit("")
        if parts.scheme not in {"http", "https"} or not host:  # the text may hold a password
            raise InvalidInputError("base_url: must be like http://localhost:8000/v1")
        where = f"[{host}]" if ":" in host else host
        where += f":{port}" if port else ""
        path = parts.path.rstrip("/").removesuffix("/chat/completions") or "/v1"
        login = (parts.username, parts.password or "") if parts.username else None
        url = urlunsplit((parts.scheme, where, path, "", ""))
        return cls(url, dict(parse_qsl(parts.query)), login)


@dataclass(frozen=True)
class Habits:
    """What a server takes, as far as is known: it starts with all, and loses what was refused."""

    decoding: Decoding = "json_schema"
    token_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"  # noqa: S105
    temperature: bool = True
    stream_usage: bool = True

    def without(self, body: Body, said: str) -> Habits | None:
        """Return what to try after a refusal: without what the server complained about.

        None if there is nothing left to concede. A complaint that names no parameter is taken to
        mean the response format, the one that most servers lack.
        """
        if "stream_options" in said and "stream_options" in body:
            return replace(self, stream_usage=False)
        if self.token_field == "max_tokens" and self.token_field in body and "max_" in said:  # noqa: S105
            return replace(self, token_field="max_completion_tokens")  # noqa: S106
        if "temperature" in said and "temperature" in body:
            return replace(self, temperature=False)
        if "response_format" in body:
            asked: Decoding = body["response_format"]["type"]
            return replace(self, decoding=_LADDER[asked])
        return None


class _Content(BaseModel):
    model_config = ConfigDict(extra="ignore")
    content: str | None = None


class _Choice(BaseModel):
    model_config = ConfigDict(extra="ignore")
    message: _Content
    finish_reason: str | None = None


class WireUsage(BaseModel):
    """What the server counted."""

    model_config = ConfigDict(extra="ignore")
    prompt_tokens: int = Field(ge=0)
    completion_tokens: int = Field(ge=0)


class WireReply(BaseModel):
    """A reply that is not streamed."""

    model_config = ConfigDict(extra="ignore")
    choices: list[_Choice] = Field(min_length=1)
    usage: WireUsage | None = None


@dataclass(frozen=True)
class Failure:
    """Why a request failed.

    Attributes:
        reason: In words, without secrets and without content.
        may_pass: Whether the next try may succeed.
        wait: Seconds that the server asks for.
        said: The server's words, in lower case, if it refused a parameter.
        unreached: Whether there was no server at all.
    """

    reason: str
    may_pass: bool = True
    wait: float | None = None
    said: str | None = None
    unreached: bool = False

    @classmethod
    def of_status(cls, status: int, said: str, headers: Mapping[str, str]) -> Failure:
        """Read a refusal."""
        shown = " ".join(said.split())[:_SHOWN]
        return cls(
            f"HTTP {status}: {shown}",
            may_pass=status in TRANSIENT,
            wait=retry_after(headers),
            said=said.lower() if status in _REFUSED else None,
        )


def wire_body(messages: Sequence[Body], options: Options, habits: Habits, *, stream: bool) -> Body:
    """Return the request without its model."""
    body: Body = {"messages": list(messages)}
    if habits.temperature:
        body["temperature"] = options.temperature
    if options.max_tokens is not None:
        body[habits.token_field] = options.max_tokens
    decoding = decoding_of(options, habits)
    if decoding == "json_schema" and options.format is not None:
        schema = {"name": options.format.name, "schema": options.format.schema, "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif decoding == "json_object":
        body["response_format"] = {"type": "json_object"}
    if stream:
        body["stream"] = True
        if habits.stream_usage:
            body["stream_options"] = {"include_usage": True}
    return body


def decoding_of(options: Options, habits: Habits) -> Decoding:
    """Return how the server is held to JSON: by the weaker of what is asked and what it can do."""
    if options.format is None:
        return "text"
    order: list[Decoding] = ["text", "json_object", "json_schema"]
    return min(options.format.decoding, habits.decoding, key=order.index)


def wire_messages(messages: Sequence[Message], longest_edge: int) -> list[Body]:
    """Return messages as the API has them. Decodes pictures, so it takes time.

    Raises:
        InvalidDataError: A picture cannot be decoded.
    """
    wired: list[Body] = []
    count = 0
    for message in messages:
        parts: list[Body] = []
        for part in message.parts:
            if isinstance(part, ImagePart):
                url = picture_url(part, longest_edge, f"image {count} of the message")
                parts.append({"type": "image_url", "image_url": {"url": url}})
                count += 1
            else:  # characters that are no UTF-8 cannot be sent
                text = part.encode("utf-8", "replace").decode("utf-8")
                parts.append({"type": "text", "text": text})
        # Templates of text models know plain strings alone.
        plain = all(part["type"] == "text" for part in parts)
        content = "\n".join(part["text"] for part in parts) if plain else parts
        wired.append({"role": message.role, "content": content})
    return wired


def usage_of(
    counted: WireUsage | None, messages: Sequence[Message], text: str, prices: tuple[float, float]
) -> Usage:
    """Return what a reply took; estimated if the server did not count."""
    if counted is None:
        sent = estimate_tokens(messages)
        received = estimate_tokens([Message.assistant(text)])
    else:
        sent, received = counted.prompt_tokens, counted.completion_tokens
    money = (sent * prices[0] + received * prices[1]) / 1_000_000
    return Usage(1, sent, received, money, counted is None)


quiet: ContextVar[bool] = ContextVar("graphmemix_quiet", default=False)
"""Set while we call: the libraries below log questions and addresses, and must not."""


class _Quiet(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        del record
        return not quiet.get()


def hush() -> None:
    """Keep our calls out of the libraries' logs; those of others stay as they are."""
    for name in ("openai._base_client", "openai._response", "openai._legacy_response"):
        _hush(logging.getLogger(name))
    for name in ("httpx", "httpx2"):
        _hush(logging.getLogger(name))


def _hush(logger: logging.Logger) -> None:
    if not any(isinstance(each, _Quiet) for each in logger.filters):
        logger.addFilter(_Quiet())
