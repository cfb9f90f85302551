"""A second look at a run's judgments by another judge or a person."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphmemix.errors import InvalidDataError, InvalidInputError
from graphmemix.record import Record
from graphmemix_bench.datasets.bundle import gold_question
from graphmemix_bench.judge import Judgment, Prediction, judge, judge_input
from graphmemix_bench.measures.agreement import agreement
from graphmemix_bench.runs.artefacts import content_hash
from graphmemix_bench.runs.outcome import RunReader
from graphmemix_bench.runs.stages import Answered

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from graphmemix.llm import Chat
    from graphmemix.record import Json
    from graphmemix_bench.measures.agreement import Agreement
    from graphmemix_bench.runs.stages import Asked


@dataclass(frozen=True)
class AuditRow(Record):
    """One judgment in a sample.

    Attributes:
        id: The hash of what was judged.
        label: Context and question.
        question: What was asked.
        reference: The right answer.
        prediction: What was said.
        first: The run's verdict.
        second: The second look's verdict; None before there is one.
    """

    id: str
    label: str
    question: str
    reference: str
    prediction: str
    first: bool
    second: bool | None = None


def sample(folder: Path, count: int, seed: int) -> list[AuditRow]:
    """Return judgments of a run drawn at random, the same ones for the same seed.

    Empty answers and readers' errors, which no model judged, are left out.

    Raises:
        InvalidInputError: There is no run in this folder, or it has no judgments.
    """
    run = RunReader(folder)
    rows: dict[str, AuditRow] = {}
    answers = run.stages.rows["answers"]
    by_label: dict[str, list[Answered]] = {}
    for row in answers:
        by_label.setdefault(row.label, []).append(Answered.from_json(json.dumps(row.value)))
    for asked in run.asked:
        for said in by_label.get(asked.label, ()):
            found = _judged(run, asked, said)
            if found is not None:
                rows[found.id] = found
    if not rows:
        raise InvalidInputError(f"{folder}: this run has no judgments by a model")
    drawn = sorted(rows.values(), key=lambda row: content_hash([seed, row.id]))[:count]
    return sorted(drawn, key=lambda row: (row.label, row.id))


def _judged(run: RunReader, asked: Asked, said: Answered) -> AuditRow | None:
    question = gold_question(asked.row)
    inputs: list[Json] = [judge_input(question, said.text), said.error]
    found = run.stages.rows["judgments"].get(inputs)
    if found is None:
        return None
    judgment = Judgment.from_json(json.dumps(found))
    if judgment.reason != "judged":
        return None
    return AuditRow(
        content_hash(inputs),
        asked.label,
        question.prompt,
        question.reference,
        said.text,
        judgment.correct,
    )


async def second_look(folder: Path, rows: Sequence[AuditRow], chat: Chat) -> list[AuditRow]:
    """Have another judge look at a sample.

    Raises:
        ModelError: It failed.
    """
    run = RunReader(folder)
    questions = {asked.label: gold_question(asked.row) for asked in run.asked}
    looked = []
    for row in rows:
        verdict = await judge(chat, questions[row.label], Prediction(row.prediction))
        looked.append(
            AuditRow(
                row.id,
                row.label,
                row.question,
                row.reference,
                row.prediction,
                row.first,
                verdict.correct,
            )
        )
    return looked


def read_labels(path: Path) -> list[AuditRow]:
    """Return a sample whose rows a person has completed.

    Raises:
        InvalidInputError: A line is malformed, or has no verdict; names it.
    """
    rows = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            row = AuditRow.from_json(line)
        except InvalidDataError as error:
            raise InvalidInputError(f"{path}:{number}: {error}") from None
        if row.second is None:
            raise InvalidInputError(f"{path}:{number}: has no verdict; set second to true or false")
        rows.append(row)
    return rows


def agreement_of(rows: Sequence[AuditRow]) -> Agreement:
    """Return how far the run's judge and the second look agree.

    Raises:
        InvalidInputError: No row has a second verdict.
    """
    return agreement([(row.first, row.second) for row in rows if row.second is not None])
