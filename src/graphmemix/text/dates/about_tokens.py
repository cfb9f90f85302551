"""The words of a memory, and what stands around one of them."""

from __future__ import annotations

import re
from bisect import bisect_right
from datetime import timedelta
from typing import TYPE_CHECKING

from graphmemix.text.dates import about_words as words
from graphmemix.text.dates.about_stated import Stated

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from graphmemix.text.dates.about_stated import Kind

_TOKEN = re.compile(r"[a-z]+|[0-9]+")
_LINK = re.compile(r"[ \t\n-]{1,2}|'|’")  # between words of one phrase
_QUOTED_LINE = re.compile(r"^[ \t]{0,8}>[^\n]*", re.MULTILINE)
_FRENCH = re.compile(r"\b(?:je|nous|vous|les|est|etait|avec|pas|pour|une|du|des|et)\b")
_NOT_FRENCH = re.compile(r"\b(?:der|die|das|ich|wir|ist|und|nicht|het|een|ik|wij|niet|sind)\b")
_SENTENCE_END = re.compile(r"[.!?;\n]")
_DATES_BACK = 3  # dates before a weekday that it may repeat
_CLAUSE = 80  # characters to each side in which a verb shows the tense
_PAST = re.compile(
    r"\b(?:was|were|went|came|saw|met|did|didn't|had|got|took|told|said|spent|ate|flew|drove|bought"
    r"|(?:i|we|he|she|they|you|it|who) (?:left|(?!book|plan|sched|reserv|confirm|invit|expect|agree"
    r"|arrang|order|mov|need)[a-z]{2,12}ed)"
    r"|war|waren|hatte|hatten|gewesen|ging|gingen|kam|kamen|gab|wurde|wurden|fuhr|fuhren"
    r"|etait|etaient|avait|avaient"
    r"|(?:ai|a|as|avons|avez|ont) (?:ete|eu|fait|vu|pris|mange|recu|passe|dit)"
    r"|fue|fueron|estaba|estuve|estuvo|estuvimos|fui|fuimos|hicimos|tuvo|tuvimos|vimos|comimos"
    r"|erano|stato|stata|stati|andati|andato|hadden|kwam|foram|estava)\b"
    r"|\b(?:hat|habe|haben|hast) [a-z0-9, ]{0,60}\bge[a-z]{2,12}(?:t|en)\b"
)
_FUTURE = re.compile(
    r"\b(?:will|shall|going to|can|could|would|should|let's|lets|see you|wird|werden|konnen|sollen"
    r"|bis|until|till|by|sera|serons|serez|vais|va|vont|allons|peux|pouvez|seran|vamos)\b|'ll\b"
)


class Tokens:
    """The words of a text that was written on a certain day.

    Attributes:
        made: The day of writing.
        dates: What the text states by day and month, in order.
        written: The text as `plain` made it.
        text: The same in lower case.
        words: Words and numbers in lower case, without those of quoted lines: "tomorrow" in such a
            line counts from another day.
    """

    def __init__(self, text: str, made: date, dates: Sequence[Stated]) -> None:
        self.made = made
        self.dates = dates
        self.written = text
        self.text = own = text.lower()
        if ">" in text:
            own = _QUOTED_LINE.sub(lambda found: " " * len(found[0]), self.text)
        self.words: list[str] = _TOKEN.findall(own)
        self._date_starts = [each.start for each in dates]
        self._places = list(_TOKEN.finditer(own))

    def start(self, i: int) -> int:
        """Return where word `i` starts."""
        return self._places[i].start()

    def end(self, i: int) -> int:
        """Return where word `i` ends."""
        return self._places[i].end()

    def before(self, i: int, count: int = 1) -> str:
        """Return the word `count` words before `i` in the same phrase, or nothing."""
        return self.words[i - count] if self._are_linked(i - count, i) else ""

    def behind(self, i: int, count: int = 1) -> str:
        """Return the word `count` words behind `i` in the same phrase, or nothing."""
        return self.words[i + count] if self._are_linked(i, i + count) else ""

    def _are_linked(self, first: int, last: int) -> bool:
        if first < 0 or last >= len(self.words):
            return False
        for k in range(first, last):
            if not _LINK.fullmatch(self.text, self.end(k), self.start(k + 1)):
                return False
        return True

    def is_titled(self, i: int) -> bool:
        """Return whether word `i` starts with a capital."""
        return self.written[self.start(i)].isupper()

    def pointer(self, i: int) -> tuple[int | None, int]:
        """Return -1 for "last", 0 for "this", 1 for "next" at word `i`, and where that stands."""
        for word, at in ((self.before(i), i - 1), (self.behind(i), i + 1)):
            if at > i and word not in words.BEHIND:
                continue
            if word == "que":
                return (1, i + 2) if self.behind(i, 2) in {"viene", "vem"} else (None, i)
            if word in {"last", "next"} and self.before(i, 2) == "the":
                continue  # the last of something, not the one before today
            for pointer, known in ((-1, words.LAST), (0, words.THIS), (1, words.NEXT)):
                if word in known:
                    return pointer, at
        return None, i

    def is_past(self, start: int, end: int) -> bool:
        """Return whether the sentence around some characters is in the past tense."""
        before = _SENTENCE_END.split(self.text[max(0, start - _CLAUSE) : start])[-1]
        behind = _SENTENCE_END.split(self.text[end : end + _CLAUSE])[0]
        clause = f"{before} {behind}"
        return bool(_PAST.search(clause)) and not _FUTURE.search(clause)

    def is_french(self) -> bool:
        """Return whether the text is rather French than German or Dutch."""
        return len(_FRENCH.findall(self.text)) > len(_NOT_FRENCH.findall(self.text))

    def dates_around(self, i: int) -> tuple[Stated | None, Stated | None]:
        """Return the last date that starts at or before word `i`, and the first one behind it."""
        at = bisect_right(self._date_starts, self.start(i))
        behind = self.dates[at] if at < len(self.dates) else None
        return (self.dates[at - 1] if at else None), behind

    def antecedent(self, i: int, weekday: int) -> date | None:
        """Return the day that a weekday at word `i` repeats, of a trip or an event named before."""
        at = bisect_right(self._date_starts, self.start(i))
        for _, _, first, last, kind, *_ in reversed(self.dates[max(0, at - _DATES_BACK) : at]):
            day = first + timedelta(days=(weekday - first.weekday()) % 7)
            if day <= last < first + timedelta(days=7) and (kind == "range" or day >= self.made):
                return day
        return None

    def monday(self, weeks: int) -> date:
        """Return the first day of the week that is so many weeks away."""
        return self.made + timedelta(days=7 * weeks - self.made.weekday())

    def stated(self, i: int, j: int, first: date, days: int = 1, kind: Kind = "day") -> Stated:
        """Return what the words `i` to `j` state."""
        last = first + timedelta(days=days - 1)
        return Stated(self.start(i), self.end(j), first, last, kind)
