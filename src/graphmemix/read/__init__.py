"""Answers a question from a packet, with citations: by a model, or by quotation."""

from graphmemix.read.chance import in_words, with_chance
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
    "in_words",
    "with_chance",
]
