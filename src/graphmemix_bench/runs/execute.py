"""A benchmark run from the data to judgments, in stages that are kept as they are made.

Interrupted at any moment, the same command resumes the run and ends with the same artefacts: a
stage's row is made once, from inputs that are part of its key.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphmemix.errors import InvalidDataError, InvalidInputError
from graphmemix.fsio import open_text, write_whole
from graphmemix.record import Record
from graphmemix_bench.datasets.counts import CountCheck
from graphmemix_bench.judge import judge_identity
from graphmemix_bench.runs.after_retrieval import finish
from graphmemix_bench.runs.artefacts import Run, Stage, Table
from graphmemix_bench.runs.context import is_retrieved, retrieve
from graphmemix_bench.runs.ladder import MAIN
from graphmemix_bench.runs.local import (
    Coefficients,
    Local,
    adopt_refits,
    judge_locally,
    needs_lessons,
    open_local,
    sort_contexts,
)
from graphmemix_bench.runs.stages import Asked, Stages, candidates_key, nodes_key
from graphmemix_bench.vector_cache import RememberingEncoder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from graphmemix.record import Json
    from graphmemix_bench.fitting.training_cases import AskedCase
    from graphmemix_bench.runs.plan import Plan

_ASKED = "asked.jsonl"
_SESSIONS = "sessions.jsonl"


@dataclass(frozen=True)
class AskedHead(Record):
    """The first line of ``asked.jsonl``.

    Attributes:
        questions: How many lines follow.
        counts: What was loaded beside what was published.
        coefficients: Who judges what, if the local verifier takes part.
    """

    questions: int
    counts: CountCheck
    coefficients: Coefficients | None = None


@dataclass(frozen=True)
class Session(Record):
    """One session of work on a run.

    Attributes:
        seconds: Wall time.
        command: How it was called.
        finished: Whether it came to the end.
    """

    seconds: float
    command: str
    finished: bool


def execute(
    plan: Plan,
    folder: Path,
    *,
    cache: Path,
    command: str = "",
    report: Callable[[str], None] = lambda _: None,
) -> None:
    """Begin a run in a folder, or resume it, and finish it.

    Args:
        plan: What is to be done.
        folder: Where its artefacts are; made if it is not there.
        cache: Where vectors are kept between runs.
        command: How it was called, for the report.
        report: Called with what is being done.

    Raises:
        ArtefactMismatchError: The folder holds another run; names what differs.
        ArchiveBusyError: Another process is writing to it.
        ModelError: A model failed; what was made before is kept, and the same call resumes the run.
    """
    start, finished = time.perf_counter(), False
    with (
        Run(folder, plan.head(command)) as run,
        closing(RememberingEncoder(plan.parts.encoder, cache, timed=True)) as encoder,
    ):
        try:
            _work(plan, run, encoder, report, cache)
            finished = True
        finally:
            session = Session(round(time.perf_counter() - start, 3), command, finished)
            with open_text(folder / _SESSIONS, "a") as stream:
                stream.write(session.to_json() + "\n")


def _work(
    plan: Plan,
    run: Run,
    encoder: RememberingEncoder,
    report: Callable[[str], None],
    cache: Path,
) -> None:
    stages, folder = Stages(_tables(plan, run)), run.folder
    local_judges = "local" in plan.parts.verifiers
    _keep_asked(plan, folder, sort_contexts(plan) if local_judges else None)
    if local_judges or plan.parts.needs_local:
        adopt_refits(plan, folder, cache, sort_contexts(plan))
    cases: dict[str, list[AskedCase]] = {}
    for context in plan.contexts:
        asked = [each for each in plan.asked if each.context == context.name]
        if _is_ready(plan, asked, stages, folder):
            continue
        report(f"{context.name}: {len(context.memories)} memories, {len(asked)} questions")
        cases[context.name] = retrieve(
            plan.dataset.name,
            context,
            encoder,
            plan.parts.settings,
            stages,
            _variants(plan),
            folder,
        )
    local: Local | None = None
    if local_judges or plan.parts.needs_local:
        local = open_local(plan, folder, encoder, cases, report, cache)
    if local is not None and local_judges:
        judge_locally(plan, local, cases, stages)
    judgments = _judgments(plan, run)
    asyncio.run(finish(plan, stages, judgments, folder, cases, local, report, encoder))


def _variants(plan: Plan) -> list[str]:
    """Return the variants of retrieval that are measured; the source is always one."""
    return list(dict.fromkeys([r.variant for r in plan.rungs if r.variant is not None] + [MAIN]))


def _is_ready(plan: Plan, asked: list[Asked], stages: Stages, folder: Path) -> bool:
    """Return whether no later stage needs the archive of these questions' context again."""
    if not is_retrieved(asked, stages, _variants(plan), folder):
        return False
    local = "local" in plan.parts.verifiers
    if not local and not plan.parts.needs_local:
        return True
    who = sort_contexts(plan)
    if needs_lessons(folder, who):
        return False
    for each in asked:
        candidates = stages.get(candidates_key(each))
        assert candidates is not None  # noqa: S101  # asked above
        for kind in plan.parts.verifiers:
            if kind == "local" and each.context in who.skipped:
                continue
            needs_signals = kind == "local" or plan.parts.needs_local
            if needs_signals and stages.get(nodes_key(each, candidates, kind)) is None:
                return False
    return True


