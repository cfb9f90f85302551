"""Describing what an archive holds: only what is missing, cached, in batches, resumable.

A memory is updated at most once in a run, with everything that was told about it, so that its
history grows by one version and not by one for each describer. A run that is killed loses at most
the medium that it was at.
"""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from graphmemix.errors import (
    GraphMemixError,
    LimitReachedError,
    ModelUnavailableError,
    StoreError,
)
from graphmemix.ingest.describe.cache import DescriptionCache
from graphmemix.ingest.describe.protocol import Told
from graphmemix.record import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from graphmemix.ingest.describe.places import Places
    from graphmemix.ingest.describe.protocol import Describer
    from graphmemix.memory import Media, Memory
    from graphmemix.store.protocol import Progress, Store

THREADS = "graphmemix-describe-"
"""How the names of threads begin in which describers work."""

_BATCH = 32  # memories that are described, then stored and indexed together


@dataclass(frozen=True)
class Failure(Record):
    """A medium that could not be described.

    Attributes:
        name: Its file name.
        by: Which describer failed.
        reason: Why.
    """

    name: str
    by: str
    reason: str


@dataclass(frozen=True)
class Described(Record):
    """What a run did.

    Attributes:
        memories: How many were looked at.
        updated: How many have new words.
        told: By describer, how many media it was asked about in this run.
        known: By describer, how many answers came from the cache.
        failed: What could not be described; a later run tries again.
        stopped: By describer, why it gave up for the rest of the run.
    """

    memories: int = 0
    updated: int = 0
    told: dict[str, int] = field(default_factory=dict)
    known: dict[str, int] = field(default_factory=dict)
    failed: tuple[Failure, ...] = ()
    stopped: dict[str, str] = field(default_factory=dict)


class DescribeRun:
    """One run over an archive."""

    def __init__(
        self,
        store: Store,
        describers: Sequence[Describer],
        places: Places | None = None,
        *,
        again: bool = False,
    ) -> None:
        """Prepare a run.

        Args:
            store: What to describe.
            describers: At most one for each field.
            places: Names coordinates, if given.
            again: Also replace words that are there already.
        """
        self._store = store
        self._describers = list(describers)
        self._places = places
        self._again = again
        self._cache = DescriptionCache(store.media)
        self._told: Counter[str] = Counter()
        self._known: Counter[str] = Counter()
        self._failed: list[Failure] = []
        self._stopped: dict[str, str] = {}
        # For the whole run: a describer may keep a model for each of its threads.
        self._pools: dict[str, ThreadPoolExecutor] = {}

    def run(
        self,
        replace_all: Callable[[Sequence[Memory]], None],
        *,
        progress: Progress | None = None,
    ) -> Described:
        """Look at every memory once.

        Args:
            replace_all: Stores and indexes memories that changed.
            progress: Hears how many memories are done, of how many.

        Raises:
            ArchiveReadOnlyError: The archive was opened for reading.
        """
        self._store.media.require_writable()
        for describer in self._describers:
            pool = ThreadPoolExecutor(describer.at_once, f"{THREADS}{describer.field}")
            self._pools[describer.field] = pool
        ended = False
        try:
            done = self._run(replace_all, progress)
            ended = True
        finally:
            # After an interrupt nobody waits for a model that may never look up.
            for pool in self._pools.values():
                pool.shutdown(wait=ended, cancel_futures=True)
        return done

    def _run(
        self, replace_all: Callable[[Sequence[Memory]], None], progress: Progress | None
    ) -> Described:
        total, seen, updated = self._store.count(), 0, 0
        after: str | None = None
        while batch := self._store.find(limit=_BATCH, after=after):
            after = batch[-1].id
            now = self._described(batch)
            changed = [new for old, new in zip(batch, now, strict=True) if new != old]
            if changed:
                replace_all(changed)
            seen += len(batch)
            updated += len(changed)
            if progress is not None:
                progress(seen, total)
        return Described(
            seen,
            updated,
            dict(self._told),
            dict(self._known),
            tuple(self._failed),
            dict(self._stopped),
        )

    def _described(self, batch: Sequence[Memory]) -> list[Memory]:
        media = [list(memory.media) for memory in batch]
        for describer in self._describers:
            wanted = {
                medium.sha256: medium
                for each in media
                for medium in each
                if medium.sha256 is not None and self._is_wanted(describer, medium)
            }
            told = self._ask(describer, wanted) if wanted else {}
            for each in media:
                for i, medium in enumerate(each):
                    if medium.sha256 in told and self._is_wanted(describer, medium):
                        each[i] = _with_words(medium, describer, told[medium.sha256])
        now = [replace(m, media=tuple(each)) for m, each in zip(batch, media, strict=True)]
        return now if self._places is None else [self._placed(m, self._places) for m in now]

    def _is_wanted(self, describer: Describer, medium: Media) -> bool:
        has_words = bool(getattr(medium.description, describer.field))
        here = medium.sha256 is not None and medium.sha256 in self._store.media
        return here and describer.wants(medium) and (self._again or not has_words)

    def _ask(self, describer: Describer, wanted: Mapping[str, Media]) -> dict[str, Told]:
        """Return by address what is told about media, from the cache where it is there."""
        name, told = describer.field, {}
        for sha256 in () if self._again else wanted:
            known = self._cache.get(sha256, name, describer.identity)
            if known is not None:
                told[sha256] = known
                self._known[name] += 1
        open_ones = [medium for sha256, medium in wanted.items() if sha256 not in told]
        for medium, answer in self._answers(describer, open_ones):
            if isinstance(answer, Told):
                told[medium.sha256 or ""] = answer
                self._told[name] += 1
            elif isinstance(answer, ModelUnavailableError | LimitReachedError):
                self._stopped.setdefault(name, str(answer))
            elif answer is not None:
                self._failed.append(Failure(medium.name, name, str(answer)))
        return told

    def _answers(
        self, describer: Describer, media: Sequence[Media]
    ) -> Iterator[tuple[Media, Told | GraphMemixError | None]]:
        answers = self._pools[describer.field].map(partial(self._answer, describer), media)
        yield from zip(media, answers, strict=True)

    def _answer(self, describer: Describer, medium: Media) -> Told | GraphMemixError | None:
        """Return what is told and keep it; or why nothing is; None if the describer gave up."""
        if describer.field in self._stopped or medium.sha256 is None:
            return None
        try:
            told = describer.tell(self._store.media.path(medium.sha256), medium)
        except StoreError:
            raise
        except GraphMemixError as error:
            if isinstance(error, ModelUnavailableError | LimitReachedError):
                self._stopped.setdefault(describer.field, str(error))  # spares the others the wait
            return error
        self._cache.put(medium.sha256, describer.field, describer.identity, told)
        return told

    def _placed(self, memory: Memory, places: Places) -> Memory:
        where = memory.place
        if where is None or where.latitude is None or where.longitude is None or where.name:
            return memory
        name = places.name_of(where.latitude, where.longitude)
        if not name:
            return memory
        self._told["places"] += 1
        return replace(memory, place=replace(where, name=name))


def _with_words(medium: Media, describer: Describer, told: Told) -> Media:
    described = medium.description
    if describer.field == "caption":
        described = replace(described, caption=told.text, short_caption=told.short)
    elif describer.field == "ocr":
        described = replace(described, ocr=told.text)
    else:
        described = replace(described, transcript=told.text)
    return replace(medium, description=described)
