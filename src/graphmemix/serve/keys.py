"""API keys: random tokens, stored as hashes, with one scope per archive.

A token is ``gmx_ID_SECRET`` with a secret of 256 random bits. Only the secret's SHA-256 is stored:
random bits cannot be guessed from it, so no slow hash is needed.

Keys fail closed. A marker file records that keys are in use, so that a key file that is missing,
empty or damaged refuses every request, even after a restart, until `KeyRing.switch_off`.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import re
import secrets
import stat
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, Literal, TypeAlias, get_args

from graphmemix.errors import InvalidDataError, InvalidInputError, SettingsError
from graphmemix.fsio import FileLock, make_folder, write_whole
from graphmemix.record import Record

__all__ = ["ALL", "ANYONE", "Key", "KeyRing", "Principal", "Scope"]

Scope: TypeAlias = Literal["read", "write", "admin"]
"""Each includes the one before it. Admin: ingest files of the server, read its metrics."""

ALL: Final = "*"
"""Means every archive that the server serves."""

_RANK: Final[dict[str, int]] = {scope: rank for rank, scope in enumerate(get_args(Scope))}
_PREFIX: Final = "gmx"
_SECRET_BYTES: Final = 32
_LOOK_EVERY: Final = 1.0  # seconds; how soon a revoked key stops working
_MOST_BYTES: Final = 16 << 20  # of the file
_SHA256: Final = re.compile(r"[0-9a-f]{64}\Z")
_NO_SECRET: Final = "-" * 64  # equals no hash; compared if the id is unknown
_MARKER_TEXT: Final = (
    "Keys are in use: without keys.json every request is refused. See `graphmemix keys off`.\n"
)


@dataclass(frozen=True)
class Principal:
    """Who sends a request, and what they may do.

    Attributes:
        id: The key's id, which is not secret; ``local`` if keys are not in use.
        grants: Scope by archive; `ALL` means every archive.
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
"""Everyone who can reach a server without keys, which listens on the loopback address only."""


@dataclass(frozen=True)
class Key(Record):
    """A key as it is stored.

    Attributes:
        id: Identifies it in lists and logs.
        name: Chosen by its owner.
        sha256: Hash of the secret.
        grants: Scope by archive.
        created_at: When it was created.
        expires_at: When it expires; None for never.
        revoked_at: When it was revoked; None if it was not.
    """

    id: str
    name: str
    sha256: str
    grants: dict[str, Scope]
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None

    def is_valid(self, now: datetime) -> bool:
        """Return whether it is neither expired nor revoked."""
        expired = self.expires_at is not None and self.expires_at <= now
        return self.revoked_at is None and not expired

    def is_sound(self) -> bool:
        """Return whether hash and times are well-formed, which their types do not ensure."""
        moments = (self.created_at, self.expires_at, self.revoked_at)
        zoned = all(each is None or each.tzinfo is not None for each in moments)
        return zoned and _SHA256.match(self.sha256) is not None


@dataclass(frozen=True)
class _Keys(Record):
    keys: tuple[Key, ...] = ()


