"""Keys under which a memory is found without a word of the question."""

from __future__ import annotations

import io
from datetime import UTC, date, datetime

import numpy as np
import pytest
from PIL import Image

from graphmemix.errors import InvalidDataError
from graphmemix.memory import Description, Media, Memory, Place
from graphmemix.retrieve.facets import (
    ABOUT,
    BULK,
    NUMBER,
    about_of,
    cells_around,
    facet_keys,
    look,
    passed_over,
)
from graphmemix.text.dates.about import About

NOON = datetime(2023, 7, 1, 12, tzinfo=UTC)


def keys(memory: Memory, prefix: str) -> list[str]:
    return [key.removeprefix(prefix) for key in facet_keys(memory) if key.startswith(prefix)]


def test_days_that_words_state() -> None:
    mail = Memory("m", "email", "Your stay\n\nfrom 10 to 12 July 2023", timestamp=NOON)
    assert keys(mail, ABOUT) == ["2023-07-10", "2023-07-11", "2023-07-12"]


def test_a_mail_that_was_written_for_many() -> None:
    offer = Memory("m", "email", "50 % off\n\nBuy now.", metadata={"bulk": True})
    letter = Memory("m", "email", "Dinner\n\nSee you at eight.")
    assert (keys(offer, BULK), keys(letter, BULK)) == ([""], [])


def test_days_of_text_in_a_picture() -> None:
    ticket = Media("image", description=Description(ocr="VALID 14.07.2023"))
    photo = Memory("p", "photo", media=(ticket,), timestamp=NOON)
    assert keys(photo, ABOUT) == ["2023-07-14"]


@pytest.mark.parametrize(
    ("end", "days"),
    [
        ("2023-07-03T10:00:00+00:00", 3),
        ("2023-07-03T00:00:00+00:00", 2),  # ends as the day begins
        ("2023-06-01T00:00:00+00:00", 1),  # ends before it starts
        ("nonsense", 1),
        (7, 1),
    ],
)
def test_days_of_an_event(end: str | int, days: int) -> None:
    event = Memory("e", "event", "Training", timestamp=NOON, metadata={"end": end})
    assert len(keys(event, ABOUT)) == days


def test_days_come_back_as_intervals() -> None:
    found = [f"{ABOUT}2023-07-{day}" for day in (10, 11, 12, 20)]
    assert about_of(found) == (
        About(date(2023, 7, 10), date(2023, 7, 12)),
        About(date(2023, 7, 20), date(2023, 7, 20)),
    )


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Order PT-88213 has shipped", "PT88213"),
        ("PT-88213: delivery postponed", "PT88213"),
        ("Schedule change ZK4T9P", "ZK4T9P"),
        ("ref SA/2311", "SA2311"),
        ("Buchungsnummer: 4711-22", "471122"),
    ],
)
def test_numbers(text: str, number: str) -> None:
    assert number in keys(Memory("m", "email", text), NUMBER)


@pytest.mark.parametrize("text", ["14 July 2023", "£1,025 a month", "at 10:30", "HELLO WORLD"])
def test_no_numbers(text: str) -> None:
    assert keys(Memory("m", "email", text), NUMBER) == []


def test_days_are_joined_to_intervals() -> None:
    keys = [f"{ABOUT}2024-03-0{day}" for day in (5, 1, 2, 3, 2)]
    assert about_of(keys) == (
        About(date(2024, 3, 1), date(2024, 3, 3)),
        About(date(2024, 3, 5), date(2024, 3, 5)),
    )
    assert about_of([]) == ()


def test_cells() -> None:
    here = Place("Riva", 45.88, 10.84)
    near, far = Place("", 45.91, 10.79), Place("", 46.3, 10.84)
    around = set(cells_around(here, reach=1))
    assert set(cells_around(near, reach=0)) < around
    assert around.isdisjoint(cells_around(far, reach=0))
    assert list(cells_around(Place("nowhere"), reach=1)) == []


def test_cells_meet_at_the_date_line() -> None:
    assert set(cells_around(Place("", 0, 179.99), reach=1)) & set(
        cells_around(Place("", 0, -179.99), reach=0)
    )


BITS = 6


