"""Commands and servers as processes of their own, and what must be true of an archive.

Processes are forked from one that has everything imported: they start at once, and can be killed
like any other.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import re
import shutil
import signal
import socket
import sys
import tempfile
import time
import weakref
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import httpx
from benchmarks.faults.places import obey_permissions

from graphmemix.errors import ArchiveNotFoundError, GraphMemixError
from graphmemix.sample import build
from graphmemix.store import export_archive, open_store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from multiprocessing.context import ForkServerProcess

SETTINGS = {
    "GRAPHMEMIX_ENCODER__MODEL": "hashing",
    "GRAPHMEMIX_INGEST__ZONE": "Europe/Vienna",
    "GRAPHMEMIX_MODEL__RETRIES": "1",
    "GRAPHMEMIX_MODEL__FIRST_WAIT": "0",
    "GRAPHMEMIX_MODEL__TIMEOUT": "2",
}
QUESTION = "Which hotel did we stay in when Mia lost her tooth?"
PATIENCE = 60.0  # seconds for anything that must happen; the machine may be busy
# Files of an export that tell what an archive holds, but for its diary.
_TRUTH = ("versions.jsonl", "views.jsonl", "vectors.f32", "edges.jsonl", "relations.jsonl")

_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload(["benchmarks.faults.preload"])


@dataclass(frozen=True)
class Done:
    """A command that ended."""

    code: int
    out: str
    err: str

    @property
    def told(self) -> bool:
        """Whether it ended as commands do: a known code, and words instead of a traceback."""
        if "Traceback" in self.err or self.code not in {0, 1, 2, 130}:
            return False
        return self.code != 2 or "graphmemix: " in self.err

    def json(self) -> Any:
        """Return what it printed with ``--json``."""
        return json.loads(self.out)


def _child(arguments: list[str], env: dict[str, str], out: str, err: str, code: str) -> None:
    """Be a command: its output goes to files, and so does its exit code."""
    os.environ.update(env)
    for stream, name in ((1, out), (2, err)):
        handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(handle, stream)
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", closefd=False, errors="backslashreplace")
    sys.argv = ["graphmemix", *arguments]
    if env.get("FAULTS_OBEY"):
        obey_permissions()
    from graphmemix.cli import main

    if env.get("FAULTS_STOP"):
        os.kill(os.getpid(), signal.SIGSTOP)  # until somebody watches

    status: object = 0
    try:
        main()
    except SystemExit as end:
        status = end.code or 0
    except BaseException:  # noqa: BLE001  # that is what a user would see
        import traceback

        traceback.print_exc()
        status = 99
    sys.stdout.flush()
    sys.stderr.flush()
    Path(code).write_text(str(status))


class Running:
    """A command under way."""

    def __init__(self, *arguments: object, env: Mapping[str, str] | None = None) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="graphmemix-faults-run-"))
        weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self.out, self.err, self._code = (self._folder / n for n in ("out", "err", "code"))
        self._process: ForkServerProcess = _processes.Process(
            target=_child,
            args=(
                [str(each) for each in arguments],
                {**SETTINGS, **_inherited(), **(env or {})},
                *map(str, (self.out, self.err, self._code)),
            ),
            daemon=True,
        )
        self._process.start()
        self.arguments = arguments

    @property
    def pid(self) -> int:
        """Its process id."""
        assert self._process.pid is not None  # it was started  # noqa: S101
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it has not ended."""
        return self._process.is_alive()

    def kill(self) -> None:
        """Kill it, with all that it started."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        self._process.join()

    def wait(self, seconds: float = PATIENCE) -> Done:
        """Wait for the end; it is killed if it takes too long."""
        self._process.join(seconds)
        if self._process.is_alive():
            self.kill()
            self.err.write_text("it never ended; killed: Traceback")
        code = -9
        if self._code.exists():
            code = int(self._code.read_text() or 99)
        return Done(code, _text(self.out), _text(self.err))


def _inherited() -> dict[str, str]:
    """Return what a child needs to know that is forked from a process without it."""
    return {name: os.environ[name] for name in ("XDG_DATA_HOME",) if name in os.environ}


def _text(path: Path) -> str:
    return path.read_text(errors="replace") if path.exists() else ""


def command(*arguments: object, env: Mapping[str, str] | None = None) -> Done:
    """Run a command to its end."""
    return Running(*arguments, env=env).wait()


class Server:
    """A server of one archive, ``home``, as a process."""

    def __init__(
        self, archive: Path | str, state: Path, *more: object, env: Mapping[str, str] | None = None
    ) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        limit = () if "--rate" in more else ("--rate", 0)
        self._env = env
        self.running = self._start(
            ["serve", f"home={archive}", "--port", self.port, "--state", state, *limit, *more]
        )
        self.client = httpx.Client(base_url=f"http://127.0.0.1:{self.port}", timeout=PATIENCE)

    def _start(self, arguments: list[object]) -> Any:
        return Running(*arguments, env=self._env)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.client.close()
        self.running.kill()

    def ready(self) -> bool:
        """Wait until it answers; False if it ended instead."""

        def answers() -> bool:
            with suppress(httpx.HTTPError):
                return self.client.get("/v1/ready").status_code == 200
            return not self.running.alive

        until(answers)
        return bool(self.running.alive)

    def post(self, path: str, body: object, key: str = "") -> httpx.Response:
        """Send JSON, with an idempotency key if one is given."""
        headers = {"Idempotency-Key": key} if key else {}
        return self.client.post(f"/v1/archives/home/{path}", json=body, headers=headers)

    def upload(self, files: Mapping[str, bytes], key: str = "") -> httpx.Response:
        """Send files to be ingested."""
        headers = {"Idempotency-Key": key} if key else {}
        parts = [("files", (name, data)) for name, data in files.items()]
        return self.client.post("/v1/archives/home/jobs", files=parts, headers=headers)

    def job(self, job_id: str) -> dict[str, Any]:
        """Return how a job stands."""
        told: dict[str, Any] = self.client.get(f"/v1/archives/home/jobs/{job_id}").json()
        return told

    def ended(self, job_id: str) -> dict[str, Any]:
        """Wait for a job to end; return it."""
        until(lambda: self.job(job_id)["state"] not in {"queued", "running"})
        return self.job(job_id)


def until(holds: Callable[[], bool], seconds: float = PATIENCE) -> bool:
    """Wait until something holds; False if it never does."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def truth(archive: Path | str) -> dict[str, str]:
    """Return what an archive holds, as hashes: two with the same content give the same."""
    with tempfile.TemporaryDirectory(prefix="graphmemix-faults-") as place:
        target = Path(place) / "export"
        with open_store(archive, mode="read") as store:
            export_archive(store, target)
        found = {name: _hash(target / name) for name in _TRUTH}
        found["media"] = str(sorted(path.name for path in (target / "media").rglob("*")))
    return found


