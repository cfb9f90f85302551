"""The input and output of readers (METHOD section 6)."""

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
    """An answer and its cost.

    Attributes:
        answer: The answer with its citations; `Answer.answerable` is set later.
        cost: The cost of the stage ``read``.
        repairs: Counts of repairs in the model's reply, as ``read.repair``.
        reader: The identity of the reader.
    """

    answer: Answer
    cost: StageCost
    repairs: Mapping[str, int] = field(default_factory=dict)
    reader: str = ""


class Reader(Protocol):
    """Answers a question from a packet. It sees no score, no gold and no judge."""

    @property
    def identity(self) -> str:
        """Identify the reader and its version."""
        ...

    @property
    def sees_images(self) -> bool:
        """Whether it accepts pictures; if not, it gets text only."""
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
        """Yield the answer in pieces of text, and finally the whole reading.

        The pieces joined are the answer's text.

        Raises:
            AnswerBrokenOffError: The connection broke in the middle; has what had arrived.
            LimitReachedError: A limit ran out; has what had arrived.
            ModelError: The model behind it failed before the first word.
        """
        ...
