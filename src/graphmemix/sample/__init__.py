"""A year of one invented household, for the demo and the tests.

::

    from graphmemix.sample import build

    sample = build("sample")  # or: python -m graphmemix.sample sample
"""

from graphmemix.sample.build import Sample, build
from graphmemix.sample.questions import Gold, SampleQuestion, SampleQuestions, gold_ids

__all__ = ["Gold", "Sample", "SampleQuestion", "SampleQuestions", "build", "gold_ids"]
