from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
from PIL import Image, ImageDraw, ImageFont

from graphmemix.archive import Archive
from graphmemix.memory import Media, Memory, Place
from tests.cli.commands import Ran, run


@pytest.fixture
def family(home: Path, tmp_path: Path) -> Path:
    """An archive with a photo of a sign, taken in Munich."""
    image = Image.new("RGB", (640, 200), "white")
    ImageDraw.Draw(image).text((60, 70), "BAKERY LINDEN", "black", ImageFont.load_default(48))
    image.save(tmp_path / "sign.png")
    with Archive.open(tmp_path / "family") as archive:
        stored = archive.media.put(tmp_path / "sign.png")
        medium = Media("image", stored.sha256, "image/png", "sign.png")
        archive.add([Memory.new("photo", media=(medium,), place=Place("", 48.1374, 11.5755))])
    return tmp_path / "family"


def describe(family: Path, *options: str) -> Ran:
    return run("describe", family, *options)


def test_places_are_named_for_machines_and_once(family: Path) -> None:
    pytest.importorskip("reverse_geocoder", reason="needs the extra places")
    first = describe(family, "--places", "--json").json
    assert (first["updated"], first["told"]) == (1, {"places": 1})
    assert describe(family, "--places", "--json").json["updated"] == 0
    with Archive.open(family, mode="read") as archive:
        [memory] = archive.find()
    assert memory.place == Place("Munich, Bavaria, Germany", 48.1374, 11.5755)


@pytest.mark.slow  # loads the models of OCR and speech, which tests of describers use, too
def test_without_options_everything_that_is_installed_is_used(family: Path) -> None:
    pytest.importorskip("rapidocr", reason="needs the extra ocr")
    pytest.importorskip("reverse_geocoder", reason="needs the extra places")
    result = describe(family)
    assert result.code == 0, result.err
    assert "New descriptions for 1 of 1 memory\n" in result.out
    assert "text in pictures: 1 new, 0 known" in result.out
    assert "place names: 1 new" in result.out


class Model(BaseHTTPRequestHandler):
    """A server that has one thing to say about every picture."""

    asked: ClassVar[list[dict[str, Any]]] = []

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        self.asked.append(json.loads(self.rfile.read(length)))
        message = {"role": "assistant", "content": "A shop sign. It hangs above a door."}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
        reply = {"id": "1", "object": "chat.completion", "created": 1, "model": "eye",
                 "choices": [choice], "usage": usage}  # fmt: skip
        body = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
        pass


def test_captions_come_from_the_model_of_the_settings(family: Path) -> None:
    pytest.importorskip("httpx", reason="needs the extra llm")
    with ThreadingHTTPServer(("127.0.0.1", 0), Model) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        options = (f"model.base_url=http://127.0.0.1:{server.server_port}/v1", "model.name=eye")
        result = describe(family, "--captions", "--json", *(f"--set={each}" for each in options))
        server.shutdown()
    assert result.code == 0, result.err
    assert result.json["told"] == {"caption": 1}
    [asked] = Model.asked
    parts = asked["messages"][0]["content"]
    assert parts[1]["image_url"]["url"].startswith("data:image/jpeg;base64,")
    with Archive.open(family, mode="read") as archive:
        [memory] = archive.find()
    assert memory.media[0].description.short_caption == "A shop sign."


def test_captions_without_a_model_are_one_clear_line(family: Path) -> None:
    result = describe(family, "--captions")
    assert result.code == 2
    assert result.err.startswith("graphmemix: model.base_url")
    assert result.err.count("\n") == 1
