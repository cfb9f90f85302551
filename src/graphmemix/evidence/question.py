"""A question, its pictures and earlier turns, and the limits on their size."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from graphmemix.errors import InvalidDataError, InvalidInputError
from graphmemix.record import Record, require_moment

__all__ = ["Question", "QuestionImage", "Turn", "require_bounded"]

LONGEST_QUESTION: Final = 20_000
"""Characters of a question: its text, the captions of its pictures and earlier turns together."""

MOST_PICTURES: Final = 8
MOST_PICTURE_BYTES: Final = 32 << 20
"""Total size of all pictures of a question."""


@dataclass(frozen=True)
class QuestionImage(Record):
    """A picture that is part of a question.

    Attributes:
        data: The encoded file.
        mime: Its media type.
        caption: A description, for encoders and verifiers that cannot read images.
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
    """Raise unless the times are usable.

    Only the local clock time of `asked_at` is used, so it need not exist in UTC; saved traces may
    hold such times.
    """
    if question.asked_at is not None and question.asked_at.utcoffset() is None:
        raise InvalidDataError("question.asked_at: needs a time zone")
    require_moment("question.as_of", question.as_of)


def require_bounded(question: Question, instruction: str = "") -> None:
    """Reject a question that is too large.

    Not checked by `Question` itself, so that traces saved before there were limits stay readable.

    Raises:
        InvalidInputError: Names the limit.
    """
    _require_at_most("question", LONGEST_QUESTION, _characters(question), "characters")
    _require_at_most("question.images", MOST_PICTURES, len(question.images), "pictures")
    size = sum(len(image.data) for image in question.images)
    _require_at_most("question.images", MOST_PICTURE_BYTES, size, "bytes in total")
    _require_at_most("instruction", LONGEST_QUESTION, len(instruction), "characters")


def _characters(question: Question) -> int:
    about = sum(len(image.caption) + len(image.mime) for image in question.images)
    # One extra character per turn, so that empty turns count too.
    return len(question.text) + about + sum(len(turn.text) + 1 for turn in question.history)


def _require_at_most(name: str, most: int, found: int, unit: str) -> None:
    if found > most:
        raise InvalidInputError(f"{name}: has {found:,} {unit}; at most {most:,} are accepted")
