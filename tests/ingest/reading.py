"""What the tests of importers share: a real folder for media, and a file as the walker meets it."""

from __future__ import annotations

from pathlib import Path

from graphmemix.ingest.media_sink import ArchiveMediaSink
from graphmemix.ingest.protocol import HEAD_BYTES, Found, Importer, Skipped
from graphmemix.memory import Memory
from graphmemix.store.media import MediaFolder


def met(path: Path, root: Path | None = None) -> Found:
    """Return a file or folder as the walker hands it over."""
    name = path.relative_to(root or path.parent).as_posix()
    if path.is_dir():
        return Found(path, name, is_folder=True)
    with path.open("rb") as stream:
        return Found(path, name, stream.read(HEAD_BYTES))


def written(folder: Path, name: str, content: str | bytes) -> Path:
    """Write a file, with the folders above it."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def kept(tmp_path: Path) -> MediaFolder:
    """Return the folder that `read` keeps media in."""
    return MediaFolder(tmp_path / ".kept")


def read(
    importer: Importer, path: Path, root: Path | None = None
) -> tuple[list[Memory], list[Skipped]]:
    """Read a source; return its memories and what was skipped. It must be recognised."""
    found = met(path, root)
    assert importer.recognises(found)
    return read_anyway(importer, found)


def read_anyway(importer: Importer, found: Found) -> tuple[list[Memory], list[Skipped]]:
    """Read a source whether it is recognised or not, as ``--as`` does."""
    folder = found.path if found.is_folder else found.path.parent
    sink = ArchiveMediaSink(MediaFolder(folder.parent / ".kept"))
    memories: list[Memory] = []
    skipped: list[Skipped] = []
    for reading in importer.read(found, sink):
        if isinstance(reading, Skipped):
            skipped.append(reading)
        else:
            assert Memory.from_json(reading.to_json()) == reading  # an archive can hold it
            memories.append(reading)
    return memories, skipped
