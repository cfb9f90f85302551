"""Files with the oddities of real programs, written by hand, for the fuzzer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

MAIL = """Return-Path: <anna@x.org>
To: Jan <jan@x.org>,
Zoe <zoe@x.org>
warning this line was put in by a gateway
From: Anna <anna@x.org>
In-Reply-To: Message from Jan <jan@x.org> of "Mon, 3 Jun 2002" <3@host>
References: Your message of Monday <1@host> <jan@x.org>
 \t
The body begins without an empty line: here.
"""
NETSCAPE = "".join(
    f"From - \nMessage-ID: <{number}@x.org>\nFrom: a@x.org\nContent-Length: {50 * number}\n"
    f"X-Mozilla-Status: 0001\nSubject: {number}\n\nwords {number}\n--edge--\n"
    for number in range(4)
)


def write_odd(folder: Path) -> None:
    """Write files of every kind with oddities."""
    folder.mkdir()
    (folder / "odd.eml").write_text(MAIL)
    (folder / "netscape").write_text(NETSCAPE)
