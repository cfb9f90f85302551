"""From a question to its candidates, encoding, and the 8-NN graph, each beside a bare peer.

    python benchmarks/question.py [--sizes 11000,100000] [--neighbours 20000] [--texts 600]
        [--parts question,encoder,neighbours] [--out benchmarks/out]

The archive is synthetic: messages of twenty words by Zipf's law, each with a text view and a
context view (384 dimensions, clusters of a hundred), speakers, times, some places, a chain of
consecutive turns and about three semantic edges a memory. Questions have eight words; their vectors
are prepared, so that no encoder runs. Modes: dense; hybrid; and hybrid with a person named, whose
constraint reads memories. Every question takes turns with a bare float16 scan of all views. A
timer around each call to the store says where the time goes; "rest" is what is outside of them.
Ratios are given for wall time and for the thread's processor time, which other processes on the
machine disturb less.

Peers: for the encoder, the same session over the same token batches in as many threads, without
tokenising and pooling; for neighbours, faiss (`pip install faiss-cpu`) or, without it, a bare
matrix product, which finds nothing yet.

Goals: a question within twice the bare scan; encoding within 1.1 times the bare loop.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import tempfile
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final, ParamSpec, TypeAlias, TypeVar

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as in the library; two are slower here

import numpy as np
import simsimd

from graphmemix.archive import Archive
from graphmemix.encode import packaged
from graphmemix.evidence import Edge
from graphmemix.memory import Memory, Place, View
from graphmemix.relate.neighbours import NeighbourLists
from graphmemix.settings import Settings
from graphmemix.store import Derived, Entry, Store, open_store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from graphmemix.encode.protocol import Progress

Floats: TypeAlias = "NDArray[np.float32]"
Halves: TypeAlias = "NDArray[np.float16]"
_P = ParamSpec("_P")
_T = TypeVar("_T")

DIMENSION = 384
LIMIT = 200
CLUSTER = 100  # views that are near each other
SEMANTIC = 3  # semantic edges from each memory to earlier ones
BULK = 5_000
WORDS, QUESTION_WORDS, VOCABULARY = 20, 8, 20_000
SPEAKERS = ("Olga", "Benedikt", "Chiara", "Dmitri", "Esra", "Farid", "Greta", "Hiroshi")
TOWNS = ("Vienna", "Lisbon", "Kyoto", "Bergen", "Tunis", "Quito")
QUESTION_GOAL, ENCODER_GOAL = 2.0, 1.1

PARTS: Final = {
    "search_vectors": "vector search",
    "search_text": "text search",
    "score_vectors": "fill-in vectors",
    "score_text": "fill-in text",
    "edges": "edges",
    "keys": "looks",
    "speakers": "names",
    "key_names": "names",
    "get_many": "constraints",
    "outlines": "constraints",
}
"""What a call to the store counts as."""


def milliseconds(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    return 1e3 * (time.perf_counter() - start)


def _unit(rows: Floats) -> Floats:
    result: Floats = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return result


# The archive


class Sample:
    """Memories of two views each, and questions; the same for the same size."""

    def __init__(self, views: int) -> None:
        self.memories = views // 2
        rng = np.random.default_rng(views)
        self.clusters, self.vectors = clustered(rng, self.memories, 2)
        count = 40 if views <= 100_000 else 15
        asked = self.vectors[rng.integers(self.memories, size=count), 0]
        self.queries = _unit(asked + _noise(rng, (count, DIMENSION)))
        self._words = _zipf(rng, (self.memories, WORDS))
        self.questions = [_text(row) for row in _zipf(rng, (count, QUESTION_WORDS)).tolist()]

    def batches(self) -> Iterator[tuple[list[Memory], dict[str, Derived], list[Edge]]]:
        """Make memories, what is derived from them, and edges to earlier ones."""
        seen: defaultdict[int, list[int]] = defaultdict(list)
        for start in range(0, self.memories, BULK):
            numbers = range(start, min(start + BULK, self.memories))
            edges = [edge for number in numbers for edge in self._edges(number, seen)]
            derived = {_id(number): self._derived(number) for number in numbers}
            yield [self._memory(number) for number in numbers], derived, edges

    def _memory(self, number: int) -> Memory:
        return Memory(
            _id(number),
            "message",
            _text(self._words[number].tolist()),
            source="benchmark",
            session=f"s{number // 20}",
            sequence=number % 20,
            speaker=SPEAKERS[number % len(SPEAKERS)],
            timestamp=datetime(2015, 1, 1, tzinfo=UTC) + timedelta(minutes=5 * number),
            place=Place(_town(number)) if number % 10 == 0 else None,
        )

    def _derived(self, number: int) -> Derived:
        own = self._words[number].tolist()
        before = self._words[number - 1].tolist() if number % 20 else []
        name = _id(number)
        views = (
            View(name, "text", 0, _text(own)),
            View(name, "context", 1, _text([*before, *own])),
        )
        return Derived(views, tuple(self.vectors[number]), Prepared.identity)

    def _edges(self, number: int, seen: defaultdict[int, list[int]]) -> Iterator[Edge]:
        if number % 20:
            yield Edge(_id(number - 1), _id(number), "consecutive_turn", 0.99)
        near = seen[int(self.clusters[number])]
        for other in near[-SEMANTIC:]:
            cosine = float(self.vectors[number, 0] @ self.vectors[other, 0])
            yield Edge(_id(other), _id(number), "semantic", cosine)
        near.append(number)


def clustered(
    rng: np.random.Generator, memories: int, views: int
) -> tuple[NDArray[np.int64], Floats]:
    """Return clusters, and unit vectors of shape (memories, views, DIMENSION) around them."""
    centres = _noise(rng, (max(1, memories * views // CLUSTER), DIMENSION))
    clusters = rng.integers(len(centres), size=memories)
    vectors = np.empty((memories, views, DIMENSION), np.float32)
    for start in range(0, memories, 25_000):
        part = vectors[start : start + 25_000]
        part[:] = _noise(rng, part.shape)
        part += centres[clusters[start : start + 25_000], None]
        part /= np.linalg.norm(part, axis=2, keepdims=True)
    return clusters, vectors


def _noise(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Return random vectors that are about as long as a unit vector."""
    result: Floats = rng.standard_normal(shape, np.float32) / np.float32(DIMENSION**0.5)
    return result


