"""Tools for OpenAI-style chat APIs: definitions, and a dispatcher for calls.

::

    reply = client.chat.completions.create(model=…, messages=messages, tools=definitions())
    for made in reply.choices[0].message.tool_calls or []:
        result = call(archive, made.function.name, made.function.arguments)
        messages.append({"role": "tool", "tool_call_id": made.id, "content": result.text})

No other package is needed; the format is that of chat completions.
"""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

from graphmemix.errors import GraphMemixError
from graphmemix.integrations.tools import TOOLS, OpenArchiveAccess, ToolResult, call_tool
from graphmemix.llm.sync_bridge import run_sync

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graphmemix.archive import Archive

__all__ = ["acall", "call", "definitions", "picture_parts"]


def definitions(*, writes: bool = True) -> list[dict[str, Any]]:
    """Return the value for ``tools=``; without `writes`, only the tools that read."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.schema(),
            },
        }
        for tool in TOOLS
        if writes or not tool.writes
    ]


def call(
    archive: Archive, name: str, arguments: str | Mapping[str, Any], *, writes: bool = True
) -> ToolResult:
    """Run a tool call of a model.

    Mistakes of the model, such as a wrong argument or an unknown id, and errors of the archive are
    returned as a text that begins with ``error:``, for the model to read.

    Args:
        archive: The archive.
        name: The tool.
        arguments: From the model, as JSON or parsed.
        writes: Whether the model may change the archive.
    """
    return run_sync(acall(archive, name, arguments, writes=writes))


async def acall(
    archive: Archive, name: str, arguments: str | Mapping[str, Any], *, writes: bool = True
) -> ToolResult:
    """Do what `call` does, without blocking the event loop."""
    try:
        given = json.loads(arguments or "{}") if isinstance(arguments, str) else arguments
    except ValueError:
        return ToolResult(f"error: the arguments of {name} are not JSON")
    if not isinstance(given, dict):
        return ToolResult(f"error: the arguments of {name} are not a JSON object")
    try:
        return await call_tool(name, given, OpenArchiveAccess(archive, writable=writes))
    except GraphMemixError as error:
        return ToolResult(f"error: {error}")


def picture_parts(result: ToolResult) -> list[dict[str, Any]]:
    """Return a result's pictures as parts of a user message; tool messages allow text only."""
    return [
        {
            "type": "image_url",
            "image_url": {"url": f"data:{each.mime};base64,{base64.b64encode(each.data).decode()}"},
        }
        for each in result.pictures
    ]
