"""``graphmemix bench``: claims as commands that anybody can run."""

from __future__ import annotations

import json

import typer
from rich.table import Table

from graphmemix.cli.options import CacheOption, JsonOption, SetOption, settings_from
from graphmemix.cli.output import out, reporter
from graphmemix.cli.terminal import say
from graphmemix.encode.minilm import MiniLmEncoder
from graphmemix_bench.commands import runs as bench_run
from graphmemix_bench.evidence import run as evidence_bench
from graphmemix_bench.paths import data_folder, default_cache

app = typer.Typer(no_args_is_help=True, help="Measure on benchmark data.")

app.command("run")(bench_run.run)
app.command("ladder")(bench_run.ladder)
app.command("selectors")(bench_run.selectors)
app.command("report")(bench_run.report)


@app.callback()
def _group() -> None:
    """Measure on benchmark data."""


@app.command()
def evidence(
    *,
    dataset: bench_run.DatasetOption,
    data: bench_run.DataOption = None,
    contexts: bench_run.ContextsOption = None,
    cache: CacheOption = None,
    override: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """How much of the gold evidence each view and each signal finds, step by step."""
    report = evidence_bench.run(
        dataset,
        data_folder(dataset, data),
        encoder=MiniLmEncoder(),
        cache=cache or default_cache(),
        contexts=contexts or (),
        settings=settings_from(None, override),
        report=reporter(),
    )
    if as_json:
        say(json.dumps(report))
        return
    head, *rows = evidence_bench.table(report)
    table = Table(*head, box=None)
    for row in rows:
        table.add_row(*row)
    console = out()
    console.print(f"{dataset}: {len(report['contexts'])} contexts, {report['questions']} questions")
    console.print(table)
