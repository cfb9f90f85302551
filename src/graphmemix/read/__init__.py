"""From a packet to an answer with its sources: by a model, or by quotation."""

from graphmemix.read.extractive import ExtractiveReader
from graphmemix.read.protocol import Reader, Reading

__all__ = ["ExtractiveReader", "Reader", "Reading"]
