"""Text to terms: what BM25 counts, the same for every store. `postings` packs them.

A text is first brought to its `normal` form: NFKC and case folding, digits of every script as
0 to 9, one apostrophe, one hyphen, nothing invisible. Then, with examples:

=====================  =============================================================================
words                  ``Walking`` -> walk (`stem`); ``Anna's`` -> anna; ``don't`` -> don't;
                       ``l'homme`` -> l'homme, homme; ``U.S.A.`` -> usa
hyphens, slashes       ``well-known`` -> well, known, wellknown; ``and/or`` -> and, or
numbers                ``1,234.56`` and ``1.234,56`` -> 1234.56; ``3,5`` -> 3.5. Where it is not
                       clear, commas group (``1,234`` -> 1234) and points do not (``1.234``).
dates                  ``2023/7/14`` -> 2023-07-14, 2023; ``14.07.2023`` -> 14.07.2023, 2023;
                       ``7/14/23`` as it is, since day and month cannot be told apart
times                  ``18:30:05`` -> 18:30:05, 18:30; ``6:30pm`` -> 6:30, pm
identifiers            ``7Q4-118`` -> 7q4-118, 118; ``ABC_123`` -> abc_123, abc, 123;
                       ``#4711`` -> #4711, 4711; ``notes.txt`` -> notes.txt, note, txt. Parts of one
                       character are left out.
e-mail addresses       ``a.lee@mail.org`` -> a.lee@mail.org, lee, mail.org, mail, org
URLs                   host and words of the path, percent signs decoded; no scheme, no ``www``
#tags, @mentions       without the sign
Chinese, Japanese,     overlapping pairs of characters: ``東京都`` -> 東京, 京都; a character
Korean, Thai, Lao,     alone is a term. This is for scripts without spaces between words,
Khmer, Burmese         and for Korean, where endings are joined to words.
emoji                  each is a term, without skin tone
=====================  =============================================================================

There is no list of stop words: BM25 weighs them down by itself, and "The Who" can be found.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import lru_cache
from itertools import groupby, pairwise
from typing import TYPE_CHECKING
from urllib.parse import unquote

import regex  # type: ignore[import-untyped, unused-ignore]

from graphmemix.text.language import stem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


RULES = 1
"""Goes up whenever a text may give other terms than before: then postings have to be rebuilt."""

LONGEST = 64
"""Terms are cut to this many characters."""

_MOST_MARKS = 30  # per base character, as Unicode's stream-safe format; NFKC is quadratic in them

# Character sets, in the syntax of `regex`, version 1.
_UNSPACED = (
    r"[[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー]"
    r"&&[\p{L}\p{M}\p{Nl}]]"
)
_LETTER = rf"[a-z[\p{{L}}--{_UNSPACED}]]"
_START = rf"[a-z0-9[[\p{{L}}\p{{N}}]--{_UNSPACED}]]"
_INSIDE = rf"[a-z0-9[[\p{{L}}\p{{N}}\p{{M}}]--{_UNSPACED}]]"
_RUN = rf"{_START}{_INSIDE}*+"
_PICTURE = r"\p{Extended_Pictographic}[\p{M}\U000e0020-\U000e007f]*+"

# Every repetition is possessive, and a pattern that may fail behind one starts only where its run
# starts: so the scan is linear, whatever the text.
_WORD = rf"(?P<word>{_LETTER}[a-z[[\p{{L}}\p{{M}}]--{_UNSPACED}]]*+(?!\p{{N}}|[-_./#&']{_START}))"
_COMPOUND = rf"(?P<compound>\#?+{_RUN}(?:(?:[-_./#&']|(?<=[0-9])[,:](?=[0-9])){_RUN})*+)"
_CHARACTERS = rf"(?P<characters>{_UNSPACED}[{_UNSPACED}\p{{M}}]*+)"
_EMOJI = rf"(?P<emoji>{_PICTURE}(?:\u200d{_PICTURE})*+|\p{{Regional_Indicator}}{{1,2}}+)"
_URL = rf"(?P<url>(?<!{_INSIDE})(?:(?:https?|ftps?)://|www\.(?={_START}))\S++)"
_LABEL = rf"{_RUN}(?:-++{_RUN})*+"
_LOCAL = rf"[{_INSIDE}.+%_\-]"
_EMAIL = rf"(?P<email>(?<!{_LOCAL}){_LOCAL}++@{_LABEL}(?:\.{_LABEL})++)"


def _scanner(*alternatives: str) -> regex.Pattern[str]:
    return regex.compile("|".join(alternatives), regex.V1)


_SIMPLE = _scanner(_WORD, _COMPOUND, _CHARACTERS, _EMOJI)
# The same for texts of ASCII alone, which are most, in a third of the time.
# What is all letters is a word, the rest are compounds.
_ASCII = re.compile(
    r"[a-z]++(?![0-9]|[-_./#&'][a-z0-9])"
    r"|\#?+[a-z0-9]++(?:(?:[-_./#&']|(?<=[0-9])[,:](?=[0-9]))[a-z0-9]++)*+"
)
_COMPLETE = _scanner(_URL, _EMAIL, _WORD, _COMPOUND, _CHARACTERS, _EMOJI)
_CLUSTER = regex.compile(r"\X")
# Soft hyphen, tatweel, joiners, directions, variation selectors, keycaps and skin tones.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u0640\u061c\u180b-\u180f\u200c\u200e\u200f\u202a-\u202e\u2060-\u206f\u20e3"
    "\ufe00-\ufe0f\ufeff\U0001f3fb-\U0001f3ff\U000e0100-\U000e01ef]"
)
# Fractions, powers and notes behind a digit: NFKC alone would make 11/2 of 1½.
_SMALL = "[\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u2089\u2150-\u215e\u2189]"
_BEHIND_DIGIT = re.compile(rf"{_SMALL}(?<=\d{_SMALL})")
_JOINER = regex.compile(r"\u200d(?!\p{Extended_Pictographic})")  # others make one emoji of two
# Marks, and much else: saves most texts the slow look for them.
_MAYBE_MARKS = re.compile(
    f"[\u0300-\u2fff\u302a-\u302f\u3099\u309a\ua000-\uabff\ud7b0-\U0010ffff]{{{_MOST_MARKS + 1}}}"
)
_MARKS = regex.compile(rf"([\p{{M}}\uff9e\uff9f]{{{_MOST_MARKS}}})[\p{{M}}\uff9e\uff9f]++")
_FOREIGN_DIGIT = re.compile(r"(?![0-9])\d")
_SAME_SIGN = str.maketrans({"’": "'", "ʼ": "'", "‘": "'", "‐": "-", "⁄": "/"})

_ISO_DATE = r"(\d{4})([-/.])(0?[1-9]|1[0-2])\2(0?[1-9]|[12]\d|3[01])"
_CLOCK = r"(\d{1,2}:\d{2})(:\d{2})?"
_MOMENT = re.compile(rf"{_ISO_DATE}(?:t{_CLOCK}(?:\.\d+)?(?:z|-\d\d:?\d\d)?)?", re.ASCII)
_DATE = re.compile(r"\d{1,2}([-/.])\d{1,2}\1(\d{4}|\d{2})", re.ASCII)
_TIME = re.compile(rf"{_CLOCK}([ap]m|h)?", re.ASCII)
_COMMAS_GROUP = re.compile(r"\d{1,3}(?:[,']\d{3})++(?:\.\d+)?", re.ASCII)
_POINTS_GROUP = re.compile(r"\d{1,3}(?:(?:\.\d{3}){2,}+(?:,\d+)?|\.\d{3},\d+)", re.ASCII)
_DECIMAL = re.compile(r"\d+(?:[.,]\d+)?", re.ASCII)
_DIGIT = re.compile(r"[0-9]")
_ACRONYM = regex.compile(r"\p{L}\p{M}*+(?:\.\p{L}\p{M}*+)++")
_NAME = re.compile(r"[_.#&]")
_PART = regex.compile(r"[0-9]++|[[\p{L}\p{M}\p{N}']--[0-9]]++", regex.V1)
_AUTHORITY_END = re.compile(r"[/?#]")
_PATH_SIGN = re.compile(r"[/?&=#:;+~]")


def terms(text: str) -> dict[str, int]:
    """Return how often each term occurs. Never fails; linear in the length of the text."""
    counts: dict[str, int] = {}
    chunks = Counter(_chunks(text))
    cut = _cutter(chunks)
    for chunk, times in chunks.items():
        for term in cut(chunk):
            counts[term] = counts.get(term, 0) + times
    return counts


def tokens(text: str) -> list[str]:
    """Return the terms of a text in their order, parts behind their whole."""
    chunks = _chunks(text)
    cut = _cutter(chunks)
    return [term for chunk in chunks for term in cut(chunk)]


def normal(text: str) -> str:
    """Return the text as it is compared; doing it twice changes nothing."""
    if text.isascii():
        return text.lower()
    spaced = _BEHIND_DIGIT.sub(r" \g<0>", _visible(text))
    folded = unicodedata.normalize("NFKC", spaced).casefold()
    # Again, since both steps can bring in what the other one changes: U+FE77 holds a tatweel.
    folded = unicodedata.normalize("NFKC", _visible(folded)).translate(_SAME_SIGN)
    return _FOREIGN_DIGIT.sub(_ascii_digit, folded)


def _visible(text: str) -> str:
    text = _INVISIBLE.sub("", text)
    if "\u200d" in text:
        text = _JOINER.sub("", text)
    if _MAYBE_MARKS.search(text):
        text = _MARKS.sub(r"\1", text)
    return text


def _ascii_digit(match: re.Match[str]) -> str:
    return str(unicodedata.decimal(match[0]))


def _chunks(text: str) -> list[str]:
    """Return what terms are cut from, in order.

    What the scanner of ASCII finds is itself; else the sort stands before it, in a line of its own.
    Nothing reaches across lines, so each run of lines is scanned in the fastest way that it allows.
    """
    if text.isascii() and not _may_hold_address(lowered := text.lower()):
        return _ASCII.findall(lowered)
    found: list[str] = []
    for simple, lines in groupby(text.split("\n"), _is_simple):
        part = "\n".join(lines)
        found += _ASCII.findall(part.lower()) if simple else _scan(normal(part))
    return found


def _may_hold_address(lowered: str) -> bool:
    return "@" in lowered or "://" in lowered or "www." in lowered


def _is_simple(line: str) -> bool:
    return line.isascii() and not _may_hold_address(line.lower())


def _scan(text: str) -> list[str]:
    scanner = _COMPLETE if _may_hold_address(text) else _SIMPLE
    return _sorted_chunks(text, scanner)


def _sorted_chunks(text: str, scanner: regex.Pattern[str]) -> list[str]:
    return [f"{match.lastgroup}\n{match[0]}" for match in scanner.finditer(text)]


def _cut(chunk: str) -> tuple[str, ...]:
    """Return the terms of a chunk, cut to the longest that there may be."""
    kind, line_end, rest = chunk.partition("\n")
    if not line_end:
        kind, rest = "word" if chunk.isalpha() else "compound", chunk
    if kind == "word":
        return (stem(rest[:LONGEST]),)
    return tuple(term[:LONGEST] for term in _CUTTERS[kind](rest))


_remembered = lru_cache(maxsize=1 << 16)(_cut)


def _cutter(chunks: Iterable[str]) -> Callable[[str], tuple[str, ...]]:
    """Return what cuts these: from memory, unless one is so long that it should not stay there."""
    return _remembered if max(map(len, chunks), default=0) <= 2 * LONGEST else _cut


def _compound(chunk: str) -> Iterator[str]:
    """Tell apart what letters, digits and the signs between them may mean."""
    chunk = chunk.removesuffix("'s")
    if chunk[0] == "#":
        chunk = chunk[1:]
        if _DIGIT.match(chunk):
            yield "#" + chunk
    if not _DIGIT.search(chunk):
        yield from _words(chunk)
    elif figure := _moment(chunk) or _number(chunk):
        yield from figure
    elif "," in chunk or ":" in chunk:
        for piece in re.split("[,:]", chunk):
            yield from _compound(piece)
    elif chunk.count("/") > 1:  # a path; one slash may be part of an identifier
        for piece in chunk.split("/"):
            yield from _compound(piece)
    else:
        yield chunk
        yield from _parts(chunk)


def _moment(chunk: str) -> list[str]:
    """Return the terms of a date or time; none if it is neither."""
    if match := _MOMENT.fullmatch(chunk):
        year, _, month, day, minute, second = match.groups()
        return [f"{year}-{month:0>2}-{day:0>2}", year, *_clock(minute, second)]
    if match := _DATE.fullmatch(chunk):
        return [chunk, match[2]] if len(match[2]) == 4 else [chunk]
    if match := _TIME.fullmatch(chunk):
        minute, second, half = match.groups()
        return [*_clock(minute, second), *([half] if half else [])]
    return []


def _clock(minute: str | None, second: str | None) -> list[str]:
    if minute is None:
        return []
    return [minute + second, minute] if second else [minute]


def _number(chunk: str) -> list[str]:
    """Return a number without grouping and with a decimal point; nothing if it is none."""
    if _COMMAS_GROUP.fullmatch(chunk):
        return [chunk.replace(",", "").replace("'", "")]
    if _POINTS_GROUP.fullmatch(chunk):
        return [chunk.replace(".", "").replace(",", ".")]
    return [chunk.replace(",", ".")] if _DECIMAL.fullmatch(chunk) else []


def _words(chunk: str) -> Iterator[str]:
    """Yield the terms of letters that signs connect."""
    if "/" in chunk:
        for piece in chunk.split("/"):
            yield from _words(piece)
    elif _ACRONYM.fullmatch(chunk):
        yield chunk.replace(".", "")
    elif _NAME.search(chunk):
        yield chunk
        yield from _parts(chunk)
    elif "-" in chunk:
        for piece in chunk.split("-"):
            yield from _word(piece)
        yield stem(chunk.replace("-", "")[:LONGEST])
    else:
        yield from _word(chunk)


def _word(word: str) -> Iterator[str]:
    word = word.removesuffix("'s")
    yield stem(word[:LONGEST])
    head, _, tail = word.partition("'")
    if len(head) <= 2 and len(tail) > 2:  # l'homme, d'accord, O'Brien
        yield stem(tail[:LONGEST])


def _parts(whole: str) -> Iterator[str]:
    """Yield the runs of letters and of digits that are longer than one character."""
    for run in _PART.findall(whole):
        part = run.strip("'")
        if len(part) > 1:
            yield from _word(part)


def _pairs(run: str) -> Iterable[str]:
    clusters: list[str] = _CLUSTER.findall(run)
    return map("".join, pairwise(clusters)) if len(clusters) > 1 else clusters


def _email(address: str) -> Iterator[str]:
    local, _, domain = address.lstrip(".+%_-").rpartition("@")
    if local:
        yield f"{local}@{domain}"
        yield from _parts(local)
    yield domain
    yield from _parts(domain)


def _url(url: str) -> Iterator[str]:
    address = url.partition("://")[2] or url
    end = _AUTHORITY_END.search(address)
    cut = end.start() if end else len(address)
    host = address[:cut].rpartition("@")[2].removeprefix("www.")
    for part in (host, _PATH_SIGN.sub(" ", normal(unquote(address[cut:])))):
        for chunk in _sorted_chunks(part, _SIMPLE):
            yield from _cut(chunk)


_CUTTERS: dict[str, Callable[[str], Iterable[str]]] = {
    "compound": _compound,
    "characters": _pairs,
    "emoji": lambda emoji: [emoji],
    "email": _email,
    "url": _url,
}
