from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from graphmemix.archive import Archive
from graphmemix.encode.clip import ClipEncoder
from graphmemix.errors import (
    EncoderError,
    InvalidDataError,
    MemoryNotFoundError,
)
from graphmemix.index import KnownNeighbours
from graphmemix.memory import Description, Media, Memory, Place, Reference
from tests.archives import (
    Failing,
    context,
    ids,
    note,
    opened,
    photo,
    require_rebuilt,
    scene,
    state,
    turn,
)
from tests.encode import tiny_clip
from tests.encode.tiny_clip import COLOURS, picture


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> ClipEncoder:
    return ClipEncoder(tiny_clip.build(tmp_path_factory.mktemp("clip")))


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with opened(tmp_path / "archive") as archive:
        yield archive


NOON = datetime(2023, 7, 14, 12, tzinfo=UTC)


# Changing and erasing


def test_what_is_read_with_new_memories_is_encoded_with_them(archive: Archive) -> None:
    """A stored answer gets the words of the message that it answers, which comes later."""
    answer = Memory(
        "answer", "message", "Yes.", references=(Reference(relation="reply_to", source_id="<q>"),)
    )
    archive.add(answer)
    question = Memory("question", "message", "Is the key with Olga?", source_id="<q>")
    others = [note(f"n{i}", f"unrelated words {i}") for i in range(20)]
    archive.add([question, *others])
    assert archive.store.count_without_vectors() == 0
    require_rebuilt(archive)


def test_an_update_replaces_what_is_found(archive: Archive) -> None:
    archive.add([note("k", "The spare key is with Olga."), note("x", "unrelated words")])
    assert archive.update(note("k", "The bicycle is in the cellar.")) == 2
    graph = archive.candidates("Where is the bicycle?")
    assert ids(graph)[0] == "k"
    key = next(c for c in archive.candidates("spare key").candidates if c.memory_id == "k")
    assert key.lexical == 0
    require_rebuilt(archive)


def test_an_update_with_the_same_content_changes_nothing(archive: Archive) -> None:
    archive.add([note("k", "key"), note("l", "key too")])
    before = state(archive)
    assert archive.update(note("k", "key")) == 1
    assert state(archive) == before


def test_updating_what_is_not_there_is_refused(archive: Archive) -> None:
    with pytest.raises(MemoryNotFoundError):
        archive.update(note("nobody", "key"))


def test_a_writer_goes_on_with_the_neighbours_of_the_last_one(tmp_path: Path) -> None:
    loads = []

    def adding(name: str, known: KnownNeighbours | None) -> KnownNeighbours | None:
        with opened(tmp_path / "a") as archive:
            archive.take_over(known)
            loads.append(archive.hand_over() is None)  # it has to read the neighbours itself
            archive.add([note(name, f"the same few words {name}")])
            return archive.hand_over()

    known = adding("a", None)
    known = adding("b", known)
    known = adding("c", known)
    adding("between", None)
    known = adding("d", known)  # another one wrote: nothing is taken over
    adding("e", known)
    assert loads == [True, False, False, True, True, False]
    with opened(tmp_path / "a") as archive:
        require_rebuilt(archive)


def test_an_update_that_is_refused_leaves_everything_as_it_was(archive: Archive) -> None:
    archive.add([note(f"n{i}", f"the same few words {i}") for i in range(4)])
    before = state(archive)
    missing = Media("image", sha256="0" * 64)
    with pytest.raises(InvalidDataError):
        archive.update(replace(note("n1", "the same"), media=(missing,)))
    assert state(archive) == before


def test_erased_memories_are_gone_from_everywhere(archive: Archive) -> None:
    archive.add([note(f"n{i}", f"the same few words {i}") for i in range(5)])
    archive.erase(["n1", "n3", "nobody"])
    assert set(ids(archive.candidates("the same few words"))) == {"n0", "n2", "n4"}
    with pytest.raises(MemoryNotFoundError):
        archive.get("n1")
    require_rebuilt(archive)


def test_the_receipt_of_an_erasure_counts_the_links_that_went(archive: Archive) -> None:
    turns = [turn(f"t{i}", f"the same few words {i}", i) for i in range(4)]
    archive.add([*turns, note("n", "something else")])
    linked = archive.store.edges(["t1"])
    assert {edge.relation for edge in linked} >= {"consecutive_turn", "semantic"}
    receipt = archive.erase(["t1"])
    assert (receipt.memories, receipt.edges) == (1, len(linked))
    assert archive.store.receipts() == (receipt,)
    assert archive.store.edges(["t1"]) == []
    require_rebuilt(archive)


def test_an_erasure_does_not_wait_for_the_encoder(tmp_path: Path) -> None:
    encoder = Failing(calls=10)
    with opened(tmp_path / "a", encoder, **{"graph.neighbours": 1}) as archive:
        archive.add([turn(name, f"red {name}", at) for at, name in enumerate("pqr")])
        archive.add([note("a", "red green")])
        encoder.calls = 0
        assert archive.erase(["q"]).memories == 1
        assert archive.store.without_vectors() == ["p", "r"]  # they were read with it
        encoder.calls = 10
        archive.index()
        require_rebuilt(archive)


