"""The booking as PDF, and the family calendar: written here, so that no library is needed."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Final, TypeAlias

from graphmemix.sample.household import at

if TYPE_CHECKING:
    from collections.abc import Sequence

Page: TypeAlias = tuple[str, ...]
"""The lines of a page."""

BOOKING: Final[tuple[Page, ...]] = (
    (
        "Hotel Olivo, Malcesine",
        "Booking confirmation HO-58213",
        "",
        "Guest: Lena Brandt, two adults, two children",
        "Arrival: Monday, 10 July 2023, from 15.00",
        "Departure: Monday, 17 July 2023, by 11.00",
        "Room: Limone, lake side, second floor",
        "Price: 7 nights at 148.00 EUR, 1036.00 EUR in all",
        "Garage: 12.00 EUR a day, payable at the desk",
    ),
    (
        "Payment and cancellation",
        "",
        "A deposit of 200.00 EUR is due within ten days.",
        "The rest is paid at the desk on the day of departure.",
        "Cancel free of charge until 26 June 2023.",
        "After that we keep the deposit.",
    ),
)
HOUSE_RULES: Final[tuple[Page, ...]] = (
    (
        "House rules of Hotel Olivo",
        "",
        "Breakfast from 7.30 to 10.00 in the lemon house.",
        "The pool closes at 20.00.",
        "Cot and high chair are free of charge.",
        "Desk: Giulia Moretti, day and night.",
    ),
)


def pdf(pages: Sequence[Page]) -> bytes:
    """Return a PDF with text that can be selected (PDF 1.4, Helvetica)."""
    font = 3 + 2 * len(pages)
    kids = " ".join(f"{3 + 2 * i} 0 R" for i in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
    ]
    for i, lines in enumerate(pages):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {4 + 2 * i} 0 R"
            f" /Resources << /Font << /F1 {font} 0 R >> >> >>".encode()
        )
        stream = _page(lines)
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    objects.append(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica"
                   b" /Encoding /WinAnsiEncoding >>")  # fmt: skip
    return _file(objects)


def _page(lines: tuple[str, ...]) -> bytes:
    shown = [line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)") for line in lines]
    moves = " ".join(f"({line}) Tj 0 -22 Td" for line in shown)
    return f"BT /F1 14 Tf 60 770 Td {moves} ET".encode("cp1252")


def _file(objects: list[bytes]) -> bytes:
    out, offsets = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n", []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    return out + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\n"
        b"startxref\n%d\n%%%%EOF\n" % (size, table, size, len(out))
    )


# Columns: uid, begin, hours, what, where.
_EVENTS: Final = (
    ("paediatrician", at(1, 17, 9, 30), 0.5, "Noah: check-up", "Dr. Lindner"),
    ("choir-1", at(2, 24, 19), 2, "Ruth sings with the choir", "St. Leonhard"),
    ("vienna", at(3, 17, 14, 26), 48, "Vienna with the children", "Pension Nussdorf"),
    ("allergy", at(4, 11, 8, 20), 1, "Mia: allergy test", "Dr. Weiss"),
    ("tyres-spring", at(4, 12, 9), 1, "Summer tyres", "Reifen Hofer"),
    ("kindergarten", at(6, 16, 15), 3, "Kindergarten summer party", "Garden"),
    ("lyon", at(6, 20, 8), 60, "Tomás in Lyon", "Hotel des Quais"),
    ("garda", at(7, 10, 6), 173, "Lake Garda", "Hotel Olivo, Malcesine"),
    ("cello-1", at(9, 6, 16), 0.75, "Mia: first cello lesson", "Music school, room 12"),
    ("seventy", at(9, 2, 14), 6, "Ruth's seventieth birthday", "Ruth's garden, Leibnitz"),
    ("school", at(9, 11, 8), 2, "Mia's first day at school", "Volksschule Lindengasse"),
    ("parents-old", at(9, 19, 18, 30), 1.5, "Parents' evening 1b (moved!)", "Room 4"),
    ("parents", at(9, 26, 18, 30), 1.5, "Parents' evening 1b", "Room 7"),
    ("dentist", at(10, 4, 14, 15), 0.5, "Noah: dentist", "Dr. Moser"),
    ("tyres-autumn", at(11, 8, 7, 45), 1, "Winter tyres", "Reifen Hofer"),
    ("lanterns", at(11, 10, 17), 1.5, "Lantern parade", "School yard"),
    ("boiler", at(11, 23, 13), 2, "Kessler: boiler", "Home"),
    ("boat", at(12, 2, 20), 2.5, "The Tin Boat", "Orpheum"),
    ("concert", at(12, 20, 16), 1, "Christmas concert 1b", "School gym"),
    ("snow", at(12, 28, 7), 120, "Schladming", "Hut with Priya and Arun"),
)


def calendar() -> str:
    """Return the family calendar as iCalendar (RFC 5545)."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//graphmemix//sample//EN"]
    for uid, begin, hours, what, where in _EVENTS:
        lines += [
            "BEGIN:VEVENT",
            f"UID:{uid}@sample.graphmemix.example",
            f"DTSTAMP:{_utc(datetime(2023, 1, 1, tzinfo=UTC))}",
            f"DTSTART:{_utc(begin)}",
            f"DTEND:{_utc(begin + timedelta(hours=hours))}",
            f"SUMMARY:{_escaped(what)}",
            f"LOCATION:{_escaped(where)}",
            "END:VEVENT",
        ]
    for name, day in (("Mia", date(2016, 11, 2)), ("Noah", date(2020, 2, 18))):
        lines += [
            "BEGIN:VEVENT",
            f"UID:birthday-{name.lower()}@sample.graphmemix.example",
            f"DTSTAMP:{_utc(datetime(2023, 1, 1, tzinfo=UTC))}",
            f"DTSTART;VALUE=DATE:{day.replace(year=2023):%Y%m%d}",
            f"SUMMARY:{name}'s birthday",
            "END:VEVENT",
        ]
    return "\r\n".join([*lines, "END:VCALENDAR", ""])


def _utc(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace(",", "\\,").replace(";", "\\;")
