"""One door to all solvers of the forest problem."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

from graphmemix.errors import InvalidInputError
from graphmemix.optimize import exact, greedy, milp, published
from graphmemix.optimize.problem import Cardinality, Problem, Solution

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Method: TypeAlias = Literal["exact", "published", "milp", "greedy"]

_SOLVERS: Final[Mapping[Method, Callable[[Problem, Cardinality], Solution]]] = {
    "exact": exact.solve,
    "published": published.solve,
    "milp": milp.solve,
    "greedy": greedy.solve,
}


def solve(
    problem: Problem, method: Method = "exact", cardinality: Cardinality = "at_most"
) -> Solution:
    """Return a forest for `problem`.

    Args:
        problem: What to solve.
        method: ``exact`` (optimal, polynomial on pseudoforests, MILP on others), ``published``
            (the paper's swap search and subset enumeration), ``milp`` (HiGHS, any graph) or
            ``greedy`` (forward selection).
        cardinality: ``at_most`` the budget and not empty, or ``exactly`` the budget (all candidates
            if there are fewer).

    Raises:
        InvalidInputError: Unknown method or cardinality.
        MissingExtraError: The MILP is needed and scipy is not installed.
    """
    require_known("method", method, tuple(_SOLVERS))
    require_known("cardinality", cardinality, get_args(Cardinality))
    return _SOLVERS[method](problem, cardinality)


def require_known(what: str, given: str, known: tuple[str, ...]) -> None:
    """Raise `InvalidInputError` unless `given` is one of `known`."""
    if given not in known:
        raise InvalidInputError(f"{what} must be one of {', '.join(known)}, not {given!r}")
