"""What links add to the objective (METHOD section 5): the terms of a search, and gains by them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from graphmemix.evidence import EvidenceNode, EvidenceTree, Forest, Terms
from graphmemix.optimize.forest import LOCAL, forest_of, opening_cost, raise_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphmemix.evidence import Increment, Support
    from graphmemix.settings import Settings

__all__ = ["priced_forest", "terms_of", "with_gains"]


def priced_forest(
    supports: Sequence[Support],
    increments: Sequence[Increment],
    settings: Settings,
    verifier: str = "",
) -> Forest | None:
    """Return the forest of `optimize.forest.forest_of`, with its terms and the gains of its links.

    A pure function of its arguments, as that one is.
    """
    forest = forest_of(supports, increments, settings, verifier)
    return None if forest is None else with_gains(forest, terms_of(verifier, settings))


def terms_of(verifier: str, settings: Settings) -> Terms:
    """Return the terms on which `forest_of` chooses."""
    chosen = settings.forest
    proposal = opening_cost(verifier, settings)
    one_cost = chosen.single_stage or verifier.startswith(LOCAL)
    return Terms(
        budget=chosen.budget,
        proposal_opening_cost=proposal,
        refinement_opening_cost=proposal if one_cost else chosen.refinement_opening_cost,
        edge_cost_weight=chosen.edge_cost_weight,
        raised=raise_of(verifier, settings),
        single_stage=chosen.single_stage,
    )


def with_gains(forest: Forest, terms: Terms) -> Forest:
    """Return a forest that was chosen on these terms, with the gain of each of its links."""
    trees = tuple(
        EvidenceTree(tuple(_with_gain(node, terms) for node in tree.nodes)) for tree in forest.trees
    )
    return replace(forest, trees=trees, terms=terms)


def _with_gain(node: EvidenceNode, terms: Terms) -> EvidenceNode:
    return node if node.weight is None else replace(node, gain=terms.gain(node.weight))
