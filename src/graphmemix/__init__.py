"""GraphMemix: the few memories that answer a question together.

Nouns: `Memory`, `Question`, `Forest`, `Trace`. The optimiser lives in `graphmemix.optimize`.
"""

from graphmemix.errors import (
    GraphMemixError,
    InvalidDataError,
    InvalidInputError,
    InvalidProblemError,
    MissingExtraError,
    SettingsError,
)
from graphmemix.evidence import Answer, Candidate, Edge, Forest, Packet, Question, Trace
from graphmemix.memory import Media, Memory, Place, View
from graphmemix.optimize import Problem, Selection, Solution, select, solve
from graphmemix.settings import Settings

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "Candidate",
    "Edge",
    "Forest",
    "GraphMemixError",
    "InvalidDataError",
    "InvalidInputError",
    "InvalidProblemError",
    "Media",
    "Memory",
    "MissingExtraError",
    "Packet",
    "Place",
    "Problem",
    "Question",
    "Selection",
    "Settings",
    "SettingsError",
    "Solution",
    "Trace",
    "View",
    "__version__",
    "select",
    "solve",
]
