"""What one configuration made of one question, read from the artefacts of a run."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graphmemix_bench.baselines.protocol import Found
from graphmemix_bench.datasets.bundle import gold_question
from graphmemix_bench.datasets.catalogue import dataset_of
from graphmemix_bench.judge import Judgment, Prediction, judge_input
from graphmemix_bench.measures.lifecycle import Cost, add_up
from graphmemix_bench.measures.scoring import answer_scores, evidence_scores
from graphmemix_bench.runs.artefacts import STAGES, read_rows, read_run
from graphmemix_bench.runs.baselines import read_heads
from graphmemix_bench.runs.configurations import other_systems, source_of
from graphmemix_bench.runs.execute import read_asked
from graphmemix_bench.runs.stages import Stages, answer_key, candidates_key, chosen_key

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from graphmemix.record import Json
    from graphmemix_bench.datasets.base import GoldQuestion
    from graphmemix_bench.measures.evidence import QuestionScores
    from graphmemix_bench.runs.configurations import Configuration
    from graphmemix_bench.runs.stages import (
        Asked,
        Chosen,
        EdgeScores,
        NodeScores,
        VerifierKind,
    )


@dataclass(frozen=True)
class Outcome:
    """What one configuration made of one question.

    Attributes:
        context: The archive that it was asked of.
        question: What was asked, with its gold.
        chosen: What was taken.
        pool: The candidates, in retrieval order.
        ranking: Memories by falling worth, where the rung ranks all of them; else empty.
        chance: The stated chance that the archive holds the answer; None if none was stated.
        evidence: The scores of the evidence; None for a question without gold.
        answer: The scores of the answer; None if nobody answered.
        cost: Of retrieval, verdict, choice and answer.
        repairs: What had to be repaired in replies of models, with counts.
        failures: Models that failed.
    """

    context: str
    question: GoldQuestion
    chosen: Chosen
    pool: tuple[str, ...]
    ranking: tuple[str, ...]
    chance: float | None
    evidence: QuestionScores | None
    answer: QuestionScores | None
    cost: Cost
    repairs: Mapping[str, int] = field(default_factory=dict)
    failures: int = 0

    @property
    def answerable(self) -> bool:
        """Whether the archive holds the answer."""
        return self.question.response_type != "refusal"


class RunReader:
    """A run, read from its folder: neither the data nor a model is needed.

    Attributes:
        head: What was run.
        about: Counts, and whose coefficients judged which contexts.
        asked: The questions.
        stages: What was made so far.
        heads: Other systems that were asked the same.
    """

    def __init__(self, folder: Path) -> None:
        """Read what is there, also while the run is at work.

        Raises:
            InvalidInputError: There is no run in this folder, or a file of it is damaged.
        """
        self.head = read_run(folder)
        self.dataset = dataset_of(self.head.dataset)
        self.about, self.asked = read_asked(folder)
        self.stages = Stages({stage: read_rows(folder, stage) for stage in STAGES})
        self.heads = read_heads(folder)
        self.budget = int(str(self.head.settings.get("forest.budget", 10)))

    @property
    def others(self) -> list[Configuration]:
        """Other systems of this run, in both modes."""
        return other_systems(self.heads, ("native", "ids"))

    @property
    def verifiers(self) -> list[VerifierKind]:
        """Who scored, in the order of the command."""
        prefix = "verifier "
        known: dict[str, VerifierKind] = {"local": "local", "llm": "llm", "joint": "joint"}
        names = [n.removeprefix(prefix) for n in self.head.identities if n.startswith(prefix)]
        return [known[name] for name in names if name in known]

    def outcome(self, asked: Asked, each: Configuration) -> Outcome | None:
        """Return what a configuration made of a question; None if it is not done."""
        source = source_of(self.stages, asked, each)
        chosen = source and self.stages.get(chosen_key(asked, each.rung.key, source))
        if source is None or chosen is None:
            return None
        question, repairs, failures, chance = gold_question(asked.row), dict[str, int](), 0, None
        ranking: tuple[str, ...] = ()
        if isinstance(source[0], Found):
            found = source[0]
            pool, cost = found.picks, add_up(found.costs)
            repairs.update(found.repairs)
            failures = int(bool(found.error))
        elif len(source) == 1:
            pool = ranking = source[0].memory_ids
            cost = Cost(source[0].seconds)
        else:
            nodes, edges = source
            pool = tuple(support.memory_id for support in nodes.supports)
            ranking = _by_utility(nodes) if each.rung.key == "node" else ()
            candidates = self.stages.get(candidates_key(asked))
            cost = Cost(candidates.seconds if candidates else 0.0) + _verifying(nodes, edges, each)
            repairs.update(nodes.repairs)
            failures, chance = int(bool(nodes.error)), nodes.answerable
        cost += Cost(chosen.seconds)
        answer, said = None, self.stages.get(answer_key(asked, chosen))
        if said is not None:
            prediction = Prediction(said.text, said.error)
            judgment = self._judgment(question, prediction)
            metrics = self.dataset.native
            answer = answer_scores(asked.context, question, prediction, judgment, metrics)
            cost += add_up([said.cost])
            failures += bool(said.error) and not failures
            for name, count in said.repairs.items():
                repairs[name] = repairs.get(name, 0) + count
        evidence = None
        if question.gold:
            evidence = evidence_scores(
                asked.context,
                question,
                chosen.picks,
                refined=chosen.memory_ids if each.rung.key == "forest" else None,
                pool=pool,
                # A bound is not within K: all that it shows counts.
                budget=self.budget,
                counted=len(chosen.picks) if each.baseline and each.baseline.bound else None,
            )
        return Outcome(
            asked.context,
            question,
            chosen,
            pool,
            ranking,
            chance,
            evidence,
            answer,
            cost,
            repairs,
            failures,
        )

    def _judgment(self, question: GoldQuestion, said: Prediction) -> Judgment | None:
        inputs: list[Json] = [judge_input(question, said.text), said.error]
        found = self.stages.rows["judgments"].get(inputs)
        return None if found is None else Judgment.from_json(json.dumps(found))


def _by_utility(nodes: NodeScores) -> tuple[str, ...]:
    """Return memories by falling utility; ties keep the order of retrieval."""
    ranked = sorted(nodes.supports, key=lambda support: -support.utility)
    return tuple(support.memory_id for support in ranked)


def _verifying(nodes: NodeScores, edges: EdgeScores, each: Configuration) -> Cost:
    """Return what the verdict took. Two calls run at once: their time counts once."""
    mine = add_up(nodes.costs)
    if each.rung.key == "node":
        return mine
    both = mine + add_up(edges.costs)
    longest = max(mine.seconds, add_up(edges.costs).seconds)
    return Cost(longest, both.calls, both.input_tokens, both.output_tokens, both.money)
