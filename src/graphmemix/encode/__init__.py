"""From memories to views, and from views to vectors.

Encoders that bring in more than the core are imported when they are named.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from graphmemix.encode.chunks import chunks
from graphmemix.encode.hashing import HashingEncoder
from graphmemix.encode.packaged import MiniLmEncoder
from graphmemix.encode.protocol import Encoder, JointEncoder
from graphmemix.encode.specs import encoder_of
from graphmemix.encode.views import views_of

if TYPE_CHECKING:
    from graphmemix.encode.clip import ClipEncoder
    from graphmemix.encode.endpoint import EndpointEncoder
    from graphmemix.encode.gme import GmeQwen2VlEncoder
    from graphmemix.encode.torch_models import SentenceTransformerEncoder, TransformersEncoder

__all__ = [
    "ClipEncoder",
    "Encoder",
    "EndpointEncoder",
    "GmeQwen2VlEncoder",
    "HashingEncoder",
    "JointEncoder",
    "MiniLmEncoder",
    "SentenceTransformerEncoder",
    "TransformersEncoder",
    "chunks",
    "encoder_of",
    "views_of",
]

_LAZY = {
    "ClipEncoder": "clip",
    "EndpointEncoder": "endpoint",
    "GmeQwen2VlEncoder": "gme",
    "SentenceTransformerEncoder": "torch_models",
    "TransformersEncoder": "torch_models",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
