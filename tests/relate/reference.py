"""The relations as METHOD section 2 states them: every pair of memories, one rule after another.

Slow and plain. Nothing is shared with the incremental code but what a mail says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations, pairwise

from graphmemix.evidence import Relation
from graphmemix.memory import Memory
from graphmemix.relate.bursts import kilometres
from graphmemix.relate.mails import Mail
from graphmemix.settings import GraphSettings
from graphmemix.text.folding import content_words, place_names

Pairs = Iterable[tuple[Memory, Memory]]


def edges(memories: list[Memory], settings: GraphSettings) -> set[tuple[str, str, Relation]]:
    rules: dict[Relation, Callable[[list[Memory], GraphSettings], Pairs]] = {
        "same_round": same_round,
        "consecutive_turn": consecutive_turn,
        "event_bridge": event_bridge,
        "same_record": same_record,
        "record_grounding": record_grounding,
        "reply_to": lambda all_, s: stated("reply_to", all_, s),
        "attachment_of": lambda all_, s: stated("attachment_of", all_, s),
        "same_document": same_document,
        "same_thread": same_thread,
        "forward_of": forward_of,
    }
    found = set()
    for relation, rule in rules.items():
        for one, other in rule(memories, settings):
            lower, higher = sorted((one.id, other.id))
            found.add((lower, higher, relation))
    return found


def time(memory: Memory) -> float:
    return memory.timestamp.timestamp() if memory.timestamp else float("inf")


def by_time(memories: Iterable[Memory]) -> list[Memory]:
    return sorted(memories, key=lambda m: (time(m), m.id))


def near(members: list[Memory], width: int) -> Iterator[tuple[Memory, Memory]]:
    for (i, one), (j, other) in combinations(enumerate(members), 2):
        if j - i <= width:
            yield one, other


def same_round(memories: list[Memory], settings: GraphSettings) -> Pairs:
    in_rounds = [m for m in memories if m.session is not None and m.round is not None]
    for session, number in {(m.session, m.round) for m in in_rounds}:
        members = [m for m in in_rounds if (m.session, m.round) == (session, number)]
        members = [m for m in by_time(members) if m.sequence is not None] + [
            m for m in by_time(members) if m.sequence is None
        ]
        members.sort(key=lambda m: float("inf") if m.sequence is None else m.sequence)
        yield from near(members, settings.group_neighbours)


def consecutive_turn(memories: list[Memory], settings: GraphSettings) -> Pairs:
    for session in {m.session for m in memories} - {None}:
        members = [(m.sequence, m.id, m) for m in memories
                   if m.session == session and m.sequence is not None]  # fmt: skip
        members.sort(key=lambda each: each[:2])
        yield from ((one[2], other[2]) for one, other in pairwise(members))


def same_document(memories: list[Memory], settings: GraphSettings) -> Pairs:
    parts = [(r.source_id, m.sequence, m.id, m) for m in memories for r in set(m.references)
             if r.relation == "same_document" and m.sequence is not None]  # fmt: skip
    for name in {part[0] for part in parts}:
        members = sorted((part for part in parts if part[0] == name), key=lambda part: part[:3])
        yield from ((one[3], other[3]) for one, other in pairwise(members))


def same_thread(memories: list[Memory], settings: GraphSettings) -> Pairs:
    mails = [m for m in memories if m.kind == "email" and m.session is not None]
    for session in {m.session for m in mails}:
        yield from pairwise(by_time(m for m in mails if m.session == session))


def forward_of(memories: list[Memory], settings: GraphSettings) -> Pairs:
    begins = "---------- Forwarded message ---------\n"
    mails = [m for m in memories if m.kind == "email"]
    for memory in mails:
        _, mark, forwarded = memory.text.partition(begins)
        _, _, body = forwarded.partition("\n\n")
        first = re.findall(r"\w+", body)[:10]
        if mark and len(first) >= 4:
            subject = Mail(memory, settings).subject
            same = [
                m
                for m in mails
                if Mail(m, settings).subject == subject
                and re.findall(r"\w+", m.text)[:10] == first
                and begins not in m.text
            ]
            for other in by_time(same)[: settings.group_neighbours]:
                yield memory, other


def stated(relation: str, memories: list[Memory], settings: GraphSettings) -> Pairs:
    for memory in memories:
        for reference in memory.references:
            if reference.relation == relation:
                named = [m for m in memories if m.source_id == reference.source_id]
                for other in by_time(named)[: settings.group_neighbours]:
                    if other.id != memory.id:
                        yield memory, other


def event_bridge(memories: list[Memory], settings: GraphSettings) -> Pairs:
    limits = settings.event_bridge
    taken = []
    for m in memories:
        visual = m.kind in ("photo", "video") or m.media
        if visual and m.timestamp and m.place and m.place.latitude is not None:
            assert m.place.longitude is not None
            taken.append((m, (m.place.latitude, m.place.longitude)))
    pairs = []
    for (one, here), (other, there) in combinations(taken, 2):
        gap, far = abs(time(one) - time(other)), kilometres(here, there)
        if limits.min_seconds <= gap <= limits.max_seconds and far <= limits.max_kilometres:
            pairs.append((gap, far, sorted((one.id, other.id)), one, other))
    links = dict.fromkeys((m.id for m, _ in taken), 0)
    for *_, one, other in sorted(pairs, key=lambda pair: pair[:3]):
        if max(links[one.id], links[other.id]) < limits.max_neighbours:
            links[one.id] += 1
            links[other.id] += 1
            yield one, other


def same_record(memories: list[Memory], settings: GraphSettings) -> Pairs:
    mails = [Mail(m, settings) for m in memories if m.kind == "email"]
    width = settings.group_neighbours
    for name in {name for mail in mails for name in mail.references}:
        yield from near(by_time(m.memory for m in mails if name in m.references), width)
    for occasion in {each for mail in mails for each in mail.occasions}:
        yield from near(by_time(m.memory for m in mails if occasion in m.occasions), width)
    for subject in {mail.subject for mail in mails} - {""}:
        members = by_time(m.memory for m in mails if m.subject == subject and m.memory.timestamp)
        for one, other in near(members, width):
            if time(other) - time(one) <= settings.same_record.subject_days * 86_400:
                yield one, other


def record_grounding(memories: list[Memory], settings: GraphSettings) -> Pairs:
    limits = settings.record_grounding
    mails = [Mail(m, settings) for m in memories if m.kind == "email"]
    media = [m for m in memories if m.kind in ("photo", "video") or (m.media and m.kind != "email")]
    for day in {day for mail in mails for day in mail.dates}:
        agreed = []
        for mail in (m for m in mails if day in m.dates):
            for medium in (m for m in media if m.timestamp and m.timestamp.date() == day):
                names = place_names(medium.place.name, limits.word_length) if medium.place else ()
                place = any(name <= mail.vocabulary for name in names)
                words = len(content_words([medium.text], limits.word_length) & mail.vocabulary)
                if place or words >= limits.content_words:
                    rank = (not place, -words, time(medium), medium.id, mail.memory.id)
                    agreed.append((rank, mail.memory, medium))
        links = dict.fromkeys((m.id for m in memories), 0)
        for _, one, other in sorted(agreed, key=lambda each: each[0]):
            if max(links[one.id], links[other.id]) < limits.max_neighbours:
                links[one.id] += 1
                links[other.id] += 1
                yield one, other
