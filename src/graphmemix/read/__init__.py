"""Answers a question from a packet, with citations: by a model, or by quotation."""

from graphmemix.read.abstain import with_chance
from graphmemix.read.citations import find_citations
from graphmemix.read.extractive import ExtractiveReader
from graphmemix.read.llm import LlmReader
from graphmemix.read.protocol import Reader, Reading

__all__ = [
    "ExtractiveReader",
    "LlmReader",
    "Reader",
    "Reading",
    "find_citations",
    "with_chance",
]
