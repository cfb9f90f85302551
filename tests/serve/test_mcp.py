"""The MCP server with the official client, over real pipes and real sockets."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import httpx
import pytest
from PIL import Image

from graphmemix import Archive, Media, Memory
from graphmemix.memory import Description
from graphmemix.relate.neighbours import NeighbourLists
from tests.cli.commands import quiet_home, run
from tests.serve.servers import fill, serving, token

if TYPE_CHECKING:
    from mcp import Client

TOOLS = ["search", "ask", "get", "timeline", "add_note"]


@pytest.fixture(scope="module", autouse=True)
def installed() -> None:
    # Loaded by who runs these tests, not by who collects them: it takes seconds.
    pytest.importorskip("mcp", reason="needs the extra mcp")


@pytest.fixture(scope="module")
def family(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive with notes, a huge photo with its place in EXIF, and a file that is no picture."""
    folder = tmp_path_factory.mktemp("mcp")
    exif = Image.Exif()
    exif[0x010E] = "secret words about the photo"
    Image.new("RGB", (3000, 2000), "teal").save(folder / "hook.jpg", exif=exif)
    with Archive.open(folder / "family", encoder="hashing") as archive:
        photo = archive.media.put(folder / "hook.jpg").sha256
        paper = archive.media.put(b"no picture at all").sha256
        caption = Description(caption="The spare key hangs on a hook in the kitchen.")
        archive.add(
            [
                Memory(
                    "photo/1",
                    "photo",
                    media=(
                        Media("image", photo, "image/jpeg", "hook.jpg", description=caption),
                        Media("text", paper, "text/plain", "notes.txt"),
                    ),
                ),
                Memory("key", "note", "The spare key is with Olga.", source="notes"),
                Memory("tooth", "note", "Mia lost her first tooth.", source="notes"),
            ]
        )
    (folder / "addresses.json").write_text(json.dumps([photo, paper]), "utf-8")
    return folder / "family"


def environment(family: Path) -> dict[str, str]:
    return {"HOME": str(family.parent), "PATH": "/usr/bin:/bin"}


def command(family: Path, *options: str) -> list[str]:
    return ["-m", "graphmemix", "mcp", str(family), "--encoder", "hashing", *options]


def over_stdio(
    family: Path, talk: Callable[[Client], Coroutine[Any, Any, None]], *options: str
) -> None:
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    server = StdioServerParameters(
        command=sys.executable, args=command(family, *options), env=environment(family)
    )

    async def connected(errors: TextIO) -> None:
        async with Client(stdio_client(server, errlog=errors)) as client:
            await talk(client)

    # By default errors go to what standard error was when the module was first loaded, which
    # another test may have replaced.
    with Path(os.devnull).open("w", encoding="utf-8") as errors:
        asyncio.run(connected(errors))


def in_this_process(
    family: Path, talk: Callable[[Client], Coroutine[Any, Any, None]], *, writable: bool = True
) -> None:
    from mcp import Client

    from graphmemix.serve.mcp import ReopeningAccess, make_server

    async def connected() -> None:
        access = ReopeningAccess(str(family), encoder="hashing", writable=writable)
        try:
            async with Client(make_server(access)) as client:
                await talk(client)
        finally:
            access.close()

    with quiet_home(family.parent):
        asyncio.run(connected())


def words(result: Any) -> str:
    return "\n".join(block.text for block in result.content if block.type == "text")


def pictures(result: Any) -> list[Image.Image]:
    return [
        Image.open(io.BytesIO(base64.b64decode(block.data)))
        for block in result.content
        if block.type == "image"
    ]


def test_additions_read_the_neighbours_of_all_memories_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load, loads = NeighbourLists.load, []

    def watched(self: NeighbourLists, *given: Any) -> None:
        loads.append(len(given[0]))
        load(self, *given)

    with Archive.open(tmp_path / "a", encoder="hashing") as archive:
        archive.add([Memory("key", "note", "The spare key is with Olga.")])
    monkeypatch.setattr(NeighbourLists, "load", watched)

    async def talk(client: Client) -> None:
        for number in range(3):
            told = await client.call_tool("add_note", {"text": f"The lock opens with {number}."})
            assert "was stored" in words(told)
        recalled = await client.call_tool("search", {"question": "How does the lock open?"})
        assert "opens with 2" in words(recalled)

    in_this_process(tmp_path / "a", talk)
    assert loads == [1]


