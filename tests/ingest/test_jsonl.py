"""Memories as JSON Lines: nothing is lost, and a bad line costs only itself."""

from __future__ import annotations

import json
import re
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from PIL import Image

from graphmemix.ingest.jsonl import JsonLines
from graphmemix.ingest.media_sink import ArchiveMediaSink
from graphmemix.memory import Description, Media, Memory, Place, Reference
from tests.ingest.reading import met, read, read_anyway, written

ROOT = Path(__file__).parents[2]
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)
MEDIA = st.builds(
    Media,
    modality=st.sampled_from(["text", "image", "video", "audio"]),
    sha256=st.none() | st.text("0123456789abcdef", min_size=64, max_size=64),
    mime=TEXTS,
    name=TEXTS,
    size=st.none() | st.integers(0, 2**50),
    duration=st.none() | st.floats(0, 1e6),
    description=st.builds(Description, caption=TEXTS, ocr=TEXTS),
)
MEMORIES = st.builds(
    Memory,
    id=TEXTS.filter(bool),
    kind=st.sampled_from(["message", "email", "photo", "document", "event", "note"]),
    text=TEXTS,
    source=TEXTS,
    source_id=TEXTS,
    session=st.none() | TEXTS,
    round=st.none() | TEXTS,
    sequence=st.none() | st.integers(-(2**40), 2**40),
    speaker=st.none() | TEXTS,
    timestamp=st.none()
    | st.datetimes(timezones=st.timezones())
    .filter(lambda moment: 1 < moment.year < 9999)  # or it may not exist in UTC
    .map(lambda moment: moment.astimezone(UTC)),
    place=st.none() | st.builds(Place, TEXTS, st.floats(-90, 90), st.floats(-180, 180)),
    media=st.lists(MEDIA, max_size=3).map(tuple),
    references=st.lists(st.builds(Reference, st.just("reply_to"), TEXTS), max_size=2).map(tuple),
    metadata=st.dictionaries(TEXTS, TEXTS | st.integers() | st.booleans(), max_size=3),
)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None
)
@given(st.lists(MEMORIES, min_size=1, max_size=4))
@example([Memory("?", "note"), Memory("\x1b", "note")])
def test_a_memory_comes_back_as_it_was(tmp_path: Path, memories: list[Memory]) -> None:
    path = written(tmp_path, "m.jsonl", "\n".join(memory.to_json() for memory in memories))
    assert read_anyway(JsonLines(), met(path)) == (memories, [])


def lines(folder: Path, *values: Any) -> Path:
    text = "\n".join(value if isinstance(value, str) else json.dumps(value) for value in values)
    return written(folder / "in", "my.jsonl", text)


def test_a_line_of_ones_own_needs_a_kind_only(tmp_path: Path) -> None:
    path = lines(tmp_path, {"kind": "note", "text": "key"}, {"kind": "note", "text": "key"})
    (first, second), _ = read(JsonLines(), path)
    assert first == second == Memory.new("note", "key")


def test_media_come_from_paths_below_the_file(tmp_path: Path) -> None:
    medium = {"modality": "image", "path": "pics/a.png", "description": {"caption": "A hill"}}
    path = lines(tmp_path, {"kind": "photo", "media": [medium, {"modality": "audio", "name": "x"}]})
    (path.parent / "pics").mkdir()
    Image.new("RGB", (2, 2)).save(path.parent / "pics/a.png")
    (memory,), skipped = read(JsonLines(), path)
    picture, sound = memory.media
    assert picture.sha256 is not None
    assert (picture.name, picture.mime) == ("a.png", "image/png")
    assert picture.description.caption == "A hill"
    assert (sound.sha256, skipped) == (None, [])
    assert list(JsonLines().companions(met(path))) == [path.parent / "pics/a.png"]


