"""`same_round`, `consecutive_turn`, `same_document`, `reply_to`, `attachment_of`."""

from __future__ import annotations

from itertools import combinations

import pytest

from graphmemix.memory import Memory, Reference
from graphmemix.settings import GraphSettings
from tests.relate.archive import InMemory, at, linked, mail, rebuilt, turn

OFF = GraphSettings(own_relations=False)


def part(name: str, sequence: int | None, *documents: str, source: str = "files") -> Memory:
    references = tuple(Reference("same_document", document) for document in documents)
    return Memory(name, "document", source=source, sequence=sequence, references=references)


# same_round


def test_memories_of_one_round_are_linked_pairwise() -> None:
    memories = [turn("a", 0, round="1"), turn("b", 1, round="1"), turn("c", 2, round="1")]
    assert linked("same_round", memories) == {("a", "b"), ("a", "c"), ("b", "c")}


@pytest.mark.parametrize(
    "other",
    [
        turn("b", 1, round="2"),
        turn("b", 1, "t", round="1"),
        turn("b", 1, None, round="1"),
        turn("b", 1),
        turn("b", 1, "s:1", round=""),
    ],
)
def test_another_round_or_session_is_not_linked(other: Memory) -> None:
    assert linked("same_round", [turn("a", 0, round="1"), other]) == set()


def test_session_and_round_do_not_run_into_each_other() -> None:
    memories = [turn("a", None, "s:1", round="2"), turn("b", None, "s", round="1:2")]
    assert linked("same_round", memories) == set()


def test_a_large_round_is_linked_in_a_band() -> None:
    members = [turn(f"{i:02}", i, round="1") for i in range(20)]
    small, large = linked("same_round", members[:9]), linked("same_round", members)
    assert small == set(combinations([m.id for m in members[:9]], 2))
    assert large == {(one, other) for one, other in combinations([m.id for m in members], 2)
                     if int(other) - int(one) <= 8}  # fmt: skip


def test_a_band_follows_sequence_then_time_then_id() -> None:
    settings = GraphSettings(group_neighbours=1)
    memories = [
        turn("d", 1, round="1"),
        turn("c", 2, round="1", timestamp=at("2023-07-14T11:00")),
        turn("a", 2, round="1", timestamp=at("2023-07-14T12:00")),
        turn("b", None, round="1", timestamp=at("2023-07-14T10:00")),
        turn("e", None, round="1"),
    ]
    assert linked("same_round", memories, settings) == {
        ("c", "d"), ("a", "c"), ("a", "b"), ("b", "e"),
    }  # fmt: skip


# consecutive_turn


def test_neighbouring_positions_are_linked_across_gaps_in_the_numbering() -> None:
    memories = [turn("a", -5), turn("b", 0), turn("c", 7), turn("d", 10_000)]
    assert linked("consecutive_turn", memories) == {("a", "b"), ("b", "c"), ("c", "d")}


def test_turns_at_one_position_follow_each_other_by_id() -> None:
    memories = [turn("d", 1), turn("c", 2), turn("b", 2), turn("a", 3)]
    assert linked("consecutive_turn", memories) == {("b", "d"), ("b", "c"), ("a", "c")}


def test_sessions_do_not_mix_and_a_turn_needs_session_and_position() -> None:
    memories = [turn("a", 0), turn("b", 1, "t"), turn("c", None), turn("d", 2, None), turn("e", 2)]
    assert linked("consecutive_turn", memories) == {("a", "e")}


def test_a_turn_between_two_others_takes_their_link() -> None:
    archive = InMemory()
    archive.change([turn("a", 0), turn("c", 2)])
    change = archive.change([turn("b", 1)])
    assert [(e.source, e.target) for e in change.add] == [("a", "b"), ("b", "c")]
    assert [(e.source, e.target) for e in change.remove] == [("a", "c")]
    back = archive.change(gone=["b"])
    assert [(e.source, e.target) for e in back.add] == [("a", "c")]


def test_a_chain_whose_links_were_lost_is_mended_when_its_turns_come_again() -> None:
    archive = InMemory()
    turns = [turn("a", 10), turn("b", 12), turn("c", 1000), turn("d", 1001)]
    archive.change(turns)
    archive.stored.clear()
    for each in turns:
        archive.change([each])
    assert archive.stored.keys() == rebuilt(turns)


# same_document


def test_neighbouring_parts_of_a_document_are_linked() -> None:
    parts = [part("a", 3, "report"), part("b", 1, "report"), part("c", 7, "report")]
    assert linked("same_document", parts) == {("a", "b"), ("a", "c")}


def test_other_documents_other_sources_and_unnumbered_parts_are_not_linked() -> None:
    parts = [part("a", 1, "report"), part("b", 2, "letter"), part("c", None, "report"),
             part("d", 2, "report", source="mail"), part("e", 2)]  # fmt: skip
    assert linked("same_document", parts) == set()


def test_parts_of_two_documents_keep_a_link_while_one_of_them_gives_it() -> None:
    archive = InMemory()
    archive.change([part("a", 1, "x", "y"), part("c", 3, "x", "y")])
    change = archive.change([part("b", 2, "x")])
    assert {(e.source, e.target) for e in change.add} == {("a", "b"), ("b", "c")}
    assert change.remove == ()
    change = archive.change([part("b", 2, "x", "y")])
    assert [(e.source, e.target) for e in change.remove] == [("a", "c")]


# reply_to, attachment_of


@pytest.mark.parametrize("relation", ["reply_to", "attachment_of"])
def test_a_reference_links_both_ends_whichever_comes_first(relation: str) -> None:
    first = mail("a")
    second = mail("b", references=(Reference(relation, "<a>"),))  # type: ignore[arg-type]
    for order in ([first, second], [second, first]):
        archive = InMemory()
        for memory in order:
            archive.change([memory])
        assert [e.relation for e in archive.stored.values()] == [relation]


def test_a_reference_to_nobody_oneself_or_another_source_links_nothing() -> None:
    memories = [
        mail("a", references=(Reference("reply_to", "<a>"), Reference("reply_to", "<gone>"))),
        Memory("b", "message", source="chat", references=(Reference("reply_to", "<a>"),)),
        Memory("c", "email", source="mail", references=(Reference("reply_to", ""),)),
        Memory("d", "email", source="mail"),
    ]
    assert rebuilt(memories) == set()


def test_relations_of_our_own_can_be_switched_off() -> None:
    memories = [
        mail("a"),
        mail("b", references=(Reference("reply_to", "<a>"), Reference("attachment_of", "<a>"))),
        part("c", 1, "d"),
        part("d", 2, "d"),
    ]
    assert {name for *_, name in rebuilt(memories)} == {
        "reply_to",
        "attachment_of",
        "same_document",
    }
    assert rebuilt(memories, OFF) == set()


def test_an_id_that_many_share_leads_to_the_earliest_few() -> None:
    settings = GraphSettings(group_neighbours=2)
    same = [Memory(name, "email", source_id="x", timestamp=at(f"2023-07-{14 + i}"))
            for i, name in enumerate("cab")]  # fmt: skip
    answer = Memory("z", "email", references=(Reference("reply_to", "x"),))
    assert linked("reply_to", [*same, answer], settings) == {("c", "z"), ("a", "z")}
