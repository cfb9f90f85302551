"""What the growth tests of importers share: a file of a size, read by its importer from end to end.

Nothing is kept and nothing is stored, so that only reading is measured.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import TypeAlias

from graphmemix.errors import GraphMemixError
from graphmemix.ingest.builtin import built_in
from graphmemix.ingest.media_sink import ArchiveMediaSink
from tests.growth.doubling import assert_linear
from tests.ingest.reading import met, written

Content: TypeAlias = "str | bytes"

_IMPORTERS = {each.name: each for each in built_in(UTC)}


@dataclass(frozen=True)
class Case:
    """A hostile shape of a file.

    Attributes:
        name: What the shape is.
        importer: Whose file it is.
        file: The name of the file.
        make: Makes the content; the argument is how often its parts are repeated.
        start: The fewest repeats.
        most: The most repeats.
    """

    name: str
    importer: str
    file: str
    make: Callable[[int], Content]
    start: int = 64
    most: int = 1 << 14

    def __str__(self) -> str:
        return f"{self.importer}-{self.name}"


def read_all(importer: str, path: Path) -> int:
    """Read a file as the walker does; return how much it holds. Typed errors end it."""
    reader = _IMPORTERS[importer]
    found = met(path)
    count = 0
    try:
        reader.recognises(found)
        count += sum(1 for _ in reader.companions(found))
        # As text, because that is what is stored.
        count += sum(len(each.to_json()) for each in reader.read(found, ArchiveMediaSink(None)))
    except GraphMemixError:
        pass
    return count


def assert_reads_linearly(case: Case, folder: Path) -> None:
    """Fail if reading files of a shape takes more than time in proportion to their size."""

    def make(size: int) -> Path:
        return written(folder / str(size), case.file, case.make(size))

    def work(path: Path) -> int:
        return read_all(case.importer, path)

    assert_linear(work, make, start=case.start, most=case.most)


def packed(members: dict[str, Content]) -> bytes:
    """Return a zip archive."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return made.getvalue()
