"""The media folder: files by their hash, whole or not at all, and no way out of it."""

from __future__ import annotations

import hashlib
import io
import os
import stat
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphmemix.errors import ArchiveDamagedError, GraphMemixError, InvalidDataError
from graphmemix.store import MediaFolder, StoredFile

SHA256 = hashlib.sha256(b"picture").hexdigest()


@pytest.fixture
def media(tmp_path: Path) -> MediaFolder:
    return MediaFolder(tmp_path / "media")


def test_bytes_files_and_streams_have_the_same_address(media: MediaFolder, tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(b"picture")
    expected = StoredFile(SHA256, 7)
    assert media.put(b"picture") == expected
    assert media.put(tmp_path / "a.jpg") == expected
    assert media.put(io.BytesIO(b"picture")) == expected
    assert media.read(SHA256) == b"picture"
    assert [*media] == [expected]


def test_a_stream_is_read_from_where_it_stands(media: MediaFolder) -> None:
    stream = io.BytesIO(b"a picture")
    stream.seek(2)
    assert media.put(stream).sha256 == SHA256


@settings(
    max_examples=settings().max_examples,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.binary(max_size=200))
def test_what_is_put_is_read(media: MediaFolder, data: bytes) -> None:
    stored = media.put(data)
    assert stored == StoredFile(hashlib.sha256(data).hexdigest(), len(data))
    assert media.read(stored.sha256) == data
    assert media.intact(stored.sha256)


def test_large_files_go_through_in_pieces(media: MediaFolder, tmp_path: Path) -> None:
    data = os.urandom((3 << 20) + 17)
    (tmp_path / "video").write_bytes(data)
    assert media.put(tmp_path / "video").size == len(data)
    assert media.read(hashlib.sha256(data).hexdigest()) == data


def test_an_empty_file_is_a_file(media: MediaFolder) -> None:
    stored = media.put(b"")
    assert stored.size == 0
    assert stored.sha256 in media


def test_files_are_private(media: MediaFolder) -> None:
    before = os.umask(0)
    try:
        stored = media.put(b"picture")
    finally:
        os.umask(before)
    path = media.path(stored.sha256)
    modes = [stat.S_IMODE(each.stat().st_mode) for each in (path, path.parent, media.root)]
    assert modes == [0o600, 0o700, 0o700]


def test_a_copy_does_not_follow_its_source(media: MediaFolder, tmp_path: Path) -> None:
    source = tmp_path / "a.jpg"
    source.write_bytes(b"picture")
    media.put(source)
    source.write_bytes(b"changed")
    assert media.read(SHA256) == b"picture"


ESCAPES = [
    "",
    "..",
    "../../etc/passwd",
    "/etc/passwd",
    SHA256.upper(),
    SHA256[:-1],
    SHA256 + "0",
    SHA256 + "\n",
    SHA256[:-1] + "/",
    "../" + SHA256[3:],
    SHA256[:32] + "\x00" + SHA256[33:],
    "\u0660" * 64,
    "\uff41" * 64,
]


@pytest.mark.parametrize("address", ESCAPES)
def test_no_address_leads_out(media: MediaFolder, address: str) -> None:
    media.put(b"picture")
    with pytest.raises(InvalidDataError, match="64 hexadecimal"):
        media.path(address)
    with pytest.raises(InvalidDataError):
        media.read(address)
    with pytest.raises(InvalidDataError):
        media.remove(address)
    with pytest.raises(InvalidDataError):
        assert address in media
    with pytest.raises(InvalidDataError):
        media.intact(address)


@given(address=st.text(max_size=70) | st.from_regex(r"[0-9a-fA-F]{63,65}", fullmatch=True))
def test_only_addresses_become_paths(address: str) -> None:
    folder = MediaFolder(Path("/nowhere"), writable=False)
    try:
        path = folder.path(address)
    except InvalidDataError:
        return
    assert path == Path("/nowhere") / address[:2] / address


def test_missing_files_are_told(media: MediaFolder) -> None:
    assert SHA256 not in media
    with pytest.raises(ArchiveDamagedError, match=SHA256):
        media.read(SHA256)
    assert media.remove(SHA256) == 0
    with pytest.raises(GraphMemixError):
        media.intact(SHA256)


def test_a_changed_file_is_not_intact(media: MediaFolder) -> None:
    media.put(b"picture")
    assert media.intact(SHA256)
    media.path(SHA256).write_bytes(b"Picture")
    assert not media.intact(SHA256)


def test_putting_again_heals_a_changed_file(media: MediaFolder) -> None:
    media.put(b"picture")
    media.path(SHA256).write_bytes(b"Picture")
    media.put(b"picture")
    assert media.intact(SHA256)


def test_removed_files_leave_nothing(media: MediaFolder) -> None:
    media.put(b"picture")
    other = media.put(b"other")
    assert media.remove(SHA256) == 7
    assert media.remove(SHA256) == 0
    assert [*media] == [other]
    files = [path for path in media.root.rglob("*") if path.is_file()]
    assert files == [media.path(other.sha256)]


def test_files_come_by_address(media: MediaFolder) -> None:
    stored = [media.put(b"%d" % number) for number in range(40)]
    assert [*media] == sorted(stored)


def test_strange_files_are_not_media(media: MediaFolder) -> None:
    stored = media.put(b"picture")
    (media.root / "notes.txt").write_text("x")
    (media.path(SHA256).parent / "notes.txt").write_text("x")
    assert [*media] == [stored]


@pytest.mark.parametrize("name", ["nowhere", ".", "nul\x00", "\ud800", "a" * 300])
def test_what_cannot_be_read_is_refused(media: MediaFolder, tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidDataError):
        media.put(tmp_path / name)
    assert [*media] == []
    assert [*(media.root / "incoming").iterdir()] == []


def test_a_stream_that_breaks_off_leaves_nothing(media: MediaFolder) -> None:
    class Broken(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            if self.tell():
                raise ConnectionResetError
            return super().read(10)

    with pytest.raises((GraphMemixError, ConnectionResetError)):
        media.put(Broken(b"x" * 100))
    assert [path for path in media.root.rglob("*") if path.is_file()] == []


def test_a_hostile_link_at_the_source_is_copied_not_kept(
    media: MediaFolder, tmp_path: Path
) -> None:
    (tmp_path / "real").write_bytes(b"picture")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    stored = media.put(tmp_path / "link")
    assert not media.path(stored.sha256).is_symlink()
    assert media.path(stored.sha256).stat().st_nlink == 1


def test_many_threads_may_put_the_same(media: MediaFolder) -> None:
    stored: list[StoredFile] = []

    def put() -> None:
        stored.extend(media.put(b"picture") for _ in range(20))

    threads = [threading.Thread(target=put) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert stored == [StoredFile(SHA256, 7)] * 80
    assert media.intact(SHA256)
    assert [*(media.root / "incoming").iterdir()] == []


def test_leftovers_of_interrupted_writes_are_cleared(media: MediaFolder) -> None:
    stored = media.put(b"picture")
    (media.root / "incoming" / "left").write_bytes(b"x")
    media.clear_incoming(lambda _: True)
    assert [*(media.root / "incoming").iterdir()] == []
    assert [*media] == [stored]


def test_a_folder_opened_for_reading_makes_nothing(tmp_path: Path) -> None:
    folder = MediaFolder(tmp_path / "media", writable=False)
    assert SHA256 not in folder
    assert [*folder] == []
    assert not (tmp_path / "media").exists()