def _zipf(rng: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.int64]:
    """Return ranks of words; the first is one word in eleven, as "the" in English nearly is."""
    share = np.cumsum(1 / np.arange(1, VOCABULARY + 1))
    return np.searchsorted(share / share[-1], rng.random(shape)) + 1


def _text(ranks: Sequence[int]) -> str:
    letters = "aeioubdfgklmnprt"
    return " ".join("x" + "".join(letters[int(d, 16)] for d in f"{rank:x}") for rank in ranks)


def _id(number: int) -> str:
    return f"memory-{number:08}"


def _town(number: int) -> str:
    return TOWNS[number // 10 % len(TOWNS)]


class Prepared:
    """An encoder that knows the vector already."""

    identity: Final = "benchmarks/question"
    dimension: Final = DIMENSION
    sees_images: Final = False

    def __init__(self) -> None:
        self.vector: Floats = np.zeros(DIMENSION, np.float32)

    def texts(self, texts: Sequence[str], *, progress: Progress | None = None) -> Floats:
        """Return the prepared vector for every text."""
        del progress
        return np.repeat(self.vector[None], len(texts), axis=0)

    def images(self, images: Sequence[bytes], *, progress: Progress | None = None) -> Floats:
        """Refuse: nothing is prepared for pictures."""
        raise NotImplementedError


def load(store: Store, sample: Sample) -> None:
    for memories, derived, edges in sample.batches():
        store.add(Entry(memory) for memory in memories)
        keys = {
            memory.id: [
                f"turn:{memory.session}:{memory.sequence}",
                *([f"place:{memory.place.name}"] if memory.place else []),
            ]
            for memory in memories
        }
        store.put_derived(derived, edges, keys=keys)


# Asking


class Stopwatch:
    """Adds up the processor time inside the store by part."""

    def __init__(self, store: Store) -> None:
        self.spent: defaultdict[str, float] = defaultdict(float)
        for name, part in PARTS.items():
            setattr(store, name, self._timed(part, getattr(store, name)))

    def _timed(self, part: str, call: Callable[_P, _T]) -> Callable[_P, _T]:
        def timed(*args: _P.args, **kwargs: _P.kwargs) -> _T:
            start = time.thread_time()
            try:
                return call(*args, **kwargs)
            finally:
                self.spent[part] += 1e3 * (time.thread_time() - start)

        return timed


@dataclass
class Asked:
    """One mode at one size, in milliseconds of wall time (p50, p95) and of processor time (cpu).

    The parts are means of processor time and add up to `cpu_mean`.
    """

    views: int
    mode: str
    p50: float = 0.0
    p95: float = 0.0
    bare_p50: float = 0.0
    bare_p95: float = 0.0
    ratio: float = 0.0
    cpu_p50: float = 0.0
    bare_cpu_p50: float = 0.0
    cpu_ratio: float = 0.0
    cpu_mean: float = 0.0
    candidates: float = 0.0
    edges: float = 0.0
    parts: dict[str, float] = field(default_factory=dict)


def ask(views: int) -> list[Asked]:
    """Load an archive and ask it in every mode."""
    sample = Sample(views)
    folder = Path(tempfile.mkdtemp(prefix="graphmemix-question-"))
    try:
        with open_store(folder / "archive") as store:
            spent = milliseconds(lambda: load(store, sample))
            print(f"{views:,} views: loaded in {spent / 1e3:.0f} s", flush=True)
            halves = sample.vectors.reshape(-1, DIMENSION).astype(np.float16)
            watch = Stopwatch(store)
            return [
                _ask("dense", store, watch, sample, halves),
                _ask("hybrid", store, watch, sample, halves),
                _ask("hybrid, person", store, watch, sample, halves),
            ]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _ask(mode: str, store: Store, watch: Stopwatch, sample: Sample, halves: Halves) -> Asked:
    def bare(query: Floats) -> NDArray[np.int64]:
        scores = np.asarray(simsimd.cdist(query.astype(np.float16)[None], halves, "dot"))[0]
        return np.argpartition(scores, -LIMIT)[-LIMIT:]

    retrieval = {"mode": "dense" if mode == "dense" else "hybrid"}
    settings = Settings.model_validate({"retrieval": retrieval})
    encoder = Prepared()
    archive = Archive(store, encoder, settings)
    asking: list[tuple[float, float]] = []
    scanning: list[tuple[float, float]] = []
    sizes, edges = [], []
    warm_up = 2
    for turn in range(-warm_up, len(sample.queries)):
        encoder.vector = sample.queries[turn]
        text = sample.questions[turn]
        if mode.endswith("person"):
            text = f"{SPEAKERS[turn % len(SPEAKERS)]} {text}"
        if turn == 0:
            watch.spent.clear()
        clocks = time.perf_counter(), time.thread_time()
        graph = archive.candidates(text)
        asking.append(_since(*clocks))
        clocks = time.perf_counter(), time.thread_time()
        bare(encoder.vector)
        scanning.append(_since(*clocks))
        sizes.append(len(graph.candidates))
        edges.append(len(graph.edges))
    walls, cpus = zip(*asking[warm_up:], strict=True)
    bare_walls, bare_cpus = zip(*scanning[warm_up:], strict=True)
    row = Asked(len(halves), mode, statistics.median(walls), _p95(walls))
    row.bare_p50, row.bare_p95 = statistics.median(bare_walls), _p95(bare_walls)
    row.ratio = row.p50 / row.bare_p50
    row.cpu_p50, row.bare_cpu_p50 = statistics.median(cpus), statistics.median(bare_cpus)
    row.cpu_ratio, row.cpu_mean = row.cpu_p50 / row.bare_cpu_p50, statistics.fmean(cpus)
    row.candidates, row.edges = statistics.fmean(sizes), statistics.fmean(edges)
    parts = dict.fromkeys(PARTS.values(), 0.0)
    row.parts = parts | {part: spent / len(cpus) for part, spent in watch.spent.items()}
    row.parts["rest"] = row.cpu_mean - sum(row.parts.values())
    return row


def _since(wall: float, cpu: float) -> tuple[float, float]:
    """Return the milliseconds that both clocks went on."""
    return 1e3 * (time.perf_counter() - wall), 1e3 * (time.thread_time() - cpu)


def _p95(times: Sequence[float]) -> float:
    return float(np.percentile(times, 95))


# Encoding


@dataclass
class Encoded:
    """The packaged encoder beside the bare loop; overheads are medians over the rounds.

    `overhead_percent` is of wall time, `cpu_overhead_percent` of the process's processor time.
    """

    threads: int
    texts: int
    mean_tokens: float
    texts_per_s: float
    bare_texts_per_s: float
    overhead_percent: float
    cpu_overhead_percent: float


def encode(count: int, threads: int, rounds: int = 5) -> Encoded:
    """Encode texts of 3 to 120 words, and run the session bare over the same token batches."""
    rng = np.random.default_rng(count)
    common = ("the", "we", "and", "to", "in", "lunch", "train", "photo", "blue", "dog", "Anna")
    lengths = np.exp(rng.uniform(np.log(3), np.log(120), count)).astype(int)
    texts = [" ".join(rng.choice(common, length).tolist()) for length in lengths]
    encoder = packaged.MiniLmEncoder(threads=threads)
    session = packaged._session(*packaged._MODEL)  # noqa: SLF001  # the same as it uses
    tokenizer = packaged._tokenizer(*packaged._TOKENIZER)  # noqa: SLF001
    tokens = [each.ids for each in tokenizer.encode_batch(texts)]
    feeds = []
    for batch in packaged._batches(tokens):  # noqa: SLF001  # the same batches
        ids = np.array([tokens[i] for i in batch], dtype=np.int64)
        ones, zeros = np.ones_like(ids), np.zeros_like(ids)
        feeds.append({"input_ids": ids, "attention_mask": ones, "token_type_ids": zeros})

    def bare() -> None:
        with ThreadPoolExecutor(threads) as pool:
            for _ in pool.map(lambda feed: session.run(None, feed), feeds):
                pass

    ours: list[tuple[float, float]] = []
    theirs: list[tuple[float, float]] = []
    encoder.texts(texts[:50])
    for turn in range(rounds):
        for mine in (False, True) if turn % 2 else (True, False):
            wall, cpu = time.perf_counter(), time.process_time()
            if mine:
                encoder.texts(texts)
            else:
                bare()
            spent = time.perf_counter() - wall, time.process_time() - cpu
            (ours if mine else theirs).append(spent)
    pairs = list(zip(ours, theirs, strict=True))
    return Encoded(
        threads,
        count,
        statistics.fmean(map(len, tokens)),
        count / statistics.median(wall for wall, _ in ours),
        count / statistics.median(wall for wall, _ in theirs),
        100 * (statistics.median(o[0] / t[0] for o, t in pairs) - 1),
        100 * (statistics.median(o[1] / t[1] for o, t in pairs) - 1),
    )


# Neighbours


@dataclass
class Linked:
    """The 8-NN graph of some memories; both sides find the 16 nearest of each, in one thread.

    Attributes:
        memories: How many.
        seconds: `NeighbourLists.rebuild`.
        mutual_seconds: Then all mutual pairs among the first 8.
        peer: What it is compared with.
        peer_seconds: The same for the peer, adding its vectors included.
        ratio: Ours by the peer's.
        cpu_seconds: Processor time of `seconds`.
        peer_cpu_seconds: Of `peer_seconds`.
        cpu_ratio: Ours by the peer's.
        agreement: Share of memories whose first 8 are the same set for both; the others are ties
            within rounding. None if the peer finds nothing.
    """

    memories: int
    seconds: float
    mutual_seconds: float
    peer: str
    peer_seconds: float
    ratio: float
    cpu_seconds: float
    peer_cpu_seconds: float
    cpu_ratio: float
    agreement: float | None


def link(memories: int) -> Linked:
    """Build the graph both ways."""
    vectors = clustered(np.random.default_rng(memories), memories, 1)[1][:, 0]
    named = {_id(number): vector for number, vector in enumerate(vectors)}
    lists = NeighbourLists(DIMENSION)
    clocks = time.perf_counter(), time.thread_time()
    peer, nearest = _peer(vectors, lists.kept + 1)
    peer_wall, peer_cpu = _since(*clocks)
    clocks = time.perf_counter(), time.thread_time()
    lists.rebuild(named)
    wall, cpu = _since(*clocks)
    mutual = milliseconds(lambda: lists.mutual(named)) / 1e3
    agreement = None
    if nearest is not None:
        same = 0
        for number, row in enumerate(nearest.tolist()):
            theirs = [_id(other) for other in row if other != number][: lists.used]
            ours = [other for other, _ in lists.neighbours(_id(number))][: lists.used]
            same += set(ours) == set(theirs)
        agreement = same / memories
    return Linked(
        memories,
        wall / 1e3,
        mutual,
        peer,
        peer_wall / 1e3,
        wall / peer_wall,
        cpu / 1e3,
        peer_cpu / 1e3,
        cpu / peer_cpu,
        agreement,
    )


def _peer(vectors: Floats, nearest: int) -> tuple[str, NDArray[np.int64] | None]:
    """Return the peer's name, and the nearest rows of each row if it finds them."""
    try:
        import faiss  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        _multiply(vectors)
        return "numpy matmul only", None
    faiss.omp_set_num_threads(1)
    index = faiss.IndexFlatIP(vectors.shape[1])
    index.add(vectors)
    _, found = index.search(vectors, nearest)
    return f"faiss {faiss.__version__}", np.asarray(found, np.int64)


def _multiply(vectors: Floats) -> None:
    for start in range(0, len(vectors), 1024):
        np.matmul(vectors[start : start + 1024], vectors.T)


# Everything


_FIGURES = (
    *("p50", "p95", "bare_p50", "bare_p95", "ratio", "candidates", "edges"),
    *("cpu_p50", "bare_cpu_p50", "cpu_ratio", "cpu_mean"),
)


def show_asked(rows: list[Asked]) -> None:
    """Print a column for each row."""
    print(f"\n{'question to candidates, ms':26}" + "".join(f"{row.mode:>16}" for row in rows))
    print(f"{'views':26}" + "".join(f"{row.views:>16,}" for row in rows))
    for name in _FIGURES:
        print(f"{name:26}" + "".join(f"{getattr(row, name):>16.2f}" for row in rows))
    for part in rows[0].parts:
        print(f"{'  ' + part:26}" + "".join(f"{row.parts[part]:>16.2f}" for row in rows))


def show_encoded(rows: list[Encoded]) -> None:
    print(f"\n{'encoder':9} threads  texts  tokens   texts/s  bare texts/s  overhead  of cpu time")
    for row in rows:
        print(
            f"{'':9} {row.threads:>7} {row.texts:>6} {row.mean_tokens:>7.1f}"
            f" {row.texts_per_s:>9.1f} {row.bare_texts_per_s:>13.1f} {row.overhead_percent:>7.1f} %"
            f" {row.cpu_overhead_percent:>11.1f} %"
        )


def show_linked(row: Linked) -> None:
    print(f"\n8-NN graph of {row.memories:,} memories, one thread")
    print(f"  NeighbourLists.rebuild {row.seconds:8.2f} s, mutual pairs {row.mutual_seconds:.2f} s")
    print(f"  {row.peer:22} {row.peer_seconds:8.2f} s, ratio {row.ratio:.2f}")
    print(
        f"  of processor time      {row.cpu_seconds:8.2f} s, {row.peer_cpu_seconds:.2f} s", end=""
    )
    print(f", ratio {row.cpu_ratio:.2f}")
    if row.agreement is not None:
        print(f"  same first 8 for {100 * row.agreement:.2f} % of the memories")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sizes", default="11000,100000", help="numbers of views")
    parser.add_argument("--neighbours", type=int, default=20_000, help="memories of the 8-NN graph")
    parser.add_argument("--texts", type=int, default=600, help="texts to encode")
    parser.add_argument("--parts", default="question,encoder,neighbours")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "out")
    options = parser.parse_args()
    parts = options.parts.split(",")
    asked: list[Asked] = []
    encoded: list[Encoded] = []
    linked: Linked | None = None
    if "question" in parts:
        for size in options.sizes.split(","):
            asked += ask(int(size))
        show_asked(asked)
    if "encoder" in parts:
        threads = sorted({1, os.cpu_count() or 1})
        encoded = [encode(options.texts, each) for each in threads]
        show_encoded(encoded)
    if "neighbours" in parts:
        linked = link(options.neighbours)
        show_linked(linked)
    options.out.mkdir(parents=True, exist_ok=True)
    report = {
        "python": platform.python_version(),
        "processors": os.cpu_count(),
        "goals": {"question_ratio": QUESTION_GOAL, "encoder_ratio": ENCODER_GOAL},
        "question": [asdict(row) for row in asked],
        "encoder": [asdict(row) for row in encoded],
        "neighbours": asdict(linked) if linked else None,
    }
    (options.out / "question.json").write_text(json.dumps(report, indent=2) + "\n")
    print(f"\nwritten: {options.out}/question.json")


if __name__ == "__main__":
    main()
