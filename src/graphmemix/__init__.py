"""GraphMemix: the few memories that answer a question together.

Nouns: `Archive`, `Memory`, `Question`, `Forest`, `Trace`. The optimiser lives in
`graphmemix.optimize`, the stores in `graphmemix.store`, encoders in `graphmemix.encode`.
Each name is imported when it is first used: `import graphmemix` alone costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

from graphmemix import no_telemetry as _no_telemetry  # noqa: F401  # for what it sets

if TYPE_CHECKING:
    from graphmemix.archive import Archive
    from graphmemix.archive.watching import Watcher
    from graphmemix.encode import HashingEncoder
    from graphmemix.errors import (
        AnswerBrokenOffError,
        ArchiveBusyError,
        ArchiveClosedError,
        ArchiveDamagedError,
        ArchiveNotFoundError,
        ArchiveReadOnlyError,
        ArchiveVersionError,
        DuplicateMemoryError,
        EncoderError,
        EncoderMismatchError,
        GraphMemixError,
        InvalidDataError,
        InvalidInputError,
        InvalidProblemError,
        InvalidReplyError,
        LimitReachedError,
        MemoryNotFoundError,
        MissingExtraError,
        ModelError,
        ModelUnavailableError,
        SettingsError,
        StorageFullError,
        StoreError,
        StoreUnavailableError,
        TraceNotFoundError,
    )
    from graphmemix.evidence import (
        Answer,
        Candidate,
        CandidateGraph,
        Edge,
        EvidenceRow,
        Forest,
        Packet,
        Question,
        Trace,
    )
    from graphmemix.llm import ScriptedChat
    from graphmemix.memory import Media, Memory, Place, View
    from graphmemix.optimize import Problem, Selection, Solution, select, solve
    from graphmemix.settings import Settings
    from graphmemix.store import Filter

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "AnswerBrokenOffError",
    "Archive",
    "ArchiveBusyError",
    "ArchiveClosedError",
    "ArchiveDamagedError",
    "ArchiveNotFoundError",
    "ArchiveReadOnlyError",
    "ArchiveVersionError",
    "Candidate",
    "CandidateGraph",
    "DuplicateMemoryError",
    "Edge",
    "EncoderError",
    "EncoderMismatchError",
    "EvidenceRow",
    "Filter",
    "Forest",
    "GraphMemixError",
    "HashingEncoder",
    "InvalidDataError",
    "InvalidInputError",
    "InvalidProblemError",
    "InvalidReplyError",
    "LimitReachedError",
    "Media",
    "Memory",
    "MemoryNotFoundError",
    "MissingExtraError",
    "ModelError",
    "ModelUnavailableError",
    "Packet",
    "Place",
    "Problem",
    "Question",
    "ScriptedChat",
    "Selection",
    "Settings",
    "SettingsError",
    "Solution",
    "StorageFullError",
    "StoreError",
    "StoreUnavailableError",
    "Trace",
    "TraceNotFoundError",
    "View",
    "Watcher",
    "__version__",
    "select",
    "solve",
]

_HOMES: Final = {
    "graphmemix.archive": ("Archive",),
    "graphmemix.archive.watching": ("Watcher",),
    "graphmemix.encode": ("HashingEncoder",),
    "graphmemix.errors": (
        "AnswerBrokenOffError",
        "ArchiveBusyError",
        "ArchiveClosedError",
        "ArchiveDamagedError",
        "ArchiveNotFoundError",
        "ArchiveReadOnlyError",
        "ArchiveVersionError",
        "DuplicateMemoryError",
        "EncoderError",
        "EncoderMismatchError",
        "GraphMemixError",
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
    ),
    "graphmemix.evidence": (
        "Answer",
        "Candidate",
        "CandidateGraph",
        "Edge",
        "EvidenceRow",
        "Forest",
        "Packet",
        "Question",
        "Trace",
    ),
    "graphmemix.memory": (
        "Media",
        "Memory",
        "Place",
        "View",
    ),
    "graphmemix.llm": ("ScriptedChat",),
    "graphmemix.optimize": (
        "Problem",
        "Selection",
        "Solution",
        "select",
        "solve",
    ),
    "graphmemix.settings": ("Settings",),
    "graphmemix.store": ("Filter",),
}
_HOME_OF: Final = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'graphmemix' has no attribute {name!r}")
    value: object = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
