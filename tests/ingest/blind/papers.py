"""Documents, calendars and contacts as other programs write them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import docx
import openpyxl
import pptx
import vobject
from icalendar import Calendar, Event
from pptx.util import Inches
from reportlab.pdfgen.canvas import Canvas

from tests.ingest.blind.mails import png

if TYPE_CHECKING:
    from pathlib import Path


def pdf(path: Path) -> Path:
    """Write two pages of words and an empty one between them, with a title and an author."""
    canvas = Canvas(str(path))
    canvas.setTitle("Ferry ticket")
    canvas.setAuthor("Harbour Office")
    canvas.drawString(72, 700, "Ferry to Hvar on 14 July, cabin 217.")
    canvas.showPage()
    canvas.showPage()
    canvas.drawString(72, 700, "Luggage: two bags.")
    canvas.showPage()
    canvas.save()
    return path


def word(path: Path, folder: Path) -> Path:
    """Write a document with headings, a table and a picture."""
    made = docx.Document()
    made.core_properties.title = "House rules"
    made.core_properties.author = "Mrs Huber"
    made.core_properties.created = datetime(2023, 5, 6, 7, 8, 9)  # noqa: DTZ001 - OOXML means UTC
    made.add_heading("House rules", 0)
    made.add_heading("Quiet hours", 1)
    made.add_paragraph("No drilling after 20:00.")
    made.add_heading("Bins", 1)
    made.add_paragraph("See the table.", style="List Bullet")
    table = made.add_table(rows=2, cols=2)
    for cell, text in zip(
        (cell for row in table.rows for cell in row.cells),
        ["Day", "Bin", "Tuesday", "Paper"],
        strict=True,
    ):
        cell.text = text
    (folder / "p.png").write_bytes(png())
    made.add_picture(str(folder / "p.png"))
    (folder / "p.png").unlink()
    made.save(str(path))
    return path


def slides(path: Path) -> Path:
    """Write two slides, one with notes."""
    made = pptx.Presentation()
    first = made.slides.add_slide(made.slide_layouts[1])
    first.shapes.title.text = "Garden plan"
    first.placeholders[1].text = "Tomatoes by the wall"
    first.notes_slide.notes_text_frame.text = "Ask about the hose."
    second = made.slides.add_slide(made.slide_layouts[5])
    second.shapes.title.text = "Costs"
    box = second.shapes.add_textbox(Inches(1), Inches(2), Inches(3), Inches(1))
    box.text_frame.text = "Soil 40 euros"
    made.save(str(path))
    return path


def sheets(path: Path) -> Path:
    """Write a workbook of two sheets with numbers, a date and a formula."""
    made = openpyxl.Workbook()
    first = made.active
    first.title = "Budget"
    first.append(["Item", "Euros", "Due"])
    first.append(["Insurance", 312.5, date(2024, 4, 1)])
    first.append(["Sum", "=SUM(B2:B2)", None])
    second = made.create_sheet("Meters")
    second.append(["Water", 1042])
    made.save(path)
    return path


PAGE = """<!doctype html><html lang="de"><head><meta charset="{charset}"><title>Rezept</title>
<style>body{{margin:0}}</style></head><body><nav>Start</nav><h1>Marillenknödel</h1>
<p>Für <b>vier</b> Personen &ndash; 30&nbsp;Minuten.</p><script>alert("nein")</script>
<h2>Zutaten</h2><ul><li>Topfen</li><li>Grieß</li></ul></body></html>"""

MARKDOWN = """---
title: Bike log
---
# Bike log

Bought in Graz.

## Repairs

New chain, **39 euros**.

```
# not a heading
```
"""


def calendar(path: Path) -> Path:
    """Write a calendar with icalendar: a zone, a whole day, UTC, a rule and a moved occurrence."""
    made = Calendar()
    made.add("prodid", "-//blind//test//")
    made.add("version", "2.0")

    def event(uid: str, summary: str, start: object, **more: object) -> None:
        entry = Event()
        entry.add("uid", uid)
        entry.add("summary", summary)
        entry.add("dtstart", start)
        entry.add("dtstamp", datetime(2024, 1, 1, tzinfo=UTC))
        for name, value in more.items():
            entry.add(name.replace("_", "-"), value)
        made.add_component(entry)

    tokyo = ZoneInfo("Asia/Tokyo")
    event(
        "e1@x",
        "Dentist, Dr. Sato; bring card",
        datetime(2024, 3, 24, 18, 5, tzinfo=tokyo),
        dtend=datetime(2024, 3, 24, 18, 35, tzinfo=tokyo),
        location="Shibuya 2-1",
        description="Second line:\nsee letter",
        geo=(35.658, 139.7016),
    )
    event("e2@x", "Holiday", date(2024, 5, 1), dtend=date(2024, 5, 2))
    event("e3@x", "Call", datetime(2024, 3, 24, 17, 5, tzinfo=UTC), duration=timedelta(hours=1))
    event(
        "e4@x",
        "Choir",
        datetime(2024, 1, 8, 19, 0, tzinfo=ZoneInfo("Europe/Vienna")),
        rrule={"freq": "weekly", "count": 10},
    )
    event("e5@x", "Floating", datetime(2024, 7, 1, 9, 0))  # noqa: DTZ001 - RFC 5545 floating time
    path.write_bytes(made.to_ical())
    return path


VCARD_21 = (
    "BEGIN:VCARD\r\nVERSION:2.1\r\n"
    "N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=C3=B6rg;;;\r\n"
    "FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:J=C3=B6rg M=C3=BCller\r\n"
    "TEL;CELL:+43 664 1112223\r\nTEL;HOME;VOICE:+43 1 9998887\r\n"
    "EMAIL;INTERNET:joerg@mueller.example\r\n"
    "NOTE;ENCODING=QUOTED-PRINTABLE:Has the spare=\r\n key\r\n"
    "BDAY:19710923\r\nEND:VCARD\r\n"
)
VCARD_40 = (
    "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Dr. Mai Nguyen\r\nN:Nguyen;Mai;;Dr.;\r\n"
    'TEL;VALUE=uri;TYPE="voice,cell":tel:+84-90-123\r\n'
    "EMAIL;TYPE=work:mai@clinic.example\r\nORG:Clinic\\, North;Dermatology\r\n"
    "ADR;TYPE=home:;;12 Lotus\\, Street;Hue;;49000;Vietnam\r\nGEO:geo:16.4637,107.5909\r\n"
    "NOTE:First line\\nand a line that is long enough to be folded over two lines of\r\n"
    "  the file\r\nBDAY:--0412\r\nEND:VCARD\r\n"
)


def vcard30() -> str:
    """Return a contact that vobject wrote."""
    made = vobject.vCard()
    made.add("n").value = vobject.vcard.Name(family="Prado", given="Inês")
    made.add("fn").value = "Inês Prado"
    mail = made.add("email")
    mail.value, mail.type_param = "ines@prado.example", "INTERNET"
    phone = made.add("tel")
    phone.value, phone.type_param = "+55 21 555", "CELL"
    made.add("org").value = ["Sugar Loaf Tours"]
    made.add("bday").value = "1984-02-29"
    return str(made.serialize())
