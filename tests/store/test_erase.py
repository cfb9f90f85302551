"""Erasure: nothing that was erased is left, in any file, and the receipt tells no content."""

from __future__ import annotations

import hashlib
import threading
import uuid
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from graphmemix.errors import StoreUnavailableError
from graphmemix.evidence import Edge
from graphmemix.memory import Media, Memory, View
from graphmemix.store import Entry, Log, MediaFolder, Receipt, Store
from graphmemix.store.postgres import database as postgres_database
from graphmemix.store.sqlite import database as sqlite_database
from graphmemix.text import postings, words
from tests.store.conftest import Archives, Pair, Postgres
from tests.store.contents import (
    ENCODER,
    NOON,
    Floats,
    axis,
    derived,
    entry,
    everything,
    fill,
    found,
    found_words,
    note,
    unit_vectors,
)

HARMLESS = 20
PATIENCE = 60  # seconds; no erasure may wait longer for a reader
EVERYWHERE = {"words", "vector", "half vector", "posting", "file", "address", "file name"}


class Secret:
    """What a memory says, by which its traces are known. No two are alike."""

    def __init__(self) -> None:
        digits = uuid.uuid4().hex
        self.word = "x" + digits.translate(str.maketrans("0123456789", "ghijklmnop")) + "q"
        self.id = f"id-{self.word}"
        self.vector = unit_vectors(1, seed=int(digits, 16))[0]
        self.content = digits.encode() * 40
        self.sha256 = hashlib.sha256(self.content).hexdigest()

    def add(self, store: Store) -> None:
        """Leave traces everywhere."""
        store.media.put(self.content)
        rows = unit_vectors(HARMLESS, seed=5)
        others = [entry(f"other-{n:02}", "harmless", [rows[n]]) for n in range(HARMLESS)]
        fields = {"session": f"s-{self.word}", "speaker": self.word, "source": f"q-{self.word}"}
        memory = note(
            self.id,
            f"an old {self.word}",
            media=(Media("audio", self.sha256, name=f"{self.word}.wav"),),
            metadata={self.word: self.word},
            timestamp=NOON,
            **fields,
        )
        made = derived(self.id, [memory.text], [self.vector])
        store.add([*others[:10], Entry(memory, made), *others[10:]])
        newer = note(self.id, f"a newer {self.word}", **fields)
        store.update(newer, derived(self.id, [newer.text, self.word], [self.vector, None]))
        store.put_derived(
            {},
            [Edge(self.id, "other-01", "semantic", 0.5)],
            keys={self.id: [f"key-{self.word}"]},
            neighbours={self.id: [("other-02", 0.5)], "other-02": [(self.id, 0.5)]},
        )
        store.put_log(Log("trace-1", "trace", NOON, f"who is {self.word}?", (self.id,)))
        store.put_log(Log(f"job-{self.word}", "job", NOON, f"read {self.word}", ("x", self.id)))

    def traces(self, files: Iterable[Path]) -> set[str]:
        """Return which traces are in these files, or in their names."""
        [term] = words.terms(self.word)
        sought = {
            "words": self.word.encode(),
            "vector": self.vector.tobytes(),
            "half vector": self.vector.astype(np.float16).tobytes(),
            "posting": postings.pack(Counter([term]))[:8],  # its fingerprint, without the count
            "file": self.content[:50],
            "address": self.sha256.encode(),
        }
        left = set()
        for file in files:
            try:
                data = file.read_bytes()
            except FileNotFoundError:  # a server makes and removes files of its own
                continue
            left |= {name for name, piece in sought.items() if piece in data}
            left |= {"file name"} if self.sha256 in file.name else set()
        return left


@pytest.fixture
def secret() -> Secret:
    return Secret()


def archive_files(archives: Archives) -> list[Path]:
    return [path for path in (archives.folder / "archive").rglob("*") if path.is_file()]


