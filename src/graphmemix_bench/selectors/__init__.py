"""Selectors on frozen candidates, for comparison with the forest (METHOD section 8).

All get the same utilities, vectors and trusted links and return exactly K.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from graphmemix_bench.selectors import dpp, relevance_redundancy
from graphmemix_bench.selectors.diverse import facility_location, mmr
from graphmemix_bench.selectors.forests import exact_forest, forest_proposal, greedy_forest
from graphmemix_bench.selectors.pool import Pool, Selector
from graphmemix_bench.selectors.ranked import anchor_neighbour, ecv_pointwise, top_k

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Pool", "SELECTORS", "Selector"]

# In the order of METHOD section 8, under the names of the published table.
SELECTORS: Final[Mapping[str, Selector]] = {
    "node_top_k": top_k,
    "mmr": mmr,
    "relevance_redundancy": relevance_redundancy.select,
    "dpp": dpp.select,
    "facility_location": facility_location,
    "anchor_neighbour": anchor_neighbour,
    "ecv_pointwise": ecv_pointwise,
    "greedy_forest": greedy_forest,
    "forest_proposal": forest_proposal,
    "exact_forest": exact_forest,
}
