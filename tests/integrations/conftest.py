from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PIL import Image

from graphmemix import Archive, Media, Memory, Place, Settings
from graphmemix.memory import Description


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    """Notes about a key, a photo of it, and something else."""
    folder: Path = tmp_path_factory.mktemp("integrations")
    picture = io.BytesIO()
    Image.new("RGB", (64, 48), "teal").save(picture, "PNG")
    settings = Settings.load(environment={"HOME": str(folder)})
    with Archive.open(folder / "family", encoder="hashing", settings=settings) as archive:
        stored = archive.media.put(picture.getvalue())
        caption = Description(caption="The spare key hangs on a hook in the kitchen.")
        photo = Media("image", stored.sha256, "image/png", "hook.png", description=caption)
        archive.add(
            [
                Memory(
                    "key",
                    "note",
                    "The spare key is with Olga.",
                    source="notes",
                    speaker="Ann",
                    timestamp=datetime(2024, 5, 1, tzinfo=UTC),
                    place=Place("Como"),
                ),
                Memory("photo", "photo", media=(photo,)),
                Memory("tooth", "message", "Mia lost her first tooth.", source="chat"),
            ]
        )
        yield archive
