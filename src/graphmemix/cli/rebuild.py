"""``graphmemix rebuild``: everything derived, made anew from the memories."""

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
from graphmemix.cli.output import interruptible, open_existing, out, progress
from graphmemix.cli.terminal import say


def command(
    archive: ArchiveArgument,
    *,
    encoder: EncoderOption = None,
    profile: ProfileOption = None,
    override: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make views, vectors, word lists and links anew, such as after other settings of views.

    Memories are only read. Others may ask the archive meanwhile.

    Example: graphmemix rebuild ~/archives/family --set views.chunk_characters=600
    """
    settings = settings_from(profile, override)
    with (
        interruptible("The archive can be used; run rebuild again to make all of it anew."),
        open_existing(archive, mode="write", encoder=encoder, settings=settings) as opened,
        progress("rebuilding") as told,
    ):
        opened.rebuild(progress=told)
        memories = opened.store.count()
    if as_json:
        say(json.dumps({"memories": memories}))
    else:
        out().print(f"Everything derived from {memories} memories is new.")
