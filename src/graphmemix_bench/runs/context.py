"""The archive of a benchmark context: built when a stage needs it, measured while it is built."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from graphmemix.archive import Archive
from graphmemix.errors import InvalidDataError
from graphmemix.evidence import CandidateGraph
from graphmemix.fsio import make_folder, partial_file
from graphmemix.verify.protocol import make_case
from graphmemix_bench.fitting.training_cases import AskedCase, fingerprint
from graphmemix_bench.measures.lifecycle import Cost
from graphmemix_bench.runs.artefacts import content_hash
from graphmemix_bench.runs.ladder import VARIANTS, settings_of
from graphmemix_bench.runs.stages import (
    Candidates,
    Digest,
    Ranking,
    asked_of,
    candidates_key,
    digest_key,
    ranking_key,
)
from graphmemix_bench.vector_cache import EncodingTimer

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from numpy.typing import NDArray

    from graphmemix.encode.protocol import Encoder
    from graphmemix.evidence import Question
    from graphmemix.settings import Settings
    from graphmemix.verify.protocol import Case
    from graphmemix_bench.datasets.base import Context, GoldQuestion
    from graphmemix_bench.runs.stages import Asked, Stages


@contextmanager
def _opened(
    context: Context, encoder: Encoder, settings: Settings
) -> Iterator[tuple[Archive, Digest]]:
    """Build the archive of a context in a temporary folder, and measure what that takes."""
    with (
        tempfile.TemporaryDirectory(prefix="graphmemix-bench-") as folder,
        Archive.open(Path(folder) / "archive", encoder=encoder, settings=settings) as archive,
    ):
        memories = context.with_media(archive.media).memories
        updated = last_tenth(len(memories))
        with EncodingTimer(encoder) as timer:
            archive.add(memories[: len(memories) - updated])
        with EncodingTimer(encoder) as update:
            archive.add(memories[len(memories) - updated :])
        yield (
            archive,
            Digest(
                len(memories), Cost(timer.seconds + update.seconds), Cost(update.seconds), updated
            ),
        )


def last_tenth(count: int) -> int:
    """Return how many memories count as an update of the others: a tenth, at least one."""
    return min(count, max(1, count // 10))


def collect(
    dataset: str,
    context: Context,
    encoder: Encoder,
    settings: Settings,
    strangers: Sequence[GoldQuestion] = (),
) -> list[AskedCase]:
    """Return the questions of a context with their candidates, as a verifier sees them.

    Args:
        dataset: Its name.
        context: The archive, and its own questions.
        encoder: What makes vectors.
        settings: How candidates are retrieved.
        strangers: Questions about another archive, to ask of this one too.
    """
    content = fingerprint(context)
    asked = [(each, False) for each in context.questions] + [(each, True) for each in strangers]
    with _opened(context, encoder, settings) as (archive, _):
        return [
            AskedCase(
                dataset,
                context.name,
                content,
                each,
                _case(archive, each.question),
                settings,
                stranger,
            )
            for each, stranger in asked
        ]


def retrieve(
    dataset: str,
    context: Context,
    encoder: Encoder,
    settings: Settings,
    stages: Stages,
    variants: Collection[str],
    folder: Path,
) -> list[AskedCase]:
    """Make the rows of retrieval and candidates that are missing; return all cases of a context."""
    content = fingerprint(context)
    found: list[AskedCase] = []
    with _opened(context, encoder, settings) as (archive, digest):
        if stages.get(digest_key(context.name, content)) is None:
            stages.put(digest_key(context.name, content), digest)
        for question in context.questions:
            key = candidates_key(asked_of(context.name, content, question))
            with EncodingTimer(encoder) as timer:
                case = _case(archive, question.question)
            if stages.get(key) is None:
                stages.put(key, Candidates(case.graph, timer.seconds))
            found.append(AskedCase(dataset, context.name, content, question, case, settings))
        for name in variants:
            _rank(name, found, archive, stages)
    keep_vectors(folder, content, [each.case for each in found])
    return found


def _rank(name: str, cases: Sequence[AskedCase], archive: Archive, stages: Stages) -> None:
    variant = VARIANTS[name]
    changed = settings_of(variant, archive.settings)
    asking = Archive(archive.store, archive.encoder, changed, kinds=variant.kinds)
    for each in cases:
        key = ranking_key(asked_of(each.context, each.fingerprint, each.question), name)
        if stages.get(key) is not None:
            continue
        with EncodingTimer(archive.encoder) as timer:
            graph = _graph(asking, each.question.question)
        ids = tuple(candidate.memory_id for candidate in graph.candidates)
        scores = tuple(candidate.score for candidate in graph.candidates)
        stages.put(key, Ranking(ids, scores, timer.seconds))


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
    asked: Sequence[Asked], stages: Stages, variants: Collection[str], folder: Path
) -> bool:
    """Return whether nothing is missing for the questions of one context."""
    return vectors_file(folder, asked[0].content).is_file() and all(
        stages.get(candidates_key(each)) is not None
        and all(stages.get(ranking_key(each, name)) is not None for name in variants)
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
    # A memory without a vector gets an axis: like all others without one, unlike the rest.
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
