"""What is in an archive: counts, filters, questions that fit it, and whether its parts work."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image

from graphmemix import Archive, Media, Memory
from graphmemix.memory import Place
from graphmemix.serve.routes.overview import merged
from graphmemix.serve.suggestion_drafts import drafted
from graphmemix.store.records import Spot
from tests.serve.servers import Live, serving, until

LAKE = Place("Malcesine", 45.764, 10.809)
DAY = datetime(2023, 7, 14, 8, tzinfo=UTC)


def picture() -> bytes:
    held = BytesIO()
    Image.new("RGB", (320, 240), "teal").save(held, "JPEG")
    return held.getvalue()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place: Path = tmp_path_factory.mktemp("overview")
    with Archive.open(place / "home") as archive:
        kept = archive.media.put(picture())
        medium = Media("image", kept.sha256, "image/jpeg", "a.jpg", kept.size, 320, 240)
        archive.add(
            [
                Memory("m1", "message", "We are here", speaker="Lena", timestamp=DAY),
                Memory("m2", "message", "So are we", speaker="Ruth", timestamp=DAY),
                Memory("e1", "event", "Lantern parade", timestamp=DAY.replace(month=11)),
                Memory("p1", "photo", media=(medium,), timestamp=DAY, place=LAKE),
                Memory("n1", "note", "The spare key is with Olga"),
            ]
        )
    with Archive.open(place / "empty"):
        pass
    return place


@pytest.fixture(scope="module")
def live(folder: Path) -> Iterator[Live]:
    with serving(folder, "home", "empty") as found:
        yield found


@pytest.fixture
def client(live: Live) -> Iterator[httpx.Client]:
    with live.client() as found:
        yield found


def overview(client: httpx.Client, **parameters: str) -> dict[str, Any]:
    reply = client.get("/v1/archives/home/overview", params=parameters)
    assert reply.status_code == 200, reply.text
    found: dict[str, Any] = reply.json()
    return found


def test_counts_by_month_person_and_place(client: httpx.Client) -> None:
    found = overview(client)
    assert (found["memories"], found["undated"]) == (5, 1)
    assert found["months"] == [
        {"month": "2023-07", "kinds": {"message": 2, "photo": 1}},
        {"month": "2023-11", "kinds": {"event": 1}},
    ]
    assert found["people"] == [{"name": "Lena", "memories": 1}, {"name": "Ruth", "memories": 1}]
    assert found["places"] == [
        {"name": "Malcesine", "latitude": 45.764, "longitude": 10.809, "memories": 1}
    ]


def test_a_box_is_a_filter_of_counts_and_of_lists(client: httpx.Client) -> None:
    assert overview(client, box="45,10,46,11")["memories"] == 1
    listed = client.get("/v1/archives/home/memories", params={"box": "45,10,46,11"}).json()
    assert [memory["id"] for memory in listed["memories"]] == ["p1"]
    for wrong in ("45,10,46", "a,b,c,d", "46,10,45,11"):
        reply = client.get("/v1/archives/home/memories", params={"box": wrong})
        assert (reply.status_code, reply.json()["code"]) == (422, "invalid_input"), wrong


def test_near_spots_are_one_until_few_are_left() -> None:
    spots = [Spot(45.0 + i / 50, 10.0, 1 + i, str(i)) for i in range(8)]
    assert merged(spots) == spots
    few = merged(spots, most=3)
    assert len(few) <= 3
    assert sum(spot.memories for spot in few) == sum(spot.memories for spot in spots)
    assert few[-1].memory_id == "7"  # named by the spot with most memories


def test_a_small_preview_is_made_once_and_goes_with_its_file(
    client: httpx.Client, live: Live
) -> None:
    media = live.app.state.service.archives.get("home").archive.media
    sha256 = client.get("/v1/archives/home/memories/p1").json()["media"][0]["sha256"]
    kept = media.described(sha256) / "preview-256.jpg"
    address = f"/v1/archives/home/previews/{sha256}"
    data = client.get(address, params={"edge": 256}).content
    assert kept.read_bytes() == data
    kept.write_bytes(b"kept")  # what is there is sent, and not made again
    assert client.get(address, params={"edge": 256}).content == b"kept"
    client.get(address, params={"edge": 700})
    assert [file.name for file in kept.parent.iterdir()] == ["preview-256.jpg"]
    other = media.put(b"another file").sha256
    (media.described(other)).mkdir(parents=True)
    media.remove(other)
    assert not media.described(other).exists()


def test_questions_are_drafted_from_people_events_and_days(folder: Path) -> None:
    with Archive.open(folder / "home", mode="read") as archive:
        drafts = {draft.text: draft.memory_ids for draft in drafted(archive.store)}
    assert drafts["What did Lena write in July 2023?"] == {"m1"}
    assert drafts["When was “Lantern parade”?"] == {"e1"}
    assert drafts["Which photos were taken in Malcesine?"] == {"p1"}
    assert drafts["What happened on 14 July 2023?"] == {"m1", "m2", "p1"}


def suggested(client: httpx.Client, name: str, language: str = "en") -> list[str]:
    """Return the suggestions once all were tried."""
    found: dict[str, Any] = {}

    def are_tried() -> bool:
        address = f"/v1/archives/{name}/suggestions"
        found.update(client.get(address, params={"language": language}).json())
        return bool(found["complete"])

    until(are_tried)
    questions: list[str] = found["questions"]
    return questions


@pytest.mark.parametrize(
    ("language", "asked"),
    [
        ("de", "Was hat Lena im Juli 2023 geschrieben?"),
        ("fr", "Qu’a écrit Lena en juillet 2023 ?"),
        ("es", "¿Qué escribió Lena en julio de 2023?"),
    ],
)
def test_questions_are_drafted_in_the_language_of_the_page(
    folder: Path, language: str, asked: str
) -> None:
    with Archive.open(folder / "home", mode="read") as archive:
        drafts = {draft.text: draft.memory_ids for draft in drafted(archive.store, language)}
        assert drafts[asked] == {"m1"}
        days = archive.candidates(asked).notes
    assert "(2023-07-01 to 2023-0" in " ".join(days)  # the month is understood


def test_a_suggestion_goes_with_what_it_names(client: httpx.Client) -> None:
    title = "When was “Harvest of the quinces”?"
    body = {"kind": "event", "text": "Harvest of the quinces", "timestamp": "2023-07-20T08:00:00Z"}
    added = client.post("/v1/archives/home/memories", json={"memories": [body]}).json()
    assert title in suggested(client, "home")
    client.delete(f"/v1/archives/home/memories/{added['new'][0]}")
    first = client.get("/v1/archives/home/suggestions").json()
    assert title not in first["questions"]  # not even before others were tried
    assert title not in suggested(client, "home")


def test_every_suggestion_is_answered_from_what_it_was_made_of(
    client: httpx.Client, folder: Path
) -> None:
    questions = suggested(client, "home")
    assert 1 <= len(questions) <= 5
    assert suggested(client, "empty") == []
    with Archive.open(folder / "home", mode="read") as archive:
        drafts = {draft.text: draft.memory_ids for draft in drafted(archive.store)}
    for question in questions:
        reply = client.post("/v1/archives/home/ask", json={"question": question}).json()
        assert reply["trace"]["answer"]["citations"][0]["memory_id"] in drafts[question]
        assert reply["holds"] != "the archive does not seem to hold the answer"


def test_the_encoder_can_be_tried(client: httpx.Client) -> None:
    found = client.post("/v1/archives/home/test").json()
    assert found["encoder"]["ok"] is True
    assert found["model"] is None
    details = client.get("/v1/archives/home").json()
    assert (details["sees_images"], details["pending"]) == (False, 0)


def test_a_trace_is_one_file_with_nothing_but_its_evidence(client: httpx.Client) -> None:
    asked = client.post("/v1/archives/home/ask", json={"question": "Who has the spare key?"}).json()
    trace = asked["trace"]
    reply = client.get(f"/v1/archives/home/traces/{trace['id']}/page")
    assert reply.headers["content-disposition"].startswith("attachment")
    assert "The spare key is with Olga" in reply.text
    chosen = {node["memory_id"] for tree in trace["forest"]["trees"] for node in tree["nodes"]}
    texts = {"m1": "We are here", "m2": "So are we", "e1": "Lantern parade", "n1": "with Olga"}
    assert {name for name, text in texts.items() if text in reply.text} == chosen & set(texts)
    assert client.get("/v1/archives/home/traces/none/page").status_code == 404


def test_the_sample_fills_an_empty_archive_alone(client: httpx.Client) -> None:
    refused = client.post("/v1/archives/home/jobs/sample")
    assert (refused.status_code, refused.json()["code"]) == (409, "not_empty")
    job = client.post("/v1/archives/empty/jobs/sample").json()
    address = f"/v1/archives/empty/jobs/{job['id']}"
    client.delete(address)  # reading it whole takes long
    until(lambda: client.get(address).json()["state"] in {"stopped", "done"})


def test_describing_is_a_job(client: httpx.Client) -> None:
    job = client.post("/v1/archives/home/jobs/describe").json()
    assert job["kind"] == "describe"
    address = f"/v1/archives/home/jobs/{job['id']}"
    until(lambda: client.get(address).json()["state"] in {"done", "failed"})
    ended = client.get(address).json()
    assert ended["state"] == "done", ended["error"]
    assert ended["described"]["memories"] == 5
