"""Guesses the charset of bytes without a declared one that are not UTF-8.

Each charset is tried, and the text that looks most like writing wins: letters next to letters of
the same script, capitals at the start of words, no symbols inside them. A few words are enough for
scripts other than Latin. Among the Latin charsets, Western European is the default, and Central
European is chosen only if its own letters occur.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_SINGLE = ("cp1252", "cp1250", "cp1251", "koi8-r", "cp1253", "cp1255", "cp1256", "cp874")
_DOUBLE = ("cp932", "euc_jp", "cp949", "gb18030", "big5")  # Korean also decodes as common Chinese
_USUAL_SIGNS = frozenset("\xa0«»„“”‘’–—…€£°§©®·¿¡´•™№")
_CENTRAL = frozenset("ąćęłńśźżŁŚŻŹčďěňřšťůžČŘŠŽőűŐŰăşţđ")
_SHARED = frozenset("áéíóúýäöüßçëîâôÁÉÍÓÚÝÄÖÜÇÔÂ")  # in Western and in Central European alike
_FREQUENT = frozenset("оеаинтсрвл") | frozenset("יוהלאמרנבת")  # Russian, Hebrew
_CENTRAL_MARGIN = 0.5  # Western letters decoded as Central European also look like writing
_DOUBLE_BONUS = 1.5  # bytes that pair up without any error are unlikely to be chance


def guess(sample: bytes) -> str:
    """Return the name of the likeliest charset; ``cp1252`` by default.

    Costs a decoding per candidate.
    """
    best, best_score = "cp1252", _score_single(sample, "cp1252")
    for charset in _SINGLE[1:]:
        score = _score_single(sample, charset)
        if score > best_score + (_CENTRAL_MARGIN if charset == "cp1250" else 0.0):
            best, best_score = charset, score
    for charset in _DOUBLE:
        score = _score_double(sample, charset)
        if score > best_score:
            best, best_score = charset, score
    return best


def _score_single(sample: bytes, charset: str) -> float:
    text = sample.decode(charset, "replace")
    score, count = 0.0, 0
    before = " "
    for index, character in enumerate(text):
        if character > "\x7f":
            count += 1
            after = text[index + 1] if index + 1 < len(text) else " "
            score += _fit(before, character, after)
            if charset == "cp1250" and character not in _CENTRAL and character not in _SHARED:
                score -= 1.0
        before = character
    return score / count if count else 0.0


def _fit(before: str, character: str, after: str) -> float:
    """Return how well a non-ASCII character fits between its neighbours, about -3 to 2."""
    if character in _USUAL_SIGNS:
        inside = before.isalpha() and after.isalpha() and character not in "’´·"
        return -2.0 if inside else 0.5
    category = unicodedata.category(character)
    if category[0] == "C" or character == "\ufffd":
        return -3.0
    if category[0] not in "LM":
        return -2.0 if before.isalpha() or after.isalpha() else -0.5
    score = 0.5
    script = _script(character)
    for other in (before, after):
        if other.isalpha():
            score += 0.5 if _script(other) == script else -1.0
    if category == "Lu" and before.islower():
        score -= 2.0
    if character in _FREQUENT:
        score += 0.5
    return score


def _score_double(sample: bytes, charset: str) -> float:
    text = _paired(sample, charset)
    if text is None:
        return -3.0
    beyond = [_script(character) for character in text if character > "\x7f"]
    letters = [script for script in beyond if script in {"CJK", "HIRAGANA", "KATAKANA", "HANGUL"}]
    if len(letters) < 3 or len(letters) < 0.5 * len(beyond) or _is_mixed(text):
        return -3.0
    kana = sum(script in {"HIRAGANA", "KATAKANA"} for script in letters) / len(letters)
    hangul = letters.count("HANGUL") / len(letters)
    if 0.05 < hangul < 0.95 or 0.0 < kana < 0.05:
        return -1.0  # no text mixes them in such a ratio
    if charset in {"cp932", "euc_jp"}:
        native = kana > 0.15
    elif charset == "cp949":
        native = hangul > 0
    else:
        native = kana + hangul == 0 and _common_share(text, charset) > 0.9
    halfwidth = sum("\uff61" <= c <= "\uff9f" for c in text) / len(beyond)
    return (
        (2.0 if native else -1.0) + _DOUBLE_BONUS * _common_share(text, charset) - 3.0 * halfwidth
    )


def _is_mixed(text: str) -> bool:
    """Return whether half of the non-ASCII characters touch a Latin letter, as accents do."""
    touching = len(re.findall(r"[A-Za-z][^\x00-\x7f]|[^\x00-\x7f][A-Za-z]", text))
    return touching * 2 >= sum(character > "\x7f" for character in text)


def _common_share(text: str, charset: str) -> float:
    """Return the share of ideographs in the frequent half of the national character set."""
    first = {"gb18030": (0xB0, 0xD7), "big5": (0xA4, 0xC6)}.get(charset)
    ideographs = [c for c in text if "\u4e00" <= c <= "\u9fff"]
    if first is None or not ideographs:
        return 1.0
    leads = [c.encode(charset, "replace")[0] for c in ideographs]
    return sum(first[0] <= lead <= first[1] for lead in leads) / len(leads)


def _paired(sample: bytes, charset: str) -> str | None:
    for cut in (0, 1, 2, 3):  # the sample may end within a character
        try:
            return sample[: len(sample) - cut].decode(charset)
        except UnicodeDecodeError as error:
            if error.start < len(sample) - 4:
                return None
    return None


@lru_cache(maxsize=4096)  # a sample has few distinct characters, and name lookups are slow
def _script(character: str) -> str:
    name = unicodedata.name(character, "")
    return name.split(" ", 1)[0] if name else ""
