"""Google Keep, from Google Takeout: a JSON file per note, its pictures and an HTML copy beside."""

from __future__ import annotations

import json
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from graphmemix.errors import ImportSourceError
from graphmemix.ingest.attachments import Attachments, locate
from graphmemix.ingest.documents.parts import read_small
from graphmemix.ingest.node import Node, moment, short
from graphmemix.ingest.notes.note import note
from graphmemix.ingest.outline import outline
from graphmemix.ingest.records import read_parts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from graphmemix.ingest.protocol import Found, MediaSink, Reading
    from graphmemix.memory import Memory
    from graphmemix.record import Json

_FIELDS = frozenset({"/isTrashed", "/isPinned", "/isArchived"})
_WORDS = frozenset({"/textContent", "/listContent", "/title", "/attachments"})
_LARGEST = 32 << 20  # bytes
_LONGEST_SEARCHED = 40_000  # characters of a note in which its links are looked for
_MOST_LINKS = 200
# Takeout names pictures in a note otherwise than the files that it writes.
_SUFFIXES = (".jpg", ".jpeg", ".png", ".gif", ".3gp", ".m4a", ".mp4")


class Keep:
    """Reads a note or list, with labels, pictures, recordings and links."""

    name = "keep"

    def recognises(self, found: Found) -> bool:
        """Return whether the file has the fields that every note has."""
        keys = outline(found.head)
        early = bool(keys & _FIELDS) and "/userEditedTimestampUsec" in keys
        return bool(keys & _WORDS) and (keys >= _FIELDS or early)

    def companions(self, found: Found) -> Iterator[Path]:
        """Yield the copy of the note as a page, and the existing files that it names."""
        page = found.path.with_suffix(".html")
        if page.is_file() and not page.is_symlink():
            yield page
        try:
            node = _loaded(found)
        except ImportSourceError:
            return
        for each in node.nodes("attachments"):
            name = _located(found.path.parent, each.text("filePath"))
            if locate(found.path.parent, name) is not None:
                yield found.path.parent / name

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:
        """Yield the note; one in the trash is left out and reported.

        Raises:
            ImportSourceError: The file is not JSON.
        """
        node = _loaded(found)
        attachments = Attachments(found, sink)
        yield from read_parts(found.name, _note, node, found, attachments)
        yield from attachments.refused()


def _loaded(found: Found) -> Node:
    try:
        value: Json = json.loads(read_small(found, _LARGEST))
    except (ValueError, RecursionError):
        raise ImportSourceError(f"{found.name}: is not JSON") from None
    return Node(value)


def _note(node: Node, found: Found, attachments: Attachments) -> list[Memory] | str:
    if node.flag("isTrashed"):
        return "is in the trash"
    created = node.number("createdTimestampUsec")
    edited = node.number("userEditedTimestampUsec")
    title = short(node.text("title"))
    items = [
        f"[{'x' if each.flag('isChecked') else ' '}] {each.text('text')}"
        for each in node.nodes("listContent")
    ]
    said = node.text("textContent")
    searched = said[:_LONGEST_SEARCHED]
    links = [
        " ".join(filter(None, [each.text("title"), f"<{each.text('url')}>"]))
        for each in node.nodes("annotations")[:_MOST_LINKS]
        if each.text("url") and each.text("url") not in searched
    ]
    media = [
        attachments.take(
            _located(found.path.parent, each.text("filePath")), mime=each.text("mimetype")
        )
        for each in node.nodes("attachments")
        if each.text("filePath")
    ]
    changed = moment(edited)
    notes: dict[str, Json] = {
        "title": title,
        "labels": [name for each in node.nodes("labels") if (name := each.name("name"))],
        "pinned": node.flag("isPinned"),
        "archived": node.flag("isArchived"),
        "shared_with": [
            mail
            for each in node.nodes("sharees")
            if not each.flag("isOwner") and (mail := each.name("email"))
        ],
        "edited": changed.isoformat() if changed and created != edited else "",
    }
    return note(
        Keep.name,
        [created or edited or found.path.stem, title if created is None else ""],
        "\n".join(filter(None, [title, said, *items, *links])),
        timestamp=moment(created) or changed,
        media=media,
        metadata=notes,
    )


def _located(folder: Path, name: str) -> str:
    """Return the name of a file that exists, if only its extension is another one."""
    if locate(folder, name) is None:
        bare = PurePosixPath(name).stem
        for suffix in _SUFFIXES:
            if locate(folder, bare + suffix) is not None:
                return bare + suffix
    return name
