"""Mail: its own words, apart from what it quotes, its signature and its footers.

A mail is read line by line, and every line belongs to exactly one part. In doubt it is own.

Own words between quotes stay own, in their order. A forwarded mail is what its sender wants to
show: if the sender wrote few other words, what was forwarded is own as well, with its header
fields; below a longer letter it counts as quoted. The same holds for a mail that consists of
nothing but another one.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import dropwhile, groupby
from typing import Final, Literal, NamedTuple, TypeAlias

from graphmemix.text import mail_footers as footers
from graphmemix.text import mail_marks as marks

__all__ = ["MailParts", "forwarded_text", "mail_parts"]

_Part: TypeAlias = Literal["own", "quoted", "signature", "boilerplate"]

_FEW_WORDS: Final = 40  # beside a forwarded mail
_REMEMBERED: Final = 10_000  # characters; longer texts would fill the memory of the process
_LONGEST_SIGNATURE: Final = 12  # lines behind "--" that are not empty
_LONGEST_CLOSING: Final = 8  # lines below "Best regards"
_CHARACTERS: Final = 8  # about as many make a word, where no spaces do


_FOOTERS: Final = (footers.is_sent_from, footers.is_unsubscribing, footers.offers_browser)


class MailParts(NamedTuple):
    """The parts of a mail; together they hold all its lines.

    Attributes:
        own: The subject, and what the sender wrote or forwarded.
        quoted: What others wrote before, with the lines that say so.
        signature: Closing formula, name, firm and numbers.
        boilerplate: Notices, devices, links to unsubscribe.
    """

    own: str
    quoted: str
    signature: str
    boilerplate: str


class _Section(NamedTuple):
    """Lines of one mail within a mail: from a marker until before the next one."""

    start: int
    end: int
    kind: marks.Marker | None  # None: the mail itself


class _Read(NamedTuple):
    """What a mail holds, worked out together."""

    parts: MailParts
    forwarded: str


def mail_parts(text: str) -> MailParts:
    """Return the parts of a mail's plain text: a subject, an empty line, a body.

    Never raises; takes time in proportion to the text. Short ones are remembered, since a question
    and several relations look at the same mails.
    """
    return _read(text).parts


def forwarded_text(text: str) -> str:
    """Return the text of the mail that a mail forwards, without its header; empty if it does not.

    Costs nothing beside `mail_parts`.
    """
    return _read(text).forwarded


def _read(text: str) -> _Read:
    return _remembered(text) if len(text) <= _REMEMBERED else _read_anew(text)


@lru_cache(maxsize=1 << 12)
def _remembered(text: str) -> _Read:
    return _read_anew(text)


def _read_anew(text: str) -> _Read:
    lines = text.split("\n")
    body = 1 if len(lines) > 1 and not lines[1].strip() and not marks.is_quoted(lines[0]) else 0
    forwards = body == 1 and marks.is_forwarding(lines[0])
    first, *others = _sections(lines, body)
    return _Read(
        _parts_of(lines, first, others, forwards=forwards),
        _forwarded(lines, others, forwards=forwards),
    )


def _parts_of(
    lines: list[str], first: _Section, others: list[_Section], *, forwards: bool
) -> MailParts:
    parts: list[_Part] = ["own"] * len(lines)
    _mark_quotes(lines, parts, first)
    words = _own_words(lines, parts, first)
    if not others and words <= _FEW_WORDS and (forwards or not words):
        _give_back(parts, first)
    shown = [first]
    for section in others:
        is_forward = section.kind == "forward" or not words or (forwards and section is others[0])
        if words > _FEW_WORDS or not is_forward:
            break
        shown.append(section)
        words += _show(lines, parts, section)
    for section in shown:
        _mark_ends(lines, parts, section)
    quoted_from = shown[-1].end
    parts[quoted_from:] = ["quoted"] * (len(lines) - quoted_from)
    return _collected(lines, parts)


def _forwarded(lines: list[str], others: list[_Section], *, forwards: bool) -> str:
    for section in others:
        if section.kind == "forward" or forwards:
            rest = range(section.start, section.end)
            content = dropwhile(lambda i: _is_head(lines, i), rest)
            return "\n".join(lines[i].lstrip("> ") for i in content)
    return ""


def _is_head(lines: list[str], at: int) -> bool:
    """Return whether a line stands before the text of a quoted or forwarded mail."""
    line = lines[at]
    return (
        not line.strip("> \t")
        or marks.is_rule(line)
        or marks.header_label(line.lstrip("> ")) is not None
        or marks.marker(lines, at) is not None
    )


def _sections(lines: list[str], body: int) -> list[_Section]:
    """Return the mail itself and the mails below it, in order."""
    starts: list[tuple[int, marks.Marker | None]] = [(body, None)]
    has_content = True  # header fields right below a marker belong to it
    for i in range(body, len(lines)):
        kind = marks.marker(lines, i)
        if kind is None and marks.attribution(lines, i) and not _marked_below(lines, i):
            kind = "reply"
        if kind is not None and has_content:
            start = i - 1 if i > body + 1 and marks.is_rule(lines[i - 1]) else i
            starts.append((start, kind))
            has_content = False
        elif not has_content and kind is None and lines[i].strip():
            has_content = marks.header_label(lines[i]) is None
    ends = [start for start, _ in starts[1:]] + [len(lines)]
    return [_Section(at, end, kind) for (at, kind), end in zip(starts, ends, strict=True)]


def _marked_below(lines: list[str], at: int) -> bool:
    """Return whether the first line below an attribution is marked as quoted."""
    behind = at + marks.attribution(lines, at)
    for line in lines[behind : behind + 2]:
        if line.strip():
            return marks.is_quoted(line)
    return behind >= len(lines)


def _mark_quotes(lines: list[str], parts: list[_Part], section: _Section) -> None:
    i = section.start
    while i < section.end:
        count = 1 if marks.is_quoted(lines[i]) else marks.attribution(lines, i)
        for j in range(i, min(i + count, section.end)):
            parts[j] = "quoted"
        i += max(1, count)


def _give_back(parts: list[_Part], section: _Section) -> None:
    parts[section.start : section.end] = ["own"] * (section.end - section.start)


def _show(lines: list[str], parts: list[_Part], section: _Section) -> int:
    """Let a forwarded mail be own words, without what it quotes; return how many words it has."""
    _mark_quotes(lines, parts, section)
    words = _own_words(lines, parts, section)
    if not words:
        _give_back(parts, section)
    return words


def _own_words(lines: list[str], parts: list[_Part], section: _Section) -> int:
    """Return how many words a section has beside quotes, header fields and marks."""
    count = 0
    for i in range(section.start, section.end):
        line = lines[i]
        is_head = section.kind is not None and (
            marks.header_label(line) is not None or marks.marker(lines, i) is not None
        )
        if parts[i] == "own" and not is_head and not footers.is_sent_from(line):
            count += max(len(line.split()), len(line.strip()) // _CHARACTERS // 2)
    return count


def _mark_ends(lines: list[str], parts: list[_Part], section: _Section) -> None:
    """Mark footers, and signatures unless nothing else would be left."""
    runs = [
        (group[0], group[-1] + 1)
        for part, members in groupby(range(section.start, section.end), parts.__getitem__)
        if part == "own" and (group := list(members))
    ]
    for start, end in runs:
        _mark_footers(lines, parts, start, end)
    signatures = [i for start, end in runs for i in _signature(lines, parts, start, end)]
    rest = {i for start, end in runs for i in range(start, end) if parts[i] == "own"}
    if any(lines[i].strip() for i in rest.difference(signatures)):
        for i in signatures:
            parts[i] = "signature"


def _mark_footers(lines: list[str], parts: list[_Part], start: int, end: int) -> None:
    for filled, members in groupby(range(start, end), lambda i: bool(lines[i].strip())):
        if not filled:
            continue
        paragraph = list(members)
        whole = "\n".join(lines[i] for i in paragraph)
        if footers.says_why(whole):
            found = paragraph
        elif footers.is_notice(whole):
            found = list(dropwhile(lambda i: not footers.may_open_notice(lines[i]), paragraph))
        else:
            found = [i for i in paragraph if _is_footer(lines[i])]
        for i in found:
            parts[i] = "boilerplate"


def _is_footer(line: str) -> bool:
    return any(is_one(line) for is_one in _FOOTERS)


def _signature(lines: list[str], parts: list[_Part], start: int, end: int) -> list[int]:
    """Return the lines of a run that sign it: from "--" on, or from the last closing formula."""
    filled = [i for i in range(start, end) if lines[i].strip() and parts[i] == "own"]
    tail = filled[-_LONGEST_SIGNATURE - 1 :]
    for i in tail:
        if lines[i].rstrip() == "--":
            return [j for j in range(i, end) if parts[j] == "own"]
    closing = next((i for i in reversed(tail) if marks.is_closing(lines[i])), None)
    if closing is None:
        return []
    found = [closing]
    for i in filled[filled.index(closing) + 1 :]:
        first = len(found) == 1
        if len(found) > _LONGEST_CLOSING or not marks.is_signature_line(lines[i], first=first):
            break
        found.append(i)
    return found


def _collected(lines: list[str], parts: list[_Part]) -> MailParts:
    made: dict[_Part, list[str]] = {"own": [], "quoted": [], "signature": [], "boilerplate": []}
    before: _Part = "own"
    for line, part in zip(lines, parts, strict=True):
        before = part if line.strip() else before  # an empty line goes with the one above it
        made[before].append(line)
    joined = {part: "\n".join(found).strip() for part, found in made.items()}
    return MailParts(joined["own"], joined["quoted"], joined["signature"], joined["boilerplate"])
