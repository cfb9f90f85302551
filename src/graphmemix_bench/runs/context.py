"""The archive of a benchmark context: built when a stage needs it, measured while it is built."""

from __future__ import annotations

import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np

from graphmemix.archive import Archive
from graphmemix.errors import InvalidDataError
from graphmemix.evidence import CandidateGraph
from graphmemix.fsio import make_folder, partial_file
from graphmemix.verify.case import make_case
from graphmemix_bench.fitting.training_cases import AskedCase, fingerprint
from graphmemix_bench.measures.lifecycle import Cost
from graphmemix_bench.runs.artefacts import content_hash
from graphmemix_bench.runs.ladder import VARIANTS, settings_of
from graphmemix_bench.runs.stages import Candidates, Digest, Ranking, asked_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from numpy.typing import NDArray

    from graphmemix.evidence import Question
    from graphmemix.settings import Settings
    from graphmemix.verify.protocol import Case
    from graphmemix_bench.datasets.base import Context
    from graphmemix_bench.runs.stages import Asked, OpenBooks
    from graphmemix_bench.vector_cache import RememberingEncoder


@contextmanager
def opened(
    context: Context, encoder: RememberingEncoder, settings: Settings
) -> Iterator[tuple[Archive, Digest]]:
    """Build the archive of a context in a temporary folder, and say what that took."""
    with (
        tempfile.TemporaryDirectory(prefix="graphmemix-bench-") as folder,
        Archive.open(Path(folder) / "archive", encoder=encoder, settings=settings) as archive,
    ):
        with _Timer(encoder) as timer:
            archive.add(context.with_media(archive.media).memories)
        yield archive, Digest(len(context.memories), Cost(seconds=timer.seconds))


def retrieve(
    dataset: str,
    context: Context,
    encoder: RememberingEncoder,
    settings: Settings,
    books: OpenBooks,
    variants: Collection[str],
    folder: Path,
) -> list[AskedCase]:
    """Make the rows of retrieval and candidates that are missing; return all cases of a context."""
    content = fingerprint(context)
    found: list[AskedCase] = []
    with opened(context, encoder, settings) as (archive, digest):
        if books.digest(context.name, content) is None:
            books.put_digest(context.name, content, digest)
        for question in context.questions:
            asked = asked_of(context.name, content, question)
            with _Timer(encoder) as timer:
                case = _case(archive, question.question)
            if books.candidates(asked) is None:
                books.put_candidates(asked, Candidates(case.graph, timer.seconds))
            found.append(AskedCase(dataset, context.name, content, question, case, settings))
        for name in variants:
            _rank(name, found, archive, encoder, books)
    keep_vectors(folder, content, [each.case for each in found])
    return found


def _rank(
    name: str,
    cases: Sequence[AskedCase],
    archive: Archive,
    encoder: RememberingEncoder,
    books: OpenBooks,
) -> None:
    variant = VARIANTS[name]
    changed = settings_of(variant, archive.settings)
    asking = Archive(archive.store, archive.encoder, changed, kinds=variant.kinds)
    for each in cases:
        asked = asked_of(each.context, each.fingerprint, each.question)
        if books.ranking(asked, name) is not None:
            continue
        with _Timer(encoder) as timer:
            graph = _graph(asking, each.question.question)
        ids = tuple(candidate.memory_id for candidate in graph.candidates)
        scores = tuple(candidate.score for candidate in graph.candidates)
        books.put_ranking(asked, name, Ranking(ids, scores, timer.seconds))


def _case(archive: Archive, question: Question) -> Case:
    """Return a question's case; without candidates if the encoder can make nothing of it."""
    try:
        return archive.case(question)
    except InvalidDataError:  # such as a picture without words, and an encoder of words
        return make_case(question, CandidateGraph(()), {}, archive.settings.edges.anchors)


def _graph(archive: Archive, question: Question) -> CandidateGraph:
    try:
        return archive.candidates(question)
    except InvalidDataError:
        return CandidateGraph(())


def is_retrieved(
    asked: Sequence[Asked], books: OpenBooks, variants: Collection[str], folder: Path
) -> bool:
    """Return whether nothing is missing for the questions of one context."""
    return vectors_file(folder, asked[0].content).is_file() and all(
        books.candidates(each) is not None
        and all(books.ranking(each, name) is not None for name in variants)
        for each in asked
    )


def keep_vectors(folder: Path, content: str, cases: Sequence[Case]) -> None:
    """Write the graph vectors of all candidates of a context, for selectors that compare them.

    They are kept at half precision: similarities need no more, and it halves the file.
    """
    rows: dict[str, NDArray[np.float32]] = {}
    for case in cases:
        if case.signals is None:
            continue
        for candidate, vector in zip(case.candidates, case.signals.canonical, strict=True):
            rows[candidate.memory_id] = vector
    path = vectors_file(folder, content)
    make_folder(path.parent)
    with partial_file(path.parent) as partial:
        np.savez_compressed(
            partial.stream,
            ids=np.array(list(rows), dtype=np.str_),
            vectors=np.array(list(rows.values()), dtype=np.float16),
        )
        partial.publish(path)


def kept_vectors(folder: Path, content: str) -> Callable[[Sequence[str]], NDArray[np.float32]]:
    """Return a function from candidates to their unit rows."""
    with np.load(vectors_file(folder, content)) as stored:
        index = {str(memory_id): row for row, memory_id in enumerate(stored["ids"])}
        vectors = stored["vectors"].astype(np.float32)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True) if len(vectors) else vectors
    # A memory without a vector stands on an axis: like all others of its kind, unlike the rest.
    if len(vectors):
        vectors[lengths[:, 0] == 0, 0] = 1.0
        vectors /= np.where(lengths == 0, 1.0, lengths)

    def rows(ids: Sequence[str]) -> NDArray[np.float32]:
        chosen: NDArray[np.float32] = vectors[[index[memory_id] for memory_id in ids]]
        return chosen

    return rows


def vectors_file(folder: Path, content: str) -> Path:
    """Return where the vectors of a context are kept."""
    return folder / "vectors" / f"{content_hash(content)[:16]}.npz"


class _Timer:
    """Wall time, and the time that remembered vectors took when they were made."""

    def __init__(self, encoder: RememberingEncoder) -> None:
        self._encoder = encoder
        self.seconds = 0.0

    def __enter__(self) -> Self:
        self._start, self._saved = time.perf_counter(), self._encoder.saved
        return self

    def __exit__(self, *exception: object) -> None:
        self.seconds = time.perf_counter() - self._start + self._encoder.saved - self._saved
