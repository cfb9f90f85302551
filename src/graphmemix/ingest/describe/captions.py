"""Captions by a multimodal chat model. Pictures are sent to its server."""

from __future__ import annotations

import hashlib
import re
from io import BytesIO
from typing import TYPE_CHECKING, Final

from graphmemix.encode.pixels import frame
from graphmemix.encode.views import frame_times
from graphmemix.errors import InvalidDataError, InvalidInputError, InvalidReplyError
from graphmemix.imaging import decode_picture
from graphmemix.ingest.describe.protocol import Field, MediaText
from graphmemix.ingest.facts import clean
from graphmemix.llm.chat import ImagePart, Message, Options
from graphmemix.llm.sync_bridge import run_sync

if TYPE_CHECKING:
    from pathlib import Path

    from graphmemix.llm.chat import Chat
    from graphmemix.memory import Media

_LONGEST_EDGE: Final = 2500  # pixels (METHOD section 7)
_FRAMES: Final = 4
_MOST_TOKENS: Final = 800
_SHORT: Final = 200  # characters
_INSTRUCTION: Final = (
    "Describe {what} for someone who will search for it later. Begin with one sentence that says"
    " what it shows. Then be dense and faithful: every piece of visible text word for word, people,"
    " objects with their attributes, where things are in relation to each other, and what happens."
    " State only what is visible; do not guess names, places or dates. Answer with the description"
    " alone."
)
_SENTENCE: Final = re.compile(r".+?[.!?。！？](?=\s|\Z)", re.DOTALL)


class Captions:
    """Asks a model for a dense description of each picture, and of a few frames of each video."""

    field: Field = "caption"

    def __init__(self, chat: Chat, *, at_once: int = 4) -> None:
        """Set the model.

        Args:
            chat: A model that accepts pictures.
            at_once: Calls that may run in parallel.

        Raises:
            InvalidInputError: The model does not accept pictures.
        """
        if not chat.sees_images:
            raise InvalidInputError(
                f"{chat.identity} does not accept pictures; choose a multimodal model"
            )
        self._chat = chat
        self.at_once = at_once
        prompt = hashlib.sha256(_INSTRUCTION.encode()).hexdigest()[:8]
        self.identity = f"{chat.identity} {prompt}"

    def wants(self, medium: Media) -> bool:
        """Accept pictures and videos."""
        return medium.modality in {"image", "video"}

    def describe(self, path: Path, medium: Media) -> MediaText:
        """Return the model's description."""
        if medium.modality == "video":
            what = "the video that these frames come from, in order"
            shown = [frame(path, seconds) for seconds in frame_times(medium, _FRAMES)]
        else:
            what = "this picture"
            try:
                shown = [path.read_bytes()]
            except OSError as error:
                raise InvalidDataError(f"{medium.name}: {error.strerror}") from None
        parts = [ImagePart(_small(data, medium.name), "image/jpeg") for data in shown]
        message = Message.user(_INSTRUCTION.format(what=what), *parts)
        reply = run_sync(self._chat.complete([message], Options(max_tokens=_MOST_TOKENS)))
        text = clean(reply.text)
        if not text:
            raise InvalidReplyError(f"{self._chat.identity}: no description of {medium.name!r}")
        return MediaText(text, _first_sentence(text))


def _small(data: bytes, name: str) -> bytes:
    """Return a picture upright, as JPEG, scaled down to `_LONGEST_EDGE`."""
    picture = decode_picture(data, name or "picture")
    picture.thumbnail((_LONGEST_EDGE, _LONGEST_EDGE))
    out = BytesIO()
    picture.save(out, "JPEG", quality=90)
    return out.getvalue()


def _first_sentence(text: str) -> str:
    match = _SENTENCE.match(text)
    sentence = (match[0] if match else text).strip()
    return sentence if len(sentence) <= _SHORT else sentence[: _SHORT - 1].rstrip() + "…"
