from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from graphmemix.errors import (
    GraphMemixError,
    InvalidDataError,
    MemoryNotFoundError,
)
from graphmemix.evidence import Edge
from graphmemix.memory import Description, Media, Memory, Place, Reference
from graphmemix.store import Derived, Entry, Filter, Log, Store, export_archive
from tests.store.conftest import Pair
from tests.store.contents import (
    ENCODER,
    NOON,
    axis,
    derived,
    entry,
    found,
    found_words,
    note,
    portable_files,
)
from tests.store.hostile import EASY, repaired

ANY_TEXT = st.text(st.characters() | st.sampled_from("\x00\ud800\udfff\u2028'\"\\;%_"), max_size=30)


SQL = [
    "'; DROP TABLE memories; --",
    '" OR 1=1 --',
    ":archive",
    "%(archive)s",
    "%s %% %",
    "$1",
    "?",
    "{}",
    "\\x00",
    "NULL",
    "\u2028\u2029\ufeff",
]


# Texts


def hostile_memory(text: str) -> Memory:
    """Put a text everywhere but into the id."""
    medium = Media(
        "image",
        name=text,
        mime=text,
        description=Description(caption=text, short_caption=text, ocr=text, transcript=text),
    )
    return Memory(
        id="a",
        kind="note",
        text=text,
        source=text,
        source_id=text,
        session=text,
        round=text,
        speaker=text,
        place=Place(text),
        media=(medium, medium),
        references=(Reference("reply_to", text),),
        metadata={"key": text, text: [text, {text: text}]},
    )


@EASY
@given(text=ANY_TEXT)
@example(text="\x00")
@example(text="a\ud800b\udc00c")
@example(text="../../etc/passwd\n\x00")
def test_any_text_is_stored_as_it_is_or_repaired(
    make_pair: Callable[[], Pair], tmp_path: Path, text: str
) -> None:
    pair = make_pair()
    memory, clean = hostile_memory(text), hostile_memory(repaired(text))
    entries = [Entry(memory, derived("a", [text, "apple " + text]))]
    assert pair.same(lambda store: store.add(entries)).new == ("a",)
    assert pair.same(lambda store: store.get("a")) == clean
    assert pair.same(lambda store: store.add(entries)).known == ("a",)
    assert pair.same(lambda store: store.update(memory)) == 1
    assert [view.text for view in pair.same(lambda store: store.views(["a"]))["a"]] == [
        repaired(text),
        "apple " + repaired(text),
    ]
    assert pair.same(lambda store: store.find(Filter(sessions=(repaired(text),)))) == [clean]
    pair.same(lambda store: store.search_text("apple " + text))
    count = len([*tmp_path.iterdir()])
    for name, store in zip(("here", "there"), pair, strict=True):
        export_archive(store, tmp_path / f"{name}-{count}")
    here, there = (portable_files(tmp_path / f"{name}-{count}") for name in ("here", "there"))
    assert here == there
    assert pair.sqlite.check() == pair.postgres.check() == []
    pair.close()


@EASY
@given(memory_id=ANY_TEXT.filter(bool))
@example(memory_id="é" * 256)
@example(memory_id="é" * 256 + "x")
@example(memory_id="../../etc/passwd")
def test_any_id_is_stored_as_it_is_or_refused(
    make_pair: Callable[[], Pair], memory_id: str
) -> None:
    pair = make_pair()
    bad = repaired(memory_id) != memory_id or len(memory_id.encode()) > 512
    added = pair.same_outcome(lambda store: store.add([entry(memory_id, "x", [axis(0)])]))
    assert (added is InvalidDataError) == bad
    assert pair.same(lambda store: store.count()) == int(not bad)
    if not bad:
        assert pair.same(lambda store: store.get(memory_id)).id == memory_id
        assert pair.same(lambda store: found(store, axis(0))) == [memory_id]
        assert pair.same(lambda store: found_words(store, "x")) == [memory_id]
        assert pair.same(lambda store: store.erase([memory_id]).memories) == 1
    pair.close()


