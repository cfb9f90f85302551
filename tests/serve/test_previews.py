"""Previews of videos and pages, which are rendered in a process of their own."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import httpx
import pytest
from PIL import Image

from graphmemix import Archive, Media, Memory
from graphmemix.errors import InvalidDataError
from graphmemix.serve.rendering import rendered
from tests.ingest.camera import video
from tests.serve.servers import serving

HOME = "/v1/archives/home"


def two_pages() -> bytes:
    out = BytesIO()
    white, red = (Image.new("RGB", (300, 400), colour) for colour in ("white", "red"))
    white.paste("black", (20, 20, 200, 60))
    red.paste("black", (20, 20, 200, 60))
    white.save(out, "PDF", save_all=True, append_images=[red])
    return out.getvalue()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("previews")


@pytest.fixture(scope="module")
def files(folder: Path) -> Iterator[tuple[httpx.Client, dict[str, str]]]:
    film = video(folder / "film.mp4", frames=30)
    contents = {
        "film": ("video", film.read_bytes(), "video/mp4"),
        "pages": ("text", two_pages(), "application/pdf"),
        "torn": ("text", b"%PDF-1.4 torn", "application/pdf"),
        "words": ("text", b"words", "text/plain"),
    }
    found = {}
    with Archive.open(folder / "home") as archive:
        for name, (modality, data, mime) in contents.items():
            kept = archive.media.put(data)
            duration = 3.0 if modality == "video" else None
            medium = Media(modality, kept.sha256, mime, name, kept.size, duration=duration)  # type: ignore[arg-type]
            archive.add([Memory(name, "document", name, media=(medium,))])
            found[name] = kept.sha256
    with serving(folder) as live, live.client() as client:
        yield client, found


def shown(reply: httpx.Response) -> Image.Image:
    assert reply.headers["content-type"] == "image/jpeg"
    return Image.open(BytesIO(reply.content)).convert("RGB")


def test_a_video_has_a_poster_that_is_kept(
    files: tuple[httpx.Client, dict[str, str]], folder: Path
) -> None:
    client, found = files
    address = f"{HOME}/previews/{found['film']}"
    poster = client.get(address, params={"edge": 256})
    assert shown(poster).size == (64, 48)
    [kept] = folder.rglob(f"{found['film']}/preview-256.jpg")
    kept.write_bytes(b"kept")
    assert client.get(address, params={"edge": 256}).content == b"kept"


def test_a_page_of_a_document_is_a_picture(files: tuple[httpx.Client, dict[str, str]]) -> None:
    client, found = files
    address = f"{HOME}/previews/{found['pages']}"
    first, second = (
        shown(client.get(address, params={"edge": 256, "page": page})) for page in (1, 2)
    )
    assert first.size == (192, 256)
    red = second.getpixel((90, 120))
    assert isinstance(red, tuple)
    assert red[0] > 200 > 60 > red[1]
    missing = client.get(address, params={"page": 3})
    assert (missing.status_code, missing.json()["detail"]) == (422, "page: there is no page 3")


def test_what_cannot_be_shown_says_so(files: tuple[httpx.Client, dict[str, str]]) -> None:
    client, found = files
    torn = client.get(f"{HOME}/previews/{found['torn']}")
    assert (torn.status_code, torn.json()["code"]) == (422, "invalid_input")
    words = client.get(f"{HOME}/previews/{found['words']}")
    assert (words.status_code, words.json()["code"]) == (404, "no_preview")


def test_a_decoder_that_does_not_end_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphmemix.serve.rendering._SECONDS", 0.001)
    with pytest.raises(InvalidDataError, match=r"takes more than"):
        rendered("page", tmp_path / "any.pdf", 1, 256)