def test_a_client_over_stdio_recalls_adds_and_finds_what_it_added(family: Path) -> None:
    async def talk(client: Client) -> None:
        listed = (await client.list_tools()).tools
        assert [tool.name for tool in listed] == TOOLS
        assert all(tool.description and tool.input_schema["type"] == "object" for tool in listed)
        recalled = await client.call_tool("search", {"question": "Where is the spare key?"})
        assert "> The spare key is with Olga." in words(recalled)
        [shown] = pictures(recalled)
        assert shown.size == (1024, 683)
        assert not shown.getexif()
        answered = await client.call_tool("ask", {"question": "Who has the spare key?"})
        assert "Olga" in words(answered)
        assert "; id key" in words(answered)
        added = await client.call_tool("add_note", {"text": "The bike lock opens with 4711."})
        assert not added.is_error
        found = await client.call_tool(
            "search", {"question": "How does the bike lock open?", "pictures": False}
        )
        assert "4711" in words(found)
        assert not pictures(found)
        held = await client.call_tool("timeline", {})
        assert held.structured_content["holdings"]["sources"]["assistant"] == 1
        assert words(held).startswith("4 memories: 3 notes, 1 photo")

    over_stdio(family, talk, "--allow-write")


def test_a_client_over_stdio_adds_nothing_unless_it_is_allowed(family: Path) -> None:
    async def talk(client: Client) -> None:
        listed = [tool.name for tool in (await client.list_tools()).tools]
        assert listed == [name for name in TOOLS if name != "add_note"]
        refused = await client.call_tool("add_note", {"text": "The cellar floods."})
        assert refused.is_error
        assert "read-only" in words(refused)

    over_stdio(family, talk)


def test_both_options_at_once_are_refused(family: Path) -> None:
    with quiet_home(family.parent):
        result = run("mcp", family, "--read-only", "--allow-write")
    assert result.code == 2
    assert "use either --read-only or --allow-write" in result.err


@asynccontextmanager
async def over_http(url: str, key: str = "") -> AsyncIterator[Client]:
    import httpx2
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    headers = {"Authorization": f"Bearer {key}"} if key else {}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        yield client


async def tools_over_http(url: str, key: str = "") -> tuple[list[str], bool]:
    """Return the names of the tools, and whether something could be added."""
    async with over_http(url, key) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        added = await client.call_tool("add_note", {"text": "One more."})
        return names, not added.is_error


@pytest.mark.parametrize(("option", "allowed"), [("--read-only", False), ("--allow-write", True)])
def test_over_http_nobody_adds_anything_unless_it_is_allowed(
    tmp_path: Path, option: str, allowed: bool
) -> None:
    with Archive.open(tmp_path / "home", encoder="hashing") as archive:
        archive.add([Memory("key", "note", "The spare key is with Olga.")])
    with http_server(tmp_path / "home", option) as (url, _):
        names, added = asyncio.run(tools_over_http(url))
    assert ("add_note" in names, added) == (allowed, allowed)


@pytest.mark.parametrize("allowed", [False, True])
def test_a_server_without_keys_lets_agents_add_only_if_it_is_told_to(
    tmp_path: Path,
    allowed: bool,
) -> None:
    fill(tmp_path / "home", "quokka")
    with serving(tmp_path, mcp_write=allowed) as live:
        names, added = asyncio.run(tools_over_http(f"{live.url}/mcp"))
        assert ("add_note" in names, added) == (allowed, allowed)
        note = {"memories": [{"kind": "note", "text": "x"}]}
        with live.client() as client:  # the interface that people use is as it was
            assert client.post("/v1/archives/home/memories", json=note).status_code == 201


def test_mistakes_are_errors_of_the_tool_and_the_server_goes_on(family: Path) -> None:
    async def talk(client: Client) -> None:
        assert [tool.name for tool in (await client.list_tools()).tools] == [
            name for name in TOOLS if name != "add_note"
        ]
        wrong: list[tuple[str, dict[str, Any], str]] = [
            ("search", {"question": ""}, "question: "),
            ("search", {"question": "x", "until": "soon"}, "until: "),
            ("search", {"question": "x", "kinds": ["dream"]}, "kinds.0: "),
            ("search", {"question": "x", "path": "/etc/passwd"}, "path: "),
            ("get", {"id": "nobody"}, "no memory 'nobody'"),
            ("get", {"id": "../../archive.db"}, "no memory"),
            ("add_note", {"text": "x"}, "read-only"),
            ("forget_everything", {}, "unknown tool"),
        ]
        for name, arguments, reason in wrong:
            result = await client.call_tool(name, arguments)
            assert result.is_error, name
            assert reason in words(result)
            assert "Traceback" not in words(result)
        whole = await client.call_tool("get", {"id": "photo/1"})
        assert "id: photo/1" in words(whole)
        assert len(pictures(whole)) == 1

    in_this_process(family, talk, writable=False)


