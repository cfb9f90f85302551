"""``graphmemix list``: memories by time."""

from __future__ import annotations

from typing import Annotated, Any, get_args

import typer

from graphmemix.cli.options import ArchiveArgument, JsonOption, moment
from graphmemix.cli.output import err, one_line, open_existing, out, show_rows
from graphmemix.cli.terminal import say
from graphmemix.encode.views import all_words
from graphmemix.errors import InvalidInputError
from graphmemix.memory import Kind, Memory, Modality
from graphmemix.store.protocol import Filter
from graphmemix.text.dates.zones import shown_in

_SHOWN = 80  # characters of a memory


def command(
    archive: ArchiveArgument,
    *,
    since: Annotated[str | None, typer.Option(help="From this time on (ISO).")] = None,
    until: Annotated[str | None, typer.Option(help="Before this time (ISO).")] = None,
    kind: Annotated[list[str] | None, typer.Option(help="Such as photo; repeatable.")] = None,
    modality: Annotated[list[str] | None, typer.Option(help="Such as image; repeatable.")] = None,
    source: Annotated[list[str] | None, typer.Option(help="Such as mail; repeatable.")] = None,
    session: Annotated[
        list[str] | None, typer.Option(help="Conversation or album; repeatable.")
    ] = None,
    speaker: Annotated[list[str] | None, typer.Option(help="Author; repeatable.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="Most memories to list.")] = 50,
    after: Annotated[
        str | None, typer.Option(help="Continue after the memory with this id.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List memories by time; those without a time come last.

    Example: graphmemix list ~/archives/family --kind photo --since 2024-07-01
    """
    wanted = Filter(
        since=moment("--since", since),
        until=moment("--until", until),
        kinds=_among("--kind", kind, get_args(Kind)),
        modalities=_among("--modality", modality, get_args(Modality)),
        sessions=tuple(session or ()),
        sources=tuple(source or ()),
        speakers=tuple(speaker or ()),
    )
    with open_existing(archive) as opened:
        memories = opened.find(wanted, limit=limit, after=after)
        total = opened.store.count(wanted)
        zone = opened.settings.ingest.zone
    if as_json:
        for memory in memories:
            say(memory.to_json())
        return
    show_rows(out(), ("id", "when", "kind", "by", "text"), (_row(each, zone) for each in memories))
    more = f"; more with --after {memories[-1].id}" if len(memories) == limit < total else ""
    err().print(f"{len(memories)} of {total} memories{more}", markup=False)


def _among(option: str, chosen: list[str] | None, known: tuple[Any, ...]) -> tuple[Any, ...]:
    for each in chosen or ():
        if each not in known:
            raise InvalidInputError(f"{option}: {each!r} is not one of {', '.join(known)}")
    return tuple(each for each in known if each in (chosen or ()))


def _row(memory: Memory, zone: str) -> tuple[str, ...]:
    when = f"{shown_in(memory.timestamp, zone):%Y-%m-%d %H:%M}" if memory.timestamp else ""
    words = all_words(memory) or ", ".join(medium.name for medium in memory.media)
    return (
        memory.id,
        when,
        memory.kind,
        one_line(memory.speaker or "", _SHOWN),
        one_line(words, _SHOWN),
    )
