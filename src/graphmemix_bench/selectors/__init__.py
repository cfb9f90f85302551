"""Selectors on frozen candidates, for comparison with the forest (METHOD section 8).

All get the same utilities, vectors and trusted links and return exactly K.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from graphmemix_bench.selectors import (
    anchor_neighbour,
    dpp,
    ecv_pointwise,
    exact_forest,
    facility_location,
    forest_proposal,
    greedy_forest,
    mmr,
    relevance_redundancy,
    top_k,
)
from graphmemix_bench.selectors.pool import Pool, Selector

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Pool", "SELECTORS", "Selector"]

# In the order of METHOD section 8, under the names of the published table.
SELECTORS: Final[Mapping[str, Selector]] = {
    "node_top_k": top_k.select,
    "mmr": mmr.select,
    "relevance_redundancy": relevance_redundancy.select,
    "dpp": dpp.select,
    "facility_location": facility_location.select,
    "anchor_neighbour": anchor_neighbour.select,
    "ecv_pointwise": ecv_pointwise.select,
    "greedy_forest": greedy_forest.select,
    "forest_proposal": forest_proposal.select,
    "exact_forest": exact_forest.select,
}
