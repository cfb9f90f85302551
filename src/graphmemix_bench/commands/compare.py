"""``graphmemix bench compare``: several runs on one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphmemix.cli.options import JsonOption
from graphmemix.cli.terminal import say
from graphmemix.errors import InvalidInputError
from graphmemix_bench.commands.options import PlotsOption, console
from graphmemix_bench.reports.compare import compare_runs, compared_tables, write_compared
from graphmemix_bench.reports.terminal import show_table
from graphmemix_bench.runs.report import read_results


def compare(
    *,
    folders: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of runs.")],
    out: Annotated[Path | None, typer.Option(help="Write compare.{json,md,html} here.")] = None,
    plots: PlotsOption = True,
    as_json: JsonOption = False,
) -> None:
    """Compare runs: means over data sets, paired differences, merged swap trace, lifecycles."""
    names = [folder.name or str(folder) for folder in folders]
    if len(set(names)) < len(names):
        raise InvalidInputError("two runs have folders of the same name; rename one")
    found = compare_runs(
        {name: read_results(folder) for name, folder in zip(names, folders, strict=True)}
    )
    if out is not None:
        write_compared(found, out, plots=plots)
    if as_json:
        say(found.to_json())
        return
    screen = console()
    for table in compared_tables(found):
        show_table(table, screen)
