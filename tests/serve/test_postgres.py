"""Archives in one PostgreSQL database, served over HTTP: all of their life, and two kept apart."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from graphmemix import Trace
from graphmemix.serve.options import Limits, ServeOptions
from tests.serve.servers import PICTURE, Live, token
from tests.serve.test_isolation import SHARED, call, routes
from tests.store.conftest import Postgres, postgres

__all__ = ["postgres"]

MINE, THEIRS = "/v1/archives/mine", "/v1/archives/theirs"
SECRET = "wombat"


class Database(NamedTuple):
    postgres: Postgres
    folder: Path

    def serving(self) -> Live:
        locations = [f"{name}={self.postgres.url}#{name}" for name in ("mine", "theirs")]
        limits = Limits(requests_per_minute=0)
        return Live(locations, ServeOptions(port=0, state=self.folder / "state", limits=limits))


@pytest.fixture(scope="module")
def database(postgres: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    folder = tmp_path_factory.mktemp("pg")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(folder / "data"))  # where media of archives lie
        yield Database(postgres.new_database(), folder)


class Two(NamedTuple):
    live: Live
    mine: httpx.Client
    theirs: httpx.Client


@pytest.fixture(scope="module")
def two(database: Database) -> Iterator[Two]:
    keys = [token(database.folder, **{name: "admin"}) for name in ("mine", "theirs")]
    with (
        database.serving() as live,
        live.client(keys[0]) as mine,
        live.client(keys[1]) as theirs,
    ):
        told = [
            {"id": "m1", "kind": "message", "text": f"Mia lost a tooth. {SECRET}", "session": "s",
             "sequence": 1},
            {"id": "m2", "kind": "message", "text": "It is under the pillow.", "session": "s",
             "sequence": 2},
        ]  # fmt: skip
        theirs.post(f"{THEIRS}/memories", json={"memories": told}).raise_for_status()
        yield Two(live, mine, theirs)


def test_a_memory_is_added_found_asked_for_changed_and_erased(two: Two) -> None:
    kept = two.mine.post(f"{MINE}/media", content=PICTURE).json()
    medium = {"modality": "image", "sha256": kept["sha256"], "mime": "image/png", "name": "a.png"}
    turns = [
        {"id": f"k{n}", "kind": "message", "text": text, "session": "s", "sequence": n}
        for n, text in enumerate(["Who has our spare key?", "Olga has it.", "The boat is red."])
    ]
    photo = {"id": "p", "kind": "photo", "media": [medium]}
    added = two.mine.post(f"{MINE}/memories", json={"memories": [*turns, photo]})
    assert added.status_code == 201
    assert sorted(added.json()["new"]) == ["k0", "k1", "k2", "p"]
    assert two.mine.get(f"{MINE}/media/{kept['sha256']}").content == PICTURE

    told = two.mine.post(f"{MINE}/recall", json={"question": "Who has our spare key?"}).json()
    trace = Trace.from_json(json.dumps(told["trace"]))
    assert trace.forest is not None
    assert "k0" in trace.forest.memory_ids
    asked = two.mine.post(f"{MINE}/ask", json={"question": "Olga?", "explain": True}).json()
    assert asked["trace"]["answer"]["text"]
    assert {each["memory_id"] for each in asked["explanations"]} == {"k0", "k1", "k2", "p"}
    again = two.mine.get(f"{MINE}/traces/{trace.id}", params={"explain": False}).json()
    assert again == told
    listed = two.mine.get(f"{MINE}/traces").json()["traces"]
    assert [line["id"] for line in listed] == [asked["trace"]["id"], trace.id]

    two.mine.put(f"{MINE}/memories/k2", json={"kind": "message", "text": "The boat is blue."})
    hits = two.mine.post(f"{MINE}/search", json={"text": "blue"}).json()["hits"]
    assert [hit["memory"]["id"] for hit in hits] == ["k2"]
    assert len(two.mine.get(f"{MINE}/history/k2").json()["versions"]) == 2

    receipt = two.mine.post(f"{MINE}/erase", json={"ids": ["k1", "p", "nobody"]}).json()
    assert (receipt["memories"], receipt["media_files"], receipt["logs"]) == (2, 1, 2)
    assert receipt["edges"] > 0
    assert two.mine.get(f"{MINE}/memories/k1").status_code == 404
    assert two.mine.get(f"{MINE}/media/{kept['sha256']}").status_code == 404
    assert two.mine.get(f"{MINE}/traces").json()["traces"] == []


def test_archives_of_one_database_never_see_each_other(two: Two) -> None:
    trace = two.theirs.post(f"{THEIRS}/recall", json={"question": "tooth"}).json()["trace"]
    values = {"memory_id": "m1", "sha256": "0" * 64, "job": "none", "trace_id": trace["id"]}
    for method, path in routes(two.live):
        if path in SHARED:
            continue
        refused = call(two.mine, method, path, {**values, "archive": "theirs"})
        assert (refused.status_code, refused.json()["code"]) == (404, "archive_not_found"), path
        if method == "GET":
            reply = call(two.mine, method, path, {**values, "archive": "mine"})
            assert SECRET.encode() not in reply.content, path
    for question in ("tooth", SECRET):
        found = two.mine.post(f"{MINE}/recall", json={"question": question})
        assert SECRET.encode() not in found.content.replace(question.encode(), b"")
        hits = two.mine.post(f"{MINE}/search", json={"text": question}).json()["hits"]
        assert hits == []
    kept = two.theirs.get(f"{THEIRS}/memories").json()["memories"]
    assert [memory["id"] for memory in kept] == ["m1", "m2"]


def test_everything_is_there_after_a_restart(postgres: Postgres, database: Database) -> None:
    other = Database(postgres.new_database(), database.folder / "other")
    key = token(other.folder, all="admin")
    with other.serving() as live, live.client(key) as client:
        note = {"id": "n", "kind": "note", "text": "The tent is in the cellar."}
        client.post(f"{MINE}/memories", json={"memories": [note]}).raise_for_status()
        first = client.post(f"{MINE}/ask", json={"question": "Where is the tent?"}).json()
    with other.serving() as live, live.client(key) as client:
        assert client.get(f"{MINE}/memories/n").json()["text"] == "The tent is in the cellar."
        told = client.get(f"{MINE}/traces/{first['trace']['id']}", params={"explain": False})
        assert told.json() == first
        assert client.get(f"{THEIRS}/memories").json()["memories"] == []
