"""Mails as other programs write them: Python's ``email`` and ``mailbox``, and bytes by hand."""

from __future__ import annotations

import mailbox
from datetime import UTC, datetime, timedelta, timezone
from email.header import Header
from email.message import EmailMessage
from email.mime.application import MIMEApplication
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from graphmemix.ingest.mail import Mail
from graphmemix.ingest.media_sink import ArchiveMediaSink
from graphmemix.ingest.protocol import HEAD_BYTES, Found, Reading, Skipped
from graphmemix.memory import Memory, Reference
from graphmemix.relate.mails import Mail as RelatedMail
from graphmemix.settings import Settings
from tests.ingest.reading import met, written

NOON = datetime(2024, 5, 17, 12, tzinfo=timezone(timedelta(hours=2)))


def found(path: Path) -> Found:
    with path.open("rb") as stream:
        return Found(path, path.name, stream.read(HEAD_BYTES))


def read(path: Path) -> list[Reading]:
    return list(Mail().read(found(path), ArchiveMediaSink(None)))


def memories(path: Path) -> list[Memory]:
    return [each for each in read(path) if isinstance(each, Memory)]


def eml(tmp_path: Path, data: bytes | EmailMessage | MIMEMultipart) -> list[Memory]:
    path = tmp_path / "a.eml"
    path.write_bytes(data if isinstance(data, bytes) else data.as_bytes())
    assert Mail().recognises(found(path))
    return memories(path)


def letter(text: str = "See you.", **fields: str) -> EmailMessage:
    mail = EmailMessage()
    mail["From"] = "Anna Berger <anna@example.org>"
    mail["To"] = "jan@example.org"
    mail["Date"] = "Fri, 17 May 2024 12:00:00 +0200"
    mail["Message-ID"] = "<1@example.org>"
    for name, value in fields.items():
        mail[name.replace("_", "-")] = value
    mail.set_content(text)
    return mail


# What a mail says


def test_a_mail_has_its_sender_recipients_time_and_subject(tmp_path: Path) -> None:
    mail = letter("The key is with Olga.", Subject="Spare key", Cc="Zoë <zoe@example.org>, b@x.org")
    [memory] = eml(tmp_path, mail)
    assert (memory.kind, memory.source, memory.source_id) == ("email", "mail", "<1@example.org>")
    assert (memory.speaker, memory.timestamp) == ("Anna Berger", NOON)
    assert memory.timestamp is not None
    assert memory.timestamp.utcoffset() == timedelta(hours=2)
    assert memory.text == "Spare key\n\nThe key is with Olga."
    assert memory.metadata == {
        "subject": "Spare key",
        "from": "Anna Berger <anna@example.org>",
        "to": ["jan@example.org"],
        "cc": ["Zoë <zoe@example.org>", "b@x.org"],
    }


def test_relations_find_the_subject_and_the_reference_of_a_mail(tmp_path: Path) -> None:
    mail = letter("Your booking number is QX7R2L9, on 3 June 2024.", Subject="Re: Hotel Miramar")
    [memory] = eml(tmp_path, mail)
    related = RelatedMail(memory, Settings().graph)
    assert related.subject == "hotel miramar"
    assert [str(day) for day in related.dates] == ["2024-06-03"]
    assert related.references


@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-15", "koi8-r", "shift_jis", "gb18030"])
def test_bodies_and_subjects_in_any_charset_come_out_as_they_went_in(
    tmp_path: Path, charset: str
) -> None:
    text = {
        "iso-8859-15": "Größe: 5 €",
        "koi8-r": "Ключ у Ольги",
        "gb18030": "钥匙在奥尔加那里",
    }.get(charset, "鍵はオルガにあります")
    mail = MIMEText(text, "plain", charset)
    mail["From"] = "a@example.org"
    mail["Message-ID"] = "<c@example.org>"
    mail["Subject"] = Header(text * 5, charset).encode()
    path = tmp_path / "c.eml"
    path.write_bytes(mail.as_bytes())
    [memory] = memories(path)
    assert memory.metadata["subject"] == text * 5
    assert memory.text == f"{text * 5}\n\n{text}"


