"""`same_record`: e-mails about the same thing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmemix.relate.groups import Grouped, Rule, band, banded
from graphmemix.relate.keys import group_name
from graphmemix.relate.moments import DAY, in_time, instant

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from graphmemix.memory import Memory
    from graphmemix.relate.mails import ReadMail
    from graphmemix.settings import GraphSettings


def same_record(settings: GraphSettings, read: ReadMail) -> Grouped:
    """Link e-mails that share a reference, an occasion (day and category) or a subject.

    As in `same_round`, each e-mail of a large group is linked with ``group_neighbours`` before and
    after it in time. The same subject counts only within ``subject_days``.
    """
    return Grouped("same_record", [by(settings, read) for by in _RULES])


def _by_reference(settings: GraphSettings, read: ReadMail) -> Rule:
    def references(memory: Memory) -> Iterable[str]:
        mail = read(memory)
        return map(group_name, mail.references) if mail else ()

    return Rule("ref", references, banded(in_time, settings.group_neighbours), one_by_one=True)


def _by_occasion(settings: GraphSettings, read: ReadMail) -> Rule:
    def occasions(memory: Memory) -> Iterable[str]:
        mail = read(memory)
        return (group_name(d.isoformat(), name) for d, name in mail.occasions) if mail else ()

    link = banded(in_time, settings.group_neighbours)
    return Rule("occasion", occasions, link, one_by_one=True)


def _by_subject(settings: GraphSettings, read: ReadMail) -> Rule:
    """Group by subject and time, so that a newsletter of many years is never read as a whole.

    Time is cut into slots of ``subject_days``. Group k holds the e-mails of slots k and k + 1, so
    that any two that are near enough are together in some group, with all that lie between them.
    """
    most = max(1, round(settings.same_record.subject_days * DAY))

    def subjects(memory: Memory) -> Iterable[str]:
        mail = read(memory)
        if mail is None or memory.timestamp is None or not mail.subject:
            return
        slot = instant(memory.timestamp) // most
        yield from (group_name(each, mail.subject) for each in (slot - 1, slot))

    def link(
        _name: str, members: Sequence[Memory], _others: Sequence[Memory]
    ) -> Iterable[tuple[Memory, Memory]]:
        ordered = sorted((in_time(memory), memory) for memory in members)
        for (one_time, one), (other_time, other) in band(ordered, settings.group_neighbours):
            if other_time[0] - one_time[0] <= most:
                yield one, other

    return Rule("subject", subjects, link)


_RULES = (_by_reference, _by_occasion, _by_subject)
