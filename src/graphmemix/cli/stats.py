"""``graphmemix stats``: counts what an archive holds."""

from __future__ import annotations

from collections.abc import Mapping

from rich.table import Table

from graphmemix.cli.options import ArchiveArgument, JsonOption
from graphmemix.cli.output import counted, open_existing, out
from graphmemix.cli.terminal import say, visible


def command(
    archive: ArchiveArgument,
    *,
    as_json: JsonOption = False,
) -> None:
    """Count memories, versions, views, vectors, links and files.

    Example: graphmemix stats ~/archives/family --json
    """
    with open_existing(archive) as opened:
        stats = opened.store.stats()
        encoder = opened.store.encoder()
        pending = opened.store.count_without_vectors()
    if as_json:
        say(stats.to_json())
        return
    span = ""
    if stats.first is not None and stats.last is not None:
        span = f", {stats.first:%Y-%m-%d} to {stats.last:%Y-%m-%d}"
    lines = [
        ("memories", f"{stats.memories:,} in {counted(stats.versions, 'version')}{span}"),
        ("kinds", _counts(stats.kinds)),
        ("sources", _counts(stats.sources)),
        ("views", _counts(stats.views)),
        ("vectors", _counts(stats.vectors)),
        ("links", _counts(stats.edges)),
        ("files", f"{stats.media_files:,} ({stats.media_bytes / 1e6:,.1f} MB)"),
        ("database", f"{stats.database_bytes / 1e6:,.1f} MB"),
        ("encoder", encoder or "none yet"),
        ("pending", f"{pending:,} not encoded yet" if pending else ""),
    ]
    console = out()
    table = Table.grid(padding=(0, 2, 0, 0))
    for name, value in lines:
        if value:
            table.add_row(name, visible(value.replace("_", " ")))
            if not console.is_terminal:
                console.print(f"{name:<9} {visible(value)}", markup=False)
    if console.is_terminal:
        console.print(table, soft_wrap=False)


def _counts(counts: Mapping[str, int]) -> str:
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{count:,} {name or 'unnamed'}" for name, count in ranked)
