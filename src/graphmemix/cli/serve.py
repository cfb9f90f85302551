"""``graphmemix serve``: archives over HTTP."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from graphmemix.cli.options import ProfileOption, SetOption, settings_from
from graphmemix.cli.terminal import say
from graphmemix.errors import MissingExtraError
from graphmemix.serve.options import DEFAULT_PORT, Limits, ServeOptions, default_state

_MEBI = 1 << 20


def command(
    archives: Annotated[
        list[str], typer.Argument(help="Folders or database addresses; NAME=LOCATION names one.")
    ],
    *,
    host: Annotated[
        str, typer.Option(help="Address to bind; others than loopback need a key.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="0 for any that is free.")] = DEFAULT_PORT,
    root: Annotated[
        Path | None, typer.Option(help="Files below it may be ingested by path.")
    ] = None,
    read_only: Annotated[bool, typer.Option(help="Leave writing to another process.")] = False,
    allow_mcp_write: Annotated[
        bool,
        typer.Option("--allow-mcp-write", help="Let agents add memories without a key, over MCP."),
    ] = False,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="A further name by which clients may call.")
    ] = None,
    state: Annotated[
        Path | None, typer.Option(help="Folder of keys and jobs.", show_default=False)
    ] = None,
    rate: Annotated[
        int, typer.Option(help="Requests a minute of one key; 0 for no limit.", min=0)
    ] = Limits.requests_per_minute,
    max_upload: Annotated[
        int, typer.Option(help="Largest upload, in MiB.", min=1)
    ] = Limits.upload_bytes // _MEBI,
    telemetry: Annotated[
        str, typer.Option(help="OTLP endpoint for spans, such as http://localhost:4318/v1/traces.")
    ] = "",
    profile: ProfileOption = None,
    override: SetOption = None,
) -> None:
    """Serve archives over HTTP: a JSON interface, a page, MCP. Ctrl-C ends it in order.

    Example: graphmemix serve family=~/archives/family --port 8765
    """
    settings = settings_from(profile, override)
    options = ServeOptions(
        host=host,
        port=port,
        state=state or default_state(),
        root=root,
        read_only=read_only,
        mcp_write=allow_mcp_write,
        hosts=tuple(allow_host or ()),
        telemetry=telemetry,
        limits=replace(Limits(), requests_per_minute=rate, upload_bytes=max_upload * _MEBI),
    )
    try:
        from graphmemix.serve.run import serve
    except ModuleNotFoundError as error:
        if error.name not in {"fastapi", "prometheus_client", "starlette", "uvicorn"}:
            raise
        raise MissingExtraError("server", "serving archives") from None
    serve(archives, options, settings, listening=lambda address: say(address, to_err=True))
