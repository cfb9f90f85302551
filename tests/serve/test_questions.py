from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from graphmemix import Archive, Trace
from graphmemix.optimize.explanation import Explanation, explain
from graphmemix.read.chance import in_words
from graphmemix.settings import Settings
from tests.serve.servers import PICTURE, Live, until

HOME = "/v1/archives/home"
QUESTION = "Where is the tooth?"


def events(reply: httpx.Response) -> list[tuple[str, Any]]:
    """Read the events of a stream, strictly."""
    found = []
    for block in reply.text.split("\n\n"):
        if block and not block.startswith(":"):
            first, second = block.split("\n")
            name, data = first.removeprefix("event: "), second.removeprefix("data: ")
            found.append((name, json.loads(data)))
    return found


def test_recall_gives_the_trace_that_the_library_gives(live: Live, client: httpx.Client) -> None:
    told = client.post(f"{HOME}/recall", json={"question": QUESTION}).json()
    trace = Trace.from_json(json.dumps(told["trace"]))
    assert trace.answer is None
    assert told["explanations"] == []
    archive: Archive = live.app.state.service.archives.get("home").archive
    same = archive.recall(QUESTION, save=False)
    assert trace.forest is not None
    assert same.forest == trace.forest
    assert same.supports == trace.supports


def test_ask_answers_and_explains(client: httpx.Client) -> None:
    body = {"question": {"text": QUESTION}, "explain": True, "filter": {"kinds": ["message"]}}
    told = client.post(f"{HOME}/ask", json=body).json()
    trace = Trace.from_json(json.dumps(told["trace"]))
    assert trace.answer is not None
    assert trace.answer.text
    assert told["holds"] == in_words(trace, Settings().reader) != ""
    assert {candidate.memory_id for candidate in trace.candidates} == {"m1", "m2"}
    explained = [Explanation.from_json(json.dumps(each)) for each in told["explanations"]]
    assert {each.memory_id for each in explained} == {"m1", "m2"}


def test_restrictions_by_keyword_mean_what_they_mean_in_python(
    live: Live, client: httpx.Client
) -> None:
    archive: Archive = live.app.state.service.archives.get("home").archive
    for wanted in ({"kinds": ["message"]}, {"sessions": ["none"]}, {"until": "1 May 1990"}):
        told = client.post(f"{HOME}/recall", json={"question": QUESTION, **wanted}).json()
        same = archive.recall(QUESTION, save=False, **wanted)
        assert Trace.from_json(json.dumps(told["trace"])).candidates == same.candidates
    one = client.post(f"{HOME}/ask", json={"question": QUESTION, "limit": 1}).json()
    assert len(Trace.from_json(json.dumps(one["trace"])).evidence) == 1


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({"since": "whenever"}, "since: 'whenever' is not a date"),
        ({"people": ["Nobody"]}, "people: nothing here was written"),
        ({"near": "Atlantis"}, "near: no memory is from a place"),
        ({"kinds": ["dream"]}, "kinds"),
        ({"limit": 0}, "limit"),
    ],
)
def test_a_wrong_restriction_is_refused_before_an_answer_begins(
    client: httpx.Client, accept: str, wanted: dict[str, Any], words: str
) -> None:
    body = {"question": QUESTION, **wanted}
    reply = client.post(f"{HOME}/ask", json=body, headers={"Accept": accept})
    assert reply.status_code == 422
    assert words in reply.text


def test_a_question_may_hold_pictures(client: httpx.Client) -> None:
    image = {"data": base64.b64encode(PICTURE).decode(), "mime": "image/png", "caption": "a tooth"}
    body = {"question": {"text": "", "images": [image]}}
    reply = client.post(f"{HOME}/recall", json=body)
    assert reply.status_code == 200
    assert reply.json()["trace"]["question"]["images"][0]["caption"] == "a tooth"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"question": ""},
        {"question": "   "},
        {"question": 7},
        {"question": {"text": ""}},
        {"question": "x" * 20_001},
        {"question": "x", "filter": {"kinds": ["dream"]}},
        {"question": {"text": "x", "as_of": "2020-01-01T00:00:00"}},
        {"question": {"text": "x", "images": [{"data": "not base64!"}]}},
    ],
)
def test_what_is_no_question_is_refused(client: httpx.Client, body: dict[str, Any]) -> None:
    for route in ("recall", "ask"):
        reply = client.post(f"{HOME}/{route}", json=body)
        assert (reply.status_code, reply.json()["code"]) == (422, "invalid_input")


