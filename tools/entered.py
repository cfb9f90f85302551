"""Lists the files of the package that a command enters: those in which a function ran.

    python tools/entered.py ask ARCHIVE QUESTION

Takes the arguments of `graphmemix` and runs the command in this process, all threads traced. What
runs while a module of the package is imported does not count. What the command prints goes to
standard error; the files and their number to standard output.
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


def entered(arguments: Sequence[str]) -> list[str]:
    """Run a command and return the files that it entered, relative to the package."""
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
    return sorted({str(Path(code.co_filename).relative_to(PACKAGE)) for code in seen})


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
    files = entered(sys.argv[1:])
    for file in files:
        print(file)
    print(f"{len(files)} files")


if __name__ == "__main__":
    main()
