"""``graphmemix backup``: a copy of the archive as it is at this moment."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from graphmemix.cli.options import ArchiveArgument, JsonOption
from graphmemix.cli.output import err, interruptible, open_existing, out
from graphmemix.cli.terminal import say


def command(
    archive: ArchiveArgument,
    folder: Annotated[Path, typer.Argument(help="A new folder.", show_default=False)],
    *,
    as_json: JsonOption = False,
) -> None:
    """Copy the archive while others go on reading and writing.

    The copy of a folder is an archive: open it, or move it back. That of a PostgreSQL archive is an
    export, for `import`.

    Repeated with the same folder, it checks that the copy is whole and still the same.

    Example: graphmemix backup ~/archives/family /media/disk/family-2026-05-01
    """
    console = err()
    with (
        interruptible(f"{folder} was removed again; repeat the command."),
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
            f"{folder} was complete already: its {memories} memories are the same.", markup=False
        )
    else:
        out().print(f"{memories} memories are safe in {folder}.", markup=False)