def test_events_tell_stages_pieces_and_the_trace(client: httpx.Client) -> None:
    headers = {"Accept": "text/event-stream"}
    body = {"question": QUESTION, "explain": True}
    reply = client.post(f"{HOME}/ask", json=body, headers=headers)
    assert reply.headers["content-type"].startswith("text/event-stream")
    assert reply.headers["cache-control"] == "no-store"
    found = events(reply)
    stages = [data["stage"] for name, data in found if name == "stage"]
    assert stages[:2] == ["retrieve", "verify"]
    assert "read" in stages
    name, last = found[-1]
    assert name == "trace"
    assert last["explanations"]
    pieces = "".join(data["text"] for name, data in found if name == "piece")
    assert pieces
    assert last["trace"]["answer"]["text"].startswith(pieces[:10])


def test_explanations_of_a_stream_are_made_beside_the_event_loop(
    client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def watched(*given: Any) -> tuple[Explanation, ...]:
        try:
            asyncio.get_running_loop()
            seen.append("in the loop")
        except RuntimeError:
            seen.append("in a thread")
        return explain(*given)

    monkeypatch.setattr("graphmemix.serve.routes.questions.explain", watched)
    headers = {"Accept": "text/event-stream"}
    body = {"question": QUESTION, "explain": True}
    client.post(f"{HOME}/ask", json=body, headers=headers)
    client.post(f"{HOME}/ask", json=body)
    assert seen == ["in a thread", "in a thread"]


def test_a_failure_in_the_middle_is_the_last_event(
    live: Live, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = live.app.state.service.archives.get("home").archive

    async def broken(*_: Any, **__: Any) -> AsyncIterator[str]:
        yield "The tooth is"
        raise RuntimeError("secret /path of the server")

    monkeypatch.setattr(archive, "astream", broken)
    headers = {"Accept": "text/event-stream"}
    reply = client.post(f"{HOME}/ask", json={"question": QUESTION}, headers=headers)
    found = events(reply)
    assert [name for name, _ in found] == ["piece", "error"]
    assert found[-1][1]["code"] == "internal"
    assert "secret" not in reply.text


def test_a_client_that_goes_away_cancels_its_question(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = live.app.state.service.archives.get("home").archive
    seen: list[str] = []

    async def endless(*_: Any, **options: Any) -> AsyncIterator[str]:
        try:
            while True:
                yield "and "
                await asyncio.sleep(0.01)
        finally:
            seen.append("streamed")

    async def slow(*_: Any, budget: Any, **__: Any) -> Trace:
        seen.append("asked")
        while not budget.cancelled:  # noqa: ASYNC110  # it has no event
            await asyncio.sleep(0.01)
        seen.append("cancelled")
        raise RuntimeError

    monkeypatch.setattr(archive, "astream", endless)
    monkeypatch.setattr(archive, "aask", slow)
    headers = {"Accept": "text/event-stream"}
    with live.client() as client:
        body = {"question": QUESTION}
        with client.stream("POST", f"{HOME}/ask", json=body, headers=headers) as reply:
            next(reply.iter_raw())
        until(lambda: "streamed" in seen)
        with pytest.raises(httpx.ReadTimeout):
            client.post(f"{HOME}/ask", json=body, timeout=2)
    until(lambda: seen[-1] == "cancelled")


def test_traces_are_listed_and_told_with_reasons(client: httpx.Client) -> None:
    asked = client.post(f"{HOME}/ask", json={"question": "Which hotel?"}).json()["trace"]
    listed = client.get(f"{HOME}/traces", params={"limit": 3}).json()["traces"]
    line = next(line for line in listed if line["id"] == asked["id"])
    assert line["question"] == "Which hotel?"
    assert line["answer"] == asked["answer"]["text"]
    told = client.get(f"{HOME}/traces/{asked['id']}").json()
    assert told["trace"] == asked
    assert told["explanations"]
    short = client.get(f"{HOME}/traces/{asked['id']}", params={"explain": False}).json()
    assert short["explanations"] == []


def test_other_logs_of_an_archive_are_no_traces(live: Live, client: httpx.Client) -> None:
    from datetime import UTC, datetime

    from graphmemix.store import Log

    store = live.app.state.service.archives.get("home").archive.store
    store.put_log(Log("ingest:9", "job", datetime.now(UTC), "{}"))
    assert client.get(f"{HOME}/traces/ingest:9").status_code == 404
