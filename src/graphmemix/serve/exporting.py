"""An archive as one zip: what `graphmemix export` writes, packed."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from graphmemix.fsio import make_folder
from graphmemix.serve.removal import discard
from graphmemix.store import export_archive

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graphmemix.store import Store

__all__ = ["chunks", "zipped"]

_CHUNK: Final = 1 << 18  # bytes


def zipped(store: Store, trash: Path) -> BinaryIO:
    """Return an open zip of everything in a store; it is gone when the file is closed.

    Args:
        store: What to export.
        trash: A folder that takes it meanwhile; `removal.sweep` removes what a crash leaves.
    """
    aside = make_folder(trash / f".removed-{secrets.token_hex(8)}")
    try:
        export_archive(store, aside / "export")
        target = aside / "archive.zip"
        with ZipFile(target, "w", ZIP_DEFLATED) as out:
            for file in sorted((aside / "export").rglob("*")):
                name = file.relative_to(aside / "export")
                # Photos and videos are compressed already.
                how = ZIP_STORED if name.parts[0] == "media" else ZIP_DEFLATED
                if file.is_file():
                    out.write(file, str(name), how)
        return target.open("rb")
    finally:
        discard(aside, trash)


def chunks(file: BinaryIO) -> Iterator[bytes]:
    """Yield the content of a file, and close it."""
    with file:
        while data := file.read(_CHUNK):
            yield data
