"""What a benchmark data set is to us: contexts with memories, questions and gold evidence."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphmemix.errors import InvalidDataError, InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from graphmemix.evidence import Question
    from graphmemix.memory import Memory


@dataclass(frozen=True)
class GoldQuestion:
    """A question with its gold evidence.

    Attributes:
        question: As it is asked.
        gold: The ids of the memories that hold the answer; empty if none does.
        type: The data set's own name for its kind.
        answer: The reference answer.
    """

    question: Question
    gold: frozenset[str]
    type: str
    answer: str


@dataclass(frozen=True)
class Context:
    """One archive of a data set, with the questions about it."""

    name: str
    memories: tuple[Memory, ...]
    questions: tuple[GoldQuestion, ...]

    @property
    def annotated(self) -> tuple[GoldQuestion, ...]:
        """The questions that have gold evidence."""
        return tuple(each for each in self.questions if each.gold)


def read_json(path: Path) -> Any:
    """Return the content of a JSON file.

    Raises:
        InvalidInputError: It cannot be read, or is not JSON.
    """
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise InvalidInputError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise InvalidInputError(f"{path}: is not JSON ({error})") from None


def load_folder(
    folder: Path, pattern: str, what: str, load: Callable[[Path], Context]
) -> Iterator[Context]:
    """Yield the contexts of all files that match, by name.

    Raises:
        InvalidInputError: No file matches; says what was looked for.
    """
    paths = sorted(folder.glob(pattern))
    if not paths:
        raise InvalidInputError(f"{folder}: has no {pattern}; is this the folder of {what}?")
    for path in paths:
        try:
            context = load(path)
            for memory in context.memories:
                memory.to_json()  # a field of the wrong type shows here
            yield context
        except (KeyError, TypeError, AttributeError, InvalidDataError) as error:
            raise InvalidInputError(f"{path}: is not in the layout of {what} ({error!r})") from None
