"""``graphmemix list``: memories by time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, get_args

import typer

from graphmemix.cli import completion
from graphmemix.cli.ids import memory_named, short_ids
from graphmemix.cli.options import (
    WHICH,
    ArchiveArgument,
    JsonOption,
    KindOption,
    NearOption,
    PersonOption,
    SessionOption,
    SinceOption,
    UntilOption,
    filter_from,
    wanted_by,
)
from graphmemix.cli.output import counted, err, one_line, open_existing, out
from graphmemix.cli.tables import show_rows
from graphmemix.cli.terminal import say
from graphmemix.encode.views import all_words
from graphmemix.errors import InvalidInputError
from graphmemix.memory import Memory, Modality
from graphmemix.store.protocol import Filter
from graphmemix.text.dates.zones import shown_in

_SHOWN = 80  # characters of a memory


def command(
    archive: ArchiveArgument,
    *,
    since: SinceOption = None,
    until: UntilOption = None,
    kind: KindOption = None,
    person: PersonOption = None,
    near: NearOption = None,
    session: SessionOption = None,
    modality: Annotated[
        list[str] | None,
        typer.Option(help="With this medium, such as image; repeatable.", rich_help_panel=WHICH),
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option(
            help="Read by this importer, such as mail; repeatable.",
            rich_help_panel=WHICH,
            autocompletion=completion.importers,
        ),
    ] = None,
    speaker: Annotated[
        list[str] | None,
        typer.Option(help="By exactly this author; repeatable.", rich_help_panel=WHICH),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="Most memories to list.")] = 50,
    after: Annotated[
        str | None, typer.Option(metavar="ID", help="Continue after this memory.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List memories by time; those without a time come last.

    Example: graphmemix list ~/archives/family --kind photo --since "last summer"
    """
    wanted = wanted_by(since, until, kind, person, near, session)
    exact = Filter(
        modalities=_among("--modality", modality, get_args(Modality)),
        sources=tuple(source or ()),
        speakers=tuple(speaker or ()),
    )
    console = out()
    with open_existing(archive) as opened:
        filter = filter_from(opened, wanted, exact)
        last = None if after is None else memory_named(opened.store, after)
        memories = opened.find(filter, limit=limit, after=last)
        total = opened.store.count(filter)
        zone = opened.settings.ingest.zone
        named = [memory.id for memory in memories]
        ids = short_ids(opened.store, named) if console.is_terminal else {}
    if as_json:
        for memory in memories:
            say(memory.to_json())
        return
    if memories:
        rows = [_row(each, zone, ids) for each in memories]
        show_rows(console, ("id", "when", "kind", "by", "text"), rows, texts=("by", "text"))
    if not total:
        err().print("No memory matches." if filter != Filter() else "The archive is empty.")
        return
    more = ""
    if len(memories) == limit < total:
        more = f"; more with --after {ids.get(memories[-1].id, memories[-1].id)}"
    err().print(f"{len(memories):,} of {counted(total, 'memory')}{more}", markup=False)


def _among(option: str, chosen: list[str] | None, known: tuple[Any, ...]) -> tuple[Any, ...]:
    for each in chosen or ():
        if each not in known:
            raise InvalidInputError(f"{option}: {each!r} is not one of {', '.join(known)}")
    return tuple(each for each in known if each in (chosen or ()))


def _row(memory: Memory, zone: str, ids: Mapping[str, str]) -> tuple[str, ...]:
    when = f"{shown_in(memory.timestamp, zone):%Y-%m-%d %H:%M}" if memory.timestamp else ""
    words = all_words(replace(memory, speaker=None)) or ", ".join(
        medium.name for medium in memory.media
    )
    return (
        ids.get(memory.id, memory.id),
        when,
        memory.kind,
        one_line(memory.speaker or "", _SHOWN),
        one_line(words, _SHOWN),
    )
