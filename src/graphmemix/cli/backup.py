"""``graphmemix backup``: a copy of the archive as it is at this moment."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from graphmemix.cli.options import ArchiveArgument, JsonOption
from graphmemix.cli.output import counted, err, interruptible, open_existing, out
from graphmemix.cli.terminal import say


def command(
    archive: ArchiveArgument,
    folder: Annotated[Path, typer.Argument(help="New folder for the copy.", show_default=False)],
    *,
    as_json: JsonOption = False,
) -> None:
    """Copy the archive while others keep reading and writing.

    The backup of a folder is itself an archive. The backup of a PostgreSQL archive is an export;
    restore it with `import`.

    Run again with the same folder to check that the copy is complete and unchanged.

    Example: graphmemix backup ~/archives/family /media/disk/family-2026-05-01
    """
    console = err()
    with (
        interruptible(f"{folder} was removed; run the command again."),
        open_existing(archive) as opened,
        console.status("copying"),
    ):
        memories = opened.store.count()
        written = opened.store.backup(folder)
    if as_json:
        result = {"folder": str(folder), "memories": memories, "already_there": not written}
        say(json.dumps(result))
    elif not written:
        out().print(
            f"{folder} is already complete: {counted(memories, 'memory')}, unchanged.", markup=False
        )
    else:
        out().print(f"Copied {counted(memories, 'memory')} to {folder}.", markup=False)
