"""How tools reach an archive, and what a tool is."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pydantic import BaseModel

    from graphmemix.archive import Archive
    from graphmemix.read.media import Picture

__all__ = ["ArchiveAccess", "OpenArchiveAccess", "Tool", "ToolResult"]

_T = TypeVar("_T")


class ArchiveAccess(Protocol):
    """How tools read and write an archive.

    Attributes:
        archive: Open at least for reading.
        writable: Whether `write` is allowed.
    """

    archive: Archive
    writable: bool

    async def read(self, work: Callable[[], _T]) -> _T:
        """Run a blocking function outside the event loop."""

    async def write(self, work: Callable[[Archive], _T]) -> _T:
        """Do the same with the archive open for writing."""


class OpenArchiveAccess:
    """Access to an archive that this process has opened."""

    def __init__(self, archive: Archive, *, writable: bool = True) -> None:
        self.archive = archive
        self.writable = writable

    async def read(self, work: Callable[[], _T]) -> _T:
        """Run in a thread."""
        return await asyncio.to_thread(work)

    async def write(self, work: Callable[[Archive], _T]) -> _T:
        """Run in a thread, with the archive itself."""
        return await asyncio.to_thread(work, self.archive)


@dataclass(frozen=True)
class ToolResult:
    """The result of a tool.

    Attributes:
        text: For a model to read.
        pictures: The text refers to them by rank.
        data: The same as `text`, in the form of the tool's output schema; None for an error.
    """

    text: str
    pictures: tuple[Picture, ...] = ()
    data: dict[str, Any] | None = None


@dataclass(frozen=True)
class Tool:
    """One tool.

    Attributes:
        name: Used by the model to call it.
        title: For people who are asked whether the model may call it.
        description: When to use it, and what it returns.
        arguments: The schema of its arguments.
        result: The schema of its structured result; None if it has none.
        run: The implementation.
        writes: Whether it changes the archive.
    """

    name: str
    title: str
    description: str
    arguments: type[BaseModel]
    result: type[BaseModel] | None
    run: Callable[[Any, ArchiveAccess], Awaitable[ToolResult]]
    writes: bool = False

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the arguments."""
        schema = _schema(self.arguments)
        fields = schema.get("properties", {})
        return {**schema, "properties": {name: _plain(each) for name, each in fields.items()}}

    def output_schema(self) -> dict[str, Any] | None:
        """Return the JSON schema of the structured result."""
        return None if self.result is None else _schema(self.result)


def _schema(model: type[BaseModel]) -> dict[str, Any]:
    schema = model.model_json_schema()
    for each in (schema, *schema.get("$defs", {}).values()):
        each.pop("title", None)
        each.pop("description", None)
        for field in each.get("properties", {}).values():
            field.pop("title", None)
    return schema


def _plain(field: dict[str, Any]) -> dict[str, Any]:
    """Return an optional argument without its null: a model leaves it out, and reads less."""
    kinds = [each for each in field.get("anyOf", ()) if each != {"type": "null"}]
    if len(kinds) != 1 or field.get("default", "") is not None:
        return field
    rest = {name: value for name, value in field.items() if name not in {"anyOf", "default"}}
    return {**kinds[0], **rest}