def server_files(postgres: Postgres, archives: Archives) -> list[Path]:
    """Return the files of all tables; the server's log is its operator's to expire."""
    postgres.execute("CHECKPOINT")
    folders = postgres.data / "base", postgres.data / "global", archives.media()
    return [path for folder in folders for path in folder.rglob("*") if path.is_file()]


def erase_elsewhere(store: Store, memory_id: str) -> tuple[threading.Thread, list[Receipt]]:
    """Erase in another thread, for as long as patience lasts."""
    receipts: list[Receipt] = []
    thread = threading.Thread(target=lambda: receipts.append(store.erase([memory_id])))
    thread.start()
    thread.join(PATIENCE)
    return thread, receipts


# What goes and what stays


def test_erased_is_gone_from_every_answer(store: Store) -> None:
    fill(store)
    near = {"chat-1": [("mail-1", 0.5)], "mail-1": [("chat-1", 0.5)]}
    store.put_derived({}, keys={"chat-1": ["key"]}, neighbours=near)
    store.erase(["chat-1"])
    assert store.get_many(["chat-1"]) == {}
    assert store.views(["chat-1"]) == {}
    assert store.vectors(["chat-1"]) == {}
    assert "chat-1" not in {memory.id for memory in store.find()}
    assert "chat-1" not in {version.memory.id for version in store.every_version()}
    assert [edge.source for edge in store.edges(["photo-1", "mail-1"])] == ["mail-1"]
    assert found_words(store, "canal") == []
    assert "chat-1" not in found(store, unit_vectors(7)[0])
    assert store.keys(["chat-1"]) == {}
    assert store.neighbours() == {}
    assert store.logs("trace") == []
    assert [log.id for log in store.logs("job")] == ["job-1", "job-2"]


def test_the_receipt_counts(store: Store, secret: Secret) -> None:
    secret.add(store)
    receipt = store.erase([secret.id, "other-00"])
    assert receipt == Receipt(
        erased_at=receipt.erased_at,
        memories=2,
        versions=1,  # earlier ones
        views=3,
        vectors=2,
        edges=1,
        media_files=1,
        media_bytes=len(secret.content),
        logs=2,
        purged=True,
        finished_at=receipt.finished_at,
    )
    assert receipt.finished_at is not None
    assert receipt.erased_at <= receipt.finished_at
    assert store.receipts() == (receipt,)
    assert secret.word not in receipt.to_json()


def test_receipts_are_kept_oldest_first(make_store: Archives) -> None:
    with make_store() as store:
        store.add(Entry(note(str(n))) for n in range(6))
        written = [store.erase([str(n) for n in batch]) for batch in ([0], [1, 2], [3, 4, 5])]
        assert [receipt.memories for receipt in written] == [1, 2, 3]
    with make_store(mode="read") as store:
        assert store.receipts() == tuple(written)


def test_what_is_not_there_is_ignored(store: Store) -> None:
    fill(store)
    before = {k: v for k, v in everything(store).items() if k != "receipts"}
    receipt = store.erase(["nobody", "Secret", "Chat-1", ""])
    assert (receipt.memories, receipt.views, receipt.logs, receipt.media_files) == (0, 0, 0, 0)
    assert {k: v for k, v in everything(store).items() if k != "receipts"} == before
    assert store.erase([]).memories == 0


@pytest.mark.parametrize("alias", ["a\x00b", "a\x00", "A", "a ", " a", "a\ud800"])
def test_an_id_that_is_only_alike_erases_nothing(store: Store, alias: str) -> None:
    store.add([Entry(note("a"))])
    assert store.erase([alias]).memories == 0
    assert store.get("a") == note("a")


def test_a_file_that_another_memory_uses_stays(store: Store) -> None:
    shared, own = store.media.put(b"shared"), store.media.put(b"own")
    media = (Media("image", shared.sha256), Media("image", own.sha256))
    store.add([Entry(note("a", media=media)), Entry(note("b", media=media[:1]))])
    receipt = store.erase(["a"])
    assert (receipt.media_files, receipt.media_bytes) == (1, 3)
    assert [*store.media] == [shared]
    assert store.erase(["b"]).media_files == 1
    assert [*store.media] == []


