"""What is asked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from graphmemix.errors import InvalidDataError, InvalidInputError
from graphmemix.moments import require_moment
from graphmemix.record import Record

__all__ = ["Question", "QuestionImage", "Turn", "require_bounded"]

LONGEST_QUESTION: Final = 20_000
"""Characters of a question: its text, the captions of its pictures and earlier turns together."""

MOST_PICTURES: Final = 8
MOST_PICTURE_BYTES: Final = 32 << 20
"""Of all pictures of a question together."""


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
        _require_times(self)


def _require_times(question: Question) -> None:
    """Raise unless the times can be used.

    Of `asked_at` only the clock on the wall counts, so that it needs not exist in UTC; saved traces
    may hold any.
    """
    if question.asked_at is not None and question.asked_at.utcoffset() is None:
        raise InvalidDataError("question.asked_at: needs a time zone")
    require_moment("question.as_of", question.as_of)


def require_bounded(question: Question, instruction: str = "") -> None:
    """Refuse a question that would take more time and memory than a question may.

    Not a check of `Question` itself: traces that were saved before there were bounds stay readable.

    Raises:
        InvalidInputError: Names the bound.
    """
    _require_at_most("question", LONGEST_QUESTION, _characters(question), "characters")
    _require_at_most("question.images", MOST_PICTURES, len(question.images), "pictures")
    size = sum(len(image.data) for image in question.images)
    _require_at_most("question.images", MOST_PICTURE_BYTES, size, "bytes together")
    _require_at_most("instruction", LONGEST_QUESTION, len(instruction), "characters")


def _characters(question: Question) -> int:
    about = sum(len(image.caption) + len(image.mime) for image in question.images)
    # Each turn counts for one more: empty turns are not free.
    return len(question.text) + about + sum(len(turn.text) + 1 for turn in question.history)


def _require_at_most(name: str, most: int, found: int, unit: str) -> None:
    if found > most:
        raise InvalidInputError(f"{name}: has {found:,} {unit}; at most {most:,} are accepted")
