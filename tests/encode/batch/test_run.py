"""Vectors made ahead in this process: the same as at once, each content once, resumable."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from graphmemix import Archive, Media, Memory, Settings
from graphmemix.encode import HashingEncoder, MiniLmEncoder, encoder_of
from graphmemix.encode.batch import PreparedEncoder, VectorFolder, encode_archives, workers
from graphmemix.encode.batch.contents import text_key
from graphmemix.errors import ArchiveNotFoundError, EncoderError, InvalidInputError
from graphmemix.store.protocol import Entry
from tests.encode import tiny_clip
from tests.encode.batch import archives
from tests.encode.tiny_clip import picture


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "MOST_TEXTS", 10)
    monkeypatch.setattr(workers, "MOST_PICTURES", 2)


def test_the_packaged_encoder_gives_the_same_vectors_bit_by_bit(tmp_path: Path) -> None:
    notes = archives.texts(40)
    archives.make(tmp_path / "a", notes)
    report = encode_archives([tmp_path / "a"], tmp_path / "v", encoder="minilm")
    assert report.encoded == 40
    ahead = PreparedEncoder(tmp_path / "v")
    assert ahead.texts(notes).tobytes() == MiniLmEncoder().texts(notes).tobytes()
    assert (ahead.found, ahead.encoded) == (40, 0)


def test_an_archive_takes_the_vectors_up_and_opens_no_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = archives.texts(30)
    folder = archives.make(tmp_path / "a", notes)
    encode_archives([folder], tmp_path / "v", encoder="hashing:16")
    monkeypatch.setattr(HashingEncoder, "texts", None)  # nobody encodes any more
    with Archive.open(folder, encoder=f"prepared:{tmp_path / 'v'}") as archive:
        archive.reencode()
        assert archive.store.encoder() == "hashing/16"
        vectors = archive.store.vectors(["m00007"])["m00007"]
    monkeypatch.undo()
    assert vectors[0] is not None
    assert vectors[0].tobytes() == HashingEncoder(16).texts([notes[7]])[0].tobytes()


def talk(count: int) -> list[Memory]:
    """Return rounds of two and of three turns, whose context views hold each other's words."""
    return [
        Memory(
            f"{i * 7919 % 1000:03}",  # the halves of a round are far apart in the order of ids
            "message",
            f"turn {i}",
            session="talk",
            round=str(i // (2 + i % 2)),
            sequence=i,
        )
        for i in range(count)
    ]


def test_memories_that_wait_are_encoded_as_index_will_see_them(tmp_path: Path) -> None:
    with Archive.open(tmp_path / "a", encoder="hashing:8") as archive:
        archive.store.add(Entry(memory) for memory in talk(100))
    encode_archives([tmp_path / "a"], tmp_path / "v", encoder="hashing:8")
    with Archive.open(tmp_path / "a", encoder=f"prepared:{tmp_path / 'v'}") as archive:
        assert archive.index() == 100
        views = archive.store.views([memory.id for memory in talk(100)])
    with VectorFolder.open(tmp_path / "v") as vectors:
        final = {text_key(view.text) for each in views.values() for view in each}
        assert vectors.known(final) == final


def test_a_second_run_encodes_nothing_and_a_grown_archive_only_what_is_new(tmp_path: Path) -> None:
    folder = archives.make(tmp_path / "a", archives.texts(25))
    first = encode_archives([folder], tmp_path / "v", encoder="hashing:16")
    again = encode_archives([folder], tmp_path / "v", encoder="hashing:16")
    with Archive.open(folder, encoder="hashing:8") as archive:
        archive.add([Memory("new", "note", "something new")])
    grown = encode_archives([folder], tmp_path / "v", encoder="hashing:16")
    assert (first.encoded, again.encoded, grown.encoded) == (25, 0, 1)
    assert (again.there, grown.vectors) == (first.encoded + first.there, 26)


def test_the_same_content_in_several_archives_is_encoded_once(tmp_path: Path) -> None:
    folders = [archives.make(tmp_path / name, archives.texts(15)) for name in "ab"]
    report = encode_archives(folders, tmp_path / "v", encoder="hashing:16")
    assert (report.archives, report.encoded, report.vectors) == (2, 15, 15)


class Breaks(HashingEncoder):
    """Fails at its third part."""

    calls = 0
    error: BaseException = EncoderError("the model is gone")

    def texts(self, texts, *, progress=None):  # type: ignore[no-untyped-def]
        Breaks.calls += 1
        if Breaks.calls == 3:
            raise Breaks.error
        return super().texts(texts, progress=progress)


@pytest.mark.parametrize("error", [EncoderError("the model is gone"), KeyboardInterrupt()])
def test_a_stopped_run_keeps_what_is_done_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    folder = archives.make(tmp_path / "a", archives.texts(35))
    monkeypatch.setattr(workers, "encoder_of", lambda spec: Breaks(16))
    Breaks.calls, Breaks.error = 0, error
    with pytest.raises(type(error)):
        encode_archives([folder], tmp_path / "v", encoder="hashing:16")
    with VectorFolder.open(tmp_path / "v") as vectors:
        assert len(vectors) == 20
    report = encode_archives([folder], tmp_path / "v", encoder="hashing:16")
    assert (report.encoded, report.vectors) == (15, 35)


def test_progress_ends_at_its_total_and_never_goes_back(tmp_path: Path) -> None:
    folder = archives.make(tmp_path / "a", archives.texts(35))
    told: list[tuple[int, int]] = []
    encode_archives(
        [folder],
        tmp_path / "v",
        encoder="hashing:16",
        progress=lambda done, total: told.append((done, total)),
    )
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1][0] == told[-1][1]
    assert len({total for _, total in told}) == 1


