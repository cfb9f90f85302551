"""The one way out to a terminal.

What memories, files and models say was written by others, and a terminal obeys what it is sent: an
escape sequence may fill the clipboard, a bidirectional override may turn a name around. So every
character that a terminal does not simply show becomes a visible escape. Consoles of `SafeConsole`
do that before they add their own colours; `make_streams_safe` does it for whatever else writes to
the standard streams, such as logs, warnings and tracebacks, so that nothing has to remember it.
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

# Joiners belong to emoji and to scripts such as Persian, and stay where both sides are of that
# kind; inside Latin text they only hide.
_JOINED: Final = r"[\u200c\u200d](?<=[^\x00-\u02ff].)(?=[^\x00-\u02ff])"
_SHOWN: Final = re.compile(
    rf"(?!{_JOINED})"
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 without tab and newline, DEL, C1
    "\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # unseen, bidi
    "\ud800-\udfff"  # bytes of a file name that are no UTF-8; no stream can write them
    "\U000e0000-\U000e007f]"  # tags: text that nobody sees
)


def visible(text: str) -> str:
    r"""Return a text that a terminal shows and does not obey.

    Escapes are those of JSON, such as ``\u001b``: JSON that goes through here says the same as
    before. Nothing is dropped but the carriage return of a line's end. Twice is the same as once.
    """
    return _SHOWN.sub(_escaped, text.replace("\r\n", "\n"))


def visible_in_line(text: str) -> str:
    """Do what `visible` does, with line ends and tabs too, for what must stay in its line."""
    return visible(text).replace("\n", "\\n").replace("\t", "\\t")


def _escaped(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


class SafeConsole(Console):
    """A console whose texts are visible and nothing else; colours and cursor are its own."""

    def render_str(self, text: str, **options: Any) -> Text:
        """Make a text, visible before it is measured, so that columns stay in line."""
        return super().render_str(visible(text), **options)

    def _render_buffer(self, buffer: Iterable[Segment]) -> str:
        """Return what is written: the last place that every text goes through."""
        return super()._render_buffer(
            part if part.control else part._replace(text=visible(part.text)) for part in buffer
        )

    @property
    def file(self) -> IO[str]:
        """Where it writes: the stream itself, which takes colours."""
        found = super().file
        return cast("IO[str]", found.stream) if isinstance(found, _SafeStream) else found

    @file.setter
    def file(self, new_file: IO[str]) -> None:
        self._file = new_file


class _SafeStream:
    """A standard stream for everybody but `SafeConsole`: visible text, and no terminal."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        self.stream.write(visible(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def isatty(self) -> bool:
        """Say no: colours that others add would be shown as escapes."""
        return False

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def make_streams_safe() -> None:
    """Let whatever this process prints from now on be visible text."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is not None and not isinstance(stream, _SafeStream):
            setattr(sys, name, _SafeStream(stream))


def say(text: str, *, to_err: bool = False) -> None:
    """Print lines as they are, without style: JSON for machines, and what pipes take apart."""
    stream = sys.stderr if to_err else sys.stdout
    print(visible(text), file=stream, flush=True)  # the command line


def end_process(code: int) -> NoReturn:
    """End at once, without waiting for threads; what was printed is printed."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
