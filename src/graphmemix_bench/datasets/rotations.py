"""Options of a multiple-choice question in balanced orders: the right one stands everywhere once.

A model that always says "B" then scores a quarter, whatever the release's own order.
"""

from __future__ import annotations

from graphmemix.errors import InvalidDataError
from graphmemix_bench.datasets.base import Choice

LETTERS = "ABCDEFGH"

Row = tuple[tuple[Choice, ...], str]


def rotated(choices: tuple[Choice, ...], answer: str) -> list[Row]:
    """Return the options in all their cyclic orders, each with the letter of the right one.

    Every option stands at every position in exactly one of them: four for four options.

    Raises:
        InvalidDataError: No option, or more than one, is the answer.
    """
    right = right_choice(choices, answer)
    rows = []
    for shift in range(len(choices)):
        order = [choices[(place + shift) % len(choices)] for place in range(len(choices))]
        shown = tuple(
            Choice(letter, each.text) for letter, each in zip(LETTERS, order, strict=False)
        )
        rows.append((shown, LETTERS[order.index(right)]))
    return rows


def right_choice(choices: tuple[Choice, ...], answer: str) -> Choice:
    """Return the option that `answer` names, by its letter or by its text.

    Raises:
        InvalidDataError: None or several do.
    """
    named = [each for each in choices if each.choice_id == answer] or [
        each for each in choices if each.text.strip() == answer.strip()
    ]
    if len(named) != 1:
        raise InvalidDataError(f"answer {answer!r} must name one of the {len(choices)} options")
    return named[0]
