"""Writes the sample archive: the files of a household, and questions about them.

::

    FOLDER/files/        what to ingest: mail, pictures, chat, assistant, documents, calendar
    FOLDER/questions.json  not to be ingested: it holds the answers

The chat and some photos state no time zone: ingest the files with the household's, `Sample.zone`.
The output is byte-identical each time, given the same versions of Pillow and PyAV.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from datetime import timedelta
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from graphmemix.extras import install_command
from graphmemix.sample.chats import CHAT, DIALOGUE
from graphmemix.sample.documents import BOOKING, HOUSE_RULES, calendar, pdf
from graphmemix.sample.drawing import draw, photo_bytes
from graphmemix.sample.household import LENA, ZONE, at
from graphmemix.sample.mails import MAILS, MONTHS, NEWS, THINGS, TOWNS, SampleMail
from graphmemix.sample.photos import SHOTS, Scene, Shot
from graphmemix.sample.questions import QUESTIONS, SampleQuestion, SampleQuestions
from graphmemix.sample.video import VIDEO, VIDEO_NAME, write_video

if TYPE_CHECKING:
    from collections.abc import Iterator

_SEED: Final = 2023
_SAVED: Final = frozenset({"ruth-1", "ruth-2", "weiss-1", "passport-1"})  # kept as single files
_CHAT: Final = "WhatsApp Chat with Family"
_SCENES: Final[dict[str, Scene]] = {
    "IMG-20230710-WA0001.jpg": "lake",
    "IMG-20230911-WA0002.jpg": "street",
    "IMG-20231228-WA0004.jpg": "snow",
}


@dataclass(frozen=True)
class Sample:
    """What was written.

    Attributes:
        files: The folder to ingest.
        questions: What to ask.
        notes: What is missing, and why.
        zone: The household's time zone, for the setting ``ingest.zone``.
    """

    files: Path
    questions: tuple[SampleQuestion, ...]
    notes: tuple[str, ...] = ()
    zone: str = ZONE


def build(folder: Path | str) -> Sample:
    """Write the sample archive below a folder; files of an earlier run are replaced.

    Takes about a second. Without the extra ``video`` the video is left out, and a note says so.

    Raises:
        OSError: The folder cannot be written.
    """
    root = Path(folder)
    files = root / "files"
    _mail(files / "mail")
    _pictures(files)
    _chat(files / _CHAT)
    _dialogue(files / "assistant")
    _write(files / "documents" / "booking-HO-58213.pdf", pdf(BOOKING))
    _write(files / "calendar" / "family.ics", calendar().encode())
    notes: tuple[str, ...] = ()
    video = _with_folder(_takeout(files, VIDEO_NAME))
    if write_video(video):
        _write_sidecar(video, VIDEO)
    else:
        notes = (f"the video was left out: {install_command('video')}",)
    _write(root / "questions.json", SampleQuestions(QUESTIONS).to_json().encode())
    return Sample(files, QUESTIONS, notes)


def _with_folder(path: Path) -> Path:
    """Return `path` after creating the folder that it is in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _write(path: Path, data: bytes) -> None:
    _with_folder(path).write_bytes(data)


# Mail


def _mail(folder: Path) -> None:
    mails = sorted([*MAILS, *_newsletters()], key=lambda mail: mail.when)
    by_key = {mail.key: mail for mail in mails}
    box = bytearray()
    for mail in mails:
        message = _message(mail, by_key.get(mail.answers))
        if mail.key in _SAVED:
            _write(folder / "saved" / f"{mail.key}.eml", message.as_bytes())
            continue
        raw = message.as_bytes().replace(b"\r\n", b"\n")
        quoted = b"\n".join(
            b">" + line if line.startswith(b"From ") else line for line in raw.split(b"\n")
        )
        # mbox dates its separators in UTC, in the form of asctime.
        stamp = (mail.when - (mail.when.utcoffset() or timedelta())).strftime(
            "%a %b %d %H:%M:%S %Y"
        )
        box += b"From sample@example.org " + stamp.encode() + b"\n" + quoted.rstrip(b"\n") + b"\n\n"
    _write(folder / "inbox.mbox", bytes(box))