def test_a_character_that_is_cut_between_two_encoded_words_is_whole_again(tmp_path: Path) -> None:
    raw = b"From: a@b.org\nMessage-ID: <1@x>\nSubject: =?utf-8?B?w6TD?=\n =?utf-8?B?tsO8?=\n\nx\n"
    [memory] = eml(tmp_path, raw)
    assert memory.metadata["subject"] == "äöü"


@pytest.mark.parametrize(
    ("declared", "data", "expected"),
    [
        ("us-ascii", "schön".encode(), "schön"),
        ("utf-8", "schön".encode("latin-1"), "schön"),
        ("x-unknown", "schön".encode(), "schön"),
        ("iso-8859-1", "“quoted” – €".encode("cp1252"), "“quoted” – €"),
        ("base64", b"plain", "plain"),
    ],
)
def test_a_wrong_or_unknown_charset_is_seen_through(
    tmp_path: Path, declared: str, data: bytes, expected: str
) -> None:
    header = f"From: a@b.org\nMessage-ID: <1@x>\nContent-Type: text/plain; charset={declared}\n\n"
    [memory] = eml(tmp_path, header.encode() + data)
    assert memory.text == expected


def test_a_page_becomes_text_and_the_plain_version_is_preferred(tmp_path: Path) -> None:
    mail = letter("Plain words of the mail")
    mail.add_alternative("<p>Words of the <b>page</b></p>", subtype="html")
    assert eml(tmp_path, mail)[0].text == "Plain words of the mail"
    only = letter()
    only.set_content(
        "<h1>Booking</h1><p>Room&nbsp;7 &amp; 8</p><script>x()</script>", subtype="html"
    )
    assert eml(tmp_path, only)[0].text == "Booking\n\nRoom 7 & 8"


def test_a_plain_version_that_only_points_to_the_page_is_not_preferred(tmp_path: Path) -> None:
    mail = letter("Please view this mail in a browser.")
    mail.add_alternative(f"<p>{'Your flight leaves at nine. ' * 30}</p>", subtype="html")
    assert eml(tmp_path, mail)[0].text.startswith("Your flight leaves at nine.")


def test_links_are_kept_but_for_the_long_ones_that_only_track(tmp_path: Path) -> None:
    mail = letter()
    long = "https://click.example.org/" + "x" * 200
    page = f"<p><a href='https://example.org/7'>Ticket</a> <a href='{long}'>Offers</a></p>"
    mail.set_content(page, subtype="html")
    assert eml(tmp_path, mail)[0].text == "Ticket <https://example.org/7> Offers"


def test_flowed_paragraphs_are_joined(tmp_path: Path) -> None:
    raw = (
        b"From: a@b.org\nMessage-ID: <1@x>\nContent-Type: text/plain; format=flowed\n\n"
        b"One line \nthat goes on.\n> quoted \n> too\n\n-- \nAnna\n"
    )
    assert eml(tmp_path, raw)[0].text == "One line that goes on.\n> quoted too\n\n--\nAnna"


@pytest.mark.parametrize(
    "fields", [{"List_Unsubscribe": "<mailto:out@example.org>"}, {"Precedence": "Bulk"}]
)
def test_mail_for_many_is_marked_and_keeps_its_id(tmp_path: Path, fields: dict[str, str]) -> None:
    [memory] = eml(tmp_path, letter(**fields))
    [plain] = eml(tmp_path, letter())
    assert memory.metadata["bulk"] is True
    assert "bulk" not in plain.metadata
    assert memory.id == plain.id


def test_gmail_labels_are_kept(tmp_path: Path) -> None:
    mail = letter(X_Gmail_Labels="=?UTF-8?Q?Inbox,Reisen_&_Fl=C3=BCge?=")
    assert eml(tmp_path, mail)[0].metadata["labels"] == ["Inbox", "Reisen & Flüge"]


