"""Where an archive is: a folder, or a name in a PostgreSQL database."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote

from graphmemix.errors import InvalidInputError
from graphmemix.store.sqlite import SqliteStore

if TYPE_CHECKING:
    from graphmemix.store.protocol import Store

_SCHEMES = ("postgresql://", "postgres://")


def open_store(
    location: str | Path,
    *,
    mode: Literal["write", "shared", "read"] = "write",
    wait: float = 5.0,
    media: Path | None = None,
) -> Store:
    """Open the archive at `location`.

    Args:
        location: A folder, or ``postgresql://user@host/database#archive``; with ``?scan=hnsw``
            before the ``#``, vectors are searched approximately, by an index.
        mode: Opening for writing makes the archive if it is not there; in mode ``shared`` other
            processes may write in turn.
        wait: Seconds to wait for another writer to finish.
        media: For PostgreSQL, the folder for files; by default below the user's data folder.

    Raises:
        InvalidInputError: A name that no archive can have (`names`), a database address that does
            not name its archive, or another ``scan`` than ``exact`` or ``hnsw``. Nothing was made.
        StoreError: It cannot be opened; the kind says why.
        MissingExtraError: PostgreSQL needs the extra ``postgres``.
    """
    if not str(location).strip():
        raise InvalidInputError("name the archive: a folder, or postgresql://…/database#NAME")
    url, _, fragment = str(location).partition("#")
    if not url.startswith(_SCHEMES):
        return SqliteStore(Path(location), mode=mode, wait=wait)
    from graphmemix.store.postgres import PostgresStore

    archive = _decoded(fragment)
    if not archive:
        raise InvalidInputError("name the archive behind the address: postgresql://…/database#NAME")
    url, scan = _scan_of(url)
    return PostgresStore(url, archive, media, mode=mode, wait=wait, scan=scan)


def _decoded(fragment: str) -> str:
    try:
        return unquote(fragment, errors="strict")
    except UnicodeDecodeError:
        raise InvalidInputError(f"#{fragment}: is not the UTF-8 of a name") from None


def _scan_of(url: str) -> tuple[str, Literal["exact", "hnsw"]]:
    """Return an address without its ``scan=…``, which is ours and not the server's, and that."""
    address, _, query = url.partition("?")
    options = query.split("&") if query else []
    asked = [option.removeprefix("scan=") for option in options if option.startswith("scan=")]
    others = "&".join(option for option in options if not option.startswith("scan="))
    without = f"{address}?{others}" if others else address
    match asked:
        case [] | ["exact"]:
            return without, "exact"
        case ["hnsw"]:
            return without, "hnsw"
    raise InvalidInputError(f"scan: must be exact or hnsw, not {' and '.join(asked)!r}")
