"""Mails that no program should write: a typed outcome each time, in bounded time and depth."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphmemix.errors import InvalidDataError
from graphmemix.ingest.mail.addresses import addresses
from graphmemix.ingest.mail.attachments import Scratch
from graphmemix.ingest.mail.headers import decoded, parameters
from graphmemix.ingest.mail.message import MailContext, read_message
from graphmemix.ingest.mail.mime import MOST_DEPTH, MOST_PARTS, parse
from graphmemix.ingest.media_sink import ArchiveMediaSink
from graphmemix.ingest.protocol import Reading, Skipped
from graphmemix.memory import Memory
from graphmemix.store.sanitize import cleaned
from graphmemix.text.dates.mail_heads import sent_at

HEADER = b"From: a@b.org\nMessage-ID: <1@x>\n"


def read(data: bytes) -> list[Reading]:
    with Scratch() as scratch:
        return list(read_message(data, "a.eml", MailContext(ArchiveMediaSink(None), scratch)))


def reasons(readings: list[Reading]) -> list[str]:
    return [each.reason for each in readings if isinstance(each, Skipped)]


def nested(depth: int) -> bytes:
    start = b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (i, i) for i in range(depth)
    )
    return HEADER + start + b"Content-Type: text/plain\n\ndeep words\n"


def test_parts_that_are_nested_too_deeply_are_left_out_and_reported() -> None:
    shallow, deep = read(nested(MOST_DEPTH)), read(nested(3000))
    assert isinstance(shallow[0], Memory)
    assert (shallow[0].text, reasons(shallow)) == ("deep words", [])
    assert isinstance(deep[0], Memory)
    assert reasons(deep) == ["parts nested too deeply, or too many parts, were left out"]


def test_mails_in_mails_end_somewhere() -> None:
    data = HEADER + b"\ninnermost\n"
    for _ in range(40):
        data = HEADER + b"Content-Type: message/rfc822\n\n" + data
    readings = read(data)
    assert 1 < len(readings) < 60
    for n in range(30):  # as files: each one is a message only once it is opened
        data = (
            HEADER + b"Content-Type: multipart/mixed; boundary=q%d\n\n--q%d\n" % (n, n)
            + b"Content-Type: application/octet-stream; name=a.eml\n\n" + data
        )  # fmt: skip
    assert 1 < len(read(data)) < 60


def test_parts_without_number_are_bounded() -> None:
    part = b"--B\nContent-Type: application/x-empty\n\n\n"
    data = HEADER + b"Content-Type: multipart/mixed; boundary=B\n\n" + part * 20_000
    assert len(parse(data).parts) <= MOST_PARTS
    assert len(read(data)) < 500


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"Content-Type: multipart/mixed\n\nno boundary\n", "no boundary"),
        (b"Content-Type: multipart/mixed; boundary=B\n\nnever used\n", "never used"),
        (b"Content-Type: multipart/mixed; boundary=B\n\n--B\n\nno end\n", "no end"),
        (b"Content-Type: nonsense\n\nstill text\n", "still text"),
        (b"Content-Transfer-Encoding: base64\n\nS2V5!!\nIGhlcmU\n", "Key here"),
        (b"Content-Transfer-Encoding: quoted-printable\n\n=4Bey =ZZ h=\nere\n", "Key =ZZ here"),
        (b"Content-Transfer-Encoding: odd\n\nas it is\n", "as it is"),
        (b"Content-Transfer-Encoding: x-uuencode\n\nbegin 644 a\n#2V5Y\n`\nend\n", "Key"),
        (b"Subject: no body", "no body"),
        (b"no colon here\nSubject: s\n\ntext\n", "s\n\ntext"),
    ],
)
def test_broken_mime_is_read_as_far_as_it_goes(data: bytes, expected: str) -> None:
    [memory, *_] = read(HEADER + data)
    assert isinstance(memory, Memory)
    assert memory.text == expected


def test_other_text_is_reported_as_no_mail() -> None:
    assert reasons(read(b"just some text\n\nmore")) == ["has no mail header"]


def test_long_ids_do_not_become_keys_of_the_archive() -> None:
    [memory] = read(b"From: a@b.org\nMessage-ID: <" + b"x" * 5000 + b"@y>\n\nhi\n")
    assert isinstance(memory, Memory)
    assert len(memory.source_id) < 300
    cleaned(memory)


def test_a_very_long_text_is_cut_and_reported() -> None:
    readings = read(HEADER + b"\n" + b"word " * 400_000)
    assert isinstance(readings[0], Memory)
    assert len(readings[0].text) <= 1_000_000
    assert reasons(readings) == ["text is too long; the rest was left out"]


FIELDS = st.sampled_from(
    [
        b"From: a@b.org",
        b"Message-ID: <1@x>",
        b"Subject: =?utf-8?B?w6TD?=",
        b"Subject: =?x?q?=ZZ?= =?\xff?B?!?=",
        b"Date: Fri, 99 May 20244 12:00 +99999999",
        b"Content-Type: multipart/mixed; boundary=B",
        b'Content-Type: multipart/alternative; boundary="B',
        b"Content-Type: text/html; charset=utf-7",
        b"Content-Type: message/rfc822",
        b"Content-Type: text/plain; charset*0*=''%; charset*1=x",
        b"Content-Transfer-Encoding: base64",
        b"Content-Transfer-Encoding: x-uuencode",
        b"Content-Transfer-Encoding: quoted-printable",
        b"Content-Disposition: attachment; filename*=x'y'%FF%00../..",
        b"References: <a> <b> <<c>> <" + b"z" * 300 + b">",
        b"\xff\xfe: \x00",
        b" folded",
    ]
)
LINES = st.lists(
    FIELDS | st.sampled_from([b"", b"--B", b"--B--", b"<p>&#xffffffff;<a", b"=E4=", b"begin 644 x"])
    | st.binary(max_size=30),
    max_size=25,
)  # fmt: skip


@settings(
    max_examples=2 * settings().max_examples,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(LINES, st.sampled_from([b"\n", b"\r\n"]))
def test_any_bytes_become_memories_or_reasons(lines: list[bytes], end: bytes) -> None:
    for each in read(HEADER + end.join(lines)):
        if isinstance(each, Memory):
            assert each.source == "mail"
            try:
                cleaned(each).to_json()
            except InvalidDataError as error:
                pytest.fail(f"cannot be stored: {error}")
        else:
            assert each.reason


@given(st.text(max_size=200))
def test_any_words_in_headers_are_decoded(text: str) -> None:
    decoded(text)
    parameters(f"text/plain; {text}")
    for each in addresses(text):
        assert each.shown
    sent_at([text])


def test_a_scratch_folder_is_gone_when_it_is_left() -> None:
    with Scratch() as scratch, scratch.holding("a.txt", b"x") as path:
        folder = path.parent
        assert folder.stat().st_mode & 0o777 == 0o700
    assert not folder.exists()
    with TemporaryDirectory() as elsewhere:
        assert not any(Path(elsewhere).iterdir())
