"""Excerpts of memories for verifiers: the parts that match the question (METHOD section 7)."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from heapq import heapify, heappop, heapreplace
from typing import TYPE_CHECKING, Final

from graphmemix.encode.views import spoken
from graphmemix.text.stopwords import STOP_WORDS
from graphmemix.text.words import tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from graphmemix.memory import Memory
    from graphmemix.settings import VerifierSettings

__all__ = ["canonical_text", "ocr_text", "query_weights", "snippet"]

_COMMON: Final = frozenset(tokens(STOP_WORDS))
_READ: Final = 60_000  # characters of a memory that are considered
_LONG_CLAUSE: Final = 160  # characters; longer ones are split at commas, then at spaces
_REPEATED: Final = 0.3  # worth of a question word that a chosen clause already has
_OPENING: Final = 0.5  # worth of the first clause: it usually states what the text is
_MISSES: Final = 8  # clauses that do not fit before the excerpt counts as full
_GAP: Final = " … "
_INVISIBLE: Final = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]+"
)
# A line that continues in lower case was only wrapped, as in mails.
_SENTENCE_END: Final = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；…])|\n(?![a-zß-ÿ])")
_COMMA: Final = re.compile(r"(?<=[,:、，])\s*")


def canonical_text(memory: Memory) -> str:
    """Return a memory's semantic text: its own words, then captions and transcripts. No OCR."""
    parts = [spoken(memory)]
    for medium in memory.media:
        described = medium.description
        parts += [described.caption or described.short_caption, described.transcript]
    return "\n".join(filter(None, map(_clean, parts)))


def ocr_text(memory: Memory) -> str:
    """Return the text read in a memory's pictures, without noise and repeats."""
    lines: dict[str, None] = {}
    for medium in memory.media:
        for line in medium.description.ocr[:_READ].splitlines():
            clean = _clean(line)
            if sum(character.isalnum() for character in clean) * 2 > len(clean):
                lines[clean] = None
    return "\n".join(lines)


def query_weights(texts: Iterable[str]) -> dict[str, float]:
    """Return the weight of each word of a question; needs no corpus.

    Numbers weigh most, stop words least, and long words more than short ones.
    """
    weights: dict[str, float] = {}
    for text in texts:
        for word in tokens(text):
            if any(character.isdigit() for character in word):
                weights[word] = 2.0
            elif word in _COMMON or (len(word) < 4 and word.isascii()):
                weights[word] = 0.2
            else:
                weights[word] = 1.0 + min(len(word), 10) / 10
    return weights


def snippet(memory: Memory, weights: Mapping[str, float], settings: VerifierSettings) -> str:
    """Return the parts of a memory that share words with the question, in text order.

    At most `snippet_characters` of canonical text come first, then at most
    `snippet_ocr_characters` of OCR text, marked as such.
    """
    said = _excerpt(canonical_text(memory), weights, settings.snippet_characters)
    read = _excerpt(ocr_text(memory), weights, settings.snippet_ocr_characters)
    return " ".join(filter(None, (said, f"[text in picture: {read}]" if read else "")))


@dataclass(frozen=True)
class _Clause:
    position: int
    text: str
    words: frozenset[str]


def _excerpt(text: str, weights: Mapping[str, float], most: int) -> str:
    """Return the best clauses that fit, in text order."""
    whole = " ".join(text.split())
    if len(whole) <= most:
        return whole
    longest = max(1, min(_LONG_CLAUSE, most))
    first: dict[str, int] = {}  # repeated clauses are used once
    for position, clause in enumerate(_clauses(text[:_READ], longest)):
        first.setdefault(clause, position)
    clauses = [
        _Clause(position, clause, frozenset(tokens(clause)) & weights.keys())
        for clause, position in first.items()
    ]
    chosen: list[_Clause] = []
    covered: set[str] = set()
    # Choosing a clause can only lower the worth of others: an earlier worth is an upper bound, and
    # only the clause on top needs to be evaluated again.
    bounds = [(-_worth(clause, covered, weights), clause.position, clause) for clause in clauses]
    heapify(bounds)
    misses = 0
    while bounds and misses < _MISSES:
        bound, position, best = bounds[0]
        worth = _worth(best, covered, weights)
        if worth < -bound:
            heapreplace(bounds, (-worth, position, best))
            continue
        heappop(bounds)
        if len(_joined([*chosen, best])) <= most:
            chosen.append(best)
            covered |= best.words
        else:
            misses += 1
    return _joined(chosen)


def _worth(clause: _Clause, covered: AbstractSet[str], weights: Mapping[str, float]) -> float:
    """Return what a clause adds: weight of question words per square root of its length."""
    worth = sum(weights[word] * (_REPEATED if word in covered else 1.0) for word in clause.words)
    worth += _OPENING if clause.position == 0 else 0.0
    return worth / math.sqrt(max(len(clause.text), 20))


def _joined(clauses: Sequence[_Clause]) -> str:
    text, last = "", -1
    for clause in sorted(clauses, key=lambda clause: clause.position):
        if text:
            text += " " if clause.position == last + 1 else _GAP
        elif clause.position:
            text = _GAP.lstrip()
        text += clause.text
        last = clause.position
    return text


def _clauses(text: str, longest: int) -> list[str]:
    found = []
    for sentence in _SENTENCE_END.split(text):
        parts = [sentence] if len(sentence) <= longest else _COMMA.split(sentence)
        for part in parts:
            found += _cut(" ".join(part.split()), longest)
    return found


def _cut(text: str, longest: int) -> list[str]:
    """Return a text in pieces that fit, cut at spaces if possible."""
    pieces = []
    start = 0
    while len(text) - start > longest:
        end = text.rfind(" ", start, start + longest + 1)
        end = end if end - start > longest // 2 else start + longest
        pieces.append(text[start:end].strip())
        start = end + (text[end : end + 1] == " ")  # white space is folded: at most one
    return [*pieces, text[start:]] if start < len(text) else pieces


def _clean(text: str) -> str:
    lines = (" ".join(_INVISIBLE.sub(" ", line).split()) for line in text[:_READ].splitlines())
    return "\n".join(filter(None, lines))
