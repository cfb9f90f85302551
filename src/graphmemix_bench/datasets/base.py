"""What a benchmark data set is to us: contexts with memories, questions and gold evidence."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from graphmemix.record import Record
from graphmemix_bench.datasets.files import load_folder, read_json

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from graphmemix.evidence import Question
    from graphmemix.memory import Memory
    from graphmemix.store.media import MediaFolder

__all__ = [
    "Choice",
    "Context",
    "GoldQuestion",
    "MediaFile",
    "REFUSAL",
    "ResponseType",
    "load_folder",
    "read_json",
]

ResponseType: TypeAlias = Literal[
    "open",  # free words
    "number",
    "list",  # several items, in any order
    "choice",  # one of `choices`
    "yes_no",
    "image_ids",  # ids of pictures, ascending, comma-separated
    "refusal",  # the archive does not say; `answer` is a trap or empty
]

REFUSAL = "Not mentioned."
"""The reference of a question that the archive does not answer."""


@dataclass(frozen=True)
class Choice(Record):
    """One option of a multiple-choice question, at its place in this row."""

    choice_id: str
    text: str


@dataclass(frozen=True)
class GoldQuestion:
    """A question with its gold evidence.

    Attributes:
        question: As it is asked; options are not part of it.
        gold: The ids of the memories that hold the answer; empty if none does.
        type: The data set's own name for its kind.
        answer: The answer as it was released; for `choice` the id of the right option.
        id: Unique in its context.
        group: What rows share that ask the same in other ways, such as rotated options; by default
            the row's own id.
        subset: The part of the data set that it belongs to, such as ``hard``.
        choices: The options in the order shown.
        response_type: What kind of answer is asked for.
        instruction: The data set's public instruction on the form of the answer; empty if none.
        images: The ids of the pictures in the question, in order, as `Question.images`.
        held: Whether the archive holds the answer; a `refusal` says that it does not.
    """

    question: Question
    gold: frozenset[str]
    type: str
    answer: str
    id: str = ""
    group: str = ""
    subset: str = ""
    choices: tuple[Choice, ...] = ()
    response_type: ResponseType = "open"
    instruction: str = ""
    images: tuple[str, ...] = ()
    held: bool = True

    def __post_init__(self) -> None:
        if not self.group:
            object.__setattr__(self, "group", self.id)
        if self.response_type == "refusal":
            object.__setattr__(self, "held", False)

    @property
    def reference(self) -> str:
        """What a prediction is compared with. LoCoMo's adversarial answers are wrong on purpose."""
        return REFUSAL if self.response_type == "refusal" else self.answer

    @property
    def prompt(self) -> str:
        """The question as a reader gets it: with its options, one a line."""
        options = [f"{choice.choice_id}. {choice.text}" for choice in self.choices]
        return "\n".join([self.question.text, *options])


@dataclass(frozen=True)
class MediaFile:
    """A file that lies beside the data set and belongs to a memory.

    Attributes:
        memory_id: Whose medium it is.
        index: Its position in `Memory.media`.
        path: Where the file is.
    """

    memory_id: str
    index: int
    path: Path


@dataclass(frozen=True)
class Context:
    """One archive of a data set, with the questions about it.

    Attributes:
        name: Unique in its data set.
        memories: What the archive holds. Their media have no address before `with_media`.
        questions: What is asked, in the order of the release.
        files: The media files that are there; a release without them has none.
        dropped: What the release names but does not hold, with counts.
    """

    name: str
    memories: tuple[Memory, ...]
    questions: tuple[GoldQuestion, ...]
    files: tuple[MediaFile, ...] = ()
    dropped: Mapping[str, int] = field(default_factory=dict)

    @property
    def annotated(self) -> tuple[GoldQuestion, ...]:
        """The questions that have gold evidence."""
        return tuple(each for each in self.questions if each.gold)

    def with_media(self, media: MediaFolder) -> Context:
        """Store the files that are there; return the context whose memories have their addresses.

        Then pixels are encoded and shown. Costs one copy of every file.

        Raises:
            InvalidDataError: A file cannot be read.
        """
        if not self.files:
            return self
        stored: dict[str, dict[int, tuple[str, int]]] = {}
        for file in self.files:
            stored.setdefault(file.memory_id, {})[file.index] = media.put(file.path)
        return replace(
            self,
            memories=tuple(_addressed(each, stored.get(each.id, {})) for each in self.memories),
        )


def _addressed(memory: Memory, stored: Mapping[int, tuple[str, int]]) -> Memory:
    media = tuple(
        replace(medium, sha256=stored[index][0], size=stored[index][1])
        if index in stored
        else medium
        for index, medium in enumerate(memory.media)
    )
    return replace(memory, media=media)
