"""A chat model that says what a script says, for tests of code that talks to models."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from graphmemix.errors import ModelError
from graphmemix.llm.chat import DEFAULT, Message, Options, Piece, Reply, Usage, estimate_tokens
from graphmemix.llm.limits import admit, check_limits, keep_limits, record

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

__all__ = ["Call", "ScriptedChat"]

Line: TypeAlias = str | Reply | Exception
"""What a script has for one call: words, a whole reply, or an error to raise."""


@dataclass(frozen=True)
class Call:
    """What the model was asked."""

    messages: tuple[Message, ...]
    options: Options

    @property
    def text(self) -> str:
        """All texts of all messages, for assertions."""
        return "\n".join(message.text for message in self.messages)


class ScriptedChat:
    """A `Chat` without a model.

    Its replies come from a list, in order, or from a function of the messages and the options.
    Every call is in `calls`. It keeps limits as real models do, and counts a token for each four
    bytes::

        chat = ScriptedChat(["Lisbon.", ModelUnavailableError("down")])
        chat = ScriptedChat(lambda messages, options: messages[-1].text.upper())
    """

    def __init__(
        self,
        replies: Sequence[Line] | Callable[[Sequence[Message], Options], Line] = (),
        *,
        identity: str = "scripted",
        sees_images: bool = True,
        break_after: int | None = None,
    ) -> None:
        """Write the script.

        Args:
            replies: One for each call, or a function that makes them.
            identity: The model's name.
            sees_images: What it says about itself.
            break_after: A stream breaks off with a `ModelError` after so many pieces.
        """
        self._replies = replies
        self._identity = identity
        self._sees_images = sees_images
        self._break_after = break_after
        self.calls: list[Call] = []

    @property
    def identity(self) -> str:
        """As given."""
        return self._identity

    @property
    def sees_images(self) -> bool:
        """As given."""
        return self._sees_images

    async def complete(self, messages: Sequence[Message], options: Options = DEFAULT) -> Reply:
        """Return, or raise, what the script has next.

        Raises:
            ModelError: The script has no more.
        """
        with admit(estimate_tokens(messages)):
            async with keep_limits():
                return self._next(messages, options)

    async def stream(
        self, messages: Sequence[Message], options: Options = DEFAULT
    ) -> AsyncIterator[Piece]:
        """Yield the next reply word by word."""
        with admit(estimate_tokens(messages)):
            reply = self._next(messages, options)
            for count, word in enumerate(re.findall(r"\s++\S*+|\S++", reply.text)):
                if count == self._break_after:
                    raise ModelError(f"{self._identity}: the reply broke off, as the script says")
                if count:
                    check_limits()
                yield Piece(word)
        yield Piece("", reply)

    async def aclose(self) -> None:
        """Do nothing: there is nothing to close."""

    def _next(self, messages: Sequence[Message], options: Options) -> Reply:
        tokens = estimate_tokens(messages)
        self.calls.append(Call(tuple(messages), options))
        if callable(self._replies):
            line = self._replies(messages, options)
        elif len(self.calls) > len(self._replies):
            count = len(self._replies)
            raise ModelError(f"{self._identity}: the script has {count} replies, and no more")
        else:
            line = self._replies[len(self.calls) - 1]
        if isinstance(line, Exception):
            record(Usage(calls=1))
            raise line
        reply = line if isinstance(line, Reply) else Reply(line)
        if reply.usage == Usage():
            said = estimate_tokens([Message.assistant(reply.text)])
            reply = replace(reply, usage=Usage(1, tokens, said))
        record(reply.usage)
        return reply
