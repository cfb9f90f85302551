"""The frozen candidates that every selector gets, and the shape of a selector (METHOD section 8).

Scores are added and compared as whole numbers of `optimize.problem.GRID`, as the solvers do, so
that equal scores tie to the lower candidate index however the floating-point terms were summed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from graphmemix.errors import InvalidInputError, InvalidProblemError
from graphmemix.optimize.problem import GRID, Problem, TrustedEdge, on_grid

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

# A unit row may have been stored in half precision, whose error is below 1e-3.
_LENGTH_TOLERANCE = 1e-3
_GRID_DECIMALS = -round(math.log10(GRID))


class Selector(Protocol):
    """Chooses from a pool. It is deterministic and ties go to the lower candidate index."""

    def __call__(self, pool: Pool, budget: int) -> tuple[int, ...]:
        """Return exactly ``min(budget, M)`` candidates in the order in which they were picked.

        Raises:
            InvalidInputError: The selector needs vectors and the pool has none.
            InvalidProblemError: The budget, or a constant of the selector, makes no sense.
        """


@dataclass(frozen=True, eq=False)  # arrays have no truth value, so pools are equal by identity
class Pool:
    """Candidates with utilities, trusted links and vectors that no selector may change.

    Attributes:
        prizes: ``p_i``, the utility of each of the M candidates, in retrieval order.
        edges: Trusted links ``(anchor, candidate, weight)`` with weight in (0, 1].
        vectors: M unit rows, or None where no selector will compare candidates. The pool keeps a
            read-only copy.

    Raises:
        InvalidProblemError: Names the first item that makes no sense.
    """

    prizes: tuple[float, ...]
    edges: tuple[TrustedEdge, ...] = ()
    vectors: NDArray[np.float32] | None = None

    def __post_init__(self) -> None:
        checked = self.problem()
        object.__setattr__(self, "prizes", checked.prizes)
        object.__setattr__(self, "edges", checked.edges)
        if self.vectors is not None:
            rows = _checked_vectors(self.vectors, len(self.prizes))
            object.__setattr__(self, "vectors", rows)

    @property
    def size(self) -> int:
        """``M``."""
        return len(self.prizes)

    @cached_property
    def prizes_on_grid(self) -> tuple[int, ...]:
        """The prizes in grid units."""
        return tuple(map(on_grid, self.prizes))

    @cached_property
    def similarity(self) -> NDArray[np.float64]:
        """The cosine of every two candidates, M x M, on the grid; costs O(M^2 d) once.

        Raises:
            InvalidInputError: The pool has no vectors.
        """
        if self.vectors is None:
            raise InvalidInputError("similarity needs vectors, and the pool has none")
        rows = self.vectors.astype(np.float64)
        rows /= np.sqrt((rows * rows).sum(axis=1, keepdims=True))
        # Not `rows @ rows.T`: BLAS adds up in an order that depends on where a row stands, and two
        # copies of a memory would differ in the last bit. Row sums treat every row alike.
        cosine = np.stack([(rows * row).sum(axis=1) for row in rows])
        cosine = np.clip(np.round(cosine, _GRID_DECIMALS), -1.0, 1.0)
        cosine.flags.writeable = False
        return cosine

    def similarity_for(self, selector: str) -> NDArray[np.float64]:
        """Return `similarity` for the selector of that name.

        Raises:
            InvalidInputError: The pool has no vectors; names the selector that needs them.
        """
        if self.vectors is None:
            raise InvalidInputError(f"selector '{selector}' needs vectors, and the pool has none")
        return self.similarity

    def problem(
        self, budget: int = 1, opening_cost: float = 0.0, edge_cost_weight: float = 0.0
    ) -> Problem:
        """Return the forest problem on these candidates (METHOD section 5).

        Raises:
            InvalidProblemError: Names the first item that makes no sense.
        """
        return Problem(self.prizes, self.edges, budget, opening_cost, edge_cost_weight)

    def count(self, budget: int) -> int:
        """Return how many candidates to pick: the budget, or all if there are fewer.

        Raises:
            InvalidProblemError: The budget is not a whole number >= 1.
        """
        return min(self.problem(budget).budget, self.size)

    def by_prize(self, nodes: Iterable[int]) -> tuple[int, ...]:
        """Return `nodes` by falling prize, then lower index."""
        return tuple(sorted(nodes, key=lambda node: (-self.prizes_on_grid[node], node)))


def require_constant(name: str, value: float, *, above_zero: bool = False) -> None:
    """Raise `InvalidProblemError` unless the constant is finite and not negative (or above 0)."""
    if not math.isfinite(value) or value < 0 or (above_zero and value == 0):
        bound = "> 0" if above_zero else ">= 0"
        raise InvalidProblemError(name, f"must be a finite number {bound}, not {value!r}")


def _checked_vectors(vectors: object, size: int) -> NDArray[np.float32]:
    try:
        given = np.asarray(vectors)
    except ValueError as error:  # rows of different lengths
        raise InvalidProblemError("vectors", f"must be {size} rows of numbers: {error}") from None
    if given.dtype.kind not in "fiu":
        raise InvalidProblemError("vectors", f"must hold real numbers, not {given.dtype}")
    if given.ndim != 2 or given.shape[0] != size or given.shape[1] == 0:
        raise InvalidProblemError(
            "vectors", f"must have one row for each of {size} candidates, not shape {given.shape}"
        )
    with np.errstate(over="ignore"):  # an overflow is a length of infinity, which is refused below
        lengths = np.sqrt(np.square(given, dtype=np.float64).sum(axis=1))
    wrong = ~(np.abs(lengths - 1.0) <= _LENGTH_TOLERANCE)  # written so that NaN is wrong
    if wrong.any():
        row = int(wrong.argmax())
        raise InvalidProblemError("vectors", f"row {row} must have length 1, not {lengths[row]:g}")
    rows: NDArray[np.float32] = np.array(given, dtype=np.float32, order="C")
    rows.flags.writeable = False
    return rows
