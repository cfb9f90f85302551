from __future__ import annotations

import math
import random
import tempfile
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from graphmemix.errors import ArchiveDamagedError, InvalidDataError
from graphmemix.store import lexical
from graphmemix.store.lexical import LexicalIndex
from graphmemix.text.postings import pack
from tests.store.bm25 import ANIMALS, Document, Reference, append, ids, indexed, triples

real = LexicalIndex._matching
VOCABULARY = [f"t{number}" for number in range(8)]

documents = st.builds(
    Document,
    owner=st.integers(1, 6),
    kind=st.integers(0, 2),
    terms=st.dictionaries(st.sampled_from(VOCABULARY), st.sampled_from([1, 2, 3, 300, 70_000])),
    more=st.integers(0, 9),
)
collections = st.lists(documents, max_size=12).map(lambda found: dict(enumerate(found, 1)))
queries = st.sets(st.sampled_from([*VOCABULARY, "unknown"]))


# Scores


def test_a_score_worked_out_by_hand() -> None:
    index = indexed(
        {
            1: Document(1, 0, {"cat": 2, "dog": 1}, more=1),  # 4 tokens
            2: Document(2, 0, {"dog": 1}, more=1),  # 2 tokens
            3: Document(3, 0, {"fox": 3}),  # 3 tokens, the average
        }
    )
    found = index.search(["cat", "dog"])
    # cat is in 1 view of 3, dog in 2: ln(1 + 2.5/1.5) = 0.980829 and ln(1 + 1.5/2.5) = 0.470004.
    # View 1: norm 1.2 (0.25 + 0.75 * 4/3) = 1.5; 0.980829 * 2 * 2.2 / 3.5 + 0.470004 * 2.2 / 2.5.
    # View 2: norm 1.2 (0.25 + 0.75 * 2/3) = 0.9; 0.470004 * 2.2 / 1.9.
    assert found.view_ids.tolist() == [1, 2]
    assert found.scores.tolist() == pytest.approx([1.233042 + 0.413603, 0.544215], abs=1e-6)


def test_k1_and_b_are_parameters() -> None:
    index = LexicalIndex(k1=0, b=0)
    append(index, ANIMALS)
    assert index.search(["cat"]).scores.tolist() == pytest.approx([math.log(1 + 2.5 / 2.5)] * 2)


@pytest.mark.parametrize(("k1", "b"), [(-1, 0.5), (math.nan, 0.5), (1, 1.1), (math.inf, 0)])
def test_impossible_parameters_are_refused(k1: float, b: float) -> None:
    with pytest.raises(InvalidDataError):
        LexicalIndex(k1, b)


def test_repeats_in_a_query_do_not_count() -> None:
    index = indexed(ANIMALS)
    assert triples(index.search(["cat", "cat"])) == triples(index.search({"cat": 7}))


def test_kinds_choose_views_and_statistics() -> None:
    only = indexed({i: d for i, d in ANIMALS.items() if d.kind == 0})
    assert triples(indexed(ANIMALS).search(["cat", "fox"], kinds=[0])) == triples(
        only.search(["cat", "fox"])
    )


def test_no_kinds_match_nothing() -> None:
    assert triples(indexed(ANIMALS).search(["cat"], kinds=[])) == []


def test_allowed_owners_choose_views_but_not_statistics() -> None:
    index = indexed(ANIMALS)
    every = triples(index.search(["dog", "fox"]))
    assert triples(index.search(["dog", "fox"], allowed=ids(20, 30))) == every[1:]
    assert triples(index.search(["dog", "fox"], allowed=ids())) == []


def test_an_empty_index_finds_nothing() -> None:
    assert triples(LexicalIndex().search(["cat"])) == []
    assert triples(LexicalIndex().best(["cat"], 5)) == []


def test_views_without_length_are_harmless() -> None:
    index = LexicalIndex()
    index.append(ids(1), ids(1), ids(0), ids(0), [pack({"cat": 1})])
    assert np.isfinite(index.search(["cat"]).scores).all()


# The best