def test_keys_that_a_repair_would_make_equal_lose_nothing(store: Store) -> None:
    memory = note("a", metadata={"\x00": 1, "\ud800": 2, "x": 3})
    store.add([Entry(memory)])
    assert sorted(store.get("a").metadata.values()) == [1, 2, 3]  # type: ignore[type-var]


@pytest.mark.parametrize("text", SQL)
def test_statements_are_only_words(store: Store, text: str) -> None:
    memory = replace(hostile_memory(text), id=text)
    store.add(
        [Entry(memory, derived(text, [text], [axis(0)], encoder=text)), Entry(note("~"))],
        [Edge(*sorted([text, "~"]), "semantic", 0.5)],  # type: ignore[arg-type, call-arg]
    )
    store.put_log(Log(text, "job", NOON, text, (text,)))
    assert store.get(text) == memory
    wanted = Filter(sessions=(text,), sources=(text,), speakers=(text,))
    assert store.find(wanted) == [memory]
    assert store.encoder() == text
    assert [hit.memory_id for hit in store.search_vectors(axis(0), text, filter=wanted)] == [text]
    assert len(store.edges([text])) == 1
    assert store.log(text).body == text
    assert store.stats().sources == {"": 1, text: 1}
    store.reencode(text + text, lambda views: [axis(0, dimension=3)] * len(views))
    assert store.erase([text]).logs == 1
    assert store.count() == 1
    assert store.check() == []


