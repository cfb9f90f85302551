"""The archives of a server: their names, their threads and their one writer."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Final, Literal, ParamSpec, TypeVar
from urllib.parse import unquote

from graphmemix.archive import Archive
from graphmemix.errors import InvalidInputError
from graphmemix.serve.problems import ProblemError
from graphmemix.settings import Settings
from graphmemix.store.records import Stats

__all__ = ["Archives", "ServedArchive"]

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z")
_P = ParamSpec("_P")
_T = TypeVar("_T")


class ServedArchive:
    """One archive and its name in URLs.

    Attributes:
        name: As in URLs.
        archive: Open as long as the server runs.
        place: Hash of its location, to distinguish it from another archive of the same name.
        writable: Whether it may be written to. Other processes may write to it too: this one is
            the writer only while it changes something.
    """

    def __init__(
        self,
        name: str,
        location: str,
        archive: Archive,
        *,
        writable: bool,
        pool: ThreadPoolExecutor,
        patience: float,
    ) -> None:
        self.name = name
        self.archive = archive
        self.place = hashlib.sha256(_absolute(location).encode()).hexdigest()[:16]
        self.writable = writable
        self._pool = pool
        self._patience = patience
        self._writing = asyncio.Lock()
        self._at_work = 0
        self._with_model: dict[str, Archive] = {}
        self._stats: tuple[str, Stats] | None = None

    @property
    def is_idle(self) -> bool:
        """Whether nobody asks, reads or writes at this moment."""
        return not self._at_work

    @property
    def models(self) -> tuple[str, ...]:
        """The models that a question may be asked with, the usual first; empty if there is none."""
        model = self.archive.settings.model
        if not model.base_url:
            return ()
        others = (name.strip() for name in model.others.split(","))
        return tuple(dict.fromkeys([model.name, *filter(None, others)]))

    def with_model(self, name: str | None) -> Archive:
        """Return the archive as it answers with another model; without one if the name is empty.

        Raises:
            ProblemError: The settings do not name this model.
        """
        usual = self.archive.settings.model
        if name is None or name == usual.name:
            return self.archive
        if name and name not in self.models:
            raise ProblemError(
                422, "unknown_model", f"model {name!r} is not one of model.name and model.others"
            )
        if name not in self._with_model:
            other = {"name": name} if name else {"base_url": "", "name": ""}
            model = usual.model_copy(update=other)
            settings = self.archive.settings.model_copy(update={"model": model})
            self._with_model[name] = Archive(self.archive.store, self.archive.encoder, settings)
        return self._with_model[name]

    def stats(self) -> Stats:
        """Return how much there is, counted again only after a change of memories.

        Counting looks at every file, and each visit of the page asks for it.
        """
        store = self.archive.store
        state = store.state()
        if self._stats is None or self._stats[0] != state:
            self._stats = state, store.stats()
        return self._stats[1]

    async def read(
        self, work: Callable[_P, _T], /, *arguments: _P.args, **keywords: _P.kwargs
    ) -> _T:
        """Run `work` in a thread of the pool; it must not write."""
        call = partial(work, *arguments, **keywords)
        self._at_work += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, call)
        finally:
            self._at_work -= 1

    async def write(
        self, work: Callable[_P, _T], /, *arguments: _P.args, **keywords: _P.kwargs
    ) -> _T:
        """Run `work` as the only writer; wait a limited time for other writers.

        Raises:
            ProblemError: The archive is read-only, or still being written to after the wait.
        """
        async with self.writing(self._patience):
            # The thread continues after a client disconnects: hold the lock until it is done.
            return await _uninterrupted(self.read(work, *arguments, **keywords))

    @asynccontextmanager
    async def writing(self, patience: float | None = None) -> AsyncIterator[None]:
        """Be the only writer inside this context; None waits without limit."""
        if not self.writable:
            raise ProblemError(403, "read_only", f"archive {self.name} is read-only")
        try:
            async with asyncio.timeout(patience):
                await self._writing.acquire()
        except TimeoutError:
            raise ProblemError(
                503, "archive_busy", f"archive {self.name} is being written to; try again later"
            ) from None
        try:
            yield
        finally:
            self._writing.release()


async def _uninterrupted(work: asyncio.Future[_T] | object) -> _T:
    task: asyncio.Task[_T] = asyncio.ensure_future(work)  # type: ignore[arg-type]
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


class Archives:
    """All archives of a server. Store calls run in threads that live as long as the server.

    Each thread holds a connection to every archive that it has read, so the number of threads is
    fixed; a pool that ends idle threads would leave connections behind.
    """

    def __init__(
        self,
        locations: Sequence[str],
        settings: Settings,
        *,
        read_only: bool = False,
        threads: int = 8,
        patience: float = 10.0,
    ) -> None:
        """Open all archives, or none.

        Args:
            locations: Each ``LOCATION`` or ``NAME=LOCATION``.
            settings: For all of them.
            read_only: Open them for reading.
            threads: For reading and computing.
            patience: Seconds that a write waits for the one before it.

        Raises:
            InvalidInputError: A name is invalid, or two archives have the same.
            StoreError: One cannot be opened; the subclass says why.
        """
        named = [_named(location) for location in locations]
        names = [name for name, _ in named]
        for name in names:
            if names.count(name) > 1:
                raise InvalidInputError(
                    f"two archives are named {name!r}; use NAME=LOCATION to rename one"
                )
        self.settings = settings
        self.pool = ThreadPoolExecutor(threads, thread_name_prefix="graphmemix-serve")
        self._served: dict[str, ServedArchive] = {}
        with ExitStack() as stack:
            for name, location in named:
                mode: Literal["read", "shared"] = "read" if read_only else "shared"
                archive = stack.enter_context(
                    Archive.open(location, mode=mode, settings=settings, wait=patience)
                )
                self._served[name] = ServedArchive(
                    name,
                    location,
                    archive,
                    writable=not read_only,
                    pool=self.pool,
                    patience=patience,
                )
            self._open = stack.pop_all()

    def __iter__(self) -> Iterator[ServedArchive]:
        return iter(self._served.values())

    def get(self, name: str) -> ServedArchive | None:
        """Return the archive of this name."""
        return self._served.get(name)

    def close(self) -> None:
        """Wait for running work, then close all archives. Closing twice is harmless."""
        self.pool.shutdown(wait=True, cancel_futures=True)
        self._open.close()


def _named(text: str) -> tuple[str, str]:
    name, equals, location = text.partition("=")
    if equals and _NAME.match(name):
        return name, location
    is_address = "://" in text
    last = unquote(text.partition("#")[2]) if is_address else Path(_absolute(text)).name
    if not _NAME.match(last):
        raise InvalidInputError(
            f"{text}: {last!r} cannot be used in a URL; use NAME=LOCATION, with a name of letters, "
            "digits, '.', '_' and '-'"
        )
    return last, text


def _absolute(location: str) -> str:
    return location if "://" in location else str(Path(location).expanduser().absolute())
