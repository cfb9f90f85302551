from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmemix.encode.hashing import HashingEncoder
from graphmemix.encode.protocol import Encoder
from graphmemix.errors import EncoderError


def test_keeps_the_contract_of_encoders() -> None:
    contract: Encoder = HashingEncoder(64)
    rows = contract.texts(["spare key", "", "?!"])
    assert rows.shape == (3, contract.dimension) == (3, 64)
    assert rows.dtype == np.float32
    assert contract.identity == "hashing/64"
    with pytest.raises(EncoderError, match="does not see images"):
        contract.images([b"picture"])


@given(st.lists(st.text(max_size=40), max_size=4))
def test_every_text_has_a_unit_vector_that_no_other_text_changes(texts: list[str]) -> None:
    encoder = HashingEncoder(32)
    rows = encoder.texts(texts)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(len(texts)), abs=1e-5)
    for row, text in zip(rows, texts, strict=True):
        assert row.tobytes() == HashingEncoder(32).texts([text])[0].tobytes()


def test_texts_that_share_words_are_nearer() -> None:
    key, spare, cat = HashingEncoder().texts(["the spare key", "a spare key", "cat food"])
    assert key @ spare > 0.5 > key @ cat


def test_order_and_case_do_not_count() -> None:
    one, other = HashingEncoder().texts(["Spare key", "KEY spare"])
    assert float(one @ other) == pytest.approx(1.0, abs=1e-6)


def test_progress_counts_texts() -> None:
    told: list[tuple[int, int]] = []
    HashingEncoder().texts(["a", "b"], progress=lambda done, every: told.append((done, every)))
    assert told == [(1, 2), (2, 2)]
