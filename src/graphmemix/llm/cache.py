"""Replies on disk by content: the same question to the same model is asked once."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from graphmemix.errors import InvalidDataError
from graphmemix.fsio import make_folder, write_whole
from graphmemix.llm.chat import DEFAULT, ImagePart, Message, Options, Piece, Reply, Usage

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from graphmemix.llm.chat import Chat

__all__ = ["RememberingChat", "ReplyCache"]

_VERSION: Final = 1  # of the key; a change of what is sent makes old replies unreachable
_KEPT_AFTER_PRUNING: Final = 0.9


class ReplyCache:
    """A private folder (0700) of replies, one file each, named by the hash of what was asked.

    It holds answers about the archive's content, so it is as private as the archive. A damaged or
    unwritable entry is as good as none: a cache never makes a question fail.
    """

    def __init__(self, folder: str | Path, *, megabytes: float = 256.0) -> None:
        """Use a folder, which is made if it is not there."""
        self._folder = Path(folder)
        self._most = int(megabytes * 1_000_000)
        self._size: int | None = None
        self._lock = threading.Lock()
        with contextlib.suppress(OSError):
            make_folder(self._folder)
            self._folder.chmod(0o700)

    def get(self, key: str) -> Reply | None:
        """Return the reply under a key. Being asked for keeps it from being pruned."""
        path = self._path(key)
        try:
            text = path.read_bytes()
        except OSError:
            return None
        try:
            reply = Reply.from_json(text)
        except InvalidDataError:
            self.forget(key)
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return reply

    def put(self, key: str, reply: Reply) -> None:
        """Keep a reply, whole or not at all; the oldest go when the folder grows too large."""
        text = reply.to_json().encode()
        with contextlib.suppress(OSError), self._lock:
            make_folder(self._folder)  # erasure removes it
            write_whole(self._path(key), text, durable=False)
            if self._size is None:
                self._size = sum(size for _, size, _ in self._entries())
            else:
                self._size += len(text)
            if self._size > self._most:
                self._prune(int(self._most * _KEPT_AFTER_PRUNING))

    def forget(self, key: str) -> None:
        """Remove one reply."""
        with contextlib.suppress(OSError):
            self._path(key).unlink(missing_ok=True)

    def clear(self) -> None:
        """Remove all replies."""
        with contextlib.suppress(OSError), self._lock:
            self._prune(0)

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}.json"

    def _entries(self) -> list[tuple[float, int, Path]]:
        found = []
        for path in self._folder.glob("*.json"):
            with contextlib.suppress(OSError):
                facts = path.stat()
                found.append((facts.st_mtime, facts.st_size, path))
        return sorted(found)

    def _prune(self, most: int) -> None:
        entries = self._entries()
        size = sum(entry[1] for entry in entries)
        for _, bytes_, path in entries:
            if size <= most:
                break
            path.unlink(missing_ok=True)
            size -= bytes_
        self._size = size


class RememberingChat:
    """A `Chat` that asks another one and remembers its complete replies.

    Only replies at temperature 0 are kept: at others the same question is meant to have several
    answers. A reply from the cache takes no tokens, no money and no call.
    """

    def __init__(self, chat: Chat, cache: ReplyCache, *, scope: str = "") -> None:
        """Wrap a chat; `scope`, such as a server's address, keeps models of one name apart."""
        self._chat = chat
        self._cache = cache
        self._scope = scope

    def __repr__(self) -> str:
        return f"RememberingChat({self._chat!r})"

    @property
    def identity(self) -> str:
        """That of the chat behind it."""
        return self._chat.identity

    @property
    def sees_images(self) -> bool:
        """As the chat behind it."""
        return self._chat.sees_images

    async def aclose(self) -> None:
        """Close the chat behind it."""
        await self._chat.aclose()

    async def complete(self, messages: Sequence[Message], options: Options = DEFAULT) -> Reply:
        """Return the reply that is remembered, or ask and remember."""
        key = self._key(messages, options)
        if (known := self._known(key, options)) is not None:
            return known
        return self._keep(key, await self._chat.complete(messages, options), options)

    async def stream(
        self, messages: Sequence[Message], options: Options = DEFAULT
    ) -> AsyncIterator[Piece]:
        """Yield the reply that is remembered, in one piece, or ask and remember."""
        key = self._key(messages, options)
        if (known := self._known(key, options)) is not None:
            yield Piece(known.text, known)
            return
        async for piece in self._chat.stream(messages, options):
            if piece.end is not None:
                yield replace(piece, end=self._keep(key, piece.end, options))
            else:
                yield piece

    def forget(self, reply: Reply) -> None:
        """Forget a reply that turned out to be of no use, so that it is asked for again."""
        if reply.key:
            self._cache.forget(reply.key)

    def _known(self, key: str, options: Options) -> Reply | None:
        reply = self._cache.get(key) if options.temperature == 0 else None
        return reply and replace(reply, usage=Usage(), cached=True, key=key)

    def _keep(self, key: str, reply: Reply, options: Options) -> Reply:
        if options.temperature != 0 or reply.finish != "stop" or not reply.text.strip():
            return reply
        self._cache.put(key, reply)
        return replace(reply, key=key)

    def _key(self, messages: Sequence[Message], options: Options) -> str:
        """Return a name for what is asked: model, messages and parameters. No secret is in it."""
        said = [
            [message.role, *(_hashable(part) for part in message.parts)] for message in messages
        ]
        asked = [_VERSION, self._scope, self._chat.identity, said, json.loads(options.to_json())]
        text = json.dumps(asked, ensure_ascii=True, separators=(",", ":"), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


def _hashable(part: str | ImagePart) -> list[str]:
    if isinstance(part, ImagePart):
        return ["image", hashlib.sha256(part.data).hexdigest()]
    return ["text", part]
