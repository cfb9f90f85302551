"""The ``graphmemix`` command line. One file per command, each a thin layer over the library.

Exit codes: 0 success; 1 problems were found (`check`, `trace --replay`) or the user declined
(`erase`); 2 wrong usage or bad input; 130 interrupted (the message says how to continue). Results
go to standard output, everything else to standard error.
"""

from __future__ import annotations

import signal
import sys
import time

__all__ = ["STARTED", "main"]

STARTED = time.monotonic()
"""When this process began, or very nearly: by `time.monotonic`."""

_INTERRUPTED = 130


def main() -> None:
    """Run the command line; expected errors are printed as one line, without a traceback."""
    try:
        _run()
    except KeyboardInterrupt:  # while a command was still being loaded
        sys.exit(_INTERRUPTED)
    finally:
        _end_quietly()


def _end_quietly() -> None:
    """Let Ctrl-C while the interpreter shuts down end the process, without a traceback.

    Everything is stored by then. Where commands run inside another program, its handler stays.
    """
    program = sys.modules.get("__main__")
    if getattr(program, "main", None) is main:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


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
        say(f"graphmemix: {error}{_hint(error)}", to_err=True)
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


def _hint(error: Exception) -> str:
    """Return what helps with an error: the saved trace of a question, or the archive meant."""
    from graphmemix.errors import ArchiveNotFoundError, ModelError

    if isinstance(error, ArchiveNotFoundError):
        _, nowhere, location = str(error).partition("there is no archive at ")
        return _archives_hint(location) if nowhere else ""
    saved = error.trace.id if isinstance(error, ModelError) and error.trace is not None else ""
    return f" (to see how far it got: graphmemix trace ARCHIVE {saved})" if saved else ""


def _archives_hint(location: str) -> str:
    """Return which archive may be meant, or how to make one."""
    from difflib import get_close_matches
    from pathlib import Path

    from graphmemix.cli.welcome import archives_in

    wanted = Path(location)
    beside = [each for each in archives_in(wanted.parent) if each != "."]
    if near := get_close_matches(wanted.name, beside, n=1):
        return f"; did you mean {near[0]!r}?"
    if beside:
        return f"; archives beside it: {', '.join(beside[:8])}"
    return "; make one with: graphmemix ingest ARCHIVE FILES"
