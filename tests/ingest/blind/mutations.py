"""Every importer's files, and ways to damage them byte by byte, from a seed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.ingest import compound_files
from tests.ingest.blind import (
    assistants,
    books,
    chats,
    diaries,
    mails,
    odd,
    papers,
    pictures,
    social,
)

if TYPE_CHECKING:
    import random
    from pathlib import Path

_TOKENS = (
    b"\x00", b"\xff\xfe", b"\r\n", b"\n\n", b"From ", b'"', b"{", b"}", b"[[[[", b"]", b":", b"<",
    b"9999999999999999999", b"-1", b"1e400", b"null", b"NaN", b"\\ud800", b"%s%n", b"../", b"=?",
    b"--edge", b"BEGIN:VEVENT\r\n", b"END:VCARD\r\n", b"DTSTART:99999999T999999Z", b"\xe2\x80\xae",
    b"\xf0\x9f", b"+99:99", b"2024-02-30T25:61:61", b"data:image/png;base64,", b"\x7f" * 40,
)  # fmt: skip
_LONGEST = 1 << 16  # bytes that a repeated slice may become


def write_all(folder: Path) -> list[Path]:
    """Write files of every kind below a folder; return those that importers read, or read along."""
    folder.mkdir(parents=True)
    mails.write_mbox(folder / "box.mbox")
    mails.write_maildir(folder / "maildir")
    for name, (data, _, _) in mails.odd_charsets().items():
        (folder / f"{name}.eml").write_bytes(data)
    for make in (mails.html_only, mails.rfc2231, mails.winmail, mails.newsletter, mails.carried):
        (folder / f"{make.__name__}.eml").write_bytes(make())
    block = pictures.exif(
        taken="2023:04:05 06:07:08",
        offset="+09:00",
        place=pictures.QUADRANTS["rio"],
        orientation=6,
        camera=("FUJIFILM", "X100V"),
    )
    for number, suffix in enumerate(("jpg", "png", "webp", "tiff", "gif")):
        pictures.picture(folder / "p" / f"a.{suffix}", colour=number, block=block)
    pictures.takeout(folder / "p" / "a.jpg.json", "a.jpg", 1672650672)
    (folder / "p" / "a.xmp").write_text(pictures.XMP)
    place = {"location": "+48.2082+016.3738/", "creation_time": "2023-07-14T09:30:00Z"}
    pictures.video(folder / "v.mp4", place)
    pictures.video(folder / "v.mov", {"com.apple.quicktime.creationdate": "2023-07-14T09:30:00+02"})
    for name in ("ANDROID_GERMAN", "IOS_ENGLISH", "BRAZILIAN", "INDIAN", "ITALIAN"):
        chats.whatsapp(folder / name, getattr(chats, name))
    for export in (chats.slack, chats.signal, chats.discord_exporter, chats.discord_package):
        export(folder / export.__name__)
    chats.telegram(folder / "telegram")
    chats.telegram(folder / "telegram_all", full=True)
    assistants.chatgpt(folder / "chatgpt")
    assistants.claude(folder / "claude")
    assistants.dialogue(folder / "agent.jsonl")
    _write_papers(folder)
    write_exports(folder)
    diaries.kmz(folder / "tracks")
    odd.write_odd(folder / "odd")
    return sorted(path for path in folder.rglob("*") if path.is_file())


def write_exports(folder: Path) -> dict[str, list[Path]]:
    """Write exports of phones, networks, notes and tracks, and books; return them by importer."""
    (folder / "books").mkdir(parents=True)
    rich_text = folder / "books" / "a.rtf"
    rich_text.write_bytes(books.RICH_TEXT)
    kinds = {"odt": ("text", books.TEXT), "ods": ("spreadsheet", books.SHEET),
             "odp": ("presentation", books.SLIDES), "odg": ("graphics", books.SLIDES)}  # fmt: skip
    return {
        "messenger": [
            social.messenger(folder / "facebook"),
            social.instagram(folder / "instagram"),
            social.encrypted_messenger(folder / "messenger"),
        ],
        "sms": [social.sms(folder / "sms")],
        "imessage": [social.imessage(folder / "imessage")],
        "mattermost": [social.mattermost(folder / "mattermost")],
        "keep": [diaries.keep(folder / "keep")],
        "evernote": [diaries.evernote(folder / "evernote")],
        "gpx": [diaries.gpx(folder / "tracks")],
        "kml": [diaries.kml(folder / "tracks")],
        "locations": [
            diaries.location_records(folder / "tracks"),
            diaries.old_location_history(folder / "history"),
            diaries.semantic_months(folder / "tracks"),
            diaries.phone_timeline(folder / "tracks"),
            diaries.iphone_timeline(folder / "tracks"),
        ],
        "outlook": [compound_files.outlook_message(folder / "books" / "a.msg")],
        "epub": [books.epub(folder / "books" / "a.epub")],
        "rtf": [rich_text],
        "opendocument": [
            books.opendocument(folder / "books" / f"a.{suffix}", kind, body)
            for suffix, (kind, body) in kinds.items()
        ],
    }


def _write_papers(folder: Path) -> None:
    papers.pdf(folder / "a.pdf")
    papers.word(folder / "a.docx", folder)
    papers.slides(folder / "a.pptx")
    papers.sheets(folder / "a.xlsx")
    papers.calendar(folder / "a.ics")
    (folder / "a.html").write_text(papers.PAGE.format(charset="utf-8"))
    (folder / "a.md").write_text(papers.MARKDOWN)
    (folder / "a.vcf").write_text(papers.VCARD_21 + papers.vcard30() + papers.VCARD_40)
    (folder / "note.txt").write_text("Grüße – 日本語")
    (folder / "own.jsonl").write_text(
        '{"kind": "note", "text": "Key", "timestamp": "2024-03-02T18:30:00+01:00"}\n'
        '{"kind": "photo", "media": [{"modality": "image", "path": "p/a.png"}]}\n'
    )


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Return some bytes with a few of them changed, lost, moved, repeated or put in."""
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 4, 12))):
        where = chance.randrange(len(changed) + 1)
        size = chance.choice((1, 1, 2, 8, 64, 512))
        match chance.randrange(8):
            case 0 if changed:
                changed[where % len(changed)] ^= 1 << chance.randrange(8)
            case 1:
                del changed[where : where + size]
            case 2:
                changed[where:where] = chance.choice(_TOKENS) * chance.choice((1, 1, 3, 50))
            case 3:
                changed[where : where + size] = chance.randbytes(size)
            case 4:
                other = chance.randrange(len(changed) + 1)
                changed[where:where] = changed[other : other + size]
            case 7 if len(changed) < _LONGEST:  # what is slow shows where something repeats
                piece = changed[where : where + size]
                often = min(1 << chance.randrange(1, 12), _LONGEST // max(len(piece), 1))
                changed[where:where] = piece * often
            case 5 if chance.random() < 0.3:
                del changed[where:]
            case _:
                changed[where : where + size] = bytes([chance.choice((0, 0xFF, 0x20))]) * size
    return bytes(changed)
