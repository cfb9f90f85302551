"""The bounded candidate graph."""

from graphmemix.expand.graph import candidate_graph

__all__ = ["candidate_graph"]
