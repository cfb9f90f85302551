"""The ``graphmemix`` command. One file a command; each is thin over the library.

Exit codes: 0 done; 1 done, and problems were found (`check`, `trace --replay`) or the answer was no
(`erase`); 2 wrong use or bad input (the message says what); 130 interrupted (the message says how
to go on). Results go to standard output, everything else to standard error.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from graphmemix import __version__
from graphmemix.cli import (
    ask,
    backup,
    bench,
    calibrate,
    candidates,
    check,
    config,
    demo,
    describe,
    encode,
    erase,
    export,
    history,
    import_,
    ingest,
    init,
    keys,
    mcp,
    rebuild,
    recall,
    reencode,
    serve,
    show,
    stats,
    trace,
    update,
)
from graphmemix.cli import list as list_
from graphmemix.cli.output import say
from graphmemix.cli.terminal import SafeConsole, make_streams_safe
from graphmemix.errors import GraphMemixError, ModelError, StorageFullError
from graphmemix.store.faults import as_store_error

__all__ = ["app", "main"]

app = typer.Typer(
    name="graphmemix",
    help="Ask a personal archive, and get the few memories that answer together.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("ask")(ask.command)
app.command("backup")(backup.command)
app.command("calibrate")(calibrate.command)
app.command("candidates")(candidates.command)
app.command("check")(check.command)
app.command("config")(config.command)
app.command("demo")(demo.command)
app.command("describe")(describe.command)
app.command("encode")(encode.command)
app.command("erase")(erase.command)
app.command("export")(export.command)
app.command("history")(history.command)
app.command("import")(import_.command)
app.command("ingest")(ingest.command)
app.command("init")(init.command)
app.command("list")(list_.command)
app.command("mcp")(mcp.command)
app.command("rebuild")(rebuild.command)
app.command("recall")(recall.command)
app.command("reencode")(reencode.command)
app.command("serve")(serve.command)
app.command("show")(show.command)
app.command("stats")(stats.command)
app.command("trace")(trace.command)
app.command("update")(update.command)
app.add_typer(bench.app, name="bench")
app.add_typer(keys.app, name="keys")


def _show_version(wanted: bool) -> None:  # noqa: FBT001  # typer's signature
    if wanted:
        say(__version__)
        raise typer.Exit


@app.callback()
def _options(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line; errors of GraphMemix and of the machine become one clear line."""
    make_streams_safe()
    if not {"-h", "--help"}.isdisjoint(sys.argv):
        _colour_help()
    try:
        app()
    except GraphMemixError as error:
        say(f"graphmemix: {error}{_until_then(error)}", to_err=True)
        sys.exit(2)
    except OSError as error:  # of files that are no archive's, such as reports and runs
        place = error.filename or "a file"
        full = as_store_error(error, str(place))
        told = full if isinstance(full, StorageFullError) else f"{place}: {error.strerror or error}"
        say(f"graphmemix: {told}", to_err=True)
        sys.exit(2)


def _colour_help() -> None:
    """Let typer print help with a console of ours; others are no terminal, and have no colours."""
    from typer import rich_utils

    vars(rich_utils)["Console"] = SafeConsole  # there is no other way to hand it one


def _until_then(error: GraphMemixError) -> str:
    """Say where to see how far a question came."""
    saved = error.trace.id if isinstance(error, ModelError) and error.trace is not None else ""
    return f" (how far the question came: graphmemix trace ARCHIVE {saved})" if saved else ""
