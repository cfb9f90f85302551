"""``graphmemix bench baselines``: ours beside bounds, cheap baselines and other systems."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from graphmemix.cli.options import CacheOption, JsonOption, SetOption, pairs_of, settings_from
from graphmemix.cli.terminal import say
from graphmemix.encode.specs import encoder_of
from graphmemix.fsio import open_binary
from graphmemix_bench.baselines.catalogue import BASELINES, expected, names_of
from graphmemix_bench.baselines.options import BaselineOptions
from graphmemix_bench.commands.options import (
    BaselineSetOption,
    ContextsOption,
    DataOption,
    DatasetOption,
    QuestionsOption,
    SeedOption,
    carry_out,
    console,
)
from graphmemix_bench.paths import data_folder
from graphmemix_bench.runs.others import OURS, baselines_report
from graphmemix_bench.runs.plan import Others, Parts, make_plan

if TYPE_CHECKING:
    from graphmemix_bench.runs.plan import Plan


def baselines(
    *,
    dataset: DatasetOption,
    data: DataOption = None,
    only: Annotated[
        list[str] | None,
        typer.Option(help=f"One of {', '.join(BASELINES)}; may be repeated."),
    ] = None,
    contexts: ContextsOption = None,
    questions: QuestionsOption = None,
    seed: SeedOption = None,
    out: Annotated[
        Path | None, typer.Option(help="Keep the run in this folder, to resume it.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the comparison into this PNG.")] = None,
    cache: CacheOption = None,
    baseline_set: BaselineSetOption = None,
    override: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare the evidence that we find with that of other systems, without any language model.

    All get the same memories, captions, encoder and budget. With a model, `bench run --baseline`
    compares answers too.
    """
    settings = settings_from(None, override)
    plan = make_plan(
        dataset,
        data_folder(dataset, data),
        Parts(encoder_of(settings.encoder.model), settings),
        contexts=contexts or (),
        questions=questions,
        seed=seed,
        rungs=OURS,
        selectors=False,
        others=Others(
            names_of(only or ("all",), model=False),
            BaselineOptions().changed(pairs_of(baseline_set).items()),
            with_model=False,
        ),
    )
    with tempfile.TemporaryDirectory(prefix="graphmemix-bench-") as temporary:
        folder = out or Path(temporary)
        carry_out(plan, folder, cache, kept=out is not None)
        found = baselines_report(folder)
    if plot is not None:
        from graphmemix_bench.reports.panels import draw_others

        picture = draw_others([found])
        with open_binary(plot) as stream:
            stream.write(picture)
    if as_json:
        say(json.dumps(found))
    else:
        _show(found)


def _show(found: dict[str, Any]) -> None:
    budget = found["budget"]
    screen = console()
    counts = f"{len(found['contexts'])} contexts, {found['questions']} questions with gold"
    screen.print(f"{found['dataset']}: {counts}; encoder {found['encoder']}")
    metrics = [f"{name}_at_{budget}" for name in ("recall", "hit", "all")]
    table = Table(
        "system",
        *(f"{name}@{budget}" for name in ("Recall", "Hit", "All")),
        "forest less this, All",
        "store s",
        "question ms",
        box=None,
    )
    for row in found["rows"]:
        gap = row.get("forest_less_this", {}).get(metrics[-1])
        table.add_row(
            row["name"] + (" (bound)" if row["kind"] == "bound" else ""),
            *(f"{row[key]:.1f} {_interval(row['intervals'][key])}" for key in metrics),
            "" if gap is None else f"{gap[0]:+.1f} {_interval(gap[1:])}",
            f"{row['store_seconds']:.1f}",
            f"{row['question_ms']:.1f}",
        )
    screen.print(table)
    for row in found["rows"]:
        if row["differs"]:
            screen.print(f"{row['name']}: {row['differs']}")


def _interval(ends: list[float]) -> str:
    return f"\\[{ends[0]:.1f}, {ends[1]:.1f}]"  # escaped: brackets are markup


def expected_calls(plan: Plan) -> None:
    """Print the calls that the other systems of a plan are expected to make."""
    memories = sum(len(context.memories) for context in plan.contexts)
    table = Table("system", "construction", "a question, reader apart", box=None)
    for baseline in plan.baselines():
        made = expected(baseline.head, memories, len(plan.contexts), plan.others.options)
        table.add_row(baseline.head.title, *made)
    table.add_row("GraphMemix", "0", "2, or 1 without eligible links")
    console().print(table)
