"""Texts of memories are data: nothing in them can pose as a label, a line of ours or a role.

Everything that we write stands at the start of a line; every line that comes from a memory stands
behind `MARK`. What separates turns in the templates of chat models is broken up, since servers
read these signs in any text.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["MARK", "harmless", "one_line", "quoted"]

MARK: Final = "> "
"""Stands before every line of a memory's text."""

_INVISIBLE: Final = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f]+"  # the last ones are letters that no person sees
)
_LINE_END: Final = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_JOINER: Final = re.compile("\u200d(?=[\u2600-\u27bf\U0001f000-\U0001faff])")  # inside an emoji
_KEPT: Final = "\ue00d"  # stands for such a joiner meanwhile
# <|im_start|>, <start_of_turn>, </s>, <think>, [INST], <<SYS>>: names in signs, without spaces.
_SIGN: Final = re.compile(
    r"<(?=\||｜|/?(?:s|bos|eos|pad|unk|think|tool_call|tool_response|system|user|assistant|human|"
    r"start_of_turn|end_of_turn|begin_of_text|end_of_text|image|video|img|vision_start|vision_end|"
    r"<?/?SYS>?)>)|(?<=[|｜])>|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|"
    r"TOOL_RESULTS|IMG|THINK|gMASK)\])|<(?=<)",
    re.IGNORECASE,
)
_LONGEST_LINE: Final = 300  # characters of a name or an id


def quoted(text: str) -> str:
    """Return a text with every line behind `MARK`; an empty one is one empty line."""
    lines = harmless(text).split("\n")
    return "\n".join(f"{MARK}{line}".rstrip() for line in lines)


def one_line(text: str, longest: int = _LONGEST_LINE) -> str:
    """Return a name or an id so that it stays on its line."""
    line = " ".join(harmless(text).split())
    return line if len(line) <= longest else f"{line[: longest - 1].rstrip()}…"


def harmless(text: str) -> str:
    """Return a text whose only control is the line feed, without signs of chat templates.

    White space is folded within lines, and empty lines go. Doing it twice changes nothing.
    """
    text = _JOINER.sub(_KEPT, text.replace(_KEPT, " "))
    lines = (_INVISIBLE.sub(" ", line).replace(_KEPT, "\u200d") for line in _LINE_END.split(text))
    folded = (" ".join(line.split()) for line in lines)
    return _broken("\n".join(line for line in folded if line))


def _broken(text: str) -> str:
    """Put a space into each sign: it stays readable, and is no sign any more."""
    return _SIGN.sub(lambda found: f" {found[0]}" if found[0] == ">" else f"{found[0]} ", text)
