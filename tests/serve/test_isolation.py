"""Two archives with two keys never see each other: every route is tried, also those to come."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from tests.serve.servers import Live, fill, serving, token, until

OURS, THEIRS = "quokka", "wombat"


class Two(NamedTuple):
    live: Live
    mine: httpx.Client
    theirs: httpx.Client
    values: dict[str, str]


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Two]:
    folder: Path = tmp_path_factory.mktemp("two")
    fill(folder / "mine", OURS)
    sha256 = fill(folder / "theirs", THEIRS)
    keys = token(folder, mine="admin"), token(folder, theirs="admin")
    with (
        serving(folder, "mine", "theirs", root=folder) as live,
        live.client(keys[0]) as mine,
        live.client(keys[1]) as theirs,
    ):
        base = "/v1/archives/theirs"
        trace = theirs.post(f"{base}/recall", json={"question": "tooth"}).json()["trace"]
        files = {"files": (f"{THEIRS}.txt", b"Notes about the " + THEIRS.encode())}
        job = theirs.post(f"{base}/jobs", files=files).json()["id"]
        until(lambda: theirs.get(f"{base}/jobs/{job}").json()["state"] == "done")
        yield Two(
            live,
            mine,
            theirs,
            {"memory_id": "m1", "sha256": sha256, "job": job, "trace_id": trace["id"]},
        )


# What a route needs in its body to get as far as the archive. A new route that takes a body and
# does not stand here is called with an empty object.
BODIES: dict[tuple[str, str], dict[str, Any]] = {
    ("POST", "/memories"): {"json": {"memories": [{"kind": "note", "text": "x"}]}},
    ("PUT", "/memories/{memory_id:path}"): {"json": {"kind": "note", "text": "x"}},
    ("POST", "/erase"): {"json": {"ids": ["m1"]}},
    ("POST", "/search"): {"json": {"text": "tooth"}},
    ("POST", "/media"): {"content": b"x"},
    ("POST", "/jobs"): {"files": {"files": ("a.txt", b"x")}},
    ("POST", "/recall"): {"json": {"question": "tooth"}},
    ("POST", "/ask"): {"json": {"question": "tooth"}},
}
# Routes that belong to no archive: each is looked at below for what it tells of others.
SHARED = {
    *("/v1/health", "/v1/ready", "/v1/metrics", "/v1/archives", "/v1/openapi.json"),
    *("/v1/keys", "/v1/keys/{key}"),
}


def routes(live: Live) -> list[tuple[str, str]]:
    """Every method and pattern under /v1 that the application has."""
    found = []
    for route in live.app.routes:
        path = getattr(route, "path", None)
        assert path is not None, f"{route!r} hides its routes from this test"
        if path.startswith("/v1"):
            found += [(method, path) for method in sorted(route.methods - {"HEAD"})]
    return found


def call(client: httpx.Client, method: str, path: str, values: dict[str, str]) -> httpx.Response:
    tail = path.removeprefix("/v1/archives/{archive}")
    options = BODIES.get((method, tail), {"json": {}} if method in {"POST", "PUT"} else {})
    address = re.sub(r"\{(\w+)(:path)?\}", lambda match: values[match[1]], path)
    return client.request(method, address, **options)


def test_every_route_either_names_its_archive_or_is_known_to_be_shared(two: Two) -> None:
    found = routes(two.live)
    assert len(found) > 20
    for _, path in found:
        assert path in SHARED or path.startswith("/v1/archives/{archive}")
    assert {"/v1" + tail for tail in ("/health", "/ready")} <= {path for _, path in found}


def test_no_route_lets_a_key_into_an_archive_of_another(two: Two) -> None:
    for method, path in routes(two.live):
        if path in SHARED:
            continue
        reply = call(two.mine, method, path, {**two.values, "archive": "theirs"})
        assert (reply.status_code, reply.json()["code"]) == (404, "archive_not_found"), path
        missing = call(two.mine, method, path, {**two.values, "archive": "nowhere"})
        told = (reply.json()["detail"], missing.json()["detail"])
        assert told[0].replace("theirs", "nowhere") == told[1]  # it looks as if it were not there


def test_no_id_of_another_archive_opens_anything_in_ones_own(two: Two) -> None:
    for method, path in routes(two.live):
        if method != "GET" or "{archive}" not in path or path.count("{") < 2:
            continue
        values = {**two.values, "archive": "mine", "memory_id": "p1"}
        reply = call(two.mine, method, path, values)
        assert THEIRS.encode() not in reply.content, path
        if "memory_id" not in path:  # both archives have a memory p1
            assert reply.status_code == 404, path


def test_shared_routes_tell_nothing_of_another_archive(two: Two) -> None:
    for path in SHARED:
        reply = two.mine.get(path)
        told = reply.content.replace(b'"theirs"', b"!")
        assert b"theirs" not in told, path
        assert THEIRS.encode() not in reply.content, path
    listed = two.mine.get("/v1/archives").json()["archives"]
    assert [archive["name"] for archive in listed] == ["mine"]
    assert two.mine.get("/v1/metrics").status_code == 403
    grants = {"name": "x", "grants": {"theirs": "read"}}
    for reply in (
        two.mine.get("/v1/keys"),
        two.mine.post("/v1/keys", json=grants),
        two.mine.delete("/v1/keys/00000000"),
    ):
        assert (reply.status_code, reply.json()["code"]) == (403, "forbidden")


METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
TOOLS = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
# What somebody who looks for names may send: nothing, good bodies, and what is refused on the way.
SENT: dict[str, dict[str, Any]] = {
    "nothing": {},
    "an empty object": {"json": {}},
    "a call of MCP": {
        "json": TOOLS,
        "headers": {"Accept": "application/json, text/event-stream"},
    },
    "no JSON": {"content": b"{", "headers": {"Content-Type": "application/json"}},
    "a form": {"files": {"files": ("a.txt", b"x")}},
    "wrong arguments": {
        "params": {"limit": "x", "after": "x", "size": "-1"},
        "headers": {"Idempotency-Key": "x" * 500, "Range": "bytes=9-1"},
    },
}


def seen(client: httpx.Client, method: str, address: str, sent: str) -> Any:
    """All that a reply tells, but for what is its own: its id, its time, the name that was sent."""
    reply = client.request(method, address, **SENT[sent])
    headers = {name: value for name, value in reply.headers.items() if name != "date"}
    own = headers.pop("x-request-id")
    return reply.status_code, headers, reply.text.replace(own, "ID")


def addresses(live: Live, values: dict[str, str]) -> list[str]:
    """Every address that names an archive: those of the OpenAPI description, and those of MCP."""
    described = live.app.openapi()["paths"]
    patterns = [path for path in described if path.startswith("/v1/archives/{archive}")]
    assert len(patterns) > 10
    filled = [
        re.sub(r"\{(\w+)\}", lambda m: values.get(m[1], "{archive}"), path) for path in patterns
    ]
    below = [f"/v1/archives/{{archive}}{tail}" for tail in ("/", "/x", "/../x", "/memories/")]
    agents = [f"/mcp/{{archive}}{tail}" for tail in ("", "/", "/x", "%2F", "?x=1")]
    return [*filled, *below, *agents]


@pytest.mark.parametrize("sent", SENT)
def test_nothing_tells_an_archive_of_another_from_one_that_is_not_there(
    two: Two, sent: str
) -> None:
    theirs, nobodys = "theirs", "nobody"  # of one length: sizes of replies are compared too
    for address in addresses(two.live, two.values):
        for method in METHODS:
            replies = [
                seen(two.mine, method, address.replace("{archive}", name), sent)
                for name in (theirs, nobodys)
            ]
            there = (*replies[0][:2], replies[0][2].replace(theirs, nobodys))
            assert there == replies[1], (method, address)
            assert replies[1][0] in {404, 405}, (method, address)


def test_mcp_keeps_them_apart_too(two: Two) -> None:
    headers = {"Accept": "application/json, text/event-stream"}
    for client, status in ((two.theirs, 200), (two.mine, 404)):
        assert client.post("/mcp/theirs", json=TOOLS, headers=headers).status_code == status
    with two.live.client() as nobody:
        for name in ("theirs", "nobody"):
            assert nobody.post(f"/mcp/{name}", json=TOOLS, headers=headers).status_code == 401


def test_the_other_archive_is_as_it_was(two: Two) -> None:
    listed = two.theirs.get("/v1/archives/theirs/memories").json()["memories"]
    assert {"m1", "m2", "p1", "a/b"} < {memory["id"] for memory in listed}
    assert len(listed) == 5
