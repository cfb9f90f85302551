"""vCard 2.1, 3.0 and 4.0: a memory per contact."""

from __future__ import annotations

import base64
import binascii
import re
from calendar import month_name
from dataclasses import replace
from typing import TYPE_CHECKING

from graphmemix.ingest.attachments import mime_of
from graphmemix.ingest.documents.content_lines import ContentLine, content_lines
from graphmemix.ingest.documents.parts import read_small
from graphmemix.ingest.node import iso_moment, short
from graphmemix.ingest.protocol import Skipped
from graphmemix.ingest.records import read_record
from graphmemix.ingest.text import decode
from graphmemix.memory import Memory, Place

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from graphmemix.ingest.protocol import Found, MediaSink, Reading
    from graphmemix.memory import Media
    from graphmemix.record import Json

_LARGEST = 256 << 20  # bytes; every contact may contain a picture
_LARGEST_PICTURE = 16 << 20
_LONGEST_TEXT = 1_000_000  # characters of a card
_DATE = re.compile(r"(?:(?P<year>\d{4})|--?)-?(?:(?P<month>\d{2})-?(?P<day>\d{2})?)?(?:[T ].*)?")
_LABELS = {
    "NICKNAME": "Nickname", "ORG": "Organisation", "TITLE": "Title", "ROLE": "Role", "TEL": "Phone",
    "EMAIL": "E-mail", "ADR": "Address", "BDAY": "Birthday", "ANNIVERSARY": "Anniversary",
    "URL": "Web", "IMPP": "Messenger", "RELATED": "Related", "CATEGORIES": "Categories",
    "NOTE": "Note", "DEATHDATE": "Died", "BIRTHPLACE": "Born in",
    # Of Apple and Google, with a label of their own; of Evolution, Outlook, Thunderbird and KDE.
    "X-ABDATE": "Date", "X-ABRELATEDNAMES": "Related", "X-SOCIALPROFILE": "Profile",
    "ASSISTANT": "Assistant", "CHILD": "Child", "CHILDREN": "Children", "MANAGER": "Manager",
    "MANAGERSNAME": "Manager", "ASSISTANTSNAME": "Assistant", "SPOUSE": "Spouse",
    "SPOUSESNAME": "Spouse", "AIM": "Messenger (AIM)", "GADUGADU": "Messenger (Gadu-Gadu)",
    "GOOGLE-TALK": "Messenger (Google Talk)", "GTALK": "Messenger (Google Talk)",
    "ICQ": "Messenger (ICQ)", "IMADDRESS": "Messenger", "JABBER": "Messenger (Jabber)",
    "MSN": "Messenger (MSN)", "QQ": "Messenger (QQ)", "SKYPE": "Messenger (Skype)",
    "SKYPE-USERNAME": "Messenger (Skype)", "YAHOO": "Messenger (Yahoo)",
}  # fmt: skip
_PROGRAM = re.compile(r"X-(?:EVOLUTION-|KADDRESSBOOK-X-|MS-)?")
_DAYS = frozenset({"Birthday", "Anniversary", "Died", "Date"})
_OWN_LABEL = frozenset({"X-ABDATE", "X-ABRELATEDNAMES"})
_ANDROID_RELATIONS = (
    "", "Assistant", "Brother", "Child", "Partner", "Father", "Friend", "Manager", "Mother",
    "Parent", "Partner", "Referred by", "Relative", "Sister", "Spouse",
)  # fmt: skip
_ANDROID_DAYS = ("", "Anniversary", "Date", "Birthday")
_STRUCTURED = frozenset({"ADR", "ORG"})
_DULL = frozenset({"INTERNET", "PREF", "VOICE", "OTHER", "X-INTERNET", "UNKNOWN"})
_GEO = re.compile(r"(?:geo:)?\s*(-?\d{1,2}(?:\.\d{1,20})?)\s*[,;]\s*(-?\d{1,3}(?:\.\d{1,20})?)")


class VCard:
    """Reads names, numbers, addresses, dates, notes and embedded pictures."""

    name = "vcard"
    version = 3

    def recognises(self, found: Found) -> bool:
        """Return whether the file starts with a card."""
        return decode(found.head[:200]).lstrip("\ufeff \r\n").upper().startswith("BEGIN:VCARD")

    def companions(self, found: Found) -> Iterator[Path]:  # noqa: ARG002
        """Return nothing."""
        yield from ()

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:
        """Yield the contacts in order; a card without a name or any other content is skipped."""
        for number, card in enumerate(_cards(read_small(found, _LARGEST)), start=1):
            label = f"{found.name} card {number}"
            yield read_record(label, self._contact, card, found, sink)
            if any(_picture(line) == b"" for line in card):
                yield Skipped(f"{label}, picture", "is damaged or too large; the rest was read")

    def _contact(self, card: list[ContentLine], found: Found, sink: MediaSink) -> Memory | str:
        """Return a card as a memory, or why it is skipped."""
        first = {line.name: line for line in reversed(card)}
        name = _name(first)
        labels = {line.group: _label(line) for line in card if line.name == "X-ABLABEL"}
        lines = [name, *(_shown(line, labels.get(line.group, "")) for line in card)]
        text = "\n".join(dict.fromkeys(filter(None, lines)))
        if len(text) > _LONGEST_TEXT:
            return f"is longer than {_LONGEST_TEXT:,} characters"
        media = tuple(_pictures(card, sink))
        if not text and not media:
            return "is empty"
        uid = short(first["UID"].text) if "UID" in first else ""
        written = iso_moment(first["REV"].text) if "REV" in first else None
        notes: dict[str, Json] = {"file": found.path.name, "name": name}
        if "BDAY" in first:
            notes["birthday"] = _day(first["BDAY"])
        if written:
            notes["date_from"] = "contact"
        memory = Memory.new(
            "contact", text, source=self.name, source_id=uid, speaker=None, media=media,
            place=_place(first), metadata=notes,
        )  # fmt: skip
        # The revision date of a card is not content: it does not affect the id.
        return replace(memory, timestamp=written)


