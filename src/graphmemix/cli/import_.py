"""``graphmemix import``: reads a folder written by ``export`` into an archive."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from graphmemix.archive import Archive
from graphmemix.cli.options import ArchiveArgument, JsonOption
from graphmemix.cli.output import counted, interruptible, out, progress, shown
from graphmemix.cli.terminal import say
from graphmemix.errors import InvalidInputError
from graphmemix.store import import_archive


def command(
    archive: ArchiveArgument,
    folder: Annotated[Path, typer.Argument(help="Folder written by `export`.", show_default=False)],
    *,
    as_json: JsonOption = False,
) -> None:
    """Import an export into an archive, which is created if it does not exist.

    The whole folder is checked before anything is imported.

    Example: graphmemix import postgresql://localhost/memories#family family-export
    """
    if not (folder / "manifest.json").is_file():  # before an archive is created in vain
        raise InvalidInputError(
            f"{folder}: not an export (no manifest.json); use ingest for other files"
        )
    with (
        interruptible("Memories so far are kept; run the command again to continue."),
        Archive.open(archive) as opened,
        progress("importing") as on_progress,
    ):
        new = import_archive(folder, opened.store, progress=on_progress)
        total = opened.store.count()
    if as_json:
        say(json.dumps({"new": new, "memories": total}))
    else:
        out().print(
            f"Imported {counted(new, 'memory')}; {shown(archive)} now has {total}.", markup=False
        )
