"""Every feature of the case by hand (see `local_cases`), worked out with a calculator."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from datetime import UTC, datetime
from math import exp, isnan, log, log2
from pathlib import Path

import numpy as np
import pytest

from graphmemix.errors import InvalidDataError
from graphmemix.evidence import Candidate, CandidateGraph, Edge, Question, Relation
from graphmemix.memory import Kind, Memory
from graphmemix.verify.feature_names import BESIDE, NODE, PAIR, SECOND, WHOLE
from graphmemix.verify.features import Features
from graphmemix.verify.protocol import make_case
from graphmemix.verify.subjects import SUBJECTS
from tests.verify.local_cases import (
    CANDIDATES,
    LEXICAL_WEIGHT,
    MEMORIES,
    SIGNALS,
    empty_case,
    hand_case,
    random_case,
)

NO = float("nan")
# Retrieval mass exp((fused - 0.7) / 0.05), of which these are shares.
POWERS = (1.0, exp(-4.0), exp(-2.2), exp(-8.0))
M = tuple(power / sum(POWERS) for power in POWERS)
# Words by rarity: two of four hold "hotel", two "lisbon", none "breakfast".
TWO_OF_FOUR, NONE_OF_FOUR = log(1 + 2.5 / 2.5), log(1 + 4.5 / 0.5)
SHARE = TWO_OF_FOUR / (2 * TWO_OF_FOUR + NONE_OF_FOUR)

BY_HAND: dict[str, tuple[float, ...]] = {
    "context_cosine": (0.48, 0.38, 0.41, 0.0),
    "words_cosine": (0.5, 0.4, 0.45, NO),  # a photo without words
    "looks_cosine": (0.0, 0.0, 0.0, 0.3),
    "word_share": (1.0, 0.5, 0.2, 0.0),
    "own_word_share": (1.0, 0.5, 0.25, 0.0),
    "log_bm25": (log(6), log(6), log(2), 0.0),
    "words_covered": (2 * SHARE, SHARE, SHARE, 0.0),
    "topics_shared": (0.5, 0.5, 0.0, 0.0),  # of lodging and food, a hotel
    "constraints": (0.0, 0.0, 0.1, 0.0),
    "below_best": (0.0, -0.2, -0.11, -0.4),
    "best_above_tenth": (0.4, 0.4, 0.4, 0.4),  # with fewer than ten, above the last
    "best_near": (-0.11, -0.11, 0.0, NO),
    "session_mass": (M[2], M[2], M[0] + M[1], NO),
    "semantic_support": (0.4 * M[3], 0.0, 0.0, 0.4 * M[0]),
    "like_the_best": (
        0.6 * M[1] + 0.8 * M[2],
        0.6 * M[0] + 0.96 * M[2] + 0.8 * M[3],
        0.8 * M[0] + 0.96 * M[1] + 0.6 * M[3],
        0.8 * M[1] + 0.6 * M[2],
    ),
    "context_like_the_best": (
        0.6 * M[2] / (M[2] + M[3]),
        0.6 * M[2] / (M[2] + M[3]),
        0.6 * (M[0] + M[1]) / (M[0] + M[1] + M[3]),
        0.0,
    ),
    "like_a_better_one": (0.0, 0.6, 0.6, 0.0),
    "better_in_session": (0.0, log(2), log(2), NO),
    "picture_for_picture": (0.0, 0.0, 0.0, 1.0),
    "in_exchange": (1.0, 1.0, 1.0, NO),
    "by_assistant": (0.0, 1.0, 0.0, NO),
    "log_length": (log(20 + 22), log(20 + 14), log(20 + 18), NO),
    "log_rank": (1.0, log2(3), 2.0, log2(5)),
    "seed": (1.0, 1.0, 1.0, 0.0),
    "log_word_rank": (0.0, log(2), log(3), log(4)),
    "inverse_word_rank": (1.0, 1 / 2, 1 / 3, 1 / 4),
    "log_cosine_rank": (0.0, log(3), log(2), log(4)),
    "inverse_cosine_rank": (1.0, 1 / 3, 1 / 2, 1 / 4),
    **dict.fromkeys(
        ("time_agrees", "place_agrees", "person_agrees", "medium_agrees", "all_agree"),
        (NO, NO, NO, NO),  # the question names nothing,
    ),
    "holds_asked": (NO, NO, NO, NO),  # does not say what it asks for,
    **dict.fromkeys(("best_within", "best_in_episode", "best_with_number"), (-0.6,) * 4),
    **dict.fromkeys(("asked_cosine", "event_cosine", "event_beside"), (NO,) * 4),  # and is one
    "is_mail": (0.0, 0.0, 0.0, 0.0),
    "is_message": (1.0, 1.0, 1.0, 0.0),
    "is_event": (0.0, 0.0, 0.0, 0.0),
    "is_picture": (0.0, 0.0, 0.0, 1.0),
    "is_bulk": (0.0, 0.0, 0.0, 0.0),
}


def features() -> Features:
    return Features(hand_case(), LEXICAL_WEIGHT)


def column(name: str, made: Features) -> list[float]:
    found: list[float] = made.nodes[:, list(NODE).index(name)].tolist()
    return found


def test_every_feature_has_a_value_by_hand() -> None:
    assert list(BY_HAND) == list(NODE)


@pytest.mark.parametrize("name", NODE)
def test_a_feature_of_a_candidate(name: str) -> None:
    assert column(name, features()) == pytest.approx(BY_HAND[name], abs=1e-6, nan_ok=True)


def test_features_of_a_candidate_beside_an_anchor() -> None:
    pairs, rows = features().pairs(np.array([0.5, 0.25, 0.75, 0.5]))
    assert pairs == [(0, 1), (1, 0), (1, 2), (2, 1)]  # whoever the schema relates
    by_hand: dict[str, tuple[float, ...]] = {
        "candidate_log_odds": (0.0, log(1 / 3), log(1 / 3), log(3)),
        "anchor_log_odds": (log(1 / 3), 0.0, log(3), log(1 / 3)),
        "same_exchange": (1.0, 1.0, 0.0, 0.0),
        "likeness": (0.6, 0.6, 0.96, 0.96),
        "context_likeness": (1.0, 1.0, 0.6, 0.6),
        "word_share_below_best": (0.0, -0.5, -0.5, -0.8),
        "after": (0.0, 1.0, 0.0, 1.0),
        "within": (0.0, 0.0, 0.0, 0.0),
        "same_episode": (0.0, 0.0, 0.0, 0.0),
        "same_number": (0.0, 0.0, 0.0, 0.0),
        "linked": (0.0, 0.0, 1.0, 1.0),
        "anchor_is_event": (NO, NO, NO, NO),
        "candidate_is_asked": (NO, NO, NO, NO),
    }
    assert list(by_hand) == list(PAIR)
    for place, name in enumerate(PAIR):
        found = rows[:, place].tolist()
        assert found == pytest.approx(by_hand[name], abs=1e-6, nan_ok=True), name


@pytest.mark.parametrize(("turns", "talk"), [(0, 0.0), (15, 0.0), (17, 0.5), (19, 1.0), (20, 1.0)])
def test_conversation_is_what_most_are_turns_of(turns: int, talk: float) -> None:
    memories = [
        Memory(f"m{i}", "message" if i < turns else "note", "word", session="s", sequence=i)
        for i in range(20)
    ]
    graph = CandidateGraph(tuple(Candidate(memory.id, 0.5, 0) for memory in memories))
    case = hand_case(graph=graph, memories={memory.id: memory for memory in memories})
    assert Features(case, LEXICAL_WEIGHT).talk == pytest.approx(talk)


def test_a_message_of_no_session_is_no_turn() -> None:
    loose = {memory.id: replace(memory, session=None, round=None) for memory in MEMORIES}
    assert Features(hand_case(memories=loose), LEXICAL_WEIGHT).talk == 0


def test_topics_of_the_question_that_a_candidate_tells_about() -> None:
    told = dict(
        zip(
            ("q1", "a1", "q2", "p"),
            ("Twin room, two nights.", "We refund 80.00.", "Two nights, refunded.", "A dog."),
            strict=True,
        )
    )
    memories = {memory.id: replace(memory, text=told[memory.id]) for memory in MEMORIES}
    asked = Question("Which hotels paid money back?")  # lodging, cost and refund
    made = Features(hand_case(memories=memories, question=asked), LEXICAL_WEIGHT)
    assert column("topics_shared", made) == pytest.approx([1 / 3, 1 / 3, 2 / 3, 0])
    nothing = Features(hand_case(question=Question("xyzzy")), LEXICAL_WEIGHT)
    assert column("topics_shared", nothing) == pytest.approx([NO] * 4, nan_ok=True)


def test_what_the_question_names_agrees_or_does_not() -> None:
    matches = np.array([[1, NO, 0.5, NO], [1, NO, 1, NO], [0, NO, 1, NO], [0.2, NO, 0, NO]])
    made = Features(hand_case(signals=replace(SIGNALS, matches=matches)), LEXICAL_WEIGHT)
    assert column("time_agrees", made) == [1, 1, 0, 0.2]
    assert column("person_agrees", made) == [0.5, 1, 1, 0]
    assert all(map(isnan, column("place_agrees", made)))
    assert column("all_agree", made) == [0, 1, 0, 0]


@pytest.mark.parametrize(
    ("times", "known"),
    [((0, 0.5, 0, 0), False), ((0, 1, 0, 0), True), ((NO, NO, NO, NO), True)],
)
def test_whether_anything_is_of_the_time_that_is_named(
    times: tuple[float, ...], known: bool
) -> None:
    matches = np.full((4, 4), NO)
    matches[:, 0] = times
    made = Features(hand_case(signals=replace(SIGNALS, matches=matches)), LEXICAL_WEIGHT)
    assert made.signals.time_is_known is known
    assert Features(empty_case(), LEXICAL_WEIGHT).signals.time_is_known


def test_what_holds_a_value_of_the_sort_that_is_asked_for() -> None:
    texts = {"q1": "It was 80 euros.", "a1": "It was cheap.", "q2": "80 rooms", "p": ""}
    memories = {memory.id: replace(memory, text=texts[memory.id]) for memory in MEMORIES}
    question = Question("How much was the hotel?")
    made = Features(hand_case(question=question, memories=memories), LEXICAL_WEIGHT)
    assert column("holds_asked", made) == [1, 0, 0, 0]


def linked_by(*edges: Edge) -> Features:
    case = hand_case()
    graph = replace(case.graph, edges=(*case.graph.edges, *edges))
    parts = np.array([[0.1, 0.9], [0.2, 0.3], [0.8, 0.1], [0.7, 0.2]])
    signals = replace(SIGNALS, parts=parts)
    return Features(replace(case, graph=graph, signals=signals), LEXICAL_WEIGHT)


@pytest.mark.parametrize(
    ("relation", "name"),
    [
        ("within", "best_within"),
        ("episode", "best_in_episode"),
        ("same_identifier", "best_with_number"),
    ],
)
def test_support_by_those_of_the_same_days_and_numbers(relation: Relation, name: str) -> None:
    made = linked_by(Edge("p", "q2", relation, 0.9))
    assert column(name, made) == pytest.approx([-0.6, -0.6, -0.4, -0.11])
    assert column("best_near", made) == pytest.approx(BY_HAND["best_near"], nan_ok=True)


@pytest.mark.parametrize(
    ("relation", "name"),
    [
        ("within", "within_support"),
        ("episode", "episode_support"),
        ("same_identifier", "number_support"),
        ("reply_to", "near_support"),
    ],
)
def test_the_likeliest_of_the_same_days_or_number_supports(relation: Relation, name: str) -> None:
    made = linked_by(Edge("p", "q2", relation, 0.9), Edge("p", "q1", relation, 0.9))
    rows = made.second_look(np.array([0.8, 0.5, 0.2, 0.1]))
    found = dict(zip(SECOND, rows.T.tolist(), strict=True))
    near = [0.2, 0.2, 0.8, 0.8] if name == "near_support" else [0.1, 0.0, 0.1, 0.8]
    assert found[name] == pytest.approx(near)


def test_days_of_a_likely_event_support() -> None:
    """The event is q1's with hardly a doubt; p lies in its days, the others do not."""
    made = linked_by(Edge("p", "q1", "within", 0.9))
    rows = made.second_look(np.full(4, 0.5))
    found = dict(zip(SECOND, rows.T.tolist(), strict=True))
    assert found["event_support"] == pytest.approx([1, 0, 0, 1], abs=1e-4)
    plain = features().second_look(np.full(4, 0.5))
    assert np.isnan(dict(zip(SECOND, plain.T, strict=True))["event_support"]).all()


