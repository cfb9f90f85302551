"""The same files give the same archive: twice, in another order, and from a zip."""

from __future__ import annotations

import os
import zipfile
from itertools import permutations
from pathlib import Path

import pytest

from graphmemix.archive import Archive
from graphmemix.settings import Settings
from tests.ingest.blind.odd import write_odd

SETTINGS = Settings.load(
    environment={}, overrides={"encoder.model": "hashing", "ingest.zone": "Europe/Vienna"}
)
NOON = 1_700_049_600  # a file's time in a zip has no zone and two seconds of precision


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files") / "odd"
    write_odd(folder)
    (folder / "note.txt").write_text("The spare key is with Olga.")
    for path in folder.iterdir():
        os.utime(path, (NOON, NOON))
    return folder


def archived(archive: Path, *runs: list[Path]) -> list[tuple[object, ...]]:
    """Return what an archive holds after some runs, without the names of files."""
    with Archive.open(archive, settings=SETTINGS) as opened:
        for paths in runs:
            opened.ingest(paths, index=False)
        return sorted(
            (
                memory.id,
                memory.kind,
                memory.text,
                str(memory.timestamp),
                memory.session,
                memory.speaker,
                str(sorted(memory.metadata.items())),
                str([medium.sha256 for medium in memory.media]),
            )
            for memory in opened.find()
        )


def test_a_second_run_changes_nothing(odd: Path, tmp_path: Path) -> None:
    first = archived(tmp_path / "archive", [odd])
    assert len(first) > 12
    with Archive.open(tmp_path / "archive", settings=SETTINGS) as opened:
        report = opened.ingest([odd], index=False)
        again = opened.ingest([odd], index=False, again=True)
    assert (report.new, report.updated, again.new, again.updated) == (0, 0, 0, 0)
    assert archived(tmp_path / "archive") == first


def test_the_order_of_files_does_not_matter(odd: Path, tmp_path: Path) -> None:
    beside = {"Photo Details.csv", "Metadaten.json"}  # read with the photos
    paths = sorted((path for path in odd.iterdir() if path.name not in beside), reverse=True)
    apart = archived(tmp_path / "apart", paths[:4], paths[4:])
    assert apart == archived(tmp_path / "together", [odd])


def test_a_zip_is_a_folder(odd: Path, tmp_path: Path) -> None:
    packed = tmp_path / "odd.zip"
    with zipfile.ZipFile(packed, "w") as made:
        for path in sorted(odd.iterdir(), reverse=True):
            made.write(path, path.name)
    unpacked = archived(tmp_path / "unpacked", [odd])
    assert archived(tmp_path / "zipped", [packed]) == unpacked


def test_a_mail_in_several_places_is_one_memory_whatever_is_read_first(tmp_path: Path) -> None:
    answer = (
        "From: Jan <jan@x.org>\nMessage-ID: <2@x.org>\nIn-Reply-To: <1@x.org>\n"
        "Date: Mon, 3 Jun 2024 10:00:00 +0200\nSubject: Key\n{labels}\nWith Olga.\n"
    )
    first = answer.replace("<2@", "<1@").replace("In-Reply-To: <1@x.org>", "References: <0@x.org>")
    carrier = (
        "From: Zoe <zoe@x.org>\nMessage-ID: <3@x.org>\nDate: Mon, 3 Jun 2024 11:00:00 +0200\n"
        "Subject: Fwd\nContent-Type: message/rfc822\n\n" + answer.format(labels="")
    )
    boxes = {
        "alone.eml": answer.format(labels="X-Gmail-Labels: Inbox\n"),
        "other.eml": answer.format(labels="X-Gmail-Labels: Family,Inbox\n"),
        "forwarded.eml": carrier,
        "thread.mbox": "".join(
            f"From jan@x.org Mon Jun  3 10:00:00 2024\n{each.format(labels='')}\n"
            for each in (first, answer)
        ),
    }
    for name, text in boxes.items():
        (tmp_path / name).write_text(text)
    found = []
    orders = list(permutations(tmp_path / name for name in boxes))
    for number, order in enumerate(orders[::5]):
        archive = tmp_path / f"archive{number}"
        with Archive.open(archive, settings=SETTINGS) as opened:
            for path in order:
                opened.ingest([path], index=False)
            report = opened.ingest(order, index=False, again=True)
            assert (report.new, report.updated) == (0, 0)
            [mail] = [each for each in opened.find() if each.source_id == "<2@x.org>"]
            found.append(mail)
    assert found[0].metadata["labels"] == ["Family", "Inbox"]
    assert [(each.relation, each.source_id) for each in found[0].references] == [
        ("attachment_of", "<3@x.org>"),
        ("reply_to", "<1@x.org>"),
    ]
    assert found[0].session == "<0@x.org>"
    assert all(each == found[0] for each in found)
