"""Lists the files of the package that a command enters: those in which a function ran.

    python tools/entered.py [--functions] ask ARCHIVE QUESTION

Takes the arguments of `graphmemix` and runs the command in this process, all threads traced. What
runs while a module of the package is imported does not count. What the command prints goes to
standard error; the files and their number to standard output, with `--functions` also what ran in
each.
"""

from __future__ import annotations

import sys
import threading
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import graphmemix

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, FrameType

PACKAGE = Path(graphmemix.__file__).parent


def entered(arguments: Sequence[str]) -> dict[str, list[str]]:
    """Run a command and return the files that it entered, relative to the package, and what ran."""
    from graphmemix.cli import main

    seen: set[CodeType] = set()

    def note(frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        if event == "call" and code not in seen and _is_ours(code) and not _importing(frame):
            seen.add(code)

    sys.argv = ["graphmemix", *arguments]
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        with redirect_stdout(sys.stderr), suppress(SystemExit):
            main()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    functions: dict[str, list[str]] = {}
    for code in sorted(seen, key=lambda code: (code.co_filename, code.co_firstlineno)):
        file = str(Path(code.co_filename).relative_to(PACKAGE))
        functions.setdefault(file, []).append(code.co_qualname)
    return functions


def _is_ours(code: CodeType) -> bool:
    return code.co_filename.startswith(f"{PACKAGE}/")


def _importing(frame: FrameType | None) -> bool:
    """Whether a module of the package is being imported further up."""
    while frame is not None:
        if frame.f_code.co_name == "<module>" and _is_ours(frame.f_code):
            return True
        frame = frame.f_back
    return False


def main() -> None:
    arguments = sys.argv[1:]
    with_functions = arguments[:1] == ["--functions"]
    files = entered(arguments[1:] if with_functions else arguments)
    for file, functions in files.items():
        print(file)
        if with_functions:
            print(*(f"    {function}" for function in functions), sep="\n")
    print(f"{len(files)} files")


if __name__ == "__main__":
    main()
