"""Pools to select from, and the objectives of METHOD section 8 written down plainly."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from graphmemix_bench.selectors import Pool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

SETTINGS = settings(max_examples=min(60, settings().max_examples), deadline=None)
SEEDS = range(25)


def circle(*degrees: float) -> NDArray[np.float32]:
    """Unit vectors in the plane: the cosine of two is that of the angle between them."""
    angles = np.radians(degrees)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def unit_rows(rows: object) -> NDArray[np.float32]:
    given = np.asarray(rows, dtype=np.float64)
    unit: NDArray[np.float32] = given / np.linalg.norm(given, axis=1, keepdims=True)
    return unit.astype(np.float32)


def random_pool(seed: int, *, size: int = 9, dimensions: int = 4) -> Pool:
    """Real-valued utilities and vectors, so that nothing ties."""
    rng = np.random.default_rng(seed)
    prizes = tuple(rng.random(size).tolist())
    return Pool(prizes, vectors=unit_rows(rng.normal(size=(size, dimensions))))


@st.composite
def pools(draw: st.DrawFn, most: int = 9) -> Pool:
    """Few different utilities and vectors, so that ties and duplicates are common."""
    size = draw(st.integers(1, most))
    prize = st.one_of(st.sampled_from((0.2, 0.5)), st.integers(-20, 100).map(lambda n: n / 100))
    component = st.integers(-1, 2)
    row = st.tuples(component, component, component).filter(any)
    edges = []
    for candidate in range(size):
        anchor = draw(st.integers(0, size - 1))
        if anchor != candidate and draw(st.booleans()):
            edges.append((anchor, candidate, draw(st.sampled_from((0.198, 0.594, 0.99)))))
    return Pool(
        prizes=tuple(draw(st.lists(prize, min_size=size, max_size=size))),
        edges=tuple(edges),
        vectors=unit_rows(draw(st.lists(row, min_size=size, max_size=size))),
    )


def relevance_redundancy(pool: Pool, chosen: Sequence[int]) -> float:
    pairs = sum(pool.similarity[i, j] for i, j in combinations(chosen, 2))
    return sum(pool.prizes[i] for i in chosen) - 0.02 * float(pairs)


def facility_location(pool: Pool, chosen: Sequence[int]) -> float:
    covered = [max(0.0, *(pool.similarity[i, j] for i in chosen)) for j in range(pool.size)]
    return sum(pool.prizes[i] for i in chosen) + 0.25 * float(np.mean(covered))


def log_det(pool: Pool, chosen: Sequence[int]) -> float:
    """Of L with the qualities inside, from distances and not from cosines."""
    assert pool.vectors is not None
    rows = pool.vectors.astype(np.float64)
    distance = np.linalg.norm(rows[:, np.newaxis] - rows, axis=2)
    quality = np.exp(8 * np.array(pool.prizes) / 2)
    kernel = np.outer(quality, quality) * np.exp(-(distance**2) / (2 * 0.5**2))
    return float(np.linalg.slogdet(kernel[np.ix_(chosen, chosen)])[1])
