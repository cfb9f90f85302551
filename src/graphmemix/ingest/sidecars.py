"""Sidecar files of pictures and videos: Google Takeout's JSON, and XMP.

Takeout cuts the names of its JSON files at 46 characters, moves the number of a duplicate to the
end (``IMG.jpg(1).json`` belongs to ``IMG(1).jpg``), and has one file for an original and its edits.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from graphmemix.ingest.facts import Facts, clean
from graphmemix.ingest.xmp import LARGEST, xmp_facts
from graphmemix.text.coordinates import point
from graphmemix.text.dates.capture_time import Hint, require_plausible

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from graphmemix.text.coordinates import Point

_SUPPLEMENT: Final = ".supplemental-metadata"
_CUT: Final = range(51, 42, -1)  # characters; 46 for most, but accents count differently
_NUMBERED: Final = re.compile(r"(?P<stem>.+)(?P<number>\(\d+\))\Z", re.DOTALL)
_EDITED_WORDS: Final = (
    "edited", "bearbeitet", "modifie", "modifié", "editado", "editada", "ha editado", "modificato",
    "bewerkt", "edytowane", "redigerad", "redigert", "redigeret", "muokattu", "düzenlendi",
    "編集済み", "已修改", "수정됨",
)  # fmt: skip
_EDITED: Final = re.compile(rf"-(?:{'|'.join(_EDITED_WORDS)})\Z", re.IGNORECASE)
_LONG: Final = 40  # characters of a name from which Takeout cuts off the mark of an edited copy
_STILLS: Final = (".HEIC", ".heic", ".JPG", ".jpg", ".jpeg")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Sidecars:
    """The sidecars of one picture or video; None if missing."""

    takeout: Path | None = None
    xmp: Path | None = None

    @property
    def paths(self) -> tuple[Path, ...]:
        """Those that exist."""
        return tuple(path for path in (self.takeout, self.xmp) if path is not None)


def sidecars(path: Path, *, is_video: bool = False) -> Sidecars:
    """Return the sidecars of a file. Tries a few dozen names; reads only existing files."""
    takeout = (path.with_name(name) for name in _takeout_names(path.name, is_video=is_video))
    xmp = (path.with_name(name) for name in _xmp_names(path))
    return Sidecars(
        takeout=next((p for p in takeout if _is_file(p) and _takeout(p) is not None), None),
        xmp=next((p for p in xmp if _is_file(p)), None),
    )


def sidecar_facts(found: Sidecars) -> tuple[Facts, Facts]:
    """Return the facts of XMP and of Takeout; empty for missing files."""
    xmp, takeout = Facts(), Facts()
    if found.xmp is not None:
        data = _read(found.xmp)
        xmp = Facts(notes=("XMP ignored: cannot be read",)) if data is None else xmp_facts(data)
    if found.takeout is not None:
        facts = _takeout(found.takeout)
        takeout = Facts(notes=("Takeout sidecar ignored: damaged",)) if facts is None else facts
    return xmp, takeout


def _xmp_names(path: Path) -> Iterator[str]:
    for stem in (path.name, path.stem):
        yield from (f"{stem}.xmp", f"{stem}.XMP")


def _takeout_names(name: str, *, is_video: bool) -> Iterator[str]:
    """Yield the possible names of a file's Takeout JSON, likeliest first."""
    stem, dot, extension = name.rpartition(".")
    if not dot:
        stem, extension = name, ""
    ending = dot + extension
    numbered = _NUMBERED.match(stem)
    bare, number = (numbered["stem"], numbered["number"]) if numbered else (stem, "")
    original = _unedited(bare)
    names = [(bare + ending, number), (original + ending, number)]
    if number:
        names += [(name, ""), (_unedited(stem) + ending, "")]
    if is_video:  # the video of a live photo shares the JSON of the still picture
        names += [(original + still, number) for still in _STILLS]
        names += [(name + still, "") for still in _STILLS]  # PXL_1.MP beside PXL_1.MP.jpg
    names += [(bare, number), (original, number)]  # Google at times leaves out the ending
    for titled, count in dict.fromkeys(names):
        yield from _json_names(titled, count)


def _unedited(stem: str) -> str:
    """Return a name without what marks an edited copy, which is cut off if the name is long."""
    whole = _EDITED.sub("", stem)
    if whole != stem or len(stem) < _LONG:
        return whole
    before, dash, mark = stem.rpartition("-")
    is_cut = any(edited.startswith(mark.casefold()) for edited in _EDITED_WORDS)
    return before if dash and mark and is_cut else stem


def _json_names(title: str, number: str) -> Iterator[str]:
    yield f"{title}{number}.json"
    whole = title + _SUPPLEMENT
    for length in range(len(whole), len(title), -1):
        yield f"{whole[:length]}{number}.json"
    for length in _CUT:
        if length < len(title):
            yield f"{title[:length]}{number}.json"


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _read(path: Path) -> bytes | None:
    try:
        with path.open("rb") as stream:
            return stream.read(LARGEST)
    except (OSError, ValueError):
        return None


def _takeout(path: Path) -> Facts | None:
    """Return the facts of a Takeout JSON file; None if it is not one."""
    data = _read(path)
    return None if data is None else takeout_facts(data)


def takeout_facts(data: bytes) -> Facts | None:
    """Return the facts in a Takeout sidecar; None if it is not one."""
    try:
        fields = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if (
        not isinstance(fields, dict)
        or not {"photoTakenTime", "geoData", "geoDataExif"} & fields.keys()
    ):
        return None
    notes: list[str] = []
    people = fields.get("people")
    named = (
        [p.get("name") for p in people if isinstance(p, dict)] if isinstance(people, list) else []
    )
    return Facts(
        times=tuple(_times(fields.get("photoTakenTime"), notes)),
        point=_point(fields.get("geoData")) or _point(fields.get("geoDataExif")),
        texts=tuple(filter(None, [clean(fields.get("description"))])),
        people=tuple(dict.fromkeys(filter(None, map(clean, named)))),
        others={"favorite": True} if fields.get("favorited") is True else {},
        notes=tuple(notes),
    )


def _times(value: object, notes: list[str]) -> Iterator[Hint]:
    seconds = value.get("timestamp") if isinstance(value, dict) else None
    if seconds is None or seconds in ("", "0", 0):
        return
    try:
        moment = _EPOCH + timedelta(seconds=int(str(seconds)))
        require_plausible(moment)
    except (ValueError, TypeError, OverflowError):
        notes.append("Takeout time ignored: impossible")
        return
    yield Hint("takeout", moment, "utc")


def _point(value: object) -> Point | None:
    if not isinstance(value, dict):
        return None
    latitude, longitude = value.get("latitude"), value.get("longitude")
    if not isinstance(latitude, int | float) or not isinstance(longitude, int | float):
        return None
    try:
        return point(float(latitude), float(longitude))
    except OverflowError:
        return None
