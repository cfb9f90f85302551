from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from graphmemix.store import sidecar
from graphmemix.store.sidecar import Sidecar
from tests.store.rows import KEY, Floats, Table, check, grow, made_up, shrink, unit

# Files


def same(made: Sidecar, table: Table) -> bool:
    """Whether the live rows of a sidecar are exactly those of a table."""
    found, owners = made.candidates(unit(np.ones(made.dimension)), 10**6)
    views, vectors = made.rows_of(np.arange(made.highest + 1))
    return (
        np.array_equal(found, table.views)
        and np.array_equal(owners, table.owners)
        and np.array_equal(vectors[np.isin(views, found)], table.vectors.astype(np.float16))
    )


def vector_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("sidecar-*"))


class Interleaving(RuleBasedStateMachine):
    """Any order of changes, saves, loads and searches."""

    def __init__(self) -> None:
        super().__init__()
        self.place = tempfile.TemporaryDirectory()
        self.folder = Path(self.place.name) / "cache"
        self.made = Sidecar.empty(KEY, 6)
        self.table = Table(6)
        self.saved = (Table(6), 0, 0)
        self.reader: tuple[Sidecar, Table] | None = None

    def teardown(self) -> None:
        self.place.cleanup()

    @rule(rows=st.integers(0, 30), seed=st.integers(0, 1000))
    def append(self, rows: int, seed: int) -> None:
        grow(self.made, self.table, rows, seed=seed)
        self.made.change += 1

    @rule(share=st.sampled_from([0.0, 0.1, 0.4]), seed=st.integers(0, 1000))
    def remove(self, share: float, seed: int) -> None:
        gone = self.table.views[np.random.default_rng(seed).random(len(self.table.views)) < share]
        shrink(self.made, self.table, gone)
        self.made.change += 1

    @rule(compact=st.booleans())
    def save(self, compact: bool) -> None:
        if compact:
            self.made.compact(self.folder)
        else:
            self.made.save(self.folder)
        self.saved = (self.table.copy(), self.made.highest, self.made.change)

    @rule()
    def load(self) -> None:
        self.made = Sidecar.load(self.folder, KEY, 6)
        self.table = self.saved[0].copy()
        assert (self.made.highest, self.made.change) == self.saved[1:]

    @rule()
    def read(self) -> None:
        self.reader = Sidecar.load(self.folder, KEY, 6), self.saved[0].copy()

    @precondition(lambda self: self.reader is not None)
    @rule()
    def reader_is_undisturbed(self) -> None:
        assert self.reader is not None
        assert same(*self.reader)

    @invariant()
    def holds_the_same(self) -> None:
        assert self.made.count == len(self.table.views)
        assert same(self.made, self.table)
        check(self.made, self.table, unit(np.arange(1.0, 7.0)), 3)


Interleaving.TestCase.settings = settings(
    max_examples=settings().max_examples, stateful_step_count=15, deadline=None
)
TestInterleaving = Interleaving.TestCase


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sidecar, "_BLOCK", 16)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("steps", [[16, 16], [1, 14, 1, 1], [5, 40, 0, 100], [0], [32, 0, 1]])
def test_checksums_go_on_where_the_last_save_stopped(tmp_path: Path, steps: list[int]) -> None:
    table, made = Table(4), Sidecar.empty(KEY, 4)
    for seed, rows in enumerate(steps):
        grow(made, table, rows, seed=seed)
        made.save(tmp_path)
        made = Sidecar.load(tmp_path, KEY, 4)
        assert same(made, table)


def test_save_adds_to_the_files(tmp_path: Path) -> None:
    table = made_up(100, 4)
    made = table.filled()
    made.save(tmp_path)
    files = {path: (path.stat().st_ino, path.read_bytes()) for path in vector_files(tmp_path)}
    made.append(table.views + made.highest, table.owners, table.kinds, table.vectors)
    made.save(tmp_path)
    for path, (inode, before) in files.items():
        assert path.stat().st_ino == inode
        assert path.read_bytes()[: len(before)] == before
        assert path.stat().st_size == 2 * len(before)


def test_save_rewrites_when_much_is_removed(tmp_path: Path) -> None:
    table = made_up(100, 4)
    made = table.filled()
    made.save(tmp_path)
    files = vector_files(tmp_path)
    made.remove(table.views[:25])
    made.save(tmp_path)
    assert vector_files(tmp_path) == files
    made.remove(table.views[25:26])
    made.save(tmp_path)
    assert not set(files) & set(vector_files(tmp_path))
    table.drop(table.views[:26])
    assert same(Sidecar.load(tmp_path, KEY, 4), table)


def test_files_are_private(tmp_path: Path) -> None:
    made_up(10, 4).filled().save(tmp_path / "cache")
    for path in (tmp_path / "cache").iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "cache").stat().st_mode) == 0o700


