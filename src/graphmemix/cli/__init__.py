"""The ``graphmemix`` command. One file a command; each is thin over the library.

Exit codes: 0 done; 1 done, and problems were found (`check`, `trace --replay`) or the answer was no
(`erase`); 2 wrong use or bad input (the message says what); 130 interrupted (the message says how
to go on). Results go to standard output, everything else to standard error.
"""

from __future__ import annotations

import sys

__all__ = ["main"]

_INTERRUPTED = 130


def main() -> None:
    """Run the command line; errors of GraphMemix and of the machine become one clear line."""
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
        say(f"graphmemix: {error}{_until_then(error)}", to_err=True)
        sys.exit(2)
    except OSError as error:  # of files that are no archive's, such as reports and runs
        say(f"graphmemix: {_machine_fault(error)}", to_err=True)
        sys.exit(2)


def _machine_fault(error: OSError) -> str:
    from graphmemix.errors import StorageFullError
    from graphmemix.store.faults import as_store_error

    place = error.filename or "a file"
    full = as_store_error(error, str(place))
    return (
        str(full) if isinstance(full, StorageFullError) else f"{place}: {error.strerror or error}"
    )


def _colour_help() -> None:
    """Let typer print help with a console of ours; others are no terminal, and have no colours."""
    from typer import rich_utils

    from graphmemix.cli.terminal import SafeConsole

    vars(rich_utils)["Console"] = SafeConsole  # there is no other way to hand it one


def _until_then(error: Exception) -> str:
    """Say where to see how far a question came."""
    from graphmemix.errors import ModelError

    saved = error.trace.id if isinstance(error, ModelError) and error.trace is not None else ""
    return f" (how far the question came: graphmemix trace ARCHIVE {saved})" if saved else ""
