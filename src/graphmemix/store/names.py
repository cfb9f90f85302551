"""What a new archive may be called: the same for a folder's name and for a name in a database.

Any characters will do that a database and a file system can hold. Names count byte by byte: two
spellings of one letter are two names. An archive that has another name already stays usable.
"""

from __future__ import annotations

from typing import Final

from graphmemix.errors import InvalidInputError
from graphmemix.store.clean import is_storable

MOST_BYTES: Final = 255
"""Of a name in UTF-8: what file systems allow."""

_SHOWN = 40  # characters of a name in an error


def is_archive_name(name: str) -> bool:
    """Return whether a new archive may have this name."""
    return is_storable(name) and bool(name.strip()) and len(name.encode()) <= MOST_BYTES


def require_archive_name(name: str) -> None:
    """Raise `InvalidInputError` unless a new archive may have this name."""
    if is_archive_name(name):
        return
    shown = repr(name if len(name) <= _SHOWN else f"{name[:_SHOWN]}…")
    if not name.strip():
        raise InvalidInputError(f"{shown}: an archive needs a name")
    if not is_storable(name):
        raise InvalidInputError(f"{shown}: no archive can have a name with these characters")
    raise InvalidInputError(f"{shown}: the name of an archive has at most {MOST_BYTES} bytes")
