"""One record of a source at a time: whatever is wrong with it, those behind it are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, ParamSpec

from graphmemix.errors import ArchiveReadOnlyError, GraphMemixError, StorageFullError
from graphmemix.ingest.protocol import Skipped

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphmemix.ingest.protocol import Reading

_Arguments = ParamSpec("_Arguments")


def read_record(
    label: str,
    read: Callable[_Arguments, Reading | str],
    *args: _Arguments.args,
    **kwargs: _Arguments.kwargs,
) -> Reading:
    """Return what `read` makes of one record; the record as skipped if that fails in any way.

    Args:
        label: What the record is called in reports.
        read: Returns a memory, or why there is none.
        *args: For `read`.
        **kwargs: For `read`.

    Raises:
        StorageFullError: Every other record would meet it too; so with the next ones.
        ArchiveReadOnlyError: The archive takes no files.
        MemoryError: Memory ran out.
    """
    try:
        made = read(*args, **kwargs)
    except (StorageFullError, ArchiveReadOnlyError, MemoryError):
        raise
    except GraphMemixError as error:
        return Skipped(label, str(error))
    except Exception as error:  # noqa: BLE001  # a stranger's record
        # The kind alone: the message of an error that nobody expected may hold content.
        return Skipped(label, f"cannot be read ({type(error).__name__})")
    return Skipped(label, made) if isinstance(made, str) else made
