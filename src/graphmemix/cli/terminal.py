"""Safe output to terminals: everything that is printed goes through here.

Text of memories, files and models is untrusted, and terminals execute escape sequences: one may
fill the clipboard, a bidirectional override may reverse a name. So every character that a terminal
does not simply show is escaped. `SafeConsole` escapes text before it adds its own colours;
`make_streams_safe` does the same for everything else that writes to the standard streams, such as
logs, warnings and tracebacks.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from typing import IO, TYPE_CHECKING, Any, Final, NoReturn, TextIO, cast

from rich.console import Console

if TYPE_CHECKING:
    from rich.segment import Segment
    from rich.text import Text

__all__ = ["SafeConsole", "end_process", "make_streams_safe", "say", "visible", "visible_in_line"]

# Joiners are needed in emoji and in scripts such as Persian, and stay where both neighbours are of
# that kind; inside Latin text they only hide something.
_JOINED: Final = r"[\u200c\u200d](?<=[^\x00-\u02ff].)(?=[^\x00-\u02ff])"
_SHOWN: Final = re.compile(
    rf"(?!{_JOINED})"
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 without tab and newline, DEL, C1
    "\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # unseen, bidi
    "\ud800-\udfff"  # bytes of a file name that are no UTF-8; no stream can write them
    "\U000e0000-\U000e007f]"  # tags: text that nobody sees
)


def visible(text: str) -> str:
    r"""Escape everything in a text that a terminal would interpret.

    Escapes are those of JSON, such as ``\u001b``, so the meaning of JSON does not change. Only the
    carriage returns of line ends are dropped. Idempotent.
    """
    return _SHOWN.sub(_escaped, text.replace("\r\n", "\n"))


def visible_in_line(text: str) -> str:
    """Like `visible`, but also escape line ends and tabs, to keep a text on one line."""
    return visible(text).replace("\n", "\\n").replace("\t", "\\t")


def _escaped(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


class SafeConsole(Console):
    """A console that escapes all text; only its own colours and cursor moves pass."""

    def render_str(self, text: str, **options: Any) -> Text:
        """Escape a text before it is measured, so that columns stay aligned."""
        return super().render_str(visible(text), **options)

    def _render_buffer(self, buffer: Iterable[Segment]) -> str:
        """Return what is written; every text passes through here."""
        return super()._render_buffer(
            part if part.control else part._replace(text=visible(part.text)) for part in buffer
        )

    @property
    def file(self) -> IO[str]:
        """The underlying stream, which accepts colours."""
        found = super().file
        return cast("IO[str]", found.stream) if isinstance(found, _SafeStream) else found

    @file.setter
    def file(self, new_file: IO[str]) -> None:
        self._file = new_file


class _SafeStream:
    """A standard stream for everything but `SafeConsole`: escapes text, reports no terminal."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        self.stream.write(visible(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def isatty(self) -> bool:
        """Return False: colours added by other libraries would be shown as escapes."""
        return False

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def make_streams_safe() -> None:
    """Escape everything that this process prints from now on."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is not None and not isinstance(stream, _SafeStream):
            setattr(sys, name, _SafeStream(stream))


def say(text: str, *, to_err: bool = False) -> None:
    """Print lines without styling, such as JSON and tab-separated rows."""
    stream = sys.stderr if to_err else sys.stdout
    print(visible(text), file=stream, flush=True)  # the command line


def end_process(code: int) -> NoReturn:
    """Exit immediately, without waiting for threads; output is flushed first."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