def test_fifty_megabytes_of_text_are_refused(store: Store) -> None:
    big = "words and more words. " * (50_000_000 // 22)
    with pytest.raises(InvalidDataError, match="'big'"):
        store.add([Entry(note("small")), Entry(note("big", big))])
    assert store.count() == 0


def test_text_may_have_sixteen_mebibytes_and_no_byte_more(store: Store) -> None:
    most = "é" * (8 << 20)
    store.add([Entry(note("most", most))])
    assert store.get("most").text == most
    with pytest.raises(InvalidDataError):
        store.add([Entry(note("more", most + "x"))])
    with pytest.raises(InvalidDataError):
        store.update(note("most", most + "x"))
    assert store.stats().versions == 1


BIG = "x" * (17 << 20)
BIG_RECORDS: dict[str, Callable[[], Entry]] = {
    "metadata": lambda: Entry(note("a", metadata={"x": BIG})),
    "many metadata": lambda: Entry(note("a", metadata={str(n): BIG[:9999] for n in range(2000)})),
    "caption": lambda: Entry(
        note("a", media=(Media("image", description=Description(caption=BIG)),))
    ),
    "name": lambda: Entry(note("a", media=(Media("image", name=BIG),))),
    "place": lambda: Entry(note("a", place=Place(BIG))),
    "speaker": lambda: Entry(note("a", speaker=BIG)),
    "view": lambda: Entry(note("a"), derived("a", [BIG])),
}


@pytest.mark.parametrize("where", BIG_RECORDS)
def test_no_other_part_of_a_record_may_be_larger(store: Store, where: str) -> None:
    with pytest.raises(InvalidDataError):
        store.add([BIG_RECORDS[where]()])
    assert store.count() == 0


LONG = "".join(chr(0x4E00 + n * 7919 % 20_000) for n in range(3_000))  # cannot be compressed


@pytest.mark.parametrize("field", ["session", "speaker", "source", "source_id", "round"])
def test_long_names_are_the_same_in_both_stores(pair: Pair, field: str) -> None:
    memory = note("a", **{field: LONG})
    added = pair.same_outcome(lambda store: store.add([Entry(memory)]))
    assert added is InvalidDataError or pair.same(lambda store: store.get("a")) == memory


def test_long_names_of_logs_and_encoders_are_the_same_in_both_stores(pair: Pair) -> None:
    pair.same_outcome(lambda store: store.put_log(Log(LONG, "job", NOON, "x", (LONG,))))
    pair.same(lambda store: store.logs("job"))
    pair.same_outcome(lambda store: store.add([entry("a", "x", [axis(0)], encoder=LONG)]))
    pair.same(lambda store: (store.encoder(), store.count()))


# Asking

UNSTORABLE = ["a\x00", "a\x00b", "\x00", "a\ud800", "\udfff", "", "a" * 100_000]
QUESTIONS: dict[str, Callable[[Store, str], object]] = {
    "get": lambda store, name: store.get(name),
    "get_many": lambda store, name: store.get_many([name]),
    "history": lambda store, name: store.history(name),
    "views": lambda store, name: store.views([name]),
    "vectors": lambda store, name: store.vectors([name]),
    "edges": lambda store, name: store.edges([name]),
    "keys": lambda store, name: store.keys([name]),
    "with_keys": lambda store, name: store.with_keys([name]),
    "key_names": lambda store, name: store.key_names(name + "?"),
    "key_days": lambda store, name: store.key_days(name + "?"),
    "score_text": lambda store, name: store.score_text("apple", [name]),
    "score_vectors": lambda store, name: store.score_vectors(axis(0), ENCODER, [name]),
    "after": lambda store, name: store.find(after=name),
    "log": lambda store, name: store.log(name),
    "session": lambda store, name: store.find(Filter(sessions=(name,))),
    "source": lambda store, name: store.count(Filter(sources=(name + "?",))),
    "speaker": lambda store, name: store.find(Filter(speakers=(name,))),
    "erase": lambda store, name: store.erase([name]).memories,
    "put_derived": lambda store, name: store.put_derived({name: Derived()}),
    "unedge": lambda store, name: store.change_edges(
        remove=[Edge("", name + "a", "semantic", 1.0)]
    ),
    "words": lambda store, name: store.search_text(name.replace("a", "b")),
}
NOTHING: tuple[object, ...] = (MemoryNotFoundError, {}, [], 0, None)


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_cannot_be_stored_is_simply_not_there(pair: Pair, question: str) -> None:
    for store in pair:
        store.add(
            [entry("a", "apple", [axis(0)], session="a", speaker="a"), entry("aa", "pear")],
            [Edge("a", "aa", "semantic", 0.5)],
        )
        store.put_derived({}, keys={"a": ["a"]})
        store.put_log(Log("a", "job", NOON, "x"))
    for name in UNSTORABLE:
        answer = pair.same_outcome(lambda store, n=name: QUESTIONS[question](store, n))  # type: ignore[misc]
        assert answer in NOTHING
    assert pair.same(lambda store: store.count()) == 2


def test_a_query_with_an_impossible_encoder_is_a_mismatch(pair: Pair) -> None:
    pair.same(lambda store: store.add([entry("a", "x", [axis(0)])]))
    for name in UNSTORABLE:
        error = pair.same_outcome(lambda store, n=name: store.search_vectors(axis(0), n))  # type: ignore[misc]
        assert isinstance(error, type)
        assert issubclass(error, GraphMemixError)


@pytest.mark.parametrize("name", ["a\x00b", "a\ud800"])
def test_impossible_encoders_are_the_same_in_both_stores(pair: Pair, name: str) -> None:
    pair.same_outcome(lambda store: store.add([entry("a", "x", [axis(0)], encoder=name)]))
    pair.same(lambda store: (store.count(), store.encoder()))
    pair.same_outcome(
        lambda store: store.reencode(name, lambda views: [axis(0)] * len(views)),
    )
    pair.same(lambda store: store.encoder())


@pytest.mark.parametrize("name", ["a\x00b", "a\ud800"])
def test_logs_are_repaired_or_refused(pair: Pair, name: str) -> None:
    pair.same_outcome(lambda store: store.put_log(Log(name, "trace", NOON, name, (name,))))
    for log in pair.same(lambda store: store.logs("trace")):
        assert log == Log(repaired(name), "trace", NOON, repaired(name), (repaired(name),))
