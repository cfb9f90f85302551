"""How evidence is chosen: utilities, trusted edges, the forest and its prices, other selectors."""

from __future__ import annotations

from typing import Literal

from graphmemix.settings.sections import Section, constant, switch


class UtilitySettings(Section):
    """Node utility p_i = sigmoid(tau * (alpha * s_i + (1 - alpha) * v_i / 5 - delta)) (eq. 14)."""

    alpha: float = constant(
        0.8, "Weight of the retrieval score.", unit="ratio", source="METHOD 3", ge=0, le=1
    )
    tau: float = constant(5.2, "Slope of the sigmoid.", unit="1/score", source="METHOD 3", gt=0)
    delta: float = constant(0.7, "Midpoint of the sigmoid.", unit="score", source="METHOD 3")
    calibration_file: str = constant(
        "",
        "File with the constants (a, b, c) for an encoder and model, from `graphmemix calibrate`; "
        "empty for the published ones.",
        unit="path",
        source="METHOD 3 (reading)",
    )


class EdgeSettings(Section):
    """Trusted edges (METHOD section 4, eq. 7 to 9)."""

    anchors: int = constant(
        10,
        "Candidates that may be anchors.",
        unit="memories",
        source="METHOD 4 (reading)",
        ge=0,
    )
    schema_weight: float = constant(
        0.99,
        "w_schema: highest weight of an edge.",
        unit="probability",
        source="METHOD 4",
        gt=0,
        le=1,
    )


class ForestSettings(Section):
    """The forest (METHOD section 5, eq. 10 to 13)."""

    method: Literal["exact", "published", "milp", "greedy"] = constant(
        "exact", "Solver.", unit="choice", source="METHOD 5 (ours: exact)"
    )
    budget: int = constant(10, "K: most memories.", unit="memories", source="METHOD 0", ge=1)
    proposal_opening_cost: float = constant(
        0.2, "kappa of the proposal.", unit="utility", source="METHOD 5", ge=0
    )
    refinement_opening_cost: float = constant(
        0.12, "kappa of the refinement.", unit="utility", source="METHOD 5", ge=0
    )
    edge_cost_weight: float = constant(
        0.1, "lambda: price per unit of -ln w.", unit="utility/nat", source="METHOD 4", ge=0
    )
    single_stage: bool = switch(
        "Solve 'at most K' in one stage, at one opening cost, instead of two stages.",
        on=False,
        source="METHOD 5 (ours)",
    )


class SelectorSettings(Section):
    """Other selectors, for comparison (METHOD section 8)."""

    mmr_redundancy: float = constant(
        0.05,
        "MMR: penalty for the closest chosen memory.",
        unit="utility/cosine",
        source="METHOD 8",
        ge=0,
    )
    pair_redundancy: float = constant(
        0.02,
        "Relevance-redundancy: penalty per pair.",
        unit="utility/cosine",
        source="METHOD 8",
        ge=0,
    )
    dpp_quality: float = constant(
        8.0, "DPP: quality is exp(this * p / 2).", unit="1/utility", source="METHOD 8", ge=0
    )
    dpp_width: float = constant(
        0.5, "DPP: width of the RBF kernel.", unit="distance", source="METHOD 8 (reading)", gt=0
    )
    coverage_weight: float = constant(
        0.25, "Facility location: weight of coverage.", unit="utility", source="METHOD 8", ge=0
    )
    neighbour_bonus: float = constant(
        1.6, "Anchor-neighbour: bonus per link.", unit="utility/weight", source="METHOD 8", ge=0
    )
    pointwise_bonus: float = constant(
        0.4,
        "ECV pointwise: bonus for the best link.",
        unit="utility/weight",
        source="METHOD 8",
        ge=0,
    )
