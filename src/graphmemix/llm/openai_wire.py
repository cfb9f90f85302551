"""Requests and replies of the OpenAI chat API."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from graphmemix.llm.chat import Decoding, ImagePart, Message, Options, Usage, estimate_tokens
from graphmemix.llm.pictures import picture_url

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphmemix.llm.model_server import Body

__all__ = [
    "ServerFeatures",
    "WireReply",
    "WireUsage",
    "decoding_of",
    "usage_of",
    "wire_body",
    "wire_messages",
]

# No parameter is to blame for a prompt that does not fit: OpenAI and vLLM name the context's
# length, llama.cpp its size.
_TOO_LONG: Final = re.compile(r"context[ _](?:length|size|window)")
_LADDER: Final[dict[Decoding, Decoding]] = {"json_schema": "json_object", "json_object": "text"}


@dataclass(frozen=True)
class ServerFeatures:
    """What a server supports, as far as is known: everything until it refuses something."""

    decoding: Decoding = "json_schema"
    token_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"  # noqa: S105
    temperature: bool = True
    stream_usage: bool = True

    def without(self, body: Body, refusal: str) -> ServerFeatures | None:
        """Return what to try after a refusal: without what the server complained about.

        None if there is nothing left to concede. A complaint that names no parameter is taken to
        mean the response format, the one that most servers lack.
        """
        if _TOO_LONG.search(refusal):
            return None
        if "stream_options" in refusal and "stream_options" in body:
            return replace(self, stream_usage=False)
        if self.token_field == "max_tokens" and self.token_field in body and "max_" in refusal:  # noqa: S105
            return replace(self, token_field="max_completion_tokens")  # noqa: S106
        if "temperature" in refusal and "temperature" in body:
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


class _PromptDetails(BaseModel):
    model_config = ConfigDict(extra="ignore")
    cached_tokens: int | None = Field(None, ge=0)


class WireUsage(BaseModel):
    """What the server counted."""

    model_config = ConfigDict(extra="ignore")
    prompt_tokens: int = Field(ge=0)
    completion_tokens: int = Field(ge=0)
    prompt_tokens_details: _PromptDetails | None = None

    @property
    def cached_tokens(self) -> int:
        """How many tokens of the prompt the server had read before; 0 if it does not say."""
        details = self.prompt_tokens_details
        return min((details and details.cached_tokens) or 0, self.prompt_tokens)


class WireReply(BaseModel):
    """A reply that is not streamed."""

    model_config = ConfigDict(extra="ignore")
    choices: list[_Choice] = Field(min_length=1)
    usage: WireUsage | None = None
    model: Any = None


def wire_body(
    messages: Sequence[Body], options: Options, features: ServerFeatures, *, stream: bool
) -> Body:
    """Return the request without its model."""
    body: Body = {"messages": list(messages)}
    if features.temperature:
        body["temperature"] = options.temperature
    if options.max_tokens is not None:
        body[features.token_field] = options.max_tokens
    decoding = decoding_of(options, features)
    if decoding == "json_schema" and options.format is not None:
        schema = {"name": options.format.name, "schema": options.format.schema, "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif decoding == "json_object":
        body["response_format"] = {"type": "json_object"}
    if stream:
        body["stream"] = True
        if features.stream_usage:
            body["stream_options"] = {"include_usage": True}
    return body


def decoding_of(options: Options, features: ServerFeatures) -> Decoding:
    """Return how the server is held to JSON: by the weaker of what is asked and what it can do."""
    if options.format is None:
        return "text"
    order: list[Decoding] = ["text", "json_object", "json_schema"]
    return min(options.format.decoding, features.decoding, key=order.index)


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
        sent, cached = estimate_tokens(messages), 0
        received = estimate_tokens([Message.assistant(text)])
    else:
        sent, cached = counted.prompt_tokens, counted.cached_tokens
        received = counted.completion_tokens
    money = (sent * prices[0] + received * prices[1]) / 1_000_000
    return Usage(1, sent, received, money, counted is None, cached)
