"""The words of OpenDocument text: paragraphs, lists, tables, notes, and the pictures among them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_PARAGRAPHS: Final = frozenset({"p", "h"})
_SPACES: Final = {"tab": "\t", "line-break": "\n", "soft-page-break": ""}
_UNREAD: Final = frozenset(
    {"tracked-changes", "forms", "sequence-decls", "variable-decls", "user-field-decls"}
    | {"note-citation", "annotation-end", "binary-data", "event-listeners", "scripts"}
    | {"table-of-content-source", "automatic-styles", "ruby-text", "creator", "date"}
)
_SPACE: Final = re.compile(r"[ \t\r\n]+")
_MOST_SPACES = 100


class Words:
    """Lines of text, and the names of pictures, in their order. Each element is visited once."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.pictures: list[str] = []
        self.objects = 0  # charts and formulas, which are documents of their own

    def __bool__(self) -> bool:
        return any(self.lines) or bool(self.pictures)

    def add(self, block: Element, mark: str = "") -> None:
        """Add a paragraph, a list, a table or anything that contains them.

        Args:
            block: The element.
            mark: What its first line starts with, such as the dash of a list item.
        """
        if block.tag in _PARAGRAPHS:
            words: list[str] = []
            self._collect(block, words)
            text = "".join(words).strip()
            self.lines.append(mark + text if text else "")
        elif block.tag == "list-item":
            for number, child in enumerate(block):
                self.add(child, "- " if number == 0 else "")
        elif block.tag == "table-row":
            self._add_row(block)
        elif block.tag in {"image", "object"}:
            self._add_picture(block)
        elif block.tag in {"title", "desc"}:
            self.lines.append((block.text or "").strip())
        elif block.tag not in _UNREAD:
            for child in block:
                self.add(child)

    def _add_row(self, row: Element) -> None:
        cells: list[str] = []
        for cell in row:
            inside = Words()
            for child in cell:
                inside.add(child)
            self.pictures += inside.pictures
            self.objects += inside.objects
            cells.append(" ".join(filter(None, inside.lines)))
        if any(cells):
            self.lines.append(" | ".join(cells))

    def _collect(self, element: Element, words: list[str]) -> None:
        """Add the words of a paragraph; notes and frames in it follow where they stand."""
        words.append(_run(element.text))
        for child in element:
            if child.tag == "s":
                count = child.get("c", "1")
                words.append(" " * min(int(count), _MOST_SPACES) if count[:9].isdecimal() else " ")
            elif child.tag in _SPACES:
                words.append(_SPACES[child.tag])
            elif child.tag in {"image", "object"}:
                self._add_picture(child)
            elif child.tag in {"note", "annotation"}:
                words.append(" [")
                self._collect(child, words)
                words.append("]")
            elif child.tag not in _UNREAD:
                if child.tag in _PARAGRAPHS and words[-1:] not in ([" ["], [""]):
                    words.append(" ")
                self._collect(child, words)
            words.append(_run(child.tail))

    def _add_picture(self, image: Element) -> None:
        if image.tag == "object":
            self.objects += 1
            return
        name = image.get("href", "").removeprefix("./")
        if name:
            self.pictures.append(name)


def _run(text: str | None) -> str:
    """Return text as it is shown: breaks of lines between elements are none of the document's."""
    if not text or (text.isspace() and "\n" in text):
        return ""
    return _SPACE.sub(" ", text)
