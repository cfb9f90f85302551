"""What a chat model is asked and what it answers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, Self, TypeAlias

from graphmemix.evidence import StageCost
from graphmemix.record import Json, Record

__all__ = [
    "Chat",
    "DEFAULT",
    "Decoding",
    "ImagePart",
    "JsonFormat",
    "Message",
    "MessagePart",
    "Options",
    "Piece",
    "Reply",
    "Usage",
    "estimate_tokens",
]

Decoding: TypeAlias = Literal["json_schema", "json_object", "text"]
"""How a server is held to JSON: by a schema, to any JSON object, or not at all."""

_BYTES_PER_TOKEN = 4  # of English; about right for other languages in UTF-8
_TOKENS_PER_IMAGE = 1_300


@dataclass(frozen=True)
class ImagePart(Record):
    """A picture in a message: the encoded file."""

    data: bytes = field(repr=False)
    mime: str = "image/jpeg"


MessagePart: TypeAlias = str | ImagePart
"""A piece of a message."""


@dataclass(frozen=True)
class Message(Record):
    """One turn: who speaks, and the texts and pictures in their order."""

    role: Literal["system", "user", "assistant"]
    parts: tuple[MessagePart, ...]

    @classmethod
    def system(cls, text: str) -> Self:
        """Return what holds for the whole conversation."""
        return cls("system", (text,))

    @classmethod
    def user(cls, *parts: MessagePart) -> Self:
        """Return what is asked."""
        return cls("user", parts)

    @classmethod
    def assistant(cls, text: str) -> Self:
        """Return what the model said before."""
        return cls("assistant", (text,))

    @property
    def text(self) -> str:
        """Its texts, one per line."""
        return "\n".join(part for part in self.parts if isinstance(part, str))

    @property
    def images(self) -> tuple[ImagePart, ...]:
        """Its pictures."""
        return tuple(part for part in self.parts if isinstance(part, ImagePart))


@dataclass(frozen=True)
class JsonFormat(Record):
    """The JSON that a reply has to be.

    Attributes:
        name: A short name for the server.
        schema: JSON schema of the reply.
        decoding: The most that may be asked of the server; a server that refuses gets the next.
    """

    name: str
    schema: Mapping[str, Json]
    decoding: Decoding = "json_schema"


@dataclass(frozen=True)
class Options(Record):
    """How to answer.

    Attributes:
        temperature: 0 for the likeliest words.
        max_tokens: The most that the reply may take; None for the server's own limit.
        format: None for prose.
    """

    temperature: float = 0.0
    max_tokens: int | None = None
    format: JsonFormat | None = None


DEFAULT = Options()
"""Prose, likeliest words, as long as the server allows."""


@dataclass(frozen=True)
class Usage(Record):
    """What calls took. Adds up with ``+``.

    Attributes:
        calls: Requests that were sent, failed ones included.
        input_tokens: Tokens sent.
        output_tokens: Tokens received.
        money: In the currency of the configured prices; 0 if none are set.
        estimated: Whether a server did not count its tokens, and they were estimated.
        cached_tokens: How many of the tokens sent the server had read before, as far as it says.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    money: float = 0.0
    estimated: bool = False
    cached_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.money + other.money,
            self.estimated or other.estimated,
            self.cached_tokens + other.cached_tokens,
        )

    @property
    def tokens(self) -> int:
        """Tokens in both directions."""
        return self.input_tokens + self.output_tokens

    def cost_of(self, stage: str, seconds: float) -> StageCost:
        """Return it as what a stage took."""
        return StageCost(
            stage,
            seconds,
            self.calls,
            self.input_tokens,
            self.output_tokens,
            self.money,
            self.cached_tokens,
        )


@dataclass(frozen=True)
class Reply(Record):
    """What a model answered.

    Attributes:
        text: Its words.
        finish: ``stop`` for a complete reply, ``length`` for one cut at the token limit, or
            another word of the server's.
        usage: What it took; nothing for a reply from the cache.
        decoding: How the server was held to JSON.
        cached: Whether it was remembered instead of asked for.
        key: Where the cache keeps it; empty if it does not.
        model: The model that the server says it used; empty if it does not say.
    """

    text: str
    finish: str = "stop"
    usage: Usage = Usage()
    decoding: Decoding = "text"
    cached: bool = False
    key: str = ""
    model: str = ""


@dataclass(frozen=True)
class Piece(Record):
    """A piece of a streamed reply.

    Attributes:
        text: The words since the last piece; the pieces joined are the reply.
        end: The whole reply; None in all pieces but the last.
    """

    text: str
    end: Reply | None = None


class Chat(Protocol):
    """A chat model. Calls may overlap; every call keeps the limits that are in force around it.

    See `graphmemix.llm.limits` for these limits, `graphmemix.llm.sync_bridge` for calls from
    code that is not async, and `graphmemix.llm.ScriptedChat` for tests.
    """

    @property
    def identity(self) -> str:
        """The model's name: what decides what it says. No address and no secret."""
        ...

    @property
    def sees_images(self) -> bool:
        """Whether messages may hold pictures."""
        ...

    async def complete(self, messages: Sequence[Message], options: Options = DEFAULT) -> Reply:
        """Return the model's reply.

        Raises:
            ModelUnavailableError: It does not answer, or refuses.
            LimitReachedError: A limit does not allow the call, or ran out during it.
        """
        ...

    def stream(
        self, messages: Sequence[Message], options: Options = DEFAULT
    ) -> AsyncIterator[Piece]:
        """Yield the reply in pieces; the last one has `Piece.end` and may have no text.

        Raises:
            ModelUnavailableError: It does not answer, or the connection broke in the middle; what
                was yielded before is then an incomplete reply.
            LimitReachedError: A limit does not allow the call, or ran out during it.
        """
        ...

    async def aclose(self) -> None:
        """Give back what the calls in the running event loop have opened."""
        ...


def estimate_tokens(messages: Sequence[Message]) -> int:
    """Return about how many tokens messages take, where no server has counted them."""
    size = sum(len(message.text.encode("utf-8", "replace")) for message in messages)
    images = sum(len(message.images) for message in messages)
    return -(-size // _BYTES_PER_TOKEN) + images * _TOKENS_PER_IMAGE
