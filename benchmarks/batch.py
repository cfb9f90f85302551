"""Encoding ahead: one process beside workers of Ray, and what the process in the middle can do.

    python benchmarks/batch.py [--texts 1200] [--rounds 3] [--keys 1000000] [--workers 1 2]

The same archive is encoded with the packaged text encoder by this process (one thread, as each
worker has) and by workers, in turns; the time that workers take to start is told apart. The vectors
are compared bit by bit. Then come the limits of the process in the middle: contents per second that
it finds to be encoded already, and vectors per second that a folder takes in, while it grows.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from graphmemix import Archive, Memory
from graphmemix.encode.batch import Origin, PreparedEncoder, VectorFolder, encode_archives
from graphmemix.encode.batch.ray_workers import RayWorkers
from graphmemix.store.protocol import Entry

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CHANCE = random.Random(8)
_WORDS = ["".join(_CHANCE.choices("abcdefghiklmnoprstuvwz", k=n % 8 + 2)) for n in range(4000)]
_SHARD = 2048


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--texts", type=int, default=1200)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--keys", type=int, default=1_000_000)
    arguments.add_argument("--workers", type=int, nargs="*", default=[1, 2])
    asked = arguments.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"  # one thread for one process, as for each worker
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as scratch:
        compare(Path(scratch), asked.texts, asked.rounds, asked.workers)
        middle(Path(scratch), asked.keys)


def compare(scratch: Path, count: int, rounds: int, workers: list[int]) -> None:
    texts = [" ".join(_CHANCE.choices(_WORDS, k=_CHANCE.randint(3, 40))) for _ in range(count)]
    with Archive.open(scratch / "archive", encoder="hashing:8") as archive:
        archive.store.add(Entry(Memory(f"m{i}", "note", text)) for i, text in enumerate(texts))
    starting = {number: starting_time(number) for number in workers}
    times: dict[int, list[float]] = {number: [] for number in [0, *workers]}
    made: dict[int, NDArray[np.float32]] = {}
    for turn in range(rounds):
        for number, taken in times.items():
            into = scratch / f"vectors-{turn}-{number}"
            begin = time.perf_counter()
            encode_archives([scratch / "archive"], into, encoder="minilm", workers=number)
            taken.append(time.perf_counter() - begin - starting.get(number, 0.0))
            made[number] = PreparedEncoder(into).texts(texts)
    alone = count / median(times[0])
    print(f"one process, one thread: {alone:.0f} texts/s")
    for number in workers:
        rate = count / median(times[number])
        same = made[number].tobytes() == made[0].tobytes()
        print(
            f"{number} workers: {rate:.0f} texts/s, ratio {rate / alone:.2f}, "
            f"start and end {starting[number]:.1f} s, the same bits: {same}"
        )


def starting_time(number: int) -> float:
    """Return how long workers take to start, load the encoder and end."""
    begin = time.perf_counter()
    RayWorkers("minilm", number, address=None).close()
    return time.perf_counter() - begin


def middle(scratch: Path, keys: int) -> None:
    """Measure the process that reads archives and writes vectors."""
    begin = time.perf_counter()
    report = encode_archives([scratch / "archive"], scratch / "vectors-0-0", encoder="minilm")
    print(f"known already: {report.there / (time.perf_counter() - begin):.0f} contents/s")
    rows = np.zeros((_SHARD, 384), np.float32)
    with VectorFolder.create(scratch / "many", Origin("x", "x", 384, sees_images=False)) as folder:
        told, begin = keys // 4, time.perf_counter()
        for first in range(0, keys, _SHARD):
            names = range(first, first + _SHARD)
            folder.add([hashlib.sha256(b"%d" % name).digest() for name in names], rows)
            if (first + _SHARD) // told > first // told:
                rate = told / (time.perf_counter() - begin)
                print(f"kept at {first + _SHARD}: {rate:.0f} vectors/s")
                begin = time.perf_counter()
    size = (scratch / "many" / "index.db").stat().st_size
    print(f"index: {size / keys:.0f} bytes a key")


if __name__ == "__main__":
    main()
