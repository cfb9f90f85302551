from __future__ import annotations

from datetime import date

import pytest

from graphmemix.evidence import Block, Question
from graphmemix.read.parts import asked_for
from graphmemix.read.scoring import Evidence, Window


def evidence(question: str, *blocks: Block) -> Evidence:
    return Evidence(asked_for(Question(question), blocks), blocks)


def block(rank: int, text: str, date: str = "", speaker: str = "", place: str = "") -> Block:
    return Block(
        rank, f"m{rank}", f"m{rank}", ("text",), text, date, place, kind="note", speaker=speaker
    )


@pytest.mark.parametrize(
    ("shift", "day", "nearness"),
    [(0, 14, 1.0), (0, 13, 0.0), (-1, 13, 1.0), (-1, 10, 0.5), (-1, 15, 0.0), (-1, 1, 0.0),
     (1, 15, 1.0), (1, 17, 0.5), (1, 13, 0.0)],
)  # fmt: skip
def test_days_beside_an_event(shift: int, day: int, nearness: float) -> None:
    event, other = date(2023, 7, 14), date(2023, 7, day)
    assert Window(event, event, shift).nearness(other, other) == nearness


def test_names_are_words_with_a_capital_that_the_evidence_holds() -> None:
    blocks = (block(1, "Mia carries the fox"), block(2, "Children carry lanterns"))
    found = evidence("Which lantern did Mia carry to Bremen?", *blocks)
    assert found.names(found.asked.parts[0]) == {"mia"}


def test_in_german_only_who_is_known_is_a_name() -> None:
    found = evidence(
        "Wann hat Olga die Laterne gebaut?", block(1, "Die Laterne ist fertig", speaker="Olga")
    )
    assert found.names(found.asked.parts[0]) == {"olga"}


def test_what_is_about_a_time_counts_as_of_it() -> None:
    blocks = (
        block(1, "You stay from 10 to 17 July 2023.", "2023-02-07 12:00"),
        block(2, "It rains.", "2023-07-12 09:00"),
        block(3, "It snows.", "2023-12-12 09:00"),
        block(4, "No day is known."),
    )
    found = evidence("What did we do on 12 July 2023?", *blocks)
    assert [found.in_time(index) for index in range(4)] == [True, True, False, False]
    assert [found.is_too_late(index) for index in range(4)] == [False, False, True, False]


@pytest.mark.parametrize("line", ["Dear Anna,", "People: Mia, Noah", "Olga"])
def test_greetings_names_and_signatures_are_no_answers(line: str) -> None:
    found = evidence("Who?", block(1, f"The tomatoes are ripe.\n{line}"))
    assert [found.is_meta(index) for index in range(2)] == [False, True]


def test_the_order_of_the_evidence_counts_less_than_its_words() -> None:
    others = [block(rank, "The beans are ripe.") for rank in range(1, 10)]
    found = evidence("Who planted the tomatoes?", *others, block(10, "Ruth planted the tomatoes."))
    scores = found.scores(found.asked.parts[0])
    assert scores[:9] == sorted(scores[:9], reverse=True)
    assert 0 < scores[0] - scores[8] < 0.5
    assert scores[9] > scores[0] + 0.5


@pytest.mark.parametrize(
    ("one", "other", "joined"),
    [
        ("Order PB-77120 is on its way.", "You ordered a bag, see PB-77120.", True),
        ("The parcel is with Papierboot now.", "Greetings from Papierboot in Graz.", True),
        ("Order PB-77120 is on its way.", "You ordered a bag, see PB-88231.", False),
        ("The parcel is on its way.", "Please bring the parcel.", False),
        ("We saw the Parcel there.", "It is the Parcel again.", False),  # a word of the question
    ],
)
def test_memories_are_joined_by_names_and_numbers(one: str, other: str, joined: bool) -> None:
    found = evidence("Where is the parcel?", block(1, one), block(2, other), block(3, "Nothing."))
    assert found.are_joined(0, 1) is joined
    assert found.are_joined(1, 0) is joined
    assert found.are_joined(0, 0)


def test_a_name_that_most_memories_hold_joins_none() -> None:
    blocks = [block(rank, f"Greetings from Lena {rank}.") for rank in range(1, 6)]
    assert not evidence("Where is the parcel?", *blocks).are_joined(0, 1)
