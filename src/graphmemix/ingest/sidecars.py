"""Files beside a picture or a video that speak of it: Google Takeout's JSON, and XMP.

Takeout cuts the names of its JSON files at 46 characters, moves the number of a duplicate behind
them (``IMG.jpg(1).json`` is about ``IMG(1).jpg``), and describes edited copies with the original.
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
_EDITED: Final = re.compile(
    r"-(?:edited|bearbeitet|modifi[eé]|editad[oa]|ha editado|modificato|bewerkt|edytowane"
    r"|redigerad|redigert|redigeret|muokattu|düzenlendi|編集済み|已修改|수정됨)\Z",
    re.IGNORECASE,
)
_STILLS: Final = (".HEIC", ".heic", ".JPG", ".jpg", ".jpeg")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Sidecars:
    """The files that speak of one picture or video; None where there is none."""

    takeout: Path | None = None
    xmp: Path | None = None

    @property
    def paths(self) -> tuple[Path, ...]:
        """Those that are there."""
        return tuple(path for path in (self.takeout, self.xmp) if path is not None)


def sidecars(path: Path, *, is_video: bool = False) -> Sidecars:
    """Return the sidecars of a file. Looks for a few dozen names; reads only what it finds."""
    takeout = (path.with_name(name) for name in _takeout_names(path.name, is_video=is_video))
    xmp = (path.with_name(name) for name in _xmp_names(path))
    return Sidecars(
        takeout=next((p for p in takeout if _is_file(p) and _takeout(p) is not None), None),
        xmp=next((p for p in xmp if _is_file(p)), None),
    )


def sidecar_facts(found: Sidecars) -> tuple[Facts, Facts]:
    """Return what XMP and Takeout say, in this order; nothing for what is not there."""
    xmp, takeout = Facts(), Facts()
    if found.xmp is not None:
        data = _read(found.xmp)
        xmp = Facts(notes=("XMP ignored: cannot be read",)) if data is None else xmp_facts(data)
    if found.takeout is not None:
        said = _takeout(found.takeout)
        takeout = Facts(notes=("Takeout sidecar ignored: damaged",)) if said is None else said
    return xmp, takeout


def _xmp_names(path: Path) -> Iterator[str]:
    for stem in (path.name, path.stem):
        yield from (f"{stem}.xmp", f"{stem}.XMP")


def _takeout_names(name: str, *, is_video: bool) -> Iterator[str]:
    """Yield the names that Takeout may have given to the JSON of a file, likeliest first."""
    stem, dot, extension = name.rpartition(".")
    if not dot:
        stem, extension = name, ""
    ending = dot + extension
    numbered = _NUMBERED.match(stem)
    bare, number = (numbered["stem"], numbered["number"]) if numbered else (stem, "")
    original = _EDITED.sub("", bare)
    names = [(bare + ending, number), (original + ending, number)]
    if number:
        names += [(name, ""), (_EDITED.sub("", stem) + ending, "")]
    if is_video:  # the moving part of a live photo has the JSON of the still one
        names += [(original + still, number) for still in _STILLS]
    for titled, count in dict.fromkeys(names):
        yield from _json_names(titled, count)
    yield f"{bare}{number}.json"


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
    """Return what a JSON file of Takeout says; None if it is not one."""
    data = _read(path)
    return None if data is None else takeout_facts(data)


def takeout_facts(data: bytes) -> Facts | None:
    """Return what the bytes of a Takeout sidecar say; None if they are none."""
    try:
        told = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(told, dict) or not {"photoTakenTime", "geoData", "geoDataExif"} & told.keys():
        return None
    notes: list[str] = []
    people = told.get("people")
    named = (
        [p.get("name") for p in people if isinstance(p, dict)] if isinstance(people, list) else []
    )
    return Facts(
        times=tuple(_times(told.get("photoTakenTime"), notes)),
        point=_point(told.get("geoData")) or _point(told.get("geoDataExif")),
        texts=tuple(filter(None, [clean(told.get("description"))])),
        people=tuple(dict.fromkeys(filter(None, map(clean, named)))),
        others={"favorite": True} if told.get("favorited") is True else {},
        notes=tuple(notes),
    )


def _times(told: object, notes: list[str]) -> Iterator[Hint]:
    seconds = told.get("timestamp") if isinstance(told, dict) else None
    if seconds is None or seconds in ("", "0", 0):
        return
    try:
        moment = _EPOCH + timedelta(seconds=int(str(seconds)))
        require_plausible(moment)
    except (ValueError, TypeError, OverflowError):
        notes.append("Takeout time ignored: impossible")
        return
    yield Hint("takeout", moment, "utc")


def _point(told: object) -> Point | None:
    if not isinstance(told, dict):
        return None
    latitude, longitude = told.get("latitude"), told.get("longitude")
    if not isinstance(latitude, int | float) or not isinstance(longitude, int | float):
        return None
    try:
        return point(float(latitude), float(longitude))
    except OverflowError:
        return None