def _cards(data: bytes) -> Iterator[list[ContentLine]]:
    """Yield the properties of each card, without those of nested cards (agents)."""
    card: list[ContentLine] = []
    depth = 0
    for line in content_lines(data):
        if line.name == "BEGIN":
            depth += 1
        elif line.name == "END":
            depth = max(0, depth - 1)
            if depth == 0 and card:
                yield card
                card = []
        elif depth == 1:
            card.append(line)
    if card:
        yield card


def _name(first: dict[str, ContentLine]) -> str:
    for key in ("FN", "N", "ORG", "NICKNAME"):
        if key not in first:
            continue
        if key != "N":
            text = " ".join(filter(None, first[key].fields())) if key == "ORG" else first[key].text
        else:
            family, given, middle, before, behind = [*first[key].fields(), *[""] * 5][:5]
            text = " ".join(filter(None, [before, given, middle, family, behind]))
        if text.strip():
            return short(text)
    return ""


def _shown(line: ContentLine, own: str) -> str:
    """Return a property as a line of text; empty for technical properties.

    Args:
        line: The property.
        own: The label that the owner of the contact gave to it; empty if there is none.
    """
    if line.name == "X-ANDROID-CUSTOM":
        return _android(line)
    label = _LABELS.get(line.name) or _LABELS.get(_PROGRAM.sub("", line.name, count=1))
    if label is None:
        return ""
    fields = line.fields() if line.name in _STRUCTURED else [line.text]
    value = ", ".join(" ".join(each.split()) for each in fields if each.strip())
    if line.name == "NOTE":
        value = line.text
    elif label in _DAYS:
        value = _day(line)
    for scheme in ("tel:", "mailto:"):
        value = value.removeprefix(scheme)
    kinds = [each.lower() for group in line.parameters.get("TYPE", ()) for each in group.split(",")
             if each.upper() not in _DULL]  # fmt: skip
    if own and line.name in _OWN_LABEL:
        label = own
    elif own:
        kinds.append(own)
    kind = f" ({', '.join(dict.fromkeys(kinds))})" if kinds else ""
    return f"{label}{kind}: {value}" if value else ""


def _label(line: ContentLine) -> str:
    """Return a label as a person reads it: ``_$!<Spouse>!$_`` and ``REFERRED_BY`` are Apple's."""
    text = short(line.text.removeprefix("_$!<").removesuffix(">!$_"))
    return text.replace("_", " ").capitalize() if text.isupper() and len(text) > 4 else text


def _android(line: ContentLine) -> str:
    """Return what Android adds: ``vnd.android.cursor.item/relation;Olga;14;;``."""
    sort, value, number, own = [*line.fields(), "", "", "", ""][:4]
    kind = int(number) if number.isdecimal() and len(number) < 3 else 0
    sort = sort.rpartition("/")[2]
    if sort == "nickname":
        label = "Nickname"
    elif sort == "relation":
        label = short(own) or _of(_ANDROID_RELATIONS, kind) or "Related"
    elif sort == "contact_event":
        label = short(own) or _of(_ANDROID_DAYS, kind) or "Date"
        value = _day(replace(line, value=value))
    else:
        return ""
    return f"{label}: {short(value)}" if value.strip() else ""


def _of(names: tuple[str, ...], number: int) -> str:
    return names[number] if number < len(names) else ""


def _day(line: ContentLine) -> str:
    """Return a birthday or anniversary as people read it; what is no date stays as it is."""
    text = short(line.text)
    match = _DATE.fullmatch(text)
    if match is None:
        return text
    year, month, day = match["year"] or "", match["month"] or "", match["day"] or ""
    if year in line.parameters.get("X-APPLE-OMIT-YEAR", ()):
        year = ""
    if not 1 <= int(month or 1) <= 12 or not 1 <= int(day or 1) <= 31:
        return text
    if not year and month and day:
        return f"{int(day)} {month_name[int(month)]}"
    return "-".join(filter(None, (year, month, day))) if year else text


def _place(first: dict[str, ContentLine]) -> Place | None:
    match = _GEO.fullmatch(first["GEO"].text) if "GEO" in first else None
    if match is None or abs(float(match[1])) > 90 or abs(float(match[2])) > 180:
        return None
    return Place(latitude=float(match[1]), longitude=float(match[2]))


def _pictures(card: list[ContentLine], sink: MediaSink) -> Iterator[Media]:
    for data in filter(None, map(_picture, card)):
        yield sink.keep_bytes(data, modality="image", mime=mime_of(data[:64], ""), name="")


def _picture(line: ContentLine) -> bytes | None:
    """Return a picture embedded in a card, empty if it is damaged; URLs are not followed."""
    if line.name not in {"PHOTO", "LOGO"}:
        return None
    value = line.value
    coded = {each.upper() for each in line.parameters.get("ENCODING", ())}
    if value.lower().startswith("data:"):
        value = value.partition(",")[2]
    elif not coded & {"B", "BASE64"} or not value.strip():
        return None
    try:
        data = base64.b64decode(value, validate=False)
    except (binascii.Error, ValueError):
        return b""
    is_picture = mime_of(data[:64], "").startswith("image/") and len(data) <= _LARGEST_PICTURE
    return data if is_picture else b""
