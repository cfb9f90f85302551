from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmemix.evidence import Citation
from graphmemix.memory import Memory
from graphmemix.read import find_citations
from graphmemix.read.citations import cited_numbers
from tests.read.evidence import packet

FIVE = packet(*(Memory(f"m-{number}", "note", "x") for number in range(1, 6)))


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("It was Lisbon [1].", [1]),
        ("[1, 3]", [1, 3]),
        ("[1,3][2]", [1, 3, 2]),
        ("[1-3]", [1, 2, 3]),
        ("[1–3, 5]", [1, 2, 3, 5]),
        ("[1 to 3]", [1, 2, 3]),
        ("[1 and 3]", [1, 3]),
        ("[1; 2 & 4]", [1, 2, 4]),
        ("[1 2]", [1, 2]),
        ("[Memory 2]", [2]),
        ("[memories 2-4]", [2, 3, 4]),
        ("[Memory 2, Memory 4]", [2, 4]),
        ("[#2]", [2]),
        ("【2】", [2]),
        ("[ 2 ]", [2]),
        ("[3-1]", [3, 1]),
        ("[2024]", []),
        ("[a]", []),
        ("[]", []),
        ("1, 2 and 3", []),
        ("(1)", []),
        ("x[1", []),
        ("[1.5]", []),
        ("[-1]", []),
        ("[see 1]", []),
    ],
)
def test_citations_are_read_as_people_and_models_write_them(text: str, numbers: list[int]) -> None:
    assert list(cited_numbers(text)) == numbers


def test_citations_come_in_order_of_appearance_and_once() -> None:
    citations, unknown = find_citations("So [3]. And [1, 3], too [1].", FIVE)
    assert citations == (Citation("m-3"), Citation("m-1"))
    assert unknown == 0


def test_numbers_that_no_block_has_are_dropped_and_counted() -> None:
    citations, unknown = find_citations("Yes [2, 7] [0] [4-6].", FIVE)
    assert citations == (Citation("m-2"), Citation("m-4"), Citation("m-5"))
    assert unknown == 3


@given(st.lists(st.integers(1, 999), min_size=1, max_size=20))
def test_what_is_written_is_what_is_read(numbers: list[int]) -> None:
    assert list(cited_numbers(f"so [{', '.join(map(str, numbers))}].")) == numbers
    assert list(cited_numbers("".join(f" a [{number}]" for number in numbers))) == numbers


@given(st.integers(1, 999), st.integers(1, 999))
def test_a_range_holds_its_ends_and_what_lies_between(one: int, other: int) -> None:
    low, high = sorted((one, other))
    assert list(cited_numbers(f"[{low}-{high}]")) == list(range(low, high + 1))


@given(st.text("[]【】0123456789 ,-;memory#and\n", max_size=200))
def test_any_text_has_citations_of_this_packet_or_none(text: str) -> None:
    citations, unknown = find_citations(text, FIVE)
    ids = [citation.memory_id for citation in citations]
    assert len(ids) == len(set(ids))
    assert set(ids) <= {block.memory_id for block in FIVE.blocks}
    assert unknown >= 0


def test_a_hostile_text_takes_no_time() -> None:
    for text in ("[1" + ", 1" * 50_000, "[" * 100_000, "[1" + " " * 100_000, "[1-" * 50_000):
        assert find_citations(text, FIVE) == ((), 0)
