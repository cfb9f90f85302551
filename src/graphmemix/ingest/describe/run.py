"""Describes the media of an archive: only what is missing, cached, in batches, resumable.

A memory is updated at most once in a run, with the results of all describers, so that its history
grows by one version and not by one per describer. A run that is killed loses at most the media in
progress.
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
from graphmemix.ingest.describe.protocol import MediaText
from graphmemix.record import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from graphmemix.ingest.describe.places import Places
    from graphmemix.ingest.describe.protocol import Describer
    from graphmemix.memory import Media, Memory
    from graphmemix.store.protocol import Progress, Store

THREADS = "graphmemix-describe-"
"""Prefix of the names of describers' threads."""

_BATCH = 32  # memories described, stored and indexed together


@dataclass(frozen=True)
class DescribeFailure(Record):
    """A medium that could not be described.

    Attributes:
        name: Its file name.
        by: The describer's field.
        reason: The error message.
    """

    name: str
    by: str
    reason: str


@dataclass(frozen=True)
class Described(Record):
    """The result of a run.

    Attributes:
        memories: How many were examined.
        updated: How many got new text.
        told: By describer, how many media it described in this run.
        known: By describer, how many results came from the cache.
        failed: Media that could not be described; a later run tries again.
        stopped: By describer, why it stopped before the end of the run.
    """

    memories: int = 0
    updated: int = 0
    told: dict[str, int] = field(default_factory=dict)
    known: dict[str, int] = field(default_factory=dict)
    failed: tuple[DescribeFailure, ...] = ()
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
            store: The archive's store.
            describers: At most one for each field.
            places: If given, adds place names to coordinates.
            again: Also replace existing text.
        """
        self._store = store
        self._describers = list(describers)
        self._places = places
        self._again = again
        self._cache = DescriptionCache(store.media)
        self._new: Counter[str] = Counter()
        self._known: Counter[str] = Counter()
        self._failed: list[DescribeFailure] = []
        self._stopped: dict[str, str] = {}
        # For the whole run: a describer may keep a model for each of its threads.
        self._pools: dict[str, ThreadPoolExecutor] = {}

    def run(
        self,
        replace_all: Callable[[Sequence[Memory]], None],
        *,
        progress: Progress | None = None,
    ) -> Described:
        """Process every memory once.

        Args:
            replace_all: Stores and indexes changed memories.
            progress: Called with the number of memories done and in total.

        Raises:
            ArchiveReadOnlyError: The archive was opened read-only.
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
            # After an interrupt, do not wait for a model that may never return.
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
            dict(self._new),
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
            texts = self._ask(describer, wanted) if wanted else {}
            for each in media:
                for i, medium in enumerate(each):
                    if medium.sha256 in texts and self._is_wanted(describer, medium):
                        each[i] = _with_text(medium, describer, texts[medium.sha256])
        now = [replace(m, media=tuple(each)) for m, each in zip(batch, media, strict=True)]
        return now if self._places is None else [self._placed(m, self._places) for m in now]

    def _is_wanted(self, describer: Describer, medium: Media) -> bool:
        has_text = bool(getattr(medium.description, describer.field))
        stored = medium.sha256 is not None and medium.sha256 in self._store.media
        return stored and describer.wants(medium) and (self._again or not has_text)

    def _ask(self, describer: Describer, wanted: Mapping[str, Media]) -> dict[str, MediaText]:
        """Return the text of media by SHA-256, from the cache where possible."""
        name, texts = describer.field, {}
        for sha256 in () if self._again else wanted:
            cached = self._cache.get(sha256, name, describer.identity)
            if cached is not None:
                texts[sha256] = cached
                self._known[name] += 1
        missing = [medium for sha256, medium in wanted.items() if sha256 not in texts]
        for medium, result in self._results(describer, missing):
            if isinstance(result, MediaText):
                texts[medium.sha256 or ""] = result
                self._new[name] += 1
            elif isinstance(result, ModelUnavailableError | LimitReachedError):
                self._stopped.setdefault(name, str(result))
            elif result is not None:
                self._failed.append(DescribeFailure(medium.name, name, str(result)))
        return texts

    def _results(
        self, describer: Describer, media: Sequence[Media]
    ) -> Iterator[tuple[Media, MediaText | GraphMemixError | None]]:
        results = self._pools[describer.field].map(partial(self._result, describer), media)
        yield from zip(media, results, strict=True)

    def _result(self, describer: Describer, medium: Media) -> MediaText | GraphMemixError | None:
        """Return and cache the text; or the error; None if the describer has stopped."""
        if describer.field in self._stopped or medium.sha256 is None:
            return None
        try:
            text = describer.describe(self._store.media.path(medium.sha256), medium)
        except StoreError:
            raise
        except GraphMemixError as error:
            if isinstance(error, ModelUnavailableError | LimitReachedError):
                self._stopped.setdefault(describer.field, str(error))  # other threads need not try
            return error
        self._cache.put(medium.sha256, describer.field, describer.identity, text)
        return text

    def _placed(self, memory: Memory, places: Places) -> Memory:
        where = memory.place
        if where is None or where.latitude is None or where.longitude is None or where.name:
            return memory
        name = places.name_of(where.latitude, where.longitude)
        if not name:
            return memory
        self._new["places"] += 1
        return replace(memory, place=replace(where, name=name))


def _with_text(medium: Media, describer: Describer, new: MediaText) -> Media:
    described = medium.description
    if describer.field == "caption":
        described = replace(described, caption=new.text, short_caption=new.short)
    elif describer.field == "ocr":
        described = replace(described, ocr=new.text)
    else:
        described = replace(described, transcript=new.text)
    return replace(medium, description=described)
