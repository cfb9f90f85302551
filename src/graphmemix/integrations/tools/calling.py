"""The list of tools, and how a call runs one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from graphmemix.errors import InvalidInputError
from graphmemix.integrations.tools import reading, timeline, writing
from graphmemix.integrations.tools.access import Tool
from graphmemix.integrations.tools.arguments import (
    AddNoteArguments,
    AskArguments,
    GetArguments,
    GetMemoryArguments,
    ListSourcesArguments,
    RecallArguments,
    SearchArguments,
    TimelineArguments,
)
from graphmemix.integrations.tools.results import (
    AddResult,
    AskResult,
    GetResult,
    SearchResult,
    TimelineResult,
    harmless_data,
)
from graphmemix.record import describe
from graphmemix.text.quoting import break_signs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graphmemix.integrations.tools.access import ArchiveAccess, ToolResult

__all__ = ["TOOLS", "call_tool"]

TOOLS: Final = (
    Tool(
        "search",
        "Search the personal archive",
        "Find the few memories of the user's personal archive (messages, mails, photos, videos, "
        "documents, notes) that answer a question together. Use it first for anything about the "
        "user's life, people or past. Ask a whole question, one at a time. Returns quotations with "
        "ids, dates, places and photos; cite them as [1], [2].",
        SearchArguments,
        SearchResult,
        reading.search,
    ),
    Tool(
        "ask",
        "Ask the personal archive",
        "Answer a question from the user's personal archive in a few lines, with its sources. Use "
        "it when a short answer is enough; use search to read the evidence yourself.",
        AskArguments,
        AskResult,
        reading.ask,
    ),
    Tool(
        "get",
        "Read one memory",
        "Return one memory of the archive in full, with its photos, by an id that another tool "
        "returned. Long ones come in parts.",
        GetArguments,
        GetResult,
        reading.get,
    ),
    Tool(
        "timeline",
        "List what happened when",
        "List the memories of a period in order, one line each: what happened in a week, what a "
        "person wrote in May. Without any restriction it says what the archive holds: how much of "
        "which kind, from which sources, by month.",
        TimelineArguments,
        TimelineResult,
        timeline.timeline,
    ),
    Tool(
        "add_note",
        "Add a note to the personal archive",
        "Store a text in the personal archive, word for word, so that it can be found later. Use "
        "it only for what the user wants to be remembered.",
        AddNoteArguments,
        AddResult,
        writing.add_note,
        writes=True,
    ),
)
"""What models are offered."""

_OLDER: Final = (
    Tool("recall", "", "", RecallArguments, None, reading.search),
    Tool("get_memory", "", "", GetMemoryArguments, None, reading.get_memory),
    Tool("list_sources", "", "", ListSourcesArguments, None, reading.list_sources),
    Tool("add_memory", "", "", AddNoteArguments, None, writing.add_note, writes=True),
)
"""What they were offered before: still answered, no longer offered."""

_BY_NAME: Final = {tool.name: tool for tool in (*TOOLS, *_OLDER)}


async def call_tool(
    name: str, arguments: Mapping[str, Any] | None, access: ArchiveAccess
) -> ToolResult:
    """Run a tool.

    Raises:
        InvalidInputError: The tool is unknown, an argument is invalid (the message names it without
            repeating its value), or the archive is read-only.
        GraphMemixError: Raised by the archive.
    """
    tool = _BY_NAME.get(name)
    if tool is None:
        available = ", ".join(tool.name for tool in TOOLS)
        raise InvalidInputError(f"unknown tool {name!r}; available: {available}")
    if tool.writes and not access.writable:
        raise InvalidInputError(f"{name}: this archive is read-only")
    try:
        given = tool.arguments.model_validate(dict(arguments or {}))
    except ValidationError as error:
        raise InvalidInputError(describe(error, f"call of {name}")) from None
    reply = await tool.run(given, access)
    data = None if tool.result is None else harmless_data(reply.data)
    return replace(reply, text=break_signs(reply.text), data=data)  # a model reads it
