from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from graphmemix.encode.exchange import Around, companions, exchange_keys, keys_around
from graphmemix.memory import Memory, Reference

NOON = datetime(2023, 7, 14, 12, tzinfo=UTC)


def turn(
    memory_id: str,
    sequence: int | None = None,
    round_id: str | None = None,
    session: str | None = "s",
) -> Memory:
    return Memory(
        memory_id, "message", memory_id, session=session, round=round_id, sequence=sequence
    )


def mail(memory_id: str, answers: str | None = None) -> Memory:
    references = () if answers is None else (Reference("reply_to", answers),)
    return Memory(memory_id, "email", memory_id, source_id=f"<{memory_id}>", references=references)


def shot(memory_id: str, seconds: float) -> Memory:
    return Memory(memory_id, "photo", timestamp=NOON + timedelta(seconds=seconds))


def names(memory: Memory, *around: Memory) -> list[str]:
    return [other.id for other in companions(memory, around)]


def test_a_round_belongs_together_in_order() -> None:
    first, second, third = turn("z", 0, "1"), turn("y", 1, "1"), turn("x", 2, "1")
    assert names(second, third, second, first) == ["z", "x"]


def test_other_rounds_and_other_sessions_do_not() -> None:
    assert names(turn("a", 0, "1"), turn("b", 1, "2"), turn("c", 1, "1", session="t")) == []


def test_a_round_without_a_session_is_nobodys() -> None:
    one = turn("a", 0, "1", session=None)
    assert names(one, turn("b", 1, "1", session=None)) == []


def test_a_turn_without_a_round_is_read_with_the_turn_before_it_only() -> None:
    before, here, behind = turn("a", 0), turn("b", 1), turn("c", 2)
    assert names(here, before, here, behind) == ["a"]
    assert names(before, here, behind) == []


def test_a_turn_with_a_round_is_no_companion_of_one_without() -> None:
    assert names(turn("b", 1), turn("a", 0, "1")) == []


def test_a_mail_is_read_with_the_mail_that_it_answers_not_with_its_answers() -> None:
    question, answer = mail("q"), mail("r", answers="<q>")
    assert names(answer, question) == ["q"]
    assert names(question, answer) == []


def test_photos_less_than_a_minute_apart_are_a_burst() -> None:
    assert names(shot("a", 0), shot("b", 59), shot("c", 60), shot("d", -59)) == ["b", "d"]


def test_a_photo_is_no_burst_with_a_message_of_the_same_minute() -> None:
    message = Memory("m", "message", timestamp=NOON)
    assert names(shot("a", 0), message) == []
    assert names(message, shot("a", 0)) == []


def test_nobody_is_a_companion_of_themself() -> None:
    one = turn("a", 0, "1")
    assert names(one, one) == []


MEMORIES = st.builds(
    Memory,
    st.sampled_from([f"m{i}" for i in range(6)]),
    st.sampled_from(["message", "email", "photo"]),
    source_id=st.sampled_from(["", "x", "y"]),
    session=st.sampled_from([None, "s", "s:1"]),
    round=st.sampled_from([None, "1", "1:2"]),
    sequence=st.sampled_from([None, -1, 0, 1, 2]),
    timestamp=st.sampled_from([None, -1, 0, 30, 59, 60, 61, 119]).map(
        lambda s: None if s is None else NOON + timedelta(seconds=s)
    ),
    references=st.sampled_from([(), (Reference("reply_to", "x"),), (Reference("reply_to", "y"),)]),
)


@given(one=MEMORIES, other=MEMORIES)
def test_keys_find_every_companion_from_both_sides(one: Memory, other: Memory) -> None:
    if companions(one, [other]):
        assert keys_around(one) & exchange_keys(other)
        assert keys_around(other) & exchange_keys(one)


def test_what_is_found_by_keys_holds_all_companions() -> None:
    start = datetime(2024, 1, 1, tzinfo=UTC)
    memories = [
        *(Memory(f"t{i}", "message", "x", session="s", sequence=i) for i in range(6)),
        *(
            Memory(f"r{i}", "message", "x", session="s", round=f"r{i // 3}", sequence=i)
            for i in range(6)
        ),
        *(
            Memory(f"p{i}", "photo", "", timestamp=start + timedelta(seconds=31 * i))
            for i in range(6)
        ),
        Memory("m0", "email", "x", source_id="one"),
        Memory("m1", "email", "x", source_id="two", references=(Reference("reply_to", "one"),)),
        Memory("n", "note", "x"),
    ]
    around = Around(memories)
    for memory in memories:
        assert companions(memory, around.of(memory)) == companions(memory, memories)
        assert len({other.id for other in around.of(memory)}) == len(around.of(memory))
    assert [other.id for other in companions(memories[-2], around.of(memories[-2]))] == ["m0"]
