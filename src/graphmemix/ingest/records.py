"""Reads one record of a source; a bad record is skipped, and the following ones are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, ParamSpec

from graphmemix.errors import ArchiveReadOnlyError, GraphMemixError, StorageFullError
from graphmemix.ingest.protocol import Skipped

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from graphmemix.ingest.protocol import Reading

_Arguments = ParamSpec("_Arguments")


def read_record(
    label: str,
    read: Callable[_Arguments, Reading | str],
    *args: _Arguments.args,
    **kwargs: _Arguments.kwargs,
) -> Reading:
    """Return the result of `read` for one record; `Skipped` if it fails in any way.

    See `read_parts` for a record that is several memories.

    Errors that every other record would meet too are raised.

    Args:
        label: The record's name in reports.
        read: Returns a memory, or the reason why there is none.
        *args: For `read`.
        **kwargs: For `read`.

    Raises:
        StorageFullError: The disk is full.
        ArchiveReadOnlyError: The archive is read-only.
        MemoryError: Memory ran out.
    """

    def alone(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> list[Reading] | str:
        made = read(*args, **kwargs)
        return made if isinstance(made, str) else [made]

    return read_parts(label, alone, *args, **kwargs)[0]


def read_parts(
    label: str,
    read: Callable[_Arguments, Sequence[Reading] | str],
    *args: _Arguments.args,
    **kwargs: _Arguments.kwargs,
) -> Sequence[Reading]:
    """Return the results of `read` for one record; one `Skipped` if it fails, as `read_record`."""
    try:
        made = read(*args, **kwargs)
    except (StorageFullError, ArchiveReadOnlyError, MemoryError):
        raise
    except GraphMemixError as error:
        return [Skipped(label, str(error))]
    except Exception as error:  # noqa: BLE001  # untrusted input
        # Only the type: the message of an unexpected error may contain content.
        return [Skipped(label, f"cannot be read ({type(error).__name__})")]
    return [Skipped(label, made)] if isinstance(made, str) else made
