"""What is asked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from graphmemix.errors import InvalidDataError
from graphmemix.record import Record

__all__ = ["Question", "QuestionImage", "Turn"]


@dataclass(frozen=True)
class QuestionImage(Record):
    """A picture that is part of a question.

    Attributes:
        data: The encoded file.
        mime: Its media type.
        caption: A description, for encoders and verifiers that see no pixels.
    """

    data: bytes
    mime: str = "image/jpeg"
    caption: str = ""


@dataclass(frozen=True)
class Turn(Record):
    """An earlier turn of the conversation that a question continues."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True)
class Question(Record):
    """What is asked (METHOD section 0): text, images, or both.

    Attributes:
        text: The words.
        images: The pictures.
        asked_at: When it is asked; relative dates ("last summer") are read from here.
        as_of: Hide every memory from after this moment.
        history: Earlier turns, oldest first.
    """

    text: str = ""
    images: tuple[QuestionImage, ...] = ()
    asked_at: datetime | None = None
    as_of: datetime | None = None
    history: tuple[Turn, ...] = ()

    def __post_init__(self) -> None:
        if not self.text.strip() and not self.images:
            raise InvalidDataError("question: needs a text or an image")
        for name, moment in (("asked_at", self.asked_at), ("as_of", self.as_of)):
            if moment is not None and moment.utcoffset() is None:
                raise InvalidDataError(f"question.{name}: needs a time zone")
