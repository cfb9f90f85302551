"""Writes the sample archive: the files of a household, and questions about them.

::

    FOLDER/files/        what to ingest: mail, pictures, chat, assistant, documents, calendar
    FOLDER/questions.json  not to be ingested: it holds the answers

The chat and some photos tell no zone: ingest the files with that of the household, `Sample.zone`.
The same bytes each time, with the same versions of Pillow and PyAV.
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

from graphmemix.sample.album import SHOTS, Scene, Shot
from graphmemix.sample.drawing import draw, photo_bytes
from graphmemix.sample.film import FILM, FILM_NAME, write_film
from graphmemix.sample.household import LENA, ZONE, at
from graphmemix.sample.letters import LETTERS, MONTHS, NEWS, THINGS, TOWNS, Letter
from graphmemix.sample.paper import BOOKING, HOUSE_RULES, calendar, pdf
from graphmemix.sample.questions import QUESTIONS, SampleQuestion, SampleQuestions
from graphmemix.sample.talk import CHAT, DIALOGUE

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
        zone: By which clock the household lives, for the setting ``ingest.zone``.
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
    film = _below(_takeout(files, FILM_NAME))
    if write_film(film):
        _write_sidecar(film, FILM)
    else:
        notes = ("the video was left out: pip install 'graphmemix[video]'",)
    _write(root / "questions.json", SampleQuestions(QUESTIONS).to_json().encode())
    return Sample(files, QUESTIONS, notes)


def _below(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _write(path: Path, data: bytes) -> None:
    _below(path).write_bytes(data)


# Mail


def _mail(folder: Path) -> None:
    letters = sorted([*LETTERS, *_newsletters()], key=lambda letter: letter.when)
    by_key = {letter.key: letter for letter in letters}
    box = bytearray()
    for letter in letters:
        message = _message(letter, by_key.get(letter.answers))
        if letter.key in _SAVED:
            _write(folder / "saved" / f"{letter.key}.eml", message.as_bytes())
            continue
        raw = message.as_bytes().replace(b"\r\n", b"\n")
        quoted = b"\n".join(
            b">" + line if line.startswith(b"From ") else line for line in raw.split(b"\n")
        )
        # mbox dates its separators in UTC, in the form of asctime.
        stamp = (letter.when - (letter.when.utcoffset() or timedelta())).strftime(
            "%a %b %d %H:%M:%S %Y"
        )
        box += b"From sample@example.org " + stamp.encode() + b"\n" + quoted.rstrip(b"\n") + b"\n\n"
    _write(folder / "inbox.mbox", bytes(box))


def _message(letter: Letter, answered: Letter | None) -> EmailMessage:
    message = EmailMessage(policy=SMTP)
    message["From"] = letter.sender
    message["To"] = letter.to
    message["Subject"] = letter.subject
    message["Date"] = format_datetime(letter.when)
    message["Message-ID"] = letter.message_id
    if answered is not None:
        message["In-Reply-To"] = answered.message_id
        message["References"] = answered.message_id
    message.set_content(letter.text, cte="quoted-printable")
    for name in letter.files:
        message.add_attachment(
            pdf(HOUSE_RULES), maintype="application", subtype="pdf", filename=name
        )
    if message.is_multipart():
        message.set_boundary(f"=_{letter.key}_=")  # the library would draw a random one
    return message


def _newsletters() -> Iterator[Letter]:
    """Yield two newsletters a month: an archive without noise would be no archive."""
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
            yield Letter(
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
    """Write what Android exports: one text file, and the pictures beside it."""
    lines = [f"{at(1, 1, 10, 0):%d/%m/%Y, %H:%M} - Lena created group “Family”"]
    for line in CHAT:
        text = f"{line.file} (file attached)\n{line.text}" if line.file else line.text
        lines.append(f"{line.when:%d/%m/%Y, %H:%M} - {line.who}: {text}")
        if line.file:
            image = draw(line.file, _SCENES.get(line.file, "room"))
            image.save(_below(folder / line.file), "JPEG", quality=75)
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
