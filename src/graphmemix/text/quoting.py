"""Texts of memories are data: nothing in them can pose as a label, a line of ours or a role.

Everything that we write stands at the start of a line; every line that comes from a memory stands
behind `MARK`. What separates turns in the templates of chat models is broken up by `break_signs`,
for readers, verifiers, judges and tools alike.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["MARK", "break_signs", "harmless", "one_line", "quoted"]

MARK: Final = "> "
"""Stands before every line of a memory's text."""

_INVISIBLE: Final = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f]+"  # the last ones are letters that no person sees
)
_LINE_END: Final = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_JOINER: Final = re.compile("\u200d(?=[\u2600-\u27bf\U0001f000-\U0001faff])")  # inside an emoji
_KEPT: Final = "\ue00d"  # stands for such a joiner meanwhile
# Names in signs, without spaces. Angle brackets around a name with underscores, or around one of
# those that are listed; brackets around names in capitals. <b>, a < b, x |> f and a << b are none.
_SIGN: Final = re.compile(
    r"[<＜](?=[|｜][^\s|｜>＞])"  # <|im_start|>, <｜User｜>
    r"|(?<=[^\s|｜<＜][|｜])[>＞]"  # and where they end
    r"|[<＜](?=/?[a-z0-9]{1,40}(?:_[a-z0-9]{1,40}){1,8}[>＞=])"  # <start_of_turn>, <tool_call>
    r"|[<＜](?=/?(?:s|bos|eos|eot|eod|pad|unk|sep|cls|mask|sop|eop|think|thinking|thought|reasoning|"
    r"system|user|assistant|human|tool|tools|function|parameter|invoke|image|video|audio|img)"
    r"[>＞])"
    r"|[<＜](?=/?(?:function|parameter|tool|invoke)=)"  # <function=name>
    r"|[<＜](?=[<＜]?/?SYS[>＞]{2})"  # <<SYS>>
    r"|\[(?=/?(?:INST|IMG|THINK|ARGS|AUDIO|gMASK|sMASK|CLS|SEP|PAD|UNK|MASK)\])"
    r"|\[(?=/?(?-i:[A-Z]{1,40}(?:_[A-Z]{1,40}){1,4})\])",  # [TOOL_CALLS]
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
    return break_signs("\n".join(line for line in folded if line))


def break_signs(text: str) -> str:
    """Return a text with a space in every sign of chat templates; all else stays byte for byte.

    Everything that goes to a model and that we did not write passes through here: servers turn
    these signs into the tokens that end a turn or open a tool call, wherever they stand. With a
    space in it a sign stays readable, and is no sign any more. Doing it twice changes nothing.
    """
    return _SIGN.sub(lambda found: f" {found[0]}" if found[0] in ">＞" else f"{found[0]} ", text)
