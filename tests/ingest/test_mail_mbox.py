"""Mbox files in their dialects, and what no dialect allows."""

from __future__ import annotations

import mailbox
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmemix.ingest.mail import mbox
from graphmemix.ingest.mail.mbox import is_mbox, messages

LINE = b"From a@b.org Fri May 17 10:00:00 2024\n"
HEAD = b"From: a@b.org\nSubject: s\n\n"


def bodies(data: bytes) -> list[bytes | None]:
    return [
        None if each.data is None else each.data.partition(b"\n\n")[2].strip()
        for each in messages(BytesIO(data))
    ]


def test_what_python_writes_is_split_as_python_splits_it(tmp_path: Path) -> None:
    box = mailbox.mbox(tmp_path / "m")
    texts = ["one", "From me\nto you", "\n\nFrom a@b Mon Jan  1 10:00:00 2024\nx", ">From y", ""]
    for text in texts:
        box.add(f"From: a@b.org\nSubject: x\n\n{text}\n".encode())
    box.close()
    data = (tmp_path / "m").read_bytes()
    assert is_mbox(data)
    expected = [text.encode().strip() for text in texts]
    expected[3] = b"From y"  # mboxo cannot tell it from a quoted line
    assert bodies(data) == expected


def test_quoted_lines_lose_one_mark() -> None:
    data = LINE + HEAD + b">From a\n>>From b\n> From c\n"
    assert bodies(data) == [b"From a\n>From b\n> From c"]


def test_a_line_in_a_text_does_not_begin_a_message() -> None:
    text = (
        b"Hello\n\nFrom now on we meet at 10:30.\n\nFrom: nobody\n\nFrom 9:00 in 2024\nwe sleep\n"
    )
    assert bodies(LINE + HEAD + text) == [text.strip()]


def test_a_length_that_is_right_is_believed() -> None:
    inner = b"forwarded:\n\n" + LINE + HEAD + b"inner\n"
    stated = b"From: a@b.org\nContent-Length: %d\n\n" % len(inner)
    data = LINE + stated + inner + b"\n" + LINE + HEAD + b"next\n"
    assert bodies(data) == [inner.strip(), b"next"]
    assert bodies(LINE + stated + inner) == [inner.strip()]


def test_a_length_that_is_wrong_is_not_believed() -> None:
    for wrong in (3, 10_000, 10**11):
        stated = b"From: a@b.org\nContent-Length: %d\n\nfirst words\n\n" % wrong
        assert bodies(LINE + stated + LINE + HEAD + b"next\n") == [b"first words", b"next"]


@pytest.mark.parametrize(
    "line",
    [
        b"From - Sat Jan  3 01:05:34 1996\n",
        b"From 1799@xxx Mon Apr 04 12:00:00 +0000 2016\n",
        b"From ???@??? Mon Jan 03 10:00:00 2005\n",
        b'From "john doe"@x.org Thu Jan  1 00:00:00 1970\n',
        b"From MAILER-DAEMON Fri Jul  8 12:08:34 2011\r\n",
        b"From a@b.org\n",
        b"From -\n",
    ],
)
def test_first_lines_of_many_programs_begin_a_message(line: bytes) -> None:
    data = line + HEAD + b"one\n\n" + line + HEAD + b"two\n"
    assert is_mbox(data)
    assert bodies(data) == [b"one", b"two"]


def test_a_missing_blank_line_before_a_message_is_forgiven() -> None:
    assert bodies(LINE + HEAD + b"one\n" + LINE + HEAD + b"two\n") == [b"one", b"two"]


def test_line_ends_of_windows_are_split_too() -> None:
    data = (LINE + HEAD + b"one\n\n" + LINE + HEAD + b"two\n").replace(b"\n", b"\r\n")
    assert [each.data for each in messages(BytesIO(data))] == [
        b"From: a@b.org\r\nSubject: s\r\n\r\none\r\n\r\n",
        b"From: a@b.org\r\nSubject: s\r\n\r\ntwo\r\n",
    ]


def test_a_message_that_is_too_long_is_passed_over_and_the_next_one_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mbox, "MOST_BYTES", 3_000_000)
    long = b"x" * 70 + b"\n"
    data = (
        LINE + HEAD + b"one\n\n" + LINE + HEAD + long * 100_000 + b"\n" + LINE + HEAD + b"three\n"
    )
    assert bodies(data) == [b"one", None, b"three"]


class Trickle(BytesIO):
    """Gives a few bytes at a time, so that every line is cut somewhere."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(min(7, size or 7) if size and size > 0 else 7)


def test_pieces_of_any_size_give_the_same_messages() -> None:
    data = b"".join(LINE + HEAD + b"text %d\nFrom x\n\n" % n for n in range(50))
    assert [*messages(Trickle(data))] == [*messages(BytesIO(data))]


PIECES = st.lists(
    st.sampled_from(
        [LINE, HEAD, b"\n", b"\r\n", b"text\n", b"From \n", b">From x\n", b"Content-Length: 9\n"]
    )
    | st.binary(max_size=20),
    max_size=30,
).map(b"".join)


@given(PIECES)
def test_no_byte_is_lost_and_nothing_raises(data: bytes) -> None:
    read = list(messages(BytesIO(data)))
    if read:
        assert read[-1].end == len(data)
    assert sum(len(each.data or b"") for each in read) <= len(data)
    assert [*messages(Trickle(data))] == read