def test_an_event_that_gives_the_time_is_looked_for_beside_a_candidate() -> None:
    made = linked_by(Edge("p", "q1", "within", 0.9), Edge("a1", "q2", "episode", 0.9))
    assert column("asked_cosine", made) == [0.1, 0.2, 0.8, 0.7]
    assert column("event_cosine", made) == [0.9, 0.3, 0.1, 0.2]
    assert column("event_beside", made) == [0.9, 0.3, 0.3, 0.9]


def test_pairs_by_days_and_numbers() -> None:
    made = linked_by(Edge("p", "q1", "within", 0.9), Edge("p", "q2", "same_identifier", 0.9))
    pairs, rows = made.pairs(np.full(4, 0.5))
    by_pair = {
        pair: dict(zip(PAIR, row, strict=True)) for pair, row in zip(pairs, rows, strict=True)
    }
    within, number = by_pair[3, 0], by_pair[2, 3]
    assert (within["within"], within["same_number"], within["linked"]) == (1, 0, 0)
    assert (number["within"], number["same_number"], number["linked"]) == (0, 1, 0)
    assert (within["anchor_is_event"], within["candidate_is_asked"]) == (0.9, 0.7)


def test_kinds_of_memories() -> None:
    kinds: dict[str, Kind] = {"q1": "email", "a1": "event", "q2": "video", "p": "email"}
    memories = {m.id: replace(m, kind=kinds[m.id]) for m in MEMORIES}
    signals = replace(SIGNALS, bulk=np.array([0.0, 0.0, 0.0, 1.0]))
    made = Features(hand_case(memories=memories, signals=signals), LEXICAL_WEIGHT)
    assert column("is_mail", made) == [1, 0, 0, 1]
    assert column("is_event", made) == [0, 1, 0, 0]
    assert column("is_picture", made) == [0, 0, 1, 0]
    assert column("is_message", made) == [0, 0, 0, 0]
    assert column("is_bulk", made) == [0, 0, 0, 1]


