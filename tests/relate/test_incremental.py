"""Incremental changes in any order and any batches end where a rebuild ends."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphmemix.errors import InvalidDataError
from graphmemix.evidence import Edge
from graphmemix.memory import Media, Memory, Place, Reference
from graphmemix.relate import keys, relate
from graphmemix.settings import EventBridgeSettings, GraphSettings
from tests.relate import reference
from tests.relate.archive import (
    NARROW,
    START,
    InMemory,
    Nothing,
    Way,
    crowd,
    mail,
    photo,
    rebuilt,
    turn,
)

PROPERTY = settings(
    max_examples=settings().max_examples, deadline=None, suppress_health_check=list(HealthCheck)
)
WAYS: tuple[Way, ...] = ("first relate", "hidden", "first store")

IDS = [f"m{i:02}" for i in range(14)]
MOMENTS = st.one_of(
    st.none(),
    st.sampled_from([0, 30, 60, 90, 120, 1800, 3600, 3660, 5400, 7200, 90_000]).map(
        lambda s: START + timedelta(seconds=s)
    ),
    st.integers(-60, 60).map(lambda days: START + timedelta(days=days)),
)
REFERENCES = st.lists(
    st.builds(
        Reference,
        st.sampled_from(["reply_to", "attachment_of", "same_document"]),
        st.sampled_from(["a", "b", "c"]),
    ),
    max_size=2,
).map(tuple)
PLACES = st.one_of(
    st.none(),
    st.builds(
        Place,
        st.sampled_from(["", "Lake Bled", "Rome, Italy"]),
        st.sampled_from([46.0, 46.01, 46.03, 47.0]),
        st.sampled_from([14.0, 14.01, 14.1]),
    ),
)
SENTENCES = st.lists(
    st.sampled_from(
        [
            "Order number 302-1234567.",
            "Booking reference: AB12CD",
            "Your flight to Rome is on 2023-07-14.",
            "hotel check-in 15 July 2023",
            "We meet at the castle and the rowing boat in Bled on July 14.",
            "castle rowing boat",
        ]
    ),
    max_size=3,
).map(" ".join)

messages = st.builds(
    Memory,
    st.sampled_from(IDS),
    st.sampled_from(["message", "document"]),
    source_id=st.sampled_from(["", "a", "b"]),
    session=st.sampled_from([None, "s", "t"]),
    round=st.sampled_from([None, "1", "2"]),
    sequence=st.one_of(st.none(), st.sampled_from([-70, 0, 1, 2, 3, 4, 63, 64, 130, 1000, 5000])),
    timestamp=MOMENTS,
    references=REFERENCES,
)
FORWARDED = "---------- Forwarded message ---------\nFrom: Ben <ben@example.org>\n\n"
mails = st.builds(
    Memory,
    st.sampled_from(IDS),
    st.just("email"),
    st.one_of(SENTENCES, SENTENCES.map(lambda text: f"FYI\n\n{FORWARDED}{text}" if text else "")),
    source_id=st.sampled_from(["a", "b", "c"]),
    session=st.sampled_from([None, "s", "t"]),
    timestamp=MOMENTS,
    references=REFERENCES,
    metadata=st.sampled_from([{}, {"subject": "Re: Summer"}, {"subject": "flight"}]),
)
media = st.builds(
    Memory,
    st.sampled_from(IDS),
    st.sampled_from(["photo", "video", "message"]),
    st.sampled_from(["", "castle, rowing", "rome"]),
    session=st.sampled_from([None, "s"]),
    sequence=st.integers(0, 3),
    timestamp=MOMENTS,
    place=PLACES,
    media=st.sampled_from([(), (Media("image"),)]),
)
BATCHES = st.lists(
    st.tuples(
        st.lists(st.one_of(messages, mails, media), max_size=6, unique_by=lambda m: m.id),
        st.lists(st.sampled_from(IDS), max_size=3),
    ),
    min_size=1,
    max_size=8,
)
Batches = list[tuple[list[Memory], list[str]]]


def run(batches: Batches, archive: InMemory, graph: GraphSettings) -> None:
    for changed, gone in batches:
        archive.change(changed, set(gone) - {memory.id for memory in changed})
        assert archive.stored.keys() == rebuilt(archive.memories.values(), graph)


@pytest.mark.parametrize("way", WAYS)
@PROPERTY
@given(BATCHES)
def test_any_changes_end_where_a_rebuild_ends(way: Way, batches: Batches) -> None:
    run(batches, InMemory(NARROW, way), NARROW)


@PROPERTY
@given(st.lists(st.one_of(messages, mails, media), max_size=14, unique_by=lambda m: m.id))
def test_a_rebuild_is_what_the_rules_say(memories: list[Memory]) -> None:
    assert rebuilt(memories, NARROW) == reference.edges(memories, NARROW)


@pytest.mark.parametrize("kind", ["turns", "mails", "media"])
@pytest.mark.parametrize("way", WAYS)
def test_crowded_archives_end_where_a_rebuild_ends(way: Way, kind: str) -> None:
    rng = random.Random(f"{kind} {way}")
    for _ in range(2):
        archive = InMemory(NARROW, way)
        for _ in range(30):
            changed = {m.id: m for m in (crowd(rng, kind) for _ in range(rng.randrange(1, 8)))}
            gone = {f"{rng.randrange(60):02}" for _ in range(rng.randrange(3))} - changed.keys()
            archive.change(list(changed.values()), gone)
            assert archive.stored.keys() == rebuilt(archive.memories.values(), NARROW)


def test_the_order_of_memories_does_not_matter() -> None:
    rng = random.Random(3)
    kinds = ["turns", "mails", "media"]
    memories = list({m.id: m for m in (crowd(rng, rng.choice(kinds)) for _ in range(90))}.values())
    expected = rebuilt(memories, NARROW)
    for _ in range(5):
        rng.shuffle(memories)
        assert rebuilt(memories, NARROW) == expected


def test_relating_all_memories_again_moves_an_archive_to_other_settings() -> None:
    rng = random.Random(4)
    archive = InMemory(NARROW)
    kinds = ["turns", "mails", "media"]
    archive.change(
        list({m.id: m for m in (crowd(rng, rng.choice(kinds)) for _ in range(90))}.values())
    )
    other = GraphSettings(
        own_relations=False,
        group_neighbours=4,
        event_bridge=EventBridgeSettings(max_seconds=900, max_neighbours=3),
    )
    archive._settings = other
    memories = list(archive.memories.values())
    for first in range(0, len(memories), 7):
        archive.change(memories[first : first + 7])
    assert archive.stored.keys() == rebuilt(memories, other)


def test_nothing_changes_if_the_same_memories_come_again() -> None:
    archive = InMemory()
    memories = [turn("a", 0), turn("b", 1), turn("c", 2)]
    archive.change(memories)
    change = archive.change([turn("b", 1)])
    assert (change.add, change.remove) == ((), ())


def test_an_empty_change_asks_nothing() -> None:
    archive = InMemory()
    change = archive.change()
    assert (change.add, change.remove, dict(change.keys), archive.asked) == ((), (), {}, 0)


def test_edges_have_the_confidence_of_the_settings_and_a_fixed_order() -> None:
    graph = GraphSettings(schema_confidence=0.5)
    change = relate([turn("b", 1, round="r"), turn("a", 0, round="r")], [], Nothing(), graph)
    assert change.add == (
        Edge("a", "b", "consecutive_turn", 0.5),
        Edge("a", "b", "same_round", 0.5),
    )


def test_semantic_edges_are_left_alone() -> None:
    archive = InMemory()
    archive.change([turn("a", 0), turn("b", 1)])
    archive.stored["a", "b", "semantic"] = Edge("a", "b", "semantic", 0.7)
    change = archive.change([turn("b", 1, "elsewhere")])
    assert [edge.relation for edge in change.remove] == ["consecutive_turn"]


def test_a_memory_cannot_be_changed_and_gone_at_once() -> None:
    with pytest.raises(InvalidDataError, match="'a'"):
        relate([turn("a", 0)], [turn("a", 0)], Nothing(), NARROW)


def test_keys_are_short_and_printable_whatever_the_memory_holds() -> None:
    wild = "x:\0\n\ud800" * 500
    memory = Memory(
        wild,
        "email",
        f"Order number 302-1234567 for the flight on 2023-07-14 {wild}",
        source_id=wild,
        session=wild,
        round=wild,
        sequence=1,
        timestamp=START,
        references=(Reference("reply_to", wild), Reference("same_document", wild)),
        metadata={"subject": f"about {wild}"},
    )
    found = keys(memory, GraphSettings())
    assert {key.partition(":")[0] for key in found} == {
        "id", "session", "turns", "round", "ref", "occasion", "subject", "states", "sid", "wants",
        "doc", "thread", "begins",
    }  # fmt: skip
    assert all(key.isprintable() and len(key) < 150 for key in found)


def test_own_relations_leave_no_keys_when_they_are_off() -> None:
    memory = mail("a", references=(Reference("reply_to", "b"), Reference("same_document", "d")))
    prefixes = {k.partition(":")[0] for k in keys(memory, GraphSettings(own_relations=False))}
    assert prefixes == {"id"}


@pytest.mark.parametrize("sequence", [500, 1000])
def test_a_new_turn_does_not_read_a_long_session(sequence: int) -> None:
    archive = InMemory()
    archive.change([turn(f"{i:04}", i) for i in range(1000)])
    archive.fetched = 0
    change = archive.change([turn("new", sequence)])
    assert archive.fetched < 250
    assert len(change.add) == (2 if sequence == 500 else 1)


def test_a_mail_of_a_newsletter_reads_only_its_own_weeks() -> None:
    archive = InMemory()
    archive.change([mail(f"{i:04}", subject="News of the day", when=START + timedelta(days=i))
                    for i in range(1000)])  # fmt: skip
    archive.fetched = 0
    archive.change([mail("new", subject="News of the day", when=START + timedelta(days=500))])
    assert archive.fetched < 150


def large_session() -> list[Memory]:
    return [turn(f"{i:06}", i) for i in range(20_000)]


def large_round() -> list[Memory]:
    return [turn(f"{i:06}", None, round="r") for i in range(2_000)]


def large_subject() -> list[Memory]:
    return [mail(f"{i:06}", subject="Build failed", when=START + timedelta(minutes=i))
            for i in range(1_000)]  # fmt: skip


def large_reference() -> list[Memory]:
    return [mail(f"{i:06}", "Case number 00441288") for i in range(1_000)]


def burst() -> list[Memory]:
    return [photo(f"{i:06}", START + timedelta(seconds=i)) for i in range(2_000)]


def burst_from_a_plane() -> list[Memory]:
    return [photo(f"{i:06}", START + timedelta(seconds=i), 0, i / 400) for i in range(2_000)]


def thread() -> list[Memory]:
    answers = (Reference("reply_to", "<a>"),)
    return [mail("a"), *(mail(f"{i:06}", references=answers) for i in range(2_000))]


@pytest.mark.parametrize(
    "make",
    [large_session, large_round, large_subject, large_reference, burst, burst_from_a_plane, thread],
)
def test_large_groups_get_few_links_per_memory(make: Callable[[], list[Memory]]) -> None:
    memories = make()
    found = rebuilt(memories)  # all pairs would take minutes
    assert len(found) <= 8 * len(memories)
