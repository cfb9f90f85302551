"""``graphmemix erase``: erases memories and everything that mentions them."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from graphmemix.archive import Archive
from graphmemix.cli import completion
from graphmemix.cli.ids import memory_named
from graphmemix.cli.options import (
    ArchiveArgument,
    EncoderOption,
    JsonOption,
    SetOption,
    settings_from,
)
from graphmemix.cli.output import (
    PROBLEMS,
    WRONG_USE,
    counted,
    err,
    interruptible,
    memory_line,
    open_existing,
    out,
)
from graphmemix.cli.terminal import say, visible
from graphmemix.errors import InvalidInputError, MemoryNotFoundError
from graphmemix.memory import Memory
from graphmemix.store.protocol import Filter, Receipt

_NAMED = 5  # memories listed before the confirmation
_LEAST = 4  # characters of an id: less is more likely a slip than a memory


def command(
    archive: ArchiveArgument,
    memory_ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ID",
            help=f"Ids of memories, or their first {_LEAST} characters or more.",
            show_default=False,
            autocompletion=completion.memory_ids,
        ),
    ] = None,
    *,
    source: Annotated[str | None, typer.Option(help="Erase everything from this source.")] = None,
    session: Annotated[str | None, typer.Option(help="Erase everything of this session.")] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
    encoder: EncoderOption = None,
    override: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Erase memories with their files, vectors, links, earlier versions and traces.

    This cannot be undone. The receipt holds counts only, no content.

    Example: graphmemix erase ~/archives/family 5f1c0e0c
    """
    if bool(memory_ids) == bool(source or session):
        raise InvalidInputError("say what to erase: give ids, or --source or --session")
    settings = settings_from(None, override)
    again = "Some memories may not be erased yet: run the command again."
    with (
        interruptible(again),
        open_existing(archive, mode="write", encoder=encoder, settings=settings) as opened,
    ):
        wanted = _filter(source, session)
        memory_ids = [_meant(opened, typed) for typed in memory_ids or ()]
        memories = _chosen(opened, memory_ids, wanted)
        if memories and not yes:
            _ask(err(), memories)
        ids = memory_ids or [memory.id for memory in memories]
        receipt = opened.erase(ids, chosen_by=wanted)
    if as_json:
        say(receipt.to_json())
    else:
        _show(out(), receipt)


def _meant(archive: Archive, typed: str) -> str:
    """Return the id that is meant; one that was erased before is whole."""
    if archive.store.receipt_of(typed) is not None:
        return typed
    return memory_named(archive.store, typed, least=_LEAST)


def _filter(source: str | None, session: str | None) -> Filter | None:
    if not (source or session):
        return None
    return Filter(sources=(source,) if source else (), sessions=(session,) if session else ())


def _chosen(archive: Archive, memory_ids: list[str] | None, wanted: Filter | None) -> list[Memory]:
    """Return the memories to erase; none if all of them were erased before.

    Raises:
        MemoryNotFoundError: An id never existed; nothing is erased.
        InvalidInputError: The source or session never had a memory.
    """
    if wanted is None:
        there = archive.store.get_many(memory_ids or ())
        for memory_id in memory_ids or ():
            if memory_id not in there and archive.store.receipt_of(memory_id) is None:
                raise MemoryNotFoundError(memory_id)
        return list(there.values())
    found = archive.find(wanted)
    if not found and archive.store.receipt_of(wanted) is None:
        named = " ".join([*wanted.sources, *wanted.sessions])
        raise InvalidInputError(f"no memory has the source or session {named!r}")
    return found


def _ask(console: Console, memories: list[Memory]) -> None:
    for memory in memories[:_NAMED]:
        console.print(f"  {visible(memory_line(memory))}", markup=False)
    if len(memories) > _NAMED:
        console.print(f"  and {len(memories) - _NAMED} more")
    try:
        sure = typer.confirm(f"Erase {counted(len(memories), 'memory')} permanently?", err=True)
    except typer.Abort as nobody:
        if isinstance(nobody.__cause__ or nobody.__context__, KeyboardInterrupt):
            raise KeyboardInterrupt from None
        console.print("\nNo answer; nothing was erased. Use --yes to erase without confirmation.")
        raise typer.Exit(WRONG_USE) from None
    if not sure:
        console.print("Nothing was erased.")
        raise typer.Exit(PROBLEMS)


def _show(console: Console, receipt: Receipt) -> None:
    if receipt.repeated:
        console.print(f"Already erased at {receipt.erased_at:%Y-%m-%d %H:%M:%S %Z}.")
    console.print(
        f"Erased {counted(receipt.memories, 'memory')}, "
        f"{counted(receipt.versions, 'earlier version')}, {counted(receipt.views, 'view')}, "
        f"{counted(receipt.vectors, 'vector')}, {counted(receipt.edges, 'link')}, "
        f"{counted(receipt.media_files, 'file')} ({receipt.media_bytes:,} bytes), "
        f"{counted(receipt.logs, 'trace or log', 'traces and logs')}."
    )
    console.print(f"Receipt of {receipt.erased_at:%Y-%m-%d %H:%M:%S %Z}.")
    if not receipt.purged:
        console.print(
            "Another process is reading the archive, or a large database has to be rewritten: the "
            "last copies are removed by `graphmemix index`."
        )
