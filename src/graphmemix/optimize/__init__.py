"""The evidence-forest optimiser: the problem, its solvers, the two-stage selection."""

from graphmemix.optimize.problem import Cardinality, Problem, Solution, TrustedEdge
from graphmemix.optimize.published import Swap
from graphmemix.optimize.select import Method, Selection, select, solve

__all__ = [
    "Cardinality",
    "Method",
    "Problem",
    "Selection",
    "Solution",
    "Swap",
    "TrustedEdge",
    "select",
    "solve",
]
