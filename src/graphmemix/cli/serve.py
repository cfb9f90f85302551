"""``graphmemix serve``: serves archives over HTTP."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from graphmemix.cli import completion
from graphmemix.cli.options import ProfileOption, SetOption, settings_from
from graphmemix.cli.output import err
from graphmemix.cli.terminal import say
from graphmemix.errors import MissingExtraError
from graphmemix.serve.options import DEFAULT_PORT, Limits, ServeOptions, default_state

_MEBI = 1 << 20
_DEFAULT = "memories"


def command(
    archives: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ARCHIVE",
            help="Folders or database URLs; NAME=LOCATION sets the name. By default the folder "
            "`memories` here, which is created.",
            autocompletion=completion.archives,
            show_default=False,
        ),
    ] = None,
    *,
    host: Annotated[
        str, typer.Option(help="Address to bind; all but loopback need a key.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port; 0: any free port.")] = DEFAULT_PORT,
    root: Annotated[
        Path | None, typer.Option(help="Folder whose files may be ingested by path.")
    ] = None,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Open archives for reading only.")
    ] = False,
    allow_mcp_write: Annotated[
        bool,
        typer.Option("--allow-mcp-write", help="Let MCP agents add memories without a key."),
    ] = False,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="Additional host name of this server; repeatable.")
    ] = None,
    state: Annotated[
        Path | None, typer.Option(help="Folder for keys and jobs.", show_default=False)
    ] = None,
    rate: Annotated[
        int, typer.Option(help="Requests per minute and key; 0: no limit.", min=0)
    ] = Limits.requests_per_minute,
    max_upload: Annotated[
        int, typer.Option(help="Largest upload, in MiB.", min=1)
    ] = Limits.upload_bytes // _MEBI,
    telemetry: Annotated[
        str, typer.Option(help="OTLP endpoint for spans, such as http://localhost:4318/v1/traces.")
    ] = "",
    log: Annotated[
        Literal["auto", "people", "json"],
        typer.Option(
            metavar="auto|people|json",
            help="Log in short lines for people, or as JSON; auto: for people on a terminal.",
        ),
    ] = "auto",
    profile: ProfileOption = None,
    override: SetOption = None,
) -> None:
    """Serve archives over HTTP: a JSON API, a web page and MCP. Stop it with Ctrl-C.

    Example: graphmemix serve ~/archives/family

    Example: graphmemix serve family=~/archives/family work=~/archives/work --port 8765
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
    if not archives:
        say(
            f"Serving the archive {Path(_DEFAULT).absolute()}; name another one to serve that.",
            to_err=True,
        )
    on_terminal = err().is_terminal
    stop = " (stop it with Ctrl-C)" if on_terminal else ""
    serve(
        archives or [_DEFAULT],
        options,
        settings,
        on_listening=lambda address: say(f"{address}{stop}", to_err=True),
        log_for_people={"auto": on_terminal, "people": True, "json": False}[log],
    )
