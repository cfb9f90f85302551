"""The list of importers, in the order in which they are asked to recognise a file.

Other packages add importers through the entry point group ``graphmemix.importers``. These are asked
first, because the user installed them on purpose.
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
    "outlook": "mail.outlook:OutlookMessage",
    "photos": "photos:Photos",
    "videos": "videos:Videos",
    "slack": "chats.slack:Slack",
    "telegram": "chats.telegram:Telegram",
    "signal": "chats.signal:Signal",
    "discord": "chats.discord:Discord",
    "messenger": "chats.messenger:Messenger",
    "imessage": "chats.imessage:IMessage",
    "sms": "chats.sms:Sms",
    "mattermost": "chats.mattermost:Mattermost",
    "keep": "notes.keep:Keep",
    "evernote": "notes.evernote:Evernote",
    "locations": "tracks.google:Locations",
    "gpx": "tracks.gpx:Gpx",
    "kml": "tracks.kml:Kml",
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
    "opendocument": "documents.opendocument:OpenDocument",
    "epub": "documents.epub:Epub",
    "rtf": "documents.rtf:Rtf",
    "jsonl": "jsonl:JsonLines",
    "html": "documents.html:Html",
    "markdown": "documents.markdown:Markdown",
    "text": "documents.text:Text",
}
"""By the name for ``--as``, the most specific first: web pages and notes are text files too."""


def names() -> tuple[str, ...]:
    """Return the names that ``--as`` accepts, in the order in which importers are asked."""
    return tuple(dict.fromkeys([*_plugin_names(), *BUILT_IN]))


@lru_cache(maxsize=4)
def built_in(zone: tzinfo | None = None) -> tuple[Importer, ...]:
    """Return the importers of this package, in order. They need no extra until they read."""
    return tuple(_made(name, zone) for name in BUILT_IN)


def importers(zone: tzinfo | None = None) -> tuple[Importer, ...]:
    """Return every importer that is installed, in the order in which they are asked.

    Args:
        zone: Time zone for timestamps without an offset, passed to importers that accept it; None
            for this machine's.

    Raises:
        InvalidInputError: An importer of another package cannot be imported or is incomplete.
    """
    return _importers(tuple(sys.path), zone)


@lru_cache(maxsize=4)
def _importers(_path: tuple[str, ...], zone: tzinfo | None) -> tuple[Importer, ...]:
    """Scan the metadata of all packages, which is slow, once for each import path."""
    return (*(_plugin(name, zone) for name in _plugin_names()), *built_in(zone))


def importer(name: str, zone: tzinfo | None = None) -> Importer:
    """Return the importer of this name; `zone` as in `importers`.

    Raises:
        InvalidInputError: There is none.
    """
    for each in importers(zone):
        if each.name == name:
            return each
    known = ", ".join(sorted(names()))
    raise InvalidInputError(f"--as {name}: unknown importer; choose one of {known}")


def _made(name: str, zone: tzinfo | None) -> Importer:
    module, _, class_name = BUILT_IN[name].partition(":")
    return _created(getattr(import_module(f"{_HERE}.{module}"), class_name), zone)


def _created(maker: Callable[..., Importer], zone: tzinfo | None) -> Importer:
    """Create an importer, with the zone if it accepts one."""
    return maker(zone=zone) if "zone" in signature(maker).parameters else maker()


def _plugin_names() -> list[str]:
    return [name for name in registered("importers") if name not in BUILT_IN]


def _plugin(name: str, zone: tzinfo | None) -> Importer:
    created = _created(load("importers", name), zone)
    missing = [part for part in ("name", "recognises", "read") if not hasattr(created, part)]
    if missing:
        raise InvalidInputError(f"importer {name!r} lacks {' and '.join(missing)}")
    return created