def test_one_comes_after_another_only_within_one_session() -> None:
    moved = [replace(memory, session=f"of {memory.id}") for memory in MEMORIES]
    graph = hand_case().graph
    case = make_case(Question("key"), graph, {m.id: m for m in moved}, 2, SIGNALS)
    _, rows = Features(case, LEXICAL_WEIGHT).pairs(np.full(4, 0.5))
    assert rows[:, list(PAIR).index("after")].tolist() == [0, 0, 0, 0]


def test_sureness_is_the_log_chance_that_the_best_exchanges_do_not_all_miss() -> None:
    found = features().sureness(np.array([0.5, 0.4, 0.2, 0.1]))  # 0.4 is the lesser half of 0.5
    assert found == pytest.approx(-log(0.5 * 0.8 * 0.9))
    assert features().sureness(np.zeros(4)) == 0
    assert features().sureness(np.array([1.0, 1.0, 0.0, 0.0])) == pytest.approx(log(1000))


def test_features_of_the_whole_question() -> None:
    row = features().whole(np.array([0.8, 0.5, 0.2, 0.1]))
    by_hand = {
        "best_log_odds": log(4),
        "log_expected": log(1.6),
        "best_words_covered": 2 * SHARE,
        "all_words_covered": 2 * SHARE,  # nobody knows of breakfast
        "best_cosine": 0.5,
        "cosine_short": 0.0,
        "best_bm25": log(6),
        "value_below_best": NO,
        "named_value_below_best": NO,
        "value_cosine_below_best": NO,
        "mass_with_value": NO,
        "mass_with_names": (0.8 + 0.2) / 1.6,
        "gives_event": 0.0,
        "gives_time": 0.0,
        "gives_medium": 0.0,
        "words_unknown": 1 / 3,
        "unknown_words": 1.0,
        "names_unknown": 0.0,
        "unknown_names": 0.0,
        "known_names": 1.0,
        # Of four texts two hold "hotel", two "lisbon", none "breakfast": ln(1 + 4 / (1 + count)).
        "words_unseen": log(5) / (2 * log(7 / 3) + log(5)),
        "covered_with_value": NO,
        "covered_near_value": NO,
        "names_near_value": NO,
        "asks_detail": 0.0,
        "asks_named_detail": 0.0,
        "asks_amount": 0.0,
        "asks_number": 0.0,
        "asks_person": 0.0,
        "asks_openly": 1.0,
        "asks_attribute": 0.0,
        **dict.fromkeys(SUBJECTS, NO),  # Lisbon says nothing
    }
    assert list(by_hand) == list(WHOLE)
    assert row.tolist()[0] == pytest.approx(list(by_hand.values()), nan_ok=True)


