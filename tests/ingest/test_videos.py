from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmemix.encode.pixels import frame
from graphmemix.encode.views import frame_times
from graphmemix.errors import ImportSourceError, MissingExtraError
from graphmemix.ingest.protocol import Found, Skipped
from graphmemix.ingest.recordings import container_facts
from graphmemix.ingest.videos import Videos
from graphmemix.memory import Memory, Place
from tests.ingest.camera import audio, found, picture, read_video, readings, skipped, video

MOMENT = datetime(2022, 4, 30, 11, 22, 12, tzinfo=UTC)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    return tmp_path / "in"


@pytest.mark.parametrize(
    ("container", "codec", "mime"),
    [
        ("mp4", "mpeg4", "video/mp4"),
        ("mov", "mpeg4", "video/quicktime"),
        ("matroska", "mpeg4", "video/x-matroska"),
        ("webm", "libvpx", "video/webm"),
        ("avi", "mpeg4", "video/x-msvideo"),
        ("3gp", "mpeg4", "video/3gpp"),
        ("mpegts", "mpeg2video", "video/mp2t"),
    ],
)
def test_every_container_is_known_by_content_and_not_by_name(
    folder: Path, container: str, codec: str, mime: str
) -> None:
    path = video(folder / "film.txt", container=container, codec=codec, frames=30)
    memory = read_video(path)
    [medium] = memory.media
    assert (memory.kind, medium.modality, medium.mime) == ("video", "video", mime)
    assert (medium.width, medium.height) == (64, 48)
    assert medium.duration == pytest.approx(3.0, abs=0.2)
    assert "has_sound" not in memory.metadata


def test_a_program_stream_without_an_index_is_read(folder: Path) -> None:
    path = video(folder / "a.mpg", container="vob", codec="mpeg2video", frames=30)
    [medium] = read_video(path).media
    assert (medium.mime, medium.width) == ("video/mpeg", 64)


@pytest.mark.parametrize(
    ("container", "codec", "name", "mime"),
    [
        ("mp3", "libmp3lame", "a.mp3", "audio/mpeg"),
        ("ogg", "libopus", "PTT-20220430-WA0001.opus", "audio/ogg"),
        ("wav", "pcm_s16le", "a.wav", "audio/wav"),
        ("ipod", "aac", "a.m4a", "audio/mp4"),
        ("mp4", "aac", "sound only.mp4", "audio/mp4"),
        ("webm", "libopus", "a.webm", "audio/webm"),
        ("flac", "flac", "a.flac", "audio/flac"),
        ("adts", "aac", "a.aac", "audio/aac"),
    ],
)
def test_sound_is_of_kind_audio(
    folder: Path, container: str, codec: str, name: str, mime: str
) -> None:
    memory = read_video(audio(folder / name, container=container, codec=codec))
    [medium] = memory.media
    assert (memory.kind, medium.modality, medium.mime) == ("audio", "audio", mime)
    assert medium.duration == pytest.approx(1.0, abs=0.1)
    assert medium.width is None


def test_a_song_tells_its_title_and_its_artist_and_no_capture_time(folder: Path) -> None:
    tags = {"title": "Lullaby", "artist": "Ada", "album": "Home", "date": "1999-05-05"}
    memory = read_video(audio(folder / "a.mp3", container="mp3", codec="libmp3lame", metadata=tags))
    assert (memory.text, memory.speaker, memory.timestamp) == ("Lullaby", "Ada", None)
    assert memory.metadata["album_title"] == "Home"


def test_a_track_of_sound_is_noted(folder: Path) -> None:
    assert read_video(video(folder / "a.mp4", sound="aac")).metadata["has_sound"] is True


@pytest.mark.parametrize(
    ("turned", "size"), [(0, (64, 48)), (90, (48, 64)), (180, (64, 48)), (-90, (48, 64))]
)
def test_width_and_height_are_those_shown(folder: Path, turned: int, size: tuple[int, int]) -> None:
    [medium] = read_video(video(folder / "a.mp4", turned=turned)).media
    assert (medium.width, medium.height) == size


def test_apples_creation_date_has_the_zone(folder: Path) -> None:
    path = video(
        folder / "IMG_1.MOV",
        container="mov",
        options={"movflags": "use_metadata_tags"},
        metadata={
            "creation_time": "2022-05-05T00:00:00Z",  # when it was exported
            "com.apple.quicktime.creationdate": "2022-04-30T13:22:12+0200",
            "com.apple.quicktime.location.ISO6709": "+48.1374+011.5755+520.123/",
            "com.apple.quicktime.make": "Apple",
            "com.apple.quicktime.model": "iPhone 13",
        },
    )
    memory = read_video(path)
    assert memory.timestamp is not None
    assert memory.timestamp.isoformat() == "2022-04-30T13:22:12+02:00"
    assert memory.place == Place("", 48.1374, 11.5755)
    assert memory.metadata["altitude"] == 520.123
    assert memory.metadata["camera"] == "Apple iPhone 13"


