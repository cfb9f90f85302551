"""The local verifier in a run: each context is judged by coefficients that never saw it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graphmemix.fsio import make_folder, partial_file, write_whole
from graphmemix.record import Record
from graphmemix.verify.local import LocalVerifier, load_model
from graphmemix_bench.fitting.training_cases import (
    MIN_CONTEXTS,
    fingerprint,
    refit_without,
    was_fitted_on,
)
from graphmemix_bench.runs.artefacts import content_hash
from graphmemix_bench.runs.context import collect
from graphmemix_bench.runs.plan import data_hash, deciding
from graphmemix_bench.runs.stages import Candidates, EdgeScores, NodeScores, asked_of, nodes_key

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from graphmemix.record import Json
    from graphmemix.verify.local import LocalModel
    from graphmemix_bench.fitting.training_cases import AskedCase
    from graphmemix_bench.runs.plan import Plan
    from graphmemix_bench.runs.stages import Stages
    from graphmemix_bench.vector_cache import RememberingEncoder


@dataclass(frozen=True)
class Coefficients(Record):
    """Which coefficients judge which contexts.

    Attributes:
        given: Contexts that the packaged (or named) coefficients have never seen: they judge.
        refitted: Contexts that they were fitted on: coefficients fitted without them judge.
        skipped: The same, with too few other contexts to fit: nobody judges.
    """

    given: tuple[str, ...] = ()
    refitted: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()


@dataclass
class Local:
    """The local verifiers of a run, by context."""

    who: Coefficients
    models: dict[str, LocalModel] = field(default_factory=dict)

    def verifier(self, context: str, plan: Plan) -> LocalVerifier | None:
        """Return who judges a context; None if nobody may."""
        model = self.models.get(context)
        return None if model is None else LocalVerifier(model, plan.parts.settings)


def sort_contexts(plan: Plan) -> Coefficients:
    """Say which coefficients have to judge which contexts."""
    model = plan.parts.local_model
    seen = [
        context.name
        for context in plan.contexts
        if was_fitted_on(model, plan.dataset.name, context.name, fingerprint(context))
    ]
    can = len(plan.everything) >= MIN_CONTEXTS
    return Coefficients(
        tuple(context.name for context in plan.contexts if context.name not in seen),
        tuple(seen) if can else (),
        () if can else tuple(seen),
    )


def kept_model(folder: Path, context: str) -> Path:
    """Return where the refitted coefficients of a context are kept."""
    plain = re.sub(r"[^\w.-]+", "-", context)[:60].strip(".-")
    return folder / "coefficients" / f"{plain}-{content_hash(context)[:8]}.json"


def _cached_model(cache: Path, plan: Plan, context: str) -> Path:
    """Return where coefficients fitted without a context are kept between runs.

    They depend on all contexts of the data set, on how candidates are retrieved, and on the
    coefficients that the search begins at; not on which contexts a run asks.
    """
    parts = plan.parts
    depends: Json = [
        plan.dataset.name,
        data_hash(plan.everything),
        parts.encoder.identity,
        dict(deciding(parts.settings)),
        parts.local_model.digest,
    ]
    return kept_model(cache / content_hash(depends)[:16], context)


def adopt_refits(plan: Plan, folder: Path, cache: Path, who: Coefficients) -> None:
    """Take over what an earlier run fitted without the same contexts, if it is in the cache."""
    for name in who.refitted:
        path = kept_model(folder, name)
        if path.is_file():
            continue
        cached = _cached_model(cache, plan, name)
        if cached.is_file():
            make_folder(path.parent)
            write_whole(path, cached.read_bytes())


def needs_lessons(folder: Path, who: Coefficients) -> bool:
    """Return whether coefficients have yet to be fitted."""
    return any(not kept_model(folder, name).is_file() for name in who.refitted)


def open_local(
    plan: Plan,
    folder: Path,
    encoder: RememberingEncoder,
    cases: Mapping[str, Sequence[AskedCase]],
    report: Callable[[str], None],
    cache: Path,
) -> Local:
    """Return the local verifiers of all contexts; fit those that have to be, and keep them.

    Args:
        plan: What is run.
        folder: The run's.
        encoder: What makes vectors.
        cases: What was retrieved by context, so that it is not retrieved again.
        report: Called with what is being done.
        cache: Where refits are kept between runs.
    """
    given, who = plan.parts.local_model, sort_contexts(plan)
    local = Local(who, dict.fromkeys(who.given, given))
    lessons: list[AskedCase] = []
    if needs_lessons(folder, who):
        for context in plan.everything:
            found = cases.get(context.name, ())
            if len(found) < len(context.questions):
                report(f"{context.name}: {len(context.questions)} questions, to learn from")
                found = collect(plan.dataset.name, context, encoder, plan.parts.settings)
            lessons += [each for each in found if each.case.candidates]
    for name in who.refitted:
        path = kept_model(folder, name)
        if not path.is_file():
            report(f"{name}: coefficients fitted without it")
            group = f"{plan.dataset.name}/{name}"
            fitted = refit_without(lessons, {group}, encoder.identity, start=given)
            make_folder(path.parent)
            with partial_file(path.parent) as partial:
                fitted.save(partial.path)
                partial.publish(path)
            cached = _cached_model(cache, plan, name)
            make_folder(cached.parent)
            write_whole(cached, path.read_bytes())
        local.models[name] = load_model(path)
    return local


def judge_locally(
    plan: Plan, local: Local, cases: Mapping[str, Sequence[AskedCase]], stages: Stages
) -> None:
    """Make the verdicts of the local verifier that are missing."""
    for context in plan.contexts:
        verifier = local.verifier(context.name, plan)
        if verifier is None:
            continue
        for each in cases.get(context.name, ()):
            asked = asked_of(each.context, each.fingerprint, each.question)
            candidates = Candidates(each.case.graph, 0.0)
            if stages.get(nodes_key(asked, candidates, "local")) is None:
                stages.put_scores(asked, candidates, "local", scores_of(verifier, each))


def scores_of(verifier: LocalVerifier, each: AskedCase) -> tuple[NodeScores, EdgeScores]:
    """Return the local verdict on a case; an empty one where nothing was retrieved."""
    if not each.case.candidates:
        return NodeScores((), verifier.identity), EdgeScores(())
    found = verifier.judge(each.case)
    return (
        NodeScores(
            found.supports,
            found.verifier,
            found.costs,
            found.repairs,
            found.answerable,
            terms=found.terms,
        ),
        EdgeScores(found.increments),
    )
