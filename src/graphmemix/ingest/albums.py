"""What lies beside the photos of a folder: the title of an album, and the dates of iCloud.

Google Takeout describes an album in a JSON file whose name is in the user's language
(``metadata.json``, ``Metadaten.json``). iCloud lists photos in ``Photo Details.csv``.
"""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from graphmemix.ingest.facts import Facts, clean
from graphmemix.ingest.text import decode
from graphmemix.text.dates.capture_time import Hint, require_plausible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graphmemix.record import Json

_LARGEST_ALBUM: Final = 1 << 16  # bytes
_LARGEST_LIST: Final = 64 << 20
_MOST_FILES: Final = 200  # JSON files of a folder that may be the one of its album
_OF_A_PHOTO: Final = re.compile(r"\.\w{2,5}(?:\.[\w-]*|\(\d+\))?\.json\Z", re.IGNORECASE)
_DETAILS: Final = re.compile(r"Photo Details(?:[ -]?\(?\d+\)?)?\.csv", re.IGNORECASE)
_DATES: Final = ("%A %B %d,%Y %I:%M %p", "%A %B %d, %Y %I:%M %p", "%Y-%m-%d %H:%M:%S")


@dataclass(frozen=True)
class Beside:
    """What describes the photos of a folder.

    Attributes:
        title: Of the album; empty if the folder is none.
        files: The files that say so.
        facts: What iCloud says, by the name of the photo.
    """

    title: str = ""
    files: tuple[Path, ...] = ()
    facts: Mapping[str, Facts] = field(default_factory=dict)


def beside(path: Path) -> Beside:
    """Return what describes the photos in the folder of a file."""
    folder = path.parent
    try:
        return _beside(str(folder), folder.stat().st_mtime_ns)
    except (OSError, ValueError):
        return Beside()


@lru_cache(maxsize=64)
def _beside(folder: str, _changed: int) -> Beside:
    entries = sorted(Path(folder).iterdir())
    tables = [path for path in entries if _DETAILS.fullmatch(path.name)]
    described = [path for path in entries if path.suffix.lower() == ".json"]
    albums = [path for path in described if not _OF_A_PHOTO.search(path.name)][:_MOST_FILES]
    titles = [(path, title) for path in albums if (title := _title(path))]
    facts: dict[str, Facts] = {}
    for table in tables:
        facts |= _details(table)
    files = (*(path for path, _ in titles[:1]), *tables)
    return Beside(titles[0][1] if titles else "", files, facts)


def _title(path: Path) -> str:
    """Return the title of a Takeout album; empty if the file describes none."""
    try:
        if path.stat().st_size > _LARGEST_ALBUM:
            return ""
        said = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return ""
    if isinstance(said, dict) and isinstance(said.get("albumData"), dict):
        said = said["albumData"]  # as older exports wrote it
    if not isinstance(said, dict) or "photoTakenTime" in said:
        return ""
    return clean(said.get("title"))[:300] if {"access", "date", "description"} & said.keys() else ""


def _details(path: Path) -> dict[str, Facts]:
    """Return what a list of iCloud says about each photo; nothing if it is no such list."""
    try:
        if path.stat().st_size > _LARGEST_LIST:
            return {}
        rows = csv.DictReader(io.StringIO(decode(path.read_bytes())))
        return {name: _facts(row) for row in rows if (name := row.get("imgName") or "")}
    except (OSError, csv.Error, ValueError):
        return {}


def _facts(row: Mapping[str | None, object]) -> Facts:
    said = {str(key): str(value or "").strip() for key, value in row.items()}
    moment = _moment(said.get("originalCreationDate", ""))
    others: dict[str, Json] = {
        key: True for key in ("favorite", "hidden", "deleted") if said.get(key, "").lower() == "yes"
    }
    return Facts(times=() if moment is None else (Hint("icloud", moment, "utc"),), others=others)


def _moment(text: str) -> datetime | None:
    bare = re.sub(r"[\u202f\u00a0]", " ", text).removesuffix("GMT").removesuffix("UTC").strip()
    for form in _DATES:
        try:
            moment = datetime.strptime(bare, form).replace(tzinfo=UTC)
            require_plausible(moment)
        except (ValueError, OverflowError):
            continue
        return moment
    return None
