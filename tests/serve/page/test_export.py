"""A trace as one file: its policy, and what memories may not do to it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from graphmemix import Archive, Trace
from graphmemix.memory import Media, Memory
from graphmemix.optimize.explanation import explain
from graphmemix.read.chance import in_words
from graphmemix.serve.page import write_page
from tests.serve.page.household import HOSTILE, QUESTION, build


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    folder = tmp_path_factory.mktemp("export") / "home"
    build(folder)
    with Archive.open(folder, mode="read") as opened:
        yield opened


@pytest.fixture(scope="module")
def trace(archive: Archive) -> Trace:
    return archive.ask(QUESTION)


def held(page: str) -> dict[str, object]:
    found = re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert found
    data = json.loads(found[1])
    assert isinstance(data, dict)
    return data


def written(archive: Archive, trace: Trace, path: Path) -> str:
    memories = archive.find()
    told = explain(trace, archive.settings)
    return write_page(trace, memories, told, path, media=archive.media).read_text("utf-8")


def test_it_holds_the_trace_the_memories_and_the_pictures(
    archive: Archive, trace: Trace, tmp_path: Path
) -> None:
    data = held(written(archive, trace, tmp_path / "page.html"))
    assert data["trace"] == json.loads(trace.to_json())
    assert data["holds"] == in_words(trace, archive.settings.reader) != ""
    memories = data["memories"]
    pictures = data["pictures"]
    assert isinstance(memories, list)
    assert isinstance(pictures, dict)
    assert [memory["id"] for memory in memories] == [memory.id for memory in archive.find()]
    assert len(pictures) == 3
    assert all(url.startswith("data:image/jpeg;base64,") for url in pictures.values())


def test_its_policy_allows_its_own_script_and_style_alone(
    archive: Archive, trace: Trace, tmp_path: Path
) -> None:
    page = written(archive, trace, tmp_path / "page.html")
    for tag, kind in (('<script type="module">', "script"), ("<style>", "style")):
        body = page.partition(tag)[2].partition(f"</{kind}>")[0]
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in page
    assert "default-src 'none'" in page


def test_markup_in_a_memory_ends_no_element_and_fills_no_place(
    archive: Archive, trace: Trace, tmp_path: Path
) -> None:
    page = written(archive, trace, tmp_path / "page.html")
    assert "<script>window.pwned" not in page
    assert page.count("</script>") == 2
    memories = held(page)["memories"]
    assert isinstance(memories, list)
    assert any(memory["metadata"].get("subject") == HOSTILE for memory in memories)


def test_markup_in_the_question_is_inert(archive: Archive, trace: Trace, tmp_path: Path) -> None:
    asked = replace(trace, question=replace(trace.question, text="</title><script>1</script>"))
    page = written(archive, asked, tmp_path / "page.html")
    assert "<title>&lt;/title&gt;&lt;script&gt;" in page
    assert page.count("</script>") == 2


def test_a_picture_that_is_missing_or_damaged_is_left_out(
    archive: Archive, trace: Trace, tmp_path: Path
) -> None:
    with Archive.open(tmp_path / "other") as other:
        damaged = other.media.put(b"\xff\xd8\xff not a picture").sha256
        media = (Media("image", damaged), Media("image", "0" * 64), Media("image"))
        memory = Memory.new("photo", media=media)
        page = write_page(trace, [memory], (), tmp_path / "page.html", media=other.media)
    assert held(page.read_text("utf-8"))["pictures"] == {}
