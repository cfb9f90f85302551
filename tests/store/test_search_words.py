from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from graphmemix.store import Entry, Filter, Store
from tests.store.conftest import Pair
from tests.store.contents import (
    NOON,
    derived,
    entry,
    found_words,
    note,
)


def add_texts(store: Store) -> None:
    texts = {
        "mail": "Mail to a.lee@mail.org about invoice 7Q4-118 of 2023-07-14",
        "tokyo": "東京都に行きました。桜が咲いている",
        "seoul": "서울에서 만나요",
        "walks": "We were walking along the canal; she walks every day",
        "stop": "the the the the the",
        "who": "A concert of The Who in the park",
        "empty": "",
        "numbers": "It cost 1,234.56 euros, paid at 18:30",
    }
    store.add([entry(name, text, speaker=name) for name, text in texts.items()])


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("7Q4-118", "mail"),
        ("a.lee@mail.org", "mail"),
        ("2023-07-14", "mail"),
        ("東京", "tokyo"),
        ("京都に", "tokyo"),
        ("서울", "seoul"),
        ("WALKED", "walks"),
        ("the who concert", "who"),
        ("1.234,56", "numbers"),
        ("18:30", "numbers"),
        ("nowhere canal", "walks"),
    ],
)
def test_words_find(pair: Pair, query: str, best: str) -> None:
    add_texts(pair.sqlite)
    add_texts(pair.postgres)
    hits = pair.same(lambda store: store.search_text(query))
    assert hits[0].memory_id == best
    assert hits[0].score > 0


@pytest.mark.parametrize("query", ["", "   ", "?!", "\x00", "zebra", "'; DROP TABLE views; --"])
def test_words_that_find_nothing(store: Store, query: str) -> None:
    add_texts(store)
    assert found_words(store, query) == []


def test_rare_words_weigh_more_and_short_texts_win(store: Store) -> None:
    store.add([entry(f"m{n}", "common words of the day") for n in range(20)])
    store.add([entry("rare", "common zebra"), entry("long", "common zebra " + "padding " * 50)])
    assert found_words(store, "common zebra")[:2] == ["rare", "long"]
    scores = [hit.score for hit in store.search_text("common zebra")]
    assert scores == sorted(scores, reverse=True)


def test_the_best_view_speaks_for_its_words(store: Store) -> None:
    store.add(
        [
            Entry(note("a"), derived("a", ["pear", "apple tart"], kinds=("text", "caption"))),
            Entry(note("b"), derived("b", ["apple and much else besides"])),
        ]
    )
    hits = store.search_text("apple")
    assert [(h.memory_id, h.view_kind, h.view_ordinal) for h in hits] == [
        ("a", "caption", 1),
        ("b", "text", 0),
    ]
    assert found_words(store, "apple", kinds=["text"]) == ["b"]
    assert found_words(store, "apple", kinds=["ocr"]) == []


def test_word_filters_apply_before_the_cut(store: Store) -> None:
    store.add([entry(f"m{n:02}", "apple", session=str(n % 2)) for n in range(40)])
    store.add([entry("last", "apple with more words around it", session="1", timestamp=NOON)])
    assert found_words(store, "apple", limit=2, filter=Filter(sessions=("1",))) == ["m01", "m03"]
    assert found_words(store, "apple", limit=1, filter=Filter(since=NOON)) == ["last"]
    assert found_words(store, "apple", filter=Filter(sessions=("2",))) == []


def test_both_stores_rank_words_alike(pair: Pair) -> None:
    generator = np.random.default_rng(3)
    vocabulary = [f"word{n}" for n in range(60)] + ["東京", "a.b@c.org", "7Q4-118", "walking"]
    weights = 1 / np.arange(1, len(vocabulary) + 1)

    def text(length: int) -> str:
        chosen = generator.choice(vocabulary, length, p=weights / weights.sum())
        return " ".join(chosen.tolist())

    entries = [
        Entry(note(f"m{n}"), derived(f"m{n}", [text(int(k)) for k in generator.integers(1, 30, 2)]))
        for n in range(300)
    ]
    pair.same(lambda store: store.add(entries))
    for _ in range(20):
        query = text(4)
        assert pair.same(lambda store, q=query: store.search_text(q, limit=50))  # type: ignore[misc]


def test_word_scores_are_those_of_the_search(store: Store) -> None:
    add_texts(store)
    for query in ("the concert walking", "東京 mail"):
        every = {hit.memory_id: hit.score for hit in store.search_text(query)}
        some = [*every][::2]
        scores = store.score_text(query, [*some, "empty", "nobody"])
        assert scores == {memory_id: every[memory_id] for memory_id in some}
    assert store.score_text("", ["mail"]) == store.score_text("mail", []) == {}
    assert store.score_text("mail", ["mail"], kinds=["caption"]) == {}


def _ceiling(query: str, store: Store) -> float:
    return store.text_ceiling(query)


def test_no_score_exceeds_the_ceiling_of_its_words(pair: Pair) -> None:
    add_texts(pair.sqlite)
    add_texts(pair.postgres)
    for query in ("walking", "canal walks", "canal walks zebra"):
        ceiling = pair.same(partial(_ceiling, query))
        assert pair.sqlite.search_text(query)[0].score < ceiling
    assert pair.sqlite.text_ceiling("canal zebra") > pair.sqlite.text_ceiling("canal") > 0
    assert pair.same(lambda store: store.text_ceiling("?!")) == 0
