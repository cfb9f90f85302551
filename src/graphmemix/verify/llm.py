"""The verifier that asks a language model: two calls, or one for both (METHOD 3, 4, 7)."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from graphmemix.errors import ModelError
from graphmemix.evidence import Support
from graphmemix.llm.limits import Meter, run_in_thread
from graphmemix.optimize.select import terms_of
from graphmemix.verify import captions, ecv, joint, node, shared
from graphmemix.verify.brief import Brief, make_brief
from graphmemix.verify.calibration import Calibration
from graphmemix.verify.opinion import Combination, Opinion
from graphmemix.verify.protocol import Case, Verdict, Verifier, make_case

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator
    from typing import Any

    from numpy.typing import NDArray

    from graphmemix.evidence import Increment, StageCost
    from graphmemix.llm.chat import Chat
    from graphmemix.settings import Settings
    from graphmemix.verify.local import LocalVerifier

__all__ = ["LlmVerifier"]

_A = TypeVar("_A")
_B = TypeVar("_B")


class LlmVerifier:
    """A `Verifier` that asks a chat model.

    With `verifier.calls` set to ``two`` the node verifier and the edge verifier each make a call;
    set to ``joint``, one call gives both judgments. Without eligible links there is no edge call.
    The second call waits for the first, unless `verifier.at_once` is set: a server that has just
    read the case reads only the task of the second (llama.cpp on a processor: 0.7 s in place of
    23 s for 1,400 tokens), and two calls at once each read all of it.

    Every repair of a reply is counted in `Verdict.repairs`, as ``stage.repair``.
    """

    def __init__(
        self,
        chat: Chat,
        settings: Settings,
        calibration: Calibration | None = None,
        *,
        local: LocalVerifier | None = None,
        weights: Combination | None = None,
        degrade_to: Verifier | None = None,
        known_caption: Callable[[str], str] | None = None,
    ) -> None:
        """Use a model.

        Args:
            chat: The model.
            settings: Sections `verifier`, `edges` and `utility`.
            calibration: For this model and the archive's encoder; None for the published one.
            local: Whose chances are weighed together with the model's scores, in cases that have
                signals; None to use the model's scores and the retrieval scores alone.
            weights: How both are weighed; None if that was not calibrated.
            degrade_to: The verifier to use if the model fails; without, the error is raised.
            known_caption: Returns the archive's caption of a picture by SHA-256, or "".
        """
        self._chat = chat
        self._settings = settings
        self._terms = terms_of(settings, "utility")
        self._calibration = calibration or Calibration.published(settings.utility)
        self._local = local
        self._weights = weights or Combination.uncalibrated()
        self._degrade_to = degrade_to
        self._known_caption = known_caption
        self._captioner = captions.Captioner(chat, settings.verifier)

    @property
    def identity(self) -> str:
        """Model, variant, a hash of all prompts used, and the local verifier if it takes part."""
        calls = self._settings.verifier.calls
        prompts = (joint.PROMPT,) if calls == "joint" else (node.PROMPT, ecv.PROMPT)
        if self._settings.verifier.prompts == "shared":
            prompts = (shared.PROMPT,)
        digests = " ".join(prompt.digest for prompt in (*prompts, captions.PROMPT))
        digest = hashlib.sha256(digests.encode()).hexdigest()[:12]
        own = f"llm:{self._chat.identity}:{calls}:{digest}"
        return own if self._local is None else f"{own}+{self._local.identity}"

    async def verify(self, case: Case) -> Verdict:
        """Return the verdict; if the model failed, that of `degrade_to` with the failed calls.

        Raises:
            ModelError: The model failed without `degrade_to`, or the question was cancelled.
        """
        ledger = _Ledger()
        if not case.candidates:
            return Verdict((), (), verifier=self.identity, terms=self._terms)
        try:
            if self._local is not None and case.signals is not None:
                return await self._weighed(case, self._local, ledger)
            return await self._published(case, ledger)
        except ModelError as error:
            if self._degrade_to is None or error.kind == "cancelled":
                raise
            ledger.repairs[f"degraded.{error.kind}"] += 1
            verdict = await self._degrade_to.verify(case)
            return replace(
                verdict,
                costs=(*ledger.costs, *verdict.costs),
                repairs=Counter(ledger.repairs) + Counter(verdict.repairs),
                verifier=verdict.verifier or self._degrade_to.identity,
                notes=(
                    f"the verifier's model failed ({error}); the local verifier decided instead",
                    *verdict.notes,
                ),
            )

    async def opinion(self, case: Case, local: LocalVerifier) -> Opinion:
        """Return what the model says about the candidates that are likeliest by `local`.

        Raises:
            ModelError: The model failed.
        """
        return await self._opinion(case, local, _Ledger())

    async def _opinion(self, case: Case, local: LocalVerifier, ledger: _Ledger) -> Opinion:
        chances = await run_in_thread(partial(local.chances, case))
        read = _likeliest(case, chances, self._settings)
        scores, increments = await self._judge(read, ledger)
        given = {each.memory_id: scores.get(each.memory_id, 0.0) for each in read.candidates}
        return Opinion(given, increments, self._weights)

    async def _weighed(self, case: Case, local: LocalVerifier, ledger: _Ledger) -> Verdict:
        """Return the local verdict, with the model's scores as one more feature."""
        opinion = await self._opinion(case, local, ledger)
        verdict = await run_in_thread(partial(local.judge, case, opinion))
        supports = tuple(
            replace(each, score=opinion.scores.get(each.memory_id, 0.0))
            for each in verdict.supports
        )
        return replace(
            verdict,
            supports=supports,
            costs=(*ledger.costs, *verdict.costs),
            repairs=dict(+ledger.repairs),
            verifier=self.identity,
        )

    async def _published(self, case: Case, ledger: _Ledger) -> Verdict:
        """Return the verdict of the model and the retrieval scores alone (eq. 14)."""
        scores, increments = await self._judge(case, ledger)
        supports = tuple(
            Support(
                candidate.memory_id,
                support := scores.get(candidate.memory_id, 0.0),
                self._calibration.utility(candidate.score, support),
            )
            for candidate in case.candidates
        )
        return Verdict(
            supports,
            increments,
            tuple(ledger.costs),
            dict(+ledger.repairs),
            self.identity,
            anchors=case.anchors,
            terms=self._terms,
        )

    async def _judge(
        self, case: Case, ledger: _Ledger
    ) -> tuple[dict[str, float], tuple[Increment, ...]]:
        settings, ceiling = self._settings.verifier, self._settings.edges.schema_weight
        brief = make_brief(case, await self._captions(case, ledger), settings)
        if settings.calls == "joint":
            with ledger.stage("joint") as repairs:
                return await joint.judge_jointly(
                    self._chat, brief, settings, repairs, ceiling=ceiling
                )
        if settings.at_once:
            return await _both(self._nodes(brief, ledger), self._edges(brief, ledger))
        scores = await self._nodes(brief, ledger)
        return scores, await self._edges(brief, ledger)

    async def _nodes(self, brief: Brief, ledger: _Ledger) -> dict[str, float]:
        with ledger.stage("node") as repairs:
            return await node.judge_nodes(self._chat, brief, self._settings.verifier, repairs)

    async def _edges(self, brief: Brief, ledger: _Ledger) -> tuple[Increment, ...]:
        if not brief.case.eligible:
            return ()
        ceiling = self._settings.edges.schema_weight
        with ledger.stage("ecv") as repairs:
            return await ecv.judge_edges(
                self._chat, brief, self._settings.verifier, repairs, ceiling=ceiling
            )

    async def _captions(self, case: Case, ledger: _Ledger) -> tuple[str, ...]:
        if not case.question.images:
            return ()

        def known(sha256: str) -> str:
            own = self._known_caption(sha256) if self._known_caption else ""
            return own or captions.archive_caption(case.memories.values(), sha256)

        with ledger.stage("captions") as repairs:
            return await self._captioner.captions(case.question.images, known, repairs)


