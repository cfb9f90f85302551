"""``graphmemix update``: changes a memory; its history keeps the old version."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Annotated, Any

import typer

from graphmemix.cli.ids import memory_named
from graphmemix.cli.options import (
    ArchiveArgument,
    EncoderOption,
    IdArgument,
    JsonOption,
    SetOption,
    moment,
    settings_from,
)
from graphmemix.cli.output import interruptible, open_existing, out, read_text
from graphmemix.cli.terminal import say
from graphmemix.errors import InvalidInputError
from graphmemix.memory import Memory, Place


def command(
    archive: ArchiveArgument,
    memory_id: IdArgument,
    *,
    text: Annotated[str | None, typer.Option(help="New text.")] = None,
    speaker: Annotated[str | None, typer.Option(help="New author.")] = None,
    when: Annotated[str | None, typer.Option(metavar="DATE", help="New time.")] = None,
    place: Annotated[str | None, typer.Option(help="New name of the place.")] = None,
    session: Annotated[str | None, typer.Option(help="New conversation or album.")] = None,
    whole: Annotated[
        str | None,
        typer.Option(
            "--from", help="File with the whole memory, as `show --json` prints it; - for stdin."
        ),
    ] = None,
    encoder: EncoderOption = None,
    override: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Change a memory. `history` keeps the old version; search finds the new one immediately.

    Example: graphmemix update ~/archives/family 5f1c0e0c --place "Lake Como"
    """
    named = {"text": text, "speaker": speaker, "session": session}
    changes: dict[str, Any] = {name: value for name, value in named.items() if value is not None}
    if when is not None:
        changes["timestamp"] = moment("--when", when)
    if (whole is None) == (not changes and place is None):
        raise InvalidInputError("say what to change: --text, --speaker, --when, …, or --from FILE")
    settings = settings_from(None, override)
    again = interruptible("Run the command again to be sure that the change is stored.")
    with (
        again,
        open_existing(archive, mode="write", encoder=encoder, settings=settings) as opened,
    ):
        memory_id = memory_named(opened.store, memory_id)
        before = opened.get(memory_id)
        if place is not None:
            changes["place"] = replace(before.place or Place(), name=place)
        after = replace(before, **changes) if whole is None else _whole(whole, memory_id)
        version = opened.update(after)
    if as_json:
        result = {"id": memory_id, "version": version, "changed": before != after}
        say(json.dumps(result))
    elif before == after:
        out().print(f"{memory_id} is unchanged (version {version}).", markup=False)
    else:
        out().print(f"{memory_id} is now version {version}.", markup=False)


def _whole(source: str, memory_id: str) -> Memory:
    memory = Memory.from_json(_without_about(read_text(source)))
    if memory.id != memory_id:
        raise InvalidInputError(f"{source}: contains memory {memory.id!r}, not {memory_id!r}")
    return memory


def _without_about(text: str) -> str:
    """Return a line of `show --json` without the days, which are worked out from the memory."""
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        return text  # the memory's own reader says what is wrong
    if not isinstance(fields, dict) or "about" not in fields:
        return text
    del fields["about"]
    return json.dumps(fields, ensure_ascii=False)
