"""Predictions of any other system, scored as ours are: its evidence, its answers, or both.

One JSON object a line: ``context`` and ``question`` name what was asked, ``evidence`` lists memory
ids, best first, and ``answer`` is what was said; either may be missing, and so may ``error``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphmemix.errors import InvalidDataError, InvalidInputError
from graphmemix.record import Record
from graphmemix_bench.judge import Prediction, judge_all, judge_identity
from graphmemix_bench.measures.scoring import answer_scores, evidence_scores
from graphmemix_bench.reports.build import configuration
from graphmemix_bench.reports.record import BenchReport
from graphmemix_bench.runs.artefacts import StageHead, Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from graphmemix.llm import Chat
    from graphmemix_bench.datasets.base import Context, GoldQuestion
    from graphmemix_bench.datasets.catalogue import Dataset
    from graphmemix_bench.judge import Judgment
    from graphmemix_bench.measures.evidence import QuestionScores


@dataclass(frozen=True)
class PredictionRow(Record):
    """What another system made of a question.

    Attributes:
        context: The archive that was asked.
        question: The question's id there.
        evidence: Memories, best first; None if the system names none.
        answer: Its words; None if it does not answer.
        error: Why it failed; empty if it did not.
    """

    context: str
    question: str
    evidence: tuple[str, ...] | None = None
    answer: str | None = None
    error: str = ""


_Asked = tuple[str, str]


def read_predictions(path: Path, contexts: Sequence[Context]) -> dict[_Asked, PredictionRow]:
    """Return predictions by context and question.

    Raises:
        InvalidInputError: A line is malformed, is there twice, or names a question or memory that
            the data set does not have; names the line.
    """
    questions = {(c.name, q.id) for c in contexts for q in c.questions}
    memories = {c.name: {m.id for m in c.memories} for c in contexts}
    found: dict[_Asked, PredictionRow] = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"{path}: cannot be read ({error})") from None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = PredictionRow.from_json(line)
        except InvalidDataError as error:
            raise InvalidInputError(f"{path}:{number}: {error}") from None
        asked = (row.context, row.question)
        if asked not in questions:
            raise InvalidInputError(f"{path}:{number}: there is no question {'/'.join(asked)!r}")
        if asked in found:
            raise InvalidInputError(f"{path}:{number}: {'/'.join(asked)!r} is there twice")
        for memory_id in row.evidence or ():
            if memory_id not in memories[row.context]:
                raise InvalidInputError(f"{path}:{number}: there is no memory {memory_id!r}")
        found[asked] = row
    if not found:
        raise InvalidInputError(f"{path}: has no predictions")
    return found


async def score_predictions(
    name: str,
    dataset: Dataset,
    contexts: Sequence[Context],
    rows: Mapping[_Asked, PredictionRow],
    *,
    budget: int,
    judge: Chat | None = None,
    folder: Path | None = None,
) -> BenchReport:
    """Return a report of predictions, in the form of our own.

    A question without a prediction counts as nothing found and nothing said, in what the system
    gives at all.

    Args:
        name: As the report calls the system.
        dataset: Which.
        contexts: Its contexts.
        rows: As `read_predictions` returns them.
        budget: ``K``; only so many memories of each prediction count.
        judge: Who judges answers; None for nobody.
        folder: Where judgments are kept; needed with a judge.

    Raises:
        ModelError: The judge failed; what it judged before is kept.
    """
    asked = [(c.name, q) for c in contexts for q in c.questions]
    with_evidence = any(row.evidence is not None for row in rows.values())
    with_answers = any(row.answer is not None or row.error for row in rows.values())
    scores: list[QuestionScores] = []
    if with_evidence:
        scores += [
            evidence_scores(context, question, _evidence(rows, context, question), budget=budget)
            for context, question in asked
            if question.gold
        ]
    if with_answers:
        said = [(q, _said(rows, context, q)) for context, q in asked]
        verdicts: list[Judgment | None] = [None] * len(said)
        if judge is not None and folder is not None:
            head = StageHead("judgments", judge_identity(judge))
            table = Table(folder / "judgments.jsonl", head)
            try:
                verdicts = list(await judge_all(judge, said, table))
            finally:
                table.close()
        scores += [
            answer_scores(context, question, prediction, verdict, dataset.native)
            for (context, question), (_, prediction), verdict in zip(
                asked, said, verdicts, strict=True
            )
        ]
    missing = len(asked) - len(rows)
    notes = (f"{missing} of {len(asked)} questions have no prediction, and count as 0.",)
    return BenchReport(
        dataset=dataset.name,
        title=dataset.title,
        contexts=tuple(context.name for context in contexts),
        questions=len(asked),
        annotated=sum(bool(question.gold) for _, question in asked),
        headline="judge" if judge is not None else f"recall_at_{budget}",
        configurations=(configuration(name, scores),),
        published=dataset.published,
        notes=notes if missing else (),
    )


def _evidence(
    rows: Mapping[_Asked, PredictionRow], context: str, question: GoldQuestion
) -> tuple[str, ...]:
    row = rows.get((context, question.id))
    return tuple(dict.fromkeys(row.evidence or ())) if row is not None else ()


def _said(rows: Mapping[_Asked, PredictionRow], context: str, question: GoldQuestion) -> Prediction:
    row = rows.get((context, question.id))
    return Prediction("") if row is None else Prediction(row.answer or "", row.error)
