"""Whole ingestions: again, changed, stopped, killed, erased, with bad files, on a real archive."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from PIL import Image

from graphmemix.archive import Archive
from graphmemix.encode.hashing import HashingEncoder
from graphmemix.errors import ImportSourceError, InvalidInputError, StorageFullError
from graphmemix.ingest import builtin, run
from graphmemix.ingest.protocol import Found, Importer, MediaSink, Reading, Skipped
from graphmemix.ingest.report import FileOutcome, IngestProgress, IngestReport
from graphmemix.ingest.worker import TaskNotLoadable
from graphmemix.ingest.workers import Workers
from graphmemix.memory import Description, Media, Memory
from graphmemix.settings import Settings
from tests.cli import commands


class Cards:
    """Reads files of lines ``name: words``; each line is a memory with its name as source id."""

    name = "cards"

    def recognises(self, found: Found) -> bool:
        return found.suffix == ".cards"

    def companions(self, found: Found) -> Iterable[Path]:
        return ()

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:
        for line in found.path.read_text("utf-8").splitlines():
            name, _, words = line.partition(": ")
            if name == "skip":
                yield Skipped(f"{found.name} {words}", "is to be skipped")
            elif name == "stop":
                raise ImportSourceError(f"{found.name}: ends here")
            elif name == "fail":
                raise RuntimeError(words)
            elif name == "huge":
                yield Memory("huge", "note", "x" * (17 << 20), source=self.name)
            elif name == "same":
                yield Memory.new("note", words, source=self.name, source_id=found.name)
            else:
                picture = sink.keep_bytes(b"p", modality="image", mime="image/x", name="p")
                media = (picture,) if "photo" in words else ()
                yield Memory.new(
                    "note", words, source=self.name, source_id=f"{found.name}/{name}", media=media
                )


@pytest.fixture(autouse=True)
def importers(monkeypatch: pytest.MonkeyPatch) -> None:
    made: tuple[Importer, ...] = (Cards(), *builtin.built_in())
    monkeypatch.setattr(run, "importers", lambda _zone: made)


def opened(folder: Path) -> Archive:
    return Archive.open(folder, encoder=HashingEncoder(), settings=Settings())


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with opened(tmp_path / "archive") as archive:
        yield archive


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    return tmp_path / "in"


def card(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", "utf-8")
    os.utime(path, ns=(time.time_ns(), path.stat().st_mtime_ns + 1_000_000))
    return path


def texts(archive: Archive) -> list[str]:
    return sorted(memory.text for memory in archive.find())


def counts(report: IngestReport) -> tuple[int, int, int]:
    return report.new, report.updated, report.known


# Again


def test_a_second_run_reads_nothing_that_has_not_changed(archive: Archive, folder: Path) -> None:
    card(folder / "a.cards", "1: one", "2: two")
    assert counts(archive.ingest([folder])) == (2, 0, 0)
    again = archive.ingest([folder])
    assert counts(again) == (0, 0, 0)
    assert (again.sources[0].unchanged, again.sources[0].files) == (1, 0)
    assert counts(archive.ingest([folder], again=True)) == (0, 0, 2)


def test_the_journal_outlives_the_process(tmp_path: Path, folder: Path) -> None:
    card(folder / "a.cards", "1: one")
    with opened(tmp_path / "x") as first:
        first.ingest([folder])
    with opened(tmp_path / "x") as second:
        assert second.ingest([folder]).sources[0].unchanged == 1


def test_a_new_file_alone_is_read(archive: Archive, folder: Path) -> None:
    card(folder / "a.cards", "1: one")
    archive.ingest([folder])
    card(folder / "b.cards", "1: two")
    report = archive.ingest([folder])
    assert (counts(report), report.sources[0].files) == ((1, 0, 0), 1)


def test_a_changed_part_is_updated_in_place_and_keeps_its_history(
    archive: Archive, folder: Path
) -> None:
    card(folder / "a.cards", "1: one", "2: two")
    archive.ingest([folder])
    [before] = [memory for memory in archive.find() if memory.text == "two"]
    card(folder / "a.cards", "1: one", "2: changed", "3: three")
    assert counts(archive.ingest([folder])) == (1, 1, 1)
    assert texts(archive) == ["changed", "one", "three"]
    history = archive.store.history(before.id)
    assert [version.memory.text for version in history] == ["two", "changed"]
    assert archive.index() == 0
    card(folder / "a.cards", "1: one", "2: changed", "3: three", "4: four")
    assert counts(archive.ingest([folder])) == (1, 0, 3)


def test_parts_that_move_leave_no_doubles(archive: Archive, folder: Path) -> None:
    card(folder / "a.cards", "1: one", "2: two", "3: three")
    archive.ingest([folder])
    card(folder / "a.cards", "1: zero", "2: one", "3: two", "4: three")
    archive.ingest([folder])
    assert texts(archive) == ["one", "three", "two", "zero"]
    archive.ingest([folder], again=True)
    assert texts(archive) == ["one", "three", "two", "zero"]


def test_what_a_source_no_longer_holds_stays(archive: Archive, folder: Path) -> None:
    card(folder / "a.cards", "1: one", "2: two")
    archive.ingest([folder])
    card(folder / "a.cards", "1: one")
    assert counts(archive.ingest([folder])) == (0, 0, 1)
    assert texts(archive) == ["one", "two"]


def test_the_same_memory_in_two_files_is_one(archive: Archive, folder: Path) -> None:
    for name in ("a", "b"):
        card(folder / f"{name}.cards", "same: words")
    assert counts(archive.ingest([folder])) == (1, 0, 1)
    [memory] = archive.find()
    card(folder / "b.cards", "same: words", "1: more")
    assert counts(archive.ingest([folder])) == (1, 0, 1)
    assert archive.get(memory.id) == memory


def test_the_same_memory_twice_in_one_file_is_one(archive: Archive, folder: Path) -> None:
    card(folder / "a.cards", "same: words", "same: words")
    assert counts(archive.ingest([folder])) == (1, 0, 1)
    assert counts(archive.ingest([folder], again=True)) == (0, 0, 2)


def test_descriptions_outlive_a_changed_file(archive: Archive, folder: Path) -> None:
    card(folder / "a.cards", "1: photo of the lake")
    archive.ingest([folder])
    [memory] = archive.find()
    told = Media(**{**vars(memory.media[0]), "description": Description(caption="a lake")})
    archive.update(Memory(**{**vars(memory), "media": (told,)}))
    card(folder / "a.cards", "1: photo of the sea")
    assert counts(archive.ingest([folder])) == (0, 1, 0)
    after = archive.get(memory.id)
    assert (after.text, after.media[0].description.caption) == ("photo of the sea", "a lake")


def test_a_touched_file_with_the_same_content_changes_nothing(
    archive: Archive, folder: Path
) -> None:
    path = card(folder / "a.cards", "1: one")
    archive.ingest([folder])
    os.utime(path, ns=(1, 1))
    assert counts(archive.ingest([folder])) == (0, 0, 1)
    assert len(archive.store.history(archive.find()[0].id)) == 1


def test_a_zip_is_read_once(archive: Archive, folder: Path) -> None:
    with zipfile.ZipFile(folder / "x.zip", "w") as box:
        box.writestr("a.cards", "1: one\n")
        box.writestr("b.cards", "1: two\n")
    assert archive.ingest([folder]).new == 2
    told: list[FileOutcome] = []
    assert archive.ingest([folder], on_file=told.append).sources == ()
    assert told == []


def test_a_mail_a_photo_and_a_chat_of_one_moment_sort_together(
    archive: Archive, folder: Path
) -> None:
    (folder / "m.eml").write_text(
        "From: anna@example.org\nMessage-ID: <1@x>\nDate: Fri, 17 May 2024 06:00:01 -0400\n\nmail\n"
    )
    exif = Image.Exif()
    exif.get_ifd(0x8769).update({0x9003: "2024:05:17 12:00:02", 0x9011: "+02:00"})
    Image.new("RGB", (20, 20)).save(folder / "p.jpg", exif=exif)
    said = {"id": 1, "type": "message", "date": "2024-05-17T19:00:03", "from": "Anna"}
    said |= {"date_unixtime": "1715940003", "from_id": "user1", "text": "chat"}
    chat = {"name": "Anna", "type": "personal_chat", "id": 7, "messages": [said]}
    (folder / "result.json").write_text(json.dumps(chat))
    card(folder / "z.cards", "1: no time")
    report = archive.ingest([folder])
    assert [count.importer for count in report.sources] == ["cards", "mail", "photos", "telegram"]
    assert [memory.kind for memory in archive.find()] == ["email", "photo", "message", "note"]


# Bad files


def test_one_bad_file_never_stops_the_run(archive: Archive, folder: Path) -> None:
    card(folder / "a.cards", "1: one", "skip: two", "3: three")
    card(folder / "b.cards", "1: before", "stop: here", "2: never")
    card(folder / "c.cards", "1: kept", "fail: secret words")
    card(folder / "d.cards", "1: last", "huge: x", "2: behind")
    (folder / "e.jpg").write_bytes(b"\xff\xd8\xff torn")
    report = archive.ingest([folder])
    assert texts(archive) == ["before", "behind", "kept", "last", "one", "three"]
    assert sum(count.failed for count in report.sources if count.importer == "cards") == 2
    told = {skipped.name: skipped.reason for skipped in report.skipped}
    assert told["a.cards two"] == "is to be skipped"
    assert told["b.cards"] == "ends here"
    assert told["c.cards"] == "importer cards failed: RuntimeError"
    assert re.search("cannot be stored: .*larger than", told["d.cards: huge"])
    assert "e.jpg" in " ".join(told)
    assert "secret" not in report.to_json()


def test_a_file_that_failed_is_tried_again(archive: Archive, folder: Path) -> None:
    card(folder / "b.cards", "1: before", "stop: here")
    archive.ingest([folder])
    report = archive.ingest([folder])
    assert (report.sources[0].failed, report.sources[0].unchanged, report.known) == (1, 0, 1)


def test_a_full_disk_stops_the_run_and_nothing_is_lost(
    archive: Archive, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        card(folder / f"{number}.cards", f"1: photo {number}")
    put = type(archive.media).put
    # Where the disk can be made to look full: otherwise a worker process might read.
    monkeypatch.setattr(Workers, "_sent", lambda *_: TaskNotLoadable())
    monkeypatch.setattr(
        type(archive.media),
        "put",
        lambda *_, **__: (_ for _ in ()).throw(StorageFullError("no space")),
    )
    with pytest.raises(StorageFullError):
        archive.ingest([folder])
    monkeypatch.setattr(type(archive.media), "put", put)
    assert archive.ingest([folder]).new == 5


def test_no_path_and_no_such_importer_are_refused(archive: Archive, folder: Path) -> None:
    with pytest.raises(InvalidInputError, match="at least one"):
        archive.ingest([])
    with pytest.raises(InvalidInputError, match="unknown importer"):
        archive.ingest([folder], as_="nonsense")


def test_an_importer_that_is_named_reads_whatever_it_is(archive: Archive, folder: Path) -> None:
    (folder / "notes.bin").write_bytes(b"From here\nno mail\n")
    assert archive.ingest([folder / "notes.bin"], as_="text").new >= 1


# Dry


def test_a_dry_run_counts_and_changes_nothing(archive: Archive, folder: Path) -> None:
    card(folder / "a.cards", "1: photo one", "2: two")
    archive.ingest([folder])
    card(folder / "a.cards", "1: photo one", "2: changed", "3: photo new")
    card(folder / "b.cards", "same: x")
    before = (archive.find(), list(archive.media), archive.store.logs("job"))
    report = archive.ingest([folder], dry_run=True)
    assert (counts(report), report.dry_run) == ((2, 1, 1), True)
    assert (archive.find(), list(archive.media), archive.store.logs("job")) == before
    assert counts(archive.ingest([folder])) == (2, 1, 1)


# Erased


def test_erasing_takes_the_memory_out_of_the_journal_too(archive: Archive, folder: Path) -> None:
    card(folder / "a.cards", "1: one", "2: two")
    card(folder / "b.cards", "1: three")
    archive.ingest([folder])
    [gone] = [memory.id for memory in archive.find() if memory.text == "one"]
    archive.erase([gone])
    logs = archive.store.logs("job")
    assert all(gone not in log.body and gone not in log.memory_ids for log in logs)
    report = archive.ingest([folder])
    assert counts(report) == (1, 0, 1)  # the source still holds it
    assert report.sources[0].unchanged == 1


def test_after_an_erasure_a_changed_file_still_leaves_no_double(
    archive: Archive, folder: Path
) -> None:
    card(folder / "a.cards", "1: one", "2: two")
    archive.ingest([folder])
    archive.erase(memory.id for memory in archive.find() if memory.text == "one")
    card(folder / "a.cards", "2: changed")
    assert counts(archive.ingest([folder])) == (0, 1, 0)
    assert texts(archive) == ["changed"]


# Stopped


def many(folder: Path, files: int = 40) -> None:
    for number in range(files):
        card(folder / f"{number:03}.cards", *(f"{i}: file {number} line {i}" for i in range(20)))


def test_a_run_that_is_stopped_keeps_what_was_read_and_goes_on(
    archive: Archive, folder: Path
) -> None:
    many(folder)
    stop = threading.Event()
    seen: list[FileOutcome] = []

    def on_file(outcome: FileOutcome) -> None:
        seen.append(outcome)
        stop.set()

    report = archive.ingest([folder], stop=stop, on_file=on_file, index=False)
    assert report.interrupted
    assert report.new == len(archive.find())
    rest = archive.ingest([folder], index=False)
    assert not rest.interrupted
    assert len(archive.find()) == 800
    assert rest.sources[0].unchanged > 0


def test_encoding_that_is_stopped_goes_on_later(archive: Archive, folder: Path) -> None:
    many(folder, 8)
    stop = threading.Event()

    def progress(at: IngestProgress) -> None:
        if at.stage == "encoding":
            stop.set()

    report = archive.ingest([folder], stop=stop, progress=progress)
    assert report.interrupted
    assert report.indexed + report.pending == 160
    again = archive.ingest([folder])
    assert (again.indexed, again.pending) == (report.pending, 0)


def test_an_interrupt_is_passed_on_and_nothing_is_lost(archive: Archive, folder: Path) -> None:
    many(folder)

    def on_file(_: FileOutcome) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        archive.ingest([folder], on_file=on_file)
    assert archive.find()
    archive.ingest([folder], index=False)
    assert len(archive.find()) == 800


def test_progress_ends_where_the_bytes_end(archive: Archive, folder: Path) -> None:
    many(folder, 5)
    (folder / "odd").write_bytes(b"\0\1\2\3")
    told: list[IngestProgress] = []
    archive.ingest([folder], progress=told.append)
    reading = [at for at in told if at.stage == "reading"]
    size = sum(path.stat().st_size for path in folder.iterdir())
    assert (reading[-1].done, reading[-1].files, reading[-1].memories) == (size, 5, 100)
    assert [at.done for at in reading] == sorted(at.done for at in reading)
    assert told[-1].stage == "encoding"
    assert (told[-1].done, told[-1].total) == (100, 100)


def test_without_indexing_memories_wait(archive: Archive, folder: Path) -> None:
    card(folder / "a.cards", "1: one")
    report = archive.ingest([folder], index=False)
    assert (report.indexed, report.pending) == (0, 1)
    assert archive.store.without_vectors() == [archive.find()[0].id]


# The command


def boxed(path: Path, count: int) -> None:
    """Write a box as mail programs do, quickly."""
    mails = (
        f"From anna@example.org Mon Jan  1 10:00:00 2024\nFrom: anna@example.org\n"
        f"Message-ID: <{number}@x>\nSubject: Letter {number}\n\n"
        f"{f'Words of letter {number}. ' * 20}\n\n"
        for number in range(count)
    )
    path.write_text("".join(mails))


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    with commands.quiet_home(tmp_path):
        yield tmp_path


def test_the_command_reads_reports_and_reads_nothing_twice(home: Path, folder: Path) -> None:
    boxed(folder / "m.mbox", 3)
    (folder / ".hidden").write_text("x")
    first = commands.run("ingest", home / "a", folder, "--verbose")
    assert first.code == 0, first.err
    assert "3 memories added" in first.out
    assert "read       m.mbox (mail: 3 new)" in first.out
    assert "skipped    .hidden: hidden" in first.out
    report = IngestReport.from_json(commands.run("ingest", home / "a", folder, "--json").out)
    assert (report.new, report.sources[0].unchanged, report.reasons) == (0, 1, {"hidden": 1})


def test_the_command_names_parts_that_were_left_out(home: Path, folder: Path) -> None:
    card = "BEGIN:VCARD\nFN:Anna\nPHOTO;ENCODING=b:/9j/4\nEND:VCARD\n"
    (folder / "a.vcf").write_text("".join([card] * 22))
    shown = commands.run("ingest", home / "a", folder, "--verbose", "--later").out
    reason, first, *_ = shown.partition("  22 × ")[2].splitlines()
    assert reason == "is damaged or too large; the rest was read"
    assert first == "      a.vcf card 1, picture"
    assert "a.vcf card 21" not in shown
    assert "      and 2 more; --json lists them" in shown
    assert "card 1" not in commands.run("ingest", home / "a", folder, "--again", "--later").out


def test_the_command_encodes_with_the_encoder_that_is_named(home: Path, folder: Path) -> None:
    boxed(folder / "m.mbox", 2)
    assert commands.run("ingest", home / "a", folder, "--encoder", "hashing:32").code == 0
    with Archive.open(home / "a", mode="read", encoder="hashing:32") as archive:
        assert archive.store.encoder() == "hashing/32"


def test_a_dry_run_of_the_command_makes_no_archive(home: Path, folder: Path) -> None:
    boxed(folder / "m.mbox", 2)
    result = commands.run("ingest", home / "none", folder, "--dry-run", "--json")
    assert result.json["sources"][0]["new"] == 2
    assert not (home / "none").exists()


# A run of the command that stands still once a first batch is stored, with more to read.
_HALTING = """
import sys, graphmemix.cli
from graphmemix.ingest import run, writer
run._QUEUE_LIMIT, flush = 400_000, writer.Writer.flush
def halting(self):
    flush(self)
    writer.Writer.flush = flush
    print("stored", flush=True)
    sys.stdin.readline()
writer.Writer.flush = halting
graphmemix.cli.main()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_command_that_is_interrupted_or_killed_goes_on_where_it_was(
    home: Path, folder: Path, number: signal.Signals
) -> None:
    boxed(folder / "m.mbox", 800)
    with subprocess.Popen(
        [sys.executable, "-c", _HALTING, "ingest", str(home / "a"), str(folder), "--no-index"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "stored\n"
        process.send_signal(number)
        _, errors = process.communicate("\n", timeout=60)
    if number == signal.SIGINT:
        assert (process.returncode, "to continue" in errors) == (130, True)
    with opened(home / "a") as archive:
        kept = archive.store.count()
        assert 0 < kept < 800
        report = archive.ingest([folder], index=False)
        assert report.new == 800 - kept
        assert archive.store.count() == 800