def test_a_second_look_sees_how_likely_the_candidates_around_are() -> None:
    rows = features().second_look(np.array([0.8, 0.5, 0.2, 0.1]))
    assert rows.shape == (4, len(SECOND))
    assert rows[:, : len(NODE)] == pytest.approx(features().nodes, nan_ok=True)
    found = dict(zip(SECOND, rows.T.tolist(), strict=True))
    assert found["first_log_odds"] == pytest.approx([log(4), 0, -log(4), -log(9)])
    assert found["first_rank"] == pytest.approx([0, log(2), log(3), log(4)])
    assert found["below_likeliest"] == pytest.approx([0, -log(4), -2 * log(4), -log(36)])
    assert found["likeliest"] == pytest.approx([log(4)] * 4)
    assert found["first_expected"] == pytest.approx([log(1.6)] * 4, abs=1e-5)
    # q1 and a1 are one exchange and do not support each other; q1 and p look alike (0.4).
    assert found["alike_support"][0] == pytest.approx(0.8 * 0.2)
    assert found["linked_support"] == pytest.approx([0.04, 0, 0, 0.32])


def test_a_second_look_counts_evidence_of_the_same_days_and_by_the_same_person() -> None:
    days = (1, 1, 2, None)
    people = ("Olga", None, "Olga", "Ruth")
    memories = {
        memory.id: replace(
            memory,
            speaker=who,
            timestamp=None if day is None else datetime(2023, 5, day, tzinfo=UTC),
        )
        for memory, day, who in zip(MEMORIES, days, people, strict=True)
    }
    made = Features(hand_case(memories=memories), LEXICAL_WEIGHT)
    rows = made.second_look(np.array([0.8, 0.5, 0.2, 0.1]))
    found = dict(zip(SECOND, rows.T.tolist(), strict=True))
    a_day_away = math.exp(-1 / 0.5)
    assert found["day_support"] == pytest.approx([0.2 * a_day_away] * 2 + [1.3 * a_day_away, 0])
    assert found["week_support"][0] == pytest.approx(0.2 * math.exp(-1 / 5))
    assert found["author_support"] == pytest.approx([0.2, 0, 0.8, 0])


