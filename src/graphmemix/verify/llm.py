"""The verifier that asks a language model: two calls at once, or one for both (METHOD 3, 4, 7)."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from graphmemix.errors import ModelError
from graphmemix.evidence import Support
from graphmemix.llm.limits import Meter
from graphmemix.settings.forest import terms_of
from graphmemix.verify import captions, ecv, joint, node
from graphmemix.verify.brief import Brief, make_brief
from graphmemix.verify.calibration import Calibration
from graphmemix.verify.protocol import Case, Verdict, Verifier

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator
    from typing import Any

    from graphmemix.evidence import Increment, StageCost
    from graphmemix.llm.chat import Chat
    from graphmemix.settings import Settings

__all__ = ["LlmVerifier"]

_A = TypeVar("_A")
_B = TypeVar("_B")


class LlmVerifier:
    """A `Verifier` that asks a chat model.

    With `verifier.calls` set to ``two`` the node verifier and the edge verifier run at the same
    time; set to ``joint``, one call gives both judgments. Without eligible links there is no edge
    call. Every repair of a reply is counted in `Verdict.repairs`, as ``stage.repair``.
    """

    def __init__(
        self,
        chat: Chat,
        settings: Settings,
        calibration: Calibration | None = None,
        *,
        degrade_to: Verifier | None = None,
        known_caption: Callable[[str], str] | None = None,
    ) -> None:
        """Use a model.

        Args:
            chat: The model.
            settings: Sections `verifier`, `edges` and `utility`.
            calibration: For this model and the archive's encoder; None for the published one.
            degrade_to: The verifier to use if the model fails; without, the error is raised.
            known_caption: Returns the archive's caption of a picture by SHA-256, or "".
        """
        self._chat = chat
        self._settings = settings
        self._terms = terms_of(settings, "utility")
        self._calibration = calibration or Calibration.published(settings.utility)
        self._degrade_to = degrade_to
        self._known_caption = known_caption
        self._captioner = captions.Captioner(chat, settings.verifier)

    @property
    def identity(self) -> str:
        """Model, variant, and a hash of all prompts used."""
        calls = self._settings.verifier.calls
        prompts = (joint.PROMPT,) if calls == "joint" else (node.PROMPT, ecv.PROMPT)
        digests = " ".join(prompt.digest for prompt in (*prompts, captions.PROMPT))
        digest = hashlib.sha256(digests.encode()).hexdigest()[:12]
        return f"llm:{self._chat.identity}:{calls}:{digest}"

    async def verify(self, case: Case) -> Verdict:
        """Return the verdict; if the model failed, that of `degrade_to` with the failed calls.

        Raises:
            ModelError: The model failed without `degrade_to`, or the question was cancelled.
        """
        ledger = _Ledger()
        if not case.candidates:
            return Verdict((), (), verifier=self.identity, terms=self._terms)
        try:
            scores, increments = await self._judge(case, ledger)
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
            )
        supports = tuple(
            Support(
                candidate.memory_id,
                support := scores.get(candidate.memory_id, 0.0),
                self._calibration.utility(candidate.score, support),
            )
            for candidate in case.candidates
        )
        repairs = dict(+ledger.repairs)
        return Verdict(
            supports,
            increments,
            tuple(ledger.costs),
            repairs,
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
        return await _both(self._nodes(brief, ledger), self._edges(brief, ledger))

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
