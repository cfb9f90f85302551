"""A light stemmer for English, so that "walks", "walked" and "walking" find "walk".

Inflections only; no derivations such as -ly, -ness or -er, which change the meaning too often. It
takes three steps from M. F. Porter, "An algorithm for suffix stripping" (1980), with fewer
surprises on short words. With m the number of vowel groups that are followed by a consonant:

1. Plural. ``sses -> ss``; ``ies -> y`` (``ie`` in words of four letters); else a final ``s`` goes,
   but not from ``ss``, ``us`` and ``is``.
2. Past and progressive. ``ied -> y`` (``ie`` in words of four letters); ``eed -> ee`` if m > 0
   before it, and not in ``ceed``; else ``ed`` and ``ing`` go if what stays is a word that could
   stand alone: it holds a vowel and has three letters, or two that are mended (``used -> use``,
   ``going -> go``, ``lying -> lie``). What stays is mended: a doubled consonant becomes single
   (not l, s, z, and not down to two letters), ``at``, ``bl``, ``iz`` and short syllables
   (``mak``, ``hop``) get their ``e`` back.
3. Ending. ``ie -> y`` from five letters on (so that "movie" meets "movies"); a final ``e`` goes
   unless a short syllable stands before it ("hope" stays apart from "hop"); a final ``ll``
   becomes ``l`` if m > 1.

A stem is a key, not a word: "house" and "houses" both give "hous".
"""

from __future__ import annotations

import re
from functools import lru_cache

SHORTEST = 4
"""Words with fewer letters are never touched."""

_EXCEPTIONS = {
    "always": "always",
    "buses": "bus",
    "does": "do",
    "during": "during",
    "evening": "evening",  # not "even"
    "evenings": "evening",
    "gases": "gas",
    "goes": "go",
    "indeed": "indeed",
    "lens": "lens",
    "news": "news",  # not "new"
    "perhaps": "perhaps",
    "series": "series",
    "species": "species",
}
_ENGLISH = re.compile(r"[a-z]{4,}", re.ASCII)
_VOWEL = re.compile(r"[aeiouy]")
_VOWEL_THEN_CONSONANT = re.compile(r"[aeiouy][^aeiouy]")
_SHORT_SYLLABLE = re.compile(r".*[^aeiou][aeiouy][^aeiouywx]")
_DOUBLE = re.compile(r".+([^aeioulsz])\1")


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return what `word` is indexed as: the word itself unless it is lower-case ASCII letters.

    O(length); the last 65,536 words are remembered.
    """
    if not _ENGLISH.fullmatch(word):
        return word
    if word in _EXCEPTIONS:
        return _EXCEPTIONS[word]
    return _without_ending(_without_tense(_without_plural(word)))


def _without_plural(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > SHORTEST else word[:-1]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _without_tense(word: str) -> str:
    if len(word) < SHORTEST:
        return word
    if word.endswith("ied"):
        return word[:-3] + "y" if len(word) > SHORTEST else word[:-1]
    if word.endswith("eed"):
        agreed = _measure(word[:-3]) > 0 and not word.endswith("ceed")
        return word[:-1] if agreed else word
    for suffix in ("ed", "ing"):
        if word.endswith(suffix):
            return _mended(word.removesuffix(suffix)) or word
    return word


def _mended(rest: str) -> str:
    """Return the verb that lost -ed or -ing; empty if it never was one."""
    if not _VOWEL.search(rest):
        return ""
    if len(rest) <= 2:
        return _mended_short(rest)
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if _DOUBLE.fullmatch(rest):
        return rest[:-1] if len(rest) > 3 else rest
    if _measure(rest) == 1 and _SHORT_SYLLABLE.fullmatch(rest):
        return rest + "e"
    return rest


def _mended_short(rest: str) -> str:
    if len(rest) < 2:
        return ""
    if rest[1] == "y":
        return rest[0] + "ie"
    return rest + "e" if rest[0] in "aeiou" else rest


def _without_ending(word: str) -> str:
    if word.endswith("ie") and len(word) > SHORTEST:
        return word[:-2] + "y"
    if word.endswith("e") and len(word) >= SHORTEST:
        rest = word[:-1]
        measure = _measure(rest)
        short = measure == 1 and _SHORT_SYLLABLE.fullmatch(rest)
        return rest if measure and not short else word
    if word.endswith("ll") and _measure(word) > 1:
        return word[:-1]
    return word


def _measure(word: str) -> int:
    """Return how many groups of vowels are followed by a consonant."""
    return len(_VOWEL_THEN_CONSONANT.findall(word))