def valued_case(question: str, *texts: str) -> Features:
    memories = {
        memory.id: replace(memory, text=text) for memory, text in zip(MEMORIES, texts, strict=True)
    }
    return Features(hand_case(question=Question(question), memories=memories), LEXICAL_WEIGHT)


def test_a_value_in_less_likely_evidence_is_told_by_how_much_less() -> None:
    texts = ("The boat of Olga", "It is red", "Olga paid 80 EUR for it", "")
    made = valued_case("How much did Olga pay for the boat?", *texts)
    row = dict(zip(WHOLE, made.whole(np.array([0.8, 0.5, 0.2, 0.1]))[0].tolist(), strict=True))
    assert row["value_below_best"] == pytest.approx(-2 * log(4))
    assert row["named_value_below_best"] == pytest.approx(-2 * log(4))
    assert row["value_cosine_below_best"] == pytest.approx(-0.05)
    assert row["mass_with_value"] == pytest.approx(0.2 / 1.6)
    assert row["mass_with_names"] == pytest.approx(1.0 / 1.6)
    assert row["unknown_names"] == 0
    unheld = valued_case("How much did Karim pay for the boat?", "The boat", "It", "is", "")
    row = dict(zip(WHOLE, unheld.whole(np.full(4, 0.5))[0].tolist(), strict=True))
    assert row["value_below_best"] == -5
    assert row["named_value_below_best"] == -5
    assert row["value_cosine_below_best"] == -0.5
    assert (row["names_unknown"], row["unknown_names"], row["known_names"]) == (1, 1, 0)


