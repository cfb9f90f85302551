"""The exceptions that GraphMemix raises, all below one root.

::

    GraphMemixError
    ├── InvalidInputError (also ValueError)    what the caller passed is wrong; nothing was changed
    │   ├── InvalidDataError                   a record, a text or a vector that cannot be
    │   ├── InvalidProblemError                an optimisation problem that has no meaning
    │   ├── SettingsError                      a setting: unknown key, wrong type, out of range
    │   ├── DuplicateMemoryError               another memory has this id already
    │   ├── EncoderMismatchError               the archive's vectors come from another encoder
    │   └── ArtefactMismatchError              rows of a benchmark run that were made another way
    ├── MemoryNotFoundError (also KeyError)    no memory has this id
    ├── StoreError                             the archive cannot do it now; nothing was lost
    │   ├── ArchiveNotFoundError               there is no archive at this place
    │   ├── ArchiveBusyError                   another process is writing
    │   ├── ArchiveReadOnlyError               this place or this handle does not allow writing
    │   ├── ArchiveVersionError                a newer program made this archive
    │   ├── ArchiveDamagedError                what is stored is not what was written
    │   ├── StorageFullError                   the disk is full
    │   └── StoreUnavailableError              the database server does not answer
    ├── EncoderError                           a model or its server failed to encode
    ├── ModelError                             a chat model or its server failed
    │   ├── ModelUnavailableError              it does not answer, or refuses to serve us
    │   │   └── AnswerBrokenOffError           it broke off in the middle of an answer
    │   ├── InvalidReplyError                  it answers, but not what was asked for
    │   └── LimitReachedError                  the deadline, token or money cap of a question
    ├── ImportSourceError                      a file or folder that cannot be imported
    └── MissingExtraError (also ImportError)   an optional dependency is not installed

Every message names the item at fault and, where there is one, the way out. A caller who wants to
survive anything that the library may raise on purpose catches `GraphMemixError`.
"""

from __future__ import annotations

from typing import Protocol

__all__ = [
    "AnswerBrokenOffError",
    "ArchiveBusyError",
    "ArchiveDamagedError",
    "ArchiveNotFoundError",
    "ArchiveReadOnlyError",
    "ArchiveVersionError",
    "ArtefactMismatchError",
    "DuplicateMemoryError",
    "EncoderError",
    "EncoderMismatchError",
    "GraphMemixError",
    "ImportSourceError",
    "InvalidDataError",
    "InvalidInputError",
    "InvalidProblemError",
    "InvalidReplyError",
    "LimitReachedError",
    "MemoryNotFoundError",
    "MissingExtraError",
    "ModelError",
    "ModelUnavailableError",
    "SettingsError",
    "StorageFullError",
    "StoreError",
    "StoreUnavailableError",
]


class GraphMemixError(Exception):
    """The root: catch it to catch everything that GraphMemix raises on purpose."""


class InvalidInputError(GraphMemixError, ValueError):
    """What the caller passed is wrong. Nothing was changed."""


class InvalidDataError(InvalidInputError):
    """A record, or a value in it, that cannot be what it should be."""


class InvalidProblemError(InvalidInputError):
    """An optimisation problem with no meaning.

    Attributes:
        item: The part at fault, such as ``prizes[3]``, ``edges[0]`` or ``budget``.
    """

    def __init__(self, item: str, reason: str) -> None:
        super().__init__(item, reason)  # all arguments, so that the error survives pickling
        self.item = item
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.item}: {self.reason}"


class SettingsError(InvalidInputError):
    """A setting that does not exist or has an impossible value.

    Attributes:
        key: The dotted name, such as ``forest.budget``.
    """

    def __init__(self, key: str, reason: str) -> None:
        super().__init__(key, reason)
        self.key = key
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.key}: {self.reason}"


class DuplicateMemoryError(InvalidInputError):
    """Another memory with other content has this id already; `update` replaces it."""

    def __init__(self, memory_id: str) -> None:
        super().__init__(memory_id)
        self.memory_id = memory_id

    def __str__(self) -> str:
        return f"memory {self.memory_id!r} is there already with other content; use update"


class EncoderMismatchError(InvalidInputError):
    """The archive's vectors come from another encoder than the one that asks.

    Attributes:
        stored: The identity of the encoder whose vectors the archive serves.
        asked: The identity of the encoder that made the query.
    """

    def __init__(self, stored: str, asked: str) -> None:
        super().__init__(stored, asked)
        self.stored = stored
        self.asked = asked

    def __str__(self) -> str:
        return (
            f"this archive is encoded with {self.stored!r}, not {self.asked!r}; to change it, run "
            f"`graphmemix reencode ARCHIVE --encoder {self.asked}`"
        )


