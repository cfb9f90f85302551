"""How an `Archive` answers questions.

::

    questions.py     `Questions`: the model, the pipeline, and saving of traces
    retrieving.py    from a question to its candidates
    wanted.py        which memories are wanted: `since`, `kinds`, `people`, `near` and so on

The stages of a question are imported when the first one is asked: other uses of an archive start
without them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from graphmemix.asking.wanted import Names, Near, Wanted, lists_wanted, wanted_filter, wanted_in

if TYPE_CHECKING:
    from graphmemix.asking.questions import Questions, last_trace
    from graphmemix.asking.retrieving import NOT_ENCODED, as_question

__all__ = [
    "NOT_ENCODED",
    "Names",
    "Near",
    "Questions",
    "Wanted",
    "as_question",
    "last_trace",
    "lists_wanted",
    "wanted_filter",
    "wanted_in",
]

_LAZY = {
    "NOT_ENCODED": "retrieving",
    "Questions": "questions",
    "as_question": "retrieving",
    "last_trace": "questions",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