def test_a_file_that_only_another_memory_s_history_uses_stays(store: Store) -> None:
    shared = store.media.put(b"shared")
    media = (Media("image", shared.sha256),)
    store.add([Entry(note("a", media=media)), Entry(note("b", media=media))])
    store.update(note("b", "without picture"))
    store.erase(["a"])
    assert shared.sha256 in store.media
    assert store.check() == []
    store.erase(["b"])
    assert [*store.media] == []


def test_a_memory_can_come_back(store: Store, secret: Secret) -> None:
    secret.add(store)
    store.erase([secret.id])
    store.media.put(secret.content)
    again = note(secret.id, secret.word, media=(Media("audio", secret.sha256),))
    made = derived(again.id, [again.text], [secret.vector])
    assert store.add([Entry(again, made)]).new == (again.id,)
    assert found(store, secret.vector)[0] == found_words(store, secret.word)[0] == again.id
    assert len(store.history(again.id)) == 1
    assert store.check() == []


def test_both_stores_erase_alike(pair: Pair, secret: Secret) -> None:
    for store in pair:
        secret.add(store)
        fill(store)
    ids = [secret.id, "note-1", "other-03", "nobody"]
    pair.same(lambda store: replace(store.erase(ids), erased_at=NOON, finished_at=NOON))
    pair.same(everything)
    pair.same(lambda store: store.search_text("harmless words canal"))
    pair.same(lambda store: store.search_vectors(secret.vector, ENCODER))


# Down to the bytes, SQLite


def test_no_file_of_the_archive_holds_what_was_erased(
    make_sqlite: Archives, secret: Secret
) -> None:
    with make_sqlite() as store:
        secret.add(store)
        store.search_vectors(secret.vector, ENCODER)
        store.search_text(secret.word)
    assert secret.traces(archive_files(make_sqlite)) == EVERYWHERE
    with make_sqlite() as store:
        store.search_vectors(secret.vector, ENCODER)
        store.search_text(secret.word)
        assert store.erase([secret.id]).purged
        assert secret.traces(archive_files(make_sqlite)) == set()
        assert len(found(store, secret.vector)) == HARMLESS
        assert len(found_words(store, "harmless")) == HARMLESS
    assert secret.traces(archive_files(make_sqlite)) == set()


def test_no_file_holds_the_half_made_vectors_of_what_was_erased(
    make_sqlite: Archives, secret: Secret
) -> None:
    store = make_sqlite()
    secret.add(store)
    store.add([entry(f"more-{n}", "x", [axis(0)]) for n in range(300)])
    other = unit_vectors(1, dimension=32, seed=3)[0]
    batches: list[int] = []

    def encode(views: Sequence[View]) -> list[Floats]:
        batches.append(len(views))
        if len(batches) > 1:
            raise KeyboardInterrupt
        mine = [view.memory_id == secret.id for view in views]
        assert any(mine)
        return [other if each else axis(0, dimension=32) for each in mine]

    with pytest.raises(KeyboardInterrupt):
        store.reencode("other/32", encode)
    assert any(other.tobytes() in path.read_bytes() for path in archive_files(make_sqlite))
    store.erase([secret.id])
    assert not any(other.tobytes() in path.read_bytes() for path in archive_files(make_sqlite))


