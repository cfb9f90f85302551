"""Recognises the header of a mail by the names of its fields, even among lines that are none."""

from __future__ import annotations

import re

_LINE = re.compile(rb"([!-9;-~]{1,80})[ \t]*:|[ \t]")
_TRANSPORT = frozenset(
    {b"from", b"sender", b"return-path", b"received", b"message-id", b"delivered-to"}
)
_OTHERS = frozenset({b"to", b"cc", b"subject", b"date", b"mime-version", b"x-mozilla-status"})
_DELIVERED = _TRANSPORT - {b"from", b"sender"} | {b"x-mozilla-status"}
_RARER = frozenset(
    {b"bcc", b"reply-to", b"in-reply-to", b"references", b"envelope-to", b"status", b"keywords"}
)
_KNOWN = _TRANSPORT | _OTHERS | _RARER
_FEWEST_PER_ODD = 6  # fields for each line that is none
_FAMILIES = (b"x-", b"content-", b"list-", b"resent-", b"received-", b"dkim-", b"arc-")


def is_mail_field(name: bytes) -> bool:
    """Return whether mails are known to have a field of this name."""
    name = name.lower()
    return name in _KNOWN or name.startswith(_FAMILIES)


def is_header(head: bytes) -> bool:
    """Return whether these are fields of a mail: all lines, or nearly all of a delivered mail."""
    names, fields, odd = _fields(head)
    known = names & (_TRANSPORT | _OTHERS)
    if odd:
        return bool(names & _DELIVERED) and len(known) >= 4 and odd * _FEWEST_PER_ODD <= fields
    return bool(names & _TRANSPORT) and len(known) >= 2


def is_delivered(head: bytes) -> bool:
    """Return whether it is a header with fields that only servers and mail programs write."""
    return is_header(head) and bool(_fields(head)[0] & _DELIVERED)


def has_mail_field(head: bytes) -> bool:
    """Return whether there is any field of a mail among the lines before the first empty one."""
    return bool(_fields(head)[0] & (_TRANSPORT | _OTHERS | {b"content-type"}))


def _fields(head: bytes) -> tuple[set[bytes], int, int]:
    """Return the names of the fields, their number, and that of other lines."""
    names: set[bytes] = set()
    fields = odd = 0
    lines = head.lstrip(b"\r\n").split(b"\n")
    for line in lines[: -1 if len(lines) > 1 else None]:  # the last may be cut
        if not line.rstrip(b"\r"):
            break
        field = _LINE.match(line)
        if field is None:
            odd += 1
        elif field[1]:
            fields += 1
            names.add(field[1].lower())
    return names, fields, odd
