"""The exceptions that GraphMemix raises, all below one root.

::

    GraphMemixError
    ├── InvalidInputError (also ValueError)    what the caller passed is wrong; nothing was changed
    │   ├── InvalidDataError                   an invalid record, text or vector
    │   ├── InvalidProblemError                an invalid optimisation problem
    │   ├── SettingsError                      a setting: unknown key, wrong type, out of range
    │   ├── DuplicateMemoryError               another memory has this id already
    │   ├── EncoderMismatchError               the archive's vectors come from another encoder
    │   └── ArtefactMismatchError              benchmark rows were made with other settings
    ├── MemoryNotFoundError (also KeyError)    no memory has this id
    ├── TraceNotFoundError (also KeyError)     no saved trace has this id
    ├── StoreError                             the archive failed or refused; nothing was lost
    │   ├── ArchiveNotFoundError               there is no archive at this place
    │   ├── ArchiveBusyError                   another process is writing
    │   ├── ArchiveClosedError                 the handle was closed
    │   ├── ArchiveReadOnlyError               the location or the handle is read-only
    │   ├── ArchiveVersionError                the archive was written by a newer version
    │   ├── ArchiveDamagedError                stored data is corrupt
    │   ├── StorageFullError                   the disk is full
    │   └── StoreUnavailableError              the database server does not answer
    ├── EncoderError                           a model or its server failed to encode
    ├── ModelError                             a chat model or its server failed
    │   ├── ModelUnavailableError              it does not answer, or rejects the request
    │   │   └── AnswerBrokenOffError           the connection broke in the middle of an answer
    │   ├── InvalidReplyError                  its reply is not in the requested format
    │   └── LimitReachedError                  a question hit its deadline, token or cost limit
    ├── ImportSourceError                      a file or folder that cannot be imported
    └── MissingExtraError (also ImportError)   an optional dependency is not installed

Every message names the item at fault and, if there is one, the fix. Catch `GraphMemixError` to
handle everything that the library raises on purpose.
"""

from __future__ import annotations

from typing import Protocol

__all__ = [
    "AnswerBrokenOffError",
    "ArchiveBusyError",
    "ArchiveClosedError",
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
    "TraceNotFoundError",
]


class GraphMemixError(Exception):
    """The root: catch it to catch everything that GraphMemix raises on purpose."""


class InvalidInputError(GraphMemixError, ValueError):
    """What the caller passed is wrong. Nothing was changed."""


class InvalidDataError(InvalidInputError):
    """A record, or a value in it, is invalid."""


class InvalidProblemError(InvalidInputError):
    """An optimisation problem is invalid.

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
    """A setting is unknown or has an invalid value.

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
    """A memory with this id but other content exists already; `update` replaces it."""

    def __init__(self, memory_id: str) -> None:
        super().__init__(memory_id)
        self.memory_id = memory_id

    def __str__(self) -> str:
        return f"memory {self.memory_id!r} already exists with other content; use update"