@pytest.mark.parametrize("seed", range(3))
def test_no_page_holds_what_was_erased_among_many(make_sqlite: Archives, seed: int) -> None:
    """Pages split, merge and move cells as rows come and go; all copies must be wiped."""
    generator = np.random.default_rng(seed)
    names = [f"person-{generator.integers(0, 2**60):016x}" for _ in range(600)]
    rows = unit_vectors(600, dimension=48, seed=seed)
    store = make_sqlite()
    for start in range(0, 600, 50):
        store.add(
            entry(name, f"{name} " * int(generator.integers(1, 40)), [row], session=f"s-{name}")
            for name, row in zip(names[start : start + 50], rows[start : start + 50], strict=True)
        )
    for name in names[::7]:
        store.update(note(name, f"{name} changed"))
    ends = [sorted(names[n : n + 2]) for n in range(0, 500, 3)]
    store.change_edges(add=[Edge(a, b, "semantic", 0.5) for a, b in ends])
    order = generator.permutation(600)
    for part in np.array_split(order[:400], 8):
        assert store.erase([names[int(n)] for n in part]).purged
    data = [path.read_bytes() for path in archive_files(make_sqlite)]
    left = [n for n in order[:400] if any(names[int(n)].encode() in each for each in data)]
    assert left == []
    left = [n for n in order[:400] if any(rows[int(n)].tobytes() in each for each in data)]
    assert left == []
    assert store.count() == 200
    assert store.check() == []


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Erasures do not wait long for readers, here for those that stay."""
    for kind in ("postgres", "sqlite"):
        monkeypatch.setattr(f"graphmemix.store.{kind}.database._PURGE_SECONDS", 0.2)


@pytest.mark.usefixtures("impatient")
def test_an_open_reader_delays_the_purge(make_sqlite: Archives, secret: Secret) -> None:
    store = make_sqlite()
    secret.add(store)
    reader = make_sqlite(mode="read")
    with reader.snapshot():
        assert reader.count() == HARMLESS + 1
        thread, receipts = erase_elsewhere(store, secret.id)
        finished = not thread.is_alive()
        assert reader.count() == HARMLESS + 1  # the reader's state is still whole
    thread.join()
    assert finished
    assert [receipt.purged for receipt in receipts] == [False]
    assert store.receipts() == tuple(receipts)
    assert store.get_many([secret.id]) == {}
    store.close()
    reader.close()
    with make_sqlite() as store:
        assert secret.traces(archive_files(make_sqlite)) == set()
        assert [receipt.purged for receipt in store.receipts()] == [True]


@pytest.mark.usefixtures("impatient")
def test_the_receipt_is_honest_inside_a_snapshot(
    make_store: Archives, request: pytest.FixtureRequest, secret: Secret
) -> None:
    store = make_store()
    secret.add(store)
    receipts = []

    def erase() -> None:
        with suppress(StoreUnavailableError), store.snapshot():
            store.count()
            receipts.append(store.erase([secret.id]))

    erasing = threading.Thread(target=erase)
    erasing.start()
    erasing.join(PATIENCE)
    if make_store.backend == "sqlite":
        files = archive_files(make_store)
    else:
        postgres: Postgres = request.getfixturevalue("postgres")
        files = server_files(postgres, make_store)
        if erasing.is_alive():  # it waits for itself
            postgres.execute(DISCONNECT)
    erasing.join()
    assert receipts, "the erasure hangs"
    assert receipts[0].purged == (not secret.traces(files))


# Down to the bytes, PostgreSQL

DISCONNECT = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE pid <> pg_backend_pid() AND application_name LIKE 'graphmemix%'
"""


def test_no_table_holds_what_was_erased(
    make_postgres: Archives, postgres: Postgres, secret: Secret
) -> None:
    store = make_postgres()
    secret.add(store)
    store.search_text(secret.word)
    assert secret.traces(server_files(postgres, make_postgres)) == EVERYWHERE
    assert store.erase([secret.id]).purged
    assert secret.traces(server_files(postgres, make_postgres)) == set()
    assert len(found(store, secret.vector)) == len(found_words(store, "harmless")) == HARMLESS


def test_the_planner_s_statistics_hold_nothing(
    make_postgres: Archives, postgres: Postgres, secret: Secret
) -> None:
    """The server samples tables by itself (autovacuum), and keeps common values elsewhere."""
    store = make_postgres()
    secret.add(store)
    postgres.execute("ANALYZE")
    store.erase([secret.id])
    assert secret.traces(server_files(postgres, make_postgres)) == set()


