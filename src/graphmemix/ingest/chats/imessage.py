"""Apple's Messages: ``chat.db`` of macOS, ``sms.db`` of iOS, with attachments in a folder beside.

Times are seconds since 2001, or nanoseconds since macOS 10.13. Since macOS 13 the words of most
messages are in `attributedBody` alone, an archived text with formatting.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

from graphmemix.errors import ImportSourceError
from graphmemix.ingest.attachments import Attachments, known, locate
from graphmemix.ingest.chats.message import message
from graphmemix.ingest.node import Node, short
from graphmemix.ingest.records import read_record
from graphmemix.ingest.unsupported import SQLITE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graphmemix.ingest.protocol import Found, MediaSink, Reading
    from graphmemix.memory import Media
    from graphmemix.record import Json

_TABLES: Final = frozenset({"message", "handle", "chat", "chat_message_join"})
_EPOCH = datetime(2001, 1, 1, tzinfo=UTC)
_NANOSECONDS = 1e11  # greater times are in nanoseconds
_LOG = "-wal"  # newest messages that are not in the database yet
_ROOTS = ("Library/Messages/", "Library/SMS/")
_REACTIONS = {
    2000: "loved", 2001: "liked", 2002: "disliked", 2003: "laughed at", 2004: "emphasized",
    2005: "questioned", 2006: "",
}  # fmt: skip
_REMOVED = 1000  # more than the number of the reaction that is taken back
_OPTIONAL = (
    "attributedBody", "associated_message_guid", "associated_message_type",
    "associated_message_emoji", "thread_originator_guid", "date_edited", "date_retracted",
    "item_type", "group_title", "service", "subject",
)  # fmt: skip
_NOTICES = {1: "changed who is in the conversation", 3: "left the conversation"}
_NO_TEXT = "\ufffc"  # stands for an attachment
_ME = "me"


class IMessage:
    """Reads each chat as a session; what the owner of the database wrote is by ``me``."""

    name = "imessage"

    def recognises(self, found: Found) -> bool:
        """Return whether this is a database with the tables of Messages."""
        if not found.head.startswith(SQLITE):
            return False
        try:
            with _opened(found, with_log=False) as database:
                return set(_names(database)) >= _TABLES
        except ImportSourceError:
            return False

    def companions(self, found: Found) -> Iterator[Path]:
        """Yield the log of the database, and existing attachments."""
        for suffix in (_LOG, "-shm"):
            beside = found.path.with_name(found.path.name + suffix)
            if beside.is_file():
                yield beside
        with suppress(ImportSourceError), _opened(found) as database:
            for (name,) in _rows(database, "SELECT filename FROM attachment", found.name):
                inside = _inside(name)
                if locate(found.path.parent, inside) is not None:
                    yield found.path.parent / inside

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:
        """Yield the messages chat by chat, in order of time.

        Raises:
            ImportSourceError: The database is damaged.
        """
        attachments = Attachments(found, sink)
        with _opened(found) as database:
            export = _Export(database, found.name, attachments)
            session, sequence = "", 0
            for node in export.messages():
                sequence = sequence + 1 if node.name("chat_guid") == session else 0
                session = node.name("chat_guid")
                label = f"{found.name} message {node.name('ROWID')}"
                yield read_record(label, export.message, node, sequence)
                yield from attachments.refused()


class _Export:
    """The tables of one database."""

    def __init__(self, database: sqlite3.Connection, name: str, attachments: Attachments) -> None:
        self._database = database
        self._name = name
        self._attachments = attachments
        self._columns = [row[1] for row in _rows(database, "PRAGMA table_info(message)", name)]
        self._files = self._all_files()
        self._reactions = self._all_reactions()

    def messages(self) -> Iterator[Node]:
        """Yield the messages that are not reactions, with their chats and senders."""
        kept = [name for name in _OPTIONAL if name in self._columns]
        more = "".join(f", m.{name} AS {name}" for name in kept)
        plain = "WHERE COALESCE(m.associated_message_type, 0) NOT BETWEEN 2000 AND 3999"
        order = (
            f"SELECT m.ROWID AS ROWID, m.guid AS guid, m.text AS text, m.date AS date, "  # noqa: S608
            f"m.is_from_me AS is_from_me, h.id AS handle, c.guid AS chat_guid, "
            f"c.chat_identifier AS chat_identifier, c.display_name AS display_name{more} "
            f"FROM message m LEFT JOIN handle h ON h.ROWID = m.handle_id "
            f"LEFT JOIN chat_message_join j ON j.message_id = m.ROWID "
            f"LEFT JOIN chat c ON c.ROWID = j.chat_id "
            f"{plain if 'associated_message_type' in kept else ''} "
            f"ORDER BY c.guid, m.date, m.ROWID"
        )
        seen: set[object] = set()  # a message may belong to the chats of two services
        for row in _rows(self._database, order, self._name):
            if row["ROWID"] not in seen:
                seen.add(row["ROWID"])
                yield Node(dict(zip(row.keys(), row, strict=True)))

    def message(self, node: Node, sequence: int) -> Reading:
        """Return a message as a memory."""
        chat = node.name("chat_guid", "chat_identifier", "handle") or "unknown"
        guid = node.name("guid")
        title = node.text("group_title")
        archived = node.raw("attributedBody")
        text = node.text("text") or (archived_text(archived) if isinstance(archived, bytes) else "")
        unsent = bool(node.number("date_retracted"))
        spoken = "\n".join(filter(None, [node.text("subject"), text.replace(_NO_TEXT, "").strip()]))
        speaker = _ME if node.number("is_from_me") else node.name("handle")
        if unsent and not spoken:
            spoken = f"{speaker} unsent a message"
        notes: dict[str, Json] = {
            "chat": short(node.text("display_name", "chat_identifier")),
            "service": node.name("service"),
            "system": bool(node.number("item_type")) or (unsent and not text),
            "edited": bool(node.number("date_edited")),
            "unsent": unsent,
            "reactions": [*self._reactions.get(guid, [])],
        }
        return message(
            IMessage.name,
            f"imessage:{chat}",
            sequence,
            spoken or (f"named the conversation {title}" if title else _notice(node)),
            speaker=speaker,
            timestamp=_moment(node.number("date")),
            source_id=guid,
            replies_to=node.name("thread_originator_guid"),
            media=self._media(node.number("ROWID")),
            metadata=notes,
        )

    def _media(self, row_id: float | None) -> list[Media]:
        found = []
        for path, mime, shown in self._files.get(int(row_id or 0), ()):
            inside = _inside(path)
            is_there = bool(inside) and self._attachments.has(inside)
            found.append(
                self._attachments.take(inside, mime=mime, shown=shown)
                if is_there
                else known(shown or path, mime)
            )
        return found

    def _all_files(self) -> dict[int, list[tuple[str, str, str]]]:
        """Return path, type and name of the attachments of each message."""
        if not {"attachment", "message_attachment_join"} <= set(_names(self._database)):
            return {}
        order = (
            "SELECT j.message_id, a.filename, a.mime_type, a.transfer_name FROM attachment a "
            "JOIN message_attachment_join j ON j.attachment_id = a.ROWID ORDER BY a.ROWID"
        )
        found: dict[int, list[tuple[str, str, str]]] = {}
        for message_id, *texts in _rows(self._database, order, self._name):
            path, mime, shown = (each if isinstance(each, str) else "" for each in texts)
            if isinstance(message_id, int):
                found.setdefault(message_id, []).append((path, mime, shown))
        return found

    def _all_reactions(self) -> dict[str, list[str]]:
        """Return the reactions to each message; one that was taken back is none."""
        if "associated_message_type" not in self._columns:
            return {}
        emoji = (
            "m.associated_message_emoji" if "associated_message_emoji" in self._columns else "NULL"
        )
        order = (
            f"SELECT m.associated_message_guid, m.associated_message_type, m.is_from_me, h.id, "  # noqa: S608
            f"{emoji} FROM message m LEFT JOIN handle h ON h.ROWID = m.handle_id "
            "WHERE m.associated_message_type BETWEEN 2000 AND 3999 ORDER BY m.date, m.ROWID"
        )
        found: dict[str, dict[str, str]] = {}
        for target, kind, is_mine, handle, sign in _rows(self._database, order, self._name):
            if not isinstance(target, str) or not isinstance(kind, int):
                continue
            who = _ME if is_mine else short(str(handle or ""))
            reactions = found.setdefault(target.rpartition("/")[2].rpartition(":")[2], {})
            if kind in _REACTIONS:
                reactions[who] = _REACTIONS[kind] or short(str(sign or ""))
            elif kind - _REMOVED in _REACTIONS:
                reactions.pop(who, None)
        return {
            guid: [f"{who}: {what}" for who, what in reactions.items()]
            for guid, reactions in found.items()
        }


def archived_text(data: bytes) -> str:
    """Return the words of an archived NSAttributedString; empty if there are none.

    The text follows the name of its class, as one byte of length, or a mark and two or four.
    """
    _, found, rest = data.partition(b"NSString")
    start = rest.find(b"+")
    if not found or not 0 <= start < 16:
        return ""
    rest = rest[start + 1 :]
    width = {0x81: 2, 0x82: 4}.get(rest[0], 0) if rest else 0
    size = int.from_bytes(rest[1 : 1 + width], "little") if width else int.from_bytes(rest[:1])
    return rest[1 + width : 1 + width + size].decode("utf-8", "replace")


def _notice(node: Node) -> str:
    return _NOTICES.get(int(node.number("item_type") or 0), "")


def _moment(time: float | None) -> datetime | None:
    if not time:
        return None
    seconds = time / 1e9 if abs(time) > _NANOSECONDS else time
    try:
        return _EPOCH + timedelta(microseconds=round(seconds * 1e6))
    except OverflowError:
        return None


def _inside(path: object) -> str:
    """Return the path of an attachment from the database's own folder."""
    if not isinstance(path, str):
        return ""
    return next((path.rpartition(root)[2] for root in _ROOTS if root in path), "")