def _likeliest(case: Case, chances: NDArray[np.float64], settings: Settings) -> Case:
    """Return the case of the candidates that the model is to read, the likeliest first."""
    order = np.argsort(-chances, kind="stable")[: settings.verifier.candidates]
    candidates = tuple(case.candidates[place] for place in order)
    graph = replace(case.graph, candidates=candidates)
    return make_case(case.question, graph, case.memories, settings.edges.anchors)


class _Ledger:
    """Costs and repairs of a verdict, including those of failed stages."""

    def __init__(self) -> None:
        self.costs: list[StageCost] = []
        self.repairs: Counter[str] = Counter()

    @contextmanager
    def stage(self, name: str) -> Iterator[Counter[str]]:
        start = time.perf_counter()
        repairs = Counter[str]()
        with Meter() as meter:
            try:
                yield repairs
            finally:
                self.costs.append(meter.usage.cost_of(name, time.perf_counter() - start))
                for key, count in repairs.items():
                    self.repairs[f"{name}.{key}"] += count


async def _both(first: Coroutine[Any, Any, _A], second: Coroutine[Any, Any, _B]) -> tuple[_A, _B]:
    """Run two calls concurrently; if one fails, the other is cancelled and its cost counted."""
    tasks = asyncio.create_task(first), asyncio.create_task(second)
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
