"""RankGPT: a model orders the first memories of a dense ranking, window by window.

By Sun et al., EMNLP 2023. The honest opponent of a node verifier: the same model, as many calls or
more, ranking instead of scoring. There is no stand-in.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from graphmemix.evidence import StageCost
from graphmemix.verify.snippets import query_weights, snippet
from graphmemix_bench.baselines.asking import Asker, Schema
from graphmemix_bench.baselines.frame import System, Titles
from graphmemix_bench.baselines.protocol import Found
from graphmemix_bench.baselines.rows import Encoding, Rows, asked
from graphmemix_bench.baselines.words import later, with_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphmemix.evidence import Question
    from graphmemix.memory import Memory
    from graphmemix_bench.baselines.catalogue import BaselineParts
    from graphmemix_bench.baselines.protocol import Journal

TITLES: Final = Titles("rankgpt", "RankGPT", "the last window begins at the first memory")


class _Ranked(Schema):
    ranking: list[int]


def windows(count: int, window: int, step: int) -> list[int]:
    """Return where each window begins, from the back to the front; the last one at 0."""
    starts = list(range(max(0, count - window), 0, -step))
    return [*starts, 0] if count else []


def reordered(rows: Sequence[int], numbers: Sequence[int]) -> list[int]:
    """Return rows in the order of a reply; what it leaves out keeps its order at the end."""
    named = dict.fromkeys(n - 1 for n in numbers if 1 <= n <= len(rows))
    return [rows[n] for n in named] + [row for n, row in enumerate(rows) if n not in named]


class RankGpt(System):
    """RankGPT over a dense ranking."""

    async def build(self, memories: Sequence[Memory], journal: Journal) -> RankGptBuilt:
        """Encode the memories; no call."""
        stored, texts = with_words(memories)
        encoding = Encoding(self.encoder)
        rows = Rows(self.encoder.dimension)
        rows.add(encoding.texts(texts))
        encoding.keep(journal)
        return RankGptBuilt(self, stored, rows)


class RankGptBuilt:
    """The memories of a context with their vectors."""

    def __init__(self, of: RankGpt, memories: Sequence[Memory], rows: Rows) -> None:
        self._of = of
        self._memories = memories
        self._rows = rows

    async def find(self, question: Question, budget: int) -> Found:
        """Return the first K after all windows were ordered."""
        options = self._of.options
        parts, seconds = asked(question, self._of.encoder)
        hits = self._rows.best(parts, options.rankgpt_depth, later(self._memories, question))
        order = [row for row, _ in hits]
        asker = Asker(self._of.model, "rankgpt", options.retries)
        weights, costs = query_weights([question.text]), [StageCost("search", seconds)]
        repairs: Counter[str] = Counter()
        for start in windows(len(order), options.rankgpt_window, options.rankgpt_step):
            rows = order[start : start + options.rankgpt_window]
            passages = [
                f"[{n}] {snippet(self._memories[row], weights, self._of.settings.verifier)}"
                for n, row in enumerate(rows, start=1)
            ]
            text = "\n".join([f"Question: {question.text}", "Passages:", *passages])
            reply = await asker.reply("rankgpt", text, _Ranked, "filter")
            costs.append(reply.cost)
            repairs.update(reply.repairs)
            if reply.value is not None:
                order[start : start + len(rows)] = reordered(rows, reply.value.ranking)
        picks = tuple(self._memories[row].id for row in order[:budget])
        return Found(picks, picks, costs=tuple(costs), repairs=dict(repairs))


def open_rankgpt(parts: BaselineParts) -> RankGpt:
    """Return RankGPT on these parts.

    Raises:
        SettingsError: There is no model.
    """
    return RankGpt.opened(TITLES, parts, ("rankgpt",), ("rankgpt_",))
