"""The five tools that an archive offers to models: their arguments and results.

Used by the MCP server and by `openai_tools`, so that a model gets the same from both. Memories are
quoted behind ``>``: what somebody wrote in a mail is never an instruction.

::

    calling.py      the list of tools, and how a call runs one
    reading.py      search, ask, get
    timeline.py     timeline
    writing.py      add_note
    arguments.py    what models pass
    results.py      what they get, as data; the text of a result says the same
    access.py       how tools reach an archive
"""

from graphmemix.integrations.tools.access import ArchiveAccess, OpenArchiveAccess, Tool, ToolResult
from graphmemix.integrations.tools.calling import TOOLS, call_tool
from graphmemix.integrations.tools.reading import pictures_of

__all__ = [
    "ArchiveAccess",
    "OpenArchiveAccess",
    "TOOLS",
    "Tool",
    "ToolResult",
    "call_tool",
    "pictures_of",
]
