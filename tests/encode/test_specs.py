from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import graphmemix.encode
from graphmemix.archive import Archive
from graphmemix.encode import ClipEncoder, EndpointEncoder, HashingEncoder, MiniLmEncoder
from graphmemix.encode.packaged import FloatMultilingualEncoder, MultilingualEncoder
from graphmemix.encode.specs import KEY_VARIABLE, encoder_of
from graphmemix.errors import InvalidInputError
from graphmemix.memory import Memory
from graphmemix.settings import Settings
from tests.encode import tiny_clip


def test_the_default_is_the_packaged_encoder(tmp_path: Path) -> None:
    with Archive.open(tmp_path / "a", settings=Settings()) as archive:
        assert isinstance(archive.encoder, MultilingualEncoder)


def test_an_archive_that_was_made_with_the_english_encoder_keeps_it(tmp_path: Path) -> None:
    with Archive.open(tmp_path / "a", encoder="minilm", settings=Settings()) as archive:
        archive.add([Memory("m", "note", "The key is with Olga.")])
    with Archive.open(tmp_path / "a", settings=Settings()) as archive:
        assert isinstance(archive.encoder, MiniLmEncoder)
        assert archive.candidates("key").candidates[0].dense > 0


@pytest.mark.parametrize("spec", ["packaged", "multilingual"])
def test_an_archive_that_was_made_in_float32_keeps_its_encoder(tmp_path: Path, spec: str) -> None:
    with Archive.open(
        tmp_path / "a", encoder="multilingual:float32", settings=Settings()
    ) as archive:
        archive.add([Memory("m", "note", "The key is with Olga.")])
    with Archive.open(tmp_path / "a", encoder=spec, settings=Settings()) as archive:
        assert isinstance(archive.encoder, FloatMultilingualEncoder)
        archive.add([Memory("n", "note", "The car is with Olga.")])
        assert archive.candidates("key").candidates[0].dense > 0
    with Archive.open(tmp_path / "a", encoder=f"{spec}:int8", settings=Settings()) as archive:
        archive.reencode()
    with Archive.open(tmp_path / "a", encoder=spec, settings=Settings()) as archive:
        assert archive.encoder.identity == MultilingualEncoder.identity
        assert archive.candidates("key").candidates[0].dense > 0


def test_the_packaged_encoder_takes_no_other_options() -> None:
    with pytest.raises(
        InvalidInputError, match="takes float32, int8 or nothing after its name, not"
    ):
        encoder_of("multilingual:8")


def test_an_archive_takes_a_spec_or_an_encoder(tmp_path: Path) -> None:
    with Archive.open(tmp_path / "a", encoder="hashing:64", settings=Settings()) as archive:
        assert archive.encoder.identity == "hashing/64"
    with Archive.open(tmp_path / "a", encoder=HashingEncoder(64), settings=Settings()) as archive:
        assert archive.encoder.dimension == 64


def test_the_settings_name_the_encoder_by_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GRAPHMEMIX_ENCODER__MODEL", "hashing:16")
    monkeypatch.setenv(KEY_VARIABLE, "secret")  # is no setting
    with Archive.open(tmp_path / "a") as archive:
        assert archive.encoder.dimension == 16


def test_a_folder_with_clip(tmp_path: Path) -> None:
    folder = tiny_clip.build(tmp_path / "clip: with #?")
    spec = encoder_of(f"clip:{tiny_clip.build(tmp_path / 'clip')}")
    assert isinstance(spec, ClipEncoder)
    assert spec.sees_images
    assert spec.identity == ClipEncoder(folder).identity


def test_an_endpoint_with_its_model_and_options(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "secret")
    plain = encoder_of("endpoint:http://localhost:1/v1#org/model:8b")
    seeing = encoder_of("endpoint:http://localhost:1/v1#m?images=messages&dimensions=64")
    assert isinstance(plain, EndpointEncoder)
    assert isinstance(seeing, EndpointEncoder)
    assert not plain.sees_images
    assert seeing.sees_images
    assert "org/model:8b" in plain.identity
    assert "64" in seeing.identity
    assert "secret" not in plain.identity + repr(plain) + seeing.identity


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("", "there is no ''"),
        ("minilm:large", "takes nothing after its name"),
        ("hashing:many", "'many' is not a number of dimensions"),
        ("hashing:0", "'0' is not a number of dimensions"),
        ("clip", "write clip:FOLDER_OR_HUB_NAME"),
        ("torch:", "write torch:FOLDER_OR_HUB_NAME"),
        ("transformers", "write transformers:FOLDER_OR_HUB_NAME"),
        ("endpoint:http://localhost:1/v1", "write endpoint:http://host:8000/v1#MODEL"),
        ("endpoint:#model", "write endpoint:http://host:8000/v1#MODEL"),
        ("endpoint:http://localhost:1/v1#m?pictures=1", "no option 'pictures'"),
        ("endpoint:http://localhost:1/v1#m?images=fax", "images are sent as"),
        ("endpoint:http://localhost:1/v1#m?dimensions=-1", "'-1' is not a number of dimensions"),
    ],
)
def test_a_spec_that_makes_no_sense_is_refused_with_the_way_out(spec: str, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message.replace("?", r"\?")):
        encoder_of(spec)


def test_the_other_encoders_cost_nothing_until_they_are_named() -> None:
    script = (
        "import sys, graphmemix.encode as e;"
        "heavy = {'graphmemix.encode.clip', 'graphmemix.encode.endpoint', 'torch', 'onnxruntime'};"
        "assert not heavy & set(sys.modules); e.ClipEncoder;"
        "assert 'graphmemix.encode.clip' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_what_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Nonsense'"):
        graphmemix.encode.Nonsense  # noqa: B018
