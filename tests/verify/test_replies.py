"""What a model is told about its reply, word for word, and what is counted instead."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from graphmemix.llm.structured import FaultyReplyError
from graphmemix.settings import VerifierSettings
from graphmemix.verify.brief import Brief, make_brief
from graphmemix.verify.replies import read_edges, read_joint, read_nodes
from tests.verify.cases import ROWS, ecv, small_case

SCORES = {"C01": 5, "C02": 0, "C03": 3, "C04": 0}


def brief() -> Brief:
    return make_brief(small_case(), (), VerifierSettings())


def selected(*rows: dict[str, Any]) -> str:
    return json.dumps({"selected": list(rows)})


def nodes(text: str, *, repair: bool = False) -> tuple[dict[str, float], Counter[str]]:
    repairs = Counter[str]()
    return read_nodes(text, brief(), repair_unknown=repair, repairs=repairs), repairs


def edges(reply: Any, *, repair: bool = False) -> tuple[Any, Counter[str]]:
    repairs = Counter[str]()
    text = json.dumps(reply)
    found = read_edges(text, brief(), repair_unknown=repair, repairs=repairs, ceiling=0.99)
    return found, repairs


def joint(reply: Any, *, repair: bool = False) -> tuple[Any, Counter[str]]:
    repairs = Counter[str]()
    text = json.dumps(reply)
    return read_joint(text, brief(), repair_unknown=repair, repairs=repairs, ceiling=0.99), repairs


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([("C01", 5), ("C01", 4)], "selected: listed twice: C01"),
        ([("C01", 5.5)], "score of C01 is 5.5, not from 0 to 5"),
        ([("C01", -0.1)], "score of C01 is -0.1, not from 0 to 5"),
        ([("C99", 1)], "unknown ids: C99"),
        (
            [(f"X{i}", 1) for i in range(7)],
            "unknown ids: X0, X1, X2, X3, X4 and 2 more",
        ),
        ([(f"X{i}", 1) for i in range(5)], "unknown ids: X0, X1, X2, X3, X4"),
        ([("Y" * 50, 1)], f"unknown ids: {'Y' * 40}"),
    ],
)
def test_complaints_about_nodes(rows: list[tuple[str, float]], complaint: str) -> None:
    with pytest.raises(FaultyReplyError) as caught:
        nodes(selected(*({"id": label, "score": score} for label, score in rows)))
    assert str(caught.value) == complaint


@pytest.mark.parametrize(
    ("reply", "complaint"),
    [
        (
            ecv(C03={"role": "z" * 50}),
            (
                f"C03: there is no role '{'z' * 40}'; use new_fact, clarification, "
                "corroboration, redundant, conflict, irrelevant"
            ),
        ),
        (ecv(C03={"best_anchor_id": "C09"}), "C03: there is no anchor 'C09'"),
        (ecv(C03={"best_anchor_id": "w" * 50}), f"C03: there is no anchor '{'w' * 40}'"),
        (ecv(C03={"incremental_support": 6}), "incremental_support of C03 is 6, not from 0 to 5"),
        ({"candidates": ecv()["candidates"][:3]}, "candidates: missing C04"),
        ({"candidates": ecv()["candidates"] * 2}, "candidates: listed twice: C01, C02, C03, C04"),
    ],
)
def test_complaints_about_edges(reply: Any, complaint: str) -> None:
    with pytest.raises(FaultyReplyError) as caught:
        edges(reply)
    assert str(caught.value) == complaint


@pytest.mark.parametrize(
    ("reply", "complaint"),
    [
        ({"scores": {"C01": 1}, "increments": ROWS}, "scores: missing C02, C03, C04"),
        (
            {"scores": SCORES | {"C02": 9}, "increments": ROWS},
            "score of C02 is 9, not from 0 to 5",
        ),
        ({"scores": SCORES | {"C9": 1}, "increments": ROWS}, "unknown ids: C9"),
        ({"scores": SCORES}, "candidates: missing C01, C02, C03, C04"),
    ],
)
def test_complaints_about_both(reply: Any, complaint: str) -> None:
    with pytest.raises(FaultyReplyError) as caught:
        joint(reply)
    assert str(caught.value) == complaint


def test_the_limits_of_the_scale_are_scores() -> None:
    rows = ({"id": "C01", "score": 5}, {"id": "C02", "score": 0})
    assert nodes(selected(*rows)) == ({"m-a": 5, "m-b": 0}, Counter())


def test_unknown_ids_are_dropped_and_counted_where_that_is_allowed() -> None:
    rows = ({"id": "C01", "score": 5}, {"id": "X", "score": 1}, {"id": "Y", "score": 1})
    assert nodes(selected(*rows), repair=True) == ({"m-a": 5}, {"unknown_id": 2})


def test_keys_that_nobody_asked_for_are_counted_at_every_depth() -> None:
    row = {"id": "C01", "score": 5, "why": "a", "how": "b"}
    assert nodes(json.dumps({"selected": [row], "note": 1}))[1] == {"extra_key": 3}
    assert edges(ecv(C03={"why": "a"}))[1] == {"extra_key": 1}
    reply = {"scores": SCORES, "increments": ROWS | {"C03": ROWS["C03"] | {"why": "a"}}}
    assert joint(reply)[1] == {"extra_key": 1}


def test_a_rejected_reply_counts_no_repairs() -> None:
    repairs = Counter[str]()
    text = selected({"id": "C01", "score": 9, "why": "a"}, {"id": "X", "score": 1})
    with pytest.raises(FaultyReplyError):
        read_nodes(text, brief(), repair_unknown=True, repairs=repairs)
    assert not repairs


@pytest.mark.parametrize(
    ("change", "repair", "kept"),
    [
        ({"best_anchor_id": None}, "no_anchor", "irrelevant"),
        ({"best_anchor_id": "C02"}, "ineligible", "irrelevant"),
        ({"incremental_support": 0}, "role_score", "irrelevant"),
        ({"role": "redundant"}, "role_score", "redundant"),
    ],
)
def test_what_does_not_fit_together_is_cleared_and_counted(
    change: dict[str, Any], repair: str, kept: str
) -> None:
    found, repairs = edges(ecv(C03=change))
    third = found[2]
    assert (third.anchor_id, third.score, third.role, third.weight) == (None, 0.0, kept, 0.0)
    assert repairs == {repair: 1}


@pytest.mark.parametrize(
    ("change", "repair"),
    [({"role": "guess"}, "unknown_role"), ({"best_anchor_id": "C09"}, "unknown_anchor")],
)
def test_what_is_unknown_is_read_as_nothing_where_that_is_allowed(
    change: dict[str, Any], repair: str
) -> None:
    found, repairs = edges(ecv(C03=change), repair=True)
    assert (found[2].anchor_id, found[2].role) == (None, "irrelevant")
    assert repairs[repair] == 1


def test_a_link_weighs_its_share_of_the_ceiling() -> None:
    found, _ = edges(ecv())
    assert found[2].weight == pytest.approx(0.99 * 4 / 5)
    assert found[2].relations == ("consecutive_turn", "same_round")
    assert (found[0].anchor_id, found[0].role, found[0].weight) == ("m-b", "redundant", 0.0)


@pytest.mark.parametrize(
    ("change", "repair"),
    [
        ({"best_anchor_id": None, "role": "new_fact", "incremental_support": 0.5}, "no_anchor"),
        ({"best_anchor_id": "C02", "role": "conflict", "incremental_support": 1}, "role_score"),
        ({"role": "guess"}, "unknown_role"),
        ({"best_anchor_id": "C09"}, "unknown_anchor"),
    ],
)
def test_repairs_are_counted_row_by_row(change: dict[str, Any], repair: str) -> None:
    assert edges(ecv(C03=change, C04=change), repair=True)[1][repair] == 2


def test_ineligible_anchors_are_counted_row_by_row() -> None:
    wrong = {"best_anchor_id": "C01", "role": "new_fact", "incremental_support": 2}
    other = {"best_anchor_id": "C02", "role": "new_fact", "incremental_support": 2}
    assert edges(ecv(C03=other, C04=wrong))[1] == {"ineligible": 2}


def test_both_judgments_are_repaired_where_that_is_allowed() -> None:
    reply = {"scores": SCORES, "increments": ROWS | {"C03": ROWS["C03"] | {"role": "guess"}}}
    _, repairs = joint(reply, repair=True)
    assert repairs["unknown_role"] == 1
