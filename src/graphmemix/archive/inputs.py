"""What callers pass to an `Archive`, checked and in one form."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from graphmemix.errors import InvalidDataError, InvalidInputError
from graphmemix.memory import Memory
from graphmemix.record import as_moment
from graphmemix.text.dates.zones import parse_zone

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Addable", "Paths", "memories_of", "several_ids", "several_paths"]

Addable: TypeAlias = Memory | str | Mapping[str, Any]
"""A memory, the words of a note, or the fields of `Memory` by name."""

Paths: TypeAlias = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
"""A file or a folder, or several."""

_FIELDS: Final = tuple(name for name in signature(Memory.new).parameters if name != "zone")


def memories_of(given: Addable | Iterable[Addable], zone: str) -> Iterator[Memory]:
    """Yield memories, whatever form they have; see `Archive.add`.

    Args:
        given: One or several.
        zone: The archive's, for times without an offset; empty for this machine's.

    Raises:
        InvalidInputError: It is something else.
        InvalidDataError: A field is invalid; names it.
    """
    if isinstance(given, Memory | str | Mapping):
        yield _memory(given, zone)
        return
    if not isinstance(given, Iterable):
        raise _not_addable(given)
    for each in given:
        yield _memory(each, zone)


def _memory(given: object, zone: str) -> Memory:
    if isinstance(given, Memory):
        return given
    if isinstance(given, str):
        if not given.strip():
            raise InvalidDataError("add: the words are empty")
        return Memory.new("note", given)
    if isinstance(given, Mapping):
        return _from_fields(given, zone)
    raise _not_addable(given)


def _from_fields(given: Mapping[Any, Any], zone: str) -> Memory:
    fields = {"kind": "note", **given}
    clock = parse_zone(zone) if zone else None
    if fields.get("timestamp") is not None:
        moment = as_moment("memory.timestamp", fields["timestamp"], clock)
        fields["timestamp"] = moment.isoformat()
    if isinstance(fields.get("place"), str):
        fields["place"] = {"name": fields["place"]}
    unknown = [str(name) for name in fields if name not in {"id", *_FIELDS}]
    if unknown:
        raise InvalidDataError(
            f"memory: there is no field {unknown[0][:80]!r}; fields are id, {', '.join(_FIELDS)}"
        )
    plain = {name: _plain(value) for name, value in fields.items()}
    named = Memory.from_dict({"id": "new", **plain})
    if "id" in given:
        return named
    return Memory.new(**{name: getattr(named, name) for name in _FIELDS})


def _plain(value: Any) -> Any:
    """Return records inside the fields of a memory as what `to_dict` makes of them."""
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value.to_dict() if hasattr(value, "to_dict") else value


def _not_addable(given: object) -> InvalidInputError:
    return InvalidInputError(
        "add: needs a Memory, the words of a note, a mapping such as {'kind': 'note', 'text': …}, "
        f"or several of these, not {type(given).__name__}"
    )


def several_ids(given: str | Memory | Iterable[str | Memory]) -> list[str]:
    """Return ids; of memories, theirs.

    Raises:
        InvalidInputError: It is something else.
    """
    if isinstance(given, str | Memory):
        given = [given]
    if isinstance(given, Iterable):
        ids = [each.id if isinstance(each, Memory) else each for each in given]
        if all(isinstance(each, str) for each in ids):
            return ids
    raise InvalidInputError(f"memory ids: must be an id or several, not {given!r:.80}")


def several_paths(given: Paths) -> list[Path]:
    """Return paths, with ``~`` as the user's folder.

    Raises:
        InvalidInputError: It is something else.
    """
    if isinstance(given, str | os.PathLike):
        given = [given]
    if isinstance(given, Iterable):
        paths = list(given)
        if all(isinstance(each, str | os.PathLike) for each in paths):
            return [Path(each).expanduser() for each in paths]
    raise InvalidInputError(f"paths: must be a path or several, not {given!r:.80}")
