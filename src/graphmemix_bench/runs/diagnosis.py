"""Frozen candidates of a run: selectors and diagnostics on them (METHOD section 8)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graphmemix.errors import InvalidDataError
from graphmemix.evidence import evidence_chance
from graphmemix.fsio import write_whole
from graphmemix.record import Record
from graphmemix.settings import ForestSettings, LocalSettings
from graphmemix.verify.protocol import Verdict, make_case
from graphmemix_bench.datasets.bundle import gold_question
from graphmemix_bench.measures.diagnostics import (
    EdgeComparison,
    FrozenCase,
    GoldAccessibility,
    SearchTrace,
    StructuralRecovery,
    edge_comparison,
    gold_accessibility,
    search_trace,
    structural_recovery,
)
from graphmemix_bench.measures.reliability import Reliability, reliability
from graphmemix_bench.reports import build
from graphmemix_bench.runs.after_retrieval import scores_for_selectors
from graphmemix_bench.runs.artefacts import content_hash
from graphmemix_bench.runs.ladder import MAIN
from graphmemix_bench.runs.stages import candidates_key, chosen_key, nodes_key, ranking_key
from graphmemix_bench.selectors import SELECTORS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from graphmemix.record import Json
    from graphmemix.verify.protocol import Case
    from graphmemix_bench.datasets.base import GoldQuestion
    from graphmemix_bench.reports.record import SelectorResult
    from graphmemix_bench.runs.stages import Asked, Stages, VerifierKind

_SLOW = "diagnostics.json"


@dataclass
class Frozen:
    """The questions with gold that a verifier has scored.

    Attributes:
        kind: The verifier.
        cases: One per question.
        picks: What each selector took, by case; a selector that is not done with all is left out.
        chances: (chance to be evidence, whether it is) of every candidate.
        answerable: (chance that there is an answer, whether there is) of every question.
    """

    kind: VerifierKind
    cases: list[FrozenCase] = field(default_factory=list)
    picks: dict[str, list[tuple[str, ...]]] = field(default_factory=dict)
    chances: list[tuple[float, bool]] = field(default_factory=list)
    answerable: list[tuple[float, bool]] = field(default_factory=list)

    def add(self, stages: Stages, asked: Asked, settings: Mapping[str, Json]) -> None:
        """Add a question, if it was scored and selected."""
        question = gold_question(asked.row)
        candidates = stages.get(candidates_key(asked))
        source = stages.get(ranking_key(asked, MAIN))
        if candidates is None or source is None:
            return
        judged = stages.get(nodes_key(asked, candidates, self.kind))
        if judged is not None and judged.answerable is not None:
            self.answerable.append((judged.answerable, question.response_type != "refusal"))
        scores = scores_for_selectors(stages, asked, self.kind)
        chosen = scores and stages.get(chosen_key(asked, "forest", scores))
        if scores is None or chosen is None:
            return
        nodes, edges = scores
        anchors = int(str(settings["edges.anchors"]))
        self.cases.append(
            frozen_case(
                asked.context,
                question,
                make_case(question.question, candidates.graph, {}, anchors),
                Verdict(nodes.supports, edges.increments),
                source=source.memory_ids,
                proposal=chosen.picks,
                refined=chosen.memory_ids,
            )
        )
        for name in SELECTORS:
            found = stages.get(chosen_key(asked, f"selector:{name}", scores))
            if found is not None:
                self.picks.setdefault(name, []).append(found.picks)
        for support in nodes.supports:
            chance = evidence_chance(support) if nodes.gives_chances else support.utility
            self.chances.append((chance, support.memory_id in question.gold))


def frozen_case(
    context: str,
    question: GoldQuestion,
    case: Case,
    verdict: Verdict,
    *,
    source: Sequence[str],
    proposal: Sequence[str] = (),
    refined: Sequence[str] = (),
) -> FrozenCase:
    """Return the case with everything by index and nothing left to a model.

    Args:
        context: The archive that it was asked of.
        question: What was asked, with its gold.
        case: Candidates, anchors and eligible links.
        verdict: Utilities and trusted links.
        source: The source's ranking before expansion.
        proposal: What was selected, if it was.
        refined: What the reader gets, if it was refined.
    """
    candidates = tuple(candidate.memory_id for candidate in case.candidates)
    index = {memory_id: place for place, memory_id in enumerate(candidates)}
    utility = {support.memory_id: support.utility for support in verdict.supports}
    return FrozenCase(
        context=context,
        question=question.id,
        type=question.type,
        gold=tuple(sorted(question.gold)),
        source=tuple(source),
        candidates=candidates,
        utilities=tuple(utility[memory_id] for memory_id in candidates),
        edges=tuple(
            (index[each.anchor_id], index[each.memory_id], each.weight)
            for each in verdict.increments
            if each.anchor_id is not None and each.weight > 0
        ),
        eligible=tuple(
            (index[anchor.anchor_id], index[memory_id])
            for memory_id, anchors in case.eligible.items()
            for anchor in anchors
        ),
        proposal=tuple(proposal),
        refined=tuple(refined),
    )


@dataclass(frozen=True)
class Slow(Record):
    """Diagnostics that take a while, kept beside the run.

    Attributes:
        cases: The hash of what they were made from.
        edges: Fixed against trusted edges.
        trace: What the published search did.
    """

    cases: str
    edges: EdgeComparison
    trace: SearchTrace


@dataclass(frozen=True)
class Diagnosis:
    """All diagnostics of one verifier's scores; what does not apply is None or empty."""

    selectors: tuple[SelectorResult, ...] = ()
    accessibility: GoldAccessibility | None = None
    recovery: StructuralRecovery | None = None
    received: StructuralRecovery | None = None
    edges: EdgeComparison | None = None
    trace: SearchTrace | None = None
    reliability: Mapping[str, Reliability] = field(default_factory=dict)


