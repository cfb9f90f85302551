"""``graphmemix export``: the whole archive as a folder that any store, and people, can read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from graphmemix.cli.options import ArchiveArgument, JsonOption
from graphmemix.cli.output import interruptible, open_existing, out, progress
from graphmemix.cli.terminal import say
from graphmemix.store import export_archive


def command(
    archive: ArchiveArgument,
    folder: Annotated[Path, typer.Argument(help="A new folder.", show_default=False)],
    *,
    as_json: JsonOption = False,
) -> None:
    """Write the archive, with its history, files and vectors, into a new folder.

    Repeated with the same folder, it checks that the export is whole and still the same.

    Example: graphmemix export ~/archives/family /media/disk/family-export
    """
    with (
        interruptible(f"{folder} was removed again; repeat the command."),
        open_existing(archive) as opened,
        progress("exporting") as told,
    ):
        memories = opened.store.count()
        written = export_archive(opened.store, folder, progress=told)
    if as_json:
        result = {"folder": str(folder), "memories": memories, "already_there": not written}
        say(json.dumps(result))
    elif not written:
        out().print(
            f"{folder} was complete already: its {memories} memories are the same.", markup=False
        )
    else:
        out().print(f"{memories} memories are in {folder}.", markup=False)
