"""Mail: threads, attachments, pages, old charsets, odd names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.ingest.blind import mails
from tests.ingest.blind.gold import memories, of_kind, offset, replies, utc, words

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from graphmemix.memory import Memory

CHARSETS = mails.odd_charsets()


def _attachments(found: list[Memory], mail: str) -> list[Memory]:
    return [
        memory
        for memory in found
        for reference in memory.references
        if reference.relation == "attachment_of" and mail in reference.source_id
    ]


@pytest.mark.parametrize("write", [mails.write_mbox, mails.write_maildir])
def test_thread(tmp_path: Path, write: Callable[[Path], Path]) -> None:
    found = memories(write(tmp_path / "box"), home=tmp_path)
    letters = of_kind(found, "email")
    assert [(m.speaker, utc(m), offset(m), words(m.text)) for m in letters] == [
        (
            "Lena Brandt",
            "2024-03-04T08:15:00Z",
            "+0100",
            "Kanu für Ostern Lieber Otto, From Friday on we need two canoes. Lena",
        ),
        (
            "Otto Weiß",
            "2024-03-04T08:40:30Z",
            "+0000",
            "Re: Kanu für Ostern I asked the club. They lend us two.",
        ),
        (
            "Lena Brandt",
            "2024-03-05T09:02:03Z",
            "-0800",
            "AW: Kanu für Ostern Wonderful, see plan.",
        ),
        ("Lena Brandt", "2024-03-06T12:00:00Z", "+0000", "Gas bill Paid 61.20 EUR."),
    ]
    one, two, three, four = letters
    assert one.session == two.session == three.session != four.session
    assert replies(found) == {two.source_id: one.source_id, three.source_id: two.source_id}
    assert "1@brandt.example" in one.source_id

    attached = _attachments(found, "3@brandt.example")
    assert len(attached) == 3
    by_name = {medium.name: m for m in attached for medium in m.media}
    picture = by_name["Anfahrt Größe.png"]
    assert picture.kind == "photo"
    assert (picture.media[0].modality, picture.media[0].width, picture.media[0].height) == (
        "image",
        12,
        8,
    )
    assert "route.trk" in by_name
    assert any("Paddles" in m.text for m in attached)


@pytest.mark.parametrize("name", CHARSETS)
def test_charset(tmp_path: Path, name: str) -> None:
    data, subject, body = CHARSETS[name]
    (tmp_path / "one.eml").write_bytes(data)
    (mail,) = memories(tmp_path / "one.eml", home=tmp_path)
    assert words(mail.text) == f"{subject} {body}"


def test_page_becomes_text(tmp_path: Path) -> None:
    (tmp_path / "one.eml").write_bytes(mails.html_only())
    (mail,) = memories(tmp_path / "one.eml", home=tmp_path)
    text = words(mail.text)
    assert text.startswith("Booking")
    assert "your booking K7X-220 is confirmed & paid." in text.replace("*", "")
    assert "Two canoes" in text
    assert "the page" in text
    for noise in ("<p", "<b", "color", "track", "&nbsp;"):
        assert noise not in text


def test_name_in_pieces(tmp_path: Path) -> None:
    (tmp_path / "one.eml").write_bytes(mails.rfc2231())
    found = memories(tmp_path / "one.eml", home=tmp_path)
    (attached,) = _attachments(found, "r@x.example")
    assert attached.media[0].name == "Protokoll der Bürgerversammlung 2024.dat"
    assert attached.media[0].size == 5


def test_winmail_is_not_lost(tmp_path: Path) -> None:
    (tmp_path / "one.eml").write_bytes(mails.winmail())
    found = memories(tmp_path / "one.eml", home=tmp_path)
    attached = _attachments(found, "9@brandt.example")
    assert any("Yeast" in m.text for m in attached)


def test_two_forms_count_once_and_pictures_in_the_page_belong_to_it(tmp_path: Path) -> None:
    (tmp_path / "one.eml").write_bytes(mails.newsletter())
    (mail,) = memories(tmp_path / "one.eml", home=tmp_path)
    assert mail.text.count("tulips") == 1
    assert [medium.modality for medium in mail.media] == ["image"]


def test_carried_mail(tmp_path: Path) -> None:
    (tmp_path / "one.eml").write_bytes(mails.carried())
    found = memories(tmp_path / "one.eml", home=tmp_path)
    assert sorted(words(m.text) for m in of_kind(found, "email")) == [
        "FYI See below.",
        "Gas bill Paid 61.20 EUR.",
    ]
    (inner,) = _attachments(found, "11@brandt.example")
    assert utc(inner) == "2024-03-06T12:00:00Z"


def test_same_mail_in_two_boxes_is_one(tmp_path: Path) -> None:
    home = tmp_path / "home"
    found = memories(
        mails.write_mbox(tmp_path / "a.mbox"), mails.write_maildir(tmp_path / "b"), home=home
    )
    assert len(of_kind(found, "email")) == 4


@pytest.mark.parametrize(
    ("date", "moment"),
    [
        ("Sun, 10 Mar 2024 07:00:00 EST", "2024-03-10T12:00:00Z"),
        ("10 Mar 24 07:00 -0000", "2024-03-10T07:00:00Z"),
        ("Sun Mar 10 07:00:00 2024 +0530", "2024-03-10T01:30:00Z"),
        ("Sun, 32 Mar 2024 07:00:00 +0000", None),
    ],
)
def test_dates(tmp_path: Path, date: str, moment: str | None) -> None:
    data = mails.raw("Message-ID: <d@x.example>\nSubject: Date", b"Body")
    data = data.replace(b"Thu, 07 Mar 2024 10:00:00 +0100", date.encode())
    (tmp_path / "one.eml").write_bytes(data)
    (mail,) = memories(tmp_path / "one.eml", home=tmp_path)
    assert utc(mail) == moment


def test_a_date_that_is_none_does_not_end_the_box(tmp_path: Path) -> None:
    head = b"From a@b Mon Mar  4 09:15:00 2024\nFrom: a@b.example\n"
    box = head + b"Message-ID: <%d@x>\nDate: %s\n\nHi\n\n"
    dates = [b"Mon, 4 Mar 99999999999999999999 09:15:00 +0100", b"Mon, 4 Mar 2024 09:15:00 +0100"]
    (tmp_path / "a.mbox").write_bytes(b"".join(box % (i, date) for i, date in enumerate(dates)))
    found = memories(tmp_path / "a.mbox", home=tmp_path)
    assert {m.source_id for m in found} == {"<0@x>", "<1@x>"}
