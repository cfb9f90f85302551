"""``graphmemix index``: encodes what an ingestion stored and left for later."""

from __future__ import annotations

import json

import typer

from graphmemix.cli.ingest_progress import ProgressBars
from graphmemix.cli.options import (
    ArchiveArgument,
    EncoderOption,
    JsonOption,
    SetOption,
    settings_from,
)
from graphmemix.cli.output import counted, duration, err, open_existing, open_in_turn, out
from graphmemix.cli.signals import Stop, stopping
from graphmemix.cli.terminal import say
from graphmemix.ingest.encoding import encode_after
from graphmemix.ingest.report import IngestReport


def command(
    archive: ArchiveArgument,
    *,
    encoder: EncoderOption = None,
    override: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Encode memories that were stored and not encoded yet, newest first.

    It may be interrupted at any time, and goes on where it stopped. Others may use the archive
    meanwhile. At the end it rewrites a large database if an erasure left that for later.

    Example: graphmemix index ~/archives/family
    """
    settings = settings_from(None, override)
    stop, console = Stop(), err()
    open_existing(archive, encoder=encoder, settings=settings).close()  # never makes one
    with (
        stopping(stop, console),
        ProgressBars(console) as bars,
        open_in_turn(archive, mode="shared", encoder=encoder, settings=settings) as opened,
    ):
        pending = opened.store.count_without_vectors
        waiting = IngestReport(pending=pending())
        done = encode_after(waiting, opened.index, pending, progress=bars.show, stop=stop)
        if not done.interrupted:
            opened.store.compact()
    if as_json:
        say(json.dumps({"encoded": done.indexed, "pending": done.pending}))
    else:
        out().print(f"{counted(done.indexed, 'memory')} encoded in {duration(done.seconds)}.")
    if done.interrupted:
        console.print("Stopped. What was encoded is kept; run the command again to continue.")
        raise typer.Exit(128 + stop.signal)