@pytest.mark.parametrize("name", ["../a.png", "/etc/passwd", "link.png", "https://x.example/a.png"])
def test_other_paths_are_refused(tmp_path: Path, name: str) -> None:
    written(tmp_path, "a.png", b"x")
    path = lines(tmp_path, {"kind": "photo", "media": [{"modality": "image", "path": name}]})
    (path.parent / "link.png").symlink_to(tmp_path / "a.png")
    (memory,), skipped = read(JsonLines(), path)
    assert memory.media[0].sha256 is None
    assert [each.reason for each in skipped] == ["names a file outside its folder"]
    assert list(JsonLines().companions(met(path))) == []


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ({"kind": "note", "txt": "x"}, "txt"),
        ({"kind": "poem"}, "kind"),
        ({"text": "x"}, "kind"),
        ({"kind": "note", "timestamp": "2024-01-01T10:00:00"}, "time zone"),
        ({"kind": "note", "sequence": "1"}, "sequence"),
        ({"kind": "photo", "media": ["a.png"]}, "media"),
        ({"kind": "photo", "media": [{"path": "a.png"}]}, "modality"),
        ({"kind": "note", "timestamp": "9999-12-31T23:59:59-12:00"}, "timestamp"),
        ({"kind": "note", "timestamp": "0001-01-01T00:00:00+14:00"}, "timestamp"),
        ("[1, 2]", "not a JSON object"),
        ('{"kind": "note"', "not a JSON object"),
        ('{"a":' * 200_000, "not a JSON object"),
        ('{"kind": "note", "sequence": ' + "9" * 5000 + "}", "not a JSON object"),
        ('{"kind": "note", "metadata": {"a": NaN}}', "not finite"),
        ('{"kind": "note", "metadata": {"a": [1e400]}}', "not finite"),
        ('{"kind": "note", "place": {"latitude": -Infinity, "longitude": 0}}', "not finite"),
        ('{"kind": "note", "place": {"latitude": 90.1, "longitude": 0}}', "latitude"),
        ('{"kind": "note", "id": ""}', "id"),
        ('{"kind": "note", "metadata": {"a": ' + "[" * 900 + "]" * 900 + "}}", "recursion"),
        ({"kind": "note", "timestamp": "9999-12-31T23:59:59-12:00"}, "years 1 to 9999"),
        ({"kind": "note", "id": "x", "timestamp": "0001-01-01T00:00:00+01:00"}, "years 1 to 9999"),
    ],
)
def test_a_line_at_fault_is_skipped_with_its_number_and_reason(
    tmp_path: Path, line: Any, fault: str
) -> None:
    path = lines(tmp_path, {"kind": "note", "text": "a"}, line, {"kind": "note", "text": "b"})
    memories, skipped = read(JsonLines(), path)
    assert [memory.text for memory in memories] == ["a", "b"]
    assert skipped[0].name == "my.jsonl line 2"
    assert fault in skipped[0].reason


@pytest.mark.parametrize(
    "text",
    ['{"role": "user", "content": "x"}', '{"kind": "Listing", "data": {}}', "kind", "", "[]"],
)
def test_other_json_is_left_to_others(tmp_path: Path, text: str) -> None:
    assert not JsonLines().recognises(met(written(tmp_path, "x.jsonl", text)))


def test_the_documented_lines_are_read(tmp_path: Path) -> None:
    page = (ROOT / "docs/jsonl.md").read_text("utf-8")
    block = re.search(r"```json\n(.*?)```", page, re.DOTALL)
    assert block is not None
    path = written(tmp_path / "in", "my.jsonl", block[1])
    memories, skipped = read(JsonLines(), path)
    assert [memory.kind for memory in memories] == ["note", "message", "photo"]
    assert {each.reason for each in skipped} == {"file not found"}


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None
)
@given(st.binary(max_size=300) | st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["kind", "text", "media", "place", "id", "x"]), inner),
    max_leaves=12,
).map(lambda value: json.dumps(value).encode()))  # fmt: skip
def test_any_bytes_have_a_typed_outcome(tmp_path: Path, data: bytes) -> None:
    path = written(tmp_path, "x.jsonl", data)
    JsonLines().recognises(met(path))
    list(JsonLines().companions(met(path)))
    list(JsonLines().read(met(path), ArchiveMediaSink(None)))
