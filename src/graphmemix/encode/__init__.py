"""From memories to views, and from views to vectors."""

from graphmemix.encode.chunks import chunks
from graphmemix.encode.hashing import HashingEncoder
from graphmemix.encode.minilm import MiniLmEncoder
from graphmemix.encode.protocol import Encoder
from graphmemix.encode.views import views_of

__all__ = ["Encoder", "HashingEncoder", "MiniLmEncoder", "chunks", "views_of"]
