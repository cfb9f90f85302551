from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.serve.servers import PICTURE, fill, serving

HOME = "/v1/archives/home"


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    folder: Path = tmp_path_factory.mktemp("media")
    fill(folder / "home", "quokka")
    with serving(folder) as live, live.client() as client:
        yield client


def add(client: httpx.Client, data: bytes, mime: str, name: str = "f") -> str:
    sha256: str = client.post(f"{HOME}/media", content=data).json()["sha256"]
    modality = "image" if mime.startswith("image/") else "text"
    medium = {"modality": modality, "sha256": sha256, "mime": mime, "name": name}
    body = {"memories": [{"kind": "document", "text": name, "media": [medium]}]}
    assert client.post(f"{HOME}/memories", json=body).status_code == 201
    return sha256


def test_a_picture_comes_back_as_it_was(fresh: httpx.Client) -> None:
    sha256 = add(fresh, PICTURE, "image/png")
    reply = fresh.get(f"{HOME}/media/{sha256}")
    assert (reply.content, reply.headers["content-type"]) == (PICTURE, "image/png")
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert "attachment" not in reply.headers.get("content-disposition", "")


def test_a_file_that_no_memory_has_is_not_told(fresh: httpx.Client) -> None:
    sha256 = fresh.post(f"{HOME}/media", content=b"nobody's").json()["sha256"]
    assert fresh.get(f"{HOME}/media/{sha256}").status_code == 404
    assert fresh.get(f"{HOME}/previews/{sha256}").status_code == 404


@pytest.mark.parametrize(
    "mime", ["text/html", "image/svg+xml", "application/pdf", "no type\r\nx: y"]
)
def test_what_a_browser_might_run_comes_as_a_download(fresh: httpx.Client, mime: str) -> None:
    sha256 = add(fresh, b"<script>alert(1)</script>" + mime.encode(), mime, 'a"\r\n<b>.html')
    reply = fresh.get(f"{HOME}/media/{sha256}")
    assert reply.headers["content-type"] == "application/octet-stream"
    assert reply.headers["content-disposition"].startswith("attachment")
    assert "sandbox" in reply.headers["content-security-policy"]


def test_ranges_are_served_and_bad_ones_refused(fresh: httpx.Client) -> None:
    data = bytes(range(256)) * 8
    sha256 = add(fresh, data, "video/mp4")

    def ranged(value: str) -> httpx.Response:
        return fresh.get(f"{HOME}/media/{sha256}", headers={"Range": value})

    part = ranged("bytes=10-19")
    assert (part.status_code, part.content) == (206, data[10:20])
    assert part.headers["content-range"] == f"bytes 10-19/{len(data)}"
    assert ranged("bytes=-5").content == data[-5:]
    assert ranged("bytes=999999-").status_code == 416
    assert ranged("bytes=nonsense").status_code == 400


def test_a_copy_is_asked_about_before_it_is_used(fresh: httpx.Client) -> None:
    sha256 = add(fresh, PICTURE + b"1", "image/png")
    reply = fresh.get(f"{HOME}/media/{sha256}")
    assert "no-cache" in reply.headers["cache-control"]
    known = {"If-None-Match": reply.headers["etag"]}
    assert fresh.get(f"{HOME}/media/{sha256}", headers=known).status_code == 304


def test_a_preview_is_a_small_jpeg(fresh: httpx.Client) -> None:
    from io import BytesIO

    from PIL import Image

    out = BytesIO()
    Image.new("RGB", (400, 200), "red").save(out, "PNG")
    sha256 = add(fresh, out.getvalue(), "image/png")
    reply = fresh.get(f"{HOME}/previews/{sha256}", params={"edge": 100})
    assert reply.headers["content-type"] == "image/jpeg"
    assert Image.open(BytesIO(reply.content)).size == (100, 50)


def test_a_damaged_picture_has_no_preview(fresh: httpx.Client) -> None:
    sha256 = add(fresh, b"no picture", "image/png")
    reply = fresh.get(f"{HOME}/previews/{sha256}")
    assert (reply.status_code, reply.json()["code"]) == (422, "invalid_input")


@pytest.mark.parametrize(
    "address", ["..%2f..%2farchive.db", "../../archive.db", "AB" * 32, "a" * 63]
)
def test_what_is_no_address_leads_nowhere(fresh: httpx.Client, address: str) -> None:
    for route in ("media", "previews"):
        reply = fresh.get(f"{HOME}/{route}/{address}")
        assert reply.status_code in {404, 422}
        assert b"SQLite" not in reply.content


def test_erasing_the_memory_takes_the_file_along(fresh: httpx.Client) -> None:
    sha256 = add(fresh, b"to be erased", "text/plain", "gone")
    ids = [
        memory["id"]
        for memory in fresh.get(f"{HOME}/memories", params={"limit": 500}).json()["memories"]
        if any(medium["sha256"] == sha256 for medium in memory["media"])
    ]
    assert fresh.post(f"{HOME}/erase", json={"ids": ids}).json()["media_files"] == 1
    assert fresh.get(f"{HOME}/media/{sha256}").status_code == 404
