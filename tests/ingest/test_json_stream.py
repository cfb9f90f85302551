"""Reading JSON piece by piece, and telling formats by the keys at their start."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphmemix.errors import ImportSourceError
from graphmemix.ingest import json_stream
from graphmemix.ingest.json_stream import JsonStream
from graphmemix.ingest.outline import outline
from graphmemix.record import Json
from tests.ingest.reading import written

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=20,
)


def walked(stream: JsonStream) -> Json:
    if stream.peek() == "{":
        return {key: walked(stream) for key in stream.members()}
    if stream.peek() == "[":
        return [walked(stream) for _ in stream.items()]
    return stream.value()


@settings(
    deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(VALUES, st.sampled_from([1, 2, 3, 7, 4096]), st.booleans(), st.sampled_from([None, 1]))
def test_walking_gives_what_a_whole_parse_gives(
    tmp_path: Path, value: Json, chunk: int, ascii_only: bool, indent: int | None
) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    path = written(tmp_path, "x.json", text.encode("utf-8", "surrogatepass"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_stream, "_CHUNK", chunk)
        with JsonStream(path, "x.json") as stream:
            assert walked(stream) == json.loads(path.read_bytes().decode("utf-8", "replace"))
            assert stream.peek() == ""
        with JsonStream(path, "x.json") as stream:
            stream.value()
            assert stream.peek() == ""


@settings(
    deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(VALUES, st.data())
def test_a_cut_file_is_a_typed_error(tmp_path: Path, value: Json, data: st.DataObject) -> None:
    whole = json.dumps({"a": [value]})
    cut = data.draw(st.integers(0, len(whole) - 1))
    path = written(tmp_path, "x.json", whole[:cut])
    with JsonStream(path, "x.json") as stream, pytest.raises(ImportSourceError, match=r"x\.json"):
        walked(stream)


def test_what_is_not_asked_for_is_skipped(tmp_path: Path) -> None:
    text = '{"a": [1, {"b": 2}], "c": "x", "list": [10, [20], {"y": 30}, 40], "z": null}'
    with JsonStream(written(tmp_path, "x.json", text), "x") as stream:
        for key in stream.members():
            if key == "list":
                taken = [stream.value() if i != 1 else None for i, _ in enumerate(stream.items())]
                assert taken == [10, None, {"y": 30}, 40]


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, '{"a":' * 100_000, "[" + "9" * 5000 + "]", "[1 2]", '{"a" 1}', "{1: 2}", "nul"],
)
def test_hostile_json_is_a_typed_error(tmp_path: Path, text: str) -> None:
    path = written(tmp_path, "x.json", text)
    with JsonStream(path, "x") as stream, pytest.raises(ImportSourceError):
        walked(stream) if text.startswith("[1") else stream.value()


def test_memory_stays_flat_however_many_items_there_are(tmp_path: Path) -> None:
    item = json.dumps({"text": "x" * 900, "n": 1})
    path = written(tmp_path, "big.json", '{"messages": [' + ",".join([item] * 40_000) + "]}")
    assert path.stat().st_size > 35_000_000
    tracemalloc.start()
    with JsonStream(path, "big.json") as stream:
        count = sum(1 for key in stream.members() for _ in stream.items() if stream.value() or key)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 40_000
    assert peak < 5_000_000


@pytest.mark.parametrize(
    ("head", "keys"),
    [
        (b'[{"a": {"b": 1}}, {"c": "{\\"d\\": 1', {"/*/a", "/*/a/b", "/*/c"}),
        (b'\xef\xbb\xbf {"a": [[{"b": 1}]], "c', {"/a", "/a/*/*/b"}),
        (b'{"a": 1}\n{"b": 2}', {"/a"}),
        (b"", set()), (b"text", set()), (b"}{", set()), (b"[" * 8192, set()),
    ],
)  # fmt: skip
def test_the_outline_of_a_head(head: bytes, keys: set[str]) -> None:
    assert outline(head) == keys


@given(st.binary(max_size=200))
def test_any_head_has_an_outline(head: bytes) -> None:
    outline(head)
    outline(b"{" + head)
