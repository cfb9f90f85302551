"""The main entry point of the library: one archive of one person's memories.

::

    with Archive.open("family") as archive:
        archive.add([Memory.new("note", "The spare key is with Olga.")])
        print(archive.ask("Who has our spare key?").answer.text)
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal, Self, TypeAlias, get_args

from graphmemix import registry
from graphmemix.archive.asks import Asks
from graphmemix.archive.inputs import memories_of, require_parts
from graphmemix.archive.keeps import Keeps
from graphmemix.archive.upkeep import Upkeep
from graphmemix.asking import Questions, wanted_filter
from graphmemix.encode.specs import encoder_for
from graphmemix.errors import ArchiveClosedError, GraphMemixError, InvalidInputError
from graphmemix.ingest.zone import stored_zone
from graphmemix.memory import Memory, ViewKind
from graphmemix.settings import Settings, ViewSettings
from graphmemix.store.protocol import Added, Entry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from graphmemix.archive.inputs import Addable
    from graphmemix.asking import Names, Near
    from graphmemix.encode.protocol import Encoder
    from graphmemix.llm.chat import Chat
    from graphmemix.store.media import MediaFolder
    from graphmemix.store.protocol import Filter, Progress, Stats, Store
    from graphmemix.text.dates.given import Moment

Mode: TypeAlias = Literal["write", "shared", "read"]

_PAGE = 256  # memories that iteration holds at a time


class Archive(Asks, Keeps):
    """One archive, open for reading or writing. Use as a context manager."""

    def __init__(
        self,
        store: Store,
        encoder: Encoder,
        settings: Settings,
        *,
        kinds: Sequence[ViewKind] | None = None,
        chat: Chat | None = None,
        open_writer: Callable[[], Store] | None = None,
    ) -> None:
        """Assemble an archive from its parts; usually `open` does this.

        Args:
            store: Holds the memories.
            encoder: Makes vectors.
            settings: All settings.
            kinds: Search these views only; by default those enabled in the settings.
            chat: The language model; by default the one in the settings, if any.
            open_writer: Opens the store for writing while a trace is saved, if `store` is open
                for reading.
        """
        self.encoder = encoder
        self.settings = settings
        self._store = store
        self._is_closed = False
        searched = tuple(kinds) if kinds is not None else _kinds(settings.views)
        self._open_upkeep = Upkeep(store, encoder, settings)
        self._open_questions = Questions(
            store, encoder, settings, searched, chat=chat, open_writer=open_writer
        )

    @classmethod
    def open(
        cls,
        location: str | Path,
        *,
        mode: Mode = "write",
        encoder: Encoder | str | None = None,
        settings: Settings | None = None,
        chat: Chat | None = None,
        wait: float = 5.0,
        keep_traces: bool = False,
    ) -> Self:
        """Open an archive; in mode ``write`` or ``shared``, create it if it does not exist.

        Args:
            location: A folder, or ``postgresql://user@host/database#archive``.
            mode: One process may write at a time; any number may read meanwhile. In mode
                ``shared``, this process is the writer only while it changes something, so that
                several processes can add to an archive in turn.
            encoder: An encoder or its name, such as ``clip:FOLDER``; by default the one in the
                settings.
            settings: By default those of the user's file and environment.
            chat: The language model; by default the one in the settings, if any.
            wait: Seconds to wait for another writer to finish.
            keep_traces: In mode ``read``: save traces of questions anyway, by a short write after
                each answer. If another process is writing at that moment, the trace is not saved.

        Raises:
            StoreError: It cannot be opened; the subclass says why.
            InvalidInputError: Unknown encoder or kind of store, or an argument of a wrong type.
            MissingExtraError: The encoder or the store needs an extra that is not installed.
        """
        require_parts(location, mode, encoder, settings, chat, Mode)
        chosen = settings or Settings.load()
        named = chosen.encoder.model if encoder is None else encoder
        if isinstance(named, str):
            registry.load("encoders", named.strip().partition(":")[0])  # a wrong name fails early
        scheme, is_address, _ = str(location).partition("://")
        make_store = registry.load("stores", scheme if is_address else "folder")
        open_writer = None
        if keep_traces and mode == "read":
            open_writer = partial(make_store, location, mode="write", wait=0)
        store = make_store(location, mode=mode, wait=wait)
        try:
            made = encoder_for(named, store.encoder()) if isinstance(named, str) else named
        except BaseException:
            store.close()
            raise
        if not chosen.ingest.zone and (zone := stored_zone(store)):
            inside = chosen.ingest.model_copy(update={"zone": zone})
            chosen = chosen.model_copy(update={"ingest": inside})
        return cls(store, made, chosen, chat=chat, open_writer=open_writer)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Release everything. Closing twice is harmless; any other use raises afterwards."""
        self._is_closed = True
        self._open_questions.close()
        self._store.close()

    @property
    def store(self) -> Store:
        """Where the memories are.

        Raises:
            ArchiveClosedError: The archive was closed.
        """
        if self._is_closed:
            raise ArchiveClosedError(self.name)
        return self._store

    @property
    def name(self) -> str:
        """The folder of the archive, or its name in a database."""
        return self._store.name

    def __repr__(self) -> str:
        if self._is_closed:
            return f"<Archive {self.name}, closed>"
        try:
            count = self._store.count()
        except GraphMemixError as error:  # a repr never raises
            return f"<Archive {self.name}, {error}>"
        memories = "1 memory" if count == 1 else f"{count:,} memories"
        return f"<Archive {self.name}, {memories}>"

    def __bool__(self) -> bool:
        """An archive is true, also an empty one."""
        return True

    def __len__(self) -> int:
        """Return the number of memories."""
        return self.store.count()

    def __iter__(self) -> Iterator[Memory]:
        """Yield all memories by time, those without a time last; a few are held at a time."""
        after = None
        while page := self.store.find(limit=_PAGE, after=after):
            yield from page
            after = page[-1].id

    def __contains__(self, memory: object) -> bool:
        """Return whether a memory, or one with this id, is in the archive."""
        memory_id = memory.id if isinstance(memory, Memory) else memory
        return isinstance(memory_id, str) and bool(self.store.get_many([memory_id]))

    def __getitem__(self, memory_id: str) -> Memory:
        """Return a memory by its id, or raise `MemoryNotFoundError`, which is a `KeyError`."""
        return self.get(memory_id)

    @property
    def replies(self) -> Path:
        """The folder of the model reply cache."""
        return self._open_questions.replies

    @property
    def media(self) -> MediaFolder:
        """The media folder; store files there before adding the memories they belong to."""
        return self.store.media

    def add(
        self, memories: Addable | Iterable[Addable], *, progress: Progress | None = None
    ) -> Added:
        """Store memories, then encode and relate them.

        Memories are on disk before they are encoded: if encoding is interrupted, `index` continues
        where it stopped. Idempotent: memories that exist already are not changed.

        Args:
            memories: A `Memory`, the words of a note, or a mapping with the fields of `Memory`
                (``{"text": "…", "timestamp": "2023-05-01"}``; without a kind it is a note, and
                without an id one is derived from its content); or several of these. A time without
                an offset is read by the clock of the archive's zone, or else of this machine.
            progress: Called with the number of memories encoded, and their total.

        Raises:
            DuplicateMemoryError: An id exists with other content.
            InvalidDataError: A memory cannot be stored; none were.
            InvalidInputError: It is something else.
        """
        given = memories_of(memories, self.settings.ingest.zone)
        added = self.store.add(Entry(memory) for memory in given)
        self.index(progress=progress)
        return added

    def get(self, memory_id: str) -> Memory:
        """Return a memory, or raise `MemoryNotFoundError`."""
        if not isinstance(memory_id, str):
            raise InvalidInputError(f"id: must be a text, not {type(memory_id).__name__}")
        return self.store.get(memory_id)

    def find(
        self,
        filter: Filter | None = None,
        *,
        since: Moment | None = None,
        until: Moment | None = None,
        kinds: Names | None = None,
        people: Names | None = None,
        near: Near | None = None,
        sessions: Names | None = None,
        limit: int | None = None,
        after: str | None = None,
    ) -> list[Memory]:
        """Return memories ordered by time, then id; those without a time come last.

        To find memories by words, use `recall`.

        Args:
            filter: More restrictions; all of them hold.
            since: As of `recall`; so are all restrictions.
            until: See `recall`.
            kinds: See `recall`.
            people: See `recall`.
            near: See `recall`.
            sessions: See `recall`.
            limit: Most memories to return; by default all.
            after: Continue after the memory with this id.

        Raises:
            InvalidInputError: A restriction is invalid, or names something that does not exist.
        """
        if isinstance(filter, str):
            raise InvalidInputError(
                "find: finds by time, kind, people and place; use recall for words"
            )
        wanted = wanted_filter(
            self.store,
            self.settings.ingest.zone,
            filter,
            since=since,
            until=until,
            kinds=kinds,
            people=people,
            near=near,
            sessions=sessions,
        )
        return self.store.find(wanted, limit=limit, after=after)

    def stats(self) -> Stats:
        """Return how much there is: memories by kind and source, views, vectors, files, bytes."""
        return self.store.stats()

    def update(self, memory: Memory) -> int:
        """Replace a memory and everything derived from it; return the new version's number."""
        if not isinstance(memory, Memory):
            raise InvalidInputError(f"update: needs a Memory, not {type(memory).__name__}")
        try:
            version = self._upkeep.update_before_index(memory)
        except InvalidInputError:  # it was not changed, so restore its links
            self.index()
            raise
        self.index()
        return version


def _kinds(views: ViewSettings) -> tuple[ViewKind, ...]:
    """Return the kinds of views that these settings enable."""
    off: set[ViewKind] = set()
    if not views.context:
        off.add("context")
    if not views.transcript:
        off.add("transcript")
    if not views.pixels:
        off |= {"image", "frame"}
    return tuple(kind for kind in get_args(ViewKind) if kind not in off)