def test_other_keys_and_dimensions_are_not_loaded(tmp_path: Path) -> None:
    made_up(10, 4).filled().save(tmp_path)
    assert Sidecar.load(tmp_path, "another", 4).count == 0
    assert Sidecar.load(tmp_path, KEY, 5).count == 0
    assert Sidecar.load(tmp_path, KEY, 4).count == 10


def test_the_highest_view_is_remembered_when_it_is_gone(tmp_path: Path) -> None:
    table = made_up(10, 4)
    made = table.filled()
    made.remove(table.views[-3:])
    made.change = 42
    made.compact(tmp_path)
    loaded = Sidecar.load(tmp_path, KEY, 4)
    assert (loaded.count, loaded.highest, loaded.change) == (7, table.views[-1], 42)


def test_discard_removes_the_files_and_no_others(tmp_path: Path) -> None:
    (tmp_path / "words.idx").write_bytes(b"1")
    made_up(10, 4).filled().save(tmp_path)
    Sidecar.discard(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["words.idx"]
    Sidecar.discard(tmp_path / "missing")


# Erasing


def on_disk(folder: Path, vectors: Floats) -> list[bool]:
    """Whether the bytes of each vector are in any file."""
    content = b"".join(path.read_bytes() for path in folder.iterdir())
    return [vector.tobytes() in content for vector in vectors.astype(np.float16)]


def test_removed_rows_are_gone_from_disk_after_compact(tmp_path: Path) -> None:
    table = Table(16)
    vectors = unit(np.random.default_rng(0).standard_normal((60, 16)))
    table.add(np.arange(1, 61), np.arange(60), np.zeros(60), vectors)
    made = table.filled()
    made.save(tmp_path)
    (tmp_path / "words.idx").write_bytes(b"not ours")
    orphan = tmp_path / "sidecar-0123456789abcdef.vectors"  # of a crash
    orphan.write_bytes(vectors.astype(np.float16).tobytes())
    made.remove(np.array([3, 60]))
    made.save(tmp_path)
    assert all(on_disk(tmp_path, vectors))
    made.compact(tmp_path)
    assert on_disk(tmp_path, vectors) == [view not in {3, 60} for view in range(1, 61)]
    assert (tmp_path / "words.idx").exists()
    table.drop(np.array([3, 60]))
    assert same(made, table)
    assert same(Sidecar.load(tmp_path, KEY, 16), table)


# Damage


def truncate(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def flip(place: float) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        content = bytearray(path.read_bytes())
        content[int(place * (len(content) - 1))] ^= 1
        path.write_bytes(content)

    return damage


def garbage(path: Path) -> None:
    path.write_bytes(b"\xff\x00{]")


DAMAGES: list[Callable[[Path], object]] = [
    truncate,
    flip(0),
    flip(0.5),
    flip(1),
    garbage,
    Path.unlink,
]


@pytest.mark.parametrize("pattern", ["*.vectors", "*.rows", "*.manifest"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_loads_as_empty_and_is_overwritten(
    tmp_path: Path, pattern: str, damage: Callable[[Path], object]
) -> None:
    table = made_up(200, 8)
    table.filled().save(tmp_path)
    [path] = tmp_path.glob(pattern)
    damage(path)
    made = Sidecar.load(tmp_path, KEY, 8)
    assert (made.count, made.highest, made.change) == (0, 0, 0)
    made.append(table.views, table.owners, table.kinds, table.vectors)
    made.save(tmp_path)
    assert same(Sidecar.load(tmp_path, KEY, 8), table)
    assert len(vector_files(tmp_path)) == 2


def test_no_flipped_bit_of_a_manifest_gives_wrong_rows(tmp_path: Path) -> None:
    table = made_up(20, 4)
    made = table.filled()
    made.change = 7
    made.save(tmp_path)
    shrink(made, table, table.views[:2])
    made.save(tmp_path)
    manifest = tmp_path / "sidecar.manifest"
    whole = manifest.read_bytes()
    for place in range(len(whole)):
        for bit in (1, 32):
            content = bytearray(whole)
            content[place] ^= bit
            manifest.write_bytes(content)
            loaded = Sidecar.load(tmp_path, KEY, 4)
            assert loaded.count == 0 or (same(loaded, table) and loaded.change == 7)


@pytest.mark.parametrize("content", [b"", b"\n", b"{}", b"0\n", b"00000000\n", b"d202ef8d\n\x00"])
def test_strange_manifests_load_as_empty(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "sidecar.manifest").write_bytes(content)
    assert Sidecar.load(tmp_path, KEY, 4).count == 0


def test_a_place_that_cannot_be_read_loads_as_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_up(10, 4).filled().save(tmp_path)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError

    assert Sidecar.load(tmp_path / "missing", KEY, 4).count == 0
    assert Sidecar.load(tmp_path / "sidecar.manifest", KEY, 4).count == 0
    with monkeypatch.context() as patch:
        patch.setattr(np, "memmap", refuse)
        assert Sidecar.load(tmp_path, KEY, 4).count == 0
    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert Sidecar.load(tmp_path, KEY, 4).count == 0


def test_files_that_vanish_while_they_are_mapped_are_written_again(tmp_path: Path) -> None:
    table = made_up(100, 8)
    table.filled().save(tmp_path)
    for gone in (["*.vectors"], ["*.rows"], ["*.manifest"], ["*"]):
        made = Sidecar.load(tmp_path, KEY, 8)
        for path in [path for pattern in gone for path in tmp_path.glob(pattern)]:
            path.unlink()
        made.save(tmp_path)
        assert same(made, table)
        assert same(Sidecar.load(tmp_path, KEY, 8), table)


# Crashes, and several processes


class Crash(BaseException):
    """The process ends here: nothing may catch it and tidy up."""


def crash_at(patch: pytest.MonkeyPatch, step: int, error: type[BaseException]) -> None:
    """Make the given one of all the steps that touch the disk fail."""
    steps = 0

    def failing(real: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **named: object) -> object:
            nonlocal steps
            steps += 1
            if steps == step:
                raise error
            return real(*arguments, **named)

        return call

    for owner, name in (
        (sidecar, "open_binary"),
        (sidecar, "write_whole"),
        (sidecar, "_overwrite"),
        (sidecar, "_map"),
        (Path, "replace"),
        (Path, "unlink"),
    ):
        patch.setattr(owner, name, failing(getattr(owner, name)))


@pytest.mark.parametrize("error", [Crash, OSError])
@pytest.mark.parametrize("compact", [False, True])
def test_a_crash_leaves_the_old_or_the_new_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException], compact: bool
) -> None:
    for step in range(1, 30):
        folder = tmp_path / str(step)
        old = made_up(60, 8)
        made = old.filled()
        made.save(folder)
        new = old.copy()
        grow(made, new, 30)
        shrink(made, new, old.views[:5])
        with monkeypatch.context() as patch:
            crash_at(patch, step, error)
            try:
                (made.compact if compact else made.save)(folder)
            except error:
                pass
            else:
                break
        loaded = Sidecar.load(folder, KEY, 8)
        assert same(loaded, old) or same(loaded, new)
        assert same(made, new)  # what is in memory is never lost
        loaded.remove(np.array([0]))
        loaded.save(folder)
        made.compact(folder)  # as after any failure, it can be done again
        assert same(Sidecar.load(folder, KEY, 8), new)
        assert len(vector_files(folder)) == 2
    else:
        pytest.fail("it never got through")


def test_a_failed_compact_leaves_no_second_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = made_up(60, 8).filled()
    made.save(tmp_path)
    files = vector_files(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "full")))
        with pytest.raises(OSError, match="full"):
            made.compact(tmp_path)
    assert vector_files(tmp_path) == files


