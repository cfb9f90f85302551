"""``graphmemix calibrate``: fit the local verifier to labelled questions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from graphmemix.bench.calibration import calibrate, told
from graphmemix.bench.places import default_cache
from graphmemix.cli.options import settings_from
from graphmemix.encode.specs import encoder_of
from graphmemix.errors import InvalidInputError


def command(
    *,
    data: Annotated[
        list[str],
        typer.Option(help="DATASET=FOLDER, such as locomo=~/locomo; may be repeated."),
    ],
    out: Annotated[Path, typer.Option(help="Where the coefficients are written.")] = Path(
        "local-verifier.json"
    ),
    plot: Annotated[
        Path | None, typer.Option(help="Also draw the reliability into this PNG file.")
    ] = None,
    encoder: Annotated[str, typer.Option(help="The encoder to fit them for.")] = "minilm",
    cache: Annotated[Path | None, typer.Option(help="Where vectors are kept between runs.")] = None,
    override: Annotated[
        list[str] | None, typer.Option("--set", help="KEY=VALUE, such as local.edge_share=0.5.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False,
) -> None:
    """Fit the local verifier to questions with gold evidence, and say how well it does.

    Figures are leave-contexts-out: each context is judged by coefficients that never saw it. Use
    the file with --set local.model_file=FILE.
    """
    progress = Console(stderr=True)
    result = calibrate(
        _folders(data),
        encoder=encoder_of(encoder),
        cache=cache or default_cache(),
        settings=settings_from(None, override),
        report=lambda text: progress.print(text, style="dim", markup=False),
    )
    result.model.save(out)
    if plot is not None:
        from graphmemix.bench.reports.plots import draw_reliability

        curves = {"evidence": result.nodes}
        if result.answerable is not None:
            curves["answerable"] = result.answerable
        plot.write_bytes(draw_reliability(curves))
    if as_json:
        typer.echo(json.dumps(told(result)))
        return
    table = Table("leave-contexts-out", "", box=None)
    for name, value in result.figures.items():
        table.add_row(name, f"{value:g}")
    console = Console(soft_wrap=True)
    console.print(table)
    console.print(f"Coefficients: {out}  (use them with --set local.model_file={out})")


def _folders(data: list[str]) -> dict[str, Path]:
    folders: dict[str, Path] = {}
    for text in data:
        name, equals, folder = text.partition("=")
        if not equals or not folder:
            raise InvalidInputError(f"--data {text!r}: write DATASET=FOLDER")
        if name in folders:
            raise InvalidInputError(f"--data {name}: is given twice")
        folders[name] = Path(folder).expanduser()
    return folders
