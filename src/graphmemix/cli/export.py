"""``graphmemix export``: the whole archive in a format that people and every store can read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from graphmemix.cli.options import ArchiveArgument, JsonOption
from graphmemix.cli.output import counted, interruptible, open_existing, out, progress
from graphmemix.cli.terminal import say
from graphmemix.store import export_archive


def command(
    archive: ArchiveArgument,
    folder: Annotated[Path, typer.Argument(help="New folder for the export.", show_default=False)],
    *,
    as_json: JsonOption = False,
) -> None:
    """Export the archive, with its history, files and vectors, into a new folder.

    Run again with the same folder to check that the export is complete and unchanged.

    Example: graphmemix export ~/archives/family /media/disk/family-export
    """
    with (
        interruptible(f"{folder} was removed; run the command again."),
        open_existing(archive) as opened,
        progress("exporting") as on_progress,
    ):
        memories = opened.store.count()
        written = export_archive(opened.store, folder, progress=on_progress)
    if as_json:
        result = {"folder": str(folder), "memories": memories, "already_there": not written}
        say(json.dumps(result))
    elif not written:
        out().print(
            f"{folder} is already complete: {counted(memories, 'memory')}, unchanged.", markup=False
        )
    else:
        out().print(f"Exported {counted(memories, 'memory')} to {folder}.", markup=False)
