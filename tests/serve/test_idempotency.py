from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.serve.servers import Live, fill, serving, token

HOME = "/v1/archives/home"


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    folder: Path = tmp_path_factory.mktemp("once")
    fill(folder / "home", "quokka")
    with serving(folder) as found:
        yield found


def note(text: str) -> dict[str, Any]:
    return {"memories": [{"kind": "note", "text": text}]}


def test_a_write_that_is_sent_twice_is_done_once(client: httpx.Client) -> None:
    headers = {"Idempotency-Key": "k1"}
    first = client.post(f"{HOME}/memories", json=note("once"), headers=headers)
    again = client.post(f"{HOME}/memories", json=note("once"), headers=headers)
    assert (first.status_code, first.json()["known"]) == (201, [])
    assert (again.status_code, again.json()) == (201, first.json())


def test_the_reply_to_an_erasure_is_told_again(client: httpx.Client) -> None:
    headers = {"Idempotency-Key": "erase"}
    first = client.delete(f"{HOME}/memories/m2", headers=headers)
    again = client.delete(f"{HOME}/memories/m2", headers=headers)
    assert first.status_code == 200
    assert again.json() == first.json()


def test_the_same_key_for_another_request_is_refused(client: httpx.Client) -> None:
    headers = {"Idempotency-Key": "k2"}
    client.post(f"{HOME}/memories", json=note("a"), headers=headers)
    for reply in (
        client.post(f"{HOME}/memories", json=note("b"), headers=headers),
        client.post(f"{HOME}/erase", json={"ids": ["m1"]}, headers=headers),
    ):
        assert (reply.status_code, reply.json()["code"]) == (422, "idempotency_mismatch")
    assert client.get(f"{HOME}/memories/m1").status_code == 200


def test_what_failed_may_be_tried_again_under_its_key(client: httpx.Client) -> None:
    headers = {"Idempotency-Key": "k3"}
    body = {"memories": [{"id": "m1", "kind": "note", "text": "other"}]}
    for _ in range(2):
        reply = client.post(f"{HOME}/memories", json=body, headers=headers)
        assert reply.json()["code"] == "duplicate_memory"


@pytest.mark.parametrize("key", ["", "with space", "x" * 129])
def test_what_is_no_key_is_refused(client: httpx.Client, key: str) -> None:
    reply = client.post(f"{HOME}/memories", json=note("c"), headers={"Idempotency-Key": key})
    assert reply.status_code in {400, 422}


def test_uploads_are_compared_by_content_not_by_boundary(client: httpx.Client) -> None:
    def upload(data: bytes) -> httpx.Response:
        files = {"files": ("notes.md", data)}
        return client.post(f"{HOME}/jobs", files=files, headers={"Idempotency-Key": "up"})

    first = upload(b"# Ruth has the key")
    assert first.status_code == 202
    assert upload(b"# Ruth has the key").json()["id"] == first.json()["id"]
    assert upload(b"# Somebody else").json()["code"] == "idempotency_mismatch"
    assert len(client.get(f"{HOME}/jobs").json()["jobs"]) == 1


def test_two_at_the_same_time_are_not_both_done(live: Live) -> None:
    """While the first is being done, the second is told that it is under way."""
    served = live.app.state.service.archives.get("home")
    entered, leave = threading.Event(), threading.Event()
    replies: list[httpx.Response] = []

    def send() -> None:
        with live.client() as client:
            replies.append(
                client.post(
                    f"{HOME}/memories", json=note("slow"), headers={"Idempotency-Key": "slow"}
                )
            )

    add = served.archive.add

    def slow_add(memories: Any) -> Any:
        entered.set()
        leave.wait(30)
        return add(memories)

    served.archive.add = slow_add
    try:
        thread = threading.Thread(target=send)
        thread.start()
        assert entered.wait(30)
        send()
        leave.set()
        thread.join(30)
    finally:
        del served.archive.add
    assert sorted(reply.status_code for reply in replies) == [201, 409]


def test_replies_are_kept_over_a_restart_and_apart_by_key(tmp_path: Path) -> None:
    fill(tmp_path / "home", "quokka")
    one, other = token(tmp_path, home="write"), token(tmp_path, home="write")
    headers = {"Idempotency-Key": "same"}
    with serving(tmp_path) as live, live.client(one) as client:
        first = client.post(f"{HOME}/memories", json=note("a"), headers=headers)
    with serving(tmp_path) as live, live.client(one) as client, live.client(other) as second:
        assert client.post(f"{HOME}/memories", json=note("a"), headers=headers).json() == (
            first.json()
        )
        reply = second.post(f"{HOME}/memories", json=note("b"), headers=headers)
        assert reply.status_code == 201