def memory_ids(archive: Path | str) -> set[str]:
    with open_store(archive, mode="read") as store:
        return {memory.id for memory in store.find()}


def media_of(archive: Path | str) -> set[str]:
    """Return the addresses of the files that memories have."""
    with open_store(archive, mode="read") as store:
        return {m.sha256 for memory in store.find() for m in memory.media if m.sha256}


def faults_of(archive: Path | str) -> list[str]:
    """Return all that a check finds in an archive, opened for reading, so that nothing mends it.

    An archive whose making was interrupted is none, and has no faults.
    """
    try:
        with open_store(archive, mode="read") as store:
            return [str(each) for each in store.check()]
    except ArchiveNotFoundError:
        return []
    except GraphMemixError as error:
        return [str(error)]


def _hash(path: Path) -> str:
    data = re.sub(rb'"replaced_at":"[^"]*"', b"", path.read_bytes())  # when, not what
    if path.name == "relations.jsonl":
        data = b"".join(map(_used, data.splitlines()))
    return hashlib.sha256(data).hexdigest()[:16]


def _used(line: bytes) -> bytes:
    """Cut a list of neighbours to those that count; behind them is a reserve, as it came."""
    told = json.loads(line)
    return json.dumps([told["memory_id"], told["keys"], told["neighbours"][:8]]).encode()


@dataclass
class World:
    """A scratch folder with files to ingest, and archives made from them.

    Attributes:
        root: The scratch folder.
        files: The sample's files, or a few of them.
        measured: What is known of commands that ran undisturbed, by name.
    """

    root: Path
    files: Path
    measured: dict[str, Any] = field(default_factory=dict)
    _made: dict[str, Path] = field(default_factory=dict)
    _count: int = 0

    def fresh(self, name: str = "place") -> Path:
        """Return a path where nothing is yet."""
        self._count += 1
        return self.root / f"{name}-{self._count}"

    def base(self) -> Path:
        """Return an archive of all files; not to be changed."""
        if "base" not in self._made:
            archive = self.fresh("base")
            done = command("ingest", archive, self.files)
            if done.code:
                raise RuntimeError(done.err)
            self._made["base"] = archive
        return self._made["base"]

    def elsewhere(self, root: Path) -> World:
        """Return a world with the same files and base, whose new places lie elsewhere."""
        self.base()
        return World(root, self.files, self.measured, self._made)

    def copy(self, archive: Path | None = None) -> Path:
        """Return a copy of an archive; of the base if none is named."""
        return Path(shutil.copytree(archive or self.base(), self.fresh("copy")))


@contextmanager
def new_world(*, small: bool = False) -> Iterator[World]:
    """Make the sample's files, or a few of them, in a folder that is removed at the end."""
    root = Path(tempfile.mkdtemp(prefix="graphmemix-faults-"))
    try:
        files = build(root / "sample").files
        if small:
            for path in sorted(files.rglob("*.jpg"))[3:] + sorted(files.rglob("*.mp4*")):
                path.unlink()
        yield World(root, files)
    finally:
        shutil.rmtree(root, ignore_errors=True)
