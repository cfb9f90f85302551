from __future__ import annotations

import stat
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from graphmemix.store import arrays
from graphmemix.store.lexical import LexicalIndex
from graphmemix.text.postings import fingerprint
from tests.store.bm25 import ANIMALS, Document, append, indexed, triples


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    index = indexed(ANIMALS)
    index.remove([2])
    index.save(tmp_path, "key")
    return tmp_path


def files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


def test_a_saved_index_loads(saved: Path) -> None:
    index = LexicalIndex.load(saved, "key")
    assert index is not None
    assert (index.count, index.highest, index.k1, index.b) == (3, 5, 1.2, 0.75)
    left = indexed({i: d for i, d in ANIMALS.items() if i != 2})
    assert triples(index.search(["cat", "fox"])) == triples(left.search(["cat", "fox"]))


def test_parameters_are_saved(tmp_path: Path) -> None:
    LexicalIndex(k1=2, b=0.5).save(tmp_path, "key")
    index = LexicalIndex.load(tmp_path, "key")
    assert index is not None
    assert (index.k1, index.b, index.count, index.highest) == (2, 0.5, 0, 0)


def test_arrays_are_ordinary_npy_files(saved: Path) -> None:
    [path] = saved.glob("*.views.npy")
    assert np.load(path).tolist() == [1, 3, 5]


def test_files_are_for_their_owner_only(saved: Path) -> None:
    assert {stat.S_IMODE(path.stat().st_mode) for path in files(saved)} == {0o600}


def test_another_key_is_another_index(saved: Path) -> None:
    assert LexicalIndex.load(saved, "other") is None


def test_no_folder_holds_no_index(tmp_path: Path) -> None:
    assert LexicalIndex.load(tmp_path / "missing", "key") is None


def test_discarded_files_are_gone(saved: Path) -> None:
    (saved / "sidecar-1.rows").touch()
    LexicalIndex.discard(saved)
    assert [path.name for path in files(saved)] == ["sidecar-1.rows"]
    LexicalIndex.discard(saved / "missing")


def test_removed_terms_are_not_on_disk(tmp_path: Path) -> None:
    index = indexed({1: Document(1, 0, {"secret": 1}), 2: Document(2, 0, {"cat": 1})})
    index.save(tmp_path, "key")
    secret = fingerprint("secret").to_bytes(8, "little")
    assert any(secret in path.read_bytes() for path in files(tmp_path))
    index.remove([1])
    index.save(tmp_path, "key")
    assert not any(secret in path.read_bytes() for path in files(tmp_path))


def test_a_loaded_index_goes_on_after_its_files_were_replaced(saved: Path) -> None:
    reader = LexicalIndex.load(saved, "key")
    writer = LexicalIndex.load(saved, "key")
    assert reader is not None
    assert writer is not None
    before = triples(reader.search(["cat"]))
    append(writer, {6: Document(60, 0, {"cat": 1})})
    writer.save(saved, "key")
    assert triples(reader.search(["cat"])) == before
    again = LexicalIndex.load(saved, "key")
    assert again is not None
    assert again.search(["cat"]).view_ids.tolist() == [1, 6]


def test_a_failed_save_leaves_what_was_saved(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [path.name for path in files(saved)]
    write = arrays._write

    def full(path: Path, array: NDArray[np.generic]) -> object:
        if "rows" in path.name:
            raise OSError(28, "No space left on device")
        return write(path, array)

    monkeypatch.setattr(arrays, "_write", full)
    with pytest.raises(OSError, match="No space"):
        indexed({1: ANIMALS[1]}).save(saved, "key")
    assert [path.name for path in files(saved)] == names
    assert LexicalIndex.load(saved, "key") is not None


def test_leftovers_of_a_crashed_save_are_cleared(saved: Path) -> None:
    (saved / "lexical-dead.rows.npy").write_bytes(b"half")
    (saved / "lexical.manifest.new").write_bytes(b"half")
    indexed(ANIMALS).save(saved, "key")
    assert len(files(saved)) == 9
    assert LexicalIndex.load(saved, "key") is not None


def test_files_replaced_during_a_load_are_read_again(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = arrays._read_manifest
    replaced = False

    def slow(path: Path) -> arrays._Manifest | None:
        nonlocal replaced
        manifest = read(path)
        if not replaced:
            replaced = True
            indexed({1: ANIMALS[1]}).save(saved, "key")
        return manifest

    monkeypatch.setattr(arrays, "_read_manifest", slow)
    index = LexicalIndex.load(saved, "key")
    assert index is not None
    assert index.count == 1


NINE_FILES = range(9)


@pytest.mark.parametrize("number", NINE_FILES)
def test_a_missing_file_means_no_index(saved: Path, number: int) -> None:
    files(saved)[number].unlink()
    assert LexicalIndex.load(saved, "key") is None


@pytest.mark.parametrize("number", NINE_FILES)
def test_a_truncated_file_means_no_index(saved: Path, number: int) -> None:
    path = files(saved)[number]
    content = path.read_bytes()
    for length in {0, 1, len(content) // 2, len(content) - 1}:
        path.write_bytes(content[:length])
        assert LexicalIndex.load(saved, "key") is None


@pytest.mark.parametrize("number", NINE_FILES)
def test_a_longer_file_means_no_index(saved: Path, number: int) -> None:
    path = files(saved)[number]
    path.write_bytes(path.read_bytes() + b"\0")
    assert LexicalIndex.load(saved, "key") is None


@pytest.mark.parametrize("number", NINE_FILES)
def test_any_changed_byte_means_no_index(saved: Path, number: int) -> None:
    path = files(saved)[number]
    content = path.read_bytes()
    for place in range(len(content)):
        changed = bytearray(content)
        changed[place] ^= 1 << place % 8
        path.write_bytes(changed)
        assert LexicalIndex.load(saved, "key") is None, place


def test_a_folder_in_place_of_a_file_means_no_index(saved: Path) -> None:
    path = next(saved.glob("*.rows.npy"))
    path.unlink()
    path.mkdir()
    assert LexicalIndex.load(saved, "key") is None
