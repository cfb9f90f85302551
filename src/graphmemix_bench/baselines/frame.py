"""What whole systems share: their name, their model, and how their identity is worked out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from graphmemix.errors import SettingsError
from graphmemix.evidence import StageCost
from graphmemix_bench.baselines.asking import Asker, prompt_marks
from graphmemix_bench.baselines.protocol import BaselineHead, Found, Made
from graphmemix_bench.runs.artefacts import content_hash

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

    from graphmemix.encode.protocol import Encoder
    from graphmemix.llm import Chat
    from graphmemix.record import Json
    from graphmemix.settings import Settings
    from graphmemix_bench.baselines.asking import Asked
    from graphmemix_bench.baselines.catalogue import BaselineParts
    from graphmemix_bench.baselines.options import BaselineOptions
    from graphmemix_bench.baselines.protocol import Journal


@dataclass(frozen=True)
class Titles:
    """How a system is called.

    Attributes:
        name: As commands call it.
        title: As reports call it.
        differs: What is not as in the original.
        stands_in: What does the model's work where there is none; empty if nothing can.
    """

    name: str
    title: str
    differs: str
    stands_in: str = ""


@dataclass(frozen=True)
class System:
    """A re-implemented system, with a model or with its stand-ins."""

    titles: Titles
    encoder: Encoder
    settings: Settings
    options: BaselineOptions
    chat: Chat | None
    prompts: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()

    @property
    def head(self) -> BaselineHead:
        """Its name, and what decides its results."""
        names = self.titles
        with_model = self.chat is not None
        decides: Json = [
            names.name,
            "1",
            self.encoder.identity,
            self.chat.identity if self.chat else "none",
            prompt_marks(*self.prompts) if with_model else "",
            dict(self.options.of(*self.prefixes)) if self.prefixes else {},
            [self.settings.views.chunk_characters, self.settings.views.chunk_overlap],
        ]
        return BaselineHead(
            names.name,
            names.title if with_model else f"{names.title} (no model)",
            f"re-implemented; {names.differs if with_model else names.stands_in}.",
            f"{names.name}:{content_hash(decides)[:12]}",
        )

    @classmethod
    def opened(
        cls,
        titles: Titles,
        parts: BaselineParts,
        prompts: tuple[str, ...],
        prefixes: tuple[str, ...],
    ) -> Self:
        """Return the system on these parts.

        Args:
            titles: How it is called.
            parts: What it is made of.
            prompts: Its prompts, which are part of its identity.
            prefixes: How the names of its options begin, which are part of it too.

        Raises:
            SettingsError: It has no stand-in, and there is no model.
        """
        if parts.chat is None and not titles.stands_in:
            raise SettingsError("model.base_url", f"{titles.title} needs a model; name a server")
        return cls(
            titles,
            parts.encoder,
            parts.settings,
            parts.options,
            parts.chat,
            prompts,
            (*prefixes, "retries"),
        )

    @property
    def model(self) -> Chat:
        """The model of a system that cannot do without.

        Raises:
            SettingsError: There is none.
        """
        if self.chat is None:
            raise SettingsError("model.base_url", f"{self.titles.title} needs a model")
        return self.chat

    def asker(self) -> Asker | None:
        """Return who asks the model; None without one."""
        if self.chat is None:
            return None
        return Asker(self.chat, self.titles.name, self.options.retries)


def made_of(reply: Asked[Any], value: Json, memories: Sequence[str]) -> Made:
    """Return a row of a build from a reply."""
    return Made(value, (reply.cost,), reply.repairs, tuple(memories))


def listed(
    ranked: Iterable[tuple[str, float]],
    budget: int,
    words: Mapping[str, str],
    seconds: float,
    **more: float,
) -> Found:
    """Return the first K of a ranking in a system's own words, without pictures."""
    kept = list(ranked)[:budget]
    picks = tuple(memory_id for memory_id, _ in kept)
    return Found(
        picks,
        picks,
        tuple(score for _, score in kept),
        {memory_id: words[memory_id] for memory_id in picks if memory_id in words},
        pictures=False,
        costs=(StageCost("search", seconds),),
        figures=more,
    )


def with_filter(found: Found, reply: Asked[Any]) -> Found:
    """Return a result with what a call about it took."""
    return replace(found, costs=(*found.costs, reply.cost), repairs=reply.repairs)


async def kept(journal: Journal, key: str, make: Callable[[], Awaitable[Made]]) -> Made:
    """Return a row of the journal, or make it and keep it."""
    row = journal.get(key)
    if row is None:
        row = await make()
        journal.put(key, row)
    return row
