"""Uploaded files: multipart bodies are written to a job's folder as they arrive.

File names come from clients, and never lead out of that folder.

Starlette's parser keeps every file open, or in memory up to 1 MiB each, until the last one has
arrived: gigabytes for many small files, or more open files than a process may have.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from graphmemix.fsio import make_folder, open_binary
from graphmemix.serve.problems import ProblemError

if TYPE_CHECKING:
    from typing import Self

__all__ = ["MultipartReceiver", "UploadedFiles", "create", "safe_parts"]

_FILES: Final = b"files"
_IMPORTER: Final = b"as"
_LONGEST_HEADERS: Final = 16 << 10  # bytes, of one part
_LONGEST_FIELD: Final = 10_000  # bytes
_MOST_FIELDS: Final = 16
_AT_ONCE: Final = 1 << 18  # bytes handed to a thread together
_LONGEST_NAME: Final = 200  # bytes of one part; file systems allow 255
_DEEPEST_NAME: Final = 16


class UploadedFiles(NamedTuple):
    """What was written: the number of files, their size, and a hash of names and contents."""

    files: int
    size: int
    digest: bytes


class MultipartReceiver:
    """Writes the parts named `files` of a body to a folder, and keeps the field `as`."""

    def __init__(self, content_type: str, folder: Path, *, most_files: int) -> None:
        """Prepare to read.

        Raises:
            ProblemError: The content type names no boundary.
        """
        boundary = parse_options_header(content_type)[1].get(b"boundary")
        if not boundary:
            raise _refused("the content type has no boundary")
        self._folder = folder
        self._most_files = most_files
        self._fields = 0
        self._ended = False
        self._digest = hashlib.sha256()
        self._begin()
        self.taken = UploadedFiles(0, 0, b"")
        self.importer: str | None = None
        self._parser = MultipartParser(
            boundary,
            {
                "on_part_begin": self._begin,
                "on_header_field": self._header_name,
                "on_header_value": self._header_value,
                "on_header_end": self._header_end,
                "on_headers_finished": self._headers_finished,
                "on_part_data": self._data,
                "on_part_end": self._end,
                "on_end": self._all,
            },
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._file is not None:
            self._file.close()

    async def receive(
        self, chunks: AsyncIterator[bytes], thread: Callable[..., Awaitable[Any]]
    ) -> UploadedFiles:
        """Read a whole body.

        Args:
            chunks: The body.
            thread: Runs blocking calls.

        Raises:
            ProblemError: It is not multipart, ends early, has too many files or none, a file has no
                name, or two have the same.
        """
        waiting = bytearray()
        async for chunk in chunks:
            waiting += chunk
            if len(waiting) >= _AT_ONCE:
                await thread(self._write, bytes(waiting))
                waiting.clear()
        await thread(self._write, bytes(waiting))
        if not self._ended:
            raise _refused("the body is truncated")
        if not self.taken.files:
            raise ProblemError(422, "invalid_input", "files: send at least one file, with a name")
        return self.taken._replace(digest=self._digest.digest())

    def _write(self, data: bytes) -> None:
        try:
            self._parser.write(data)
        except FormParserError:
            raise _refused("the body does not match its boundary") from None

    def _begin(self) -> None:
        self._name, self._value, self._disposition = b"", b"", b""
        self._headers = 0
        self._field: bytes = b""
        self._file: BinaryIO | None = None
        self._content = bytearray()
        self._hash = hashlib.sha256()

    def _header_name(self, data: bytes, start: int, end: int) -> None:
        self._count_header(end - start)
        self._name += data[start:end]

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._count_header(end - start)
        self._value += data[start:end]

    def _count_header(self, size: int) -> None:
        self._headers += size
        if self._headers > _LONGEST_HEADERS:
            raise _refused(f"the headers of a part are longer than {_LONGEST_HEADERS} bytes")

    def _header_end(self) -> None:
        if self._name.lower() == b"content-disposition":
            self._disposition = self._value
        self._name, self._value = b"", b""

    def _headers_finished(self) -> None:
        options = parse_options_header(self._disposition)[1]
        self._field = options.get(b"name", b"")
        if b"filename" not in options:
            self._fields += 1
            if self._fields > _MOST_FIELDS:
                raise _refused(f"more than {_MOST_FIELDS} fields besides the files")
            return
        if self._field == _IMPORTER:
            raise ProblemError(422, "invalid_input", "as: must be the name of an importer")
        if self._field != _FILES:
            return
        if self.taken.files >= self._most_files:
            raise _refused(f"more than {self._most_files} files")
        parts, self._file = create(self._folder, _text(options[b"filename"]))
        self._digest.update(hashlib.sha256("/".join(parts).encode()).digest())

    def _data(self, data: bytes, start: int, end: int) -> None:
        if self._file is not None:
            piece = data[start:end]
            self._hash.update(piece)
            self._file.write(piece)
        elif self._field == _IMPORTER:
            self._content += data[start:end]
            if len(self._content) > _LONGEST_FIELD:
                raise _refused(f"a field is longer than {_LONGEST_FIELD} bytes")

    def _end(self) -> None:
        if self._file is not None:
            files, size, _ = self.taken
            self.taken = UploadedFiles(files + 1, size + self._file.tell(), b"")
            self._file.close()
            self._file = None
            self._digest.update(self._hash.digest())
        elif self._field == _IMPORTER:
            self.importer = _text(bytes(self._content)) or None

    def _all(self) -> None:
        self._ended = True


def _text(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _refused(reason: str) -> ProblemError:
    return ProblemError(422, "invalid_input", f"multipart: {reason}")


def safe_parts(name: str) -> tuple[str, ...]:
    """Return the parts of an uploaded file's name, as folders and a file below some folder.

    Browsers send the paths of uploaded folders, which relate photos to their sidecars. Parts that
    lead elsewhere are dropped.

    Raises:
        ProblemError: Nothing is left of the name.
    """
    parts = []
    for raw in name.replace("\\", "/").split("/"):
        part = "".join(c for c in raw if c.isprintable() and c != ":").strip()
        if part.strip(". "):
            parts.append(_shortened(part))
    if not parts:
        raise ProblemError(422, "invalid_input", "files: a file has no name")
    return tuple(parts[-_DEEPEST_NAME:])


def _shortened(part: str) -> str:
    """Cut a long name before its extension, which says what the file is."""
    if len(part.encode()) <= _LONGEST_NAME:
        return part
    stem, dot, extension = part.rpartition(".")
    tail = dot + extension if dot and len(extension.encode()) < 20 else ""
    head = (stem if tail else part).encode()[: _LONGEST_NAME - len(tail.encode())]
    return head.decode(errors="ignore") + tail


def create(folder: Path, name: str) -> tuple[tuple[str, ...], BinaryIO]:
    """Open a new file below a folder; return the parts of its name, and the file to write.

    Raises:
        ProblemError: The name is empty, or another file has it.
    """
    parts = safe_parts(name)
    target = folder.joinpath(*parts)
    try:
        make_folder(target.parent)
        return parts, open_binary(target, "xb")
    except (FileExistsError, NotADirectoryError):
        raise ProblemError(
            422, "invalid_input", f"two files are named {'/'.join(parts)!r}"
        ) from None
