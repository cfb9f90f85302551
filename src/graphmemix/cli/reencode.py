"""``graphmemix reencode``: switches an archive to another encoder."""

from __future__ import annotations

import json

from graphmemix.cli.options import (
    ArchiveArgument,
    EncoderOption,
    JsonOption,
    SetOption,
    settings_from,
)
from graphmemix.cli.output import interruptible, open_existing, out, progress, shown
from graphmemix.cli.terminal import say


def command(
    archive: ArchiveArgument,
    *,
    encoder: EncoderOption = None,
    override: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Switch the archive to another encoder; the old vectors are used until the switch.

    Afterwards set encoder.model in your settings, so that other commands use it too.

    Example: graphmemix reencode ~/archives/family --encoder clip:/models/clip
    """
    settings = settings_from(None, override)
    with (
        interruptible("The old vectors are still used; run the command again to continue."),
        open_existing(archive, mode="write", encoder=encoder, settings=settings) as opened,
        progress("encoding") as on_progress,
    ):
        before = opened.store.encoder()
        opened.reencode(progress=on_progress)
        now = opened.store.encoder()
    if as_json:
        say(json.dumps({"before": before, "encoder": now}))
    else:
        was = "" if before in {None, now} else f" (before: {before})"
        out().print(f"{shown(archive)} is encoded with {now or 'nothing yet'}{was}.", markup=False)
