"""API keys: random tokens, kept as hashes, with one scope per archive.

A token is ``gmx_ID_SECRET`` with 256 random bits as its secret. Only the SHA-256 of the secret is
kept: random 256 bits cannot be guessed from it, so that no slow hash is needed.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, Literal, TypeAlias, get_args

from graphmemix.errors import InvalidDataError, InvalidInputError, SettingsError
from graphmemix.record import Record
from graphmemix.serve.files import locked, private_folder, write_whole

__all__ = ["ALL", "ANYONE", "Key", "KeyRing", "Principal", "Scope"]

Scope: TypeAlias = Literal["read", "write", "admin"]
"""Each holds the one before it. Admin: ingest files of the server, read its metrics."""

ALL: Final = "*"
"""Stands for every archive that the server serves."""

_RANK: Final[dict[str, int]] = {scope: rank for rank, scope in enumerate(get_args(Scope))}
_PREFIX: Final = "gmx"
_SECRET_BYTES: Final = 32
_LOOK_EVERY: Final = 1.0  # seconds; how soon a revoked key stops working


@dataclass(frozen=True)
class Principal:
    """Who asks, and what they may do.

    Attributes:
        id: The key's id, which is no secret; ``local`` if keys are not in use.
        grants: Scope by archive; `ALL` stands for every one.
    """

    id: str
    grants: Mapping[str, Scope]

    def scope(self, archive: str) -> Scope | None:
        """Return what they may do with an archive; None for nothing."""
        found = [s for s in (self.grants.get(archive), self.grants.get(ALL)) if s is not None]
        return max(found, key=_RANK.__getitem__, default=None)

    def may(self, archive: str, scope: Scope) -> bool:
        """Return whether they have this scope, or a wider one."""
        has = self.scope(archive)
        return has is not None and _RANK[has] >= _RANK[scope]


ANYONE: Final = Principal("local", {ALL: "admin"})
"""Everybody who can reach a server without keys, which listens on the loopback address alone."""


@dataclass(frozen=True)
class Key(Record):
    """A key as it is kept.

    Attributes:
        id: Names it in lists and logs.
        name: What its owner calls it.
        sha256: Of the secret.
        grants: Scope by archive.
        created_at: When it was made.
        expires_at: When it stops working; None for never.
        revoked_at: When it was revoked; None if it was not.
    """

    id: str
    name: str
    sha256: str
    grants: dict[str, Scope]
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None

    def works(self, now: datetime) -> bool:
        """Return whether it opens anything."""
        expired = self.expires_at is not None and self.expires_at <= now
        return self.revoked_at is None and not expired


@dataclass(frozen=True)
class _Keys(Record):
    keys: tuple[Key, ...] = ()


class KeyRing:
    """The keys of a server, in one file that only its owner may read.

    Other processes may change the file; a running server sees it within a second.
    """

    def __init__(self, state: Path) -> None:
        self._file = state / "keys.json"
        self._lock = threading.Lock()
        self._looked = -_LOOK_EVERY
        self._mark: tuple[int, int, int] | None = None
        self._by_id: dict[str, Key] = {}

    def keys(self) -> tuple[Key, ...]:
        """Return all keys, oldest first, revoked ones included.

        Raises:
            InvalidInputError: The file is damaged.
        """
        try:
            text = self._file.read_bytes()
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise InvalidInputError(f"{self._file} cannot be read: {error.strerror}") from None
        try:
            return _Keys.from_json(text).keys
        except InvalidDataError:
            told = "is damaged; put a copy back, or remove it and make new keys"
            raise SettingsError(str(self._file), told) from None

    def create(
        self, name: str, grants: Mapping[str, Scope], *, days: float | None = None
    ) -> tuple[Key, str]:
        """Make a key; return it and its token, which is shown this once and kept nowhere.

        Args:
            name: What its owner calls it.
            grants: Scope by archive; `ALL` for every one.
            days: How long it works; None for ever.

        Raises:
            InvalidInputError: Nothing is granted, or a scope does not exist.
        """
        if not grants:
            raise InvalidInputError("grants: a key must open something, such as '*:read'")
        for archive, scope in grants.items():
            if scope not in _RANK or not archive:
                raise InvalidInputError(
                    f"grants: {archive}:{scope} is not ARCHIVE:read|write|admin"
                )
        if days is not None and not 0 < days < 100_000:
            raise InvalidInputError(f"days: must be more than 0, not {days:g}")
        secret = secrets.token_bytes(_SECRET_BYTES)
        now = datetime.now(UTC)
        key = Key(
            id=secrets.token_hex(4),
            name=name,
            sha256=hashlib.sha256(secret).hexdigest(),
            grants=dict(grants),
            created_at=now,
            expires_at=None if days is None else now + timedelta(days=days),
        )
        with self._changing():
            self._write((*self.keys(), key))
        return key, f"{_PREFIX}_{key.id}_{_as_text(secret)}"

    def revoke(self, key_id: str) -> Key:
        """Make a key stop working; return it.

        Raises:
            InvalidInputError: There is no such key.
        """
        with self._changing():
            keys = {key.id: key for key in self.keys()}
            if key_id not in keys:
                raise InvalidInputError(f"there is no key {key_id!r}; see `graphmemix keys list`")
            if keys[key_id].revoked_at is None:
                keys[key_id] = replace(keys[key_id], revoked_at=datetime.now(UTC))
                self._write(tuple(keys.values()))
        return keys[key_id]

    @property
    def in_use(self) -> bool:
        """Whether any key was ever made: then nobody gets in without one, not even locally."""
        self._refresh()
        return bool(self._by_id)

    def principal(self, token: str) -> Principal | None:
        """Return who has this token; None if it opens nothing.

        The time that it takes tells nothing about the secret.
        """
        self._refresh()
        parts = token.split("_", 2)
        if len(parts) != 3 or parts[0] != _PREFIX:
            return None
        given = hashlib.sha256(_as_bytes(parts[2])).hexdigest()
        key = self._by_id.get(parts[1])
        if key is None or not hmac.compare_digest(given, key.sha256):
            return None
        return Principal(key.id, key.grants) if key.works(datetime.now(UTC)) else None

    def _refresh(self) -> None:
        now = time.monotonic()
        with self._lock:
            if now - self._looked < _LOOK_EVERY:
                return
            mark = _mark(self._file)
            if mark != self._mark or (mark is None and self._by_id):
                self._by_id = {key.id: key for key in self.keys()}
                self._mark = mark
            self._looked = now

    def _changing(self) -> AbstractContextManager[None]:
        return locked(private_folder(self._file.parent) / "keys.lock")

    def _write(self, keys: tuple[Key, ...]) -> None:
        write_whole(self._file, _Keys(keys).to_json())
        self._looked = -_LOOK_EVERY


def _mark(file: Path) -> tuple[int, int, int] | None:
    try:
        found = file.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def _as_text(secret: bytes) -> str:
    return base64.urlsafe_b64encode(secret).rstrip(b"=").decode()


def _as_bytes(text: str) -> bytes:
    """Return the secret that a text holds; what is none still takes the same way."""
    try:
        return base64.b64decode(text.encode() + b"=" * (-len(text) % 4), b"-_", validate=True)
    except ValueError:
        return b""
