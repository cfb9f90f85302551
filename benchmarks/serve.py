"""Recall over HTTP beside the call in the same process: requests a second, p95, nothing lost.

    python benchmarks/serve.py [--seconds 5] [--clients 1,8,32] [--memories 11000] [--json]
    python benchmarks/serve.py --minutes 10      # soak: memory of the server over time

Two archives: the sample household, and synthetic memories (twenty words by Zipf's law, vectors in
clusters of a hundred, chains of consecutive turns). The server is the real command in a process of
its own; clients are threads here with one connection each, so that both share the machine. Both
sides save their traces. A request counts as lost if its reply is not a trace with a forest, or if
its trace is not in the archive afterwards; then it exits with 1. For that the archives keep all
traces here (`traces.keep` 0); the soak keeps as many as archives do by default.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from graphmemix.archive import Archive
from graphmemix.evidence import Edge
from graphmemix.memory import Memory, View
from graphmemix.sample import build
from graphmemix.settings import Settings
from graphmemix.store import Derived, Entry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

KEEP_ALL = {"GRAPHMEMIX_TRACES__KEEP": "0"}
PAGE, TICKS = os.sysconf("SC_PAGE_SIZE"), os.sysconf("SC_CLK_TCK")
CLUSTER, BULK, VOCABULARY = 100, 2_000, 20_000
SAMPLE_EVERY = 5.0  # seconds


@dataclass(frozen=True)
class Measured:
    """One row: who asked, how often, how long it took.

    `processor_ms` is what one request takes of a core, in the server's process or in this one;
    other processes on the machine disturb it least.
    """

    archive: str
    who: str
    clients: int
    requests: int
    per_second: float
    p50_ms: float
    p95_ms: float
    processor_ms: float
    lost: int


def synthetic(folder: Path, count: int) -> list[str]:
    """Write an archive with ready-made vectors; return questions."""
    rng = np.random.default_rng(count)
    ranks = rng.zipf(1.3, (count, 20)) % VOCABULARY
    texts = [" ".join(f"w{word}" for word in row) for row in ranks]
    with Archive.open(folder) as archive:
        dimension = archive.encoder.dimension
        centres = rng.standard_normal((count // CLUSTER + 1, dimension))
        for first in range(0, count, BULK):
            rows = range(first, min(first + BULK, count))
            entries = [
                _entry(i, texts[i], centres[i // CLUSTER], rng, archive.encoder.identity)
                for i in rows
            ]
            edges = [
                Edge(f"m{i - 1:06}", f"m{i:06}", "consecutive_turn", 0.99) for i in rows if i % 20
            ]
            archive.store.add(entries, edges)
    return [" ".join(f"w{word}" for word in rng.zipf(1.3, 8) % VOCABULARY) for _ in range(50)]


def _entry(number: int, text: str, centre: Any, rng: np.random.Generator, identity: str) -> Entry:
    vector = centre + 0.6 * rng.standard_normal(len(centre))
    vector = (vector / np.linalg.norm(vector)).astype(np.float32)
    name = f"m{number:06}"
    memory = Memory(
        name, "message", text, session=f"s{number // 20}", sequence=number % 20, speaker="Olga"
    )
    return Entry(memory, Derived((View(name, "text", 0, text),), (vector,), identity))


def household(folder: Path, scratch: Path) -> list[str]:
    sample = build(scratch)
    with Archive.open(folder) as archive:
        archive.ingest([sample.files])
    return [question.question for question in sample.questions]


def measured(
    ask: Callable[[str], bool],
    questions: Sequence[str],
    clients: int,
    seconds: float,
    process: int | None = None,
) -> tuple[list[float], int, float, float]:
    """Let clients ask for some seconds.

    Returns:
        Times, how many failed, how long it was, and processor time of the process that answers.
    """
    used = processor_seconds(process)
    times: list[float] = []
    lost = [0] * clients
    end = time.perf_counter() + seconds

    def run(number: int) -> None:
        asked = number
        while time.perf_counter() < end:
            start = time.perf_counter()
            if not ask(questions[asked % len(questions)]):
                lost[number] += 1
            times.append(time.perf_counter() - start)
            asked += 7

    start = time.perf_counter()
    threads = [threading.Thread(target=run, args=(i,)) for i in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.perf_counter() - start
    return times, sum(lost), took, processor_seconds(process) - used


def processor_seconds(process: int | None) -> float:
    """Return what a process has used so far; None for this one."""
    name = "self" if process is None else str(process)
    fields = Path(f"/proc/{name}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def row(
    name: str, who: str, clients: int, found: tuple[list[float], int, float, float]
) -> Measured:
    times, lost, took, used = found
    ordered = sorted(times)
    return Measured(
        name,
        who,
        clients,
        len(times),
        len(times) / took,
        1e3 * statistics.median(ordered),
        1e3 * ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))],
        1e3 * used / len(times),
        lost,
    )


def in_process(name: str, folder: Path, questions: list[str], options: Any) -> list[Measured]:
    rows = []
    settings = Settings.load(environment={**os.environ, **KEEP_ALL})
    with Archive.open(folder, settings=settings) as archive:

        def ask(question: str) -> bool:
            return archive.recall(question).forest is not None

        ask(questions[0])
        for clients in (1, 8):
            found = measured(ask, questions, clients, options.seconds)
            rows.append(row(name, "in process", clients, found))
    return rows


@contextmanager
def server(
    folder: Path,
    state: Path,
    environment: Mapping[str, str] = {},
) -> Iterator[tuple[int, int]]:
    """Run the real command; yield its port and process id."""
    command = [sys.executable, "-m", "graphmemix", "serve", f"a={folder}", "--port", "0"]
    command += ["--rate", "0", "--state", str(state)]
    variables = {**os.environ, **environment}
    with subprocess.Popen(  # noqa: S603
        command, stderr=subprocess.PIPE, text=True, env=variables
    ) as process:
        stderr = process.stderr
        assert stderr is not None  # noqa: S101  # for the type checker
        port = int(stderr.readline().rpartition(":")[2])
        drain = threading.Thread(target=lambda: list(stderr), daemon=True)  # logs fill the pipe
        drain.start()
        try:
            yield port, process.pid
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)
            drain.join()


class Client:
    """Asks over one connection a thread."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._local = threading.local()

    def forget(self) -> None:
        """Connect anew the next time."""
        self._local.connection = None

    def __call__(self, question: str) -> bool:
        """Return whether the reply is a trace with a forest."""
        connection = getattr(self._local, "connection", None)
        if connection is None:
            connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=120)
            self._local.connection = connection
        body = json.dumps({"question": question})
        headers = {"Content-Type": "application/json"}
        connection.request("POST", "/v1/archives/a/recall", body, headers)
        reply = connection.getresponse()
        told = reply.read()
        return reply.status == 200 and b'"trees":[' in told


