"""``graphmemix bench score``: predictions of another system, scored as ours are."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphmemix.cli.options import JsonOption, ProfileOption, SetOption, settings_from
from graphmemix.cli.terminal import say
from graphmemix.errors import InvalidInputError
from graphmemix.fsio import make_folder
from graphmemix_bench.commands.options import (
    ContextsOption,
    DataOption,
    DatasetOption,
    JudgeOption,
    JudgeSetOption,
    PlotsOption,
    console,
    judge_of,
)
from graphmemix_bench.datasets.catalogue import dataset_of
from graphmemix_bench.paths import data_folder
from graphmemix_bench.runs.predictions import read_predictions, score_predictions

if TYPE_CHECKING:
    from graphmemix_bench.reports.record import BenchReport


def score(
    *,
    dataset: DatasetOption,
    predictions: Annotated[Path, typer.Option(help="JSON lines; docs/bench.md has the form.")],
    data: DataOption = None,
    contexts: ContextsOption = None,
    name: Annotated[str, typer.Option(help="As the report calls the system.")] = "predictions",
    out: Annotated[
        Path | None, typer.Option(help="Write the report here; needed to judge.")
    ] = None,
    judge: JudgeOption = False,
    judge_set: JudgeSetOption = None,
    profile: ProfileOption = None,
    override: SetOption = None,
    plots: PlotsOption = False,
    as_json: JsonOption = False,
) -> None:
    """Score evidence and answers of any other system, given as JSON lines.

    Each line has `context`, `question`, and `evidence` (memory ids, best first), `answer` or both.
    """
    settings = settings_from(profile, override)
    chat = judge_of(settings, judge_set or []) if judge or judge_set else None
    if chat is not None and out is None:
        raise InvalidInputError("--judge needs --out, where judgments are kept")
    known = dataset_of(dataset)
    loaded = [
        context
        for context in known.load(data_folder(dataset, data))
        if not contexts or context.name in contexts
    ]
    rows = read_predictions(predictions, loaded)
    if out is not None:
        make_folder(out)

    async def scored() -> BenchReport:
        try:
            return await score_predictions(
                name,
                known,
                loaded,
                rows,
                budget=settings.forest.budget,
                judge=chat,
                folder=out,
            )
        finally:
            if chat is not None:
                await chat.aclose()

    report = asyncio.run(scored())
    from graphmemix_bench.reports import show, write_report

    if out is not None:
        write_report(report, out, plots=plots)
    if as_json:
        say(report.to_json())
    else:
        show(report, console())