# When


@pytest.mark.parametrize(
    ("date", "expected"),
    [
        ("Fri, 17 May 2024 12:00:00 +0200", NOON),
        ("Fri, 17 May 2024 12:00:00 +0200 (CEST)", NOON),
        ("Fri, 17 May 2024 10:00:00 +0000 (CEST)", NOON),
        ("17 May 24 12:00 CEST", NOON),
        ("Fri, 17 May 2024 10:00:00 GMT", NOON),
        ("Fri, 17 May 2024 06:00:00 EDT", NOON),
        ("Fri, 17 May 2024 10:00:00 -0000", NOON),
        ("Fri, 17 May 2024 10:00:00", NOON),
        ("Fri, 17 May 2024 10:00:00 +9900", NOON),
        ("2024-05-17T12:00:00+02:00", NOON),
        ("Fri May 17 10:00:00 2024", NOON),
        ("Fri, 31 Feb 2024 10:00:00 +0000", None),
        ("Thu, 1 Jan 1970 00:00:00 +0000", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_dates_of_all_kinds_are_one_moment(
    tmp_path: Path, date: str, expected: datetime | None
) -> None:
    raw = f"From: a@b.org\nMessage-ID: <1@x>\nDate: {date}\n\nx\n".encode()
    assert eml(tmp_path, raw)[0].timestamp == expected


def test_a_mail_without_a_date_takes_that_of_its_delivery(tmp_path: Path) -> None:
    raw = b"Received: from x by y; Fri, 17 May 2024 12:00:00 +0200\nFrom: a@b.org\n\nx\n"
    assert eml(tmp_path, raw)[0].timestamp == NOON


# Threads


def test_replies_name_what_they_answer_and_share_the_session(tmp_path: Path) -> None:
    box = mailbox.mbox(tmp_path / "m.mbox")
    for number, before in ((1, ""), (2, "<1@x>"), (3, "<1@x> <2@x>")):
        mail = EmailMessage()
        mail["From"] = "a@b.org"
        mail["Message-ID"] = f"<{number}@x>"
        if before:
            mail["References"] = before
            mail["In-Reply-To"] = before.split()[-1]
        mail.set_content(f"number {number}")
        box.add(mail)
    box.close()
    read = memories(tmp_path / "m.mbox")
    assert [each.session for each in read] == ["<1@x>"] * 3
    answered = [[ref.source_id for ref in each.references] for each in read]
    assert answered == [[], ["<1@x>"], ["<2@x>"]]
    assert {ref.relation for each in read for ref in each.references} == {"reply_to"}


def test_a_thread_is_followed_where_only_the_answered_mail_is_named(tmp_path: Path) -> None:
    raw = b""
    for number in range(1, 4):
        answers = f"In-Reply-To: <{number - 1}@x>\n" if number > 1 else ""
        raw += (
            f"From a@b.org Fri May 17 10:00:0{number} 2024\nFrom: a@b.org\n"
            f"Message-ID: <{number}@x>\n{answers}\nbody {number}\n\n"
        ).encode()
    (tmp_path / "m").write_bytes(raw)
    assert [each.session for each in memories(tmp_path / "m")] == ["<1@x>"] * 3


# Attachments


def picture() -> bytes:
    out = BytesIO()
    Image.new("RGB", (40, 30), "red").save(out, "JPEG")
    return out.getvalue()


def test_attachments_are_memories_of_their_own_that_name_their_mail(tmp_path: Path) -> None:
    mail = letter("Attached.", Subject="Photos")
    mail.add_attachment(picture(), maintype="image", subtype="jpeg", filename="Übersicht 1.jpg")
    mail.add_attachment("Gate 7, seat 12", subtype="plain", filename="pass.txt")
    mail.add_attachment(b"\0\1\2", maintype="application", subtype="x-odd", filename="a/../b.xyz")
    message, photo, text, odd = eml(tmp_path, mail)
    assert message.metadata["attachments"] == ["Übersicht 1.jpg", "pass.txt", "a_.._b.xyz"]
    for each in (photo, text, odd):
        assert Reference("attachment_of", "<1@example.org>") in each.references
        assert (each.source, (each.session or "")[:15]) == ("mail", "<1@example.org>")
        assert (each.speaker, each.timestamp) == ("Anna Berger", NOON)
    assert (photo.kind, photo.media[0].modality) == ("photo", "image")
    assert photo.media[0].name == "Übersicht 1.jpg"
    assert "Gate 7, seat 12" in text.text
    assert (odd.kind, odd.text, odd.media[0].size) == ("document", "a_.._b.xyz", 3)
    assert len({each.id for each in (message, photo, text, odd)}) == 4


def test_pictures_in_the_midst_of_a_page_belong_to_the_mail(tmp_path: Path) -> None:
    mail = letter()
    mail.set_content("<p>Look: <img src='cid:logo@x'></p>", subtype="html")
    mail.add_related(picture(), "image", "jpeg", cid="<logo@x>", filename="logo.jpg")
    [memory] = eml(tmp_path, mail)
    assert [medium.name for medium in memory.media] == ["logo.jpg"]


def test_an_invitation_is_an_event_of_its_own(tmp_path: Path) -> None:
    calendar = (
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:7@x\r\n"
        "DTSTART:20240603T100000Z\r\nSUMMARY:Dentist\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    )
    mail = letter("You are invited.")
    mail.add_alternative(calendar, subtype="calendar")
    message, event = eml(tmp_path, mail)
    assert message.text == "You are invited."
    assert (event.kind, event.timestamp) == ("event", datetime(2024, 6, 3, 10, tzinfo=UTC))
    assert Reference("attachment_of", "<1@example.org>") in event.references


def test_a_carried_mail_is_a_mail_of_its_own(tmp_path: Path) -> None:
    inner = letter("Inner words", Subject="Inner")
    inner.replace_header("Message-ID", "<inner@example.org>")
    outer = letter("Outer words", Subject="Fwd")
    outer.add_attachment(inner)
    first, second = eml(tmp_path, outer)
    assert (first.text, second.text) == ("Fwd\n\nOuter words", "Inner\n\nInner words")
    assert second.source_id == "<inner@example.org>"
    assert Reference("attachment_of", "<1@example.org>") in second.references


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ('attachment; filename="=?utf-8?Q?=C3=BCber.bin?="', "über.bin"),
        ("attachment; filename*=UTF-8''%C3%BCber.bin", "über.bin"),
        ("attachment; filename*0*=UTF-8''%C3%BC; filename*1=ber.bin", "über.bin"),
        ("attachment; filename*=iso-8859-1'de'%FCber.bin; filename=uber.bin", "über.bin"),
        ("attachment; filename=über.bin", "über.bin"),
        ('attachment; filename="a;b \\"c\\".bin"', "a;b _c_.bin"),
        ("attachment; filename=/etc/passwd", "_etc_passwd"),
        ("attachment", "attachment-1.bin"),
    ],
)
def test_names_of_attachments_in_all_encodings(tmp_path: Path, header: str, expected: str) -> None:
    raw = (
        "From: a@b.org\nMessage-ID: <1@x>\nContent-Type: multipart/mixed; boundary=B\n\n--B\n"
        f"Content-Type: application/octet-stream\nContent-Disposition: {header}\n\n\0\1\2\n--B--\n"
    ).encode()
    assert eml(tmp_path, raw)[-1].media[0].name == expected


def test_signatures_are_no_attachments(tmp_path: Path) -> None:
    mail = MIMEMultipart("signed", protocol="application/pgp-signature")
    mail["From"], mail["Message-ID"] = "a@b.org", "<1@x>"
    mail.attach(MIMEText("signed words"))
    mail.attach(MIMEApplication(b"-----BEGIN PGP SIGNATURE-----", "pgp-signature"))
    [memory] = eml(tmp_path, mail)
    assert memory.text == "signed words"


# Kinds of files


def test_a_mail_keeps_its_id_wherever_it_lies(tmp_path: Path) -> None:
    mail = letter("Same words", Subject="Same")
    box = mailbox.mbox(tmp_path / "box.mbox")
    box.add(mail)
    box.close()
    folder = mailbox.Maildir(tmp_path / "maildir")
    folder.add(mail)
    [path] = Mail().parts(Found(tmp_path / "maildir", "maildir", is_folder=True))
    [single] = eml(tmp_path, mail)
    assert memories(tmp_path / "box.mbox") == memories(path) == [single]


def test_a_maildir_and_the_folders_in_it_are_recognised_without_unfinished_mails(
    tmp_path: Path,
) -> None:
    box = mailbox.Maildir(tmp_path / "Mail")
    box.add(letter("in the inbox"))
    sent = box.add_folder("Sent.2024")
    sent.add(letter("sent words"))
    (tmp_path / "Mail" / "tmp" / "half").write_bytes(letter("unfinished").as_bytes())
    folder = Found(tmp_path / "Mail", "Mail", is_folder=True)
    assert Mail().recognises(folder)
    read = [memory for path in Mail().parts(folder) for memory in memories(path)]
    assert sorted(memory.text for memory in read) == ["in the inbox", "sent words"]
    labels = [memory.metadata.get("labels") for memory in read if memory.text == "sent words"]
    assert labels == [["Sent/2024"]]


@pytest.mark.parametrize(
    "folders", [("cur", "new", "tmp"), ("cur", "new"), ("cur", "tmp"), ("cur",)]
)
def test_a_maildir_is_known_without_its_empty_folders(
    tmp_path: Path, folders: tuple[str, ...]
) -> None:
    """Programs leave them out of zips."""
    for folder in folders:
        (tmp_path / "mail" / folder).mkdir(parents=True)
    written(tmp_path / "mail", "cur/1700.M1.host:2,S", "From: a@x.org\n\nHi")
    assert Mail().recognises(met(tmp_path / "mail"))
    (tmp_path / "other" / "cur").mkdir(parents=True)
    assert not Mail().recognises(met(tmp_path / "other"))


def test_apple_mail_files_are_read_without_what_apple_adds(tmp_path: Path) -> None:
    data = letter("From a Mac").as_bytes()
    path = tmp_path / "1.emlx"
    path.write_bytes(b"%d\n" % len(data) + data + b'<?xml version="1.0"?><plist></plist>')
    assert Mail().recognises(found(path))
    assert [memory.text for memory in memories(path)] == ["From a Mac"]


@pytest.mark.parametrize(
    "data",
    [
        b"Dear Anna,\n\nthe date: 4 May\n",
        b"Title: A page\nDate: 2024-01-01\nTags: x\n\nA note with front matter\n",
        b"HTTP/1.1 200 OK\nDate: today\nFrom: x\n\n",
        b"From: <Saved by Blink>\nSnapshot-Content-Location: https://x\nSubject: p\n\n",
        b"From here on it is text\nand no mail\n",
        b"\x89PNG\r\n\x1a\n",
        b"{}",
        b"",
    ],
)
def test_other_files_are_not_taken_for_mail(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x.txt").write_bytes(data)
    assert not Mail().recognises(found(tmp_path / "x.txt"))


def test_a_deleted_mail_of_thunderbird_is_left_out(tmp_path: Path) -> None:
    raw = b"From: a@b.org\nMessage-ID: <1@x>\nX-Mozilla-Status: 0009\n\nsecret\n"
    (tmp_path / "a.eml").write_bytes(raw)
    [skipped] = read(tmp_path / "a.eml")
    assert isinstance(skipped, Skipped)
    assert "Thunderbird" in skipped.reason
