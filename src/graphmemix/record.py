"""Data passed between stages: its base class, lossless through JSON, and valid timestamps."""

from __future__ import annotations

import json
from datetime import MAXYEAR, MINYEAR, UTC, date, datetime, timedelta, timezone, tzinfo
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias, TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import ConfigDict, JsonValue, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from graphmemix.errors import InvalidDataError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


__all__ = ["Json", "Record", "as_moment", "by_clock", "named_zone", "require_moment"]

Json: TypeAlias = JsonValue
"""Any JSON value."""


_MOST_FAULTS = 100
_LONGEST_NAME = 80  # characters of a field's name in a message

_MINUTE = timedelta(minutes=1)

_R = TypeVar("_R", bound="Record")
_ADAPTERS: dict[type[Record], TypeAdapter[Any]] = {}  # building one takes milliseconds


class Record:
    """Base of the frozen dataclasses passed between stages and processes.

    `from_json` is strict: unknown keys, missing keys and wrong types are rejected. Numbers, dates
    and bytes round-trip exactly.
    """

    __slots__ = ()
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(
        extra="forbid",
        strict=True,
        ser_json_bytes="base64",
        val_json_bytes="base64",
        allow_inf_nan=False,
    )

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain dicts, lists, texts and numbers: what `to_json` writes.

        Raises:
            InvalidDataError: It holds a value that JSON cannot represent.
        """
        made: dict[str, Any] = json.loads(self.to_json())
        return made

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Self:
        """Return the record that `to_dict` described.

        Raises:
            InvalidDataError: Names every invalid field.
        """
        try:
            text = json.dumps(fields if isinstance(fields, dict) else dict(fields))
        except (TypeError, ValueError, RecursionError) as error:
            raise InvalidDataError(f"not a {cls.__name__}: {error}") from None
        return cls.from_json(text)

    def to_json(self) -> str:
        """Return the record as one line of JSON.

        Raises:
            InvalidDataError: It holds a value that JSON cannot represent.
        """
        try:
            return _adapter(type(self)).dump_json(self, warnings="error").decode()
        except (PydanticSerializationError, UnicodeEncodeError, RecursionError) as error:
            raise InvalidDataError(
                f"{type(self).__name__} cannot be written as JSON: {error}"
            ) from None

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Parse a record.

        Raises:
            InvalidDataError: Names every invalid field.
        """
        if not isinstance(text, str | bytes | bytearray):
            raise InvalidDataError(f"not a {cls.__name__}: needs JSON, not {type(text).__name__}")
        try:
            return _adapter(cls).validate_json(text)
        except ValidationError as error:
            raise InvalidDataError(describe(error, cls.__name__)) from None


def describe(error: ValidationError, what: str) -> str:
    """Return validation errors in one line: where, and what is wrong.

    If there are very many, only their number: formatting each takes about a kilobyte.
    """
    if (count := error.error_count()) > _MOST_FAULTS:
        return f"not a {what}: {count:,} errors, too many to list"
    faults = error.errors(include_url=False, include_input=False)
    shown = "; ".join(fault_in_words(fault["loc"], fault["msg"]) for fault in faults)
    return f"not a {what}: {shown}"


def fault_in_words(path: Sequence[str | int], message: str) -> str:
    """Return one validation error: where, and what is wrong.

    Names are cut: an unknown field may have a name of megabytes.
    """
    where = ".".join(str(part)[:_LONGEST_NAME] for part in path)
    message = message.removeprefix("Value error, ")
    return f"{where}: {message}" if where else message


def _adapter(record: type[_R]) -> TypeAdapter[_R]:
    adapter = _ADAPTERS.get(record)
    if adapter is None:
        adapter = _ADAPTERS[record] = TypeAdapter(record)
    return adapter


def require_moment(name: str, moment: datetime | None) -> None:
    """Raise `InvalidDataError` unless `moment` is None, or has a time zone and exists in UTC.

    A `datetime` covers the years 1 to 9999 in its own zone. Near both ends the same moment can fall
    outside that range in UTC, where it can be neither stored nor compared. Such values are rejected
    on input. All others are accepted, including year 1 and 9999-12-31, which calendars use for
    "never"; code that does arithmetic on them must handle overflow.

    Args:
        name: The field's name for the error message, such as ``memory.timestamp``.
        moment: The value to check.
    """
    if moment is None:
        return
    if moment.utcoffset() is None:
        raise InvalidDataError(f"{name}: {moment.isoformat()} has no time zone")
    if MINYEAR < moment.year < MAXYEAR:  # no zone is a year away from UTC
        return
    try:
        moment.astimezone(UTC)
    except OverflowError:
        raise InvalidDataError(
            f"{name}: {moment.isoformat()} is outside the years {MINYEAR} to {MAXYEAR} in UTC"
        ) from None


def as_moment(name: str, given: object, zone: tzinfo | None = None) -> datetime:
    """Return a moment that a caller gives as a `datetime`, a `date` or an ISO text.

    Without an offset it is read by the clock of `zone`; a day begins at midnight.

    Args:
        name: The field's name, for errors.
        given: The value.
        zone: None for this machine's.

    Raises:
        InvalidDataError: It is no date, or one that does not exist in UTC.
    """
    if isinstance(given, str):
        text = given.strip()
        try:
            given = datetime.fromisoformat(text)
        except ValueError:
            raise InvalidDataError(f"{name}: {text[:_LONGEST_NAME]!r} is not an ISO date") from None
    if isinstance(given, date) and not isinstance(given, datetime):
        given = datetime(given.year, given.month, given.day)  # noqa: DTZ001  # its zone follows
    if not isinstance(given, datetime):
        raise InvalidDataError(
            f"{name}: must be a datetime, a date or an ISO text such as '2023-05-01T18:30', "
            f"not {type(given).__name__}"
        )
    try:
        if given.utcoffset() is None:
            given = by_clock(given, zone or given.astimezone().tzinfo or UTC)
    except (ValueError, OverflowError, OSError):  # outside the range of the machine's time zone
        raise InvalidDataError(f"{name}: {given.isoformat()} is out of range") from None
    require_moment(name, given)
    return given


def named_zone(name: str, zone: tzinfo | str | None) -> tzinfo | None:
    """Return a zone that may be given by its name, such as ``Europe/Vienna``.

    Raises:
        InvalidDataError: There is no such zone; it starts with `name`.
    """
    if not isinstance(zone, str):
        return zone
    try:
        return ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InvalidDataError(f"{name}: there is no time zone {zone[:80]!r}") from None


def by_clock(naive: datetime, zone: tzinfo) -> datetime:
    """Return a moment on a zone's clock, with the offset of that day, in whole minutes.

    Whole minutes, because JSON has no others; a fixed offset, so that moments compare equal after
    JSON even where the zone skips midnight.
    """
    offset = naive.replace(tzinfo=zone).utcoffset() or timedelta()
    return naive.replace(tzinfo=timezone(offset // _MINUTE * _MINUTE))