def test_an_old_mapping_stays_valid(tmp_path: Path) -> None:
    old = made_up(500, 8)
    made = old.filled()
    made.save(tmp_path)
    reader = Sidecar.load(tmp_path, KEY, 8)
    grow(made, old.copy(), 300)
    made.save(tmp_path)
    assert same(reader, old)
    made.remove(old.views[:100])
    made.compact(tmp_path)
    made.remove(made.candidates(unit(np.ones(8)), 10**6)[0])
    made.save(tmp_path)
    assert same(reader, old)
    check(reader, old, old.vectors[9], 20)


def test_a_writer_with_old_news_does_not_write_under_a_reader(tmp_path: Path) -> None:
    start = made_up(50, 8)
    start.filled().save(tmp_path)
    first, second = (Sidecar.load(tmp_path, KEY, 8) for _ in range(2))
    tables = []
    for seed, made in enumerate((first, second)):
        tables.append(start.copy())
        grow(made, tables[-1], 20, seed=5 + seed)
    first.save(tmp_path)
    reader = Sidecar.load(tmp_path, KEY, 8)
    second.save(tmp_path)
    assert same(reader, tables[0])
    assert same(Sidecar.load(tmp_path, KEY, 8), tables[1])


def test_a_reader_that_meets_a_compaction_looks_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = made_up(50, 8)
    made = table.filled()
    made.save(tmp_path)
    real = sidecar._read_manifest
    met: list[bool] = []

    def read(folder: Path) -> object:
        manifest = real(folder)
        if not met:
            met.append(True)
            made.compact(folder)
        return manifest

    monkeypatch.setattr(sidecar, "_read_manifest", read)
    assert same(Sidecar.load(tmp_path, KEY, 8), table)