def over_http(name: str, folder: Path, questions: list[str], options: Any) -> list[Measured]:
    rows = []
    before = saved_traces(folder)
    with (
        tempfile.TemporaryDirectory() as state,
        server(folder, Path(state), KEEP_ALL) as (port, process),
    ):
        client = Client(port)
        until_ready(client, questions[0])
        for clients in options.clients:
            found = measured(client, questions, clients, options.seconds, process)
            rows.append(row(name, "HTTP", clients, found))
    asked = sum(each.requests for each in rows) + 1
    missing = asked - (saved_traces(folder) - before)
    if missing:
        print(f"{missing} of {asked} traces are missing", file=sys.stderr)
        rows[-1] = Measured(**{**asdict(rows[-1]), "lost": rows[-1].lost + missing})
    return rows


def until_ready(client: Client, question: str) -> None:
    for _ in range(300):
        try:
            if client(question):
                return
        except OSError:
            client.forget()
        time.sleep(0.1)
    raise TimeoutError("the server does not answer")


def saved_traces(folder: Path) -> int:
    with Archive.open(folder, mode="read") as archive:
        return len(archive.store.logs("trace", limit=10_000_000))


def soak(folder: Path, questions: list[str], minutes: float, clients: int) -> dict[str, Any]:
    """Ask for minutes; return how the server's memory, its open files and the archive went."""
    before = folder_megabytes(folder)
    samples: list[tuple[float, float, int]] = []
    with tempfile.TemporaryDirectory() as state, server(folder, Path(state)) as (port, process):
        client = Client(port)
        until_ready(client, questions[0])
        over = threading.Event()
        start = time.perf_counter()

        def look() -> None:
            while not over.wait(SAMPLE_EVERY):
                resident = int(Path(f"/proc/{process}/statm").read_text("ascii").split()[1])
                files = len([*Path(f"/proc/{process}/fd").iterdir()])
                samples.append((time.perf_counter() - start, resident * PAGE / 1e6, files))

        watcher = threading.Thread(target=look)
        watcher.start()
        times, lost, took, _ = measured(client, questions, clients, 60 * minutes)
        over.set()
        watcher.join()
    tail = samples[len(samples) // 5 :]  # caches fill first
    slope = np.polyfit([t for t, _, _ in tail], [m for _, m, _ in tail], 1)[0] * 60
    return {
        "minutes": took / 60,
        "requests": len(times),
        "lost": lost,
        "megabytes_first_minute": round(samples[min(len(samples) - 1, 12)][1], 1),
        "megabytes_end": round(samples[-1][1], 1),
        "megabytes_most": round(max(m for _, m, _ in samples), 1),
        "megabytes_per_minute": round(float(slope), 2),
        "open_files_first": samples[0][2],
        "open_files_end": samples[-1][2],
        "traces_kept": saved_traces(folder),
        "archive_megabytes_before": round(before, 1),
        "archive_megabytes_end": round(folder_megabytes(folder), 1),
        "load_average": [round(load, 1) for load in os.getloadavg()],
    }


def folder_megabytes(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument(
        "--clients", type=lambda text: [*map(int, text.split(","))], default="1,8,32"
    )
    parser.add_argument("--memories", type=int, default=11_000)
    parser.add_argument("--minutes", type=float, default=0.0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        if options.minutes:
            questions = synthetic(place / "large", options.memories)
            report = soak(place / "large", questions, options.minutes, 8)
            print(json.dumps(report, indent=1))
            sys.exit(bool(report["lost"]))
        made = {
            "sample": household(place / "sample", place / "files"),
            f"{options.memories} memories": synthetic(place / "large", options.memories),
        }
        rows: list[Measured] = []
        for (name, questions), folder in zip(
            made.items(), (place / "sample", place / "large"), strict=True
        ):
            rows += in_process(name, folder, questions, options)
            rows += over_http(name, folder, questions, options)
    show(rows, as_json=options.json)
    told = " ".join(f"{load:.1f}" for load in os.getloadavg())
    print(f"load average over 1, 5 and 15 minutes: {told}", file=sys.stderr)
    sys.exit(any(each.lost for each in rows))


def show(rows: list[Measured], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps([asdict(each) for each in rows], indent=1))
        return
    names = ("archive", "who", "clients", "requests", "per second", "p50 ms", "p95 ms")
    print("| " + " | ".join((*names, "processor ms", "lost")) + " |")
    print("|---" * 9 + "|")
    for each in rows:
        figures = (each.per_second, each.p50_ms, each.p95_ms, each.processor_ms)
        cells = (each.archive, each.who, each.clients, each.requests)
        told = [*map(str, cells), *(f"{figure:.1f}" for figure in figures), str(each.lost)]
        print("| " + " | ".join(told) + " |")


if __name__ == "__main__":
    main()