def _names(database: sqlite3.Connection) -> list[str]:
    rows = _rows(database, "SELECT name FROM sqlite_master WHERE type = 'table'", "chat.db")
    return [str(row[0]) for row in rows]


@contextmanager
def _opened(found: Found, *, with_log: bool = True) -> Iterator[sqlite3.Connection]:
    """Open a database without changing it.

    Args:
        found: The file.
        with_log: Whether to read what is in its log alone, for which both are copied.

    Raises:
        ImportSourceError: It cannot be opened.
    """
    log = found.path.with_name(found.path.name + _LOG)
    with ExitStack() as stack:
        try:
            path, mode = found.path.absolute(), "mode=ro&immutable=1"
            if with_log and log.is_file() and log.stat().st_size:
                folder = tempfile.TemporaryDirectory(prefix="graphmemix-chat-")  # mode 0700
                path, mode = Path(stack.enter_context(folder)) / "chat.db", "mode=rw"
                shutil.copyfile(found.path, path)
                shutil.copyfile(log, f"{path}{_LOG}")
            database = sqlite3.connect(f"{path.as_uri()}?{mode}", uri=True)
        except (OSError, sqlite3.Error):
            raise ImportSourceError(f"{found.name}: cannot be opened as a database") from None
        stack.enter_context(closing(database))
        database.row_factory = sqlite3.Row
        database.text_factory = lambda data: data.decode("utf-8", "replace")
        for setting in ("PRAGMA query_only = ON", "PRAGMA trusted_schema = OFF"):
            list(_rows(database, setting, found.name))
        yield database


def _rows(
    database: sqlite3.Connection, order: str, name: str, *values: object
) -> Iterator[sqlite3.Row]:
    try:
        yield from database.execute(order, values)
    except (sqlite3.Error, ValueError, OverflowError) as error:  # messages quote damaged text
        reason = type(error).__name__
        raise ImportSourceError(f"{name}: is a damaged database ({reason})") from None
