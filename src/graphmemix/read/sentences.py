"""Sentences of evidence, and how an answer quotes them.

`sentences` splits a block into pieces: sentences, chat lines, captions, lines of a picture.
`quote`, `tag` and `statement` phrase them: quotes, tags of sources, photos without text.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import regex

from graphmemix.read.packet import CAPTION, HEARD, LINE_BREAK, SEEN_TEXT, kind_name, shortened
from graphmemix.text.quoting import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graphmemix.evidence import Block

__all__ = [
    "Origin",
    "Sentence",
    "day_in_words",
    "is_finished",
    "quote",
    "sentences",
    "statement",
    "tag",
]

Origin: TypeAlias = Literal["own", "caption", "ocr", "transcript"]
"""Where a text comes from: the memory itself, or a description of its media."""

_LABELS: Final[tuple[tuple[str, Origin], ...]] = (
    (CAPTION, "caption"),
    (SEEN_TEXT, "ocr"),
    (HEARD, "transcript"),
)
_MOST: Final = 400  # sentences of one memory
_LONGEST: Final = 280  # characters; longer ones are split at clauses, then cut
_WRAPPED: Final = 50  # characters; a shorter line was ended by its author, not wrapped
_SHORTEST: Final = 2  # letters or digits
_LOOK_BACK: Final = 64  # characters examined at the end of a text

# A full stop, closing quotes and brackets, a space, and no lower-case letter after it.
_END: Final = regex.compile(
    r"(?:(?<=[.!?…])|(?<=[.!?…][\"'”’»)\]]))\s+(?=[^\s\p{Ll}])|(?<=[。！？｡])(?![」』”）])\s*"
)
# Not sentence ends: initials, 1. and 2. (German dates, lists), and abbreviations.
_SHORT: Final = regex.compile(
    r"(?:^|[\s(])(?:\p{Lu}|\d{1,2}|\p{L}\.\p{L}|mr|mrs|ms|dr|prof|st|no|nr|vs|etc|approx|ca|e\.g|"
    r"i\.e|z\.\s?b|bzw|str|tel|jan|feb|mar|apr|jun|jul|aug|sept?|oct|okt|nov|dec|dez|sr|sra|mme|"
    r"av|bd|p|pp|fig|vol|ext|rev|hr|fr)\.$",
    regex.IGNORECASE,
)
_CLAUSE: Final = regex.compile(r"(?<=[;,:–—、，；])\s*")
_FINISHED: Final = regex.compile(r"[.!?…:;。！？][\"'”’»)\]]*$")
_QUOTED_MAIL: Final = regex.compile(r"^(?:>|\|)\s?")
# Not strftime: the answer must not depend on the machine's locale.
_MONTH_NAMES = """
January February March April May June July August September October November December
"""
_MONTHS = _MONTH_NAMES.split()
_WHOSE: dict[Origin, str] = {
    "caption": "caption of a ",
    "ocr": "text in a ",
    "transcript": "words heard in a ",
}
_UNNAMED = frozenset({"", "user", "assistant", "system"})
_QUOTES = str.maketrans({"“": "‘", "”": "’", "„": "‘", "‟": "’"})


@dataclass(frozen=True)
class Sentence:
    """A piece of evidence.

    Attributes:
        block: Index of its block.
        position: Index among the pieces of its block.
        text: As written, on one line, without the speaker's name.
        origin: Where the text comes from.
        is_reply_quote: Whether it is quoted from another mail.
    """

    block: int
    position: int
    text: str
    origin: Origin
    is_reply_quote: bool = False

    @property
    def is_question(self) -> bool:
        """Whether it is a question."""
        return self.text.rstrip("\"'”’») ").endswith(("?", "？", "؟"))


def sentences(index: int, block: Block) -> list[Sentence]:
    """Return the pieces of a block, in order. Linear in its length."""
    found: list[Sentence] = []
    for text, origin, is_reply_quote in _pieces(block):
        if sum(letter.isalnum() for letter in text) >= _SHORTEST:
            found.append(Sentence(index, len(found), text, origin, is_reply_quote))
        if len(found) == _MOST:
            break
    return found


def _pieces(block: Block) -> Iterator[tuple[str, Origin, bool]]:
    for line, origin in _paragraphs(block):
        quoted_mail = origin == "own" and bool(_QUOTED_MAIL.match(line))
        text = _QUOTED_MAIL.sub("", line) if quoted_mail else line
        parts = text.split(LINE_BREAK) if origin == "ocr" else _split(text)
        for part in parts:
            for clause in _bounded(part.strip()):
                yield clause, origin, quoted_mail


def _paragraphs(block: Block) -> Iterator[tuple[str, Origin]]:
    """Yield the lines of a block; wrapped lines of its own text are joined."""
    text = block.text
    name = f"{block.speaker}: "
    if block.kind == "message" and block.speaker and text.startswith(name):
        text = text[len(name) :]
    own: list[str] = []
    for line in text.split("\n"):
        label, origin = next(
            ((label, origin) for label, origin in _LABELS if line.startswith(label)), ("", None)
        )
        if origin is None and _goes_on(own, line):
            own.append(line)
            continue
        if any(own):
            yield " ".join(own), "own"
        own = [line] if origin is None else []
        if origin is not None:
            yield line[len(label) :], origin
    if any(own):
        yield " ".join(own), "own"


def is_finished(text: str) -> bool:
    """Return whether a text ends as a sentence does."""
    return bool(_FINISHED.search(text[-_LOOK_BACK:]))


def _goes_on(before: list[str], line: str) -> bool:
    """Return whether a line continues those before it, because a program wrapped them."""
    if not before:
        return False
    long = len(before) > 1 or len(before[0]) >= _WRAPPED  # only long lines are wrapped
    end = " ".join(before[-2:])[-_LOOK_BACK:]  # an empty line may have been joined
    return (
        long
        and not _FINISHED.search(end)
        and not line.startswith(("-", "*", "•", ">", "|"))
        and not before[0].startswith((">", "|"))
    )


def _split(text: str) -> list[str]:
    parts: list[list[str]] = []
    for part in _END.split(text):
        if parts and _SHORT.search(" ".join(parts[-1][-2:])[-_LOOK_BACK:]):
            parts[-1].append(part)
        elif part:
            parts.append([part])
    return [" ".join(part) for part in parts]


def _bounded(text: str) -> list[str]:
    """Split a long sentence into runs of clauses that can be quoted."""
    if len(text) <= _LONGEST:
        return [text]
    runs = [""]
    for clause in _CLAUSE.split(text):
        if runs[-1] and len(runs[-1]) + len(clause) >= _LONGEST:
            runs.append("")
        runs[-1] = f"{runs[-1]} {clause}".strip()
    return [shortened(run, _LONGEST) for run in runs if run]


def day_in_words(date: str) -> str:
    """Return ``2 June 2025, 14:30`` for ``2025-06-02 14:30``; other text is returned as is."""
    try:
        when = datetime.fromisoformat(date)
    except ValueError:
        return one_line(date)
    time = f", {when:%H:%M}" if len(date) > len("2025-06-02") else ""
    return f"{when.day} {_MONTHS[when.month - 1]} {when.year}{time}"


def quote(text: str) -> str:
    """Return text in double quotation marks; inner ones become single."""
    return f"“{text.translate(_QUOTES)}”"


def tag(block: Block, origin: Origin = "own") -> str:
    """Return the tag of a source: ``[1: mail from Olga, 2 June 2025, 14:30, Malcesine]``."""
    return f"[{block.rank}: {source_in_words(block, origin)}]"


def source_in_words(block: Block, origin: Origin = "own") -> str:
    """Return what a source is: ``mail from Olga, 2 June 2025, 14:30, Malcesine``."""
    kind = _medium(block) if origin != "own" else kind_name(block.kind or "memory")
    name = block.speaker if block.speaker.casefold() not in _UNNAMED else ""
    by = f" from {_plain(name)}" if name and block.kind in {"message", "email"} else ""
    known = [f"{_WHOSE.get(origin, '')}{kind}{by}", day_in_words(block.date), _plain(block.place)]
    return ", ".join(filter(None, known))


def statement(block: Block) -> str:
    """Return a sentence about a memory without text."""
    words = ["A", _medium(block)]
    if block.date:
        words += ["taken" if _medium(block) in {"photo", "video"} else "made"]
        words += ["on", day_in_words(block.date)]
    if block.place:
        words += ["at" if block.place[:1].isdigit() else "in", _plain(block.place)]
    name = next((_plain(medium.name) for medium in block.media if medium.name), "")
    if name:
        words.append(f"({name})")
    known = "" if block.date or block.place or name else ", of which nothing else is known"
    return " ".join(words) + known + "."


def _medium(block: Block) -> str:
    if block.kind in {"photo", "video", "audio", "document"}:
        return kind_name(block.kind)
    seen = {"image": "picture", "video": "video", "audio": "recording"}
    return next((seen[each] for each in block.modalities if each in seen), "memory")


def _plain(text: str) -> str:
    """Return a name without brackets, which would end the tag."""
    return one_line(text, 80).replace("[", "(").replace("]", ")")
