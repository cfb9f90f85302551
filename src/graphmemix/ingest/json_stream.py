"""Reads JSON files of any size piece by piece: one message in memory, not the whole export.

The caller walks the known structure (`members`, `items`) and reads small values whole (`value`).
Values that it does not read are skipped.
"""

from __future__ import annotations

import codecs
import json
import re
from typing import TYPE_CHECKING, Self

from graphmemix.errors import ImportSourceError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from graphmemix.record import Json

_CHUNK = 1 << 18  # bytes
MOST_CHARACTERS = 256 << 20
"""The longest single value: it must fit into memory."""

_SPACE = re.compile(r"[ \t\r\n]*")
_DELIMITERS = frozenset(",:]} \t\r\n")
_DECODER = json.JSONDecoder()
_MARGIN = 16  # an error so close to the end of the buffer may only mean that more must be read


class JsonStream:
    """A cursor over a JSON file, a context manager.

    Every method raises `ImportSourceError`, naming the file, if the text is not JSON, ends too
    early or is nested too deeply. Invalid UTF-8 becomes U+FFFD.
    """

    def __init__(self, path: Path, name: str) -> None:
        self._name = name
        try:
            self._file = path.open("rb")
        except OSError as error:
            raise ImportSourceError(f"{name}: cannot be read: {error.strerror}") from None
        self._decode = codecs.getincrementaldecoder("utf-8-sig")("replace").decode
        self._buffer = ""
        self._position = 0
        self._ended = False
        self._taken = 0  # values read; shows whether the caller read one

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._file.close()

    def peek(self) -> str:
        """Return the next character that is not white space; empty at the end."""
        while True:
            match = _SPACE.match(self._buffer, self._position)
            self._position = match.end() if match else self._position
            if self._position < len(self._buffer):
                return self._buffer[self._position]
            if not self._more(_CHUNK):
                return ""

    def members(self) -> Iterator[str]:
        """Yield the keys of the object at the cursor; unread values are skipped.

        If there is no object at the cursor, the value is skipped and nothing is yielded.
        """
        for _ in self._inside("{", "}"):
            key = self.value()
            if not isinstance(key, str) or self.peek() != ":":
                raise self._wrong("is not JSON")
            self._position += 1
            before = self._taken
            yield key
            if self._taken == before:
                self.value()

    def items(self) -> Iterator[None]:
        """Stop at each element of the array at the cursor; unread elements are skipped."""
        for _ in self._inside("[", "]"):
            before = self._taken
            yield None
            if self._taken == before:
                self.value()

    def value(self) -> Json:
        """Return the whole value at the cursor."""
        self.peek()
        step = _CHUNK
        while True:
            try:
                value, end = _DECODER.raw_decode(self._buffer, self._position)
            except json.JSONDecodeError as error:
                cut = error.msg.startswith("Unterminated") or (
                    error.pos >= len(self._buffer) - _MARGIN
                )
                if not cut or not self._more(step):
                    raise self._wrong("is not JSON, or ends too early") from None
            except RecursionError:
                raise self._wrong("is nested too deeply") from None
            except ValueError:  # a number of thousands of digits
                raise self._wrong("holds a number that is too long") from None
            else:
                # A number may continue beyond the buffer; only a delimiter ends it for certain.
                if self._buffer[end : end + 1] in _DELIMITERS or not self._more(step):
                    self._taken += 1
                    self._advance(end)
                    return value  # type: ignore[no-any-return]
            if len(self._buffer) - self._position > MOST_CHARACTERS:
                raise self._wrong("holds a value that is too large")
            step *= 2  # keeps reading a long value linear

    def _inside(self, opening: str, closing: str) -> Iterator[None]:
        if self.peek() != opening:
            self.value()
            return
        self._taken += 1
        self._advance(self._position + 1)
        if self.peek() == closing:
            self._advance(self._position + 1)
            return
        while True:
            yield None
            mark = self.peek()
            self._advance(self._position + 1)
            if mark == closing:
                return
            if mark != ",":
                raise self._wrong("is not JSON, or ends too early")

    def _advance(self, position: int) -> None:
        self._position = position
        # At least half of the buffer, so that each character is copied only a few times.
        if position > max(_CHUNK, len(self._buffer) // 2):
            self._buffer = self._buffer[position:]
            self._position = 0

    def _more(self, size: int) -> bool:
        """Read more into the buffer; return whether it has any text left."""
        if self._ended:
            return False
        try:
            data = self._file.read(size)
        except OSError as error:
            raise ImportSourceError(f"{self._name}: cannot be read: {error.strerror}") from None
        self._ended = not data
        self._buffer = self._buffer[self._position :] + self._decode(data, final=self._ended)
        self._position = 0
        return not self._ended or bool(self._buffer)

    def _wrong(self, what: str) -> ImportSourceError:
        return ImportSourceError(f"{self._name}: {what}")
