"""The importers: which there are, and in which order they are asked whether a file is theirs.

Those of other packages join by the entry point group ``graphmemix.importers``. They are asked
first: whoever installs one wants it.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Final

from graphmemix.errors import InvalidInputError
from graphmemix.registry import load
from graphmemix.registry import names as registered

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graphmemix.ingest.protocol import Importer

_HERE: Final = "graphmemix.ingest"

BUILT_IN: Final[Mapping[str, str]] = {
    "mail": "mail:Mail",
    "photos": "photos:Photos",
    "videos": "videos:Videos",
    "slack": "chats.slack:Slack",
    "telegram": "chats.telegram:Telegram",
    "signal": "chats.signal:Signal",
    "discord": "chats.discord:Discord",
    "chatgpt": "chats.chatgpt:ChatGpt",
    "claude": "chats.claude:Claude",
    "dialogue": "chats.dialogue:Dialogue",
    "whatsapp": "chats.whatsapp:WhatsApp",
    "icalendar": "documents.icalendar:ICalendar",
    "vcard": "documents.vcard:VCard",
    "pdf": "documents.pdf:Pdf",
    "docx": "documents.docx:Docx",
    "pptx": "documents.pptx:Pptx",
    "xlsx": "documents.xlsx:Xlsx",
    "jsonl": "jsonl:JsonLines",
    "html": "documents.html:Html",
    "markdown": "documents.markdown:Markdown",
    "text": "documents.text:Text",
}
"""By the name for ``--as``, the most specific first: web pages and notes are text files too."""


def names() -> tuple[str, ...]:
    """Return the names that ``--as`` takes, in the order in which importers are asked."""
    return tuple(dict.fromkeys([*_plugin_names(), *BUILT_IN]))


@lru_cache(maxsize=1)
def built_in() -> tuple[Importer, ...]:
    """Return the importers of this package, in order. They need no extra until they read."""
    return tuple(_made(name) for name in BUILT_IN)


def importers() -> tuple[Importer, ...]:
    """Return every importer that is installed, in the order in which they are asked.

    Raises:
        InvalidInputError: One of another package cannot be imported, or offers not what it should.
    """
    return _importers(tuple(sys.path))


@lru_cache(maxsize=4)
def _importers(_path: tuple[str, ...]) -> tuple[Importer, ...]:
    """Look at the metadata of all packages, which takes a while, once for each import path."""
    return (*(_plugin(name) for name in _plugin_names()), *built_in())


def importer(name: str) -> Importer:
    """Return the importer of this name.

    Raises:
        InvalidInputError: There is none.
    """
    for each in importers():
        if each.name == name:
            return each
    raise InvalidInputError(f"--as {name}: there is no such importer; there are {_listed()}")


def _listed() -> str:
    return ", ".join(sorted(names()))


def _made(name: str) -> Importer:
    module, _, called = BUILT_IN[name].partition(":")
    made: Importer = getattr(import_module(f"{_HERE}.{module}"), called)()
    return made


def _plugin_names() -> list[str]:
    return [name for name in registered("importers") if name not in BUILT_IN]


def _plugin(name: str) -> Importer:
    made = load("importers", name)()
    lacking = [part for part in ("name", "recognises", "read") if not hasattr(made, part)]
    if lacking:
        raise InvalidInputError(f"importer {name!r}: has no {' and no '.join(lacking)}")
    checked: Importer = made
    return checked