def test_the_half_of_an_exchange_that_is_likelier_overshadows_the_other() -> None:
    made = features()
    assert made.overshadowed(np.array([0.5, 0.6, 0.1, 0.9])).tolist() == [True, False, False, False]
    tied = made.overshadowed(np.array([0.5, 0.5, 0.5, 0.5]))
    assert tied.tolist() == [False, True, False, False]


def test_a_question_without_pictures_asks_for_none() -> None:
    made = Features(hand_case(question=Question("hotel")), LEXICAL_WEIGHT)
    assert column("picture_for_picture", made) == [0, 0, 0, 0]


def test_mails_are_not_measured_as_messages() -> None:
    mails = {memory.id: replace(memory, kind="email") for memory in MEMORIES}
    made = Features(hand_case(memories=mails), LEXICAL_WEIGHT)
    for name in ("in_exchange", "by_assistant", "log_length"):
        assert all(map(isnan, column(name, made))), name
    assert column("words_cosine", made)[:3] == [0.5, 0.4, 0.45]  # words they have


def test_a_schema_link_makes_memories_of_no_session_neighbours() -> None:
    case = hand_case()
    linked = replace(case.graph, edges=(*case.graph.edges, Edge("p", "q2", "same_record", 0.99)))
    near = column("best_near", Features(replace(case, graph=linked), LEXICAL_WEIGHT))
    assert near[3] == pytest.approx(-0.11)


def test_the_page_about_calibration_tells_every_feature_as_the_code_does() -> None:
    page = (Path(__file__).parents[2] / "docs" / "calibration.md").read_text("utf-8")
    tables = re.findall(r"\| feature \| what \|\n\|---\|---\|\n((?:\|.*\n)+)", page)
    told = [re.findall(r"^\| `(\w+)` \| (.*) \|$", table, re.MULTILINE) for table in tables]
    known = [NODE, BESIDE, PAIR, WHOLE]
    assert [dict(rows) for rows in told] == known
    assert [[name for name, _ in rows] for rows in told] == [[*each] for each in known]


def test_without_candidates_there_are_no_rows() -> None:
    made = Features(empty_case(), LEXICAL_WEIGHT)
    assert len(made) == 0
    assert made.nodes.shape == (0, len(NODE))
    assert made.pairs(np.zeros(0))[0] == []
    assert made.second_look(np.zeros(0)).shape == (0, len(SECOND))
    assert made.whole(np.zeros(0)).shape == (1, len(WHOLE))


COVERED = list(WHOLE).index("all_words_covered")


def covered(chances: np.ndarray, features: Features) -> float:
    return float(features.whole(chances)[0, COVERED])


