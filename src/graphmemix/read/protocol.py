"""What a reader gets and what it returns (METHOD section 6)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

    from graphmemix.evidence import Answer, Packet, Question, StageCost
    from graphmemix.read.media import Picture

__all__ = ["Reader", "Reading"]


@dataclass(frozen=True)
class Reading:
    """An answer, and what it took.

    Attributes:
        answer: The answer with its citations; `Answer.answerable` is for others to set.
        cost: Of the stage ``read``.
        repairs: What had to be repaired in the model's reply, with counts, as ``read.repair``.
        reader: The identity of what answered.
    """

    answer: Answer
    cost: StageCost
    repairs: Mapping[str, int] = field(default_factory=dict)
    reader: str = ""


class Reader(Protocol):
    """Answers a question from a packet. It sees no score, no gold and no judge."""

    @property
    def identity(self) -> str:
        """Name the reader and its version: what decides what it says."""
        ...

    @property
    def sees_images(self) -> bool:
        """Whether pictures of a packet reach it; if not, words are all it gets."""
        ...

    async def read(
        self, question: Question, packet: Packet, pictures: Sequence[Picture] = ()
    ) -> Reading:
        """Return the answer.

        Raises:
            ModelError: The model behind it failed, or a limit was reached.
        """
        ...

    def stream(
        self, question: Question, packet: Packet, pictures: Sequence[Picture] = ()
    ) -> AsyncIterator[str | Reading]:
        """Yield the answer in pieces of text, and at last the whole reading.

        The pieces joined are the answer's text.

        Raises:
            AnswerBrokenOffError: The connection broke in the middle; has what had arrived.
            LimitReachedError: A limit ran out; has what had arrived.
            ModelError: The model behind it failed before the first word.
        """
        ...
