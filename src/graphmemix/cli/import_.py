"""``graphmemix import``: a folder that ``export`` wrote, into an archive."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from graphmemix.archive import Archive
from graphmemix.cli.options import ArchiveArgument, JsonOption
from graphmemix.cli.output import interruptible, out, progress, shown
from graphmemix.cli.terminal import say
from graphmemix.errors import InvalidInputError
from graphmemix.store import import_archive


def command(
    archive: ArchiveArgument,
    folder: Annotated[Path, typer.Argument(help="What `export` wrote.", show_default=False)],
    *,
    as_json: JsonOption = False,
) -> None:
    """Read an export into an archive; it is made if it is not there.

    The whole folder is checked before anything is imported.

    Example: graphmemix import postgresql://localhost/memories#family family-export
    """
    if not (folder / "manifest.json").is_file():  # before an archive is made for nothing
        raise InvalidInputError(
            f"{folder}: is not an export (no manifest.json); for other files use ingest"
        )
    with (
        interruptible("What came so far is kept; the same command again goes on."),
        Archive.open(archive) as opened,
        progress("importing") as told,
    ):
        new = import_archive(folder, opened.store, progress=told)
        total = opened.store.count()
    if as_json:
        say(json.dumps({"new": new, "memories": total}))
    else:
        out().print(f"{new} memories came; {shown(archive)} has {total}.", markup=False)