def test_the_best_view_speaks_for_its_owner() -> None:
    index = indexed(ANIMALS)
    one, other = index.search(["cat"]).scores.tolist()
    assert triples(index.best(["cat"], 5)) == [(2, 10, other)]
    assert one < other  # shorter


def test_the_lower_id_wins_among_equal_views_of_an_owner() -> None:
    index = indexed({i: Document(1, 0, {"cat": 1}) for i in (4, 5, 6)})
    assert index.best(["cat"], 1).view_ids.tolist() == [4]


def test_owners_that_tie_with_the_last_are_returned_too() -> None:
    same = {i: Document(10 - i, 0, {"cat": 1}) for i in range(1, 9)}
    found = indexed({**same, 9: Document(99, 0, {"cat": 2})}).best(["cat"], 2)
    assert found.owners.tolist() == [99, 2, 3, 4, 5, 6, 7, 8, 9]


def test_many_views_of_one_owner_do_not_hide_the_others() -> None:
    loud = {i: Document(1, 0, {"cat": 9}) for i in range(1, 200)}
    found = indexed({**loud, 200: Document(2, 0, {"cat": 1}, more=5)}).best(["cat"], 2)
    assert found.owners.tolist() == [1, 2]


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(InvalidDataError, match="limit"):
        indexed(ANIMALS).best(["cat"], 0)


# Changes


def test_highest_and_count() -> None:
    index = LexicalIndex()
    assert (index.highest, index.count) == (0, 0)
    append(index, ANIMALS)
    index.remove([5, 3, 3, 4, 77])
    assert (index.highest, index.count) == (5, 2)
    index.remove([3])
    assert index.count == 2


def test_a_removed_id_cannot_come_back() -> None:
    index = indexed(ANIMALS)
    index.remove([5])
    with pytest.raises(InvalidDataError, match="above 5"):
        append(index, {5: ANIMALS[5]})


@pytest.mark.parametrize(
    ("views", "kinds", "lengths"),
    [
        (ids(2, 2), ids(0, 0), ids(1, 1)),
        (ids(3, 2), ids(0, 0), ids(1, 1)),
        (ids(0, 1), ids(0, 0), ids(1, 1)),
        (ids(1, 2), ids(0, 256), ids(1, 1)),
        (ids(1, 2), ids(0, 0), ids(1, -1)),
        (ids(1, 2), ids(0, 0), ids(1)),
    ],
)
def test_impossible_views_are_refused_as_a_whole(
    views: NDArray[np.int64], kinds: NDArray[np.int64], lengths: NDArray[np.int64]
) -> None:
    index = LexicalIndex()
    with pytest.raises(InvalidDataError):
        index.append(views, ids(1, 1), kinds, lengths, [pack({"cat": 1})] * 2)
    assert (index.count, index.highest) == (0, 0)


def test_a_damaged_posting_is_reported_with_its_view() -> None:
    index = LexicalIndex()
    with pytest.raises(ArchiveDamagedError, match="view 9"):
        index.append(ids(8, 9), ids(1, 1), ids(0, 0), ids(1, 1), [pack({"cat": 1}), b"?"])
    assert (index.count, index.highest) == (0, 0)


@given(collections, st.sets(st.integers(1, 12)), queries, st.randoms(use_true_random=False))
def test_scores_do_not_depend_on_order_or_on_what_was_removed(
    collection: dict[int, Document], gone: set[int], query: set[str], rng: random.Random
) -> None:
    index = LexicalIndex()
    for i, document in collection.items():
        append(index, {i: document})
    index.remove(sorted(gone))
    left = {i: d for i, d in collection.items() if i not in gone}
    assert triples(index.search(query)) == triples(indexed(left).search(query))
    order = list(left)
    rng.shuffle(order)
    shuffled = indexed({new: left[old] for new, old in enumerate(order, 1)})
    scores = {order[i - 1]: score for i, _, score in triples(shuffled.search(query))}
    assert scores == {i: score for i, _, score in triples(index.search(query))}


