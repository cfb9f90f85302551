"""The folder of vectors: whole or not there, one writer, damage told."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from graphmemix.encode import HashingEncoder
from graphmemix.encode.batch import Origin, VectorFolder
from graphmemix.encode.batch.contents import picture_key, text_key
from graphmemix.errors import (
    ArchiveBusyError,
    EncoderError,
    InvalidDataError,
    InvalidInputError,
    StoreError,
)

ENCODER = HashingEncoder(8)
ORIGIN = Origin("hashing/8", "hashing:8", 8, sees_images=False)
TEXTS = [f"text {i}" for i in range(5)]
KEYS = [text_key(text) for text in TEXTS]
ROWS = ENCODER.texts(TEXTS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with VectorFolder.create(tmp_path / "vectors", ORIGIN) as vectors:
        vectors.add(KEYS[:2], ROWS[:2])
        vectors.add(KEYS[2:], ROWS[2:])
    return tmp_path / "vectors"


def shards(folder: Path) -> list[Path]:
    return sorted((folder / "shards").iterdir())


def test_vectors_come_back_bit_by_bit(folder: Path) -> None:
    with VectorFolder.open(folder) as vectors:
        found = vectors.rows([*KEYS, text_key("unknown")])
        assert len(vectors) == 5
        assert vectors.origin == ORIGIN
    assert set(found) == set(KEYS)
    assert all(found[key].tobytes() == row.tobytes() for key, row in zip(KEYS, ROWS, strict=True))


def test_a_shard_is_an_array_that_numpy_reads(folder: Path) -> None:
    records = np.concatenate([np.load(path) for path in shards(folder)])
    assert {bytes(key) for key in records["key"]} == set(KEYS)
    assert records["vector"].shape == (5, 8)


def test_a_text_and_a_picture_never_share_a_key() -> None:
    assert text_key("x") != picture_key(b"x")
    assert text_key("lone \ud800") != text_key("lone ?")


def test_files_are_the_owners_only(folder: Path) -> None:
    assert {path.stat().st_mode & 0o077 for path in shards(folder)} == {0}


def test_a_lost_index_is_made_again_from_the_shards(folder: Path) -> None:
    (folder / "index.db").unlink()
    with pytest.raises(InvalidDataError, match="graphmemix encode"):
        VectorFolder.open(folder)
    with VectorFolder.create(folder, ORIGIN) as vectors:
        assert vectors.known(KEYS) == set(KEYS)


def test_a_damaged_index_says_how_to_mend_it(folder: Path) -> None:
    (folder / "index.db").write_bytes(b"no database" * 1000)
    with pytest.raises(StoreError, match=r"delete it and run `graphmemix encode`"):
        VectorFolder.create(folder, ORIGIN)


def test_a_shard_that_the_index_never_heard_of_is_taken_in(folder: Path, tmp_path: Path) -> None:
    """A crash between the two: the shard is on disk, the index is not."""
    with VectorFolder.create(tmp_path / "other", ORIGIN) as other:
        other.add([text_key("more")], ENCODER.texts(["more"]))
    (new,) = shards(tmp_path / "other")
    new.rename(folder / "shards" / new.name)
    with VectorFolder.open(folder) as vectors:
        assert not vectors.known([text_key("more")])
    with VectorFolder.create(folder, ORIGIN) as vectors:
        assert vectors.known([text_key("more")])


def test_half_a_shard_is_swept_away(folder: Path) -> None:
    """A crash while it was written."""
    (folder / "shards" / "abc.part").write_bytes(b"half")
    VectorFolder.create(folder, ORIGIN).close()
    assert len(shards(folder)) == 2


def test_a_damaged_shard_is_refused_and_once_deleted_forgotten(folder: Path) -> None:
    damaged = shards(folder)[0]
    data = bytearray(damaged.read_bytes())
    data[-1] ^= 1
    damaged.write_bytes(data)
    with VectorFolder.open(folder) as vectors, pytest.raises(EncoderError, match=damaged.name):
        vectors.rows(KEYS)
    damaged.unlink()
    with VectorFolder.create(folder, ORIGIN) as vectors:
        left = vectors.known(KEYS)
        assert 0 < len(left) < 5
        assert set(vectors.rows(KEYS)) == left


def test_vectors_of_another_encoder_are_refused(folder: Path) -> None:
    other = Origin("hashing/16", "hashing:16", 16, sees_images=False)
    with pytest.raises(InvalidInputError, match=r"'hashing/8', not of 'hashing/16'; name another"):
        VectorFolder.create(folder, other)
    VectorFolder.create(folder, ORIGIN).close()  # the refusal left it free and as it was


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "diary.txt").write_text("dear diary")
    with pytest.raises(InvalidInputError, match="holds other files"):
        VectorFolder.create(tmp_path, ORIGIN)
    assert [path.name for path in tmp_path.iterdir()] == ["diary.txt"]
    with pytest.raises(InvalidDataError, match=r"no manifest\.json"):
        VectorFolder.open(tmp_path)


def test_a_newer_format_is_refused(folder: Path) -> None:
    manifest = folder / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"format":1', '"format":2'))
    with pytest.raises(InvalidDataError, match="format 2"):
        VectorFolder.open(folder)


def test_one_process_writes(folder: Path) -> None:
    with (
        VectorFolder.create(folder, ORIGIN),
        pytest.raises(ArchiveBusyError),
    ):
        VectorFolder.create(folder, ORIGIN)


@pytest.mark.parametrize("rows", [ROWS[:1], ROWS[:2, :4], np.full((2, 8), np.nan, np.float32)])
def test_what_is_no_vector_is_not_kept(folder: Path, rows: np.ndarray) -> None:
    with VectorFolder.create(folder, ORIGIN) as vectors:
        with pytest.raises(InvalidDataError, match="not finite"):
            vectors.add([text_key("a"), text_key("b")], rows)
        assert len(vectors) == 5
