"""The tool that writes: ``add_note``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmemix.integrations.tools.access import ToolResult
from graphmemix.integrations.tools.results import AddResult
from graphmemix.memory import Memory, Place

if TYPE_CHECKING:
    from graphmemix.integrations.tools.access import ArchiveAccess
    from graphmemix.integrations.tools.arguments import AddNoteArguments

__all__ = ["add_note"]


async def add_note(given: AddNoteArguments, access: ArchiveAccess) -> ToolResult:
    """Store a text, word for word."""
    memory = Memory.new(
        given.kind,
        given.text,
        source="assistant",
        speaker=given.speaker,
        timestamp=given.when,
        place=Place(given.place) if given.place else None,
    )
    added = await access.write(lambda archive: archive.add(memory))
    state = "was stored" if added.new else "existed already"
    result = AddResult(id=memory.id, is_new=bool(added.new))
    return ToolResult(f"The memory {state}. Its id is {memory.id}", data=result.model_dump())
