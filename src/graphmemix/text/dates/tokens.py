"""Text to words, numbers and signs, with their places. One pass, linear in the text."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal, NamedTuple, TypeAlias

Shape: TypeAlias = Literal["word", "number", "short_year", "date", "mixed", "sign", "other"]

# Digits are 0 to 9. A date or number does not start or end within a longer chain of numbers and
# signs, such as a version or an address. Repetitions are possessive or short, so nothing is read
# twice but for a bounded look ahead: of 123,456,7890 no group but the first begins a number.
_TOKEN = re.compile(
    r"""
      (?P<date> (?<![\w./:-])
          (?: [0-9]{4} ([-/.]) [0-9]{1,2} \2 [0-9]{1,2} (?:T[0-9]{2}:[0-9]{2}[0-9:.Z]{0,16}+)?
            | [0-9]{4} -(?: 0[1-9] | 1[0-2] | W[0-9]{2} )
            | [0-9]{1,2} ([-/.]) [0-9]{1,2} \3 (?: [0-9]{4} | [0-9]{2} )
            | [0-9]{1,2} [/.] [0-9]{4} )
          (?! \w | [-/.:] [0-9] ) )
    | (?P<other> [0-9]++ (?: [.:] [0-9]++ )++
        | (?: [0-9]{1,2} | (?<! (?<!\w)[0-9]{3}, ) [0-9]{3} ) (?: ,[0-9]{3} )++ (?![0-9]) )
    | (?P<short_year> (?<!\w) ['\u2018\u2019`] [0-9]{2} (?!\w) )
    | (?P<possessive> (?<=\w) ['\u2018\u2019`] [sS] (?!\w) )
    | (?P<run> [\w\u0300-\u036f]++ )
    | (?P<sign> [^\w\s'\u2018\u2019`] )
    """,
    re.VERBOSE,
)
_MIXED = re.compile(r"[0-9]{1,4}[^\W0-9_]{1,3}|[^\W0-9_]{1,2}[0-9]{1,2}")
_DASHES = re.compile("[\u2010-\u2015\u2212]")
_ENDS = frozenset('.?!:;"“”„«»()¿¡')
_LONGEST = 24  # letters of a word that any vocabulary knows


class Token(NamedTuple):
    """A word, a number, a numeric date or a sign.

    Attributes:
        word: Folded: no capitals, no accents, one kind of dash.
        shape: What it looks like.
        start: Where it starts in the text.
        end: Where it ends.
        titled: It starts with a capital, and not all of it is in capitals.
        opening: It opens a sentence, where a capital means nothing.
    """

    word: str
    shape: Shape
    start: int
    end: int
    titled: bool = False
    opening: bool = False


def tokens(text: str) -> list[Token]:
    """Return the tokens of a text, in order."""
    found: list[Token] = []
    opening = True
    for match in _TOKEN.finditer(text):
        raw = match[0]
        shape = _shape(match.lastgroup or "", raw)
        titled = raw[0].isupper() and (len(raw) == 1 or not raw.isupper())
        found.append(Token(fold(raw), shape, match.start(), match.end(), titled, opening))
        opening = raw in _ENDS
    return found


def fold(raw: str) -> str:
    """Return a word as vocabularies know it; overlong ones are cut."""
    if raw.isascii():
        return raw[:_LONGEST].lower()
    raw = _DASHES.sub("-", raw[:_LONGEST]).replace("\u2019", "'").replace("\u2018", "'")
    letters = unicodedata.normalize("NFKD", raw).casefold()
    return "".join([letter for letter in letters if not unicodedata.combining(letter)])


def _shape(group: str, raw: str) -> Shape:
    if group == "run":
        if raw.isalpha():
            return "word"
        if raw.isascii() and raw.isdigit():
            return "number" if len(raw) <= 4 else "other"
        if _MIXED.fullmatch(raw):
            return "mixed"
        return "other" if any(letter.isdigit() or letter == "_" for letter in raw) else "word"
    if group in {"date", "short_year", "other"}:
        return group  # type: ignore[return-value]
    return "sign"
