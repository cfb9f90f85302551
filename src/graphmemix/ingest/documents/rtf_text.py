"""The words of RTF, in one pass. Also reads the bodies of Outlook messages.

Text is in the code page of its font, or in Unicode with a replacement for old readers, which is
skipped. Groups ("destinations") that are not text, such as tables of fonts, are passed over.
"""

from __future__ import annotations

import binascii
import re
from dataclasses import dataclass, field, replace
from typing import Final

from graphmemix.ingest.text import decode

_TOKEN: Final = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?[0-9]{1,10})?[ ]?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])"
    rb"|([{}])|([^\\{}\r\n]++)"
)
_BREAKS: Final = {
    b"par": "\n", b"line": "\n", b"sect": "\n", b"page": "\n", b"row": "\n", b"nestrow": "\n",
    b"tab": "\t", b"cell": " | ", b"nestcell": " | ", b"emdash": "\u2014", b"endash": "\u2013",
    b"lquote": "\u2018", b"rquote": "\u2019", b"ldblquote": "\u201c", b"rdblquote": "\u201d",
    b"bullet": "\u2022", b"emspace": " ", b"enspace": " ",
}  # fmt: skip
_UNREAD: Final = frozenset(
    {b"fonttbl", b"colortbl", b"stylesheet", b"listtable", b"listoverridetable", b"object", b"info"}
    | {b"header", b"headerl", b"headerr", b"headerf", b"footer", b"footerl", b"footerr", b"footerf"}
    | {b"pict", b"fldinst", b"themedata", b"colorschememapping", b"datastore", b"latentstyles"}
    | {b"xe", b"tc", b"nonshppict", b"revtbl", b"rsidtbl", b"generator", b"filetbl"}
)
_MARKUP: Final = b"htmltag"  # HTML that the text around it shows
_ABOUT: Final = frozenset({b"title", b"author", b"subject", b"keywords", b"creatim"})
_PICTURES: Final = {b"pngblip": "image/png", b"jpegblip": "image/jpeg"}
_CLOCK: Final = {b"yr": 0, b"mo": 1, b"dy": 2, b"hr": 3, b"min": 4}
_CHARSETS: Final = {
    77: "mac_roman", 128: "cp932", 129: "cp949", 134: "cp936", 136: "cp950", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251",
    222: "cp874", 238: "cp1250",
}  # fmt: skip
_HEADER = 500  # bytes, in which it is stated what a text was made from
_MOST_PICTURES = 200
_LONGEST_ABOUT = 2_000  # characters


@dataclass
class RtfText:
    """What an RTF file holds.

    Attributes:
        text: Its words.
        about: Title, author, subject and keywords, as far as they are stated.
        created: Year, month, day, hour, minute; empty if not stated.
        pictures: Type and bytes of each picture that other programs can show.
        unread: The number of other pictures.
        is_html: Whether the text is the HTML that Outlook made the RTF from ([MS-OXRTFEX]).
    """

    text: str = ""
    about: dict[str, str] = field(default_factory=dict)
    created: list[int] = field(default_factory=list)
    pictures: list[tuple[str, bytes]] = field(default_factory=list)
    unread: int = 0
    is_html: bool = False


@dataclass
class _Group:
    """The state that ends with a group."""

    destination: bytes = b""
    charset: str = "cp1252"
    replacement: int = 1  # characters that follow a Unicode character for old readers
    hidden: bool = False
    picture: str = ""


