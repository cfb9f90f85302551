"""The words of a question, and what a rule of the grammar found among them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from graphmemix.text.dates import calendar
from graphmemix.text.dates.feast_names import PERSONAL
from graphmemix.text.dates.sorts import END, Lexeme, Sort

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from datetime import datetime

    from graphmemix.text.dates.calendar import Cycle, Period

_DEEPEST = 4
_OLDEST, _NEWEST = 1800, 2199
_AT_LUCIA = frozenset({"at", "pa", "vid"})
_PREPOSITIONS = frozenset({Sort.IN, Sort.ON, Sort.FROM})


class RuleMatch(NamedTuple):
    """What a rule found.

    Attributes:
        end: The first word behind it.
        periods: What is meant; several if it can be read in several ways, or names several.
        cycle: Instead of periods: something that comes round, and is to be settled.
        bare: A name alone; to be a date it needs a preposition, a year or the like.
    """

    end: int
    periods: tuple[Period, ...] = ()
    cycle: Cycle | None = None
    bare: bool = True


Rule: TypeAlias = "Callable[[Cursor, int], RuleMatch | None]"


class Cursor:
    """Reads a question from a position on. Every rule looks at a bounded number of words.

    Attributes:
        now: The asker's clock; None if it is not known.
        romance: See `Vocabulary`.
        names: Folded words of the names of people, which a month may be as well.
        narrowed: What `sentence` found at each position, to read it once.
    """

    def __init__(
        self,
        words: Sequence[Lexeme],
        now: datetime | None,
        *,
        rules: Mapping[Sort, Sequence[Rule]],
        romance: bool,
        names: Collection[str],
    ) -> None:
        self.words = words
        self.now = now
        self.romance = romance
        self.names = names
        self._rules = rules
        self._depth = 0
        self._seen: dict[int, RuleMatch | None] = {}
        self.narrowed: dict[int, RuleMatch | None] = {}

    def __getitem__(self, i: int) -> Lexeme:
        return self.words[i] if 0 <= i < len(self.words) else END

    def sort(self, i: int) -> Sort:
        """Return what word `i` does."""
        return self[i].sort

    def skip(self, i: int, *sorts: Sort) -> int:
        """Return the position behind a word of one of these sorts, if there is one."""
        return i + 1 if self[i].sort in sorts else i

    def skip_the(self, i: int) -> int:
        """Return the position behind an article; in French and Spanish, "le" and "el" are such."""
        return self.skip(i, Sort.THE, Sort.ON) if self.romance else self.skip(i, Sort.THE)

    def skip_of(self, i: int) -> int:
        """Return the position behind "of"."""
        return i + 1 if self.is_of(i) else self.skip(i, Sort.FROM) if self.romance else i

    def is_of(self, i: int) -> bool:
        """Return whether word `i` is "of"; one that is "from" as well, as "van", is named so."""
        lexeme = self[i]
        return lexeme.sort is Sort.OF or (lexeme.sort is Sort.FROM and lexeme.name == "of")

    def skip_ago(self, i: int) -> int:
        """Return the position behind "ago"; Swedish "sedan" is "since" as well."""
        since = self[i].sort is Sort.SINCE and self[i].name == "ago"
        return i + 1 if since else self.skip(i, Sort.AGO)

    def date(self, i: int) -> RuleMatch | None:
        """Return the date that starts at word `i`, by the first rule that finds one."""
        if self._depth == 0 and i in self._seen:
            return self._seen[i]
        if self._depth >= _DEEPEST:  # "the end of the end of the end of ..."
            return None
        self._depth += 1
        found = None
        try:
            for rule in self._rules[self[i].sort]:
                if found := rule(self, i):
                    break
        finally:
            self._depth -= 1
        if self._depth == 0:
            self._seen[i] = found
        return found

    def settled(self, found: RuleMatch) -> tuple[Period, ...]:
        """Return the periods; of what comes round, the latest that has started.

        A weekday is the latest before today: people call today "today".
        """
        if found.cycle is None:
            return found.periods
        if self.now is None:
            return ()
        weekday = found.cycle.pace == "week" and found.cycle.span in {"day", "daypart"}
        period = found.cycle.last(self.now) if weekday else found.cycle.recent(self.now)
        return (period,) if period else ()

    def preposition(self, i: int, *, article: bool = False) -> Lexeme | None:
        """Return the preposition before word `i`; with `article`, also one before its article."""
        before = self[i - 1]
        if article and before.sort is Sort.THE:
            before = self[i - 2]
        fits = before.sort in _PREPOSITIONS or (self.romance and before.sort is Sort.OF)
        if before.sort is Sort.TO:  # Portuguese "a" is an article, Swedish "till jul" is "for"
            fits = before.name == "for" or (self.romance and before.name != "article")
        return before if fits else None

    def doubtful(self, i: int) -> bool:
        """Return whether word `i` may be an ordinary word, or the name of someone known."""
        lexeme = self[i]
        return (lexeme.weak and not lexeme.titled) or lexeme.word in self.names

    def day(self, i: int) -> int:
        """Return the day of a month that word `i` names; 0 if it names none."""
        lexeme = self[i]
        if lexeme.sort is Sort.ORDINAL or (lexeme.sort is Sort.NUMBER and lexeme.word.isdigit()):
            return lexeme.number if lexeme.number <= 31 else 0
        return 0

    def year(self, i: int) -> int:
        """Return the year that word `i` names behind a month or the like; 0 if it names none."""
        lexeme = self[i]
        if lexeme.sort is Sort.SHORT_YEAR:
            return lexeme.number
        if lexeme.sort is Sort.NUMBER and len(lexeme.word) == 4 and lexeme.word.isdigit():
            counted = self[i + 1].sort is Sort.COUNTED
            return lexeme.number if _OLDEST <= lexeme.number <= _NEWEST and not counted else 0
        return 0

    def weekday(self, i: int) -> int | None:
        """Return the weekday that word `i` names; Portuguese "segunda" (second) is Monday."""
        lexeme = self[i]
        if lexeme.sort is Sort.WEEKDAY:
            return lexeme.number
        return lexeme.number - 2 if lexeme.sort is Sort.ORDINAL and lexeme.weak else None

    def skip_hyphen(self, i: int) -> int:
        """Return the position behind a hyphen inside a word."""
        hyphen = self[i].sort is Sort.DASH and self[i].touching and self[i + 1].touching
        return i + 1 if hyphen else i

    def year_behind(self, i: int) -> tuple[int, int]:
        """Return the year at `i` or behind a comma, hyphen or "of", and the position behind it."""
        j = i if self.year(i) else self.skip_hyphen(self.skip(i, Sort.COMMA))
        j = j if self.year(j) else self.skip_of(i)
        year = self.year(j)
        return (year, j + 1) if year else (0, i)

    def cycle(self, i: int) -> Cycle | None:
        """Return what comes round under the name of word `i`."""
        lexeme = self[i]
        if lexeme.sort is Sort.UNIT:
            return calendar.UNITS[lexeme.name]
        if lexeme.sort is Sort.HOLIDAY:
            return None if self._is_person(i) else calendar.holiday_cycle(lexeme.name)
        if lexeme.sort is Sort.DAY_PART:
            return calendar.day_part_cycle(lexeme.name)
        if lexeme.sort is Sort.ORDINAL:
            weekday = self.weekday(i)
            return None if weekday is None else calendar.weekday_cycle(weekday)
        make = _NUMBERED.get(lexeme.sort)
        return make(lexeme.number) if make else None

    def _is_person(self, i: int) -> bool:
        """Return whether the name of a feast is somebody's here: "Sara Eid", "at Lucia's"."""
        lexeme, before, behind = self[i], self[i - 1], self[i + 1]
        if lexeme.word not in PERSONAL:
            return False
        if before.sort is Sort.DOT:  # Dr. Eid
            before = self[i - 2]
        first_name = before.sort is Sort.OTHER and (before.titled or before.word in self.names)
        if first_name or lexeme.word in self.names or behind.sort is Sort.POSSESSIVE:
            return True
        if lexeme.word != "lucia" or self.year(i + 1):
            return False
        # A frequent first name; "på" and "vid" are Swedish.
        return before.word not in _AT_LUCIA or (behind.sort is Sort.OTHER and behind.titled)


_NUMBERED: dict[Sort, Callable[[int], Cycle]] = {
    Sort.MONTH: calendar.month_cycle,
    Sort.WEEKDAY: calendar.weekday_cycle,
    Sort.SEASON: calendar.season_cycle,
    Sort.QUARTER: calendar.quarter_cycle,
}
