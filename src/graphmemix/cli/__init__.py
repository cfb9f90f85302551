"""The ``graphmemix`` command line. One file per command, each a thin layer over the library.

Exit codes: 0 success; 1 problems were found (`check`, `trace --replay`) or the user declined
(`erase`); 2 wrong usage or bad input; 130 interrupted (the message says how to continue). Results
go to standard output, everything else to standard error.
"""

from __future__ import annotations

import sys

__all__ = ["main"]

_INTERRUPTED = 130


def main() -> None:
    """Run the command line; expected errors are printed as one line, without a traceback."""
    try:
        _run()
    except KeyboardInterrupt:  # while a command was still being loaded
        sys.exit(_INTERRUPTED)


def _run() -> None:
    from graphmemix.cli.root import app
    from graphmemix.cli.terminal import make_streams_safe, say
    from graphmemix.errors import GraphMemixError

    make_streams_safe()
    if not {"-h", "--help"}.isdisjoint(sys.argv):
        _colour_help()
    try:
        app()
    except GraphMemixError as error:
        say(f"graphmemix: {error}{_trace_hint(error)}", to_err=True)
        sys.exit(2)
    except OSError as error:  # of files outside an archive, such as reports and runs
        say(f"graphmemix: {_os_error(error)}", to_err=True)
        sys.exit(2)


def _os_error(error: OSError) -> str:
    from graphmemix.errors import StorageFullError
    from graphmemix.fsio import as_store_error

    place = error.filename or "a file"
    full = as_store_error(error, str(place))
    return (
        str(full) if isinstance(full, StorageFullError) else f"{place}: {error.strerror or error}"
    )


def _colour_help() -> None:
    """Make typer print help on our console; with any other, help has no colours."""
    from typer import rich_utils

    from graphmemix.cli.terminal import SafeConsole

    vars(rich_utils)["Console"] = SafeConsole  # typer has no other hook for it


def _trace_hint(error: Exception) -> str:
    """Return how to show the saved trace of a question that failed; empty if there is none."""
    from graphmemix.errors import ModelError

    saved = error.trace.id if isinstance(error, ModelError) and error.trace is not None else ""
    return f" (to see how far it got: graphmemix trace ARCHIVE {saved})" if saved else ""