class EncoderMismatchError(InvalidInputError):
    """The archive's vectors come from another encoder than the query's.

    Attributes:
        stored: The identity of the archive's encoder.
        asked: The identity of the encoder that was requested.
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
    """Rows of a benchmark run were made with other settings. Nothing was written.

    Attributes:
        place: The file.
        differences: What differs, as (name, stored, requested).
    """

    def __init__(self, place: str, differences: tuple[tuple[str, str, str], ...]) -> None:
        super().__init__(place, differences)
        self.place = place
        self.differences = differences

    def __str__(self) -> str:
        changes = "; ".join(
            f"{name} was {stored}, now {asked}" for name, stored, asked in self.differences
        )
        return f"{self.place}: rows were made with other settings ({changes}); use another folder"


class MemoryNotFoundError(GraphMemixError, KeyError):
    """No memory has this id."""

    def __init__(self, memory_id: str) -> None:
        super().__init__(memory_id)
        self.memory_id = memory_id

    def __str__(self) -> str:
        return f"there is no memory {self.memory_id!r} in this archive"


class TraceNotFoundError(GraphMemixError, KeyError):
    """No saved trace has this id."""

    def __init__(self, trace_id: str) -> None:
        super().__init__(trace_id)
        self.trace_id = trace_id

    def __str__(self) -> str:
        return f"there is no trace {self.trace_id!r} in this archive"


class StoreError(GraphMemixError):
    """The archive failed or refused an operation. Nothing that was acknowledged is lost."""


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


class ArchiveClosedError(StoreError):
    """The handle was closed; open the archive again.

    Attributes:
        archive: The archive's place.
    """

    def __init__(self, archive: str) -> None:
        super().__init__(archive)
        self.archive = archive

    def __str__(self) -> str:
        return f"{self.archive} is closed; open it again with Archive.open"


class ArchiveReadOnlyError(StoreError):
    """The location or the handle is read-only."""


class ArchiveVersionError(StoreError):
    """The archive was written by a newer version. It was not changed.

    Attributes:
        found: The archive's schema version.
        supported: The newest version that this program supports.
    """

    def __init__(self, found: int, supported: int) -> None:
        super().__init__(found, supported)
        self.found = found
        self.supported = supported

    def __str__(self) -> str:
        return (
            f"this archive has schema version {self.found}, but this program supports versions up "
            f"to {self.supported}; upgrade with: pip install --upgrade graphmemix"
        )


class ArchiveDamagedError(StoreError):
    """Stored data is corrupt."""


class StorageFullError(StoreError):
    """The disk is full, or a quota is reached. The failed write was undone."""


class StoreUnavailableError(StoreError):
    """The database server does not answer, or refused the connection."""


class EncoderError(GraphMemixError):
    """A model, its files or its server failed to encode."""


class _SavedTrace(Protocol):
    """The part of `Trace` that errors use; the class itself is in a higher layer."""

    @property
    def id(self) -> str: ...
    def to_json(self) -> str: ...


class ModelError(GraphMemixError):
    """A chat model or its server failed.

    Attributes:
        kind: How it failed, for counters: ``unavailable``, ``invalid_reply``, or the limit.
        trace: If a question was being answered: its `Trace` up to the failure, which its notes
            name. It has an id if it was saved.
    """

    kind: str = "unavailable"
    trace: _SavedTrace | None = None


class ModelUnavailableError(ModelError):
    """The model does not answer, or rejects the request; a retry may help."""


class AnswerBrokenOffError(ModelUnavailableError):
    """The connection broke in the middle of an answer.

    Attributes:
        partial: The text received so far.
    """

    def __init__(self, reason: str, partial: str) -> None:
        super().__init__(reason, partial)
        self.reason = reason
        self.partial = partial

    def __str__(self) -> str:
        return f"{self.reason} (after {len(self.partial)} characters of the answer)"


class InvalidReplyError(ModelError):
    """The model's reply is still not in the requested format after all retries."""

    kind = "invalid_reply"


class LimitReachedError(ModelError):
    """A question hit its deadline, its token limit or its cost limit.

    Attributes:
        limit: ``deadline``, ``tokens``, ``money`` or ``cancelled``.
        partial: The text of the answer received so far; may be empty.
    """

    def __init__(self, limit: str, reason: str, partial: str = "") -> None:
        super().__init__(limit, reason, partial)
        self.limit = self.kind = limit
        self.reason = reason
        self.partial = partial

    def __str__(self) -> str:
        return f"{self.limit}: {self.reason}"


class ImportSourceError(GraphMemixError):
    """A file or folder cannot be imported, or only in part. What was read before is kept."""


class MissingExtraError(GraphMemixError, ImportError):
    """An optional dependency is not installed.

    Attributes:
        extra: The name of the extra that provides it.
    """

    def __init__(self, extra: str, purpose: str) -> None:
        super().__init__(extra, purpose)
        self.extra = extra
        self.purpose = purpose

    def __str__(self) -> str:
        from graphmemix.extras import install_command  # reads the metadata of packages

        return f"{self.purpose} needs the extra '{self.extra}': {install_command(self.extra)}"


def reason_of(error: BaseException) -> str:
    """Return the message of another library's error, shortened, in one line."""
    return " ".join(str(error).split())[:300] or type(error).__name__
