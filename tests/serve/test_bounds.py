"""What arrives is bounded in every form of it, on every surface."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from graphmemix import Archive, Question
from graphmemix.errors import InvalidInputError
from graphmemix.evidence import QuestionImage, Trace, Turn
from graphmemix.integrations import openai_tools
from graphmemix.serve.options import Limits
from graphmemix.store.records import Filter
from tests.serve.servers import Live, everything, fill, head, raw, serving, token

HOME = "/v1/archives/home"
LONG = "x" * 20_001
PICTURE = {"data": base64.b64encode(b"p").decode()}
LARGE_FORMS: dict[str, tuple[dict[str, Any], str]] = {
    "text": ({"text": LONG}, "20,000 are accepted"),
    "caption": ({"images": [{**PICTURE, "caption": LONG}]}, "20,000 are accepted"),
    "media type": ({"text": "x", "images": [{**PICTURE, "mime": LONG}]}, "20,000 are accepted"),
    "turn": ({"text": "x", "history": [{"role": "user", "text": LONG}]}, "20,000 are accepted"),
    "turns": (
        {"text": "x", "history": [{"role": "user", "text": ""}] * 20_000},
        "20,000 are accepted",
    ),
    "sum": ({"text": LONG[:15_000], "images": [{**PICTURE, "caption": LONG[:6000]}]}, "20,000"),
    "pictures": ({"text": "x", "images": [PICTURE] * 9}, "8 are accepted"),
}


@pytest.mark.parametrize("form", LARGE_FORMS)
def test_the_object_form_of_a_question_has_the_bounds_of_the_text_form(
    client: httpx.Client, form: str
) -> None:
    question, bound = LARGE_FORMS[form]
    for route, accept in (
        ("recall", "application/json"),
        ("ask", "application/json"),
        ("ask", "text/event-stream"),
    ):
        reply = client.post(
            f"{HOME}/{route}", json={"question": question}, headers={"Accept": accept}
        )
        assert (reply.status_code, reply.json()["code"]) == (422, "invalid_input")
        assert bound in reply.json()["detail"]


@pytest.mark.parametrize(
    "filtered",
    [{"sessions": ["s"] * 1001}, {"kinds": ["note"] * 1001}, {"speakers": ["x" * 10_001]}],
)
def test_a_filter_has_a_bounded_number_of_names(
    client: httpx.Client, filtered: dict[str, Any]
) -> None:
    for route, asked in (("recall", {"question": "x"}), ("search", {"text": "x"})):
        reply = client.post(f"{HOME}/{route}", json={**asked, "filter": filtered})
        assert (reply.status_code, reply.json()["code"]) == (422, "invalid_input")
        assert "filter." in reply.json()["detail"]


def test_the_library_and_tools_have_the_same_bounds(live: Live) -> None:
    archive: Archive = live.app.state.service.archives.get("home").archive
    large: list[Question | str] = [
        LONG,
        Question(LONG),
        Question("x", (QuestionImage(b"p", caption=LONG),)),
        Question("x", (QuestionImage(b"p"),) * 9),
        Question("x", (QuestionImage(bytes((32 << 20) + 1)),)),
        Question("x", history=(Turn("user", LONG),)),
    ]
    for question in large:
        for ask in (archive.recall, archive.ask, archive.case, archive.candidates):
            with pytest.raises(InvalidInputError, match="are accepted"):
                ask(question)
    with pytest.raises(InvalidInputError, match="instruction"):
        archive.ask("x", instruction=LONG)
    with pytest.raises(InvalidInputError, match="names"):
        archive.recall("x", filter=Filter(sessions=("s",) * 1001))
    for arguments in ({"question": LONG}, {"question": "x", "kinds": ["note"] * 101}):
        assert openai_tools.call(archive, "recall", arguments).text.startswith("error: ")


def test_traces_of_larger_questions_of_earlier_versions_stay_readable(live: Live) -> None:
    archive: Archive = live.app.state.service.archives.get("home").archive
    trace = archive.recall("Where is the tooth?", save=False)
    old = trace.to_json().replace("Where is the tooth?", LONG)
    assert Trace.from_json(old).question.text == LONG


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Live, Path]]:
    folder: Path = tmp_path_factory.mktemp("bounds")
    fill(folder / "home", "quokka")
    limits = Limits(requests_per_minute=0, memory_bytes=5000, added_bytes=20_000)
    with serving(folder, limits=limits, root=folder) as live:
        yield live, folder


@pytest.mark.parametrize(
    "memory",
    [
        {"text": "x" * 5000},
        {"metadata": {"note": ["x" * 100] * 50}},
        {"media": [{"modality": "image", "name": f"{i}.jpg"} for i in range(100)]},
        {"media": [{"modality": "audio", "description": {"transcript": "x" * 5000}}]},
        {"speaker": "x" * 5000},
    ],
)
def test_a_memory_is_bounded_whatever_makes_it_large(
    small: tuple[Live, Path], memory: dict[str, Any]
) -> None:
    with small[0].client() as client:
        added = client.post(f"{HOME}/memories", json={"memories": [{"kind": "note", **memory}]})
        changed = client.put(f"{HOME}/memories/m1", json={"kind": "note", **memory})
        for reply in (added, changed):
            assert (reply.status_code, reply.json()["code"]) == (413, "too_large")
            assert "at most 5000" in reply.json()["detail"]
        assert client.get(f"{HOME}/memories/m1").json()["text"].startswith("Mia")


def test_the_memories_of_one_request_are_bounded_together(small: tuple[Live, Path]) -> None:
    memories = [{"kind": "note", "text": f"{i} {'x' * 4000}"} for i in range(6)]
    with small[0].client() as client:
        reply = client.post(f"{HOME}/memories", json={"memories": memories})
        assert (reply.status_code, reply.json()["code"]) == (413, "too_large")
        assert "further requests" in reply.json()["detail"]
        reply = client.post(f"{HOME}/memories", json={"memories": memories[:2]})
        assert reply.status_code == 201


def test_the_faults_of_a_body_are_not_all_listed(client: httpx.Client) -> None:
    body = {"text": "x", **{f"unknown{i}": 1 for i in range(101)}}
    reply = client.post(f"{HOME}/search", json=body)
    assert reply.status_code == 422
    assert reply.json()["detail"] == "not a SearchRequest: 101 errors, too many to list"


def test_json_of_very_many_values_is_refused_before_it_is_parsed(client: httpx.Client) -> None:
    headers = {"Content-Type": "application/json"}
    content = b'{"text":"x","filter":[' + b"[]," * 250_000 + b"[]]}"
    reply = client.post(f"{HOME}/search", content=content, headers=headers)
    assert (reply.status_code, reply.json()["code"]) == (413, "too_large")


def test_a_question_of_many_unknown_fields_is_refused_before_it_is_parsed(
    client: httpx.Client,
) -> None:
    fields = ",".join(f'"k{number}":[]' for number in range(60_000))
    for route in ("recall", "ask", "search"):
        reply = client.post(
            f"{HOME}/{route}",
            content=f'{{"question": {{{fields}}}}}',
            headers={"Content-Type": "application/json"},
        )
        assert (reply.status_code, reply.json()["code"]) == (413, "too_large")


def test_the_name_of_an_unknown_field_is_not_repeated_at_length(client: httpx.Client) -> None:
    reply = client.post(f"{HOME}/recall", json={"question": {"k" * 1_000_000: 1}})
    assert reply.status_code == 422
    assert len(reply.content) < 1000


def test_a_question_is_asked_at_a_moment_that_exists_in_utc(client: httpx.Client) -> None:
    asked = {"text": "x", "asked_at": "9999-12-31T23:59:59-12:00"}
    reply = client.post(f"{HOME}/recall", json={"question": asked})
    assert (reply.status_code, reply.json()["code"]) == (422, "invalid_input")


@pytest.mark.parametrize(
    "kind", ["application/json", "text/plain", "application/x-www-form-urlencoded", ""]
)
def test_on_jobs_only_multipart_has_the_bound_of_uploads(
    small: tuple[Live, Path], kind: str
) -> None:
    live, _ = small
    lines = [f"Content-Type: {kind}"] if kind else []
    declared = head(live, "POST", f"{HOME}/jobs", *lines, "Content-Length: 400000000")
    reply = everything(raw(live, declared))
    assert reply.startswith(b"HTTP/1.1 413")


def test_json_on_jobs_without_a_length_is_bounded_too(tmp_path: Path) -> None:
    fill(tmp_path / "home", "quokka")
    limits = Limits(requests_per_minute=0, body_bytes=10_000)
    with serving(tmp_path, limits=limits, root=tmp_path) as live, live.client() as client:
        reply = client.post(
            f"{HOME}/jobs",
            content=(b" " * 1000 for _ in range(100)),
            headers={"Content-Type": "application/json"},
        )
        assert (reply.status_code, reply.json()["code"]) == (413, "too_large")


@pytest.mark.parametrize(
    ("method", "path", "kind"),
    [
        ("POST", f"{HOME}/jobs", "application/json"),
        ("POST", f"{HOME}/jobs", "multipart/form-data; boundary=x"),
        ("POST", f"{HOME}/media", "image/jpeg"),
        ("POST", f"{HOME}/memories", "application/json"),
        ("PUT", f"{HOME}/memories/m1", "application/json"),
        ("POST", f"{HOME}/erase", "application/json"),
        ("POST", "/v1/archives/other/ask", "application/json"),
        ("POST", "/mcp/other", "application/json"),
    ],
)
def test_rights_are_checked_before_anything_of_the_body_is_read(
    guarded: tuple[Live, str, str], method: str, path: str, kind: str
) -> None:
    live, reader, _ = guarded
    lines = (f"Authorization: Bearer {reader}", f"Content-Type: {kind}", "Content-Length: 1000000")
    with raw(live, head(live, method, path, *lines)) as connection:
        # Not one byte of the body has been sent.
        assert connection.recv(65_536).split()[1] in {b"403", b"404"}


def test_a_key_that_may_write_but_not_name_paths_is_refused_before_its_json_is_read(
    guarded: tuple[Live, str, str],
) -> None:
    live, _, writer = guarded
    lines = (
        f"Authorization: Bearer {writer}",
        "Content-Type: application/json",
        "Transfer-Encoding: chunked",
    )
    with raw(live, head(live, "POST", f"{HOME}/jobs", *lines)) as connection:
        assert connection.recv(65_536).startswith(b"HTTP/1.1 403")


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Live, str, str]]:
    folder: Path = tmp_path_factory.mktemp("guarded")
    for name in ("home", "other"):
        fill(folder / name, "quokka")
    reader, writer = token(folder, home="read"), token(folder, home="write")
    with serving(folder, "home", "other", root=folder) as live:
        yield live, reader, writer
