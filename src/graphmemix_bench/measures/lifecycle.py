"""What a method costs over its life: digest every memory once, answer every question once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graphmemix.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from graphmemix.evidence import StageCost


@dataclass(frozen=True)
class Cost(Record):
    """Wall time and model use.

    Attributes:
        seconds: Wall time.
        calls: Model calls, retries included.
        input_tokens: Tokens sent.
        output_tokens: Tokens received.
        money: In the currency of the configured prices; 0 if none are set.
    """

    seconds: float = 0.0
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    money: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.seconds + other.seconds,
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.money + other.money,
        )


@dataclass(frozen=True)
class Lifecycle(Record):
    """The two parts of a method's cost.

    Attributes:
        digest: For all memories.
        answer: For all questions.
        memories: How many there were.
        questions: How many there were.
        update: What of `digest` the last tenth of each archive took, added to the rest.
        updated: How many memories those were.
    """

    digest: Cost = field(default_factory=Cost)
    answer: Cost = field(default_factory=Cost)
    memories: int = 0
    questions: int = 0
    update: Cost = field(default_factory=Cost)
    updated: int = 0

    @property
    def total(self) -> Cost:
        """Both together."""
        return self.digest + self.answer


@dataclass(frozen=True)
class Point(Record):
    """A method on the plane of cost and accuracy."""

    name: str
    cost: float
    accuracy: float


def add_up(costs: Iterable[StageCost]) -> Cost:
    """Return the sum of what stages took."""
    total = Cost()
    for each in costs:
        total += Cost(each.seconds, each.calls, each.input_tokens, each.output_tokens, each.money)
    return total


def pareto_front(points: Sequence[Point]) -> tuple[Point, ...]:
    """Return the methods that none beats in both, by rising cost.

    A method is beaten if another costs no more and is no less accurate, and one of the two is
    better. Equal methods are all kept.
    """
    return tuple(
        point
        for point in sorted(points, key=lambda each: (each.cost, -each.accuracy, each.name))
        if not any(_beats(other, point) for other in points)
    )


def _beats(one: Point, other: Point) -> bool:
    no_worse = one.cost <= other.cost and one.accuracy >= other.accuracy
    return no_worse and (one.cost < other.cost or one.accuracy > other.accuracy)