class KeyRing:
    """The keys of a server, in one file that only its owner may read.

    Other processes may change the file; a running server notices within a second. Once it has seen
    keys, it refuses every request while the file cannot be read.
    """

    def __init__(self, state: Path) -> None:
        self._file = state / "keys.json"
        self._marker = state / "keys.required"
        self._lock = threading.Lock()
        self._looked = -_LOOK_EVERY
        self._mark: tuple[int, ...] | None = None
        self._by_id: dict[str, Key] = {}
        self._required = False
        self._fault: SettingsError | None = None

    def keys(self) -> tuple[Key, ...]:
        """Return all keys, oldest first, revoked ones included.

        Raises:
            SettingsError: Keys are in use, but their file is missing or cannot be read; says how
                to fix it.
        """
        found = self._read()
        if found is None and (self._required or os.path.lexists(self._marker)):
            raise self._unusable("is missing, though keys are in use")
        return found or ()

    def create(
        self, name: str, grants: Mapping[str, Scope], *, days: float | None = None
    ) -> tuple[Key, str]:
        """Create a key; return it and its token, which is not stored.

        Args:
            name: Chosen by its owner.
            grants: Scope by archive; `ALL` for every archive.
            days: Days until it expires; None for never.

        Raises:
            InvalidInputError: Nothing is granted, or a scope is unknown.
            SettingsError: The existing keys cannot be read; they are not changed.
        """
        if not grants:
            raise InvalidInputError("grants: a key needs at least one grant, such as '*:read'")
        for archive, scope in grants.items():
            if scope not in _RANK or not archive:
                raise InvalidInputError(
                    f"grants: {archive}:{scope} is not ARCHIVE:read|write|admin"
                )
        if days is not None and not 0 < days < 100_000:
            raise InvalidInputError(f"days: must be more than 0 and less than 100000, not {days:g}")
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
            self._write((*(self._read() or ()), key))
        return key, f"{_PREFIX}_{key.id}_{_as_text(secret)}"

    def revoke(self, key_id: str) -> Key:
        """Revoke a key and return it.

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

    def switch_off(self) -> bool:
        """Delete all keys and the marker; return whether there were any.

        Running servers keep refusing requests until they are restarted.
        """
        with self._changing():
            there = [each for each in (self._file, self._marker) if os.path.lexists(each)]
            for each in there:  # the marker last: if interrupted, requests stay refused
                each.unlink()
        return bool(there)

    def check(self) -> None:
        """Load the keys now; if there are any, requests need one from now on.

        Raises:
            SettingsError: As `keys`.
        """
        self._refresh()

    @property
    def in_use(self) -> bool:
        """Whether any key was ever created: then every request needs one, even locally.

        Raises:
            SettingsError: As `keys`.
        """
        self._refresh()
        return self._required

    def principal(self, token: str) -> Principal | None:
        """Return who owns this token; None if it is not valid.

        The time it takes reveals nothing about the secret, nor whether the key's id exists.

        Raises:
            SettingsError: As `keys`.
        """
        self._refresh()
        parts = token.split("_", 2)
        if len(parts) != 3 or parts[0] != _PREFIX:
            return None
        given = hashlib.sha256(_as_bytes(parts[2])).hexdigest()
        key = self._by_id.get(parts[1])
        same = hmac.compare_digest(given, _NO_SECRET if key is None else key.sha256)
        if key is None or not same:
            return None
        return Principal(key.id, key.grants) if key.is_valid(datetime.now(UTC)) else None

    def _refresh(self) -> None:
        now = time.monotonic()
        with self._lock:
            if now - self._looked >= _LOOK_EVERY:
                # The stamp before the content: a file that is replaced in between is read again.
                mark = _mark(self._file)
                if mark is None or mark != self._mark or self._fault is not None:
                    self._load()
                self._mark = mark
                self._looked = now
            if self._fault is not None:
                raise self._fault.with_traceback(None)  # else it grows with every request

    def _load(self) -> None:
        try:
            found, self._fault = self.keys(), None
        except SettingsError as error:
            found, self._fault = (), error
        self._by_id = {key.id: key for key in found}
        if found and not os.path.lexists(self._marker):  # keys of an earlier version
            with suppress(OSError):  # a read-only state folder
                write_whole(self._marker, _MARKER_TEXT)
        self._required = self._required or bool(found) or self._fault is not None

    def _read(self) -> tuple[Key, ...] | None:
        """Return the keys in the file; None if it does not exist.

        Raises:
            SettingsError: It exists but cannot be used.
        """
        try:
            # Without O_NONBLOCK this would block on a named pipe.
            handle = os.open(self._file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            if isinstance(error, FileNotFoundError) and not os.path.lexists(self._file):
                return None
            raise self._unusable(f"cannot be read ({error.strerror})") from None
        try:
            self._check_access(os.fstat(handle))
            text = os.read(handle, _MOST_BYTES + 1)
        except OSError as error:
            raise self._unusable(f"cannot be read ({error.strerror})") from None
        finally:
            os.close(handle)
        try:
            keys = _Keys.from_json(text).keys
        except InvalidDataError:
            raise self._unusable("is damaged") from None
        if not all(key.is_sound() for key in keys):
            raise self._unusable("is damaged")
        if not keys:  # never written like this
            raise self._unusable("holds no key")
        return keys

    def _check_access(self, found: os.stat_result) -> None:
        """Raise if this is not a regular file, or others could add keys to it."""
        if not stat.S_ISREG(found.st_mode):
            raise self._unusable("is not a regular file")
        if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise self._unusable("is writable by others (fix: chmod 600)")
        folder = self._file.parent.stat().st_mode
        if folder & stat.S_IWOTH and not folder & stat.S_ISVTX:
            raise self._unusable("is in a folder that is writable by everyone (fix: chmod 700)")

    def _unusable(self, what: str) -> SettingsError:
        return SettingsError(
            str(self._file),
            f"{what}; every request is refused. Restore the file, or remove it and create a new "
            "key with `graphmemix keys create`. To work without keys: `graphmemix keys off`, then "
            "restart the server",
        )

    def _changing(self) -> FileLock:
        return FileLock(make_folder(self._file.parent) / "keys.lock")

    def _write(self, keys: tuple[Key, ...]) -> None:
        if not os.path.lexists(self._marker):
            write_whole(self._marker, _MARKER_TEXT)
        write_whole(self._file, _Keys(keys).to_json())
        self._required = True
        self._looked = -_LOOK_EVERY


def _mark(file: Path) -> tuple[int, ...] | None:
    try:
        found, folder = file.stat(), file.parent.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_ctime_ns, found.st_size, folder.st_mode


def _as_text(secret: bytes) -> str:
    return base64.urlsafe_b64encode(secret).rstrip(b"=").decode()


def _as_bytes(text: str) -> bytes:
    """Decode a secret; an invalid one becomes empty, so that it takes the same path."""
    try:
        return base64.b64decode(text.encode() + b"=" * (-len(text) % 4), b"-_", validate=True)
    except ValueError:
        return b""
