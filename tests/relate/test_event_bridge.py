from __future__ import annotations

import random
from collections import Counter
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest

from graphmemix.memory import Kind, Media, Memory, Place
from graphmemix.relate.bursts import kilometres
from graphmemix.settings import EventBridgeSettings, GraphSettings
from tests.relate import reference
from tests.relate.archive import InMemory, Way, at, linked, photo

NOON = at("2023-07-14T12:00")


def after(
    seconds: float, name: str = "b", latitude: float = 48.0, longitude: float = 11.0
) -> Memory:
    return photo(name, NOON + timedelta(seconds=seconds), latitude, longitude)


def bridged(*memories: Memory, settings: GraphSettings | None = None) -> set[tuple[str, str]]:
    return linked("event_bridge", memories, settings or GraphSettings())


def limits(**values: float) -> GraphSettings:
    return GraphSettings(event_bridge=EventBridgeSettings(**values))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(0, False), (59.999999, False), (60, True), (1800, True), (3600, True), (3600.000001, False)],
)
def test_a_minute_to_an_hour_apart_both_included(seconds: float, *, expected: bool) -> None:
    assert bool(bridged(photo("a", NOON), after(seconds))) is expected


@pytest.mark.parametrize(("degrees", "expected"), [(0.0, True), (0.0449, True), (0.0450, False)])
def test_within_five_kilometres(degrees: float, *, expected: bool) -> None:
    # One degree of latitude is 111.195 km on the sphere.
    assert bool(bridged(photo("a", NOON, 48), after(600, latitude=48 + degrees))) is expected


def test_time_zones_are_respected() -> None:
    berlin = photo("a", at("2023-07-14T12:00", 2))
    assert bridged(berlin, photo("b", at("2023-07-14T10:30", 0)))
    assert not bridged(berlin, photo("b", at("2023-07-14T12:30", 0)))


def test_an_hour_on_the_clock_that_is_two_hours_long() -> None:
    zone = ZoneInfo("Europe/Berlin")  # at 3:00 the clocks go back to 2:00
    one = photo("a", at("2023-10-29T02:30").replace(tzinfo=zone))
    other = photo("b", at("2023-10-29T03:15").replace(tzinfo=zone))
    assert not bridged(one, other)


def test_across_midnight_and_new_year() -> None:
    one = photo("a", at("2023-12-31T23:50"))
    assert bridged(one, photo("b", at("2024-01-01T00:10")))


def test_across_the_180th_meridian() -> None:
    assert bridged(photo("a", NOON, -17, 179.99), after(600, latitude=-17, longitude=-179.99))
    assert bridged(photo("a", NOON, -17, 180), after(600, latitude=-17, longitude=-180))
    assert not bridged(photo("a", NOON, -17, 179.9), after(600, latitude=-17, longitude=-179.9))


@pytest.mark.parametrize("pole", [90, -90])
def test_at_the_poles_all_longitudes_meet(pole: int) -> None:
    assert bridged(photo("a", NOON, pole, 0), after(600, latitude=pole, longitude=137))
    near = pole * 0.9998  # 2 km away
    assert bridged(photo("a", NOON, near, 0), after(600, latitude=near, longitude=180))


def test_known_distances() -> None:
    london, paris = (51.5074, -0.1278), (48.8566, 2.3522)
    assert kilometres(london, paris) == pytest.approx(343.6, abs=0.5)
    assert kilometres((0, 0), (0, 180)) == pytest.approx(20_015, abs=1)
    assert kilometres(paris, paris) == 0


@pytest.mark.parametrize(
    "other",
    [
        photo("b", NOON + timedelta(minutes=10), None, None),
        photo("b", NOON + timedelta(minutes=10), None, None, place="Munich"),
        photo("b", None),
        Memory("b", "message", timestamp=NOON + timedelta(minutes=10), place=Place("", 48, 11)),
        Memory("b", "audio", timestamp=NOON + timedelta(minutes=10), place=Place("", 48, 11),
               media=(Media("audio"),)),
    ],
    ids=["no place", "no coordinates", "no time", "text", "sound"],
)  # fmt: skip
def test_without_time_coordinates_or_picture_there_is_no_bridge(other: Memory) -> None:
    assert not bridged(photo("a", NOON), other)


