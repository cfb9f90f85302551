"""``graphmemix mcp``: the archive as tools for agents."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from types import FrameType
from typing import Annotated, NoReturn
from urllib.parse import unquote

import typer

from graphmemix.cli.options import (
    ArchiveArgument,
    EncoderOption,
    ProfileOption,
    SetOption,
    settings_from,
)
from graphmemix.cli.output import INTERRUPTED, err, interruptible
from graphmemix.errors import InvalidInputError


def command(
    archive: ArchiveArgument,
    *,
    http: Annotated[
        bool, typer.Option("--http", help="Over HTTP, instead of standard input and output.")
    ] = False,
    host: Annotated[str, typer.Option(help="Address to bind, with --http.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="0 for any free one.")] = 8766,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="A further name of this server; may repeat.")
    ] = None,
    state: Annotated[
        Path | None, typer.Option(help="Folder of the keys, as `graphmemix keys` has it.")
    ] = None,
    allow_write: Annotated[
        bool, typer.Option("--allow-write", help="With add_memory, the tool that adds memories.")
    ] = False,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="The default; still accepted.", hidden=True)
    ] = False,
    encoder: EncoderOption = None,
    profile: ProfileOption = None,
    override: SetOption = None,
) -> None:
    """Serve an archive to agents over MCP: recall, ask, get_memory, list_sources.

    Agents read and add nothing, unless --allow-write says otherwise.

    Over standard input and output an agent starts this command itself. Over HTTP it listens on this
    machine alone, unless --host says otherwise, which needs a key.

    Example: graphmemix mcp ~/archives/family --http --port 8766
    """
    if allow_write and read_only:
        raise InvalidInputError("--read-only and --allow-write exclude each other; give one")
    from graphmemix.serve.mcp import LoneDesk, serve_stdio

    settings = settings_from(profile, override)
    desk = LoneDesk(archive, settings=settings, encoder=encoder, writable=allow_write)
    try:
        with interruptible("Nothing is half done."):
            if not http:
                signal.signal(signal.SIGINT, _leave)
                asyncio.run(serve_stdio(desk))
                return
            from graphmemix.serve.mcp_http import serve_http
            from graphmemix.serve.options import default_state

            serve_http(
                desk,
                _name(archive),
                host=host,
                port=port,
                state=state or default_state(),
                hosts=allow_host or (),
                announce=lambda url: err().print(f"MCP at {url} (Ctrl-C ends it)", markup=False),
            )
    finally:
        desk.close()


def _leave(_number: int, _frame: FrameType | None) -> NoReturn:
    """End at once: the thread that waits for standard input cannot be woken.

    What the archive has acknowledged is on disk, and a write that is under way is undone.
    """
    err().print("Stopped. Nothing is half done.")
    os._exit(INTERRUPTED)


def _name(archive: str) -> str:
    """Return what keys call an archive: its folder, or its name in the database."""
    if "://" in archive:
        return unquote(archive.partition("#")[2])
    return Path(archive).expanduser().absolute().name
