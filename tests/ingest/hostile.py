"""Importers that do what hostile files make importers do: hang, grow, die, never end.

A file ``NAME.bad`` holds what to do. They live in a module of their own so that worker processes
can import them.
"""

from __future__ import annotations

import ctypes
import os
import re
import signal
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from graphmemix.errors import StorageFullError
from graphmemix.ingest.protocol import Found, Keeper, Reading
from graphmemix.memory import Memory

MARK = b"bad "


class Bad:
    """Reads one memory, then does what the file says."""

    name = "bad"

    def recognises(self, found: Found) -> bool:
        if found.head.startswith(b"unrecognisable"):
            _do("regex", found)
        return found.head.startswith(MARK)

    def companions(self, found: Found) -> Iterable[Path]:
        return ()

    def read(self, found: Found, keeper: Keeper) -> Iterator[Reading]:
        what = found.path.read_text("utf-8").split()[1]
        yield Memory.new("note", f"begun {found.name}", source=self.name, source_id=found.name)
        if what == "endless":
            number = 0
            while True:
                number += 1
                yield Memory.new("note", f"{number} " + "x" * 100_000, source_id=str(number))
        if what == "keep":
            picture = keeper.keep_bytes(b"p", modality="image", mime="image/x", name="p")
            yield Memory.new("note", "with a picture", source_id="k", media=(picture,))
        _do(what, found)


def _do(what: str, found: Found) -> None:
    match what:
        case "regex":
            re.match(r"(a+)+$", "a" * 60 + "b")
        case "loop":
            while True:
                pass
        case "sleep":
            ctypes.CDLL(None).sleep(100_000)
        case "memory":
            parts = []
            while True:
                parts.append(bytearray(16 << 20))
        case "abort":
            os.abort()
        case "exit":
            os._exit(7)
        case "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        case "full":
            raise StorageFullError("no space")
        case "temporary":
            (Path(tempfile.mkdtemp(prefix="left-")) / "mail").write_text("private", "utf-8")
            _do("regex", found)
        case "where":
            found.path.with_suffix(".pid").write_text(str(os.getpid()), "utf-8")
            _do("regex", found)
        case "slow":
            time.sleep(0.01)
