"""Patterns that fail fast, for rules with long lists of words.

Python's engine tries the alternatives of a pattern one after the other at every character. It skips
characters at once only if a pattern begins with a character or a set of them, and not with a look
around; and it passes over a whole group of alternatives if the group begins with another letter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["alternatives", "whole_words"]


def alternatives(words: str) -> str:
    """Return a pattern of words that are separated by ``|``, grouped by their first characters.

    Each word begins with a character that means itself and is not repeated; the rest of it may be a
    pattern. Of those with the same first character, the earlier ones are tried first. Ends of lines
    between words are left out.
    """
    by_first: dict[str, list[str]] = {}
    for word in _split(words.replace("\n", "")):
        by_first.setdefault(word[0], []).append(word[1:])
    return "|".join(f"{first}(?:{'|'.join(rest)})" for first, rest in sorted(by_first.items()))


def whole_words(words: str) -> str:
    """Return the pattern of `alternatives` that fits only from the beginning to the end of words.

    Of text in lower case without accents. Each word begins with a letter.
    """
    groups = _split(alternatives(words))
    return "|".join(
        f"{group[0]}(?<![0-9a-z_]{group[0]}){group[1:]}(?![0-9a-z_])" for group in groups
    )


def _split(words: str) -> Iterator[str]:
    """Yield what stands between those ``|`` that are not in brackets."""
    start = depth = 0
    for place, sign in enumerate(words):
        depth += (sign == "(") - (sign == ")")
        if sign == "|" and not depth:
            yield words[start:place]
            start = place + 1
    yield words[start:]
