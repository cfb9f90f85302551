"""A server and a command that write to one archive at the same time."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmemix import Archive, Memory
from graphmemix.asking import NOT_ENCODED
from graphmemix.serve import jobs
from tests.cli.commands import run
from tests.serve.servers import serving, until

HOME = "/v1/archives/home"


def texts_of(folder: Path) -> set[str]:
    with Archive.open(folder / "home", mode="read") as archive:
        return {memory.text for memory in archive.find()}


def test_ingest_works_while_a_server_runs_and_the_server_sees_it(tmp_path: Path) -> None:
    (tmp_path / "new.txt").write_text("The boat is at the pier.", "utf-8")
    with serving(tmp_path) as live, live.client() as client:
        client.post(f"{HOME}/memories", json={"memories": [{"kind": "note", "text": "A kite."}]})
        assert run("ingest", tmp_path / "home", tmp_path / "new.txt").code == 0
        found = client.post(f"{HOME}/ask", json={"question": "Where is the boat?"}).json()
        assert "at the pier" in found["trace"]["answer"]["text"]
    assert {"A kite.", "The boat is at the pier."} <= texts_of(tmp_path)


def test_a_server_starts_reads_and_answers_while_another_process_writes(tmp_path: Path) -> None:
    with Archive.open(tmp_path / "home", mode="shared") as other:
        other.add([Memory.new("note", "The boat is at the pier.")])
        with other.store.writing(), serving(tmp_path) as live, live.client() as client:
            found = client.post(f"{HOME}/recall", json={"question": "Where is the boat?"})
            assert found.status_code == 200
            assert found.json()["trace"]["id"] == ""  # its trace could not be saved just now
        other.add([Memory.new("note", "The kite is in the shed.")])
    assert len(texts_of(tmp_path)) == 2


def test_an_idle_server_encodes_what_was_left_for_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "_IDLE_SECONDS", 0.01)
    (tmp_path / "new.txt").write_text("The boat is at the pier.", "utf-8")
    run("ingest", tmp_path / "home", tmp_path / "new.txt", "--later")
    with serving(tmp_path) as live, live.client() as client:

        def is_encoded() -> bool:
            reply = client.post(f"{HOME}/recall", json={"question": "Where is the boat?"})
            return not any(NOT_ENCODED in each for each in reply.json()["trace"]["notes"])

        until(is_encoded)
