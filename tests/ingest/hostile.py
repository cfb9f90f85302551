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
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from pathlib import Path

from graphmemix.errors import StorageFullError
from graphmemix.ingest.protocol import Found, MediaSink, Reading
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

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:
        what = found.path.read_text("utf-8").split()[1]
        yield Memory.new("note", f"begun {found.name}", source=self.name, source_id=found.name)
        if what == "endless":
            number = 0
            while True:
                number += 1
                yield Memory.new("note", f"{number} " + "x" * 100_000, source_id=str(number))
        if what == "keep":
            picture = sink.keep_bytes(b"p", modality="image", mime="image/x", name="p")
            yield Memory.new("note", "with a picture", source_id="k", media=(picture,))
        _do(what, found)


def _do(what: str, found: Found) -> None:
    acts: dict[str, Callable[[], object]] = {
        "regex": lambda: re.match(r"(a+)+$", "a" * 60 + "b"),
        "loop": lambda: next(number for number in count() if number < 0),
        "sleep": lambda: ctypes.CDLL(None).sleep(100_000),
        "memory": lambda: [bytearray(16 << 20) for _ in count()],
        "abort": os.abort,
        "exit": lambda: os._exit(7),
        "killed": lambda: os.kill(os.getpid(), signal.SIGKILL),
        "full": _fail,
        "temporary": lambda: _leave_a_file(found),
        "where": lambda: _say_where(found),
    }
    if what in acts:
        acts[what]()


def _fail() -> None:
    raise StorageFullError("no space")


def _leave_a_file(found: Found) -> None:
    (Path(tempfile.mkdtemp(prefix="left-")) / "mail").write_text("private", "utf-8")
    _do("regex", found)


def _say_where(found: Found) -> None:
    found.path.with_suffix(".pid").write_text(str(os.getpid()), "utf-8")
    _do("regex", found)
