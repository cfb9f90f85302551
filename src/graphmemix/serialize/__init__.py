"""From a forest to what a reader gets."""

from graphmemix.serialize.media import Picture, Shown, load_pictures
from graphmemix.serialize.order import Tree, arrange
from graphmemix.serialize.packet import make_packet
from graphmemix.serialize.text import block_text, packet_text

__all__ = [
    "Picture",
    "Shown",
    "Tree",
    "arrange",
    "block_text",
    "load_pictures",
    "make_packet",
    "packet_text",
]
