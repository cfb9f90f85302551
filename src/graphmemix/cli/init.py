"""``graphmemix init``: a new, empty archive."""

from __future__ import annotations

import json

from graphmemix.archive import Archive
from graphmemix.cli.options import ArchiveArgument, JsonOption
from graphmemix.cli.output import open_existing, out, shown
from graphmemix.cli.terminal import say
from graphmemix.errors import ArchiveNotFoundError


def command(
    archive: ArchiveArgument,
    *,
    as_json: JsonOption = False,
) -> None:
    """Make an empty archive. One that is there already is left as it is.

    Example: graphmemix init ~/archives/family
    """
    try:
        with open_existing(archive) as there:
            made, memories = False, there.store.count()
    except ArchiveNotFoundError:
        with Archive.open(archive, mode="write"):
            made, memories = True, 0
    if as_json:
        say(json.dumps({"archive": shown(archive), "made": made, "memories": memories}))
        return
    if made:
        told = f"{shown(archive)} is ready. Fill it with: graphmemix ingest ARCHIVE FILES"
    else:
        told = f"{shown(archive)} is there already, with {memories} memories; nothing was changed."
    out().print(told, markup=False)
