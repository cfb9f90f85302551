"""What is said of a picture before it is part of a question."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
import piexif
import pytest
from PIL import Image, ImageDraw

from graphmemix import Archive, Media, Memory
from graphmemix.memory import Description, Place
from tests.ingest import camera
from tests.serve.servers import serving

HOME = "/v1/archives/home"


def drawn(width: int = 400) -> Image.Image:
    picture = Image.new("RGB", (400, 300), "white")
    pen = ImageDraw.Draw(picture)
    pen.rectangle((20, 30, 160, 280), fill="navy")
    pen.ellipse((200, 60, 380, 200), fill="orange")
    return picture.resize((width, width * 3 // 4))


def jpeg(picture: Image.Image, quality: int = 90) -> bytes:
    out = BytesIO()
    picture.save(out, "JPEG", quality=quality)
    return out.getvalue()


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    folder = tmp_path_factory.mktemp("pictures")
    with Archive.open(folder / "home") as archive:
        kept = archive.media.put(jpeg(drawn()))
        told = Description(short_caption="The tower at the lake")
        medium = Media("image", kept.sha256, "image/jpeg", "a.jpg", kept.size, description=told)
        when = datetime(2023, 7, 14, 8, tzinfo=UTC)
        place = Place("Malcesine", 45.764, 10.809)
        archive.add([Memory("p1", "photo", timestamp=when, place=place, media=(medium,))])
    with serving(folder) as live, live.client() as client:
        yield client


def asked(client: httpx.Client, data: bytes) -> dict[str, Any]:
    body = {"image": {"data": base64.b64encode(data).decode(), "mime": "image/jpeg"}}
    reply = client.post(f"{HOME}/picture", json=body)
    assert reply.status_code == 200, reply.text
    found: dict[str, Any] = reply.json()
    return found


@pytest.mark.parametrize("data", [jpeg(drawn()), jpeg(drawn(250), 60)], ids=["file", "smaller"])
def test_the_same_picture_is_found_with_its_time_and_place(
    client: httpx.Client, data: bytes
) -> None:
    found = asked(client, data)
    assert [memory["id"] for memory in found["same"]] == ["p1"]
    assert found["timestamp"].startswith("2023-07-14")
    assert found["place"]["name"] == "Malcesine"
    assert "The tower at the lake" in found["caption"]
    assert "14 July 2023" in found["caption"]


def test_time_and_place_of_an_unknown_picture_are_read_from_it(
    client: httpx.Client, tmp_path: Path
) -> None:
    taken = {piexif.ExifIFD.DateTimeOriginal: "2022:03:05 10:00:00"}
    file = camera.jpeg(tmp_path / "a.jpg", exif=taken, gps=camera.place(47.07, 15.44))
    found = asked(client, file.read_bytes())
    assert found["same"] == []
    assert found["timestamp"].startswith("2022-03-05T10:00")
    assert round(found["place"]["latitude"], 2) == 47.07
    assert "5 March 2022" in found["caption"]


def test_text_in_a_picture_is_read(client: httpx.Client) -> None:
    pytest.importorskip("rapidocr")
    picture = Image.new("RGB", (600, 160), "white")
    ImageDraw.Draw(picture).text((20, 40), "Hotel Olivo", fill="black", font_size=72)
    found = asked(client, jpeg(picture))
    assert "Olivo" in found["text"]
    assert "Olivo" in found["caption"]


def test_what_is_no_picture_is_refused(client: httpx.Client) -> None:
    body = {"image": {"data": base64.b64encode(b"no picture").decode(), "mime": "image/jpeg"}}
    reply = client.post(f"{HOME}/picture", json=body)
    assert (reply.status_code, reply.json()["code"]) == (422, "invalid_input")
