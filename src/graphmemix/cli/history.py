"""``graphmemix history``: earlier versions of a memory."""

from __future__ import annotations

from dataclasses import fields

from graphmemix.cli.ids import memory_named
from graphmemix.cli.options import ArchiveArgument, IdArgument, JsonOption
from graphmemix.cli.output import one_line, open_existing, out
from graphmemix.cli.terminal import say
from graphmemix.memory import Memory
from graphmemix.store.protocol import Version

_SHOWN = 70  # characters of a value


def command(
    archive: ArchiveArgument,
    memory_id: IdArgument,
    *,
    as_json: JsonOption = False,
) -> None:
    """Show all versions of a memory, oldest first, and what each one changed.

    Example: graphmemix history ~/archives/family 5f1c0e0c
    """
    with open_existing(archive) as opened:
        versions = opened.store.history(memory_named(opened.store, memory_id))
    if as_json:
        for version in versions:
            say(version.to_json())
        return
    console = out()
    before: Version | None = None
    for version in versions:
        state = "current"
        if version.replaced_at is not None:
            state = f"until {version.replaced_at:%Y-%m-%d %H:%M:%S %Z}"
        console.print(f"version {version.number}, {state}", markup=False)
        if before is None:
            console.print(f"  {one_line(version.memory.text, _SHOWN)}", markup=False)
        else:
            for line in _changes(before.memory, version.memory):
                console.print(f"  {line}", markup=False)
        before = version


def _changes(before: Memory, after: Memory) -> list[str]:
    changes = []
    for name in (field.name for field in fields(Memory)):
        was, now = getattr(before, name), getattr(after, name)
        if was != now:
            changes.append(f"{name}: {_short(was)} → {_short(now)}")
    return changes


def _short(value: object) -> str:
    return "nothing" if value in (None, "", ()) else one_line(str(value), _SHOWN)