def test_the_names_that_tools_had_before_are_still_answered(family: Path) -> None:
    async def talk(client: Client) -> None:
        recalled = await client.call_tool("recall", {"question": "Where is the spare key?"})
        assert "> The spare key is with Olga." in words(recalled)
        whole = await client.call_tool("get_memory", {"id": "photo/1"})
        assert Memory.from_json(words(whole).splitlines()[0]).id == "photo/1"
        sources = json.loads(words(await client.call_tool("list_sources", {})))
        assert sources["sources"]["notes"] == 2
        refused = await client.call_tool("add_memory", {"text": "x"})
        assert "read-only" in words(refused)

    in_this_process(family, talk, writable=False)


def test_results_have_the_form_that_their_tools_declare(family: Path) -> None:
    import jsonschema  # type: ignore[import-untyped]

    calls: dict[str, dict[str, Any]] = {
        "search": {"question": "Where is the spare key?", "budget": 500},
        "ask": {"question": "Who has the spare key?"},
        "get": {"id": "key"},
        "timeline": {"kinds": ["note"]},
    }

    async def talk(client: Client) -> None:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(listed) == set(calls)
        for name, arguments in calls.items():
            result = await client.call_tool(name, arguments)
            schema = listed[name].output_schema
            assert schema is not None
            assert result.structured_content
            jsonschema.validate(result.structured_content, schema)
            assert listed[name].title
        found = (await client.call_tool("search", calls["search"])).structured_content
        assert found is not None
        by_id = {each["id"]: each for each in found["memories"]}
        assert by_id["key"]["words"] == "The spare key is with Olga."
        assert by_id["key"]["citation"] == "note"
        assert by_id["photo/1"]["pictures"][0].startswith("graphmemix://media/")
        lines = words(await client.call_tool("timeline", {"kinds": ["note"]})).splitlines()
        assert "undated note: “The spare key is with Olga.” (id key)" in lines

    in_this_process(family, talk, writable=False)


