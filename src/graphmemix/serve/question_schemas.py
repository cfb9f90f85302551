"""Bodies of questions and traces: recall, ask, pictures in a question, answers."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from graphmemix.asking import as_question
from graphmemix.evidence import Question, Trace
from graphmemix.evidence.question import QuestionImage
from graphmemix.memory import Kind, Memory, Place
from graphmemix.optimize.explanation import Explanation
from graphmemix.serve.schemas import Body, Name, Text
from graphmemix.store.records import Filter

MOST_NAMES = 100
"""In each restriction of a question."""

MOST_EVIDENCE = 50
"""Memories that a question may ask for."""


class RecallRequest(Body):
    """A question."""

    question: Text | Question = Field(
        examples=["Which hotel did we stay in when Mia lost her tooth?"]
    )
    filter: Filter | None = None
    since: Name | None = Field(
        None, description="From then on: an ISO date, or words such as 'last May'."
    )
    until: Name | None = Field(None, description="Before then, likewise.")
    kinds: list[Kind] = Field([], max_length=MOST_NAMES)
    people: list[Name] = Field([], max_length=MOST_NAMES, description="Authors, by any name.")
    near: Name | None = Field(
        None, description="A place by its name, or latitude,longitude,kilometres."
    )
    sessions: list[Name] = Field([], max_length=MOST_NAMES)
    limit: int | None = Field(None, ge=1, le=MOST_EVIDENCE, description="Most memories.")
    explain: bool = False

    def asked(self) -> Question:
        """Return the question as a record.

        Raises:
            InvalidInputError: The question or its filter is too large.
        """
        return as_question(self.question, self.filter)


class AskRequest(RecallRequest):
    """A question, and instructions on the form of the answer.

    `model` is one of the archive's `models`, or empty to answer without a model; null for the usual
    one.
    """

    instruction: Text = ""
    model: str | None = Field(None, max_length=200)


class PictureRequest(Body):
    """A picture that is to be part of a question."""

    image: QuestionImage


class PictureReply(Body):
    """What is known of a picture: memories with the same one, its text, its time and its place.

    `caption` says it in a few words, for `images[].caption` of a question.
    """

    same: list[Memory]
    text: str
    timestamp: datetime | None
    place: Place | None
    caption: str


class TraceReply(Body):
    """The trace of a question, and why each candidate was chosen or left out.

    `holds` says in words what `trace.answerable` says as a number; empty if it was not judged.
    """

    trace: Trace
    holds: str = ""
    explanations: tuple[Explanation, ...] = ()


class TraceSummary(Body):
    """The summary of a trace."""

    id: str
    created_at: datetime | None
    question: str
    answer: str | None
    memory_ids: tuple[str, ...]


class TraceList(Body):
    """Traces, newest first."""

    traces: list[TraceSummary]
