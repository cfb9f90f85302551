"""``graphmemix encode``: computes vectors in advance, with many workers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphmemix.cli import completion
from graphmemix.cli.options import EncoderOption, JsonOption, SetOption, settings_from
from graphmemix.cli.output import counted, interruptible, out, progress
from graphmemix.cli.terminal import say
from graphmemix.encode.batch import encode_archives


def command(
    archives: Annotated[
        list[str],
        typer.Argument(
            metavar="ARCHIVE",
            help="Archives: folders, or postgresql://…/database#NAME.",
            autocompletion=completion.archives,
        ),
    ],
    *,
    into: Annotated[Path, typer.Option(help="Folder for the vectors; created if missing.")],
    encoder: EncoderOption = None,
    workers: Annotated[
        int,
        typer.Option(help="Ray processes; 0: this process only, or all cores of --address.", min=0),
    ] = 0,
    address: Annotated[
        str | None, typer.Option(help="Address of a Ray cluster, such as auto.", show_default=False)
    ] = None,
    cpus: Annotated[float, typer.Option(help="CPU cores per worker.")] = 1.0,
    gpus: Annotated[float, typer.Option(help="GPUs per worker.")] = 0.0,
    override: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Encode the contents of archives into a folder of vectors; the archives are not changed.

    `reencode`, `ingest` and `rebuild` then use them with the encoder prepared:FOLDER. Run again to
    encode only what is missing.

    Example: graphmemix encode ~/archives/* --into vectors --encoder clip:/models/clip --workers 8
    """
    with (
        interruptible(f"Vectors so far are in {into}; run the command again to continue."),
        progress("encoding") as on_progress,
    ):
        report = encode_archives(
            archives,
            into,
            encoder=encoder,
            workers=workers,
            address=address,
            cpus=cpus,
            gpus=gpus,
            settings=settings_from(None, override),
            progress=on_progress,
        )
    if as_json:
        say(report.to_json())
        return
    unreadable = f", {report.unreadable} unreadable" if report.unreadable else ""
    out().print(
        f"{counted(report.encoded, 'content')} encoded with {report.encoder}, {report.there} known "
        f"already{unreadable}.\nNext: graphmemix reencode ARCHIVE --encoder prepared:{into}",
        markup=False,
    )
