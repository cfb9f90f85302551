"""Keys over HTTP: listed, created and revoked by a key that may do everything."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from tests.serve.servers import Live, fill, serving, token


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found: Path = tmp_path_factory.mktemp("keys")
    fill(found / "home", "quokka")
    return found


def test_a_server_without_keys_makes_none(folder: Path, tmp_path: Path) -> None:
    fill(tmp_path / "home", "quokka")
    with serving(tmp_path) as live, live.client() as client:
        assert client.get("/v1/keys").json() == {"keys": []}
        reply = client.post("/v1/keys", json={"name": "phone", "grants": {"home": "read"}})
        assert (reply.status_code, reply.json()["code"]) == (409, "no_keys")
        assert client.get("/v1/archives").status_code == 200  # it still asks for none


def test_a_key_is_created_used_and_revoked(folder: Path) -> None:
    owner = token(folder, all="admin")
    with serving(folder) as live, live.client(owner) as client:
        body = {"name": "phone", "grants": {"home": "read"}, "days": 30}
        made = client.post("/v1/keys", json=body).json()
        listed = client.get("/v1/keys").json()["keys"]
        assert made["key"] in listed
        assert made["key"]["expires_at"]
        assert made["token"].split("_", 2)[2] not in str(listed)
        with live.client(made["token"]) as phone:
            assert phone.get("/v1/archives/home").json()["scope"] == "read"
            _is_refused(phone)
            assert client.delete(f"/v1/keys/{made['key']['id']}").json()["revoked_at"]
            assert _is_out(live, phone)


def _is_refused(phone: httpx.Client) -> None:
    for reply in (
        phone.get("/v1/keys"),
        phone.post("/v1/keys", json={"name": "x", "grants": {"*": "admin"}}),
        phone.delete("/v1/keys/00000000"),
    ):
        assert (reply.status_code, reply.json()["code"]) == (403, "forbidden")


def _is_out(live: Live, phone: httpx.Client) -> bool:
    return phone.get("/v1/archives/home").status_code == 401


def test_odd_requests_are_refused(folder: Path) -> None:
    owner = token(folder, all="admin")
    with serving(folder) as live, live.client(owner) as client:
        own = owner.split("_")[1]
        reply = client.delete(f"/v1/keys/{own}")
        assert (reply.status_code, reply.json()["code"]) == (409, "own_key")
        assert client.delete("/v1/keys/00000000").status_code == 404
        elsewhere = client.post("/v1/keys", json={"name": "x", "grants": {"nowhere": "read"}})
        assert "no archive 'nowhere'" in elsewhere.json()["detail"]
        never = client.post("/v1/keys", json={"name": "x", "grants": {"home": "read"}, "days": -1})
        assert never.status_code == 422