def test_pictures_are_encoded_ahead_and_damaged_ones_are_told(tmp_path: Path) -> None:
    clip = tiny_clip.build(tmp_path / "clip")
    colours = [picture(colour) for colour in ("red", "green", "blue", "cyan")]
    with Archive.open(tmp_path / "a", encoder="hashing:8") as archive:
        for i, data in enumerate([*colours, b"no picture", colours[0]]):
            stored = archive.media.put(data)
            medium = Media("image", stored.sha256, "image/png", f"{i}.png", stored.size)
            archive.store.add([Entry(Memory(f"p{i}", "photo", media=(medium,)))])
        archive.index()
    report = encode_archives([tmp_path / "a"], tmp_path / "v", encoder=f"clip:{clip}")
    assert (report.encoded, report.unreadable) == (4, 1)
    ahead = PreparedEncoder(tmp_path / "v")
    assert ahead.sees_images
    rows = ahead.images(colours)
    assert ahead.encoded == 0
    np.testing.assert_array_equal(rows, encoder_of(f"clip:{clip}").images(colours))


def test_an_encoder_of_words_passes_pictures_over(tmp_path: Path) -> None:
    with Archive.open(tmp_path / "a", encoder="hashing:8") as archive:
        stored = archive.media.put(picture("red"))
        medium = Media("image", stored.sha256, "image/png", "IMG_0042.png", stored.size)
        archive.add([Memory("p", "photo", media=(medium,))])
    report = encode_archives([tmp_path / "a"], tmp_path / "v", encoder="hashing:8")
    assert (report.encoded, report.unreadable) == (0, 0)


def test_what_is_missing_is_encoded_when_it_is_asked_for(tmp_path: Path) -> None:
    encode_archives(
        [archives.make(tmp_path / "a", ["known"])], tmp_path / "v", encoder="hashing:16"
    )
    ahead = PreparedEncoder(tmp_path / "v")
    wanted = ["known", "unknown", "known"]
    assert ahead.texts(wanted).tobytes() == HashingEncoder(16).texts(wanted).tobytes()
    assert (ahead.found, ahead.encoded) == (2, 1)


def test_a_model_that_changed_behind_its_name_is_not_mixed_in(tmp_path: Path) -> None:
    clip = tiny_clip.build(tmp_path / "clip", seed=0)
    encode_archives(
        [archives.make(tmp_path / "a", ["red"])], tmp_path / "v", encoder=f"clip:{clip}"
    )
    tiny_clip.build(tmp_path / "clip", seed=1)
    ahead = PreparedEncoder(tmp_path / "v")
    ahead.texts(["red"])
    with pytest.raises(EncoderError, match="into a new folder"):
        ahead.texts(["blue"])
    with pytest.raises(InvalidInputError, match="name another folder"):
        encode_archives([tmp_path / "a"], tmp_path / "v", encoder=f"clip:{clip}")


def test_wrong_use_is_told_before_anything_is_made(tmp_path: Path) -> None:
    folder = archives.make(tmp_path / "a", ["x"])
    with pytest.raises(ArchiveNotFoundError):
        encode_archives([folder, tmp_path / "nowhere"], tmp_path / "v", encoder="hashing")
    with pytest.raises(InvalidInputError, match="workers"):
        encode_archives([folder], tmp_path / "v", encoder="hashing", workers=-1)
    with pytest.raises(InvalidInputError, match="name the encoder that made"):
        encode_archives([folder], tmp_path / "v", encoder="prepared:x")
    with pytest.raises(InvalidInputError, match="prepared:FOLDER"):
        encoder_of("prepared:")
    assert not (tmp_path / "v").exists()


def test_the_encoder_of_the_settings_is_the_default(tmp_path: Path) -> None:
    folder = archives.make(tmp_path / "a", ["x"])
    settings = Settings.load(overrides={"encoder.model": "hashing:4"})
    report = encode_archives([folder], tmp_path / "v", settings=settings)
    assert report.encoder == "hashing/4"
