"""``graphmemix rebuild``: derives everything again from the memories."""

from __future__ import annotations

import json

from graphmemix.cli.options import (
    ArchiveArgument,
    EncoderOption,
    JsonOption,
    ProfileOption,
    SetOption,
    settings_from,
)
from graphmemix.cli.output import counted, interruptible, open_existing, out, progress
from graphmemix.cli.terminal import say


def command(
    archive: ArchiveArgument,
    *,
    encoder: EncoderOption = None,
    profile: ProfileOption = None,
    override: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Rebuild views, vectors, word lists and links, for example after changing view settings.

    Memories are not changed. The archive can be asked meanwhile.

    Example: graphmemix rebuild ~/archives/family --set views.chunk_characters=600
    """
    settings = settings_from(profile, override)
    with (
        interruptible("The archive is usable; run rebuild again to finish."),
        open_existing(archive, mode="write", encoder=encoder, settings=settings) as opened,
        progress("rebuilding") as on_progress,
    ):
        opened.rebuild(progress=on_progress)
        memories = opened.store.count()
    if as_json:
        say(json.dumps({"memories": memories}))
    else:
        out().print(f"Rebuilt everything derived from {counted(memories, 'memory')}.")
