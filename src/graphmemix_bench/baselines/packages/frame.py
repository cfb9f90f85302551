"""What the packages share: their version, their bridge, one question at a time, and their cost."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import weakref
from dataclasses import dataclass, replace
from importlib import metadata
from typing import TYPE_CHECKING, Final, Protocol

from graphmemix.errors import MissingExtraError, SettingsError
from graphmemix_bench.baselines.frame import listed
from graphmemix_bench.baselines.packages.bridge import Bridge
from graphmemix_bench.baselines.protocol import BaselineHead, Found, Made
from graphmemix_bench.baselines.words import later, with_words
from graphmemix_bench.runs.artefacts import content_hash
from graphmemix_bench.vector_cache import EncodingTimer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphmemix.evidence import Question
    from graphmemix.memory import Memory
    from graphmemix.record import Json
    from graphmemix_bench.baselines.catalogue import BaselineParts
    from graphmemix_bench.baselines.protocol import Journal

_MORE: Final = 3  # results asked for by each memory of the budget: several may be of one memory


@dataclass(frozen=True)
class PackageNames:
    """How a package is called.

    Attributes:
        name: As commands call it.
        title: As reports call it, before its version.
        distribution: As it is installed.
        differs: How it was set up.
        needs_model: Whether it cannot store or find without a model.
    """

    name: str
    title: str
    distribution: str
    differs: str
    needs_model: bool = True


class PackageStore(Protocol):
    """What a package holds of one context. Memories are known to it by slots, such as ``m7``."""

    async def store(self, slots: Sequence[str], texts: Sequence[str]) -> None:
        """Store texts under their slots, in this order."""

    async def search(self, text: str, count: int) -> Sequence[tuple[str, float, str]]:
        """Return slot, score and the package's own words, best first; slots may repeat."""


class PackageOpener(Protocol):
    """Opens an empty store of a package in a folder, on a bridge."""

    def __call__(self, folder: str, bridge: Bridge, parts: BaselineParts) -> PackageStore:
        """Return the store."""


class PackageSystem:
    """A package as a baseline."""

    def __init__(self, names: PackageNames, parts: BaselineParts, opener: PackageOpener) -> None:
        """Check that it can run.

        Raises:
            MissingExtraError: The package is not installed.
            SettingsError: It needs a model, and there is none.
        """
        try:
            self._version = metadata.version(names.distribution)
        except metadata.PackageNotFoundError:
            extra = f"baselines-{names.name}"
            raise MissingExtraError(extra, f"the baseline {names.name}") from None
        if names.needs_model and parts.chat is None:
            raise SettingsError("model.base_url", f"{names.title} needs a model; name a server")
        self._names = names
        self._parts = parts
        self._open = opener
        self._bridge = Bridge(parts.encoder, parts.chat)
        weakref.finalize(self, self._bridge.close)

    @property
    def head(self) -> BaselineHead:
        """Its name, and what decides its results."""
        names, chat = self._names, self._parts.chat
        model = chat.identity if chat is not None and names.needs_model else "none"
        decides: Json = [names.name, "1", self._version, self._parts.encoder.identity, model]
        return BaselineHead(
            names.name,
            f"{names.title}, package {self._version}",
            f"the package itself; {names.differs}.",
            f"{names.name}:{content_hash(decides)[:12]}",
        )

    async def build(self, memories: Sequence[Memory], journal: Journal) -> PackageBuilt:
        """Store all memories. The store is removed with what is returned; its cost is kept."""
        stored, texts = with_words(memories)
        folder = tempfile.mkdtemp(prefix=f"graphmemix-{self._names.name}-")
        bridge = self._bridge.serve()
        bridge.asking = False
        store = self._open(folder, bridge, self._parts)
        with EncodingTimer(self._parts.encoder) as timer:
            await store.store([f"m{place}" for place in range(len(stored))], texts)
        cost = bridge.taken("write", timer.seconds)
        if journal.get("build") is None:
            journal.put("build", Made(None, (cost,)))
        built = PackageBuilt(self._bridge, store, stored)
        weakref.finalize(built, shutil.rmtree, folder, ignore_errors=True)
        return built


class PackageBuilt:
    """The memories of a context in a package's own store."""

    def __init__(
        self,
        bridge: Bridge,
        store: PackageStore,
        memories: Sequence[Memory],
    ) -> None:
        self._bridge = bridge
        self._store = store
        self._memories = memories
        self._turn = asyncio.Lock()

    async def find(self, question: Question, budget: int) -> Found:
        """Return the first K memories among the results, each with the words of its best one."""
        captions = [image.caption for image in question.images if image.caption]
        text = " ".join([question.text, *captions])
        hidden = later(self._memories, question)
        count = min(_MORE * budget + len(hidden), max(len(self._memories), 1) * _MORE)
        async with self._turn:
            self._bridge.serve().asking = True
            start = asyncio.get_running_loop().time()
            results = await self._store.search(text, count) if self._memories else ()
            seconds = asyncio.get_running_loop().time() - start
            cost = self._bridge.taken("search", seconds)
        best: dict[str, float] = {}
        words: dict[str, str] = {}
        for slot, score, said in results:
            place = int(slot.removeprefix("m"))
            memory_id = self._memories[place].id
            if place not in hidden and memory_id not in best:
                best[memory_id], words[memory_id] = score, said
        found = listed(best.items(), budget, words, 0.0, seen=float(len(best)))
        return replace(found, costs=(cost,))
