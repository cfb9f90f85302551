"""Files that were out of reach while they were ingested are read once they are back."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from graphmemix.archive import Archive
from graphmemix.encode import HashingEncoder
from graphmemix.ingest.media_sink import ArchiveMediaSink
from graphmemix.ingest.sources import fingerprint
from graphmemix.ingest.worker import TaskNotLoadable
from graphmemix.ingest.workers import Workers
from graphmemix.memory import Media, Modality
from tests.serve.servers import PICTURE

CHAT = (
    "17/05/24, 12:00 - Ann: Look.\n"
    "17/05/24, 12:01 - Ben: IMG-20240517-WA0001.jpg (file attached)\n"
    "17/05/24, 12:02 - Ann: Nice.\n"
)


def write(folder: Path) -> Path:
    """Write a chat with a picture; return the picture."""
    folder.mkdir()
    (folder / "WhatsApp Chat with Ben.txt").write_text(CHAT)
    picture = folder / "IMG-20240517-WA0001.jpg"
    picture.write_bytes(PICTURE)
    return picture


def pictures(archive: Archive) -> int:
    return sum(medium.sha256 is not None for m in archive.find() for medium in m.media)


def test_a_picture_that_was_out_of_reach_is_read_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture = write(tmp_path / "chat")
    before = picture.stat()
    keep: Callable[..., Media] = ArchiveMediaSink.keep_file

    def refuse(_self: ArchiveMediaSink, _path: Path, **_: Modality | str) -> Media:
        picture.unlink()  # since the walker met it
        raise OSError(errno.EIO, "Input/output error")

    # In this process, where the fault can be put in its way.
    monkeypatch.setattr(Workers, "_sent", lambda *_: TaskNotLoadable())
    with Archive.open(tmp_path / "archive", encoder=HashingEncoder()) as archive:
        monkeypatch.setattr(ArchiveMediaSink, "keep_file", refuse)
        first = archive.ingest([tmp_path / "chat"])
        monkeypatch.setattr(ArchiveMediaSink, "keep_file", keep)
        assert (first.new, pictures(archive)) == (3, 0)
        picture.write_bytes(PICTURE)  # the very same file is back
        os.utime(picture, ns=(before.st_atime_ns, before.st_mtime_ns))
        second = archive.ingest([tmp_path / "chat"])
        assert (second.new, second.updated, pictures(archive)) == (0, 1, 1)
        third = archive.ingest([tmp_path / "chat"])
        assert [each.unchanged for each in third.sources] == [1]


def test_permission_is_part_of_how_a_file_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture = write(tmp_path / "chat")
    open_mark, size = fingerprint([picture], [])
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may read anything
    assert fingerprint([picture], []) != (open_mark, size)
