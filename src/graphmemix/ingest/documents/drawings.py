"""Pictures, alternative texts and charts of office files."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from graphmemix.errors import ImportSourceError
from graphmemix.ingest.attachments import mime_of, modality
from graphmemix.ingest.documents.office import related
from graphmemix.ingest.node import short
from graphmemix.ingest.protocol import HEAD_BYTES, Skipped

if TYPE_CHECKING:
    from collections.abc import Iterator
    from xml.etree.ElementTree import Element

    from graphmemix.ingest.documents.packed import Packed
    from graphmemix.ingest.protocol import MediaSink
    from graphmemix.memory import Media

_MOST_PICTURES = 200  # of a document
_LARGEST_PICTURE = 64 << 20
_MOST_VALUES = 200  # numbers and names of a chart
_FILE_NAME = re.compile(r"\S{1,100}\.(?:png|jpe?g|gif|bmp|emf|wmf|tiff?|svg|webp)", re.IGNORECASE)
_DRAWN = frozenset({"docPr", "cNvPr"})


class Drawings:
    """Reads what is drawn in an office file; each picture is stored once.

    Args:
        packed: The file.
        sink: Stores pictures.
        name: The file's name in reports.
    """

    def __init__(self, packed: Packed, sink: MediaSink, name: str) -> None:
        self._packed = packed
        self._sink = sink
        self._name = name
        self._kept: set[str] = set()
        self._targets: dict[str, dict[str, tuple[str, str]]] = {}
        self.skipped: list[Skipped] = []

    def of(self, element: Element, member: str) -> tuple[list[str], list[Media]]:
        """Return the texts and the pictures that are drawn in an element.

        Args:
            element: A block or a slide.
            member: The part of the file that it is in.
        """
        if member not in self._targets:
            self._targets[member] = related(self._packed, member)
        targets = self._targets[member]
        lines: list[str] = []
        pictures: list[Media] = []
        for each in element.iter():
            if each.tag in _DRAWN:
                lines += _alternative(each)
                continue
            link = each.get("r:embed") or each.get("r:id") or ""
            kind, target = targets.get(link, ("", ""))
            if kind == "image" and each.tag in {"blip", "imagedata"}:
                pictures += self._picture(target)
            elif kind == "chart" and each.tag == "chart":
                lines += self._chart(target)
        return list(dict.fromkeys(lines)), pictures

    def _picture(self, target: str) -> Iterator[Media]:
        if target in self._kept or target not in self._packed:
            return
        self._kept.add(target)
        name = posixpath.basename(target)
        if len(self._kept) > _MOST_PICTURES:
            self._skip(name, f"pictures after the first {_MOST_PICTURES} were left out")
            return
        try:
            data = self._packed.read(target)
        except ImportSourceError:
            self._skip(name, "cannot be unpacked")
            return
        mime = mime_of(data[:HEAD_BYTES], "")
        if modality(mime) != "image" or len(data) > _LARGEST_PICTURE:
            self._skip(name, "is too large, or a drawing in a format that is not read")
            return
        yield self._sink.keep_bytes(data, modality="image", mime=mime, name=name)

    def _chart(self, target: str) -> list[str]:
        """Return the words and the values of a chart on a line."""
        try:
            root = self._packed.xml(target)
        except ImportSourceError:
            self._skip(posixpath.basename(target), "a chart that cannot be read")
            return []
        words = [each.text.strip() for each in root.iter()
                 if each.tag in {"t", "v"} and each.text and each.text.strip()]  # fmt: skip
        return [f"Chart: {', '.join(words[:_MOST_VALUES])}"] if words else []

    def _skip(self, part: str, reason: str) -> None:
        self.skipped.append(Skipped(f"{self._name} {part}", reason))


def _alternative(drawn: Element) -> list[str]:
    """Return what a picture shows, in the words of its author or of the program."""
    texts = [" ".join(drawn.get(key, "").split()) for key in ("title", "descr")]
    return [f"Picture: {short(text)}" for text in texts if text and not _FILE_NAME.fullmatch(text)]
