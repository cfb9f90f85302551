"""Captions of question images: from the archive, else generated once (METHOD section 7)."""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from graphmemix.errors import InvalidDataError, LimitReachedError, ModelError
from graphmemix.llm.chat import Chat, ImagePart, Message, Options
from graphmemix.llm.prompts import load_prompt

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterable

    from graphmemix.evidence import QuestionImage
    from graphmemix.memory import Memory
    from graphmemix.settings import VerifierSettings

__all__ = ["Captioner", "archive_caption"]

PROMPT = load_prompt("caption", "graphmemix.verify.prompts")
_REMEMBERED: Final = 256  # captions


def archive_caption(memories: Iterable[Memory], sha256: str) -> str:
    """Return the caption that memories have for a picture with this hash; empty if none."""
    for memory in memories:
        for medium in memory.media:
            described = medium.description
            if medium.sha256 == sha256 and (described.caption or described.short_caption):
                return described.caption or described.short_caption
    return ""


class Captioner:
    """Finds or generates captions. Each picture, identified by its hash, is described once."""

    def __init__(self, chat: Chat, settings: VerifierSettings) -> None:
        """Use a chat model for pictures without a caption."""
        self._chat = chat
        self._settings = settings
        self._made: OrderedDict[str, str] = OrderedDict()

    async def captions(
        self,
        images: Iterable[QuestionImage],
        known: Callable[[str], str],
        repairs: Counter[str],
    ) -> tuple[str, ...]:
        """Return one caption per image, in order; empty if none can be generated.

        Args:
            images: The question's pictures.
            known: Returns the archive's caption by SHA-256; empty if it has none.
            repairs: Counts pictures without a caption.

        Raises:
            LimitReachedError: A limit of the question was reached.
        """
        images = list(images)
        hashes = [hashlib.sha256(image.data).hexdigest() for image in images]
        wanted: dict[str, QuestionImage] = {}
        found: dict[str, str] = {}
        for image, sha256 in zip(images, hashes, strict=True):
            caption = image.caption or known(sha256) or self._made.get(sha256, "")
            if caption:
                found.setdefault(sha256, caption)
            else:
                wanted[sha256] = image
        todo = [sha256 for sha256 in wanted if sha256 not in found]
        made = await asyncio.gather(*(self._describe(wanted[sha256]) for sha256 in todo))
        for sha256, caption in zip(todo, made, strict=True):
            found[sha256] = caption
            if caption:
                self._remember(sha256, caption)
            else:
                repairs["no_caption"] += 1
        return tuple(found[sha256] for sha256 in hashes)

    async def _describe(self, image: QuestionImage) -> str:
        """Return a new caption, from the picture and the instruction only."""
        if not self._chat.sees_images or not image.data:
            return ""
        instruction = "\n".join(PROMPT.items("instructions"))
        message = Message.user(instruction, ImagePart(image.data, image.mime))
        options = Options(self._settings.temperature, self._settings.output_tokens)
        try:
            reply = await self._chat.complete([message], options)
        except LimitReachedError:
            raise
        except (ModelError, InvalidDataError):
            return ""  # the caller counts it: the question can be judged without
        return " ".join(reply.text.split())

    def _remember(self, sha256: str, caption: str) -> None:
        self._made[sha256] = caption
        if len(self._made) > _REMEMBERED:
            self._made.popitem(last=False)