@pytest.mark.usefixtures("impatient")
def test_an_old_snapshot_elsewhere_delays_the_purge(
    make_postgres: Archives, postgres: Postgres, secret: Secret
) -> None:
    """The server keeps deleted rows for as long as any transaction could still see them."""
    store, other = make_postgres(), make_postgres("other")
    secret.add(store)
    with other.snapshot():
        other.count()
        thread, receipts = erase_elsewhere(store, secret.id)
        finished = not thread.is_alive()
        left = secret.traces(server_files(postgres, make_postgres))
    thread.join()
    assert finished
    assert receipts[0].purged == (not left)
    store.close()
    with make_postgres() as store:
        assert secret.traces(server_files(postgres, make_postgres)) == set()
        assert [receipt.purged for receipt in store.receipts()] == [True]


@pytest.mark.usefixtures("impatient")
def test_an_open_reader_does_not_hang_the_eraser(make_postgres: Archives, secret: Secret) -> None:
    store = make_postgres()
    secret.add(store)
    reader = make_postgres(mode="read")
    with reader.snapshot():
        assert reader.count() == HARMLESS + 1
        thread, receipts = erase_elsewhere(store, secret.id)
        finished = not thread.is_alive()
    thread.join()
    assert finished
    assert not receipts[0].purged


# Interrupted


def interrupt(store: Store, secret: Secret, monkeypatch: pytest.MonkeyPatch) -> None:
    """Erase, but stop between the rows and the files."""

    def interrupted(self: MediaFolder, sha256: str) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(MediaFolder, "remove", interrupted)
        with pytest.raises(KeyboardInterrupt):
            store.erase([secret.id])
    assert secret.sha256 in store.media


def test_an_interrupted_erasure_is_finished_at_the_next_opening(
    make_store: Archives, secret: Secret, monkeypatch: pytest.MonkeyPatch
) -> None:
    with make_store() as store:
        secret.add(store)
        interrupt(store, secret, monkeypatch)
        assert store.get_many([secret.id]) == {}
    with make_store() as store:
        assert secret.sha256 not in store.media
        assert store.check() == []
        if make_store.backend == "sqlite":
            assert secret.traces(archive_files(make_store)) == set()


def test_a_finished_erasure_has_a_receipt_that_says_so(
    make_store: Archives, secret: Secret, monkeypatch: pytest.MonkeyPatch
) -> None:
    with make_store() as store:
        secret.add(store)
        interrupt(store, secret, monkeypatch)
    with make_store() as store:
        assert [(each.memories, each.purged) for each in store.receipts()] == [(1, True)]


def test_an_interrupted_erasure_can_be_repeated(
    make_store: Archives, secret: Secret, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = make_store()
    secret.add(store)
    interrupt(store, secret, monkeypatch)
    receipt = store.erase([secret.id])
    assert receipt.purged
    assert (receipt.memories, receipt.repeated) == (1, True)
    assert secret.sha256 not in store.media
    if make_store.backend == "sqlite":
        assert secret.traces(archive_files(make_store)) == set()


def test_a_large_rewrite_is_left_for_later_and_the_receipt_says_when_it_was_done(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (sqlite_database, postgres_database):
        monkeypatch.setattr(module, "QUICKLY_REWRITTEN", 0)
    monkeypatch.setattr(sqlite_database.SqliteDatabase, "_is_swept", lambda _: False)
    store.add([Entry(Memory("a", "note", "gone")), Entry(Memory("b", "note", "stays"))])
    receipt = store.erase(["a"])
    assert (receipt.memories, receipt.purged, receipt.finished_at) == (1, False, None)
    assert store.compact()
    [finished] = store.receipts()
    assert finished.purged
    assert finished.finished_at is not None
    assert finished.finished_at >= receipt.erased_at
    assert store.compact()  # there is nothing left to do
    assert store.receipts() == (finished,)
