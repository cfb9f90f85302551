"""From a forest to what a reader gets."""

from graphmemix.serialize.order import Tree, arrange

__all__ = ["Tree", "arrange"]
