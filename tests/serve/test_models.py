"""Asking with another model of the same server, or without one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.answering import endpoint
from tests.llm.servers import Connection, HostileServer, hostile, streams
from tests.serve.servers import fill, serving

__all__ = ["hostile"]

HOME = "/v1/archives/home"


@pytest.fixture
def asked(hostile: HostileServer, tmp_path: Path) -> Iterator[tuple[httpx.Client, list[str]]]:
    """A client of a server with two models, and the names of those that were asked."""
    fill(tmp_path / "home", "quokka")
    names: list[str] = []

    def answer(connection: Connection) -> None:
        names.append(connection.body["model"])
        streams([f"By {names[-1]} [1]."])(connection)

    hostile.script = [answer] * 3
    others = {"model__others": "second, third", "encoder__model": "hashing"}
    settings = endpoint(hostile.url, local__use="always", **others)
    with serving(tmp_path, settings=settings) as live, live.client() as client:
        yield client, names


def answer(client: httpx.Client, **more: Any) -> str:
    body = {"question": "Where is the tooth?", **more}
    reply = client.post(f"{HOME}/ask", json=body, headers={"Accept": "text/event-stream"})
    assert '"trace":' in reply.text, reply.text
    [line] = [each for each in reply.text.split("\n") if '"trace":' in each]
    text: str = json.loads(line.removeprefix("data: "))["trace"]["answer"]["text"]
    return text


def test_a_question_is_asked_with_the_model_that_it_names(
    asked: tuple[httpx.Client, list[str]],
) -> None:
    client, names = asked
    assert client.get(HOME).json()["models"] == ["m", "second", "third"]
    assert answer(client) == "By m [1]."
    assert answer(client, model="second") == "By second [1]."
    assert names == ["m", "second"]
    assert not answer(client, model="").startswith("By")  # quoted, and no model was asked
    assert names == ["m", "second"]


def test_a_model_that_the_settings_do_not_name_is_refused(
    asked: tuple[httpx.Client, list[str]],
) -> None:
    client, names = asked
    reply = client.post(f"{HOME}/ask", json={"question": "Where?", "model": "dear"})
    assert (reply.status_code, reply.json()["code"]) == (422, "unknown_model")
    assert names == []