@pytest.mark.parametrize(
    ("kind", "media"),
    [("video", ()), ("photo", ()), ("message", (Media("image"),)), ("note", (Media("video"),))],
)
def test_videos_and_messages_with_pictures_count(kind: Kind, media: tuple[Media, ...]) -> None:
    when, here = NOON + timedelta(minutes=10), Place("", 48, 11)
    other = Memory("b", kind, timestamp=when, place=here, media=media)
    assert bridged(photo("a", NOON), other)


def test_the_equator_and_greenwich_are_places() -> None:
    assert bridged(photo("a", NOON, 0, 0), after(600, latitude=0, longitude=0))


def test_a_burst_has_at_most_two_neighbours_each() -> None:
    burst = [after(20 * i, f"{i:02}") for i in range(40)]
    pairs = bridged(*burst)
    degrees = Counter(name for pair in pairs for name in pair)
    assert max(degrees.values()) == 2
    # Every third photo is a minute later, and nothing is nearer that may be linked.
    assert {("00", "03"), ("03", "06"), ("36", "39")} <= pairs


def test_the_nearest_in_time_go_first_then_the_nearest_in_space_then_ids() -> None:
    one = limits(max_neighbours=1)
    assert bridged(photo("a", NOON), after(-600, "b"), after(500, "c"), settings=one) == {
        ("a", "c")
    }
    far = after(600, "b", 48.01)
    assert bridged(photo("a", NOON), far, after(600, "c", 48.005), settings=one) == {("a", "c")}
    assert bridged(photo("a", NOON), after(600, "c"), after(600, "b"), settings=one) == {("a", "b")}


def test_thousands_at_one_moment_do_not_link_with_each_other() -> None:
    assert not bridged(*(after(0, str(i)) for i in range(2000)))


@pytest.mark.parametrize(
    "settings",
    [
        GraphSettings(),
        limits(max_neighbours=0),
        limits(max_neighbours=1, min_seconds=0),
        limits(max_neighbours=3, min_seconds=0, max_kilometres=0),
        limits(max_seconds=0, min_seconds=0),
        limits(min_seconds=600, max_seconds=60),
        limits(max_kilometres=30_000),
        limits(max_kilometres=500, max_seconds=7200),
    ],
)
def test_bursts_are_linked_as_the_rule_says(settings: GraphSettings) -> None:
    rng = random.Random(7)
    for _ in range(8):
        centre = (rng.choice([0, 48, 89.99, -90]), rng.choice([0, 179.99]))
        shots = []
        for i in range(40):
            latitude = max(-90, min(90, centre[0] + rng.choice([0, 0.01, 0.04, -0.03, 1])))
            longitude = (centre[1] + rng.choice([0, 0.01, 0.05, 2]) + 180) % 360 - 180
            shots.append(after(rng.randrange(0, 5400, 15), f"{i:02}", latitude, longitude))
        expected = {tuple(sorted((a.id, b.id))) for a, b in reference.event_bridge(shots, settings)}
        assert bridged(*shots, settings=settings) == expected


@pytest.mark.parametrize("way", ["first relate", "hidden", "first store"])
def test_a_photo_that_goes_leaves_its_links_to_others(way: Way) -> None:
    archive = InMemory(limits(max_neighbours=1), way)
    archive.change([photo("a", at("2023-07-14T10:10")), photo("b", at("2023-07-14T10:50"))])
    archive.change([photo("x", at("2023-07-14T11:05"))])
    assert [key[:2] for key in archive.stored] == [("b", "x")]
    archive.change(gone=["x"])
    assert [key[:2] for key in archive.stored] == [("a", "b")]


def test_a_long_run_is_read_in_few_questions() -> None:
    archive = InMemory()
    archive.change([after(1800 * i, f"{i:04}") for i in range(1000)])
    archive.asked = 0
    archive.change([after(1800 * 500 + 60, "new")])
    assert archive.asked < 25