def read_rtf(data: bytes) -> RtfText:
    """Return the words of an RTF file. Never raises; takes time linear in the data."""
    reader = _Reader(data)
    reader.run()
    return reader.result()


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._group = _Group()
        self._outer: list[_Group] = []
        self._fonts: dict[int, str] = {}
        self._font = 0
        self._default = "cp1252"
        self._skipped = 0  # characters of a replacement that are still to come
        self._pending = bytearray()  # text in the group's code page
        self._pieces: list[str] = []
        self._hexadecimal: list[bytes] = []
        self._stated: dict[bytes, list[str]] = {}
        self._created: dict[int, int] = {}
        self._made = RtfText(is_html=b"\\fromhtml1" in data[:_HEADER])

    def run(self) -> None:
        position = 0
        starred = False
        while True:
            token = _TOKEN.search(self._data, position)
            if token is None:
                return
            position = token.end()
            word, number, byte, sign, brace, text = token.groups()
            if brace == b"{":
                self._outer.append(replace(self._group))
            elif brace:
                self._close()
            elif sign == b"*":
                starred = True
                continue
            elif word == b"bin":
                position += min(max(int(number or 0), 0), len(self._data))
            elif word:
                self._word(word, int(number) if number else None, starred=starred)
            elif byte:
                self._add(bytes([int(byte, 16)]))
            elif sign:
                self._sign(sign)
            else:
                self._add(text)
            starred = False

    def result(self) -> RtfText:
        self._flush()
        units = "".join(self._pieces).encode("utf-16-le", "surrogatepass")
        self._made.text = units.decode("utf-16-le", "replace")
        for name, pieces in self._stated.items():
            stated = "".join(pieces).strip()[:_LONGEST_ABOUT]
            self._made.about[name.decode()] = stated.encode("utf-8", "replace").decode()
        if {0, 1, 2} <= self._created.keys():
            self._made.created = [self._created.get(i, 0) for i in range(5)]
        return self._made

    def _close(self) -> None:
        self._flush()
        if self._group.destination == b"pict" and self._hexadecimal:
            self._keep_picture()
        self._skipped = 0
        self._group = self._outer.pop() if self._outer else _Group()

    def _keep_picture(self) -> None:
        digits = b"".join(self._hexadecimal).replace(b" ", b"")
        self._hexadecimal = []
        try:
            picture = binascii.unhexlify(digits[: len(digits) // 2 * 2])
        except binascii.Error:
            picture = b""
        if picture and self._group.picture and len(self._made.pictures) < _MOST_PICTURES:
            self._made.pictures.append((self._group.picture, picture))
        else:
            self._made.unread += 1

    def _word(self, word: bytes, number: int | None, *, starred: bool) -> None:
        if self._skipped:  # a control word stands for one character of a replacement
            self._skipped -= 1
            return
        group = self._group
        if word == b"u" and number is not None:
            self._flush()
            self._write(chr(number % 0x10000))
            self._skipped = group.replacement
        elif word in _BREAKS:
            self._flush()
            self._write(_BREAKS[word])
        elif starred and word == _MARKUP and self._made.is_html and not group.destination:
            self._flush()
            group.destination = word
        elif word in _UNREAD or (starred and word not in {b"shppict", b"footnote"}):
            self._flush()
            if word != b"pict" or not group.destination:  # not the copy for old readers
                group.destination = word
        elif word in _ABOUT and group.destination == b"info":
            group.destination = word
        elif word in _CLOCK and group.destination == b"creatim" and number is not None:
            self._created[_CLOCK[word]] = number
        else:
            self._format(word, number)

    def _format(self, word: bytes, number: int | None) -> None:
        """Follow a word that changes how the text behind it is read or shown."""
        group = self._group
        if word == b"uc":
            group.replacement = min(max(number or 0, 0), 100)
        elif word in _PICTURES:
            group.picture = _PICTURES[word]
        elif word == b"ansicpg":
            self._use(f"cp{number}")
            self._default = group.charset
        elif word == b"f" and number is not None:
            self._font = number
            if group.destination != b"fonttbl":
                self._use(self._fonts.get(number, self._default))
        elif word == b"fcharset" and len(self._fonts) < 10_000:
            self._fonts[self._font] = _CHARSETS.get(number or 0, self._default)
        elif word in {b"v", b"deleted", b"htmlrtf"}:
            self._flush()
            group.hidden = number != 0
        elif word == b"plain":
            self._flush()
            group.hidden = False
            self._use(self._default)
        elif word == b"footnote":
            self._flush()
            self._write("\n")

    def _use(self, charset: str) -> None:
        self._flush()
        self._group.charset = charset

    def _sign(self, sign: bytes) -> None:
        if sign in b"\\{}":
            self._add(sign)
        elif sign in b"\r\n":
            self._flush()
            self._write("\n")
        elif sign == b"~":
            self._add(b" ")
        elif sign == b"_":
            self._add(b"-")

    def _add(self, text: bytes) -> None:
        if self._skipped:
            passed = min(self._skipped, len(text))
            self._skipped -= passed
            text = text[passed:]
        if self._group.destination == b"pict":
            self._hexadecimal.append(text)
        elif text:
            self._pending += text

    def _flush(self) -> None:
        if self._pending:
            self._write(decode(bytes(self._pending), self._group.charset))
            self._pending.clear()

    def _write(self, text: str) -> None:
        destination = self._group.destination
        if destination in _ABOUT:
            self._stated.setdefault(destination, []).append(text)
        elif self._group.hidden:
            return
        elif not destination or (destination == _MARKUP and self._made.is_html):
            self._pieces.append(text)
