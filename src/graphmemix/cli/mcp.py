"""``graphmemix mcp``: serves an archive as tools for agents."""

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
        bool, typer.Option("--http", help="Use HTTP instead of standard input and output.")
    ] = False,
    host: Annotated[str, typer.Option(help="Address to bind; needs --http.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Port; 0: any free port.")] = 8766,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="Additional host name of this server; repeatable.")
    ] = None,
    state: Annotated[
        Path | None, typer.Option(help="Folder with the keys; see `graphmemix keys`.")
    ] = None,
    allow_write: Annotated[
        bool, typer.Option("--allow-write", help="Offer add_note, the tool that adds memories.")
    ] = False,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="The default; still accepted.", hidden=True)
    ] = False,
    encoder: EncoderOption = None,
    profile: ProfileOption = None,
    override: SetOption = None,
) -> None:
    """Serve an archive to agents over MCP: search, ask, get, timeline.

    Agents can only read, unless --allow-write is given.

    Over standard input and output, the agent starts this command itself. Over HTTP the server
    listens on this machine only; other addresses (--host) need a key.

    Example: graphmemix mcp ~/archives/family --http --port 8766
    """
    if allow_write and read_only:
        raise InvalidInputError("use either --read-only or --allow-write, not both")
    from graphmemix.serve.mcp import ReopeningAccess, serve_stdio

    settings = settings_from(profile, override)
    access = ReopeningAccess(archive, settings=settings, encoder=encoder, writable=allow_write)
    try:
        with interruptible("No write was left incomplete."):
            if not http:
                signal.signal(signal.SIGINT, _leave)
                asyncio.run(serve_stdio(access))
                return
            from graphmemix.serve.mcp_http import serve_http
            from graphmemix.serve.options import default_state

            serve_http(
                access,
                _name(archive),
                host=host,
                port=port,
                state=state or default_state(),
                hosts=allow_host or (),
                announce=lambda url: err().print(
                    f"MCP at {url} (stop it with Ctrl-C)", markup=False
                ),
            )
    finally:
        access.close()


def _leave(_number: int, _frame: FrameType | None) -> NoReturn:
    """Exit immediately: the thread that waits for standard input cannot be interrupted.

    Acknowledged writes are on disk, and a write in progress is rolled back.
    """
    err().print("Stopped. No write was left incomplete.")
    os._exit(INTERRUPTED)


def _name(archive: str) -> str:
    """Return the archive's name in grants: its folder, or its name in the database."""
    if "://" in archive:
        return unquote(archive.partition("#")[2])
    return Path(archive).expanduser().absolute().name