def test_the_name_of_an_android_video_tells_the_zone_of_its_creation_time(folder: Path) -> None:
    path = video(
        folder / "VID_20220430_132209.mp4",
        metadata={"creation_time": "2022-04-30T11:22:12Z", "location": "+48.1374+011.5755/"},
    )
    memory = read_video(path, zone=ZoneInfo("Asia/Tokyo"))
    assert memory.timestamp == MOMENT
    assert memory.timestamp.utcoffset() == timedelta(hours=2)
    assert memory.metadata["zone_source"] == "file name"
    assert memory.place == Place("", 48.1374, 11.5755)


def test_a_creation_time_alone_is_shown_in_the_assumed_zone(folder: Path) -> None:
    path = video(folder / "a.mp4", metadata={"creation_time": "2022-04-30T11:22:12Z"})
    memory = read_video(path, zone=ZoneInfo("Asia/Tokyo"))
    assert memory.timestamp == MOMENT
    assert memory.timestamp.utcoffset() == timedelta(hours=9)
    assert memory.metadata["zone_source"] == "assumed"


@pytest.mark.parametrize("name", ["VID_20220430_132212.mp4", "20220430_132212.mkv"])
def test_the_name_stands_in_where_the_container_tells_no_time(folder: Path, name: str) -> None:
    memory = read_video(video(folder / name), zone=ZoneInfo("Europe/Berlin"))
    assert memory.timestamp == MOMENT
    assert memory.metadata["time_source"] == "file name"


@pytest.mark.parametrize(
    "time", ["1904-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "2099-01-01T00:00:00Z"]
)
def test_times_that_mean_unknown_are_ignored(time: str) -> None:
    facts = container_facts({"creation_time": time}, {})
    assert facts.times == ()
    assert facts.notes


def test_frames_can_be_sampled_from_what_was_kept(folder: Path) -> None:
    memory = read_video(video(folder / "a.mp4", frames=20))
    [medium] = memory.media
    assert medium.sha256 is not None
    kept = folder.parent / "kept" / medium.sha256[:2] / medium.sha256
    shown = [frame(kept, seconds) for seconds in frame_times(medium, 4)]
    assert len(set(shown)) == 4


def test_without_the_extra_a_video_is_left_for_later_and_the_way_out_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = video(folder / "a.mp4")
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(MissingExtraError, match=r"the extra 'video': .*\[video\]"):
        readings(Videos(), path)


@pytest.mark.parametrize(
    "head",
    [b"", b"#EXTM3U\n#EXTINF:1\nfile:///etc/passwd", b"ffconcat version 1.0", b"RIFF\0\0\0\0WEBP"],
)
def test_playlists_and_pictures_are_not_recognised(head: bytes) -> None:
    assert not Videos().recognises(Found(Path("a.mp4"), "a.mp4", head))


def test_a_picture_is_no_video(folder: Path) -> None:
    picture().save(folder / "a.mp4", "JPEG")
    assert not Videos().recognises(found(folder / "a.mp4"))
    with pytest.raises(ImportSourceError):
        list(Videos().read(found(folder / "a.mp4"), None))  # type: ignore[arg-type]


def test_a_video_that_is_cut_off_before_its_index_is_skipped(folder: Path) -> None:
    path = video(folder / "a.mp4", frames=50)
    path.write_bytes(path.read_bytes()[:600])
    assert "truncated" in skipped(Videos(), path).reason


@settings(max_examples=settings().max_examples, deadline=None)
@given(at=st.integers(12, 1600), junk=st.binary(max_size=16), cut=st.integers(0, 1200))
def test_a_damaged_video_is_read_or_skipped_and_never_stops_the_run(
    tmp_path_factory: pytest.TempPathFactory, at: int, junk: bytes, cut: int
) -> None:
    path = video(tmp_path_factory.mktemp("fuzz") / "in" / "a.mp4")
    data = path.read_bytes()
    data = data[:at] + junk + data[at + len(junk) :]
    path.write_bytes(data[: len(data) - cut])
    if Videos().recognises(found(path)):
        [reading] = readings(Videos(), path)
        assert isinstance(reading, Memory | Skipped)
        if isinstance(reading, Memory):
            assert Memory.from_json(reading.to_json()) == reading