Step = tuple[str, object]
steps: st.SearchStrategy[list[Step]] = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.lists(documents, max_size=4)),
        st.tuples(st.just("remove"), st.lists(st.integers(1, 15), max_size=4)),
        st.tuples(st.just("reload"), st.none()),
        st.tuples(st.just("search"), queries),
    ),
    max_size=12,
)


@settings(max_examples=2 * settings().max_examples)
@given(
    steps,
    queries,
    st.none() | st.sets(st.integers(0, 3)),
    st.none() | st.sets(st.integers(1, 6)),
    st.integers(1, 4),
    st.sampled_from([0, 2, 4096]),
)
def test_any_history_gives_what_the_definition_says(
    history: list[Step],
    query: set[str],
    kinds: set[int] | None,
    allowed: set[int] | None,
    limit: int,
    tail: int,
) -> None:
    index, reference, highest = LexicalIndex(), Reference(), 0
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.multiple(lexical, _TAIL_VIEWS=tail, _FILL_ENTRIES=10 * tail),
    ):
        for step, argument in [*history, ("search", query)]:
            if step == "append":
                assert isinstance(argument, list)
                added = dict(enumerate(argument, highest + 1))
                append(index, added)
                reference.live |= added
                highest += len(added)
            elif step == "remove":
                assert isinstance(argument, list)
                index.remove(argument)
                for i in argument:
                    reference.live.pop(i, None)
            elif step == "reload":
                index.save(Path(folder), "key")
                loaded = LexicalIndex.load(Path(folder), "key")
                assert loaded is not None
                index = loaded
            else:
                assert isinstance(argument, set)
                owners = None if allowed is None else ids(*allowed)
                codes = None if kinds is None else sorted(kinds)
                expected = reference.search(argument, kinds, allowed)
                found = index.search(argument, kinds=codes, allowed=owners)
                assert (
                    dict(zip(found.view_ids.tolist(), found.scores.tolist(), strict=True))
                    == expected
                )
                best = index.best(argument, limit, kinds=codes, allowed=owners)
                assert triples(best) == reference.best(expected, limit)
            assert (index.count, index.highest) == (len(reference.live), highest)


def test_a_large_index_agrees_before_and_after_the_merge() -> None:
    rng = np.random.default_rng(7)
    drawn = {
        i: Document(i // 3, i % 2, {f"t{t}": 1 + t % 3 for t in rng.zipf(1.3, 9) if t < 5000})
        for i in range(1, 5001)
    }
    index = indexed(drawn)
    index.remove(range(1, 5001, 7))
    assert len(index._tail_ends) == 5000
    before = [triples(index.search(["t1", "t2", "t900"], kinds=[1])) for _ in range(2)]
    assert len(index._tail_ends) == 0  # the search found it worth a merge
    reference = Reference({i: d for i, d in drawn.items() if (i - 1) % 7})
    expected = reference.search({"t1", "t2", "t900"}, {1})
    assert before[0] == before[1]
    assert {i: score for i, _, score in before[0]} == expected
    best = triples(index.best(["t1", "t2", "t900"], 10, kinds=[1]))
    assert best == reference.best(expected, 10)


def test_one_question_is_scored_once_however_often_it_is_asked() -> None:
    index = indexed(ANIMALS)
    with patch.object(LexicalIndex, "_matching", autospec=True, side_effect=real) as scored:
        best = index.best(["fox", "dog"], 2, kinds=[0])
        for allowed in (ids(10), ids(20, 30), ids(), ids(99)):
            found = index.search(["dog", "fox", "dog"], kinds=[0], allowed=allowed)
            assert set(found.owners.tolist()) == {10, 20, 30} & set(allowed.tolist())
        assert scored.call_count == 1
        index.search(["fox"], kinds=[0])
        index.search(["fox"], kinds=[1])
        index.remove([99])
        assert scored.call_count == 3
        index.remove([3])
        assert triples(index.best(["fox", "dog"], 2, kinds=[0])) != triples(best)
        assert scored.call_count == 4
        with pytest.raises(ValueError, match="read-only"):
            index.search(["fox", "dog"], kinds=[0]).scores[:] = 0
