"""Retrieval scores on a real store."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from graphmemix.archive import Archive
from graphmemix.encode.hashing import HashingEncoder
from graphmemix.evidence import Question
from graphmemix.memory import Memory, View, ViewKind
from graphmemix.retrieve.constraints import Constraints
from graphmemix.retrieve.prior import Guess, Prior, Scored
from graphmemix.retrieve.question import EncodedQuestion, encode_question
from graphmemix.settings import RetrievalSettings, Settings
from graphmemix.store import open_store
from graphmemix.store.protocol import Derived, Entry

ENCODER = HashingEncoder(64)
KINDS: tuple[ViewKind, ...] = ("text", "caption", "ocr", "context")
TEXTS = {
    "key": "The spare key is with Olga.",
    "lake": "We swam in the lake with Olga in May 2023.",
    "cat": "Buy cat food and a key ring.",
    "rain": "It rained all day.",
    "tent": "The tent is in the cellar.",
}


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with Archive.open(tmp_path / "archive", encoder=ENCODER, settings=Settings()) as archive:
        archive.add(
            Memory(i, "note", text, timestamp=datetime(2023, 4 + n, 3, tzinfo=UTC))
            for n, (i, text) in enumerate(TEXTS.items())
        )
        yield archive


def prior(archive: Archive, question: EncodedQuestion | str, **settings: object) -> Prior:
    encoded = question
    if isinstance(encoded, str):
        encoded = encode_question(Question(encoded), ENCODER)
    chosen = RetrievalSettings.model_validate(settings)
    return Prior(archive.store, encoded, ENCODER.identity, chosen, KINDS, None)


def parts(*texts: str, words: str = "") -> EncodedQuestion:
    return EncodedQuestion(ENCODER.texts(texts), words, Constraints())


@pytest.mark.parametrize(
    "question", ["Olga's key in May 2023", "What did we do in May 2023?", "key"]
)
@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_the_best_of_some_are_those_of_all_scores(
    archive: Archive, question: str, count: int
) -> None:
    encoded = encode_question(Question(question), ENCODER, people=["Olga"])
    ids = ["lake", "key", "rain", "tent"]
    every = prior(archive, encoded).scored(ids).values()
    ranked = sorted(every, key=lambda each: (-each.score, each.memory_id))
    assert prior(archive, encoded).best_of(ids, count) == ranked[:count]


def test_dense_scores_are_those_of_the_search_exactly(archive: Archive) -> None:
    hits = archive.store.search_vectors(
        ENCODER.texts(["Who has the key?"])[0], ENCODER.identity, kinds=KINDS
    )
    found = prior(archive, "Who has the key?", mode="dense").retrieved()
    assert [(each.memory_id, each.score) for each in found] == [
        (hit.memory_id, hit.score) for hit in hits
    ]
    assert all(each == Scored(each.memory_id, each.score, each.score) for each in found)


def test_the_best_part_of_a_question_speaks(archive: Archive) -> None:
    together = {
        s.memory_id: s.score for s in prior(archive, parts("key", "lake"), mode="dense").retrieved()
    }
    for memory_id, score in together.items():
        alone = [
            archive.store.score_vectors(row, ENCODER.identity, [memory_id], kinds=KINDS)[memory_id]
            for row in ENCODER.texts(["key", "lake"])
        ]
        assert score == max(alone)


def test_a_memory_that_was_not_retrieved_has_the_score_it_would_have_had(archive: Archive) -> None:
    for mode in ("dense", "hybrid"):
        every = {s.memory_id: s for s in prior(archive, "spare key", mode=mode).retrieved()}
        few = prior(archive, "spare key", mode=mode, retrieved=1)
        first = few.retrieved()
        assert [each.memory_id for each in first] == ["key"]
        rest = few.scored([i for i in TEXTS if i != "key"])
        for memory_id, scored in rest.items():
            assert scored.score == pytest.approx(every[memory_id].score, abs=1e-6)


@pytest.mark.parametrize("weigh", [False, True])
def test_hybrid_scores_are_cosine_and_weighted_shares(archive: Archive, weigh: bool) -> None:
    question = "spare key in May 2023"
    found = prior(
        archive, question, lexical_weight=0.4, time_weight=0.2, weigh_words=weigh
    ).retrieved()
    row = ENCODER.texts([question])[0]
    cosines = archive.store.score_vectors(row, ENCODER.identity, TEXTS, kinds=KINDS)
    bm25 = archive.store.score_text("spare key May 2023", TEXTS, kinds=("context",))
    assert {each.memory_id for each in found} == set(TEXTS)
    worth = min(10 * max(bm25.values()) / ceiling(archive, "spare key May 2023"), 2.5)
    for each in found:
        assert each.dense == pytest.approx(cosines[each.memory_id], abs=1e-6)
        share = bm25.get(each.memory_id, 0.0) / max(bm25.values()) * (worth if weigh else 1)
        assert each.lexical == pytest.approx(share)
        assert each.score == pytest.approx(each.dense + 0.4 * share + each.matched)
    assert [each.score for each in found] == sorted((e.score for e in found), reverse=True)
    assert {each.memory_id: each.matched for each in found}["lake"] == pytest.approx(0.2)


def ceiling(archive: Archive, words: str) -> float:
    return archive.store.text_ceiling(words, kinds=("context",))


def test_the_best_by_words_has_the_whole_share(archive: Archive) -> None:
    found = prior(archive, "cellar", weigh_words=False).retrieved()
    assert (found[0].memory_id, found[0].lexical) == ("tent", 1.0)


def test_words_are_worth_less_the_less_of_the_question_the_best_memory_holds(
    archive: Archive,
) -> None:
    most = "zebra yak otter lynx ibex heron gecko"
    worth = []
    for unknown in range(8):
        words = " ".join(["cellar", *most.split()[:unknown]])
        found = {each.memory_id: each for each in prior(archive, words).retrieved()}
        worth.append(found["tent"].lexical)
    assert worth == sorted(worth, reverse=True)
    assert worth[0] == 2.5  # no more than this
    assert 0 < worth[-1] < 1


def test_words_that_many_memories_hold_alike_are_worth_nothing(archive: Archive) -> None:
    archive.add(Memory(f"n{i}", "note", f"A quokka slept {i}", timestamp=None) for i in range(12))
    found = prior(archive, "quokka").retrieved()
    assert {each.lexical for each in found if each.memory_id.startswith("n")} == {0.0}
    assert prior(archive, "quokka", weigh_words=False).retrieved()[0].lexical == 1.0


def test_without_words_and_constraints_hybrid_is_dense(archive: Archive) -> None:
    hybrid = prior(archive, parts("zebra")).retrieved()
    dense = prior(archive, parts("zebra"), mode="dense").retrieved()
    assert hybrid == dense


def test_words_bring_in_what_vectors_alone_would_not_retrieve(archive: Archive) -> None:
    found = prior(archive, parts("rained all day", words="cellar"), retrieved=1, lexical_weight=9)
    assert [each.memory_id for each in found.retrieved()] == ["tent"]


def test_no_more_are_returned_than_asked_for(archive: Archive) -> None:
    assert len(prior(archive, "spare key lake", retrieved=3).retrieved()) == 3
    assert len(prior(archive, "spare key lake", retrieved=3, mode="dense").retrieved()) == 3


def test_a_question_of_several_parts_scores_by_the_best_in_hybrid_too(tmp_path: Path) -> None:
    """Also a memory that one part retrieves although another part, which does not, is nearer."""
    rows = {"x": (0.1, 0.4), "y": (0.0, 0.9), "z": (0.0, 0.8)}
    with open_store(tmp_path / "worked") as store:
        store.add(Entry(Memory(i, "note", i)) for i in rows)
        store.put_derived(
            {
                i: Derived((View(i, "text", 0, f"word{i}"),), (third(*row),), "worked/3")
                for i, row in rows.items()
            }
        )
        question = EncodedQuestion(np.eye(3, dtype=np.float32)[:2], "wordx", Constraints())
        settings = RetrievalSettings(retrieved=2, lexical_weight=0.6)
        found = Prior(store, question, "worked/3", settings, ("text",), None).retrieved()
    assert {s.memory_id: s.dense for s in found}.get("x") == pytest.approx(0.4, abs=1e-6)


def third(one: float, two: float) -> NDArray[np.float32]:
    return np.array([one, two, np.sqrt(1 - one * one - two * two)], dtype=np.float32)


def test_only_the_asked_kinds_of_views_count(archive: Archive) -> None:
    archive.add([Memory("q", "message", "Where?", session="s", round="1", sequence=0)])
    archive.add([Memory("r", "message", "Moonlight.", session="s", round="1", sequence=1)])
    encoded = encode_question(Question("Moonlight"), ENCODER)
    settings = RetrievalSettings()
    for kinds, expected in ((("text",), 0.0), (KINDS, 1.0)):
        asked = Prior(archive.store, encoded, ENCODER.identity, settings, kinds, None)
        found = {each.memory_id: each for each in asked.retrieved()}
        assert (found["q"].lexical > 0.5) == bool(expected)


# As of a moment


@pytest.mark.parametrize("mode", ["dense", "hybrid"])
def test_what_a_hidden_memory_says_changes_no_score(tmp_path: Path, mode: str) -> None:
    """Also not through the context of an earlier turn of its round."""
    found = {}
    for hidden in ("There is moonlight.", "There is sunshine."):
        with Archive.open(
            tmp_path / hidden, encoder=ENCODER, settings=dense_or_hybrid(mode)
        ) as archive:
            archive.add(
                [
                    said("before", "Moonlight is fine.", 0, month=1),
                    said("asked", "What do you see?", 1, month=2),
                    said("hidden", hidden, 2, month=9),
                ]
            )
            asked = Question("moonlight", as_of=datetime(2023, 6, 1, tzinfo=UTC))
            found[hidden] = archive.candidates(asked).candidates
            now = archive.candidates("moonlight").candidates
            assert {"asked", "hidden"} <= {each.memory_id for each in now}
    first, second = found.values()
    assert first == second
    assert {each.memory_id for each in first} == {"before", "asked"}


def test_as_of_a_moment_the_words_before_a_memory_still_count(archive: Archive) -> None:
    archive.add([said("q", "Moonlight?", 0, month=1), said("r", "Where?", 1, month=2)])
    asked = Question("moonlight", as_of=datetime(2023, 2, 2, tzinfo=UTC))
    lexical = {each.memory_id: each.lexical for each in archive.candidates(asked).candidates}
    assert max(lexical.values()) == lexical["q"] > 0
    assert lexical["r"] > 0.5 * lexical["q"]


def dense_or_hybrid(mode: str) -> Settings:
    return Settings.model_validate({"retrieval": {"mode": mode}})


def said(memory_id: str, text: str, sequence: int, *, month: int) -> Memory:
    return Memory(
        memory_id,
        "message",
        text,
        session="s",
        round="1",
        sequence=sequence,
        timestamp=datetime(2023, month, 1, tzinfo=UTC),
    )


# Looking up no more than needed


@given(data=st.data())
@settings(max_examples=settings().max_examples, deadline=None)
def test_the_first_few_are_those_of_all(data: st.DataObject) -> None:
    """Whatever the searches found, and however many parts the question has."""
    words = st.sampled_from(["key", "lake", "cat", "rain", "tent", "olga", "may"])
    texts = data.draw(st.lists(st.lists(words, max_size=5), min_size=1, max_size=14))
    asked = data.draw(st.lists(words, min_size=1, max_size=3))
    parts_of_it = data.draw(st.lists(st.sampled_from(["key lake", "rain", "olga"]), max_size=2))
    limits = {
        "mode": data.draw(st.sampled_from(["dense", "hybrid"])),
        "retrieved": data.draw(st.integers(1, 16)),
        "lexical_weight": data.draw(st.sampled_from([0.0, 0.3, 2.0])),
        "person_weight": data.draw(st.sampled_from([0.0, 0.02, 1.0])),
        "weigh_words": data.draw(st.booleans()),
    }
    with (
        tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as path,
        Archive.open(Path(path) / "a", encoder=ENCODER, settings=Settings()) as archive,
    ):
        archive.add(Memory(f"m{n:02}", "note", " ".join(text)) for n, text in enumerate(texts))
        text = " ".join(asked)
        question = encode_question(Question(text), ENCODER, people=("Olga",))
        vectors = ENCODER.texts([text, *parts_of_it])
        question = EncodedQuestion(vectors, question.words, question.constraints)
        every = prior(archive, question, **limits).retrieved()
        naive = naively(archive, question, limits)
        assert [each.memory_id for each in every] == [each.memory_id for each in naive]
        assert [each.score for each in every] == pytest.approx([each.score for each in naive])
        for count in range(1, len(every) + 2):
            assert prior(archive, question, **limits).best(count) == every[:count]


def naively(archive: Archive, question: EncodedQuestion, limits: dict[str, object]) -> list[Scored]:
    """Score everything that either search returns, and sort."""
    chosen = RetrievalSettings.model_validate(limits)
    store, most = archive.store, chosen.retrieved
    found: set[str] = set()
    for row in question.vectors:
        hits = store.search_vectors(row, ENCODER.identity, limit=most, kinds=KINDS)
        found |= {hit.memory_id for hit in hits}
    best = 0.0
    if chosen.mode == "hybrid":
        hits = store.search_text(question.words, limit=max(most, 10), kinds=("context",))
        found |= {hit.memory_id for hit in hits}
        best = hits[0].score if hits else 0.0
    worth = 1.0
    if chosen.weigh_words and best:
        rival = hits[9].score if len(hits) > 9 else 0.0
        worth = 10 * best / ceiling(archive, question.words) * (1 - rival / best)
    scored = []
    for memory_id in found:
        cosines = [
            store.score_vectors(row, ENCODER.identity, [memory_id], kinds=KINDS).get(memory_id)
            for row in question.vectors
        ]
        missing = -1.0 if chosen.mode == "dense" else 0.0
        cosine = max((c for c in cosines if c is not None), default=missing)
        share = gain = 0.0
        if chosen.mode == "hybrid":
            bm25 = store.score_text(question.words, [memory_id], kinds=("context",))
            share = min(worth, 2.5) * bm25.get(memory_id, 0.0) / best if best else 0.0
            person = question.constraints.match(archive.get(memory_id)).person
            gain = chosen.person_weight * (person or 0.0)
        score = cosine + chosen.lexical_weight * share + gain
        scored.append(Scored(memory_id, score, cosine, share, gain))
    return sorted(scored, key=lambda each: (-each.score, each.memory_id))[:most]


def test_without_encoded_memories_every_guess_is_nothing() -> None:
    assert Guess.of([], []).cosine(1.0) == 0.0


def test_the_guess_lies_on_the_line_through_what_is_encoded() -> None:
    guess = Guess.of([0.0, 0.5, 1.0], [0.2, 0.4, 0.6])
    assert guess.cosine(0.25) == pytest.approx(0.3)


def test_no_guess_is_above_what_was_seen() -> None:
    assert Guess.of([0.0, 0.2, 0.4], [0.1, 0.2, 0.3]).cosine(1.0) == pytest.approx(0.3)


def test_better_words_never_lower_a_guess() -> None:
    guess = Guess.of([0.0, 0.5, 1.0], [0.6, 0.5, 0.1])
    assert guess.cosine(1.0) == guess.cosine(0.0) == pytest.approx(0.4)


def test_two_memories_give_their_mean() -> None:
    assert Guess.of([0.0, 1.0], [0.2, 0.4]).cosine(1.0) == pytest.approx(0.3)