def _tables(plan: Plan, run: Run) -> dict[Stage, Table]:
    parts = plan.parts
    source: dict[str, Json] = {"encoder": parts.encoder.identity}
    verifiers: dict[str, Json] = {kind: parts.identity(kind) for kind in parts.verifiers}
    identities: dict[Stage, dict[str, Json]] = {
        "retrieval": source,
        "candidates": source,
        "built": source,
        "found": source,
        "node_scores": verifiers,
        "edge_scores": verifiers,
        "selection": verifiers,
    }
    reader = parts.open_reader()
    if reader is not None:
        identities["answers"] = {"reader": reader.identity}
    return {stage: run.table(stage, identity) for stage, identity in identities.items()}


def _judgments(plan: Plan, run: Run) -> Table | None:
    judge = plan.parts.judge
    return None if judge is None else run.table("judgments", judge_identity(judge))


def _keep_asked(plan: Plan, folder: Path, who: Coefficients | None) -> None:
    """Write what is asked, once: the run's head says that it is the same data."""
    path = folder / _ASKED
    if path.exists():
        return
    lines = [AskedHead(len(plan.asked), plan.counts, who).to_json()]
    lines += [each.to_json() for each in plan.asked]
    write_whole(path, "\n".join(lines) + "\n")


def read_asked(folder: Path) -> tuple[AskedHead, tuple[Asked, ...]]:
    """Return what a run asks.

    Raises:
        InvalidInputError: It did not begin, or the file is damaged; names the line.
    """
    path = folder / _ASKED
    if not path.is_file():
        raise InvalidInputError(f"{folder}: this run has not begun; there is no {_ASKED}")
    first, *rest = path.read_text(encoding="utf-8").splitlines() or [""]
    try:
        head = AskedHead.from_json(first)
        asked = tuple(Asked.from_json(line) for line in rest)
    except InvalidDataError as error:
        raise InvalidInputError(f"{path}: {error}") from None
    if len(asked) != head.questions:
        raise InvalidInputError(f"{path}: has {len(asked)} questions, not {head.questions}")
    return head, asked


def read_sessions(folder: Path) -> tuple[Session, ...]:
    """Return the sessions of a run; a torn last line is skipped."""
    path = folder / _SESSIONS
    if not path.is_file():
        return ()
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            found.append(Session.from_json(line))
        except InvalidDataError:
            continue
    return tuple(found)