class ArtefactMismatchError(InvalidInputError):
    """Rows of a benchmark run were made in another way, so they do not mix. Nothing was written.

    Attributes:
        place: The file.
        differences: What differs, as (name, stored, asked).
    """

    def __init__(self, place: str, differences: tuple[tuple[str, str, str], ...]) -> None:
        super().__init__(place, differences)
        self.place = place
        self.differences = differences

    def __str__(self) -> str:
        told = "; ".join(
            f"{name} was {stored}, now {asked}" for name, stored, asked in self.differences
        )
        return f"{self.place}: rows were made in another way ({told}); name another folder"


class MemoryNotFoundError(GraphMemixError, KeyError):
    """No memory has this id."""

    def __init__(self, memory_id: str) -> None:
        super().__init__(memory_id)
        self.memory_id = memory_id

    def __str__(self) -> str:
        return f"there is no memory {self.memory_id!r} in this archive"


class StoreError(GraphMemixError):
    """The archive cannot do what was asked, now. Nothing that was acknowledged is lost."""


class ArchiveNotFoundError(StoreError):
    """There is no archive at this place."""


class ArchiveBusyError(StoreError):
    """Another process is writing to the archive.

    Attributes:
        process: Its id, if known.
    """

    def __init__(self, archive: str, process: int | None) -> None:
        super().__init__(archive, process)
        self.archive = archive
        self.process = process

    def __str__(self) -> str:
        who = f"process {self.process}" if self.process else "another process"
        return f"{self.archive} is in use by {who}; wait for it, or open the archive for reading"


class ArchiveReadOnlyError(StoreError):
    """This place, or this handle, does not allow writing."""


class ArchiveVersionError(StoreError):
    """A newer program made this archive. It was left as it is.

    Attributes:
        found: The archive's schema version.
        supported: The newest version that this program knows.
    """

    def __init__(self, found: int, supported: int) -> None:
        super().__init__(found, supported)
        self.found = found
        self.supported = supported

    def __str__(self) -> str:
        return (
            f"this archive has schema version {self.found}, and this program knows versions up to "
            f"{self.supported}; upgrade with: pip install --upgrade graphmemix"
        )


class ArchiveDamagedError(StoreError):
    """What is stored is not what was written."""


class StorageFullError(StoreError):
    """The disk is full, or a quota is reached. The failed write was undone."""


class StoreUnavailableError(StoreError):
    """The database server does not answer, or refused the connection."""


class EncoderError(GraphMemixError):
    """A model, its files or its server failed to encode."""


class _SavedTrace(Protocol):
    """What an error needs to know of a `Trace`, which stands in a layer above this one."""

    @property
    def id(self) -> str: ...
    def to_json(self) -> str: ...


class ModelError(GraphMemixError):
    """A chat model or its server failed.

    Attributes:
        kind: How, in a word for counters: ``unavailable``, ``invalid_reply``, or the limit.
        trace: If a question was being answered: the `Trace` of what had been done until then, with
            what ended it in its notes. Saved, if questions of that archive are; then it has an id.
    """

    kind: str = "unavailable"
    trace: _SavedTrace | None = None


class ModelUnavailableError(ModelError):
    """The model does not answer, or refuses to serve us; trying later may help."""


class AnswerBrokenOffError(ModelUnavailableError):
    """The connection broke in the middle of an answer.

    Attributes:
        partial: The words that had arrived.
    """

    def __init__(self, reason: str, partial: str) -> None:
        super().__init__(reason, partial)
        self.reason = reason
        self.partial = partial

    def __str__(self) -> str:
        return f"{self.reason}; {len(self.partial)} characters of the answer had arrived"


class InvalidReplyError(ModelError):
    """The model answers, but after all retries still not what was asked for."""

    kind = "invalid_reply"


class LimitReachedError(ModelError):
    """The deadline, the token cap or the money cap of a question was reached.

    Attributes:
        limit: ``deadline``, ``tokens``, ``money`` or ``cancelled``.
        partial: The words of an answer that had arrived; empty if none.
    """

    def __init__(self, limit: str, reason: str, partial: str = "") -> None:
        super().__init__(limit, reason, partial)
        self.limit = self.kind = limit
        self.reason = reason
        self.partial = partial

    def __str__(self) -> str:
        return f"{self.limit}: {self.reason}"


class ImportSourceError(GraphMemixError):
    """A file or folder cannot be imported, or not any further. What was read before stands."""


class MissingExtraError(GraphMemixError, ImportError):
    """An optional dependency is not installed.

    Attributes:
        extra: The name of the extra that brings it.
    """

    def __init__(self, extra: str, purpose: str) -> None:
        super().__init__(extra, purpose)
        self.extra = extra
        self.purpose = purpose

    def __str__(self) -> str:
        command = f"pip install 'graphmemix[{self.extra}]'"
        return f"{self.purpose} needs the extra '{self.extra}': {command}"


def reason_of(error: BaseException) -> str:
    """Return what an error of another library says, short and without line breaks."""
    return " ".join(str(error).split())[:300] or type(error).__name__
