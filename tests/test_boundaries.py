"""Values that no honest caller sends: a typed error or a sane result on every surface."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from graphmemix import Archive, Memory
from graphmemix.errors import GraphMemixError, InvalidDataError
from graphmemix.integrations.tools import OpenArchiveAccess, call_tool
from tests.cli.commands import make_family, quiet_home, run
from tests.serve.servers import fill, serving

NUMBERS = ("0", "-1", "9223372036854775807", "9223372036854775808", "9" * 30, "9" * 5000, "nan")
TEXTS = {
    "empty": "",
    "blank": " ",
    "nul": "a\0b",
    "surrogate": "a\ud800",
    "long": "x" * 100_000,
    "bytes": "é" * 600,
    "climbing": "../..",
}
DEEP = "[" * 10_000 + "]" * 10_000


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An archive of commands, which refuse or leave everything as it is."""
    folder = tmp_path_factory.mktemp("home")
    with quiet_home(folder):
        make_family(folder / "family")
        yield folder


@pytest.mark.parametrize(
    "command",
    [
        ("list", "--limit"),
        ("trace", "--limit"),
        ("recall", "the key", "--set", "forest.budget="),
        ("recall", "the key", "--set", "retrieval.seeds="),
        ("serve", "--port"),
    ],
    ids=" ".join,
)
def test_commands_take_or_refuse_any_number(home: Path, command: tuple[str, ...]) -> None:
    for number in NUMBERS:
        if command[0] == "serve" and number == "0":
            continue  # any free port: it would serve
        *given, last = command[1:]
        final = (f"{last}{number}",) if last.endswith("=") else (last, number)
        ran = run(command[0], home / "family", *given, *final)
        assert ran.code in {0, 2}, (number, ran.err)
        assert "Traceback" not in ran.err


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_commands_take_or_refuse_any_text(home: Path, text: str) -> None:
    family = home / "family"
    for command in (
        ("show", family, text),
        ("history", family, text),
        ("trace", family, text),
        ("list", family, "--after", text),
        ("list", family, "--session", text, "--speaker", text, "--source", text),
        ("erase", family, text, "--yes"),
        ("update", family, text, "--text", "x"),
        ("update", family, "pillow", "--text", text, "--place", text, "--speaker", text),
        ("recall", family, text),
    ):
        ran = run(*command)
        assert ran.code in {0, 1, 2}, (command[0], ran.err)
        assert "Traceback" not in ran.err


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    folder = tmp_path_factory.mktemp("serve")
    fill(folder / "home", "quokka")
    with serving(folder) as live, live.client() as found:
        yield found


FIELDS = {
    "metadata": ('{"a": NaN}', '{"a": 1e400}', '{"a": "\\ud800"}', f'{{"a": {DEEP}}}', DEEP),
    "sequence": ("9" * 30, "1.5", "9" * 5000, "-1"),
    "place": (
        '{"latitude": NaN, "longitude": 0}',
        '{"latitude": 1e400, "longitude": 0}',
        '{"latitude": 91, "longitude": 0}',
        '{"latitude": 0}',
    ),
    "media": ('[{"modality": "image", "duration": Infinity}]', '[{"modality": "image"}]'),
    "id": ('""', '"a\\u0000b"', '"\\ud800"', f'"{"x" * 1_000_000}"', "1"),
    "session": ('"\\u0000"', '"\\ud800"', f'"{"x" * 100_000}"'),
    "speaker": ('"\\u0000"', '"\\ud800"', f'"{"x" * 100_000}"'),
}  # fmt: skip


@pytest.mark.parametrize(
    ("field", "value"), [(name, value) for name, values in FIELDS.items() for value in values],
    ids=lambda text: text[:24],
)  # fmt: skip
def test_the_server_takes_or_refuses_any_field(
    client: httpx.Client, field: str, value: str
) -> None:
    memory = f'{{"kind": "note", "text": "x", "{field}": {value}}}'
    kind = {"Content-Type": "application/json"}
    for reply in (
        client.post(
            "/v1/archives/home/memories", content=f'{{"memories": [{memory}]}}', headers=kind
        ),
        client.put("/v1/archives/home/memories/m2", content=memory, headers=kind),
    ):
        assert reply.status_code in {200, 201, 409, 413, 422}, reply.text


@pytest.mark.parametrize("number", NUMBERS)
def test_the_server_takes_or_refuses_any_number(client: httpx.Client, number: str) -> None:
    kind = {"Content-Type": "application/json"}
    base = "/v1/archives/home"
    box = f'{{"south": {number}, "west": {number}, "north": {number}, "east": {number}}}'
    bodies = (
        f'{{"text": "x", "limit": {number}}}',
        f'{{"text": "x", "filter": {{"place": {box}}}}}',
    )
    for reply in (
        client.get(f"{base}/memories", params={"limit": number}),
        client.get(f"{base}/traces", params={"limit": number}),
        *(client.post(f"{base}/search", content=body, headers=kind) for body in bodies),
    ):
        assert reply.status_code in {200, 422}, reply.text


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "metadata",
    [{"a": nested(10_000)}, {"a": float("nan")}, {1: 2}, {"a": object()}, {"a": 10**5000}],
    ids=["deep", "nan", "key", "object", "large"],
)
def test_an_archive_refuses_what_json_cannot_say(tmp_path: Path, metadata: dict[Any, Any]) -> None:
    with Archive.open(tmp_path / "a", encoder="hashing") as archive:
        with pytest.raises(InvalidDataError):
            archive.add([Memory("m", "note", "x", metadata=metadata)])
        assert archive.store.count() == 0


def test_tools_have_a_typed_outcome_for_any_argument(tmp_path: Path) -> None:
    values = [*TEXTS.values(), *NUMBERS, None, 10**30, float("nan"), float("inf"), nested(10_000)]
    with Archive.open(tmp_path / "a", encoder="hashing") as archive:
        access = OpenArchiveAccess(archive)
        for value in values:
            for name, argument in (
                ("recall", "question"),
                ("recall", "kinds"),
                ("recall", "pictures"),
                ("ask", "since"),
                ("add_memory", "text"),
                ("add_memory", "when"),
                ("add_memory", "speaker"),
                ("get_memory", "id"),
            ):
                given = {"question": "x"} if name in {"recall", "ask"} else {}
                given = {"text": "x"} if name == "add_memory" else given
                with suppress(GraphMemixError):
                    asyncio.run(call_tool(name, {**given, argument: value}, access))
        assert all(archive.get(memory.id) == memory for memory in archive.find())
