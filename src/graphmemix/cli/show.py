"""``graphmemix show``: memories with all their fields."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from graphmemix.archive import Archive
from graphmemix.cli import completion
from graphmemix.cli.ids import memory_named, short_ids
from graphmemix.cli.options import ArchiveArgument
from graphmemix.cli.output import memory_line, open_existing, out, print_words
from graphmemix.cli.terminal import say, visible
from graphmemix.memory import Media, Memory
from graphmemix.retrieve.facets import days_about
from graphmemix.text.dates.zones import shown_in

if TYPE_CHECKING:
    from graphmemix.text.dates.about import About


def command(
    archive: ArchiveArgument,
    memory_ids: Annotated[
        list[str],
        typer.Argument(
            metavar="ID",
            help="Ids of memories, or their beginnings.",
            show_default=False,
            autocompletion=completion.memory_ids,
        ),
    ],
    *,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json", help="Print JSON, one memory per line, as `update --from` reads it."
        ),
    ] = False,
) -> None:
    """Show memories with all their fields, files and links.

    Example: graphmemix show ~/archives/family 5f1c0e0c
    """
    with open_existing(archive) as opened:
        memories = [opened.get(memory_named(opened.store, typed)) for typed in memory_ids]
        about = days_about(opened.store, [memory.id for memory in memories])
        if as_json:
            for memory in memories:
                say(_line(memory, about[memory.id]))
            return
        console = out()
        for number, memory in enumerate(memories):
            if number:
                console.print()
            _show(console, opened, memory, about[memory.id])


def _line(memory: Memory, about: tuple[About, ...]) -> str:
    days = [[first.isoformat(), last.isoformat()] for first, last in about]
    return json.dumps({**json.loads(memory.to_json()), "about": days}, ensure_ascii=False)


def _show(console: Console, archive: Archive, memory: Memory, about: tuple[About, ...]) -> None:
    for name, value in _facts(memory, about, archive.settings.ingest.zone):
        console.print(f"{name:<10} {visible(value)}", markup=False)
    if memory.text:
        console.print(f"\n{visible(memory.text)}", markup=False)
    for medium in memory.media:
        console.print()
        for name, value in _medium(archive, medium):
            console.print(f"{name:<10} {visible(value)}", markup=False)
    edges = archive.store.edges([memory.id])
    if edges:
        console.print("\nlinked with")
    others = [each.target if each.source == memory.id else each.source for each in edges]
    linked = archive.store.get_many(others)
    ids = short_ids(archive.store, others)
    for edge, other in zip(edges, others, strict=True):
        relation = edge.relation.replace("_", " ")
        line = memory_line(linked.get(other))
        label = f"{ids.get(other, other)}  {relation} ({edge.confidence:.2f}): {line}"
        print_words(console, label, indent=2)


def _when(memory: Memory, zone: str) -> str:
    """Return when it happened in the archive's zone, and as it was written if that differs."""
    if memory.timestamp is None:
        return ""
    written, shown = memory.timestamp, shown_in(memory.timestamp, zone)
    if shown.utcoffset() == written.utcoffset():
        return shown.isoformat(sep=" ")
    form = "%H:%M" if shown.date() == written.date() else "%Y-%m-%d %H:%M"
    offset = f"{written:%z}" if written.utcoffset() else ""
    return f"{shown.isoformat(sep=' ')} (written {written:{form}} UTC{offset})"


def _facts(memory: Memory, about: tuple[About, ...], zone: str) -> list[tuple[str, str]]:
    place = ""
    if memory.place is not None:
        place = memory.place.name
        if memory.place.latitude is not None:
            place += f" ({memory.place.latitude}, {memory.place.longitude})"
    facts = [
        ("id", memory.id),
        ("kind", memory.kind),
        ("when", _when(memory, zone)),
        ("about", ", ".join(_days(each) for each in about)),
        ("by", memory.speaker or ""),
        ("place", place.strip()),
        ("source", " ".join(filter(None, (memory.source, memory.source_id)))),
        ("session", memory.session or ""),
        ("round", memory.round or ""),
        *((name, str(value)) for name, value in memory.metadata.items()),
    ]
    return [(name, value) for name, value in facts if value]


def _days(about: About) -> str:
    first, last = about.first.isoformat(), about.last.isoformat()
    return first if first == last else f"{first} to {last}"


def _medium(archive: Archive, medium: Media) -> list[tuple[str, str]]:
    where = "not in the archive"
    if medium.sha256 is not None:
        path = archive.media.path(medium.sha256)
        where = str(path) if path.is_file() else f"missing: {path}"
    size = f", {medium.width} x {medium.height}" if medium.width else ""
    about = medium.description
    facts = [
        (medium.modality, f"{medium.name} ({medium.mime or 'unknown type'}{size})"),
        ("file", where),
        ("caption", about.caption or about.short_caption),
        ("reads", about.ocr),
        ("says", about.transcript),
    ]
    return [(name, value) for name, value in facts if value]
