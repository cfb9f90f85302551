"""``graphmemix init``: a new, empty archive."""

from __future__ import annotations

import json
import shlex

from graphmemix.archive import Archive
from graphmemix.cli.options import ArchiveArgument, JsonOption
from graphmemix.cli.output import counted, open_existing, out, shown
from graphmemix.cli.terminal import say
from graphmemix.errors import ArchiveNotFoundError


def command(
    archive: ArchiveArgument,
    *,
    as_json: JsonOption = False,
) -> None:
    """Create an empty archive. An existing archive is not changed.

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
        fill = f"graphmemix ingest {shlex.quote(shown(archive))} FILES"
        message = f"Created {shown(archive)}. Fill it with: {fill}"
    else:
        message = f"{shown(archive)} already exists, with {counted(memories, 'memory')}."
    out().print(message, markup=False)
