from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from graphmemix import Memory
from tests.serve.servers import fill, serving

HOME = "/v1/archives/home"


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[httpx.Client]:
    fill(tmp_path / "home", "quokka")
    with serving(tmp_path) as live, live.client() as client:
        yield client


def test_a_memory_is_told_as_the_library_tells_it(client: httpx.Client) -> None:
    reply = client.get(f"{HOME}/memories/m2")
    assert reply.status_code == 200
    told = Memory.from_json(reply.content)
    assert told == Memory("m2", "message", "It is under the pillow.", session="s", sequence=2)


def test_an_id_with_a_slash_can_be_asked_for(client: httpx.Client) -> None:
    assert client.get(f"{HOME}/memories/a%2Fb").json()["kind"] == "email"


def test_pages_follow_each_other_without_gap_or_repeat(client: httpx.Client) -> None:
    seen: list[str] = []
    parameters: dict[str, Any] = {"limit": 3}
    while True:
        page = client.get(f"{HOME}/memories", params=parameters).json()
        seen += [memory["id"] for memory in page["memories"]]
        if page["next"] is None:
            break
        parameters["after"] = page["next"]
    assert sorted(seen) == ["a/b", "m1", "m2", "p1"]


def test_filters_narrow_the_list(client: httpx.Client) -> None:
    def ids(**parameters: Any) -> set[str]:
        page = client.get(f"{HOME}/memories", params=parameters).json()
        return {memory["id"] for memory in page["memories"]}

    assert ids(kind=["email", "photo"]) == {"a/b", "p1"}
    assert ids(session="s") == {"m1", "m2"}
    assert ids(modality="image") == {"p1"}
    assert ids(since="2020-01-01T00:00:00Z") == set()


@pytest.mark.parametrize(
    "parameters",
    [
        {"limit": "0"},
        {"limit": "many"},
        {"kind": "dream"},
        {"since": "yesterday"},
        {"since": "2020-01-01T00:00:00"},
    ],
)
def test_a_wrong_parameter_is_named(client: httpx.Client, parameters: dict[str, str]) -> None:
    reply = client.get(f"{HOME}/memories", params=parameters)
    assert reply.status_code == 422
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.json()["code"] == "invalid_input"
    assert next(iter(parameters)) in reply.json()["detail"]


def test_words_find_memories_best_first(client: httpx.Client) -> None:
    hits = client.post(f"{HOME}/search", json={"text": "hotel", "limit": 5}).json()["hits"]
    assert hits[0]["memory"]["id"] == "a/b"
    assert hits[0]["score"] > 0


def test_added_memories_are_there_and_known_the_second_time(fresh: httpx.Client) -> None:
    body = {"memories": [{"kind": "note", "text": "The spare key is at Ruth's."}]}
    first = fresh.post(f"{HOME}/memories", json=body)
    assert first.status_code == 201
    [added] = first.json()["new"]
    assert fresh.get(f"{HOME}/memories/{added}").json()["text"].startswith("The spare key")
    again = fresh.post(f"{HOME}/memories", json=body)
    assert again.json() == {"new": [], "known": [added]}


def test_a_number_of_any_length_does_not_break_questions(fresh: httpx.Client) -> None:
    note = {"kind": "note", "text": "tooth", "session": "s", "sequence": 10**40}
    assert fresh.post(f"{HOME}/memories", json={"memories": [note]}).status_code == 201
    assert fresh.post(f"{HOME}/ask", json={"question": "Where is the tooth?"}).status_code == 200


def test_an_id_with_other_content_is_refused(fresh: httpx.Client) -> None:
    body = {"memories": [{"id": "m1", "kind": "note", "text": "something else"}]}
    reply = fresh.post(f"{HOME}/memories", json=body)
    assert (reply.status_code, reply.json()["code"]) == (409, "duplicate_memory")


def test_the_days_that_a_memory_is_about(fresh: httpx.Client) -> None:
    text = "Your stay from 10 to 12 July 2023, breakfast on 14 July 2023"
    note = {"id": "stay", "kind": "note", "text": text}
    assert fresh.post(f"{HOME}/memories", json={"memories": [note]}).status_code == 201
    assert fresh.get(f"{HOME}/about/stay").json() == {
        "about": [
            {"first": "2023-07-10", "last": "2023-07-12"},
            {"first": "2023-07-14", "last": "2023-07-14"},
        ]
    }
    assert fresh.get(f"{HOME}/about/m1").json() == {"about": []}


