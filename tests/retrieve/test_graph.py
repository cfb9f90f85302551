"""The candidate graph on worked examples (METHOD section 2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from graphmemix.evidence import CandidateGraph, Edge, Provenance, Relation
from graphmemix.memory import Memory, View
from graphmemix.retrieve.constraints import Constraints
from graphmemix.retrieve.graph import candidate_graph
from graphmemix.retrieve.prior import Prior
from graphmemix.retrieve.question import EncodedQuestion
from graphmemix.settings import Settings
from graphmemix.store import open_store
from graphmemix.store.protocol import Derived, Filter, Store

ENCODER = "worked/2"
NOON = datetime(2023, 7, 14, 12, tzinfo=UTC)


def at_cosine(cosine: float) -> NDArray[np.float32]:
    """The unit vector with this cosine to the question, which is (1, 0)."""
    return np.array([cosine, np.sqrt(1 - cosine * cosine)], dtype=np.float32)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "archive") as store:
        yield store


def put(
    store: Store, cosines: dict[str, float], *edges: Edge, when: datetime | None = None
) -> None:
    """Store memories with these cosines to the question, and edges among them."""
    from graphmemix.store.protocol import Entry

    store.add(Entry(Memory(i, "note", f"words of {i}", timestamp=when)) for i in cosines)
    store.put_derived(
        {
            i: Derived((View(i, "text", 0, f"words of {i}"),), (at_cosine(cosine),), ENCODER)
            for i, cosine in cosines.items()
        },
        edges,
    )


def schema(a: str, b: str, relation: Relation = "same_round") -> Edge:
    return Edge(min(a, b), max(a, b), relation, 0.99)


def semantic(a: str, b: str, cosine: float) -> Edge:
    return Edge(min(a, b), max(a, b), "semantic", cosine)


def asked(store: Store, filter: Filter | None = None, **overrides: object) -> CandidateGraph:
    chosen: dict[str, object] = {"retrieval.mode": "dense"}
    chosen |= {key.replace("__", "."): value for key, value in overrides.items()}
    settings = Settings.load(environment={"HOME": "/nonexistent"}, overrides=chosen)
    question = EncodedQuestion(at_cosine(1.0)[None], "", Constraints())
    prior = Prior(store, question, ENCODER, settings.retrieval, ("text",), filter)
    return candidate_graph(prior, store, settings, filter)


def ids(graph: CandidateGraph) -> list[str]:
    return [candidate.memory_id for candidate in graph.candidates]


def scores(graph: CandidateGraph) -> list[float]:
    return [round(candidate.score, 4) for candidate in graph.candidates]


FOUR = {"a": 0.9, "b": 0.8, "c": 0.3, "d": 0.2, "e": 0.1}


def test_seeds_come_first_in_retrieval_order(store: Store) -> None:
    put(store, FOUR, schema("a", "e"))
    graph = asked(store, retrieval__seeds=3)
    assert ids(graph) == ["a", "b", "c", "e"]
    assert [candidate.seed_rank for candidate in graph.candidates] == [0, 1, 2, None]


def test_of_equal_scores_the_lower_id_is_first(store: Store) -> None:
    put(store, {"c": 0.5, "a": 0.5, "b": 0.5})
    assert ids(asked(store)) == ["a", "b", "c"]


def test_expanded_ones_rank_by_confidence_then_by_seed_then_by_id(store: Store) -> None:
    put(
        store,
        {"s1": 0.9, "s2": 0.8, "a": 0.1, "b": 0.1, "c": 0.1, "d": 0.1, "e": 0.1},
        semantic("s1", "a", 0.7),
        schema("s2", "b"),
        schema("s1", "d"),
        schema("s1", "c"),
        semantic("s2", "e", 0.8),
    )
    assert ids(asked(store, retrieval__seeds=2)) == ["s1", "s2", "c", "d", "b", "e", "a"]


def test_at_most_m_are_kept(store: Store) -> None:
    put(store, FOUR, schema("a", "e"), schema("a", "d"), schema("b", "c"))
    assert ids(asked(store, retrieval__seeds=2, graph__candidates=3)) == ["a", "b", "d"]
    assert ids(asked(store, retrieval__seeds=3, graph__candidates=2)) == ["a", "b"]


@pytest.mark.parametrize(
    ("hops", "expected"), [(0, ["a"]), (1, ["a", "b"]), (2, ["a", "b", "c"]), (9, list("abcd"))]
)
def test_expansion_goes_as_many_hops_as_set(store: Store, hops: int, expected: list[str]) -> None:
    put(store, FOUR, semantic("a", "b", 0.5), schema("b", "c"), schema("c", "d"), schema("b", "a"))
    assert ids(asked(store, retrieval__seeds=1, graph__hops=hops)) == expected


def test_nearer_hops_rank_before_farther_ones(store: Store) -> None:
    put(store, FOUR, semantic("a", "b", 0.2), schema("b", "c"))
    assert ids(asked(store, retrieval__seeds=1, graph__hops=2)) == ["a", "b", "c"]


def test_each_expanded_candidate_tells_all_that_reached_it_best_first(store: Store) -> None:
    put(
        store,
        FOUR,
        semantic("b", "e", 0.5),
        schema("b", "e", "consecutive_turn"),
        schema("a", "e", "same_round"),
        schema("a", "e", "consecutive_turn"),
    )
    candidate = asked(store, retrieval__seeds=2).candidates[2]
    assert candidate.memory_id == "e"
    assert candidate.via == (
        Provenance("a", "consecutive_turn", 0.99),
        Provenance("a", "same_round", 0.99),
        Provenance("b", "consecutive_turn", 0.99),
        Provenance("b", "semantic", 0.5),
    )


def test_on_the_second_hop_the_seed_that_started_is_told(store: Store) -> None:
    put(store, FOUR, schema("a", "d"), semantic("d", "e", 0.6))
    graph = asked(store, retrieval__seeds=1, graph__hops=2)
    assert [c.via[0].seed_id for c in graph.candidates[1:]] == ["a", "a"]
    assert graph.candidates[2].via[0].relation == "semantic"


def test_seeds_have_no_provenance(store: Store) -> None:
    put(store, FOUR, schema("a", "b"))
    assert all(candidate.via == () for candidate in asked(store).candidates)


# Scores of what was not retrieved


def test_by_default_an_expanded_candidate_has_its_true_score(store: Store) -> None:
    put(store, FOUR, schema("a", "e"))
    graph = asked(store, retrieval__seeds=1, retrieval__retrieved=2)
    assert list(zip(ids(graph), scores(graph), strict=True)) == [("a", 0.9), ("e", 0.1)]


def test_in_the_published_profile_it_has_the_floor(store: Store) -> None:
    put(store, FOUR, schema("a", "e"), schema("a", "b"))
    graph = asked(store, profile="paper", retrieval__seeds=1, retrieval__retrieved=3)
    assert ids(graph) == ["a", "b", "e"]
    assert scores(graph) == [0.9, 0.8, 0.29]  # b was retrieved; the worst retrieved has 0.3
    assert graph.candidates[2].dense == pytest.approx(0.1, abs=1e-6)


def test_a_memory_without_a_vector_is_reached_with_the_lowest_cosine(store: Store) -> None:
    put(store, {"a": 0.9})
    from graphmemix.store.protocol import Entry

    store.add([Entry(Memory("x", "note"))], [schema("a", "x")])
    assert scores(asked(store)) == [0.9, -1.0]


# Which relations count


@pytest.mark.parametrize("relation", ["reply_to", "attachment_of", "same_document"])
def test_our_own_relations_expand_by_default_but_not_in_the_published_profile(
    store: Store, relation: Relation
) -> None:
    put(store, FOUR, schema("a", "e", relation))
    assert ids(asked(store, retrieval__seeds=1)) == ["a", "e"]
    assert ids(asked(store, profile="paper", retrieval__seeds=1)) == ["a"]


def test_the_published_profile_lists_none_of_our_own_edges(store: Store) -> None:
    put(store, FOUR, schema("a", "b", "reply_to"), schema("a", "b", "same_round"))
    assert asked(store, profile="paper").edges == (schema("a", "b", "same_round"),)


def test_edges_are_those_among_candidates(store: Store) -> None:
    edges = [schema("a", "b"), semantic("b", "e", 0.5), schema("c", "d")]
    put(store, FOUR, *edges)
    graph = asked(store, retrieval__seeds=2, graph__hops=0)
    assert graph.edges == (schema("a", "b"),)
    assert {(e.source, e.target) for e in asked(store, retrieval__seeds=2).edges} == {
        ("a", "b"),
        ("b", "e"),
    }


# Filters


def test_what_came_later_is_hidden_from_seeds_and_from_expansion(store: Store) -> None:
    put(store, {"a": 0.9, "u": 0.1}, when=NOON)
    put(store, {"z": 0.95, "y": 0.2}, when=NOON.replace(hour=14))
    put(store, {"n": 0.05})
    store.change_edges(add=[schema("a", "y"), schema("y", "u"), schema("a", "n")])
    hidden = Filter(as_of=NOON.replace(hour=13))
    edges_alone = {"retrieval__seeds": 1, "graph__hops": 2, "graph__reach__on": False}
    graph = asked(store, hidden, **edges_alone)
    assert ids(graph) == ["a", "n"]  # nothing is reached through what is hidden either
    assert set(ids(asked(store, retrieval__seeds=2, graph__hops=2))) == {"z", "a", "y", "u", "n"}


# Pictures that show the same


def looking(store: Store, looks: dict[str, str]) -> None:
    store.put_derived({}, keys={i: [f"look:{look}"] for i, look in looks.items()})


def passed(graph: CandidateGraph) -> Sequence[tuple[str, str]]:
    return graph.duplicates


def test_pictures_that_show_the_same_as_a_better_one_are_passed_over_as_seeds(
    store: Store,
) -> None:
    put(store, FOUR)
    looking(store, {"a": "00ff00ff00ff00ff", "b": "00ff00ff00ff00f0", "c": "ff00ff00ff00ff00"})
    graph = asked(store, retrieval__seeds=3)
    assert ids(graph) == ["a", "c", "d"]
    assert passed(graph) == (("b", "a"),)


def test_many_that_show_the_same_leave_all_places_to_others(store: Store) -> None:
    put(store, {f"c{i:02}": 0.9 - i / 100 for i in range(20)} | {"x": 0.3, "y": 0.2, "z": 0.1})
    looking(store, {f"c{i:02}": "00ff00ff00ff00ff" for i in range(20)})
    graph = asked(store, retrieval__seeds=3)
    assert ids(graph) == ["c00", "x", "y"]
    assert [copy for copy, _ in passed(graph)] == [f"c{i:02}" for i in range(1, 20)]


def test_no_more_are_looked_at_than_retrieval_returns(store: Store) -> None:
    put(store, {f"c{i:02}": 0.9 - i / 100 for i in range(20)} | {"x": 0.3})
    looking(store, {f"c{i:02}": "00ff00ff00ff00ff" for i in range(20)})
    assert ids(asked(store, retrieval__seeds=3, retrieval__retrieved=10)) == ["c00"]


def test_what_was_passed_over_can_still_be_reached(store: Store) -> None:
    put(store, FOUR, schema("a", "b"))
    looking(store, {"a": "00ff00ff00ff00ff", "b": "00ff00ff00ff00ff"})
    graph = asked(store, retrieval__seeds=1)
    assert ids(graph) == ["a", "b"]
    assert graph.candidates[1].seed_rank is None


def test_passing_over_can_be_switched_off(store: Store) -> None:
    put(store, FOUR)
    looking(store, {"a": "00ff00ff00ff00ff", "b": "00ff00ff00ff00ff"})
    assert ids(asked(store, retrieval__duplicate_bits=0)) == list("abcde")


def test_the_published_seeds_are_the_best_by_score_whatever_they_show(store: Store) -> None:
    put(store, FOUR)
    looking(store, {"a": "00ff00ff00ff00ff", "b": "00ff00ff00ff00ff"})
    assert ids(asked(store, profile="paper", retrieval__seeds=2)) == ["a", "b"]


def test_the_hybrid_score_is_told_as_a_calibrated_chance_and_the_dense_one_is_not(
    store: Store,
) -> None:
    put(store, {"a": 0.9, "b": 0.5})
    hybrid = asked(
        store,
        retrieval__mode="hybrid",
        retrieval__chance_slope=2.0,
        retrieval__chance_offset=-1.0,
    )
    # The logistic function of 2 times the score less 1.
    assert [round(c.chance or 0, 4) for c in hybrid.candidates] == [0.69, 0.5]
    assert [c.chance for c in asked(store).candidates] == [None, None]