def scene(seed: int, size: tuple[int, int] = (320, 240)) -> Image.Image:
    """Something with light and shade, as photos have."""
    rough = np.random.default_rng(seed).integers(0, 256, (7, 9, 3)).astype(np.uint8)
    return Image.fromarray(rough).resize(size, Image.Resampling.BICUBIC)


def saved(image: Image.Image, file_format: str = "PNG", **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, file_format, **options)
    return out.getvalue()


def apart(one: bytes, other: bytes) -> int:
    return (int(look(one), 16) ^ int(look(other), 16)).bit_count()


def test_a_look_has_sixteen_digits() -> None:
    assert len(look(saved(scene(0)))) == 16
    assert look(saved(Image.new("RGB", (20, 20), "white"))) == ""  # nothing to know it by


def test_a_picture_that_brightens_to_the_right_has_every_bit() -> None:
    grey = np.tile(np.arange(0, 90, 10, dtype=np.uint8), (8, 1))
    assert look(saved(Image.fromarray(grey))) == "f" * 16
    assert look(saved(Image.fromarray(grey[:, ::-1].copy()))) == "0" * 16


@pytest.mark.parametrize("seed", range(4))
def test_resized_and_recompressed_copies_look_the_same(seed: int) -> None:
    whole = saved(scene(seed))
    for size in ((160, 120), (640, 480), (100, 75), (333, 250)):
        assert apart(whole, saved(scene(seed).resize(size))) <= BITS
    for quality in (95, 60, 25):
        assert apart(whole, saved(scene(seed), "JPEG", quality=quality)) <= BITS
    assert apart(whole, saved(scene(seed).resize((160, 120)), "WEBP", quality=40)) <= BITS
    assert apart(whole, saved(scene(seed).convert("L"))) <= BITS


def test_other_scenes_look_different() -> None:
    looks = [int(look(saved(scene(seed))), 16) for seed in range(12)]
    assert min((a ^ b).bit_count() for i, a in enumerate(looks) for b in looks[:i]) > 2 * BITS


def test_a_picture_lying_on_its_side_looks_as_it_is_shown() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by 90 degrees
    lying = scene(1).transpose(Image.Transpose.ROTATE_90)
    assert apart(saved(scene(1)), saved(lying, "JPEG", exif=exif, quality=95)) <= BITS


def flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 255]) + data[at + 1 :]


@pytest.mark.parametrize("data", [b"", b"no picture", saved(scene(0))[:20]])
def test_what_is_no_picture_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidDataError):
        look(data)


@pytest.mark.parametrize("file_format", ["PNG", "JPEG", "GIF", "WEBP", "TIFF", "AVIF", "BMP"])
@pytest.mark.filterwarnings("ignore")
def test_damage_anywhere_is_refused_or_survived(file_format: str) -> None:
    data = saved(scene(0, (24, 16)), file_format)
    rng = np.random.default_rng(0)
    for at in {*range(min(200, len(data))), *rng.integers(0, len(data), 60).tolist()}:
        for damaged in (flipped(data, at), data[:at]):
            try:
                look(damaged)
            except InvalidDataError:
                continue


# Passing over


def look_keys(**looks: str) -> dict[str, set[str]]:
    return {name: {f"look:{one}" for one in many.split()} for name, many in looks.items()}


def test_the_better_one_of_two_that_look_the_same_is_kept() -> None:
    same = look_keys(a="00000000000000ff", b="00000000000000fe")
    assert passed_over(["b", "a"], same, most_bits=BITS) == {"a": "b"}


def test_bits_are_counted() -> None:
    two = look_keys(a="000000000000003f", b="0000000000000000")
    assert passed_over(["a", "b"], two, most_bits=6) == {"b": "a"}
    assert passed_over(["a", "b"], two, most_bits=5) == {}


def test_all_pictures_of_the_lesser_must_be_seen_in_the_better() -> None:
    both = look_keys(a="00000000000000ff ff00000000000000", b="00000000000000ff")
    assert passed_over(["a", "b"], both, most_bits=BITS) == {"b": "a"}
    assert passed_over(["b", "a"], both, most_bits=BITS) == {}


def test_memories_without_pictures_are_never_passed_over() -> None:
    assert passed_over(["a", "b"], {"a": {"place:Bled"}}, most_bits=64) == {}
