"""What a caller reads when a problem makes no sense, word for word."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graphmemix.errors import (
    GraphMemixError,
    InvalidInputError,
    InvalidProblemError,
    MissingExtraError,
)
from graphmemix.extras import install_command
from graphmemix.optimize import Problem, select, solve
from graphmemix_bench.selectors import SELECTORS, Pool
from graphmemix_bench.selectors.diverse import facility_location, mmr
from graphmemix_bench.selectors.dpp import select as dpp
from graphmemix_bench.selectors.relevance_redundancy import select as relevance_redundancy
from tests.bench.selectors.pools import circle
from tests.optimize import reference as ref

ONE = Pool((0.5,), vectors=circle(0))
NEVER = float("inf")


def problem(**changed: Any) -> Problem:
    parts = {"prizes": (0.5, 0.4), "edges": (), "budget": 2}
    return Problem(**{**parts, "opening_cost": 0.2, "edge_cost_weight": 0.1, **changed})


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"prizes": 7}, "prizes: must be a sequence, not 7"),
        ({"edges": None}, "edges: must be a sequence, not None"),
        ({"prizes": ()}, "prizes: must not be empty"),
        (
            {"prizes": (0.5, "x")},
            "prizes[1]: must be a finite number (at most 1e100), not 'x'",
        ),
        ({"edges": ((0, 1),)}, "edges[0]: must be (anchor, candidate, weight), not (0, 1)"),
        ({"edges": ((2, 1, 1.0),)}, "edges[0]: anchor must be an index in [0, 2), not 2"),
        ({"edges": ((0, -1, 1.0),)}, "edges[0]: candidate must be an index in [0, 2), not -1"),
        ({"edges": ((1, 1, 1.0),)}, "edges[0]: memory 1 cannot support itself"),
        ({"edges": ((0, 1, 2.0),)}, "edges[0]: weight must be in (0, 1], not 2.0"),
        ({"budget": 0}, "budget: must be a whole number >= 1, not 0"),
        (
            {"opening_cost": -1},
            "opening_cost: must be a finite number >= 0 (at most 1e100), not -1",
        ),
        (
            {"edge_cost_weight": None},
            "edge_cost_weight: must be a finite number >= 0 (at most 1e100), not None",
        ),
    ],
)
def test_a_problem_that_makes_no_sense(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidProblemError) as caught:
        problem(**changed)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: solve(problem(), "lp"),  # type: ignore[arg-type]
            "method must be one of exact, published, milp, greedy, not 'lp'",
        ),
        (
            lambda: solve(problem(), "exact", "all"),  # type: ignore[arg-type]
            "cardinality must be one of at_most, exactly, not 'all'",
        ),
        (
            lambda: solve(ref.forest_problem((0.5,) * 21, budget=21), "published"),
            (
                "budget: the published refinement prices all 2^K subsets: 21 memories are too "
                "many (at most 20); use method 'exact'"
            ),
        ),
        (lambda: Pool((0.5,)).similarity, "similarity needs vectors, and the pool has none"),
        (
            lambda: SELECTORS["mmr"](Pool((0.5,)), 1),
            "selector 'mmr' needs vectors, and the pool has none",
        ),
        (
            lambda: Pool((0.5,), vectors=np.array([["a"]])),
            "vectors: must hold real numbers, not <U1",
        ),
        (
            lambda: Pool((0.5, 0.4), vectors=circle(0)),
            "vectors: must have one row for each of 2 candidates, not shape (1, 2)",
        ),
        (
            lambda: Pool((0.5, 0.4), vectors=2 * circle(0, 0)),
            "vectors: row 0 must have length 1, not 2",
        ),
        (
            lambda: mmr(ONE, 1, redundancy_weight=NEVER),
            "redundancy_weight: must be a finite number >= 0, not inf",
        ),
        (
            lambda: relevance_redundancy(ONE, 1, redundancy_weight=-1.0),
            "redundancy_weight: must be a finite number >= 0, not -1.0",
        ),
        (
            lambda: dpp(ONE, 1, quality_weight=NEVER),
            "quality_weight: must be a finite number >= 0, not inf",
        ),
        (lambda: dpp(ONE, 1, width=0.0), "width: must be a finite number > 0, not 0.0"),
        (
            lambda: facility_location(ONE, 1, coverage_weight=NEVER),
            "coverage_weight: must be a finite number >= 0, not inf",
        ),
    ],
)
def test_a_call_that_makes_no_sense(call: Callable[[], object], message: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        call()
    assert str(caught.value) == message


@pytest.mark.parametrize("name", ["anchor_neighbour", "ecv_pointwise"])
def test_a_weight_of_links_that_makes_no_sense(name: str) -> None:
    with pytest.raises(InvalidProblemError) as caught:
        SELECTORS[name](ONE, 1, link_weight=NEVER)  # type: ignore[call-arg]
    assert str(caught.value) == "link_weight: must be a finite number >= 0, not inf"


def test_rows_of_different_lengths_are_told_with_numpys_reason() -> None:
    ragged: Any = [[1.0], [0.6, 0.8]]
    with pytest.raises(InvalidProblemError, match=r"^vectors: must be 2 rows of numbers: .*shape"):
        Pool((0.5, 0.4), vectors=ragged)


def test_the_milp_without_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("scipy", "scipy.optimize", "scipy.sparse"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError) as caught:
        solve(ref.forest_problem((0.5,)), "milp")
    assert str(caught.value) == (
        "A trusted graph that is not a pseudoforest needs the extra 'milp': "
        + install_command("milp")
    )


def test_a_solver_that_gives_up_is_told_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    from scipy import optimize

    class GivenUp:
        status, x, message = 1, None, "Time limit reached."

    monkeypatch.setattr(optimize, "milp", lambda *_, **__: GivenUp())
    with pytest.raises(GraphMemixError) as caught:
        select((0.5, 0.4), method="milp")
    assert str(caught.value) == "HiGHS found no forest: Time limit reached."
