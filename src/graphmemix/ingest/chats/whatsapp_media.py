"""Recognises the notes of WhatsApp exports about pictures, videos and files, in many languages.

An export with media names the file: ``IMG-20230714-WA0003.jpg (file attached)`` on Android,
``<attached: 00000012-PHOTO-2023-07-14-10-22-33.jpg>`` on the iPhone. One without has a placeholder:
``<Media omitted>``, ``image omitted``. The words are in the phone's language; the iPhone and newer
Android versions put an invisible mark before them, which people do not type.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from graphmemix.ingest.chats.whatsapp_lines import MARKS
from graphmemix.ingest.chats.whatsapp_words import ATTACHED, KINDS, LEFT_OUT, OMITTED
from graphmemix.memory import Place

_FILE = r"[^<>\n/\\]{1,200}\.\w{1,8}"
_BRACKETED = re.compile(rf"(?P<mark>[{MARKS}]?)<(?P<word>[^<>:\n]{{2,40}}):[ ]?(?P<file>{_FILE})>")
_BEHIND = re.compile(
    rf"(?P<mark>[{MARKS}]*+)(?P<file>{_FILE})[ ]?[(<][{MARKS}]?(?P<word>[^()<>\n]{{3,40}})[)>]"
)
_OWN_NAME = re.compile(
    r"(?:[A-Z]{3}-\d{8}-WA\d{4}|\d{8}-[A-Z_]+-\d{4}|[A-Z]+-\d{4}-\d{2}-\d{2}-).*"
)
_SIGNS = re.compile(rf"[<({MARKS}]|://")  # a long text without them contains no note
_NO_MARKS = str.maketrans(dict.fromkeys("\u200e"))
_LONGEST_NOTE = 60  # characters
_EDITED = re.compile(rf"[ ]?[{MARKS}]<[^<>:.\n]{{5,60}}>[ ]*$")
_MAP = re.compile(
    r"https?://(?:maps\.google\.com/(?:maps/?)?|(?:www\.)?google\.com/maps/?(?:search/)?"
    r"|maps\.apple\.com/(?:place)?)"
    r"\?(?:api=1&)?(?:q|ll|query|coordinate)=(?:loc:)?"
    r"(-?\d{1,2}(?:\.\d{1,20})?)(?:,|%2C)[+]?(-?\d{1,3}(?:\.\d{1,20})?)"
)
# POLL: / question / OPTION: answer (2 votes), in any language.
_POLL = re.compile(
    rf"[{MARKS}]*+[^\n:]{{2,30}}:[ ]*\n(?:[^\n]*\n)??"
    rf"[{MARKS}]*+[^\n:]{{2,30}}:[^\n]*\([{MARKS}]*+\d+[ ][^\n()]{{1,30}}\)"
)


@dataclass(frozen=True)
class ChatContent:
    """A message with the person's words separated from WhatsApp's notes.

    Attributes:
        text: The person's own words.
        file: The attached file; empty if none.
        omitted: What was left out of the export: ``image``, ``video``, ``audio``, ``text`` (a
            document), or ``media`` if the note does not state it; empty if nothing.
        edited: Whether the message was edited.
        notice: Whether it is a system message.
        place: The place that it shares.
        poll: Whether it is a poll.
    """

    text: str
    file: str = ""
    omitted: str = ""
    edited: bool = False
    notice: bool = False
    place: Place | None = None
    poll: bool = False


def content_of(text: str) -> ChatContent:
    """Separate a person's words from WhatsApp's notes."""
    if len(text) > _LONGEST_NOTE and not _SIGNS.search(text):
        return ChatContent(clean(text))
    edited = bool(_EDITED.search(text)) and not _BRACKETED.search(text)
    if edited and _EDITED.sub("", text).strip(MARKS + " "):
        text = _EDITED.sub("", text)
    else:
        edited = False
    named = _named(text)
    if named is not None:
        # "report.pdf • 2 pages": the program's words beside the file have marks in their midst.
        caption = clean(named[1].translate(_NO_MARKS))
        return ChatContent(caption, file=named[0], edited=edited)
    omitted = _omitted(text)
    if omitted:
        return ChatContent("", omitted=omitted)
    place, poll = _place(text), _POLL.match(text) is not None
    notice = text[:1] in MARKS and bool(text) and not (edited or poll or place)
    words = clean(text.translate(_NO_MARKS) if poll else text)
    return ChatContent(words, edited=edited, notice=notice, place=place, poll=poll)


def clean(text: str) -> str:
    """Return a text without the invisible marks at the ends of its lines."""
    return "\n".join(line.strip(MARKS).rstrip() for line in text.split("\n")).strip()


def _named(text: str) -> tuple[str, str] | None:
    """Return the attached file of a message, and its caption."""
    match = _BRACKETED.search(text)
    if match and _is_note(match):
        return match["file"].strip(), text[: match.start()] + text[match.end() :]
    first, _, others = text.partition("\n")
    match = _BEHIND.fullmatch(first.strip())
    if match and _is_note(match):
        return match["file"].strip(MARKS + " "), others
    return None


def _is_note(match: re.Match[str]) -> bool:
    word = match["word"].strip(MARKS + " ").lower()
    return bool(match["mark"]) or word in ATTACHED or bool(_OWN_NAME.fullmatch(match["file"]))


def _omitted(text: str) -> str:
    marked = text[:1] in MARKS and bool(text)
    bare = text.strip(MARKS + " \n")
    words = bare.strip("<>").strip(MARKS + " ").lower()
    if bare.startswith("<") and bare.endswith(">") and "\n" not in bare:
        if words in OMITTED or marked:
            return _kind(words)
        return ""
    if (
        (marked or words in OMITTED)
        and len(words) < _LONGEST_NOTE
        and any(w in words for w in LEFT_OUT)
    ):
        return _kind(words)
    return ""


def _kind(words: str) -> str:
    for kind, names in KINDS.items():
        if any(words.startswith(name) or words.endswith(name) for name in names):
            return kind
    return "media"


def _place(text: str) -> Place | None:
    match = _MAP.search(text)
    if match is None or abs(float(match[1])) > 90 or abs(float(match[2])) > 180:
        return None
    return Place(latitude=float(match[1]), longitude=float(match[2]))