def test_an_update_keeps_the_old_state_in_the_history(fresh: httpx.Client) -> None:
    body = {"kind": "message", "text": "It is under the bed.", "session": "s", "sequence": 2}
    assert fresh.put(f"{HOME}/memories/m2", json=body).json() == {"version": 2}
    versions = fresh.get(f"{HOME}/history/m2").json()["versions"]
    assert [v["memory"]["text"] for v in versions] == [
        "It is under the pillow.",
        "It is under the bed.",
    ]


def test_an_update_does_not_change_the_id(fresh: httpx.Client) -> None:
    reply = fresh.put(f"{HOME}/memories/m2", json={"id": "m1", "kind": "note"})
    assert reply.status_code == 422


def test_erased_is_gone_and_the_receipt_counts_it(fresh: httpx.Client) -> None:
    reply = fresh.delete(f"{HOME}/memories/m1")
    assert (reply.status_code, reply.json()["memories"]) == (200, 1)
    assert fresh.get(f"{HOME}/memories/m1").status_code == 404
    assert fresh.delete(f"{HOME}/memories/never").status_code == 404
    assert fresh.post(f"{HOME}/erase", json={"ids": ["m2", "no"]}).json()["memories"] == 1


def test_erasing_again_gives_the_receipt_of_the_first_time(fresh: httpx.Client) -> None:
    first = fresh.delete(f"{HOME}/memories/m1").json()
    again = fresh.delete(f"{HOME}/memories/m1")
    assert (again.status_code, again.json()) == (200, {**first, "repeated": True})
    assert fresh.post(f"{HOME}/erase", json={"ids": ["m1"]}).json() == again.json()


@pytest.mark.parametrize(
    ("body", "named"),
    [
        (b"", "JSON"),
        (b"{", "JSON"),
        (b"[]", "NewMemories"),
        (b'{"memories": []}', "memories"),
        (b'{"memories": [{"kind": "dream"}]}', "memories.0.kind"),
        (b'{"memories": [{"kind": "note", "colour": "red"}]}', "memories.0.colour"),
        (b'{"memories": [{"kind": "note", "text": 7}]}', "memories.0.text"),
        (b'{"memories": [{"kind": "note", "timestamp": "2020-01-01T00:00:00"}]}', "time zone"),
        (b'{"memories": [{"kind": "note", "text": "\\ud800"}]}', "JSON"),
        (
            b'{"memories": [{"kind": "note", "media": [{"modality": "image", "sha256": "ab"}]}]}',
            "64",
        ),
        (b'{"memories": ' + b"[" * 10_000 + b"]" * 10_000 + b"}", "NewMemories"),
    ],
)
def test_a_wrong_body_is_refused_and_named(client: httpx.Client, body: bytes, named: str) -> None:
    headers = {"Content-Type": "application/json"}
    reply = client.post(f"{HOME}/memories", content=body, headers=headers)
    assert (reply.status_code, reply.json()["code"]) == (422, "invalid_input")
    assert named in reply.json()["detail"]


def test_what_a_form_can_send_is_no_json(client: httpx.Client) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        reply = client.post(
            f"{HOME}/erase", content=b'{"ids": ["m1"]}', headers={"Content-Type": kind}
        )
        assert (reply.status_code, reply.json()["code"]) == (415, "unsupported_media_type")
    assert client.get(f"{HOME}/memories/m1").status_code == 200


def test_what_is_not_there_is_a_problem_with_a_code(client: httpx.Client) -> None:
    for address in ("/memories/none", "/history/none", "/about/none", "/traces/none"):
        reply = client.get(HOME + address)
        assert (reply.status_code, reply.json()["code"]) == (404, "not_found")
        assert reply.json()["request_id"] == reply.headers["x-request-id"]
    assert client.get("/v1/archives/none").json()["code"] == "archive_not_found"
    assert client.patch(f"{HOME}/memories").json()["code"] == "method_not_allowed"
    assert client.get("/v2").json()["code"] == "not_found"


def test_a_server_for_reading_writes_nothing(tmp_path: Path) -> None:
    sha256 = fill(tmp_path / "home", "quokka")
    with serving(tmp_path, read_only=True) as live, live.client() as client:
        body = {"memories": [{"kind": "note", "text": "x"}]}
        refused = [
            client.post(f"{HOME}/memories", json=body),
            client.put(f"{HOME}/memories/m1", json={"kind": "note"}),
            client.delete(f"{HOME}/memories/m1"),
            client.post(f"{HOME}/media", content=b"x"),
            client.post(f"{HOME}/jobs", files={"files": ("a.txt", b"x")}),
        ]
        assert [(r.status_code, r.json()["code"]) for r in refused] == [(403, "read_only")] * 5
        assert client.get(f"{HOME}/media/{sha256}").status_code == 200
        assert client.get("/v1/archives").json()["archives"][0]["writable"] is False
