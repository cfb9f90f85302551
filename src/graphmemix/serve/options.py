"""How a server is set up."""

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
    """What one client may take.

    Attributes:
        body_bytes: Largest JSON body.
        upload_bytes: Largest file, or files together, of one request.
        upload_files: Most files of one request.
        requests_per_minute: Of one key, or of one address without a key; 0 for no limit. A minute's
            worth may come at once.
        in_flight: Requests under way at once, and as many whose bodies are still on their way; more
            are told to come back. One key, or one address without a key, has at most a quarter.
        buffered_bytes: Bodies in memory at once, all together; uploads go to the disk.
        connections: Open at once; beyond, the one that has been idle for longest is closed.
        head_seconds: Time for the head of a request.
        body_seconds: Longest pause inside a body.
        body_grace_seconds: Longest wait for a body altogether, beside what `body_rate` allows.
        body_rate: Bytes a second that a body must come with at least, after the grace.
        send_seconds: Longest wait for a client that does not read its reply.
        write_seconds: How long a write waits for the one before it, such as an ingestion.
        memory_bytes: Largest memory as JSON. Encoding takes some seconds for each 50 kB of text.
        added_bytes: Largest sum of the memories of one request.
        keep_hours: How long replies to idempotency keys are kept.
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
        port: The port; 0 for any that is free.
        state: The folder of keys, jobs and replies to idempotency keys.
        root: Files below it may be ingested by path; None for uploads only.
        read_only: Open the archives for reading.
        mcp_write: Whether agents may add memories while there are no keys; with keys, the key says.
        hosts: Names, besides addresses and ``localhost``, by which clients may call the server.
        threads: For reading and computing; each holds a connection to each archive.
        telemetry: The OTLP endpoint that spans go to; empty for none.
        limits: What one client may take.
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
            raise InvalidInputError(f"port: must be within 0 and 65535, not {self.port}")
        if self.root is not None and not self.root.is_dir():
            raise InvalidInputError(f"root: {self.root} is not a folder")
