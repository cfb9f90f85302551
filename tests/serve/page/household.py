"""A small archive with everything that the page has to show, and with what it must not run."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import TYPE_CHECKING

from PIL import Image

from graphmemix import Archive, Memory
from graphmemix.memory import Description, Media, Place

if TYPE_CHECKING:
    from pathlib import Path

QUESTION = "Which hotel did we stay in when Mia lost her tooth?"
HOSTILE = (
    "Win a voucher</script><script>window.pwned = 1</script>"
    "<img src=x onerror='window.pwned = 1'> {{data}}"
)
_DAY = datetime(2023, 7, 14, 8, tzinfo=UTC)
_TALK = (
    ("Lena", "Mia lost her first tooth at breakfast in the hotel"),
    ("Ruth", "Which hotel is it again, and where is the tooth now?"),
    ("Lena", "Hotel Olivo, and the tooth is in a napkin"),
    ("Ruth", "Send me a picture of the tooth"),
)


def build(folder: Path) -> None:
    """Make the archive: a talk, mails, photos with places, notes, and a hostile mail."""
    with Archive.open(folder) as archive:
        archive.add([*_talk(), *_mails(), *_photos(archive), *_notes()])


def picture(colour: str = "teal") -> bytes:
    held = BytesIO()
    Image.new("RGB", (320, 240), colour).save(held, "JPEG")
    return held.getvalue()


def _talk() -> list[Memory]:
    return [
        Memory.new(
            "message",
            text,
            source="whatsapp",
            session="Family",
            sequence=position,
            speaker=speaker,
            timestamp=_DAY + timedelta(minutes=position),
        )
        for position, (speaker, text) in enumerate(_TALK)
    ]


def _mails() -> list[Memory]:
    texts = {
        "Booking OL-2291": "Your booking OL-2291 at Hotel Olivo, Malcesine, 10 to 17 July 2023.",
        "Re: Booking OL-2291": "Booking OL-2291: the garage is on level 2. Hotel Olivo",
        HOSTILE: f"{HOSTILE}\n\nA hotel voucher for you.",
        "Dentist": "Appointment for Mia: a wobbly tooth, 20 March.",
    }
    return [
        Memory.new(
            "email",
            f"{subject}\n\n{text}",
            source="mail",
            source_id=f"<{number}@example.org>",
            speaker="Hotel Olivo",
            timestamp=_DAY - timedelta(days=40 + number),
            metadata={"subject": subject},
        )
        for number, (subject, text) in enumerate(texts.items())
    ]


def _photos(archive: Archive) -> list[Memory]:
    places = (("Malcesine", 45.764, 10.809), ("Graz", 47.07, 15.44), ("", 45.77, 10.81))
    found = []
    for number, (name, latitude, longitude) in enumerate(places):
        stored = archive.media.put(picture(("teal", "orange", "navy")[number]))
        medium = Media(
            "image",
            stored.sha256,
            "image/jpeg",
            f"IMG_{number}.jpg",
            stored.size,
            320,
            240,
            description=Description(short_caption=f"A tooth in a napkin, picture {number}"),
        )
        when = _DAY + timedelta(minutes=5 + 10 * number)
        place = Place(name, latitude, longitude)
        found.append(
            Memory.new("photo", source="photos", timestamp=when, place=place, media=(medium,))
        )
    return found


def _notes() -> list[Memory]:
    things = ("garden", "bicycle", "piano", "library", "boiler", "passport", "lantern", "bakery")
    return [
        Memory.new(
            "note",
            f"Note {number}: the {things[number % len(things)]} needs care",
            source="notes",
            timestamp=_DAY + timedelta(days=number),
        )
        for number in range(30)
    ]