def test_memories_and_their_pictures_are_listed_page_by_page(
    family: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mcp import MCPError

    from graphmemix.serve import mcp as server

    photo, _ = json.loads((family.parent / "addresses.json").read_text("utf-8"))
    monkeypatch.setattr(server, "_LISTED", 2)

    async def talk(client: Client) -> None:
        uris: list[str] = []
        cursor = None
        while True:
            page = await client.list_resources(cursor=cursor)
            uris += [str(each.uri) for each in page.resources]
            cursor = page.next_cursor
            if cursor is None:
                break
            assert len(page.resources) <= 3
        # Ids in order, since none has a time; each memory is followed by its pictures.
        first = uris.index("graphmemix://memory/key")  # another test may have added one
        assert uris[first : first + 4] == [
            "graphmemix://memory/key",
            "graphmemix://memory/photo%2F1",
            f"graphmemix://media/{photo}",
            "graphmemix://memory/tooth",
        ]
        for uri in uris:
            assert (await client.read_resource(uri)).contents
        with pytest.raises(MCPError):
            await client.list_resources(cursor="nobody")

    in_this_process(family, talk, writable=False)


def test_memories_and_media_are_resources_and_nothing_else_is(family: Path) -> None:
    photo, paper = json.loads((family.parent / "addresses.json").read_text("utf-8"))

    from mcp import MCPError

    async def talk(client: Client) -> None:
        templates = (await client.list_resource_templates()).resource_templates
        assert [each.uri_template for each in templates] == [
            "graphmemix://memory/{id}",
            "graphmemix://media/{sha256}",
        ]
        [memory] = (await client.read_resource("graphmemix://memory/photo%2F1")).contents
        assert memory.mime_type == "application/json"
        assert Memory.from_json(memory.text).kind == "photo"  # type: ignore[union-attr]
        [picture] = (await client.read_resource(f"graphmemix://media/{photo}")).contents
        assert picture.mime_type == "image/jpeg"
        data = base64.b64decode(picture.blob)  # type: ignore[union-attr]
        assert Image.open(io.BytesIO(data)).size == (1024, 683)
        assert b"secret words" not in data
        [file] = (await client.read_resource(f"graphmemix://media/{paper}")).contents
        assert base64.b64decode(file.blob) == b"no picture at all"  # type: ignore[union-attr]
        for uri in (
            "graphmemix://media/../archive.db",
            "graphmemix://media/..%2F..%2Farchive.db",
            f"graphmemix://media/{'0' * 64}",
            f"graphmemix://media/{photo}/../../archive.db",
            "graphmemix://memory/../archive.db",
            "graphmemix://archive.db",
            "file:///etc/passwd",
        ):
            with pytest.raises(MCPError):
                await client.read_resource(uri)

    in_this_process(family, talk)


@contextmanager
def http_server(family: Path, *options: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    arguments = command(family, "--http", "--port", "0", *options)
    process = subprocess.Popen(
        [sys.executable, *arguments],
        env=environment(family),
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    with process, process.stderr:
        try:
            yield process.stderr.readline().split()[2], process
        finally:
            if process.poll() is None:
                process.kill()


def test_over_http_images_arrive_foreign_pages_do_not_and_ctrl_c_ends_it(family: Path) -> None:
    from mcp import Client

    async def talk(url: str, mode: Any) -> None:
        async with Client(url, mode=mode) as client:
            recalled = await client.call_tool("search", {"question": "Where is the spare key?"})
            assert pictures(recalled)[0].size == (1024, 683)

    with http_server(family) as (url, process):
        asyncio.run(talk(url, "auto"))
        asyncio.run(talk(url, "legacy"))
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        for header, value, status in (
            ("Host", "evil.example", 421),
            ("Origin", "https://evil.example", 403),
            ("Sec-Fetch-Site", "cross-site", 403),
        ):
            assert httpx.post(url, json=body, headers={header: value}).status_code == status
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(20) == 130
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()


def test_alone_too_an_archive_that_a_key_may_not_see_is_not_there(tmp_path: Path) -> None:
    with Archive.open(tmp_path / "home", encoder="hashing") as archive:
        archive.add([Memory("key", "note", "The spare key is with Olga.")])
    made = token(tmp_path, work="admin")
    told = []
    with (
        http_server(tmp_path / "home", "--state", str(tmp_path / "state")) as (url, _),
        httpx.Client(headers={"Authorization": f"Bearer {made}"}, timeout=60) as client,
    ):
        for path in ("", "/home", "/none", "/home/", "/none/"):
            reply = client.post(url + path, json={"jsonrpc": "2.0", "id": 1})
            headers = {name: value for name, value in reply.headers.items() if name != "date"}
            told.append((reply.status_code, headers, reply.text))
    assert told[0][0] == 404
    assert all(each == told[0] for each in told)


def test_an_address_that_others_can_reach_needs_a_key(family: Path) -> None:
    with quiet_home(family.parent):
        result = run("mcp", family, "--http", "--host", "0.0.0.0")
    assert result.code == 2
    assert "graphmemix keys create" in result.err


def test_ctrl_c_ends_a_server_that_waits_for_input(family: Path) -> None:
    with subprocess.Popen(
        [sys.executable, *command(family)],
        env=environment(family),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write('{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == 1
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
        assert process.stderr is not None
        assert process.stderr.read() == "Stopped. No write was left incomplete.\n"


def test_beside_the_routes_each_key_reaches_its_own_archive_alone(tmp_path: Path) -> None:
    for name in ("home", "work"):
        fill(tmp_path / name, f"word-of-{name}")
    reads, writes = token(tmp_path, home="read"), token(tmp_path, work="write")

    async def tools(url: str, key: str) -> tuple[list[str], str, bool]:
        async with over_http(url, key) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            told = words(await client.call_tool("get", {"id": "m1"}))
            added = await client.call_tool("add_note", {"text": "One more."})
            return names, told, not added.is_error

    with serving(tmp_path, "home", "work") as live:
        names, told, added = asyncio.run(tools(f"{live.url}/mcp/home", reads))
        assert "add_note" not in names
        assert "word-of-home" in told
        assert not added
        names, told, added = asyncio.run(tools(f"{live.url}/mcp/work", writes))
        assert names == TOOLS
        assert "word-of-work" in told
        assert added
        for path, key, status in (
            ("/mcp/work", reads, 404),
            ("/mcp/home", writes, 404),
            ("/mcp/none", reads, 404),
            ("/mcp", reads, 404),
            ("/mcp/home", "", 401),
        ):
            with live.client(key) as client:
                body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
                assert client.post(path, json=body).status_code == status, (path, key)
