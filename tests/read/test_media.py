from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from graphmemix.memory import Media, Memory
from graphmemix.read.media import PacketWithPictures, load_pictures
from graphmemix.settings import Settings
from graphmemix.store.media import MediaFolder
from tests.ingest.camera import video
from tests.read.evidence import packet, with_context

ORIENTATION = 0x0112


@pytest.fixture
def folder(tmp_path: Path) -> MediaFolder:
    return MediaFolder(tmp_path / "media")


def encoded(width: int, height: int, kind: str = "JPEG", orientation: int = 1) -> bytes:
    """A picture that is red at its stored left and blue at its stored right."""
    image = Image.new("RGB", (width, height), "red")
    image.paste("blue", (width // 2, 0, width, height))
    out = BytesIO()
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    image.save(out, kind, **({"exif": exif} if orientation != 1 else {}))
    return out.getvalue()


def memory(folder: MediaFolder, *files: bytes, name: str = "a") -> Memory:
    media = []
    for number, data in enumerate(files, start=1):
        sha256 = folder.put(data).sha256
        media.append(Media("image", sha256, "image/jpeg", f"{name}{number}"))
    return Memory(f"m-{name}", "photo", media=tuple(media))


def shown(
    folder: MediaFolder, *memories: Memory, settings: Settings | None = None
) -> PacketWithPictures:
    chosen = settings or Settings()
    return load_pictures(packet(*memories, settings=chosen), folder, chosen)


def opened(data: bytes) -> Image.Image:
    image = Image.open(BytesIO(data))
    image.load()
    return image


def test_a_plain_picture_goes_as_it_is(folder: MediaFolder) -> None:
    data = encoded(300, 200)
    (picture,) = shown(folder, memory(folder, data)).pictures
    assert (picture.rank, picture.name, picture.data, picture.mime) == (1, "a1", data, "image/jpeg")


def test_a_large_picture_is_scaled_down_to_its_longest_edge(folder: MediaFolder) -> None:
    (picture,) = shown(folder, memory(folder, encoded(4000, 1000))).pictures
    assert opened(picture.data).size == (2500, 625)


def test_a_small_picture_is_not_scaled_up(folder: MediaFolder) -> None:
    (picture,) = shown(folder, memory(folder, encoded(40, 30, "GIF"))).pictures
    assert opened(picture.data).size == (40, 30)
    assert picture.mime == "image/jpeg"


def test_a_picture_on_its_side_is_turned_upright_and_loses_its_notes(folder: MediaFolder) -> None:
    (picture,) = shown(folder, memory(folder, encoded(400, 200, orientation=6))).pictures
    image = opened(picture.data)
    assert image.size == (200, 400)
    red, _, blue = image.getpixel((100, 20))  # type: ignore[misc]
    assert red > 200 > 50 > blue  # the stored left side is on top
    assert not image.getexif()


def test_missing_and_broken_files_are_recorded_and_the_others_go_on(folder: MediaFolder) -> None:
    gone = Memory("m-gone", "photo", media=(Media("image", "0" * 64, name="gone"),))
    nowhere = Memory("m-nowhere", "photo", media=(Media("image", None, name="nowhere"),))
    video = Memory("m-video", "video", media=(Media("video", "1" * 64, name="video"),))
    broken = memory(folder, encoded(300, 200)[:500], name="broken")
    good = memory(folder, encoded(300, 200), name="good")
    result = shown(folder, gone, nowhere, video, broken, good)
    assert result.packet.unreadable_media == (
        ("m-gone", "gone"),
        ("m-nowhere", "nowhere"),
        ("m-video", "video"),
        ("m-broken", "broken1"),
    )
    assert [len(block.media) for block in result.packet.blocks] == [0, 0, 0, 0, 1]
    assert [(picture.rank, picture.name) for picture in result.pictures] == [(5, "good1")]
    assert result.packet.dropped_media == ()


def test_pictures_that_turn_out_too_large_are_dropped_from_the_lowest_on(
    folder: MediaFolder,
) -> None:
    # Nobody noted the sizes, so 1,300 tokens were assumed each; 2,400 x 1,600 takes 3,750.
    first = memory(folder, encoded(2400, 1600), name="first")
    second = memory(folder, encoded(2400, 1600, orientation=3), name="second")
    third = memory(folder, encoded(30, 20), name="third")
    settings = with_context(1600 + 3750 + 1300)
    result = shown(folder, first, second, third, settings=settings)
    assert [picture.name for picture in result.pictures] == ["first1"]
    assert result.packet.dropped_media == (("m-second", "second1"), ("m-third", "third1"))


def test_a_video_is_shown_in_frames_at_uniform_times(folder: MediaFolder, tmp_path: Path) -> None:
    pytest.importorskip("av")
    sha256 = folder.put(video(tmp_path / "film.mp4", frames=40)).sha256
    medium = Media("video", sha256, "video/mp4", "film.mp4", duration=4.0)
    result = shown(folder, Memory("m", "video", media=(medium,)))
    times = [picture.seconds for picture in result.pictures]
    assert times == [0.25, 0.75, 1.25, 1.75, 2.25, 2.75, 3.25, 3.75]
    assert all(max(opened(picture.data).size) <= 1024 for picture in result.pictures)
    assert len({picture.data for picture in result.pictures}) > 1
