"""A body on its way into a file, without ever being whole in memory."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, BinaryIO, Self, cast

__all__ = ["Spool"]

_IN_MEMORY = 1 << 20


class Spool:
    """Holds a body while inside; small ones in memory, others in a file without a name."""

    def __init__(self, chunks: AsyncIterator[bytes], thread: Callable[..., Awaitable[Any]]) -> None:
        """Prepare to read.

        Args:
            chunks: The body.
            thread: Runs what blocks.
        """
        self._chunks = chunks
        self._thread = thread
        self._digest = hashlib.sha256()
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115

    async def __aenter__(self) -> Self:
        try:
            async for chunk in self._chunks:
                self._digest.update(chunk)
                if self._file.tell() + len(chunk) > _IN_MEMORY:
                    await self._thread(self._file.write, chunk)
                else:
                    self._file.write(chunk)
            self._file.seek(0)
        except BaseException:
            self._file.close()
            raise
        return self

    async def __aexit__(self, *exception: object) -> None:
        self._file.close()

    @property
    def file(self) -> BinaryIO:
        """The body, from its start."""
        return cast("BinaryIO", self._file)

    @property
    def digest(self) -> bytes:
        """The SHA-256 of the body."""
        return self._digest.digest()
