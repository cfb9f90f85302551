"""Options and limits of a server."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from graphmemix.errors import InvalidInputError

DEFAULT_PORT: Final = 8765
_MEBI: Final = 1 << 20


def default_state() -> Path:
    """Return ``~/.local/share/graphmemix/server``."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "graphmemix" / "server"


@dataclass(frozen=True)
class Limits:
    """Limits on clients.

    Attributes:
        body_bytes: Largest JSON body.
        upload_bytes: Largest total size of the files of one request.
        upload_files: Most files of one request.
        requests_per_minute: Per key, or per address without a key; 0 for no limit. A minute's worth
            may arrive at once.
        in_flight: Requests in progress, and as many whose bodies are still arriving; more are
            refused with 503. One key, or one address without a key, gets at most a quarter.
        buffered_bytes: Total size of bodies in memory; uploads go to disk.
        connections: Open connections; above that, the one idle longest is closed.
        head_seconds: Time for the head of a request.
        body_seconds: Longest pause inside a body.
        body_grace_seconds: Longest total wait for a body, in addition to what `body_rate` allows.
        body_rate: Lowest rate of a body in bytes per second, after the grace time.
        send_seconds: Longest wait for a client that does not read its reply.
        write_seconds: How long a write waits for the one before it, such as an ingestion.
        memory_bytes: Largest memory as JSON. Encoding takes some seconds per 50 kB of text.
        added_bytes: Largest total size of the memories of one request.
        keep_hours: How long replies to idempotency keys are stored.
    """

    body_bytes: int = 16 * _MEBI
    upload_bytes: int = 2048 * _MEBI
    upload_files: int = 10_000
    requests_per_minute: int = 3000
    in_flight: int = 256
    buffered_bytes: int = 256 * _MEBI
    connections: int = 512
    head_seconds: float = 10.0
    body_seconds: float = 30.0
    body_grace_seconds: float = 60.0
    body_rate: int = 16 << 10
    send_seconds: float = 60.0
    write_seconds: float = 10.0
    memory_bytes: int = _MEBI // 4
    added_bytes: int = 4 * _MEBI
    keep_hours: float = 24.0


@dataclass(frozen=True)
class ServeOptions:
    """Where a server listens, and what it may do.

    Attributes:
        host: The address to bind.
        port: The port; 0 for any free one.
        state: The folder of keys, jobs and replies to idempotency keys.
        root: Files below it may be ingested by path; None for uploads only.
        read_only: Open the archives for reading only.
        mcp_write: Whether agents may add memories while no keys are in use; otherwise the key's
            scope decides.
        hosts: Accepted host names, besides IP addresses and ``localhost``.
        threads: For reading and computing; each holds a connection to each archive.
        telemetry: The OTLP endpoint for spans; empty for none.
        limits: Limits on clients.
    """

    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    state: Path = field(default_factory=default_state)
    root: Path | None = None
    read_only: bool = False
    mcp_write: bool = False
    hosts: tuple[str, ...] = ()
    threads: int = 8
    telemetry: str = ""
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65_535:
            raise InvalidInputError(f"port: must be between 0 and 65535, not {self.port}")
        if self.root is not None and not self.root.is_dir():
            raise InvalidInputError(f"root: {self.root} is not a folder")
