"""The main entry point of the library: one archive of one person's memories.

::

    with Archive.open("family") as archive:
        archive.add([Memory.new("note", "The spare key is with Olga.")])
        print(archive.ask("Who has our spare key?").answer.text)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from graphmemix.archive.inputs import memories_of
from graphmemix.archive.question_methods import QuestionMethods
from graphmemix.archive.upkeep_methods import UpkeepMethods
from graphmemix.asking import Wanted, lists_wanted, wanted_filter
from graphmemix.errors import InvalidInputError
from graphmemix.memory import Memory
from graphmemix.store.protocol import Added, Entry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from graphmemix.archive.inputs import Addable
    from graphmemix.store.protocol import Filter, Progress, Stats

__all__ = ["Archive"]

_PAGE = 256  # memories that iteration holds at a time


class Archive(QuestionMethods, UpkeepMethods):
    """One archive, open for reading or writing. Use as a context manager."""

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

    @lists_wanted
    def find(
        self,
        filter: Filter | None = None,
        *,
        limit: int | None = None,
        after: str | None = None,
        **wanted: Unpack[Wanted],
    ) -> list[Memory]:
        """Return memories ordered by time, then id; those without a time come last.

        To find memories by words, use `recall`, which says what the restrictions `since`, `until`,
        `kinds`, `people`, `near` and `sessions` mean here too.

        Args:
            filter: More restrictions; all of them hold.
            limit: Most memories to return; by default all.
            after: Continue after the memory with this id.

        Raises:
            InvalidInputError: A restriction is invalid, or names something that does not exist.
        """
        if isinstance(filter, str):
            raise InvalidInputError(
                "find: finds by time, kind, people and place; use recall for words"
            )
        chosen = wanted_filter(self.store, self.settings.ingest.zone, filter, **wanted)
        return self.store.find(chosen, limit=limit, after=after)

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