def test_an_update_that_the_encoder_interrupts_can_be_repeated(tmp_path: Path) -> None:
    encoder = Failing(calls=10)
    with opened(tmp_path / "a", encoder) as archive:
        archive.add([turn("q", "red blue", 0), turn("r", "red blue", 1), note("n", "red")])
        encoder.calls = 0
        with pytest.raises(EncoderError):
            archive.update(turn("r", "red green for now", 1))
        encoder.calls = 10
        archive.update(turn("r", "red green", 1))
        archive.index()
        require_rebuilt(archive)


def test_a_memory_that_loses_its_words_does_not_lock_the_archive(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as archive:
        archive.add([note("k", "key"), note("l", "key")])
        archive.update(note("k", ""))
        assert "k" not in archive.store.neighbours()
    with opened(tmp_path / "a") as archive:
        archive.add([note("m", "another key")])
        require_rebuilt(archive)


def test_an_empty_half_takes_the_other_in_when_it_arrives_later(archive: Archive) -> None:
    archive.add([turn("q", "", 0)])
    archive.add([turn("r", "At the lake.", 1)])
    assert context(archive, "q") == "At the lake."
    require_rebuilt(archive)


def test_mails_with_the_same_logo_are_not_passed_over(archive: Archive) -> None:
    logo = scene("blue")
    archive.add(
        [
            replace(photo(archive, f"m{i}", logo), kind="email", text=f"spare key number {i}")
            for i in range(4)
        ]
    )
    assert archive.candidates("spare key").duplicates == ()


def test_plain_pictures_of_different_colours_do_not_show_the_same(
    tmp_path: Path, clip: ClipEncoder
) -> None:
    with opened(tmp_path / "a", clip) as archive:
        archive.add([photo(archive, c, picture(c)) for c in ("red", "green", "blue")])
        assert archive.candidates("red").duplicates == ()


# Incremental equals rebuild

WORDS = st.lists(st.sampled_from(["red", "green", "blue", "sea", "lake", "key"]), max_size=4).map(
    " ".join
)
MEMORIES = st.builds(
    Memory,
    st.sampled_from([f"m{i}" for i in range(9)]),
    st.sampled_from(["message", "email", "photo"]),
    WORDS,
    source_id=st.sampled_from(["", "x", "y"]),
    session=st.sampled_from([None, "s"]),
    round=st.sampled_from([None, "1", "2"]),
    sequence=st.sampled_from([None, 0, 1, 2, 3]),
    timestamp=st.sampled_from([None, 0, 20, 70, 130, 4000]).map(
        lambda s: None if s is None else NOON + timedelta(seconds=s)
    ),
    place=st.sampled_from([None, Place("Bled", 46.36, 14.09)]),
    media=st.sampled_from([(), (Media("image", description=Description(caption="sea")),)]),
    references=st.sampled_from([(), (Reference("reply_to", "x"),)]),
)
CHANGES = st.lists(
    st.one_of(
        st.lists(MEMORIES, min_size=1, max_size=4, unique_by=lambda memory: memory.id),
        st.lists(st.sampled_from([f"m{i}" for i in range(9)]), max_size=3),
    ),
    max_size=8,
)


@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],  # explaining takes minutes
)
@given(changes=CHANGES, reopen=st.booleans())
def test_any_changes_end_where_a_rebuild_ends(
    changes: list[list[Memory] | list[str]], reopen: bool
) -> None:
    with TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        archive = opened(Path(folder) / "a", None, **{"graph.neighbours": 2})
        try:
            for change in changes:
                added = [each for each in change if isinstance(each, Memory)]
                archive.erase([each for each in change if isinstance(each, str)])
                known = archive.store.get_many(memory.id for memory in added)
                archive.add([memory for memory in added if memory.id not in known])
                for memory in added:
                    if memory.id in known:
                        archive.update(memory)
                if reopen:
                    archive.close()
                    archive = opened(Path(folder) / "a", None, **{"graph.neighbours": 2})
            require_rebuilt(archive)
        finally:
            archive.close()


def test_pictures_and_words_keep_up_incrementally(tmp_path: Path, clip: ClipEncoder) -> None:
    with opened(tmp_path / "a", clip, **{"graph.neighbours": 2}) as archive:
        colours = list(COLOURS)
        for i, colour in enumerate(colours):
            archive.add([photo(archive, f"p{i}", scene(colour, i)), note(f"n{i}", f"the {colour}")])
        archive.erase(["p3", "n5"])
        archive.update(photo(archive, "p4", scene("white", 50)))
        require_rebuilt(archive)


def test_a_rebuild_tells_its_progress(archive: Archive) -> None:
    archive.add([note(f"n{i}", f"note {i}") for i in range(3)])
    told: list[tuple[int, int]] = []
    archive.rebuild(progress=lambda done, every: told.append((done, every)))
    assert told == [(3, 3)]
