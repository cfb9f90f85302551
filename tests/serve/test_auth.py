"""Who gets in: names, pages elsewhere, keys; and what every reply says to browsers."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from graphmemix.serve.keys import KeyRing
from tests.serve.servers import Live, fill, serving, token, until


def status(live: Live, *headers: tuple[str, str], path: str = "/v1/archives") -> int:
    """Send exactly these headers; clients add and merge."""
    connection = http.client.HTTPConnection("127.0.0.1", live.port, timeout=30)
    connection.putrequest("GET", path, skip_host=True, skip_accept_encoding=True)
    for name, value in headers:
        connection.putheader(name, value)
    connection.endheaders()
    found = connection.getresponse().status
    connection.close()
    return found


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]", "LOCALHOST", "127.1.2.3"])
def test_the_loopback_names_are_known(live: Live, host: str) -> None:
    assert status(live, ("Host", f"{host}:{live.port}")) == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "192.168.1.7",
        "evil@localhost",
        "localhost:port",
        "[::1",
        "",
    ],
)
def test_a_name_that_somebody_else_may_control_is_refused(live: Live, host: str) -> None:
    assert status(live, ("Host", host)) == 421


def test_two_host_headers_or_none_are_refused(live: Live) -> None:
    assert status(live) == 400  # h11 knows that HTTP/1.1 needs one
    here = ("Host", f"127.0.0.1:{live.port}")
    assert status(live, here, ("Host", "evil.example")) in {400, 421}


def test_a_page_elsewhere_is_refused(live: Live) -> None:
    here = f"127.0.0.1:{live.port}"
    host = ("Host", here)
    assert status(live, host, ("Origin", f"http://{here}")) == 200
    for origin in ("https://evil.example", "null", f"http://127.0.0.1:{live.port + 1}", "://"):
        assert status(live, host, ("Origin", origin)) == 403
    for site in ("cross-site", "same-site"):
        assert status(live, host, ("Sec-Fetch-Site", site)) == 403
        mode = ("Sec-Fetch-Mode", "navigate")
        assert status(live, host, ("Sec-Fetch-Site", site), mode) == 403
    assert status(live, host, ("Sec-Fetch-Site", "same-origin")) == 200


def test_a_link_elsewhere_may_lead_to_the_page(live: Live) -> None:
    host = ("Host", f"127.0.0.1:{live.port}")
    elsewhere = ("Sec-Fetch-Site", "cross-site")
    assert status(live, host, elsewhere, ("Sec-Fetch-Mode", "navigate"), path="/") == 200
    assert status(live, host, elsewhere, ("Sec-Fetch-Mode", "no-cors"), path="/") == 403


def test_a_preflight_is_never_granted(client: httpx.Client) -> None:
    reply = client.options(
        "/v1/archives",
        headers={"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"},
    )
    assert reply.status_code == 403
    assert "access-control-allow-origin" not in reply.headers


def test_every_reply_tells_browsers_to_be_strict(client: httpx.Client) -> None:
    for address in ("/", "/v1/archives", "/v1/nothing", "/v1/archives/home/memories/none"):
        headers = client.get(address).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["x-frame-options"] == "DENY"
        assert "server" not in headers
    assert client.get("/v1/archives").headers["cache-control"] == "no-store"


def test_the_page_is_served_from_the_package_alone(client: httpx.Client) -> None:
    page = client.get("/")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    mark = page.headers["etag"]
    assert client.get("/", headers={"If-None-Match": mark}).status_code == 304
    for path in ("/../app.py", "/%2e%2e/app.py", "/..%2fapp.py", "/page/../app.py", "//etc/passwd"):
        assert client.get(path).status_code in {404, 421}


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Live, Path]]:
    folder = tmp_path_factory.mktemp("locked")
    fill(folder / "home", "quokka")
    token(folder, home="read")
    with serving(folder) as live:
        yield live, folder


def test_with_keys_nobody_gets_in_without_one(locked: tuple[Live, Path]) -> None:
    live, folder = locked
    good = token(folder, home="read")
    key_id, _, _ = good.removeprefix("gmx_").partition("_")
    for bad in (
        "",
        "x",
        "gmx__",
        good[:-1],
        good + "A",
        f"gmx_{key_id}_",
        "gmx_00000000_AAAA",
        "é",
    ):
        with live.client() as client:
            sent = {"Authorization": f"Bearer {bad}".encode()} if bad else {}
            reply = client.get("/v1/archives", headers=sent)  # type: ignore[arg-type]
            assert (reply.status_code, reply.json()["code"]) == (401, "unauthorized")
            assert reply.headers["www-authenticate"].startswith("Bearer")
    for open_to_all in ("/v1/health", "/v1/ready", "/v1/openapi.json", "/"):
        with live.client() as client:
            assert client.get(open_to_all).status_code == 200


def test_scopes_are_kept(locked: tuple[Live, Path]) -> None:
    live, folder = locked
    note = {"memories": [{"kind": "note", "text": "scopes"}]}
    with live.client(token(folder, home="read")) as reader:
        until(lambda: reader.get("/v1/archives").status_code == 200)
        assert reader.get("/v1/archives/home").json()["scope"] == "read"
        reply = reader.post("/v1/archives/home/memories", json=note)
        assert (reply.status_code, reply.json()["code"]) == (403, "forbidden")
        assert reader.get("/v1/metrics").status_code == 403
    with live.client(token(folder, home="write")) as writer:
        until(lambda: writer.get("/v1/archives").status_code == 200)
        assert writer.post("/v1/archives/home/memories", json=note).status_code == 201
        assert writer.post("/v1/archives/home/jobs", json={"paths": ["x"]}).status_code == 403
    with live.client(token(folder, all="admin")) as admin:
        until(lambda: admin.get("/v1/archives").status_code == 200)
        assert admin.get("/v1/metrics").status_code == 200


def test_a_revoked_key_stops_working_without_a_restart(locked: tuple[Live, Path]) -> None:
    live, folder = locked
    ring = KeyRing(folder / "state")
    key, secret = ring.create("short", {"home": "read"})
    with live.client(secret) as client:
        until(lambda: client.get("/v1/archives").status_code == 200)
        ring.revoke(key.id)
        until(lambda: client.get("/v1/archives").status_code == 401)
