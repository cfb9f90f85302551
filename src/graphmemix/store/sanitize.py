"""What is repaired, and what is refused, before it is stored. The same for every store.

Repaired: characters that databases and JSON readers do not handle reliably. NUL and unpaired
surrogates become U+FFFD, in texts, names and metadata.
Refused: names of archives that no file system takes, ids that would need such a repair or are
longer than 512 bytes, sessions and speakers of more than 2,000 bytes, records of more than 16 MiB,
times before the year 1 or after 9999 once they are in UTC, and time zones with seconds, which JSON
has no form for.
"""

from __future__ import annotations

import re
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

from graphmemix.errors import InvalidDataError, InvalidInputError
from graphmemix.record import Record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphmemix.memory import Memory

MOST_RECORD_BYTES = 16 << 20
"""A memory's record, or a view's text, may not be larger. Longer documents come in parts."""
MOST_NAME_BYTES = 512
"""Ids of memories and logs, and identities of encoders."""
MOST_ARCHIVE_NAME_BYTES = 255
"""Of a name in UTF-8: what file systems allow."""
_MOST_INDEXED = 2000  # what an index of PostgreSQL can hold
_SHOWN_CHARACTERS = 40  # of a name in an error

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_R = TypeVar("_R", bound=Record)


def is_storable(text: str) -> bool:
    """Return whether a text holds nothing that would need repair."""
    return "\x00" not in text if text.isascii() else not _UNSTORABLE.search(text)


def storable(values: Sequence[int] | Sequence[str]) -> list[int] | list[str]:
    """Return a list without the texts that are not storable."""
    texts = [value for value in values if isinstance(value, str)]
    if is_storable("".join(texts)):  # nearly always, and many times faster than one by one
        return list(values)  # type: ignore[return-value]  # of one sort
    return [text for text in texts if is_storable(text)]


def cleaned(memory: Memory) -> Memory:
    """Return `memory` as it can be stored.

    Raises:
        InvalidDataError: Names what cannot be stored or repaired.
    """
    require_name("memory.id", memory.id)
    if memory.timestamp is not None:
        microseconds(memory.timestamp)  # raises if out of range
        offset = memory.timestamp.utcoffset()
        if offset is not None and offset % timedelta(minutes=1):
            raise InvalidDataError(
                f"memory {memory.id!r}: time zone of {memory.timestamp.isoformat()} has seconds; "
                "give the time in UTC"
            )
    for name, value in (("session", memory.session), ("speaker", memory.speaker)):
        if value is not None and len(value.encode("utf-8", "replace")) > _MOST_INDEXED:
            raise InvalidDataError(f"memory {memory.id!r}: {name} is over {_MOST_INDEXED} bytes")
    return cleaned_record(memory)


def cleaned_record(record: _R) -> _R:
    """Return a record with every text in it repaired.

    Raises:
        InvalidDataError: It is nested too deeply, or holds a mapping with keys that are no texts.
    """
    try:
        return _cleaned_record(record)
    except RecursionError:
        raise InvalidDataError(f"{type(record).__name__}: is nested too deeply") from None


def _cleaned_record(record: _R) -> _R:
    changes = {}
    for name in _field_names(cast("Any", type(record))):
        value = getattr(record, name)
        if value is None:
            continue
        repaired = _cleaned(value)
        if repaired is not value:
            changes[name] = repaired
    return cast("_R", replace(cast("Any", record), **changes)) if changes else record


@cache
def _field_names(kind: type[Record]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(cast("Any", kind)))


def _cleaned(value: object) -> object:
    """Return `value` itself if nothing in it needs repair."""
    if isinstance(value, str):
        return value if is_storable(value) else _UNSTORABLE.sub("\ufffd", value)
    if isinstance(value, (tuple, list)):
        repaired = [_cleaned(item) for item in value]
        same = all(new is old for new, old in zip(repaired, value, strict=True))
        return value if same else type(value)(repaired)
    if isinstance(value, dict):
        return _cleaned_mapping(value)
    if isinstance(value, Record):
        return _cleaned_record(value)
    return value


def _cleaned_mapping(value: dict[object, object]) -> dict[object, object]:
    repaired: dict[object, object] = {}
    same = True
    for key, item in value.items():
        if not isinstance(key, str):
            raise InvalidDataError(f"metadata: key {key!r} is not a text")
        new_key, new_item = str(_cleaned(key)), _cleaned(item)
        while new_key in repaired or (new_key != key and new_key in value):
            new_key += "\ufffd"  # two keys that repair would make one stay two
        same = same and new_key == key and new_item is item
        repaired[new_key] = new_item
    return value if same else repaired


def require_name(what: str, name: str) -> None:
    """Raise `InvalidDataError` unless `name` can be stored as it is, and is short."""
    if not is_storable(name):
        raise InvalidDataError(f"{what} {name!r}: holds characters that cannot be stored")
    if len(name.encode()) > MOST_NAME_BYTES:
        raise InvalidDataError(f"{what}: longer than {MOST_NAME_BYTES} bytes")


def require_size(what: str, text: str) -> None:
    """Raise `InvalidDataError` if a text is larger than a record may be."""
    if len(text) > MOST_RECORD_BYTES or len(text.encode()) > MOST_RECORD_BYTES:
        raise InvalidDataError(f"{what}: is larger than {MOST_RECORD_BYTES} bytes")


def is_archive_name(name: str) -> bool:
    """Return whether a new archive may have this name, in a database or as a folder.

    Names are compared byte by byte: two spellings of one letter are two names. An archive that
    already has another name stays usable.
    """
    return (
        is_storable(name) and bool(name.strip()) and len(name.encode()) <= MOST_ARCHIVE_NAME_BYTES
    )


def require_archive_name(name: str) -> None:
    """Raise `InvalidInputError` unless a new archive may have this name."""
    if is_archive_name(name):
        return
    shown = repr(name if len(name) <= _SHOWN_CHARACTERS else f"{name[:_SHOWN_CHARACTERS]}…")
    if not name.strip():
        raise InvalidInputError(f"{shown}: an archive needs a name")
    if not is_storable(name):
        raise InvalidInputError(f"{shown}: no archive can have a name with these characters")
    raise InvalidInputError(
        f"{shown}: the name of an archive has at most {MOST_ARCHIVE_NAME_BYTES} bytes"
    )


def microseconds(moment: datetime) -> int:
    """Return a moment as whole microseconds since 1970 in UTC.

    Raises:
        InvalidDataError: It has no time zone, or is out of range in UTC.
    """
    if moment.utcoffset() is None:
        raise InvalidDataError(f"time {moment.isoformat()}: has no time zone")
    try:
        return (moment.astimezone(UTC) - _EPOCH) // _MICROSECOND
    except OverflowError:
        raise InvalidDataError(f"time {moment.isoformat()}: is out of range in UTC") from None


def moment(microseconds_since_1970: int) -> datetime:
    """Return the moment in UTC."""
    return _EPOCH + timedelta(microseconds=microseconds_since_1970)
