"""Data passed between stages: its base class, lossless through JSON, and valid timestamps."""

from __future__ import annotations

from datetime import MAXYEAR, MINYEAR, UTC, datetime
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias, TypeVar

from pydantic import ConfigDict, JsonValue, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from graphmemix.errors import InvalidDataError

if TYPE_CHECKING:
    from collections.abc import Sequence


__all__ = ["Json", "Record", "require_moment"]

Json: TypeAlias = JsonValue
"""Any JSON value."""


_MOST_FAULTS = 100
_LONGEST_NAME = 80  # characters of a field's name in a message

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
