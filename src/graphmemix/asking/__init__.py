"""How an `Archive` answers questions.

::

    questions.py     `Questions`: the model, the pipeline, and saving of traces
    retrieving.py    from a question to its candidates
"""

from graphmemix.asking.questions import Questions, last_trace
from graphmemix.asking.retrieving import NOT_ENCODED, as_question

__all__ = ["NOT_ENCODED", "Questions", "as_question", "last_trace"]
