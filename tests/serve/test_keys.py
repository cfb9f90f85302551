from __future__ import annotations

import json
import socket
import stat
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from graphmemix.errors import InvalidInputError
from graphmemix.serve.archives import _named
from graphmemix.serve.keys import KeyRing, Principal
from graphmemix.serve.options import ServeOptions
from graphmemix.serve.run import bind
from tests.cli.commands import Ran, quiet_home
from tests.cli.commands import run as command


def run(folder: Path, *arguments: str) -> Ran:
    with quiet_home(folder):
        return command(*arguments, "--state", folder / "state")


def test_a_token_opens_what_it_was_made_for_and_is_kept_nowhere(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path)
    key, token = ring.create("phone", {"home": "read", "work": "admin"})
    secret = token.split("_", 2)[2]
    assert len(secret) == 43  # 256 bits
    assert ring.principal(token) == Principal(key.id, {"home": "read", "work": "admin"})
    kept = (tmp_path / "keys.json").read_text("utf-8")
    assert secret not in kept
    assert stat.S_IMODE((tmp_path / "keys.json").stat().st_mode) == 0o600


def test_scopes_hold_those_below_them() -> None:
    who = Principal("x", {"home": "write", "*": "read"})
    assert [who.may("home", s) for s in ("read", "write", "admin")] == [True, True, False]
    assert [who.may("work", s) for s in ("read", "write")] == [True, False]
    assert Principal("x", {"home": "read"}).scope("work") is None


def test_an_expired_key_opens_nothing(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path)
    key, token = ring.create("old", {"*": "read"}, days=1)
    assert ring.principal(token) is not None
    assert not replace(key, expires_at=datetime(2020, 1, 1, tzinfo=UTC)).is_valid(datetime.now(UTC))


def test_keys_made_at_the_same_time_are_all_kept(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda i: KeyRing(tmp_path).create(str(i), {"*": "read"}), range(12)))
    assert {key.id for key, _ in made} == {each.id for each in KeyRing(tmp_path).keys()}  # noqa: SIM118


@pytest.mark.parametrize("grants", [{}, {"home": "own"}, {"": "read"}])
def test_a_key_must_open_something(tmp_path: Path, grants: dict[str, str]) -> None:
    with pytest.raises(InvalidInputError, match="grants"):
        KeyRing(tmp_path).create("x", grants)  # type: ignore[arg-type]


def test_a_damaged_file_is_named_and_does_not_let_anybody_in(tmp_path: Path) -> None:
    (tmp_path / "keys.json").write_text("{", "utf-8")
    with pytest.raises(InvalidInputError):
        _ = KeyRing(tmp_path).in_use


def test_the_command_makes_lists_and_revokes(tmp_path: Path) -> None:
    made = run(tmp_path, "keys", "create", "phone", "--grant", "home:read", "--grant", "*:read")
    assert made.code == 0, made.err
    token = made.out.strip()
    assert KeyRing(tmp_path / "state").principal(token) is not None
    [listed] = run(tmp_path, "keys", "list", "--json").json
    assert listed["grants"] == {"home": "read", "*": "read"}
    assert token.split("_", 2)[2] not in json.dumps(listed)
    assert run(tmp_path, "keys", "revoke", listed["id"]).code == 0
    assert "revoked" in run(tmp_path, "keys", "list").out
    assert KeyRing(tmp_path / "state").principal(token) is None
    assert run(tmp_path, "keys", "revoke", "nothing").code == 2


def test_an_address_that_others_can_reach_needs_a_key(tmp_path: Path) -> None:
    refused = run(tmp_path, "serve", str(tmp_path / "home"), "--host", "0.0.0.0", "--port", "0")
    assert refused.code == 2
    assert "only loopback addresses work without a key" in refused.err
    assert not (tmp_path / "home").exists()
    options = ServeOptions(host="0.0.0.0", port=0, state=tmp_path / "state")
    with pytest.raises(InvalidInputError, match="keys create"):
        bind(options)
    KeyRing(tmp_path / "state").create("x", {"*": "read"})
    bind(options).close()


def test_small_replies_do_not_wait_for_an_acknowledgement(tmp_path: Path) -> None:
    with bind(ServeOptions(port=0, state=tmp_path)) as bound:
        assert bound.proto == socket.IPPROTO_TCP  # asyncio sets TCP_NODELAY where it reads this


@pytest.mark.parametrize("host", ["a\x00b", "é" * 300, "x" * 300 + ".example"])
def test_a_host_that_is_no_name_is_refused(tmp_path: Path, host: str) -> None:
    KeyRing(tmp_path).create("x", {"*": "read"})
    with pytest.raises(InvalidInputError, match="cannot bind"):
        bind(ServeOptions(host=host, port=0, state=tmp_path))


def test_an_address_that_is_taken_is_named(tmp_path: Path) -> None:
    first = bind(ServeOptions(port=0, state=tmp_path))
    first.listen()
    port = first.getsockname()[1]
    with pytest.raises(InvalidInputError, match=str(port)):
        bind(ServeOptions(port=port, state=tmp_path))
    first.close()


@pytest.mark.parametrize(
    ("text", "name"),
    [("/a/home", "home"), ("work=/a/b", "work"), ("postgresql://u@h/db#letters", "letters")],
)
def test_archives_have_names(text: str, name: str) -> None:
    assert _named(text)[0] == name


@pytest.mark.parametrize("text", ["/a/my photos", "postgresql://u@h/db", "/a/.hidden", "/"])
def test_a_name_that_cannot_stand_in_an_address_is_refused(text: str) -> None:
    with pytest.raises(InvalidInputError, match="NAME=LOCATION"):
        _named(text)
