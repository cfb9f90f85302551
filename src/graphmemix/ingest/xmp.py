"""XMP metadata, embedded or in a sidecar, as Lightroom, digiKam, darktable and others write it.

A property may be an attribute, an element, or a list inside one. DTDs are refused: XMP has none,
and entities can expand a small file into a huge one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Final

from graphmemix.errors import ImportSourceError
from graphmemix.ingest.facts import Facts, clean
from graphmemix.ingest.xml_tree import parse_xml
from graphmemix.text.coordinates import point, xmp_degrees
from graphmemix.text.dates.capture_time import Hint, written_time

if TYPE_CHECKING:
    from collections.abc import Mapping
    from xml.etree.ElementTree import Element

LARGEST: Final = 4 << 20  # bytes
_RDF: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_DC: Final = "http://purl.org/dc/elements/1.1/"
_EXIF: Final = "http://ns.adobe.com/exif/1.0/"
_PHOTOSHOP: Final = "http://ns.adobe.com/photoshop/1.0/"
_XMP: Final = "http://ns.adobe.com/xap/1.0/"
_TIFF: Final = "http://ns.adobe.com/tiff/1.0/"
_IPTC: Final = "http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/"
_IPTC_MORE: Final = "http://iptc.org/std/Iptc4xmpExt/2008-02-29/"
_CAMERA: Final = "http://ns.google.com/photos/1.0/camera/"
_REGIONS: Final = "http://www.metadataworkinggroup.com/schemas/regions/"
_MICROSOFT: Final = "http://ns.microsoft.com/photo/1.2/t/RegionInfo#"

_TIMES: Final = (
    f"{{{_EXIF}}}DateTimeOriginal",
    f"{{{_PHOTOSHOP}}}DateCreated",
    f"{{{_XMP}}}CreateDate",
)
_NO_DAY: Final = re.compile(r"\d{4}(?:-\d\d)?")
_PLACE_PARTS: Final = (
    f"{{{_IPTC}}}Location",
    f"{{{_PHOTOSHOP}}}City",
    f"{{{_PHOTOSHOP}}}State",
    f"{{{_PHOTOSHOP}}}Country",
)


def xmp_facts(data: bytes) -> Facts:
    """Return the facts of an XMP packet; only a note if it cannot be read."""
    properties = _properties(data[:LARGEST])
    if properties is None:
        return Facts(notes=("XMP ignored: damaged",))
    notes: list[str] = []
    first = {name: values[0] for name, values in properties.items() if values}
    latitude = xmp_degrees(first.get(f"{{{_EXIF}}}GPSLatitude", ""))
    longitude = xmp_degrees(first.get(f"{{{_EXIF}}}GPSLongitude", ""))
    make, model = first.get(f"{{{_TIFF}}}Make", ""), first.get(f"{{{_TIFF}}}Model", "")
    people = [
        *properties[f"{{{_IPTC_MORE}}}PersonInImage"],
        *properties[f"{{{_REGIONS}}}Name"],
        *properties[f"{{{_MICROSOFT}}}PersonDisplayName"],
    ]
    return Facts(
        times=tuple(_times(first, notes)),
        point=point(latitude, longitude),
        place_name=", ".join(dict.fromkeys(first[p] for p in _PLACE_PARTS if first.get(p))),
        texts=tuple(t for name in ("title", "description") for t in properties[f"{{{_DC}}}{name}"]),
        tags=tuple(dict.fromkeys(properties[f"{{{_DC}}}subject"])),
        people=tuple(dict.fromkeys(people)),
        creator=first.get(f"{{{_DC}}}creator", ""),
        camera=model if model.casefold().startswith(make.casefold()) else f"{make} {model}".strip(),
        burst=first.get(f"{{{_CAMERA}}}BurstID", ""),
        notes=tuple(notes),
    )


def _times(first: Mapping[str, str], notes: list[str]) -> list[Hint]:
    for name in _TIMES:
        text = first.get(name, "").strip()
        if _NO_DAY.fullmatch(text):
            notes.append("XMP time ignored: a year or month without a day")
            continue
        try:
            hint = written_time("xmp", text)
        except (ValueError, OverflowError):
            notes.append("XMP time ignored: impossible")
            continue
        if hint is not None:
            return [hint]
    return []


def _properties(data: bytes) -> dict[str, list[str]] | None:
    """Return all properties by name; None if it is not XML, or has a DTD."""
    try:
        root = parse_xml(data.strip(b"\0 \t\r\n"), "XMP", _whole_name, _whole_name)
    except ImportSourceError:
        return None
    found: dict[str, list[str]] = defaultdict(list)
    for element in root.iter():
        _collect(element, found)
    return found


def _whole_name(name: str) -> str:
    """Return a name with its namespace in the form of `Element`."""
    return f"{{{name}" if "}" in name else name


def _collect(element: Element, found: dict[str, list[str]]) -> None:
    """Collect the values of one element: its attributes, its text, the items of its list."""
    for name, value in element.attrib.items():
        if not name.startswith(f"{{{_RDF}}}") and (text := clean(value)):
            found[name].append(text)
    if element.tag.startswith(f"{{{_RDF}}}"):
        return
    items = list(element.iterfind(f"./{{{_RDF}}}*/{{{_RDF}}}li"))
    texts = [clean(item.text) for item in items] if items else [clean(element.text)]
    found[element.tag] += [text for text in texts if text]