def _message(mail: SampleMail, answered: SampleMail | None) -> EmailMessage:
    message = EmailMessage(policy=SMTP)
    message["From"] = mail.sender
    message["To"] = mail.to
    message["Subject"] = mail.subject
    message["Date"] = format_datetime(mail.when)
    message["Message-ID"] = mail.message_id
    if answered is not None:
        message["In-Reply-To"] = answered.message_id
        message["References"] = answered.message_id
    message.set_content(mail.text, cte="quoted-printable")
    for name in mail.files:
        message.add_attachment(
            pdf(HOUSE_RULES), maintype="application", subtype="pdf", filename=name
        )
    if message.is_multipart():
        message.set_boundary(f"=_{mail.key}_=")  # the library would draw a random one
    return message


def _newsletters() -> Iterator[SampleMail]:
    """Yield two newsletters a month, as the noise that every real archive has."""
    chance = random.Random(_SEED)  # noqa: S311  # for variety, not for secrets
    for month, name in enumerate(MONTHS, start=1):
        for i, kind in enumerate(chance.sample(range(len(NEWS)), 2)):
            sender, subject, text = NEWS[kind]
            values = {
                "month": name,
                "thing": chance.choice(THINGS),
                "town": chance.choice(TOWNS),
                "percent": chance.randrange(10, 50, 5),
                "price": chance.randrange(59, 160, 10),
            }
            when = at(month, chance.randint(1, 27), chance.randint(5, 9), chance.randint(0, 59))
            yield SampleMail(
                f"news-{month:02}-{i}", when, sender, LENA, subject.format(**values),
                text.format(**values),
            )  # fmt: skip


# Pictures


def _pictures(files: Path) -> None:
    for shot in SHOTS:
        path = _takeout(files, shot.name) if shot.note else files / "Pictures" / "2023" / shot.name
        _write(path, photo_bytes(shot))
        if shot.note:
            _write_sidecar(path, shot)


def _takeout(files: Path, name: str) -> Path:
    return files / "Takeout" / "Google Photos" / "Photos from 2023" / name


def _write_sidecar(path: Path, shot: Shot) -> None:
    beside = path.with_name(f"{path.name}.supplemental-metadata.json")
    _write(beside, json.dumps(_sidecar(shot), ensure_ascii=False, indent=2).encode())


def _sidecar(shot: Shot) -> dict[str, object]:
    seconds = str(int(shot.when.timestamp()))
    place = shot.spot
    where = {"latitude": place.latitude, "longitude": place.longitude} if place else {}
    return {
        "title": shot.name,
        "description": shot.note,
        "photoTakenTime": {"timestamp": seconds},
        "geoData": {**where, "altitude": 0.0},
        "people": [{"name": name} for name in shot.people],
    }


# Chat and dialogue


def _chat(folder: Path) -> None:
    """Write what WhatsApp exports on Android: one text file, and the pictures beside it."""
    lines = [f"{at(1, 1, 10, 0):%d/%m/%Y, %H:%M} - Lena created group “Family”"]
    for sent in CHAT:
        text = f"{sent.file} (file attached)\n{sent.text}" if sent.file else sent.text
        lines.append(f"{sent.when:%d/%m/%Y, %H:%M} - {sent.who}: {text}")
        if sent.file:
            image = draw(sent.file, _SCENES.get(sent.file, "room"))
            image.save(_with_folder(folder / sent.file), "JPEG", quality=75)
    _write(folder / f"{_CHAT}.txt", ("\n".join(lines) + "\n").encode())


def _dialogue(folder: Path) -> None:
    """Write one conversation a line, in the form of OpenAI's messages."""
    conversations: dict[str, list[dict[str, str]]] = {}
    for turn in DIALOGUE:
        said = {"role": turn.role, "content": turn.text, "timestamp": turn.when.isoformat()}
        conversations.setdefault(f"{turn.when:%Y-%m-%d}", []).append(said)
    lines = [
        json.dumps({"id": f"assistant-{day}", "messages": messages}, ensure_ascii=False)
        for day, messages in conversations.items()
    ]
    _write(folder / "dialogue.jsonl", ("\n".join(lines) + "\n").encode())
