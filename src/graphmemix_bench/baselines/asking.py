"""Typed calls of a baseline: what they cost, what stands in for a reply that never gets valid."""

from __future__ import annotations

import json
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from pydantic import BaseModel, ConfigDict

from graphmemix.errors import InvalidReplyError
from graphmemix.llm import JsonFormat, Message, Meter, Options
from graphmemix.llm.prompts import load_prompt
from graphmemix.llm.structured import ask, find_json
from graphmemix.read.packet import shortened
from graphmemix.text.quoting import break_signs

if TYPE_CHECKING:
    from graphmemix.evidence import StageCost
    from graphmemix.llm import Chat

_PACKAGE: Final = "graphmemix_bench.baselines.prompts"
_LONGEST: Final = 60_000  # characters: two thirds of a context of 32,768 tokens
_IN_A_ROW: Final = 10  # fallbacks after which the model cannot do this

MEMORY_TOKENS: Final = 1000
"""The most that a reply about a memory may take."""


class Schema(BaseModel):
    """A reply: nothing but what is asked for."""

    model_config = ConfigDict(extra="forbid")


_S = TypeVar("_S", bound=Schema)


@dataclass(frozen=True)
class Asked(Generic[_S]):
    """What came of a call.

    Attributes:
        value: The reply; None if it never got valid, and the fallback counts.
        cost: What it took.
        repairs: What had to be repaired, with counts.
    """

    value: _S | None
    cost: StageCost
    repairs: dict[str, int] = field(default_factory=dict)


class Asker:
    """Asks a model for typed replies on behalf of one baseline."""

    def __init__(self, chat: Chat, name: str, retries: int) -> None:
        self._chat = chat
        self._name = name
        self._retries = retries
        self._failed = 0

    async def reply(
        self, prompt: str, text: str, schema: type[_S], stage: str, tokens: int = MEMORY_TOKENS
    ) -> Asked[_S]:
        """Ask; a reply that stays invalid is None and counted.

        Raises:
            InvalidReplyError: Ten replies in a row were useless: the model cannot do this.
            ModelUnavailableError: The model does not answer.
        """
        page = load_prompt(prompt, _PACKAGE)
        text = break_signs(text)
        repairs: Counter[str] = Counter()
        if len(text) > _LONGEST:
            text = shortened(text, _LONGEST)
            repairs["cut"] += 1
        wanted = json.loads(json.dumps(schema.model_json_schema()))
        rules = "\n".join(page.items("instructions"))
        messages = [Message.system(page.text("system")), Message.user(f"{rules}\n\n{text}")]
        options = Options(0.0, tokens, JsonFormat(prompt, wanted))
        start = time.perf_counter()
        value: _S | None = None
        with Meter() as meter:
            try:
                value = await ask(
                    self._chat,
                    messages,
                    options,
                    lambda said: find_json(said, schema),
                    retries=self._retries,
                    repairs=repairs,
                )
            except InvalidReplyError:
                self._failed += 1
                repairs[f"{self._name}.fallback"] += 1
                if self._failed >= _IN_A_ROW:
                    raise
            else:
                self._failed = 0
        cost = meter.usage.cost_of(stage, time.perf_counter() - start)
        return Asked(value, cost, dict(repairs))


def prompt_marks(*names: str) -> str:
    """Return the hashes of prompts, for an identity."""
    return "-".join(load_prompt(name, _PACKAGE).digest for name in names)


def fenced(text: str) -> str:
    """Return a memory's words between two lines, so that it is seen where they end."""
    return f"===== BEGIN =====\n{text}\n===== END ====="