def test_words_count_that_the_five_likeliest_hold_together() -> None:
    case = random_case(np.random.default_rng(1), [0], n=14)  # asked for word1 and word2
    features = Features(case, LEXICAL_WEIGHT)
    place = {candidate.memory_id: i for i, candidate in enumerate(case.candidates)}
    chances = np.full(14, 0.3)
    chances[[place["m1"], place["m2"]]] = 0.1
    neither = covered(chances, features)
    chances[place["m1"]] = 0.9
    one = covered(chances, features)
    chances[place["m2"]] = 0.8
    assert neither < one < covered(chances, features) == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(12))
def test_of_equally_likely_ones_the_first_retrieved_count(seed: int) -> None:
    case = random_case(np.random.default_rng(seed), [1, 2], n=60)
    features = Features(case, LEXICAL_WEIGHT)
    chances = np.random.default_rng(seed).choice([0.2, 0.4], 60)
    asked_for = [c.memory_id in {"m1", "m2"} for c in case.candidates]  # retrieved early
    chances[asked_for] = 0.4
    assert covered(chances, features) == covered(chances - np.linspace(0, 0.01, 60), features)


def shares(*bm25: float) -> list[float]:
    signals = replace(SIGNALS, own_bm25=np.array(bm25))
    rows = Features(hand_case(signals=signals), LEXICAL_WEIGHT).nodes
    found: list[float] = rows[:, list(NODE).index("own_word_share")].tolist()
    return found


def test_shares_of_scores_below_one_are_of_the_best_of_them() -> None:
    assert shares(0.4, 0.2, 0.1, 0.0) == pytest.approx([1.0, 0.5, 0.25, 0.0])


def test_where_no_word_is_found_no_share_is() -> None:
    assert shares(0.0, 0.0, 0.0, 0.0) == [0.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize(("chance", "expected"), [(0.1, 0.4), (0.0, 1e-6)])
def test_less_than_one_piece_of_evidence_can_be_expected(chance: float, expected: float) -> None:
    row = Features(hand_case(), LEXICAL_WEIGHT).whole(np.full(4, chance))[0]
    assert row[list(WHOLE).index("log_expected")] == pytest.approx(log(expected))


def test_sureness_is_of_the_five_likeliest_exchanges() -> None:
    case = random_case(np.random.default_rng(3), [0], n=14)
    features = Features(case, 0.2)
    chances = np.linspace(0.1, 0.9, 14)
    ahead = sorted(chances[~features.overshadowed(chances)], reverse=True)
    assert len(ahead) == 7
    expected = -sum(math.log(1 - chance) for chance in ahead[:5])
    assert features.sureness(chances) == pytest.approx(expected)


def test_a_case_without_signals_is_told_so() -> None:
    with pytest.raises(InvalidDataError) as caught:
        Features(hand_case(signals=None), 0.2)
    assert str(caught.value) == "case: the local verifier needs the signals of retrieval"


def test_without_links_there_is_no_row_of_pairs() -> None:
    features = Features(hand_case(graph=CandidateGraph(CANDIDATES)), 0.2)
    pairs, rows = features.pairs(np.full(4, 0.5))
    assert (pairs, rows.shape) == ([], (0, len(PAIR)))


@pytest.mark.parametrize(("kind", "holds_it"), [("event", True), ("photo", True), ("note", False)])
def test_an_entry_or_a_picture_holds_its_day_for_the_chance_of_an_answer(
    kind: Kind, holds_it: bool
) -> None:
    made = datetime(2023, 7, 20, 8, tzinfo=UTC)
    harvest = Memory("p", kind, "Harvest of the quinces", timestamp=made)
    memories = {**{memory.id: memory for memory in MEMORIES}, "p": harvest}
    case = hand_case(memories=memories, question=Question("When was the harvest of the quinces?"))
    row = Features(case, LEXICAL_WEIGHT).whole(np.array([0.2, 0.1, 0.1, 0.6]))[0]
    found = dict(zip(WHOLE, row.tolist(), strict=True))
    assert found["value_below_best"] == (0.0 if holds_it else -5.0)
    assert found["covered_near_value"] == (1.0 if holds_it else 0.0)
