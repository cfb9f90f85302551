"""The sidecar: the same answers as a full float32 scan, and nothing wrong from a bad cache."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from numpy.typing import ArrayLike, NDArray

from graphmemix.errors import InvalidDataError
from graphmemix.store import rescore, scan, sidecar
from graphmemix.store.scan import Kernel, fastest_kernel, numpy_kernel, simsimd_kernel
from graphmemix.store.sidecar import Sidecar

Floats: TypeAlias = NDArray[np.float32]
Integers: TypeAlias = NDArray[np.int64]
Search: TypeAlias = "tuple[Table, Floats, int, list[int] | None, list[int] | None]"

KEY = "archive/encoder"


def noisy_kernel(query: Floats, rows: NDArray[np.float16], scores: Floats) -> None:
    """Be as wrong as `ERROR` allows for rows that need no rounding."""
    numpy_kernel(query, rows, scores)
    noise = np.random.default_rng(len(rows)).choice([-0.98, 0.98], len(rows)) * rescore.ERROR
    scores += noise.astype(np.float32)


def half_kernel(query: Floats, rows: NDArray[np.float16], scores: Floats) -> None:
    """Sum in float16, in 32 lanes, as AVX512-FP16 does in simsimd 6."""
    lanes = np.zeros((len(rows), 32), np.float16)
    for start in range(0, rows.shape[1], 32):
        part = slice(start, start + 32)
        lanes += rows[:, part] * query[part].astype(np.float16)
    scores[:] = lanes.sum(axis=1, dtype=np.float16)


KERNELS: list[Kernel] = [simsimd_kernel, numpy_kernel]


def unit(rows: NDArray[np.floating]) -> Floats:
    result: Floats = (rows / np.linalg.norm(rows, axis=-1, keepdims=True)).astype(np.float32)
    return result


class Table:
    """What the database would hold: the truth that the sidecar is compared with."""

    def __init__(self, dimension: int) -> None:
        self.views = np.empty(0, np.int64)
        self.owners = np.empty(0, np.int64)
        self.kinds = np.empty(0, np.uint8)
        self.vectors = np.empty((0, dimension), np.float32)

    def add(self, views: Integers, owners: Integers, kinds: ArrayLike, vectors: Floats) -> None:
        self.views = np.concatenate([self.views, views])
        self.owners = np.concatenate([self.owners, owners])
        self.kinds = np.concatenate([self.kinds, np.asarray(kinds, np.uint8)])
        self.vectors = np.concatenate([self.vectors, vectors])

    def drop(self, views: Integers) -> None:
        self.keep(~np.isin(self.views, views))

    def keep(self, mask: NDArray[np.bool_]) -> None:
        self.views, self.owners = self.views[mask], self.owners[mask]
        self.kinds, self.vectors = self.kinds[mask], self.vectors[mask]

    def copy(self) -> Table:
        other = Table(self.vectors.shape[1])
        other.add(self.views, self.owners, self.kinds, self.vectors)
        return other

    def best(self, query: Floats, limit: int) -> list[tuple[float, int, int]]:
        """Return score, owner and best view of the best owners; ties to the lower number."""
        best: dict[int, tuple[float, int, int]] = {}
        scores = rescore.scores(self.vectors, query).tolist()
        for score, owner, view in zip(
            scores, self.owners.tolist(), self.views.tolist(), strict=True
        ):
            found = (-score, owner, view)
            best[owner] = min(found, best.get(owner, found))
        return sorted(best.values())[:limit]

    def filled(self, kernel: Kernel | None = None) -> Sidecar:
        """Return a new sidecar with these rows."""
        made = Sidecar.empty(KEY, self.vectors.shape[1], kernel=kernel)
        made.append(self.views, self.owners, self.kinds, self.vectors)
        return made


def check(
    made: Sidecar,
    table: Table,
    query: Floats,
    limit: int,
    *,
    kinds: Sequence[int] | None = None,
    allowed: Integers | None = None,
) -> int:
    """Compare a search with the full scan; return how many candidates there were."""
    views, owners = made.candidates(query, limit, kinds=kinds, allowed=allowed)
    truth = table.copy()
    if kinds is not None:
        truth.keep(np.isin(truth.kinds, kinds))
    if allowed is not None:
        truth.keep(np.isin(truth.owners, allowed))
    found = truth.copy()
    found.keep(np.isin(found.views, views))
    assert found.views.tolist() == sorted(views.tolist())  # each once, none that should not be
    assert dict(zip(found.views.tolist(), found.owners.tolist(), strict=True)) == dict(
        zip(views.tolist(), owners.tolist(), strict=True)
    )
    assert found.best(query, limit) == truth.best(query, limit)
    if len(set(truth.owners.tolist())) < limit:
        assert len(views) == len(truth.views)
    return len(views)


def made_up(rows: int, dimension: int, *, seed: int = 0, spread: float = 0.3) -> Table:
    """Return clustered rows: near duplicates, exact duplicates, several views per owner."""
    random = np.random.default_rng(seed)
    centres = random.standard_normal((max(2, rows // 100), dimension))
    places = np.sort(random.integers(0, len(centres), rows))
    vectors = unit(centres[places] + spread * random.standard_normal((rows, dimension)))
    copies = random.integers(0, rows, rows // 5)
    vectors[random.integers(0, rows, rows // 5)] = vectors[copies]
    views = np.cumsum(random.integers(1, 4, rows))
    table = Table(dimension)
    table.add(views, np.arange(rows) // 3, random.integers(0, 4, rows), vectors)
    return table


def grow(made: Sidecar, table: Table, rows: int, *, seed: int = 1) -> None:
    """Append the same new rows to both."""
    more = made_up(rows + 1, made.dimension, seed=seed)
    more.keep(np.arange(rows + 1) < rows)
    more.views += made.highest
    made.append(more.views, more.owners, more.kinds, more.vectors)
    table.add(more.views, more.owners, more.kinds, more.vectors)


def shrink(made: Sidecar, table: Table, views: Integers) -> None:
    """Remove the same views from both."""
    made.remove(views)
    table.drop(views)


# Search


@st.composite
def searches(draw: st.DrawFn) -> Search:
    """Rows of few directions, apart by about the error of the scan, so that the cut is tight."""
    dimension = draw(st.integers(2, 9))
    rows = draw(st.integers(0, 40))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    directions = random.standard_normal((draw(st.integers(1, 4)), dimension))
    spread = draw(st.sampled_from([0.0, 1e-4, 1e-3, 0.3]))
    vectors = directions[random.integers(0, len(directions), rows)]
    table = Table(dimension)
    table.add(
        np.cumsum(random.integers(1, 3, rows)),
        random.integers(0, draw(st.integers(1, 30)), rows),
        random.integers(0, 3, rows),
        unit(vectors + spread * random.standard_normal((rows, dimension))),
    )
    query = unit(directions[0] + draw(st.sampled_from([0, 0.5])) * directions[-1][::-1])
    kinds = draw(st.none() | st.lists(st.integers(0, 3), max_size=3))
    allowed = draw(st.none() | st.lists(st.integers(0, 30), unique=True))
    return table, query, draw(st.integers(1, 12)), kinds, allowed


@pytest.mark.parametrize("kernel", KERNELS)
@given(searches())
@settings(max_examples=150, deadline=None)
def test_candidates_hold_all_that_the_exact_ranking_needs(kernel: Kernel, search: Search) -> None:
    table, query, limit, kinds, allowed = search
    owners = None if allowed is None else np.array(sorted(allowed), np.int64)
    check(table.filled(kernel), table, query, limit, kinds=kinds, allowed=owners)


@given(searches())
@settings(max_examples=300, deadline=None)
def test_candidates_are_enough_for_the_worst_kernel(search: Search) -> None:
    table, query, limit, _, _ = search
    table.vectors = table.vectors.astype(np.float16).astype(np.float32)
    check(table.filled(noisy_kernel), table, query, limit)


@given(searches())
@settings(max_examples=300, deadline=None)
def test_candidates_are_the_rows_within_the_margin(search: Search) -> None:
    table, query, limit, _, _ = search
    scores = np.empty(len(table.views), np.float32)
    numpy_kernel(query, table.vectors.astype(np.float16), scores)
    best = sorted(
        (scores[table.owners == owner].max() for owner in set(table.owners)), reverse=True
    )
    cut = best[limit - 1] - 2 * rescore.ERROR if limit <= len(best) else -2
    views, _ = table.filled(numpy_kernel).candidates(query, limit)
    assert views.tolist() == table.views[scores >= cut].tolist()


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("limit", [1, 10, 200])
def test_candidates_on_clustered_data(kernel: Kernel, limit: int) -> None:
    table = made_up(12_000, 16)
    made = table.filled(kernel)
    random = np.random.default_rng(1)
    for query in unit(random.standard_normal((3, 16)) + table.vectors[:3]):
        assert check(made, table, query, limit) < 2_000
        check(made, table, query, limit, kinds=[1, 3])
        for share in (0.01, 0.3, 0.9):  # copied out, and scanned with the others
            allowed = np.flatnonzero(random.random(4_000) < share)
            check(made, table, query, limit, allowed=allowed)
            check(made, table, query, limit, kinds=[2], allowed=allowed)


def test_both_kernels_give_the_same_final_ranking() -> None:
    table = made_up(5_000, 32)
    query = table.vectors[77]
    for kernel in (simsimd_kernel, numpy_kernel):
        views, _ = table.filled(kernel).candidates(query, 50)
        found = table.copy()
        found.keep(np.isin(found.views, views))
        assert found.best(query, 50) == table.best(query, 50)


def test_the_margin_counts_from_the_last_wanted_owner() -> None:
    scores = 0.5 - rescore.ERROR * np.array([0.0] * 20 + [1.5, 3.0, 4.0])
    table = Table(2)
    table.add(
        np.arange(1, 24),
        np.array([0] * 20 + [1, 2, 3]),
        np.zeros(23),
        np.stack([scores, np.sqrt(1 - scores**2)], axis=1).astype(np.float32),
    )
    assert check(table.filled(), table, np.array([1, 0], np.float32), 2) == 22


def test_rows_of_one_owner_do_not_hide_the_others() -> None:
    table = made_up(9_000, 16)
    query = table.vectors[0]
    crowd = unit(query + 1e-3 * np.random.default_rng(2).standard_normal((6_000, 16)))
    table.add(
        table.views[-1] + 1 + np.arange(6_000), np.full(6_000, 99_999), crowd[:, 0] > 0, crowd
    )
    check(table.filled(), table, query, 20)


def test_equal_vectors_are_all_returned() -> None:
    table = Table(4)
    rows = 20_000
    table.add(np.arange(1, rows + 1), np.arange(rows), np.zeros(rows), np.full((rows, 4), 0.5, "f"))
    assert check(table.filled(), table, table.vectors[0], 5) == rows


def test_owner_numbers_may_be_far_apart() -> None:
    table = made_up(300, 8)
    table.owners *= 10**12
    check(table.filled(), table, table.vectors[5], 10, allowed=np.unique(table.owners)[::2])


def test_removed_rows_are_not_found() -> None:
    table = made_up(6_000, 16)
    made = table.filled()
    absent = np.setdiff1d(np.arange(table.views[-1] + 9), table.views)
    for gone in (absent, table.views[::7], table.views[:50]):
        shrink(made, table, gone)
        check(made, table, table.vectors[3], 100)
        check(made, table, table.vectors[3], 100, kinds=[0, 1])
        assert made.count == len(table.views)


def test_a_search_for_none_or_in_nothing_is_harmless() -> None:
    made = Sidecar.empty(KEY, 8)
    query = unit(np.ones(8))
    assert made.candidates(query, 10)[0].size == 0
    assert made.candidates(query, 10, kinds=[1], allowed=np.array([1]))[0].size == 0
    made.remove(np.array([1, 2]))
    table = made_up(50, 8)
    made = table.filled()
    made.candidates(query, 0)
    assert made.candidates(query, 10, kinds=[])[0].size == 0
    assert made.candidates(query, 10, allowed=np.empty(0, np.int64))[0].size == 0
    made.remove(table.views)
    assert made.candidates(query, 10)[0].size == 0
    assert made.count == 0


# Kernels


@pytest.mark.parametrize("kernel", [simsimd_kernel, numpy_kernel])
@pytest.mark.parametrize("dimension", [1, 3, 384, 1030])
def test_kernels_stay_within_the_error(kernel: Kernel, dimension: int) -> None:
    random = np.random.default_rng(3)
    sizes = 10.0 ** random.integers(-6, 1, dimension)  # some are subnormal in float16
    rows = unit(random.standard_normal((3_000, dimension)) * sizes)
    scores = np.empty(len(rows), np.float32)
    kernel(rows[0], rows.astype(np.float16), scores)
    assert np.abs(scores - rescore.scores(rows, rows[0])).max() < rescore.ERROR


def test_numpy_kernel_knows_every_float16() -> None:
    every = np.arange(2**16, dtype=np.uint16).view(np.float16)
    every = every[np.isfinite(every)][:, None]
    scores = np.empty(len(every), np.float32)
    numpy_kernel(np.ones(1, np.float32), every, scores)
    assert np.array_equal(scores, every[:, 0].astype(np.float32))


def test_a_kernel_that_sums_in_float16_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "simsimd_kernel", half_kernel)
    assert fastest_kernel.__wrapped__() is numpy_kernel


def test_simsimd_is_optional(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "simsimd", None)
    assert fastest_kernel.__wrapped__() is numpy_kernel


# Rows


def test_append_refuses_what_does_not_fit() -> None:
    made = made_up(10, 4).filled()
    good = made.highest + 1
    vector = unit(np.ones((1, 4)))

    def append(view: int, owner: int, kinds: int, vectors: Floats) -> None:
        made.append(np.array([view]), np.array([owner]), np.zeros(kinds, np.uint8), vectors)

    for wrong in (
        (made.highest, 1, 1, vector),
        (good, -1, 1, vector),
        (good, 1, 2, vector),
        (good, 1, 1, unit(np.ones((1, 5)))),
        (good, 1, 1, unit(np.ones((2, 4)))),
        (good, 1, 1, vector * np.float32(2)),
        (good, 1, 1, vector * np.float32(np.nan)),
    ):
        with pytest.raises(InvalidDataError):
            append(*wrong)
    assert (made.count, made.highest) == (10, good - 1)
    append(good, 1, 1, vector)
    assert (made.count, made.highest) == (11, good)


def test_a_save_is_worth_it_after_many_rows(tmp_path: Path) -> None:
    table = made_up(5_000, 4)
    made = table.filled()
    assert made.should_save
    made.save(tmp_path)
    assert not made.should_save


def test_rows_can_be_looked_at(tmp_path: Path) -> None:
    table = made_up(100, 8)
    made = table.filled()
    made.save(tmp_path)
    grow(made, table, 50)
    views, vectors = made.rows(90, 10**6)
    assert len(made) == 150
    assert views.tolist() == table.views[90:].tolist()
    assert np.array_equal(vectors, table.vectors[90:].astype(np.float16))


# Files


def same(made: Sidecar, table: Table) -> bool:
    """Whether the live rows of a sidecar are exactly those of a table."""
    found, owners = made.candidates(unit(np.ones(made.dimension)), 10**6)
    views, vectors = made.rows(0, len(made))
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


Interleaving.TestCase.settings = settings(max_examples=60, stateful_step_count=15, deadline=None)
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
        (sidecar, "_create"),
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
