"""The reader that asks a language model (METHOD sections 6 and 7)."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Final

from graphmemix.errors import AnswerBrokenOffError, LimitReachedError, ModelError
from graphmemix.evidence import Answer
from graphmemix.llm.chat import ImagePart, Message, Options
from graphmemix.llm.prompts import load_prompt
from graphmemix.read.citations import find_citations
from graphmemix.read.packet import NOTHING, block_text
from graphmemix.read.protocol import Reading
from graphmemix.text.quoting import break_signs, harmless, one_line

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from graphmemix.evidence import Block, Packet, Question
    from graphmemix.llm.chat import Chat, MessagePart, Reply
    from graphmemix.read.media import Picture
    from graphmemix.settings import Settings

__all__ = ["PROMPT", "LlmReader", "WithoutReasoning", "without_reasoning"]

PROMPT: Final = load_prompt("reader", "graphmemix.read.prompts")
_PICTURE: Final = "what the picture above asks"
_SIXTY: Final = 60  # seconds in a minute
_OPEN: Final = "<think>"  # before the reasoning that some models write ahead of their answer
_CLOSE: Final = "</think>"


class LlmReader:
    """A `Reader` that asks a chat model, once.

    The model gets the instruction, the question with its pictures and earlier turns, and the blocks
    with their pictures: no score, no role, no gold. With `reader.ask_for_citations` off, as in
    profile ``paper``, there is no system prompt and no instruction about the form of the answer.
    """

    def __init__(self, chat: Chat, settings: Settings) -> None:
        """Use a model; of the settings, sections `reader` and `verifier` (temperature) apply."""
        self._chat = chat
        self._settings = settings

    @property
    def identity(self) -> str:
        """The model, and the hash of the prompt if one is used."""
        prompt = PROMPT.digest if self._settings.reader.ask_for_citations else "plain"
        return f"llm:{self._chat.identity}:{prompt}"

    @property
    def sees_images(self) -> bool:
        """Whether the model accepts pictures."""
        return self._chat.sees_images

    async def read(
        self, question: Question, packet: Packet, pictures: Sequence[Picture] = ()
    ) -> Reading:
        """Return the model's answer, which may be empty; empty answers are counted in the repairs.

        Raises:
            ModelUnavailableError: The model does not answer, or refuses.
            LimitReachedError: A limit does not allow the call, or ran out during it.
        """
        start = time.perf_counter()
        messages = self._messages(question, packet, pictures)
        reply = await self._chat.complete(messages, self._options())
        return self._reading(without_reasoning(reply.text), reply, packet, start)

    async def stream(
        self, question: Question, packet: Packet, pictures: Sequence[Picture] = ()
    ) -> AsyncIterator[str | Reading]:
        """Yield the answer as the model writes it, and at last the whole reading.

        Raises:
            AnswerBrokenOffError: The connection broke in the middle; has what had arrived.
            LimitReachedError: A limit ran out; has what had arrived.
            ModelUnavailableError: The model does not answer at all, or refuses.
        """
        start = time.perf_counter()
        messages = self._messages(question, packet, pictures)
        answer_filter, said = WithoutReasoning(), ""
        reply: Reply | None = None
        pieces = self._chat.stream(messages, self._options())
        try:
            async for piece in pieces:
                reply = piece.end
                text = answer_filter.piece(piece.text)
                said += text
                if text:
                    yield text
        except LimitReachedError as error:
            raise LimitReachedError(error.limit, error.reason, said) from error
        except ModelError as error:
            if not said:
                raise
            raise AnswerBrokenOffError(str(error), said) from error
        finally:  # close the connection if the consumer stops early
            if isinstance(pieces, AsyncGenerator):
                await pieces.aclose()
        rest = answer_filter.rest()
        if rest:
            yield rest
        if reply is None:  # a chat that keeps its promise always ends with a reply
            raise AnswerBrokenOffError(f"{self._chat.identity}: the reply has no end", said + rest)
        yield self._reading(said + rest, reply, packet, start)

    def _options(self) -> Options:
        return Options(self._settings.verifier.temperature, self._settings.reader.output_tokens)

    def _reading(self, text: str, reply: Reply, packet: Packet, start: float) -> Reading:
        citations, unknown = find_citations(text, packet)
        repairs = Counter(
            {
                "read.unknown_citation": unknown,
                "read.empty_reply": int(not text.strip()),
                "read.cut_at_token_limit": int(reply.finish == "length"),
                "read.thoughts_removed": int(len(text) < len(reply.text.strip())),
            }
        )
        cost = reply.usage.cost_of("read", time.perf_counter() - start)
        return Reading(Answer(text, citations), cost, dict(+repairs), self.identity)

    def _messages(
        self, question: Question, packet: Packet, pictures: Sequence[Picture]
    ) -> list[Message]:
        asked = self._settings.reader.ask_for_citations
        sees = self._chat.sees_images
        history = [Message(turn.role, (harmless(turn.text),)) for turn in question.history]
        parts: list[MessagePart] = [packet.instruction] if packet.instruction else []
        text = break_signs(question.text)
        parts += [text] if text else []
        for image in question.images:
            if sees and image.data:
                parts.append(ImagePart(image.data, image.mime))
            elif image.caption:
                parts.append(f"(a picture: {break_signs(image.caption)})")
        for block in packet.blocks:
            parts += _block_parts(block, pictures if sees else ())
        if not packet.blocks:
            parts.append(NOTHING)
        if not asked:
            return [*history, Message.user(*parts)]
        # Repeated after the memories: models give most weight to what comes last.
        parts.append("\n".join([*PROMPT.items("instructions"), f"Question: {text or _PICTURE}"]))
        return [Message.system(PROMPT.text("system")), *history, Message.user(*parts)]


def _block_parts(block: Block, pictures: Sequence[Picture]) -> list[MessagePart]:
    """Return a block, followed by its pictures, each with its name."""
    parts: list[MessagePart] = [f"\n{block_text(block)}"]
    for picture in pictures:
        if picture.rank == block.rank:
            parts += [_label(picture), ImagePart(picture.data, picture.mime)]
    return parts


def _label(picture: Picture) -> str:
    name = one_line(picture.name) or "unnamed"
    if picture.seconds is None:
        return f"[{picture.rank}] picture {name}:"
    minutes, seconds = divmod(int(picture.seconds), _SIXTY)
    return f"[{picture.rank}] video {name} at {minutes}:{seconds:02d}:"


def without_reasoning(text: str) -> str:
    """Return the text after a model's reasoning; all of it if there is none.

    If the reasoning was cut off, there is no answer.
    """
    answer_filter = WithoutReasoning()
    return answer_filter.piece(text) + answer_filter.rest()


class WithoutReasoning:
    """Drops the reasoning at the start of a stream and passes everything else through."""

    def __init__(self) -> None:
        self._held: str | None = ""  # None after the answer has started
        self.found = False
        self._closed = False

    def piece(self, text: str) -> str:
        """Return the part of this piece, and of text held back before, that is answer."""
        if self._held is None:
            return text
        self._held = (self._held + text).lstrip()
        if not self.found:
            if not self._held.startswith(_OPEN):
                return self._begun() if not _OPEN.startswith(self._held) else ""
            self.found = True
        if not self._closed:
            _, close, behind = self._held.partition(_CLOSE)
            self._closed = bool(close)
            # Keep only what may be the start of the closing tag.
            self._held = behind.lstrip() if close else self._held[-len(_CLOSE) + 1 :]
        return self._begun() if self._closed and self._held else ""

    def _begun(self) -> str:
        """Return the text held back, now that it is known to be the answer."""
        held, self._held = self._held or "", None
        return held

    def rest(self) -> str:
        """Return text held back that is not reasoning; call it after the stream has ended."""
        held, self._held = self._held, None
        return "" if held is None or self.found else held.lstrip()
