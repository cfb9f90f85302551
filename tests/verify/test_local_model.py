from __future__ import annotations

import json
from pathlib import Path

import pytest

from graphmemix.archive import Archive
from graphmemix.encode.minilm import MiniLmEncoder
from graphmemix.errors import (
    InvalidDataError,
    InvalidInputError,
)
from graphmemix.settings import Settings
from graphmemix.verify.features import NODE, PAIR, WHOLE
from graphmemix.verify.local_model import LocalModel, load_model, shipped_model
from tests.answering import HOUSEHOLD
from tests.verify.local_cases import (
    hand_model,
    plain_model,
)


def test_the_packaged_coefficients_are_for_the_packaged_encoder_and_name_their_origin() -> None:
    model = shipped_model(MiniLmEncoder().identity)
    assert model.encoder == MiniLmEncoder().identity
    assert list(model.node.weights) == list(NODE)
    assert list(model.pair.weights) == list(PAIR)
    assert model.answerable is not None
    assert list(model.answerable.weights) == list(WHOLE)
    origin = model.origin
    assert set(origin.contexts) == {"mem-gallery", "locomo"}
    contexts = [name for names in origin.contexts.values() for name in names]
    assert len(origin.fingerprints) == len(contexts) > 10
    assert origin.questions > 1000
    assert (
        origin.validation["mem-gallery.forest.all_at_10"]
        > (origin.validation["mem-gallery.top_k.all_at_10"])
    )


def test_a_question_about_nothing_in_the_archive_has_little_chance(tmp_path: Path) -> None:
    with Archive.open(tmp_path / "a", settings=Settings()) as archive:
        archive.add(HOUSEHOLD)
        chances = [
            archive.recall(question).answerable or 0.0
            for question in ("Where is the tent?", "What is the capital of Peru?", "xyzzy")
        ]
    assert chances[0] > 0.6
    assert max(chances[1:]) < 0.3


def test_another_encoder_falls_back_to_them() -> None:
    fallback = shipped_model("someone-elses/1")
    assert fallback == shipped_model(MiniLmEncoder().identity)
    assert fallback.encoder != "someone-elses/1"  # so that a caller can tell


def test_a_file_says_what_was_saved_and_people_can_read_it(tmp_path: Path) -> None:
    hand_model().save(tmp_path / "m.json")
    assert load_model(tmp_path / "m.json") == hand_model()
    text = (tmp_path / "m.json").read_text()
    assert text.count("\n") > 100
    assert json.loads(text)["node"]["weights"]["word_share"]["weight"] == 4.0


def test_the_digest_names_the_coefficients(tmp_path: Path) -> None:
    model = hand_model()
    model.save(tmp_path / "m.json")
    assert load_model(tmp_path / "m.json").digest == model.digest == hand_model().digest
    assert model.digest != hand_model(answerable=False).digest
    assert len(model.digest) == 12


@pytest.mark.parametrize("name", ["node", "pair", "answerable"])
def test_coefficients_of_other_features_are_refused(name: str) -> None:
    models = {
        "node": plain_model([*NODE]),
        "pair": plain_model([*PAIR]),
        "answerable": plain_model([*WHOLE]),
    }
    models[name] = plain_model(["other"])
    with pytest.raises(InvalidDataError, match=f"{name}: was fitted with other features"):
        LocalModel("x", models["node"], models["pair"], models["answerable"])


def test_features_in_another_order_are_other_features() -> None:
    with pytest.raises(InvalidDataError, match="other features"):
        LocalModel("x", plain_model([*reversed(NODE)]), plain_model([*PAIR]))


@pytest.mark.parametrize("content", [b"{}", b"\xff", b'{"encoder": 1}'])
def test_a_file_that_is_no_model_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "m.json").write_bytes(content)
    with pytest.raises(InvalidInputError, match=r"m\.json: "):
        load_model(tmp_path / "m.json")


def test_a_file_of_an_older_version_is_named_too(tmp_path: Path) -> None:
    told = json.loads(hand_model().to_json())
    del told["node"]["weights"]["seed"]
    (tmp_path / "m.json").write_text(json.dumps(told))
    with pytest.raises(InvalidInputError, match=r"m\.json: .*fit it again"):
        load_model(tmp_path / "m.json")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"none\.json: No such file"):
        load_model(tmp_path / "none.json")


def test_a_model_that_cannot_be_saved_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError) as caught:
        hand_model().save(tmp_path / "no" / "m.json")
    assert str(caught.value) == f"{tmp_path / 'no' / 'm.json'}: No such file or directory"
