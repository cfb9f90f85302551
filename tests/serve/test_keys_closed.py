"""Keys fail closed: whatever becomes of their file, it never lets anybody in."""

from __future__ import annotations

import hmac
import logging
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from graphmemix.errors import SettingsError
from graphmemix.serve import keys as serve_keys
from graphmemix.serve.keys import KeyRing
from tests.cli.commands import quiet_home, run
from tests.serve.servers import fill, serving, token, until


def written(text: str) -> Callable[[Path], object]:
    return lambda file: file.write_text(text, "utf-8")


def replaced(make: Callable[[Path], object]) -> Callable[[Path], object]:
    def change(file: Path) -> None:
        file.unlink()
        make(file)

    return change


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-20])


def with_field(name: str, value: str) -> Callable[[Path], object]:
    def change(file: Path) -> None:
        text = file.read_text("utf-8")
        before, _, rest = text.partition(f'"{name}":')
        _, comma, after = rest.partition(",")
        file.write_text(f'{before}"{name}":{value}{comma}{after}', "utf-8")

    return change


DAMAGES: dict[str, Any] = {
    "missing": Path.unlink,
    "empty": written(""),
    "cut off": cut,
    "no keys": written('{"keys": []}'),
    "nothing said": written("{}"),
    "null": written("null"),
    "a list": written("[]"),
    "another type": written('{"keys": {"a": 1}}'),
    "foreign": written("[server]\nport = 1\n"),
    "not text": lambda file: file.write_bytes(b"\xff\x00" * 50),
    "no hash": with_field("sha256", '"\u00e9"'),
    "no zone": with_field("created_at", '"2024-01-01T00:00:00"'),
    "a folder": replaced(Path.mkdir),
    "a pipe": replaced(os.mkfifo),
    "a link to nothing": replaced(lambda file: file.symlink_to("elsewhere.json")),
    "a link to itself": replaced(lambda file: file.symlink_to(file.name)),
    "writable by others": lambda file: file.chmod(0o666),
    "in an open folder": lambda file: file.parent.chmod(0o777),
}


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let rings look at their file for every question, so that no test has to wait."""
    monkeypatch.setattr(serve_keys, "_LOOK_EVERY", 0.0)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_ring_that_has_seen_keys_and_one_after_a_restart_refuse_everybody(
    tmp_path: Path, damage: Callable[[Path], object]
) -> None:
    state = tmp_path / "state"
    seen = KeyRing(state)
    _, secret = seen.create("phone", {"*": "admin"})
    assert seen.principal(secret) is not None
    damage(state / "keys.json")
    for ring in (seen, KeyRing(state)):
        for _ in range(2):
            with pytest.raises(SettingsError, match="every request is refused"):
                _ = ring.in_use
            with pytest.raises(SettingsError, match="graphmemix keys create"):
                ring.principal(secret)


@pytest.mark.usefixtures("at_once")
def test_a_state_that_is_no_folder_any_more_refuses_everybody(tmp_path: Path) -> None:
    state = tmp_path / "state"
    ring = KeyRing(state)
    ring.create("phone", {"*": "admin"})
    state.rename(tmp_path / "away")
    with pytest.raises(SettingsError, match="is missing"):  # this one has seen keys
        _ = ring.in_use
    state.write_text("something else", "utf-8")
    for each in (ring, KeyRing(state)):
        with pytest.raises(SettingsError, match="cannot be read"):
            _ = each.in_use


@pytest.mark.usefixtures("at_once")
def test_a_running_server_closes_and_opens_again_when_the_file_is_back(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    fill(tmp_path / "home", "quokka")
    made = token(tmp_path, all="admin")
    state = tmp_path / "state"
    file, good = state / "keys.json", (state / "keys.json").read_bytes()
    caplog.set_level(logging.WARNING, "graphmemix.serve")
    with serving(tmp_path) as live, live.client(made) as client, live.client() as nobody:
        for name, damage in DAMAGES.items():
            damage(file)
            for each in (client, nobody):
                for path in ("/v1/archives", "/v1/archives/home", "/mcp", "/mcp/home"):
                    reply = each.get(path)
                    told = (reply.status_code, reply.json()["code"])
                    assert told == (503, "misconfigured"), (name, path)
                    assert str(tmp_path) not in reply.text
            assert client.get("/v1/health").status_code == 200
            state.chmod(0o700)
            if file.is_dir() and not file.is_symlink():
                file.rmdir()
            else:
                file.unlink(missing_ok=True)
            file.write_bytes(good)
            file.chmod(0o600)
            assert client.get("/v1/archives").status_code == 200, name
            assert nobody.get("/v1/archives").status_code == 401, name
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 2 * len(DAMAGES)  # once for each change, not for each request
    assert all("keys create" in line and "keys off" in line for line in said[::2])


def test_a_server_does_not_start_again_while_its_keys_are_gone(tmp_path: Path) -> None:
    with quiet_home(tmp_path):
        state = tmp_path / "state"
        fill(tmp_path / "home", "quokka")
        token(tmp_path, all="admin")
        (state / "keys.json").unlink()
        for command in (
            ("serve", tmp_path / "home", "--port", 0, "--state", state),
            ("serve", tmp_path / "home", "--port", 0, "--state", state, "--host", "0.0.0.0"),
            ("mcp", tmp_path / "home", "--http", "--port", 0, "--state", state),
            ("keys", "list", "--state", state),
        ):
            refused = run(*command)
            assert refused.code == 2
            assert "is missing" in refused.err
            assert "graphmemix keys create" in refused.err
            assert "graphmemix keys off" in refused.err
        assert run("keys", "create", "new", "--grant", "*:read", "--state", state).code == 0
        with serving(tmp_path) as live, live.client() as nobody:
            assert nobody.get("/v1/archives").status_code == 401


def test_keys_of_an_earlier_version_are_remembered_once_a_server_has_seen_them(
    tmp_path: Path,
) -> None:
    fill(tmp_path / "home", "quokka")
    token(tmp_path, all="admin")
    marker = tmp_path / "state" / "keys.required"
    marker.unlink()
    with serving(tmp_path) as live, live.client() as nobody:
        assert nobody.get("/v1/archives").status_code == 401
    assert marker.exists()
    (tmp_path / "state" / "keys.json").unlink()
    with pytest.raises(SettingsError, match="is missing"), serving(tmp_path):
        pass


def test_a_server_without_keys_is_open_until_the_first_and_never_again(tmp_path: Path) -> None:
    fill(tmp_path / "home", "quokka")
    with serving(tmp_path) as live, live.client() as nobody:
        assert nobody.get("/v1/archives").status_code == 200
        made = token(tmp_path, all="admin")
        until(lambda: nobody.get("/v1/archives").status_code == 401)
        with live.client(made) as client:
            assert client.get("/v1/archives").status_code == 200
        for name in ("keys.json", "keys.required"):
            (tmp_path / "state" / name).unlink()
        until(lambda: nobody.get("/v1/archives").status_code == 503)


def test_revoking_the_last_key_opens_nothing_and_says_so(tmp_path: Path) -> None:
    fill(tmp_path / "home", "quokka")
    state = tmp_path / "state"
    made = token(tmp_path, all="admin")
    key_id = made.split("_")[1]
    with quiet_home(tmp_path), serving(tmp_path) as live, live.client(made) as client:
        revoked = run("keys", "revoke", key_id, "--state", state)
        assert revoked.code == 0
        assert "every request is refused" in revoked.err
        until(lambda: client.get("/v1/archives").status_code == 401)
    with serving(tmp_path) as live, live.client() as nobody:
        assert nobody.get("/v1/archives").status_code == 401


def test_keys_are_switched_off_on_purpose_alone(tmp_path: Path) -> None:
    fill(tmp_path / "home", "quokka")
    state = tmp_path / "state"
    token(tmp_path, all="admin")
    with quiet_home(tmp_path):
        for answer in ("", "n\n"):
            assert run("keys", "off", "--state", state, answer=answer).code != 0
            assert (state / "keys.json").exists()
        with serving(tmp_path) as live, live.client() as nobody:
            assert run("keys", "off", "--state", state, answer="y\n").code == 0
            until(lambda: nobody.get("/v1/archives").status_code == 503)
        with serving(tmp_path) as live, live.client() as nobody:
            assert nobody.get("/v1/archives").status_code == 200
        again = run("keys", "off", "--yes", "--state", state)
        assert (again.code, again.out) == (0, "No keys are in use.\n")


@pytest.mark.usefixtures("at_once")
def test_a_key_works_all_the_time_while_others_are_made(tmp_path: Path) -> None:
    _, secret = KeyRing(tmp_path).create("steady", {"*": "read"})
    ring, done = KeyRing(tmp_path), threading.Event()

    def make_others() -> None:
        for number in range(40):
            KeyRing(tmp_path).create(str(number), {"*": "read"})
        done.set()

    maker = threading.Thread(target=make_others)
    maker.start()
    while not done.is_set():
        assert ring.principal(secret) is not None
    maker.join()
    assert len(ring.keys()) == 41


def test_state_and_keys_belong_to_their_owner_alone(tmp_path: Path) -> None:
    KeyRing(tmp_path / "state").create("x", {"*": "read"})
    assert (tmp_path / "state").stat().st_mode & 0o777 == 0o700
    for file in (tmp_path / "state").iterdir():
        assert file.stat().st_mode & 0o777 == 0o600, file.name


def test_an_unknown_id_is_compared_like_a_known_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ring = KeyRing(tmp_path)
    _, secret = ring.create("x", {"*": "read"})
    compared = []

    def watched(one: str, other: str) -> bool:
        compared.append((len(one), len(other)))
        return one == other

    monkeypatch.setattr(hmac, "compare_digest", watched)
    assert ring.principal(secret) is not None
    assert ring.principal("gmx_00000000_" + secret.split("_", 2)[2]) is None
    assert compared == [(64, 64)] * 2


def test_mcp_alone_closes_too(tmp_path: Path) -> None:
    pytest.importorskip("mcp", reason="needs the extra mcp")
    from tests.serve.test_mcp import http_server

    fill(tmp_path / "home", "quokka")
    made = token(tmp_path, all="admin")
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    sent = {"Authorization": f"Bearer {made}", "Accept": "application/json, text/event-stream"}
    state = tmp_path / "state"
    with http_server(tmp_path / "home", "--state", str(state)) as (url, process):

        def status(headers: dict[str, str]) -> int:
            return httpx.post(url, json=body, headers=headers, timeout=60).status_code

        assert status(sent) == 200
        assert status({}) == 401
        (state / "keys.json").unlink()
        until(lambda: status(sent) == 503)
        assert status({}) == 503
        (state / "keys.required").unlink()
        assert status({}) == 503
        process.kill()
        assert process.stderr is not None
        assert "graphmemix keys create" in process.stderr.read()
