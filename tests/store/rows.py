"""Rows of vectors with a plain table beside them, which says what is right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphmemix.store import unit_vectors
from graphmemix.store.sidecar import Sidecar
from graphmemix.store.unit_vectors import Kernel

Floats: TypeAlias = NDArray[np.float32]
Integers: TypeAlias = NDArray[np.int64]
KEY = "archive/encoder"


def unit(rows: NDArray[np.floating]) -> Floats:
    result: Floats = (rows / np.linalg.norm(rows, axis=-1, keepdims=True)).astype(np.float32)
    return result


class Table:
    """What the database would hold: the truth that the sidecar is compared with."""

    def __init__(self, dimension: int) -> None:
        self.views = np.empty(0, np.int64)
        self.owners = np.empty(0, np.int64)
        self.kinds = np.empty(0, np.uint8)
        self.vectors = np.empty((0, dimension), np.float32)

    def add(self, views: Integers, owners: Integers, kinds: ArrayLike, vectors: Floats) -> None:
        self.views = np.concatenate([self.views, views])
        self.owners = np.concatenate([self.owners, owners])
        self.kinds = np.concatenate([self.kinds, np.asarray(kinds, np.uint8)])
        self.vectors = np.concatenate([self.vectors, vectors])

    def drop(self, views: Integers) -> None:
        self.keep(~np.isin(self.views, views))

    def keep(self, mask: NDArray[np.bool_]) -> None:
        self.views, self.owners = self.views[mask], self.owners[mask]
        self.kinds, self.vectors = self.kinds[mask], self.vectors[mask]

    def copy(self) -> Table:
        other = Table(self.vectors.shape[1])
        other.add(self.views, self.owners, self.kinds, self.vectors)
        return other

    def best(self, query: Floats, limit: int) -> list[tuple[float, int, int]]:
        """Return score, owner and best view of the best owners; ties to the lower number."""
        best: dict[int, tuple[float, int, int]] = {}
        scores = unit_vectors.scores(self.vectors, query).tolist()
        for score, owner, view in zip(
            scores, self.owners.tolist(), self.views.tolist(), strict=True
        ):
            found = (-score, owner, view)
            best[owner] = min(found, best.get(owner, found))
        return sorted(best.values())[:limit]

    def filled(self, kernel: Kernel | None = None) -> Sidecar:
        """Return a new sidecar with these rows."""
        made = Sidecar.empty(KEY, self.vectors.shape[1], kernel=kernel)
        made.append(self.views, self.owners, self.kinds, self.vectors)
        return made


def check(
    made: Sidecar,
    table: Table,
    query: Floats,
    limit: int,
    *,
    kinds: Sequence[int] | None = None,
    allowed: Integers | None = None,
) -> int:
    """Compare a search with the full scan; return how many candidates there were."""
    views, owners = made.candidates(query, limit, kinds=kinds, allowed=allowed)
    truth = table.copy()
    if kinds is not None:
        truth.keep(np.isin(truth.kinds, kinds))
    if allowed is not None:
        truth.keep(np.isin(truth.owners, allowed))
    found = truth.copy()
    found.keep(np.isin(found.views, views))
    assert found.views.tolist() == sorted(views.tolist())  # each once, none that should not be
    assert dict(zip(found.views.tolist(), found.owners.tolist(), strict=True)) == dict(
        zip(views.tolist(), owners.tolist(), strict=True)
    )
    assert found.best(query, limit) == truth.best(query, limit)
    if len(set(truth.owners.tolist())) < limit:
        assert len(views) == len(truth.views)
    return len(views)


def made_up(rows: int, dimension: int, *, seed: int = 0, spread: float = 0.3) -> Table:
    """Return clustered rows: near duplicates, exact duplicates, several views per owner."""
    random = np.random.default_rng(seed)
    centres = random.standard_normal((max(2, rows // 100), dimension))
    places = np.sort(random.integers(0, len(centres), rows))
    vectors = unit(centres[places] + spread * random.standard_normal((rows, dimension)))
    copies = random.integers(0, rows, rows // 5)
    vectors[random.integers(0, rows, rows // 5)] = vectors[copies]
    views = np.cumsum(random.integers(1, 4, rows))
    table = Table(dimension)
    table.add(views, np.arange(rows) // 3, random.integers(0, 4, rows), vectors)
    return table


def grow(made: Sidecar, table: Table, rows: int, *, seed: int = 1) -> None:
    """Append the same new rows to both."""
    more = made_up(rows + 1, made.dimension, seed=seed)
    more.keep(np.arange(rows + 1) < rows)
    more.views += made.highest
    made.append(more.views, more.owners, more.kinds, more.vectors)
    table.add(more.views, more.owners, more.kinds, more.vectors)


def shrink(made: Sidecar, table: Table, views: Integers) -> None:
    """Remove the same views from both."""
    made.remove(views)
    table.drop(views)
