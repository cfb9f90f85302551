"""On which terms a forest is chosen: the one place that sets its prices (METHOD section 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmemix.evidence import Terms

if TYPE_CHECKING:
    from graphmemix.evidence import Scale
    from graphmemix.settings.loading import Settings


def terms_of(settings: Settings, scale: Scale) -> Terms:
    """Return the terms for verdicts of a scale.

    Utilities are priced as published, by section `forest`. Chances are small numbers, and their
    opening cost has to leave room for the gains of links, so section `local` has one of its own,
    for both stages. To chances `raised` is added before the search: for all alike, so that it
    changes no proposal of K memories, and decides which of them pay for their place in the end.
    """
    forest, local = settings.forest, settings.local
    if scale == "chance":
        proposal = refinement = local.opening_cost
        raised = local.opening_cost - local.keep_above
    else:
        proposal, refinement = forest.proposal_opening_cost, forest.refinement_opening_cost
        raised = 0.0
    return Terms(
        budget=forest.budget,
        proposal_opening_cost=proposal,
        refinement_opening_cost=proposal if forest.single_stage else refinement,
        edge_cost_weight=forest.edge_cost_weight,
        raised=raised,
        single_stage=forest.single_stage,
        scale=scale,
    )
