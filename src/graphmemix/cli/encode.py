"""``graphmemix encode``: vectors made ahead, by many workers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphmemix.cli.options import EncoderOption, JsonOption, SetOption, settings_from
from graphmemix.cli.output import interruptible, out, progress
from graphmemix.cli.terminal import say
from graphmemix.encode.batch import encode_archives


def command(
    archives: Annotated[
        list[str], typer.Argument(help="Folders, or postgresql://…/database#NAME.")
    ],
    *,
    into: Annotated[Path, typer.Option(help="Folder of vectors; made if it is not there.")],
    encoder: EncoderOption = None,
    workers: Annotated[
        int, typer.Option(help="Processes of Ray; 0 for this one, or all of --address.", min=0)
    ] = 0,
    address: Annotated[
        str | None, typer.Option(help="Of a running Ray cluster, such as auto.", show_default=False)
    ] = None,
    cpus: Annotated[float, typer.Option(help="Cores of each worker.")] = 1.0,
    gpus: Annotated[float, typer.Option(help="GPUs of each worker.")] = 0.0,
    override: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Encode all that archives hold into a folder of vectors; the archives stay as they are.

    Then `reencode`, `ingest` and `rebuild` take them up with the encoder prepared:FOLDER. The same
    command again encodes only what is missing.

    Example: graphmemix encode ~/archives/* --into vectors --encoder clip:/models/clip --workers 8
    """
    with (
        interruptible(f"What is encoded is in {into}; the same command again goes on."),
        progress("encoding") as told,
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
            progress=told,
        )
    if as_json:
        say(report.to_json())
        return
    unreadable = f"; {report.unreadable} cannot be read" if report.unreadable else ""
    out().print(
        f"{report.encoded} contents encoded with {report.encoder}; {report.there} were there, or "
        f"occur again{unreadable}.\nNext: graphmemix reencode ARCHIVE --encoder prepared:{into}",
        markup=False,
    )
