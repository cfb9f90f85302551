"""Google Keep and Evernote."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from graphmemix.errors import ImportSourceError
from graphmemix.ingest.notes import Evernote, Keep
from graphmemix.memory import Place
from tests.ingest.blind.diaries import evernote, keep
from tests.ingest.reading import met, read, written

TRASHED = '{"isTrashed": true, "isPinned": false, "isArchived": false, "title": "x"}'


def test_a_note_of_keep_field_by_field(tmp_path: Path) -> None:
    (note,), skipped = read(Keep(), keep(tmp_path / "in"))
    assert skipped == []
    assert (note.kind, note.source) == ("note", "keep")
    assert note.text == (
        "Schlüssel\nBeim Nachbarn, siehe https://example.org/a\nB <https://example.org/b>"
    )
    assert note.timestamp == datetime(2020, 9, 13, 12, 26, 40, tzinfo=UTC)
    assert note.metadata == {
        "title": "Schlüssel",
        "labels": ["Haus"],
        "pinned": True,
        "shared_with": ["mia@example.org"],
        "edited": "2023-11-14T22:15:00+00:00",
    }
    assert [(each.name, each.mime) for each in note.media] == [("1.jpg", "image/png")]


def test_a_list_of_keep(tmp_path: Path) -> None:
    path = keep(tmp_path / "in").with_name("Einkauf.json")
    (note,), _ = read(Keep(), path)
    assert note.text == "Einkauf\n[x] Milch\n[ ] Brot"


def test_the_page_and_the_pictures_of_a_note_are_read_with_it(tmp_path: Path) -> None:
    companions = Keep().companions(met(keep(tmp_path)))
    assert sorted(path.name for path in companions) == ["1.jpg", "Schlüssel.html"]


def test_a_note_in_the_trash_is_named(tmp_path: Path) -> None:
    memories, (skip,) = read(Keep(), written(tmp_path, "in/a.json", TRASHED))
    assert (memories, skip.name, skip.reason) == ([], "a.json", "is in the trash")


def test_an_edited_note_keeps_its_name_at_the_source(tmp_path: Path) -> None:
    path = keep(tmp_path / "in")
    (before,), _ = read(Keep(), path)
    path.write_text(json.dumps({**json.loads(path.read_bytes()), "textContent": "Bei Olga"}))
    (after,), _ = read(Keep(), path)
    assert (before.source_id, before.id != after.id) == (after.source_id, True)


def test_a_long_note_is_linked_parts(tmp_path: Path) -> None:
    fields = {"isTrashed": False, "isPinned": False, "isArchived": False, "title": "Buch"}
    text = json.dumps({**fields, "textContent": "Wort " * 4000})
    memories, _ = read(Keep(), written(tmp_path, "in/a.json", text))
    assert [memory.sequence for memory in memories] == [0, 1, 2]
    assert len({memory.references for memory in memories}) == 1


def test_a_note_that_is_cut_off_is_a_typed_error(tmp_path: Path) -> None:
    with pytest.raises(ImportSourceError, match=r"a\.json: is not JSON"):
        read(Keep(), written(tmp_path, "a.json", TRASHED[:-2]))


def test_a_notebook_of_evernote_field_by_field(tmp_path: Path) -> None:
    (note, empty), (skip,) = read(Evernote(), evernote(tmp_path / "in"))
    assert (skip.name, skip.reason) == (
        "Haushalt.enex note 1", "has an encrypted part, which is left out")  # fmt: skip
    assert note.text == "Heizung & Strom\nZähler ablesen\n[x] Gas\n[ ] Strom"
    assert (note.speaker, note.place) == ("Ruth", Place("", 48.2082, 16.3738))
    assert note.timestamp == datetime(2020, 9, 13, 12, 26, 40, tzinfo=UTC)
    assert note.metadata == {
        "title": "Heizung & Strom",
        "notebook": "Haushalt",
        "labels": ["Haus", "Wien"],
        "url": "https://example.org/x",
        "edited": "2023-11-14T22:15:00+00:00",
    }
    assert [(each.name, each.mime) for each in note.media] == [("zähler.png", "image/png")]
    assert (empty.text, empty.timestamp) == ("Leer", None)


def test_a_file_that_is_damaged_costs_itself_alone(tmp_path: Path) -> None:
    path = evernote(tmp_path / "in")
    text = path.read_text("utf-8")
    start = text.index('<data encoding="base64">') + 24
    path.write_text(text[:start] + "!" + text[text.index("</data>") :], "utf-8")
    memories, skipped = read(Evernote(), path)
    assert len(memories) == 2
    assert "its content is missing or damaged" in [skip.reason for skip in skipped]


@pytest.mark.parametrize("text", ["{}", "[]", '{"title": "x"}', "<note/>", "<en-exporter/>", "x"])
def test_other_files_are_not_recognised(tmp_path: Path, text: str) -> None:
    found = met(written(tmp_path, "a.json", text))
    assert not Keep().recognises(found)
    assert not Evernote().recognises(found)
