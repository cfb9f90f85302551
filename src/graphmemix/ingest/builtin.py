"""The importers: which there are, and in which order they are asked whether a file is theirs.

Those of other packages join by the entry point group ``graphmemix.importers``. They are asked
first: whoever installs one wants it.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Final

from graphmemix.errors import InvalidInputError
from graphmemix.registry import load
from graphmemix.registry import names as registered

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import tzinfo

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


@lru_cache(maxsize=4)
def built_in(zone: tzinfo | None = None) -> tuple[Importer, ...]:
    """Return the importers of this package, in order. They need no extra until they read."""
    return tuple(_made(name, zone) for name in BUILT_IN)


def importers(zone: tzinfo | None = None) -> tuple[Importer, ...]:
    """Return every importer that is installed, in the order in which they are asked.

    Args:
        zone: For clocks that tell none; None for this machine's. Importers get it that take it.

    Raises:
        InvalidInputError: One of another package cannot be imported, or offers not what it should.
    """
    return _importers(tuple(sys.path), zone)


@lru_cache(maxsize=4)
def _importers(_path: tuple[str, ...], zone: tzinfo | None) -> tuple[Importer, ...]:
    """Look at the metadata of all packages, which takes a while, once for each import path."""
    return (*(_plugin(name, zone) for name in _plugin_names()), *built_in(zone))


def importer(name: str, zone: tzinfo | None = None) -> Importer:
    """Return the importer of this name; `zone` as in `importers`.

    Raises:
        InvalidInputError: There is none.
    """
    for each in importers(zone):
        if each.name == name:
            return each
    raise InvalidInputError(f"--as {name}: there is no such importer; there are {_listed()}")


def _listed() -> str:
    return ", ".join(sorted(names()))


def _made(name: str, zone: tzinfo | None) -> Importer:
    module, _, called = BUILT_IN[name].partition(":")
    return _called(getattr(import_module(f"{_HERE}.{module}"), called), zone)


def _called(maker: Callable[..., Importer], zone: tzinfo | None) -> Importer:
    """Make an importer, with the zone if it takes one."""
    return maker(zone=zone) if "zone" in signature(maker).parameters else maker()


def _plugin_names() -> list[str]:
    return [name for name in registered("importers") if name not in BUILT_IN]


def _plugin(name: str, zone: tzinfo | None) -> Importer:
    made = _called(load("importers", name), zone)
    lacking = [part for part in ("name", "recognises", "read") if not hasattr(made, part)]
    if lacking:
        raise InvalidInputError(f"importer {name!r}: has no {' and no '.join(lacking)}")
    return made
