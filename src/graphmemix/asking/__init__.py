"""How an `Archive` answers questions.

::

    questions.py     `Questions`: the model, the pipeline, and saving of traces
    retrieving.py    from a question to its candidates
    wanted.py        which memories are wanted: `since`, `kinds`, `people`, `near` and so on
"""

from graphmemix.asking.questions import Questions, last_trace
from graphmemix.asking.retrieving import NOT_ENCODED, as_question
from graphmemix.asking.wanted import Names, Near, Wanted, lists_wanted, wanted_filter

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
]
