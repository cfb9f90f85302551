"""Questions that fit an archive, tried in the background.

A question is suggested only after it was tried: the archive must hold its answer, and the answer
must begin with a memory that the question was made from. With a model in the settings trying would
cost calls, so that there the memory has to be among the best candidates instead.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from graphmemix.errors import GraphMemixError
from graphmemix.read.chance import DOES_NOT_SEEM, HOLDS, in_words
from graphmemix.serve.access_log import logger
from graphmemix.serve.suggestion_drafts import drafted

if TYPE_CHECKING:
    from graphmemix.archive import Archive
    from graphmemix.serve.archives import ServedArchive
    from graphmemix.serve.suggestion_drafts import Draft

__all__ = ["Suggested", "Suggester"]

_MOST: Final = 5
_MOST_TRIED: Final = 15
_SECONDS: Final = 30.0  # of trying: on a slow machine or a huge archive fewer are suggested
_LONGEST_PAUSE: Final = 1.0  # seconds
_BEST: Final = 10  # candidates
_MOST_KEPT: Final = 64  # archives and languages


@dataclass
class Suggested:
    """The questions of an archive in one state; `is_complete` once no more will come."""

    state: str
    sure: list[str] = field(default_factory=list)
    likely: list[str] = field(default_factory=list)
    is_complete: bool = False

    @property
    def questions(self) -> list[str]:
        """At most five, those first that the archive surely answers."""
        return [*self.sure, *(self.likely if self.is_complete else ())][:_MOST]


class Suggester:
    """The questions of each archive and language.

    They are made anew when they are wanted after the archive has changed; those of an earlier state
    are dropped at once, since what they name may have been erased.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], Suggested] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._trying = asyncio.Lock()

    async def get(self, served: ServedArchive, language: str = "en") -> Suggested:
        """Return what was found so far; the rest is tried in the background."""
        state = await served.read(served.archive.store.state)
        key = served.place, language
        known = self._known.get(key)
        if known is None or known.state != state:
            known = Suggested(state)
            self._known.pop(key, None)
            while len(self._known) >= _MOST_KEPT:
                self._known.pop(next(iter(self._known)))
            self._known[key] = known
            task = asyncio.create_task(self._fill(served, language, known))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return known

    async def close(self) -> None:
        """Stop trying."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _fill(self, served: ServedArchive, language: str, found: Suggested) -> None:
        try:
            async with self._trying:  # one at a time, whatever is wanted
                await _try_drafts(served, language, found)
        except Exception:  # noqa: BLE001  # nobody waits for it: then there are fewer
            logger.exception("suggestions failed")
        found.is_complete = True


async def _try_drafts(served: ServedArchive, language: str, found: Suggested) -> None:
    store = served.archive.store
    drafts = await served.read(lambda: list(drafted(store, language)))
    end = time.monotonic() + _SECONDS
    for draft in drafts[:_MOST_TRIED]:
        if len(found.sure) == _MOST or time.monotonic() > end:
            return
        if await served.read(store.state) != found.state:  # nobody will be told
            return
        began = time.monotonic()
        try:
            holds = await _tried(served.archive, draft)
        except GraphMemixError:  # such as an encoder that is not there: then nothing is suggested
            continue
        finally:  # others get at least half of the time
            await asyncio.sleep(min(_LONGEST_PAUSE, time.monotonic() - began))
        if holds != DOES_NOT_SEEM:
            (found.sure if holds == HOLDS else found.likely).append(draft.text)


async def _tried(archive: Archive, draft: Draft) -> str:
    """Return in words whether the archive holds the answer to a question."""
    if archive.settings.model.base_url:
        graph = await asyncio.to_thread(archive.candidates, draft.text)
        best = graph.candidates[:_BEST]
        return HOLDS if any(each.memory_id in draft.memory_ids for each in best) else DOES_NOT_SEEM
    trace = await archive.aask(draft.text, save=False)
    cited = () if trace.answer is None else trace.answer.citations
    if not cited or cited[0].memory_id not in draft.memory_ids:
        return DOES_NOT_SEEM
    return in_words(trace, archive.settings.reader)
