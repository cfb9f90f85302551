"""Mails with mistakes that real programs make in headers, separators and references."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest

from graphmemix.ingest.mail import Mail
from graphmemix.ingest.mail.mbox import is_mbox, messages
from graphmemix.ingest.protocol import Skipped
from graphmemix.memory import Memory
from tests.ingest.reading import met, read, written

ODD = "lines of its header are no fields; the rest was read"


def read_mail(folder: Path, *lines: str, name: str = "a.eml") -> tuple[list[Memory], list[Skipped]]:
    return read(Mail(), written(folder, name, "\r\n".join(lines)))


def replies(folder: Path, *lines: str) -> tuple[list[str], str]:
    """Return what a mail with these fields answers, and its thread."""
    head = ("From: Jan <jan@x.org>", "To: Anna <anna@x.org>", "Message-ID: <9@x.org>")
    [mail], _ = read_mail(folder, *head, *lines, "", "Words")
    return [each.source_id for each in mail.references], mail.session or ""


# Headers


def test_recipients_that_are_broken_without_a_blank_are_all_kept(tmp_path: Path) -> None:
    [mail], notes = read_mail(
        tmp_path,
        "Return-Path: <anna@x.org>",
        "To: Jan <jan@x.org>,",
        "Zoe <zoe@x.org>,",
        "b@x.org",
        "From: Anna <anna@x.org>",
        "Subject: A long",
        "subject",
        "Date: Fri, 17 May 2024 12:00:00 +0200",
        "Message-ID: <1@x.org>",
        "",
        "Words",
    )
    assert mail.metadata == {
        "subject": "A long subject",
        "from": "Anna <anna@x.org>",
        "to": ["Jan <jan@x.org>", "Zoe <zoe@x.org>", "b@x.org"],
    }
    assert mail.timestamp is not None
    assert (mail.text, mail.source_id) == ("A long subject\n\nWords", "<1@x.org>")
    assert notes == []


def test_an_odd_line_costs_itself_and_is_named(tmp_path: Path) -> None:
    [mail], notes = read_mail(
        tmp_path,
        "Date: Fri, 17 May 2024 12:00:00 +0200",
        "warning this line was put in by a gateway",
        "From: Anna <anna@x.org>",
        "Subject: Key",
        "",
        "With Olga",
    )
    assert (mail.speaker, mail.text) == ("Anna", "Key\n\nWith Olga")
    assert notes == [Skipped("a.eml", ODD)]


def test_the_ending_decides_where_the_header_is_poor(tmp_path: Path) -> None:
    lines = ("Subject :Old syntax", "      ", " over two lines", "Inv\u00e4lid: x", "", "body")
    [mail], notes = read_mail(tmp_path, *lines)
    assert (mail.text, notes) == ("Old syntax over two lines\n\nbody", [])
    [mail], notes = read_mail(tmp_path, "MIME-Version: 1.0", "Content-Type: text/plain", "", "body")
    assert (mail.text, notes) == ("body", [])
    assert not Mail().recognises(met(written(tmp_path, "a.txt", "\n".join(lines))))


def test_an_odd_line_of_a_delivered_mail_matters_under_no_ending(tmp_path: Path) -> None:
    fields = [f"Received: by host{number}.x.org" for number in range(5)]
    lines = (*fields, "DKIM-Signature: v=1; b=abc", "def/ghi", "From: a@x.org", "To: b@x.org")
    [mail], notes = read_mail(tmp_path, *lines, "Message-ID: <1@x.org>", "", "body", name="1")
    assert (mail.source_id, mail.text, notes) == ("<1@x.org>", "body", [Skipped("1", ODD)])


def test_a_text_that_is_no_mail_is_not_read_for_its_ending(tmp_path: Path) -> None:
    assert not Mail().recognises(met(written(tmp_path, "a.eml", "Dear Anna,\nsee you: soon\n")))


@pytest.mark.parametrize("separator", [" ", "\t", None])
def test_the_body_is_kept_where_the_empty_line_is_not_empty(
    tmp_path: Path, separator: str | None
) -> None:
    between = [] if separator is None else [separator]
    body = ("The first line of the body", "Two: the second line", "", "the last")
    head = ("From: a@x.org", "To: b@x.org", "Subject: Key")
    [mail], notes = read_mail(tmp_path, *head, *between, *body)
    assert mail.text == "Key\n\nThe first line of the body\nTwo: the second line\n\nthe last"
    assert notes == []


# Mailboxes

HEAD = "Message-ID: <{0}@x.org>\nFrom: a@x.org\nTo: b@x.org\nX-Mozilla-Status: 0001\n"
END = "--edge--\n"


def subjects(data: str) -> list[bytes]:
    found = [each.data or b"" for each in messages(BytesIO(data.encode()))]
    return [data.partition(b"Subject: ")[2].partition(b"\n")[0] for data in found]


@pytest.mark.parametrize("line", ["From - \n", "From -\n", "From 18443@xxx\n"])
def test_no_mail_vanishes_into_the_one_before(line: str) -> None:
    # As Netscape wrote them: no date, no blank line before, and a length that may be wrong.
    box = ""
    for number, wrong in enumerate((0, 7, 40, 4000)):
        body = f"--edge\n\nwords {number}\n{END}"
        stated = f"Content-Length: {len(body) + wrong}\n"
        box += f"{line}{HEAD.format(number)}Subject: {number}\n{stated}\n{body}"
    assert is_mbox(box.encode())
    assert subjects(box) == [b"0", b"1", b"2", b"3"]


@pytest.mark.parametrize("line", ["From nobody\n", "From john at home\n", "From \n", "From ????\n"])
def test_an_odd_separator_before_a_delivered_mail_begins_it(line: str) -> None:
    first = f"From a@x.org Fri May 17 10:00:00 2024\n{HEAD.format(1)}Subject: 1\n\nwords\n\n"
    assert subjects(f"{first}{line}{HEAD.format(2)}Subject: 2\n\nwords\n") == [b"1", b"2"]


def test_a_pasted_header_below_prose_begins_no_mail() -> None:
    pasted = "From the archive of my aunt\nFrom: Anna\nTo: Jan\nSubject: 2\n\nDear Jan\n"
    first = f"From a@x.org Fri May 17 10:00:00 2024\n{HEAD.format(1)}Subject: 1\n\nwords\n\n"
    assert subjects(first + pasted) == [b"1"]


# Threads


@pytest.mark.parametrize(
    ("field", "answered"),
    [
        ('Message from Anna <anna@x.org> of "Mon, 3 Jun 2002 10:00:00 PDT." <3@host>', "<3@host>"),
        ('Your message of "Mon, 03 Jun 2002 10:00:00 +0200." <3@host>', "<3@host>"),
        ('Message from Zoe <zoe@y.org> of "Mon, 3 Jun 2002" <3@host>', "<3@host>"),
        ("<3@host> (Anna's message of Mon, 3 Jun 2002)", "<3@host>"),
        ('<3@host> from "Anna" at Jun 3, 2002 10:00:00 AM', "<3@host>"),
        ("<anna@x.org> <3@host>", "<3@host>"),
        ("3@host", "<3@host>"),
    ],
)
def test_the_id_is_taken_from_among_other_words(tmp_path: Path, field: str, answered: str) -> None:
    assert replies(tmp_path, f"In-Reply-To: {field}") == ([answered], answered)


@pytest.mark.parametrize(
    "field",
    [
        'Message from Zoe <zoe@y.org> of "Mon, 3 Jun 2002 10:00:00 PDT."',
        "<anna@x.org>",
        "Anna <anna@x.org>",
        "anna@x.org",
        "Anna's message of Mon, 3 Jun 2002",
    ],
)
def test_an_address_is_never_taken_for_the_mail_that_is_answered(
    tmp_path: Path, field: str
) -> None:
    assert replies(tmp_path, f"In-Reply-To: {field}") == ([], "<9@x.org>")


def test_references_with_addresses_and_words_keep_their_ids(tmp_path: Path) -> None:
    lines = ("References: Your message of Monday <1@host>", " Anna <anna@x.org> <2@host>")
    assert replies(tmp_path, *lines) == (["<2@host>"], "<1@host>")
    assert replies(tmp_path, *lines, "In-Reply-To: <z@y.org> <1@host>") == (
        ["<1@host>"],
        "<1@host>",
    )


# Recipients


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("undisclosed-recipients:;", None),
        ("unlisted-recipients:; (no To-header on input)", None),
        ("(Empty list)Undisclosed recipients  :(nobody(that I know))  ;", None),
        ("Family: Anna <anna@x.org>, jan@x.org;", ["Anna <anna@x.org>", "jan@x.org"]),
        ("Kay, Anna <anna@x.org>, Jan <jan@x.org>", ["Kay, Anna <anna@x.org>", "Jan <jan@x.org>"]),
        ("Anna <anna@x.org>; Jan <jan@x.org>;", ["Anna <anna@x.org>", "Jan <jan@x.org>"]),
        ("root, Anna <anna@x.org>", ["root", "Anna <anna@x.org>"]),
        ("anna@x.org (Anna Kay)", ["Anna Kay <anna@x.org>"]),
        ("Anna (at home) <anna(work)@x.org>", ["Anna <anna@x.org>"]),
        ('"anna@x.org" <anna@x.org>', ["anna@x.org"]),
        ('"Anna" [mailto:anna@x.org]', ["Anna <anna@x.org>"]),
        ("Anna <anna@x.org", ["Anna <anna@x.org>"]),
        ('Jan <jan@x.org>, "Anna <anna@x.org>', ["Jan <jan@x.org>", "Anna <anna@x.org>"]),
        ("=?utf-8?Q?Kay=2C_Anna?= <anna@x.org>", ["Kay, Anna <anna@x.org>"]),
        (
            "Jan <jan@x.org>,\r\n\t=?utf-8?Q?date=3E10:08:28=3C/pr?=",
            ["Jan <jan@x.org>", "date>10:08:28</pr"],
        ),
    ],
)
def test_recipients_are_people_however_they_are_written(
    tmp_path: Path, field: str, expected: list[str] | None
) -> None:
    [mail], _ = read_mail(tmp_path, "From: Zoe <zoe@x.org>", f"To: {field}", "", "Words")
    assert mail.metadata.get("to") == expected


# Parts


def test_a_text_without_its_boundary_is_kept(tmp_path: Path) -> None:
    [mail], _ = read_mail(
        tmp_path,
        "From: Anna <anna@x.org>",
        'Content-Type: multipart/alternative; boundary="edge"',
        "",
        "The key is with Olga.",
        "--edge--",
    )
    assert mail.text == "The key is with Olga."


def test_the_mails_of_a_digest_need_no_header_of_their_part(tmp_path: Path) -> None:
    memories, notes = read_mail(
        tmp_path,
        "From: List <list@x.org>",
        'Content-Type: multipart/digest; boundary="edge"',
        "",
        "--edge",
        "",
        "From: Jan <jan@x.org>",
        "Subject: First",
        "",
        "One",
        "--edge",
        "Content-Type: message/rfc822",
        "",
        "From: Zoe <zoe@x.org>",
        "Subject: Second",
        "",
        "Two",
        "--edge--",
    )
    texts = [(each.speaker, each.text) for each in memories[1:]]
    assert texts == [("Jan", "First\n\nOne"), ("Zoe", "Second\n\nTwo")]
    assert notes == []


def test_what_is_carried_as_a_mail_and_is_none_is_kept_as_text(tmp_path: Path) -> None:
    memories, notes = read_mail(
        tmp_path,
        "From: Anna <anna@x.org>",
        'Content-Type: multipart/mixed; boundary="edge"',
        "",
        "--edge",
        "Content-Type: message/rfc822",
        "",
        "",
        "The key is with Olga.",
        "--edge--",
    )
    assert [each.text for each in memories[1:]] == ["The key is with Olga."]
    assert notes == []


def test_a_mail_that_is_nested_too_deeply_is_named(tmp_path: Path) -> None:
    inner = ["From: Jan <jan@x.org>", "Subject: 0", "", "Words"]
    for level in range(1, 13):
        carried = ["From: Jan <jan@x.org>", f"Subject: {level}", "Content-Type: message/rfc822"]
        inner = [*carried, "", *inner]
    memories, notes = read_mail(tmp_path, *inner)
    assert [each.metadata["subject"] for each in memories] == [str(n) for n in range(12, 1, -1)]
    [note] = notes
    assert note.reason == "is nested too deeply in other mails"


def test_an_attached_text_is_read_whatever_its_ending_is(tmp_path: Path) -> None:
    memories, _ = read_mail(
        tmp_path,
        "From: Anna <anna@x.org>",
        'Content-Type: multipart/mixed; boundary="edge"',
        "",
        "--edge",
        "Content-Type: text/plain; charset=utf-8",
        "Content-Disposition: attachment; filename*=ISO-8859-1''keys.%E4%F6",
        "Content-Transfer-Encoding: base64",
        "",
        "VGhlIGtleSBpcyB3aXRoIE9sZ2Eu",
        "--edge--",
    )
    file = memories[1]
    assert (file.kind, file.text) == ("document", "The key is with Olga.")
    assert file.metadata["filename"] == "keys.äö"
