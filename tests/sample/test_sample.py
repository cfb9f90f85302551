"""The sample archive, looked at with other programs' readers and with our own."""

from __future__ import annotations

import email
import hashlib
import json
import mailbox
import sys
from collections import Counter
from datetime import timedelta
from email.policy import default
from pathlib import Path

import piexif
import pytest

from graphmemix.archive import Archive
from graphmemix.encode.hashing import HashingEncoder
from graphmemix.ingest.photos import Photos
from graphmemix.ingest.protocol import Importer
from graphmemix.ingest.videos import Videos
from graphmemix.memory import Memory
from graphmemix.sample import Gold, Sample, SampleQuestions, build, gold_ids
from graphmemix.sample.__main__ import main
from graphmemix.settings import Settings
from tests.ingest.camera import found, readings


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    return build(tmp_path_factory.mktemp("sample"))


def digests(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def message_ids(sample: Sample) -> list[str]:
    box = mailbox.mbox(sample.files / "mail" / "inbox.mbox")
    ids = [str(message["Message-ID"]) for message in box]
    box.close()
    saved = [path.read_bytes() for path in (sample.files / "mail" / "saved").glob("*.eml")]
    read = [email.message_from_bytes(data, policy=default) for data in saved]
    return ids + [str(message["Message-ID"]) for message in read]


@pytest.fixture(scope="module")
def pictures(sample: Sample, tmp_path_factory: pytest.TempPathFactory) -> list[Memory]:
    memories = []
    kept = tmp_path_factory.mktemp("kept")
    importers: list[Importer] = [Photos(), Videos()]
    for folder in ("Pictures", "Takeout"):
        for path in sorted((sample.files / folder).rglob("*")):
            for importer in importers:
                if path.is_file() and importer.recognises(found(path)):
                    [memory] = readings(importer, path, kept=kept)
                    assert isinstance(memory, Memory)
                    memories.append(memory)
    return memories


def test_it_is_the_same_to_the_byte_each_time_in_a_new_folder_and_in_the_same(
    sample: Sample, tmp_path: Path
) -> None:
    before = digests(sample.files)
    for _ in range(2):
        assert digests(build(tmp_path).files) == before


def test_it_is_small(sample: Sample) -> None:
    assert sum(path.stat().st_size for path in sample.files.rglob("*")) < 4_000_000


def test_answers_lie_outside_of_what_is_ingested(sample: Sample) -> None:
    stored = (sample.files.parent / "questions.json").read_bytes()
    assert SampleQuestions.from_json(stored).questions == sample.questions
    assert not list(sample.files.rglob("questions.json"))


def test_pythons_mailbox_reads_the_mail(sample: Sample) -> None:
    ids = message_ids(sample)
    assert len(ids) > 60
    assert len(set(ids)) == len(ids)
    box = mailbox.mbox(sample.files / "mail" / "inbox.mbox")
    [booked] = [m for m in box if "HO-58213" in str(m["Subject"])]
    assert [part.get_content_type() for part in booked.walk()][-1] == "application/pdf"
    box.close()


def test_piexif_reads_time_and_place_of_the_photos(sample: Sample) -> None:
    path = sample.files / "Pictures" / "2023" / "IMG_20230710_152218.jpg"
    tags = piexif.load(str(path))
    assert tags["Exif"][piexif.ExifIFD.DateTimeOriginal] == b"2023:07:10 15:22:18"
    (whole, one), (minutes, _), _ = tags["GPS"][piexif.GPSIFD.GPSLatitude]
    assert (whole / one, minutes) == (45.0, 45)


def test_the_photos_have_times_zones_and_places(pictures: list[Memory]) -> None:
    memories = {memory.media[0].name: memory for memory in pictures}
    assert len(memories) > 60
    assert all(memory.timestamp is not None for memory in memories.values())
    sign = memories["IMG_20230710_152218.jpg"]
    assert sign.timestamp is not None
    assert sign.timestamp.isoformat() == "2023-07-10T15:22:18+02:00"
    assert sign.metadata["zone_source"] == "gps time"
    tooth = next(m for m in memories.values() if "first tooth" in m.text)
    assert tooth.metadata["people"] == ["Mia"]
    film = memories["VID_20231110_171205.mp4"]
    assert film.timestamp is not None
    assert film.timestamp.utcoffset() == timedelta(hours=1)
    assert film.place is not None


def test_the_chat_and_the_dialogue_are_in_the_forms_that_they_claim(sample: Sample) -> None:
    [chat] = (sample.files / "WhatsApp Chat with Family").glob("*.txt")
    lines = chat.read_text(encoding="utf-8").splitlines()
    assert len(lines) > 85
    for name in (line.split(": ")[1].split(" (")[0] for line in lines if "(file attached)" in line):
        assert (chat.parent / name).is_file()
    turns = 0
    for line in (sample.files / "assistant" / "dialogue.jsonl").read_text("utf-8").splitlines():
        roles = [said["role"] for said in json.loads(line)["messages"]]
        assert roles == ["user", "assistant"] * (len(roles) // 2)
        turns += len(roles)
    assert turns == 18


def test_the_pdf_is_one_to_another_program(sample: Sample) -> None:
    pypdf = pytest.importorskip("pypdf", reason="needs a PDF reader")
    reader = pypdf.PdfReader(sample.files / "documents" / "booking-HO-58213.pdf", strict=True)
    assert len(reader.pages) == 2
    assert "7 nights at 148.00 EUR" in reader.pages[0].extract_text()


def documents(sample: Sample) -> list[bytes]:
    """The PDF on disk, and those that came with mail."""
    box = mailbox.mbox(sample.files / "mail" / "inbox.mbox")
    attached = [
        part.get_payload(decode=True)
        for message in box
        for part in message.walk()
        if part.get_content_type() == "application/pdf"
    ]
    box.close()
    on_disk = [path.read_bytes() for path in (sample.files / "documents").glob("*.pdf")]
    return on_disk + [data for data in attached if isinstance(data, bytes)]


def evidence_in(gold: Gold, sample: Sample) -> int:
    """Count how often the sources hold a piece of evidence."""
    if gold.by == "message_id":
        return Counter(message_ids(sample))[f"<{gold.value}>"]
    if gold.by == "file":
        return len(list(sample.files.rglob(gold.value)))
    if gold.kind == "document":
        return sum(data.count(gold.value.encode()) for data in documents(sample))
    [chat] = (sample.files / "WhatsApp Chat with Family").glob("*.txt")
    told = chat.read_text("utf-8") + (sample.files / "assistant" / "dialogue.jsonl").read_text(
        "utf-8"
    )
    return told.count(gold.value)


def test_every_piece_of_evidence_is_there_exactly_once(sample: Sample) -> None:
    for question in sample.questions:
        for gold in question.gold:
            assert evidence_in(gold, sample) == 1, (question.id, gold)


def test_after_ingestion_every_piece_of_evidence_is_one_memory(
    sample: Sample, tmp_path: Path
) -> None:
    pytest.importorskip("pypdf", reason="needs the extra documents")
    settings = Settings.for_profile("default")
    with Archive.open(tmp_path / "a", encoder=HashingEncoder(64), settings=settings) as archive:
        archive.ingest([sample.files])
        memories = archive.find()
    assert 150 <= len(memories) <= 300
    kinds = {memory.kind for memory in memories}
    assert kinds == {"document", "email", "event", "message", "photo", "video"}
    for question in sample.questions:
        for gold, ids in gold_ids(question, memories).items():
            assert len(ids) == 1, (question.id, gold)


def test_there_are_questions_of_every_sort(sample: Sample) -> None:
    assert len(sample.questions) >= 12
    assert len({question.id for question in sample.questions}) == len(sample.questions)
    assert sum(not question.has_answer for question in sample.questions) >= 3
    across = [q for q in sample.questions if len({gold.kind for gold in q.gold}) > 1]
    assert len(across) >= 4


def test_gold_is_found_among_memories_again(sample: Sample, pictures: list[Memory]) -> None:
    [bakery] = [question for question in sample.questions if question.id == "bakery"]
    [ids] = gold_ids(bakery, pictures).values()
    [memory] = [memory for memory in pictures if memory.id in ids]
    assert memory.media[0].name == "IMG_20230902_085231.jpg"


def test_the_command_writes_it_and_tells_wrong_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["sample", str(tmp_path)])
    assert main() == 0
    assert "17 questions" in capsys.readouterr().out
    monkeypatch.setattr("sys.argv", ["sample"])
    assert main() == 2
    assert capsys.readouterr().err.startswith("usage:")


def test_without_pyav_the_video_is_left_out_with_a_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "av", None)
    [note] = build(tmp_path).notes
    assert "[video]" in note
