"""Encoding ahead: one process beside workers of Ray, and what the process in the middle can do.

    python benchmarks/batch.py [--texts 1200] [--rounds 3] [--keys 1000000] [--workers 1 2]

The same texts are encoded with the packaged encoder by this process (one thread, as each worker
has) and by workers, in turns, and kept in a folder; the vectors are compared bit by bit. Told are
texts per second, and processor time a text of all that take part: the latter is what distribution
costs, and does not depend on who else uses the machine. The time that workers take to start is told
apart. Then come the limits of the process in the middle: contents per second that it finds to be
encoded already, and vectors per second that a folder takes in while it grows.
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
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphmemix import Archive, Memory
from graphmemix.encode.batch import Origin, VectorFolder, encode_archives
from graphmemix.encode.batch.contents import text_key
from graphmemix.encode.batch.ray_workers import RayWorkers
from graphmemix.encode.batch.workers import Batch, LocalPool
from graphmemix.store.protocol import Entry

if TYPE_CHECKING:
    from graphmemix.encode.batch.workers import EncodedBatch, WorkerPool

_CHANCE = random.Random(8)
_WORDS = ["".join(_CHANCE.choices("abcdefghiklmnoprstuvwz", k=n % 8 + 2)) for n in range(4000)]
_SHARD = 2048
_PART = 200
_NOTES = 5000


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
    parts = [packed(texts[first : first + _PART]) for first in range(0, count, _PART)]
    begin = time.perf_counter()
    hands: dict[int, WorkerPool] = {0: LocalPool("minilm")}
    measured: dict[int, list[Spent]] = {0: []}
    made: dict[int, dict[bytes, bytes]] = {}
    for number in workers:
        started = time.perf_counter()
        hands[number], measured[number] = RayWorkers("minilm", number, address=None), []
        print(f"{number} workers start in {time.perf_counter() - started:.1f} s", flush=True)
        for turn in range(rounds):
            for who in (0, number):
                into = scratch / f"vectors-{number}-{turn}-{who}"
                spent, made[who] = encode(hands[who], parts, into)
                measured[who].append(spent)
        hands[number].close()
    print(f"{time.perf_counter() - begin:.0f} s in all; load {os.getloadavg()[0]:.1f}")
    alone = [median(column) for column in zip(*measured[0], strict=True)]
    for who, each in measured.items():
        wall, processor = (median(column) for column in zip(*each, strict=True))
        print(
            f"{who or 'no'} workers: {count / wall:.0f} texts/s (ratio {alone[0] / wall:.2f}), "
            f"{processor / count * 1000:.2f} ms of processor a text (ratio "
            f"{processor / alone[1]:.2f}), the same bits: {made[who] == made[0]}",
            flush=True,
        )


class Spent(NamedTuple):
    """Seconds."""

    wall: float
    processor: float


def packed(texts: list[str]) -> Batch:
    return Batch(tuple(map(text_key, texts)), texts=tuple(texts))


def encode(workers: WorkerPool, parts: list[Batch], into: Path) -> tuple[Spent, dict[bytes, bytes]]:
    """Encode parts into a folder; return the time and the vectors."""
    processes = workers.processes() if isinstance(workers, RayWorkers) else []
    found: dict[bytes, bytes] = {}

    def keep(encoded: EncodedBatch) -> None:
        folder.add(encoded.keys, encoded.rows)
        found.update((k, row.tobytes()) for k, row in zip(encoded.keys, encoded.rows, strict=True))

    with VectorFolder.create(into, workers.origin) as folder:
        begin, before = time.perf_counter(), processor_time(processes)
        for part in parts:
            while workers.full:
                keep(workers.collect())
            workers.submit(part)
        while workers.busy:
            keep(workers.collect())
        spent = Spent(time.perf_counter() - begin, processor_time(processes) - before)
    return spent, found


def processor_time(processes: list[int]) -> float:
    """Return the seconds of processor that this process and those have used."""
    ticks = 0
    for process in processes:
        after_name = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
        ticks += int(after_name[11]) + int(after_name[12])
    return time.process_time() + ticks / os.sysconf("SC_CLK_TCK")


def middle(scratch: Path, keys: int) -> None:
    """Measure the process that reads archives and writes vectors."""
    notes = [Entry(Memory(f"m{i}", "note", f"note {i}")) for i in range(_NOTES)]
    with Archive.open(scratch / "archive", encoder="hashing:8") as archive:
        archive.store.add(notes)
    for told in ("read and encoded by the quickest encoder", "known already"):
        begin, before = time.perf_counter(), time.process_time()
        report = encode_archives([scratch / "archive"], scratch / "vectors", encoder="hashing:8")
        contents = report.there + report.encoded
        wall, processor = time.perf_counter() - begin, time.process_time() - before
        print(
            f"{told}: {contents / wall:.0f} contents/s, "
            f"{contents / processor:.0f} a second of processor"
        )
    rows = np.zeros((_SHARD, 384), np.float32)
    with VectorFolder.create(scratch / "many", Origin("x", "x", 384, sees_images=False)) as folder:
        every, begin, before = keys // 4, time.perf_counter(), time.process_time()
        for first in range(0, keys, _SHARD):
            names = range(first, first + _SHARD)
            folder.add([hashlib.sha256(b"%d" % name).digest() for name in names], rows)
            if (first + _SHARD) // every > first // every:
                wall, processor = time.perf_counter() - begin, time.process_time() - before
                print(
                    f"kept at {first + _SHARD}: {every / wall:.0f} vectors/s, "
                    f"{every / processor:.0f} a second of processor",
                    flush=True,
                )
                begin, before = time.perf_counter(), time.process_time()
    size = (scratch / "many" / "index.db").stat().st_size
    print(f"index: {size / keys:.0f} bytes a key")


if __name__ == "__main__":
    main()
