"""Weekdays in a memory: on Friday, last Friday, Friday next week, Friday 14, and the 14th alone.

`Tokens` has the words of the memory, and what stands around one of them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from contextlib import suppress
from datetime import date, timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from graphmemix.text.dates import about_words as words
from graphmemix.text.dates.about_stated import Stated

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
_NOT_A_DAY = (
    r"(?![0-9a-z:%]|[.,:/-][0-9]|\s?(?:am|pm|h|uhr|euros?|eur|kr|min|minutes?)\b|\s?[-–]\s?[0-9]"
    r"|\s?[€$£])"
)
_DAY_BEHIND = re.compile(
    r"[,.]{0,2}\s{1,2}(?:(?:the|den|der|le|el|il|om)\s)?(?P<one>[0-9]{1,2})"
    rf"(?:[/.](?P<other>[0-9]{{1,2}}))?(?:st|nd|rd|th|er|[.ºª])?{_NOT_A_DAY}"
)
_TIME_BEHIND = re.compile(
    r"[\s,]{1,2}(?:(?:at|um|kl\.?|ab)\s)?(?:[0-9]{1,2}(?:[:.h][0-9]{2}|\s?(?:am|pm|h|uhr)\b)"
    r"|(?:morning|afternoon|evening|night|lunch)\b)"
)
_ORDINAL = re.compile(
    r"(?:st|nd|rd|th)(?![a-z0-9-])(?!\s{1,2}(?:floor|place|birthday|anniversary|century|grade"
    r"|edition|time|year|street|avenue|st\b|ave\b|and|or|to))"
)
_GERMAN_ORDINAL = re.compile(
    r"\.(?!\s?[0-9]|\s(?:advent|weihnacht|feiertag|[a-z]{0,9}tag\b|stock|platz|quartal|halbjahr|etage))"
)
_EARLIEST, _LATEST = timedelta(days=-185), timedelta(days=250)  # of "Friday 14/10"
_WEEK = timedelta(days=7)

ANCHORS = frozenset({*words.WEEKDAYS, *words.SWEDISH_PAST, *words.ABBREVIATED, "di", "do", "so"})
"""Words at which a weekday may be found."""


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
        self._own = own
        self._date_starts = [each.start for each in dates]

    @cached_property
    def _places(self) -> list[re.Match[str]]:
        return list(_TOKEN.finditer(self._own))

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


def weekday(tokens: Tokens, i: int) -> Stated | None:
    """Return the day of a weekday at word `i`: from the day of writing on, if nothing says else."""
    number, end = _number(tokens, i), tokens.end(i)
    if (
        number is None
        or tokens.text[end : end + 2] in {"'s", "’s"}
        or tokens.before(i) in words.NAMED_DAYS
        or tokens.behind(i) in words.NAMED_BEHIND
    ):
        return None
    j = i + (tokens.words[i] in words.WITH_FEIRA)
    if dated := _dated(tokens, i, j, number):
        return dated
    if week := _week_behind(tokens, j):
        return tokens.stated(i, week[1], tokens.monday(week[0]) + timedelta(days=number))
    if week := _week_before(tokens, i):
        return tokens.stated(week[1], j, tokens.monday(week[0]) + timedelta(days=number))
    return _alone(tokens, i, j, number)


def _alone(tokens: Tokens, i: int, j: int, number: int) -> Stated | None:
    """Read "on Friday", "last Friday", "next Friday"; not "every Friday"."""
    before = tokens.before(i)
    pointer, at = tokens.pointer(j)
    if pointer is None:
        pointer, at = tokens.pointer(i)
    if pointer is None:
        if before in words.EVERY or (before == "on" and tokens.before(i, 3) in words.EVERY):
            return None  # "every week on Friday", too
        if named := tokens.antecedent(i, number):
            return tokens.stated(i, j, named, kind="weekday")
        # Today is called "today": "on Friday", written on a Friday, is the next one.
        pointer = 1 if before in words.AHEAD_OF_DAY else 0
        past = before in words.SINCE or tokens.words[i] in words.SWEDISH_PAST
        if past or tokens.is_past(tokens.start(i), tokens.end(j)):
            pointer = -1
    day = tokens.made + timedelta(days=(number - tokens.made.weekday()) % 7)
    if pointer < 0:
        day -= _WEEK
    elif pointer and day == tokens.made:
        day += _WEEK
    return tokens.stated(min(i, at), max(j, at), day, kind="weekday")


def _number(tokens: Tokens, i: int) -> int | None:
    """Return the weekday that a word names."""
    word = tokens.words[i]
    if word in words.WITH_FEIRA:
        return words.WEEKDAYS[word] if tokens.behind(i) == "feira" else None
    if word in words.SWEDISH_PAST:
        return words.SWEDISH_PAST[word] if tokens.before(i) == "i" else None
    return words.WEEKDAYS[word] if word in words.WEEKDAYS else _abbreviated(tokens, i)


def _abbreviated(tokens: Tokens, i: int) -> int | None:
    """Return the weekday of an abbreviation, which needs a preposition, a time or a day."""
    word, before, end = tokens.words[i], tokens.before(i), tokens.end(i)
    titled, english = tokens.is_titled(i), word in words.ENGLISH_ABBREVIATED
    if titled and before in words.GERMAN_BEHIND and word in words.GERMAN_ABBREVIATED:
        return words.GERMAN_ABBREVIATED[word]
    if (
        (english and before in words.ABBREVIATED_BEHIND)
        or (english and titled and _TIME_BEHIND.match(tokens.text, end))
        or (titled and _DAY_BEHIND.match(tokens.text, end))
    ):
        return words.ABBREVIATED.get(word)
    return None


def _dated(tokens: Tokens, i: int, j: int, number: int) -> Stated | None:
    """Read "Friday 14" and "Friday 14/10" if that day is such a weekday."""
    match = _DAY_BEHIND.match(tokens.text, tokens.end(j))
    if match is None:
        return None
    made = tokens.made
    days = _days(made, int(match["one"]), int(match["other"] or 0))
    fitting = [
        day for day in days if day.weekday() == number and _EARLIEST <= day - made <= _LATEST
    ]
    if not fitting:
        return None
    nearest = min(fitting, key=lambda day: (abs(day - made), day < made))
    return Stated(tokens.start(i), match.end(), nearest, nearest, "date", has_year=False)


def _days(made: date, one: int, other: int) -> Iterator[date]:
    """Yield what a day of a month, or a day and a month in any order, may mean near a day."""
    if other:
        orders = {(other, one), (one, other)}
        named = [(made.year + k, *order) for k in (-1, 0, 1) for order in orders]
    else:
        months = range(made.year * 12 + made.month - 2, made.year * 12 + made.month + 3)
        named = [(number // 12, number % 12 + 1, one) for number in months]
    for year, month, day in named:
        with suppress(ValueError):
            yield date(year, month, day)


def _week_behind(tokens: Tokens, i: int) -> tuple[int, int] | None:
    """Return the week of "Friday next week" as a distance, and where it ends."""
    j = i + 1
    while j < i + 4 and tokens.behind(i, j - i) in {"of", "de", "la", "der", "da", "in", "i"}:
        j += 1
    for at in (j, j + 1):
        unit = words.UNITS.get(tokens.behind(i, at - i))
        if unit and unit[0] == "week":
            pointer, where = tokens.pointer(at)
            return (pointer, max(at, where)) if pointer is not None else None
    return None


def _week_before(tokens: Tokens, i: int) -> tuple[int, int] | None:
    """Return the week of "next week on Friday" as a distance, and where it starts."""
    count = 2 if tokens.before(i) in {"on", "am", "pa", "le", "el"} else 1
    unit = words.UNITS.get(tokens.before(i, count))
    if not unit or unit[0] != "week":
        return None
    pointer, at = tokens.pointer(i - count)
    return (pointer, min(at, i - count)) if pointer is not None else None


def day_of_month(tokens: Tokens, i: int) -> Stated | None:
    """Read "on the 14th" and "am 14.", a day without its month."""
    number, end = int(tokens.words[i]), tokens.end(i)
    ordinal = _ORDINAL.match(tokens.text, end)
    german = None if ordinal else _GERMAN_ORDINAL.match(tokens.text, end)
    before = tokens.before(i) if ordinal or german else ""
    english = ordinal and before == "the" and tokens.before(i, 2) in words.BEFORE_THE_DAY
    if not (english or (german and before in words.GERMAN_BEFORE_DAY)):
        return None
    end = ordinal.end() if ordinal else end
    made, past = tokens.made, tokens.is_past(tokens.start(i), end)
    days = [day for day in _days(made, number, 0) if (day < made if past else day >= made)]
    if not days:
        return None
    nearest = days[-1] if past else days[0]
    return Stated(tokens.start(i), end, nearest, nearest, "date")
