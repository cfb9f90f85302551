"""What a run compares: rungs of ours with who scores for them, and other systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphmemix_bench.runs.ladder import Rung
from graphmemix_bench.runs.stages import candidates_key, found_key, ranking_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from graphmemix_bench.baselines.protocol import BaselineHead, Mode
    from graphmemix_bench.runs.stages import Asked, Source, Stages, VerifierKind


@dataclass(frozen=True)
class Configuration:
    """A rung, and who scores for it; nobody does for the rungs below the verifiers.

    Attributes:
        rung: Which.
        verifier: Who scores.
        baseline: The other system that stands there instead of a rung of ours.
        mode: What the reader gets of it.
    """

    rung: Rung
    verifier: VerifierKind | None = None
    baseline: BaselineHead | None = None
    mode: Mode = "native"


def configurations(rungs: Sequence[Rung], verifiers: Sequence[VerifierKind]) -> list[Configuration]:
    """Return all configurations: rungs below the verifiers once, others for each verifier."""
    below = [Configuration(rung) for rung in rungs if rung.variant is not None]
    above = [rung for rung in rungs if rung.variant is None]
    return below + [Configuration(rung, kind) for kind in verifiers for rung in above]


def other_systems(
    heads: Iterable[BaselineHead], modes: Sequence[Mode] = ("native",)
) -> list[Configuration]:
    """Return the configurations of baselines, in the order given."""
    return [
        Configuration(
            Rung(
                f"baseline:{head.name}:{mode}",
                head.title if mode == "native" else f"{head.title}, memories",
            ),
            baseline=head,
            mode=mode,
        )
        for head in heads
        for mode in modes
    ]


def source_of(stages: Stages, asked: Asked, each: Configuration) -> Source | None:
    """Return what a configuration chooses from; None if it is not there yet."""
    if each.baseline is not None:
        found = stages.get(found_key(asked, each.baseline.identity))
        return None if found is None else (found,)
    if each.rung.variant is not None:
        ranking = stages.get(ranking_key(asked, each.rung.variant))
        return None if ranking is None else (ranking,)
    candidates = stages.get(candidates_key(asked))
    if candidates is None or each.verifier is None:
        return None
    return stages.scores(asked, candidates, each.verifier)