def diagnose(frozen: Frozen, settings: Mapping[str, Json], folder: Path) -> Diagnosis:
    """Return all diagnostics of the frozen cases."""
    if not frozen.cases:
        return Diagnosis(reliability=_reliability(frozen))
    chosen = forest_settings(settings, frozen.kind)
    whole = {name: picks for name, picks in frozen.picks.items() if len(picks) == len(frozen.cases)}
    slow = _slow(frozen, chosen, folder)
    return Diagnosis(
        build.selectors(frozen.cases, whole, budget=chosen.budget),
        gold_accessibility(frozen.cases),
        structural_recovery(frozen.cases),
        structural_recovery(frozen.cases, received=True),
        slow.edges,
        slow.trace,
        _reliability(frozen),
    )


def forest_settings(settings: Mapping[str, Json], kind: VerifierKind) -> ForestSettings:
    """Return the forest's settings of a run; the local verifier has an opening cost of its own."""
    mine = {
        key.removeprefix("forest."): value
        for key, value in settings.items()
        if key.startswith("forest.")
    }
    if kind == "local":
        default = LocalSettings().opening_cost
        mine["proposal_opening_cost"] = settings.get("local.opening_cost", default)
    return ForestSettings.model_validate(mine)


def _slow(frozen: Frozen, settings: ForestSettings, folder: Path) -> Slow:
    cases = [each.to_json() for each in frozen.cases]
    mark = content_hash([settings.model_dump(mode="json"), *cases])
    path = folder / _SLOW
    if path.is_file():
        try:
            kept = Slow.from_json(path.read_bytes())
        except InvalidDataError:
            kept = None
        if kept is not None and kept.cases == mark:
            return kept
    made = Slow(
        mark,
        edge_comparison(frozen.cases, settings=settings),
        search_trace(frozen.cases, settings=settings),
    )
    write_whole(path, made.to_json() + "\n")
    return made


def _reliability(frozen: Frozen) -> dict[str, Reliability]:
    found: dict[str, Reliability] = {}
    for name, pairs in (
        ("chance to be evidence", frozen.chances),
        ("chance of an answer", frozen.answerable),
    ):
        if pairs:
            said, true = zip(*pairs, strict=True)
            found[name] = reliability(said, true)
    return found
