"""Media beside a source: found below its folder and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphmemix.ingest.attachments import Attachments, base_name, folder_of, known, locate, mime_of
from graphmemix.ingest.media_sink import ArchiveMediaSink
from graphmemix.ingest.protocol import Found
from tests.ingest.reading import written


@pytest.mark.parametrize("name", ["a.jpg", "sub/a.jpg", "./a.jpg", "sub\\a.jpg", "sub/./a.jpg"])
def test_a_file_below_the_folder_is_found(tmp_path: Path, name: str) -> None:
    written(tmp_path, "a.jpg", "x")
    written(tmp_path, "sub/a.jpg", "x")
    found = locate(tmp_path, name)
    assert found is not None
    assert found.name == "a.jpg"


@pytest.mark.parametrize(
    "name",
    ["", " ", "..", ".", "/", "../b", "sub/../../b", "/etc/passwd", "\\etc\\passwd", "C:\\x", "C:x",
     "file:///etc/passwd", "a\0b", "out", "out/passwd", "loop", "x" * 5000, "sub"],
)  # fmt: skip
def test_nothing_else_is(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "in"
    written(folder, "sub/a.jpg", "x")
    written(tmp_path, "b", "secret")
    (folder / "out").symlink_to("/etc")
    (folder / "loop").symlink_to(folder / "loop")
    assert locate(folder, name) is None
    beside = Attachments(Found(folder / "c.txt", "c.txt"), ArchiveMediaSink(None))
    assert beside.take(name).sha256 is None
    assert len(list(beside.refused())) == 1
    assert list(beside.refused()) == []


def test_a_link_within_the_folder_is_followed(tmp_path: Path) -> None:
    written(tmp_path, "a.jpg", "x")
    (tmp_path / "b.jpg").symlink_to("a.jpg")
    assert locate(tmp_path, "b.jpg") is not None


@settings(
    deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(
    st.text(max_size=40)
    | st.lists(st.sampled_from(["..", ".", "a", "/", "\\", "~", "C:"])).map("/".join)
)
def test_no_name_leads_out(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "in"
    folder.mkdir(exist_ok=True)
    written(tmp_path, "a", "secret")
    found = locate(folder, name)
    assert found is None or found.is_relative_to(folder.resolve())
    assert "/" not in base_name(name)


@pytest.mark.parametrize(
    ("head", "name", "stated", "mime"),
    [
        (b"\xff\xd8\xff\xe0" + bytes(9), "a.png", "image/png", "image/jpeg"),  # content counts most
        (b"?", "a.bin", "audio/ogg; codecs=opus", "audio/ogg"),
        (b"?", "a.opus", "", "audio/ogg"),
        (b"?", "a", "", "application/octet-stream"),
        (b"", "a.HEIC", "", "image/heic"),
    ],
)
def test_types_by_content_then_by_what_is_stated_then_by_name(
    head: bytes, name: str, stated: str, mime: str
) -> None:
    assert mime_of(head, name, stated) == mime


def test_what_is_known_without_content() -> None:
    assert (known("", "image/*").modality, known("", "image/*").mime) == ("image", "")
    assert (known("a/b.mp4").modality, known("a/b.mp4").name) == ("video", "b.mp4")
    assert known("x.pdf").modality == "text"


@pytest.mark.parametrize(
    ("name", "folder"),
    [("Chat - Vera.zip/_chat.txt", "Chat - Vera"), ("a/b/_chat.txt", "b"), ("_chat.txt", "real")],
)
def test_the_folder_that_a_file_came_in(name: str, folder: str) -> None:
    assert folder_of(Found(Path("/x/real/_chat.txt"), name)) == folder
