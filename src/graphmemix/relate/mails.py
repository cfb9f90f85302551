"""What an e-mail says, as far as relations are concerned. Read once, part by part, when needed."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from graphmemix.relate.categories import categories_in
from graphmemix.relate.moments import local_day
from graphmemix.relate.references import references_in
from graphmemix.relate.subjects import normal_subject
from graphmemix.text.dates.mentions import Mention, mentions, without_sent_lines
from graphmemix.text.folding import plain, words

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date

    from graphmemix.memory import Memory
    from graphmemix.settings import GraphSettings


class Mail:
    """One e-mail: subject, references, dates, occasions and words."""

    def __init__(self, memory: Memory, settings: GraphSettings) -> None:
        self.memory = memory
        self._settings = settings
        subject = memory.metadata.get("subject")
        self._subject = subject if isinstance(subject, str) else ""

    @cached_property
    def subject(self) -> str:
        """The subject without "Re:" and the like; empty if it says nothing."""
        return normal_subject(self._subject)

    @cached_property
    def _plain_subject(self) -> str:
        return plain(self._subject) + "\n"

    @cached_property
    def _plain_text(self) -> str:
        return plain(self.memory.text)

    @cached_property
    def references(self) -> tuple[str, ...]:
        """Order, booking and other numbers."""
        most = self._settings.same_record.max_references
        return references_in(self._plain_subject + self._plain_text, most)

    @cached_property
    def _undated(self) -> str:
        return self._plain_subject + without_sent_lines(self._plain_text)

    @cached_property
    def _mentions(self) -> list[Mention]:
        return mentions(self._undated, local_day(self.memory))

    @cached_property
    def dates(self) -> tuple[date, ...]:
        """The days that it speaks of."""
        found = dict.fromkeys(mention.date for mention in self._mentions)
        return tuple(found)[: self._settings.record_grounding.max_dates]

    @cached_property
    def occasions(self) -> frozenset[tuple[date, str]]:
        """The days together with what is to happen: a flight, a delivery.

        A word in the subject is about all days; another one is about the days that it stands near.
        """
        days = set(self.dates)
        dated = [mention for mention in self._mentions if mention.date in days]
        if not dated:
            return frozenset()
        reach, subject = self._settings.same_record.category_reach, len(self._plain_subject)
        windows = [(start - reach, end + reach) for start, end, _ in dated]
        found = list(categories_in(self._undated, [(0, subject), *windows]))
        places = [place for place, _ in found]
        about_all = {name for _, name in found[: bisect_left(places, subject)]}
        occasions = set()
        for (first, last), mention in zip(windows, dated, strict=True):
            near = found[bisect_left(places, first) : bisect_right(places, last)]
            occasions |= {(mention.date, name) for name in {*about_all, *(n for _, n in near)}}
        return frozenset(occasions)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """All its words."""
        return frozenset(words(self._plain_subject + self._plain_text))


class Mails:
    """Reads e-mails, each one once."""

    def __init__(self, settings: GraphSettings) -> None:
        self._settings = settings
        self._read: dict[int, Mail] = {}  # by object: a mail keeps its memory, and so its number

    def __call__(self, memory: Memory) -> Mail | None:
        """Return what the memory says, or None if it is no e-mail."""
        if memory.kind != "email":
            return None
        known = self._read.get(id(memory))
        if known is None:
            known = self._read[id(memory)] = Mail(memory, self._settings)
        return known


ReadMail: TypeAlias = "Callable[[Memory], Mail | None]"
