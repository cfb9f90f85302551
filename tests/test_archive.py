"""An archive as its owner uses it: add, ask, change, erase, with real parts."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import av
import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from PIL import Image

from graphmemix.archive import Archive
from graphmemix.encode.clip import ClipEncoder
from graphmemix.encode.hashing import HashingEncoder
from graphmemix.encode.minilm import MiniLmEncoder
from graphmemix.encode.protocol import Encoder, Matrix, Progress
from graphmemix.errors import (
    ArchiveReadOnlyError,
    EncoderError,
    EncoderMismatchError,
    GraphMemixError,
    InvalidDataError,
    MemoryNotFoundError,
)
from graphmemix.evidence import CandidateGraph, Question, QuestionImage
from graphmemix.index import KnownNeighbours
from graphmemix.memory import Description, Media, Memory, Place, Reference
from graphmemix.settings import Settings
from graphmemix.store.protocol import Filter
from tests.encode import tiny_clip
from tests.encode.tiny_clip import COLOURS, picture

NOON = datetime(2023, 7, 14, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> ClipEncoder:
    return ClipEncoder(tiny_clip.build(tmp_path_factory.mktemp("clip")))


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with opened(tmp_path / "archive") as archive:
        yield archive


class Failing(HashingEncoder):
    """Breaks after a number of calls."""

    def __init__(self, calls: int = 0) -> None:
        super().__init__()
        self.calls = calls

    def texts(self, texts: Sequence[str], *, progress: Progress | None = None) -> Matrix:
        if self.calls == 0:
            raise EncoderError("the model is away")
        self.calls -= 1
        return super().texts(texts, progress=progress)


def opened(path: Path, encoder: Encoder | None = None, **overrides: object) -> Archive:
    return Archive.open(
        path,
        encoder=encoder or HashingEncoder(),
        settings=Settings.load(environment={"HOME": str(path)}, overrides=overrides),
    )


def ids(graph: CandidateGraph) -> list[str]:
    return [candidate.memory_id for candidate in graph.candidates]


def note(memory_id: str, text: str) -> Memory:
    return Memory(memory_id, "note", text)


def photo(archive: Archive, memory_id: str, data: bytes, when: datetime | None = None) -> Memory:
    """A photo without any word."""
    return Memory(
        memory_id,
        "photo",
        timestamp=when,
        media=(Media("image", sha256=archive.media.put(data).sha256, mime="image/png"),),
    )


def scene(colour: str, seed: int = 0) -> bytes:
    """A picture that is of one colour for the tiny CLIP, but not for the eye: has a look."""
    noise = np.random.default_rng(seed).integers(-40, 40, (6, 6, 3))
    rgb = np.clip(np.array(COLOURS[colour]) + noise, 0, 255).astype(np.uint8)
    out = io.BytesIO()
    Image.fromarray(rgb).resize((96, 96), Image.Resampling.BICUBIC).save(out, "PNG")
    return out.getvalue()


def video(path: Path, colours: Sequence[str], seconds_each: int = 1) -> bytes:
    """A tiny real video: each colour for some seconds, 8 frames a second."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=8)
        stream.width, stream.height, stream.pix_fmt = 64, 64, "yuv420p"
        for colour in colours:
            image = Image.new("RGB", (64, 64), COLOURS[colour])
            for _ in range(8 * seconds_each):
                container.mux(stream.encode(av.VideoFrame.from_image(image)))  # type: ignore[no-untyped-call]
        container.mux(stream.encode(None))
    return path.read_bytes()


def state(archive: Archive) -> tuple[object, ...]:
    """Everything derived: views, vectors, edges, keys, first neighbours."""
    store = archive.store
    everybody = [memory.id for memory in store.find()]
    used = archive.settings.graph.neighbours
    return (
        store.views(everybody),
        {
            i: [None if v is None else v.tobytes() for v in rows]
            for i, rows in store.vectors(everybody).items()
        },
        store.edges(everybody),
        store.keys(everybody),
        {i: near[:used] for i, near in store.neighbours().items()},
    )


def require_rebuilt(archive: Archive) -> None:
    kept = state(archive)
    archive.rebuild()
    for part, again in zip(kept, state(archive), strict=True):
        assert part == again


# Adding and asking


def test_what_was_added_is_found_again_after_reopening(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as archive:
        archive.add([note("k", "The spare key is with Olga."), note("c", "Buy cat food.")])
    with opened(tmp_path / "a") as archive:
        assert ids(archive.candidates("Who has the spare key?"))[0] == "k"


def test_adding_the_same_again_changes_nothing(archive: Archive) -> None:
    archive.add([note("k", "key")])
    before = state(archive)
    archive.add([note("k", "key")])
    assert state(archive) == before


def test_an_empty_archive_answers_with_no_candidates(archive: Archive) -> None:
    assert archive.candidates("Anything?") == CandidateGraph((), (), (), ())


def test_progress_counts_memories(archive: Archive) -> None:
    told: list[tuple[int, int]] = []
    archive.add(
        [note(f"n{i:03}", f"note {i}") for i in range(100)],
        progress=lambda done, all_of_them: told.append((done, all_of_them)),
    )
    assert told == [(64, 100), (100, 100)]


def test_an_archive_encoded_with_another_encoder_refuses(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as archive:
        archive.add([note("k", "key")])
    with opened(tmp_path / "a", HashingEncoder(64)) as archive:
        with pytest.raises(EncoderMismatchError):
            archive.candidates("key?")
        with pytest.raises(EncoderMismatchError):
            archive.add([note("m", "more keys")])
        assert archive.get("m").text == "more keys"
    with opened(tmp_path / "a") as archive:
        assert archive.index() == 1
        require_rebuilt(archive)


def test_a_filter_hides_from_seeds_and_from_expansion(archive: Archive) -> None:
    archive.add([note("k", "spare key"), Memory("m", "message", "spare key too")])
    assert ids(archive.candidates("spare key", filter=Filter(kinds=("note",)))) == ["k"]


# Durable before any model


def test_memories_are_stored_before_the_encoder_sees_them(tmp_path: Path) -> None:
    with opened(tmp_path / "a", Failing()) as archive:
        with pytest.raises(EncoderError, match="away"):
            archive.add([note("k", "The spare key is with Olga.")])
        assert archive.get("k").text == "The spare key is with Olga."
    with opened(tmp_path / "a") as archive:
        assert archive.index() == 1
        assert archive.index() == 0
        assert ids(archive.candidates("spare key")) == ["k"]


def test_indexing_goes_on_where_it_stopped(tmp_path: Path) -> None:
    memories = [note(f"n{i:03}", f"note number {i}") for i in range(150)]
    with opened(tmp_path / "a", Failing(calls=2)) as archive:
        with pytest.raises(EncoderError):
            archive.add(memories)
        assert len(archive.store.without_vectors()) == 150 - 2 * 64
    with opened(tmp_path / "a") as archive:
        assert archive.index() == 150 - 2 * 64
        require_rebuilt(archive)


def test_what_has_no_view_is_not_tried_again_and_again(archive: Archive) -> None:
    archive.add([note("empty", "")])
    assert archive.index() == 0


# The other half


def turn(memory_id: str, text: str, sequence: int, round_id: str | None = "1") -> Memory:
    return Memory(memory_id, "message", text, session="s", round=round_id, sequence=sequence)


def context(archive: Archive, memory_id: str) -> str:
    (views,) = archive.store.views([memory_id]).values()
    return next((view.text for view in views if view.kind == "context"), "")


def test_the_context_view_takes_the_other_half_in_when_it_arrives_later(archive: Archive) -> None:
    archive.add([turn("q", "Where is the picnic?", 0)])
    assert context(archive, "q") == "Where is the picnic?"
    archive.add([turn("r", "At the lake.", 1)])
    assert context(archive, "q") == "Where is the picnic? At the lake."
    assert context(archive, "r") == "Where is the picnic? At the lake."
    assert set(ids(archive.candidates("lake"))) == {"q", "r"}
    require_rebuilt(archive)


def test_the_context_view_follows_an_update_of_the_other_half(archive: Archive) -> None:
    archive.add([turn("q", "Where is the picnic?", 0), turn("r", "At the lake.", 1)])
    archive.update(turn("r", "In the forest.", 1))
    assert context(archive, "q") == "Where is the picnic? In the forest."
    require_rebuilt(archive)


def test_the_context_view_forgets_an_erased_half(archive: Archive) -> None:
    archive.add([turn("q", "Where is the picnic?", 0), turn("r", "At the secret lake.", 1)])
    archive.erase(["r"])
    assert context(archive, "q") == "Where is the picnic?"
    assert archive.candidates("secret").candidates[0].lexical == 0
    require_rebuilt(archive)


def test_a_half_that_moves_to_another_round_is_read_with_that_one(archive: Archive) -> None:
    archive.add([turn("q", "Picnic?", 0, "1"), turn("p", "Dinner?", 2, "2")])
    archive.add([turn("r", "Yes, gladly.", 1, "1")])
    archive.update(turn("r", "Yes, gladly.", 3, "2"))
    assert context(archive, "q") == "Picnic?"
    assert context(archive, "p") == "Dinner? Yes, gladly."
    require_rebuilt(archive)


def test_a_mail_is_read_with_the_mail_that_it_answers_whichever_comes_first(
    archive: Archive,
) -> None:
    answer = Memory(
        "b", "email", "Agreed.", source_id="<2>", references=(Reference("reply_to", "<1>"),)
    )
    archive.add([answer])
    archive.add([Memory("a", "email", "Shall we meet on Monday?", source_id="<1>")])
    assert context(archive, "b") == "Shall we meet on Monday? Agreed."
    require_rebuilt(archive)


# Changing and erasing


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


def test_an_erasure_that_the_encoder_interrupts_can_be_repeated(tmp_path: Path) -> None:
    encoder = Failing(calls=10)
    with opened(tmp_path / "a", encoder, **{"graph.neighbours": 1}) as archive:
        archive.add([turn("q", "red blue", 0), turn("r", "red blue", 1)])
        archive.add([note("a", "red green")])
        encoder.calls = 0
        with pytest.raises(EncoderError):
            archive.erase(["r"])
        assert archive.get("r").text == "red blue"
        encoder.calls = 10
        archive.erase(["r"])
        require_rebuilt(archive)


def test_an_update_that_the_encoder_interrupts_can_be_repeated(tmp_path: Path) -> None:
    encoder = Failing(calls=10)
    with opened(tmp_path / "a", encoder) as archive:
        archive.add([turn("q", "red blue", 0), turn("r", "red blue", 1), note("n", "red")])
        for calls in (0, 1):
            encoder.calls = calls
            with pytest.raises(EncoderError):
                archive.update(turn("r", f"red green {calls}", 1))
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


# Reading


def test_a_reader_asks_while_a_writer_writes(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as writer:
        writer.add([note("k", "spare key")])
        reading = Archive.open(tmp_path / "a", mode="read", encoder=HashingEncoder())
        with reading as reader:
            assert ids(reader.candidates("key")) == ["k"]
            writer.add([note("l", "another key")])
            assert set(ids(reader.candidates("key"))) == {"k", "l"}


def test_a_reader_cannot_change_anything(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as writer:
        writer.add([note("k", "spare key")])
    with Archive.open(tmp_path / "a", mode="read", encoder=HashingEncoder()) as reader:
        with pytest.raises(ArchiveReadOnlyError):
            reader.add([note("l", "key")])
        with pytest.raises(ArchiveReadOnlyError):
            reader.update(note("k", "other"))
        with pytest.raises(ArchiveReadOnlyError):
            reader.erase(["k"])
        with pytest.raises(ArchiveReadOnlyError):
            reader.rebuild()
        assert ids(reader.candidates("spare key")) == ["k"]


# Questions with pictures


def test_a_picture_alone_is_asked_by_its_caption_where_pixels_mean_nothing(
    archive: Archive,
) -> None:
    archive.add([note("k", "A red bicycle."), note("c", "Cat food.")])
    asked = Question(images=(QuestionImage(picture("red"), caption="a red bicycle"),))
    assert ids(archive.candidates(asked))[0] == "k"


def test_a_picture_alone_without_caption_is_refused_where_pixels_mean_nothing(
    archive: Archive,
) -> None:
    archive.add([note("k", "A red bicycle.")])
    with pytest.raises(InvalidDataError, match="does not see images"):
        archive.candidates(Question(images=(QuestionImage(picture("red")),)))


@pytest.mark.parametrize("colour", ["red", "green", "blue"])
def test_a_photo_without_any_word_is_found_by_a_picture_and_by_words(
    tmp_path: Path, clip: ClipEncoder, colour: str
) -> None:
    with opened(tmp_path / "a", clip) as archive:
        names = ["red", "green", "blue"]
        archive.add([photo(archive, f"p-{c}", scene(c, i)) for i, c in enumerate(names)])
        archive.add([note("n", "which wall")])
        asked = Question(images=(QuestionImage(picture(colour)),))
        by_picture = archive.candidates(asked).candidates[0]
        by_words = archive.candidates(f"which photo is {colour}").candidates[0]
    assert by_picture.memory_id == by_words.memory_id == f"p-{colour}"
    assert by_picture.dense > 0.9


def test_a_photo_in_the_published_profile_is_found_too(tmp_path: Path, clip: ClipEncoder) -> None:
    with opened(tmp_path / "a", clip, profile="paper") as archive:
        archive.add([photo(archive, f"p-{c}", scene(c)) for c in ("red", "green")])
        assert ids(archive.candidates("a photo of the green wall"))[0] == "p-green"


def filmed(archive: Archive, memory_id: str, data: bytes, duration: float | None) -> Memory:
    stored = archive.media.put(data).sha256
    return Memory(memory_id, "video", media=(Media("video", sha256=stored, duration=duration),))


def test_a_frame_of_a_video_is_found_by_a_picture_and_by_words(
    tmp_path: Path, clip: ClipEncoder
) -> None:
    with opened(tmp_path / "a", clip) as archive:
        one = video(tmp_path / "1.mp4", ["red", "green"], 2)
        two = video(tmp_path / "2.mp4", ["blue", "yellow"], 2)
        archive.add([filmed(archive, "v1", one, 4.0), filmed(archive, "v2", two, 4.0)])
        for colour, expected in (("green", "v1"), ("red", "v1"), ("yellow", "v2"), ("blue", "v2")):
            asked = Question(images=(QuestionImage(picture(colour)),))
            found = archive.candidates(asked).candidates[0]
            assert (found.memory_id, found.dense > 0.9) == (expected, True)
            assert ids(archive.candidates(f"the {colour} car"))[0] == expected
        frames = [view.seconds for view in archive.store.views(["v1"])["v1"]]
        assert frames == [0.25, 0.75, 1.25, 1.75, 2.25, 2.75, 3.25, 3.75]


@pytest.mark.parametrize("duration", [None, 0.0, 1000.0])
def test_a_video_with_a_wrong_or_unknown_duration_is_still_found(
    tmp_path: Path, clip: ClipEncoder, duration: float | None
) -> None:
    with opened(tmp_path / "a", clip) as archive:
        data = video(tmp_path / "1.mp4", ["red"])
        archive.add([filmed(archive, "v", data, duration), note("n", "green")])
        assert ids(archive.candidates("red"))[0] == "v"


# Bad input


def test_a_corrupt_picture_does_not_stop_indexing(tmp_path: Path, clip: ClipEncoder) -> None:
    whole = picture("red")
    with opened(tmp_path / "a", clip) as archive:
        damaged = photo(archive, "torn", whole[: len(whole) // 2])
        described = replace(
            photo(archive, "named", b"no picture at all"),
            media=(
                Media(
                    "image",
                    sha256=archive.media.put(b"no picture at all").sha256,
                    description=Description(caption="the blue wall"),
                ),
            ),
        )
        archive.add([damaged, described, photo(archive, "fine", whole)])
        assert archive.index() == 0
        assert ids(archive.candidates("red"))[0] == "fine"
        assert ids(archive.candidates("blue"))[0] == "named"
        require_rebuilt(archive)


def test_a_damaged_avif_does_not_stop_indexing(archive: Archive) -> None:
    out = io.BytesIO()
    Image.linear_gradient("L").convert("RGB").save(out, "AVIF")
    torn = bytearray(out.getvalue())
    torn[81] ^= 255
    archive.add([photo(archive, "torn", bytes(torn)), note("n", "key")])
    assert archive.index() == 0


def test_a_corrupt_video_does_not_stop_indexing(tmp_path: Path, clip: ClipEncoder) -> None:
    whole = video(tmp_path / "1.mp4", ["red"])
    with opened(tmp_path / "a", clip) as archive:
        archive.add(
            [
                filmed(archive, "torn", whole[:200], 1.0),
                filmed(archive, "text", b"no video", 1.0),
                filmed(archive, "picture", picture("blue"), 1.0),
                note("n", "green"),
            ]
        )
        assert archive.index() == 0
        assert ids(archive.candidates("green"))[0] == "n"


def test_a_corrupt_picture_in_a_question_is_refused(tmp_path: Path, clip: ClipEncoder) -> None:
    with opened(tmp_path / "a", clip) as archive:
        archive.add([note("n", "green")])
        with pytest.raises(InvalidDataError):
            archive.candidates(Question(images=(QuestionImage(b"no picture"),)))


def test_empty_text_is_stored_and_found_by_nothing(archive: Archive) -> None:
    archive.add([note("empty", ""), note("blank", " \n "), note("k", "key")])
    assert archive.get("blank").text == " \n "
    assert "empty" not in ids(archive.candidates("key"))
    require_rebuilt(archive)


@pytest.mark.parametrize(
    "filler", ["All work and no play. ", "word ", "x", "好", "\n", "1.", "a\u0301 "]
)
def test_a_very_long_message_is_found_by_what_stands_in_its_middle(
    archive: Archive, filler: str
) -> None:
    half = filler * (50_000 // len(filler))
    archive.add([note("long", f"{half} The spare key is with Olga. {half}"), note("n", "cat")])
    assert ids(archive.candidates("spare key Olga"))[0] == "long"


def test_a_language_that_nobody_declared_is_found_in_its_own_words(archive: Archive) -> None:
    archive.add(
        [
            note("ka", "სათადარიგო გასაღები ოლგასთან არის"),
            note("am", "ትርፍ ቁልፉ ኦልጋ ጋር ነው"),
            note("zh", "备用钥匙在奥尔加那里"),
            note("ar", "المفتاح الاحتياطي مع أولغا"),
        ]
    )
    assert ids(archive.candidates("გასაღები"))[0] == "ka"
    assert ids(archive.candidates("ቁልፉ"))[0] == "am"
    assert ids(archive.candidates("备用钥匙"))[0] == "zh"
    assert ids(archive.candidates("المفتاح"))[0] == "ar"


def test_what_cannot_be_stored_is_refused_as_a_whole(archive: Archive) -> None:
    with pytest.raises(GraphMemixError):
        archive.add([note("k", "key"), replace(note("m", ""), media=(Media("image", "0" * 64),))])
    assert archive.find() == []


def test_a_question_with_half_a_character_is_answered(archive: Archive) -> None:
    archive.add([note("k", "spare key")])
    assert ids(archive.candidates("spare key \ud800")) == ["k"]


# The packaged encoder


def test_the_packaged_encoder_is_the_default_and_knows_meaning(tmp_path: Path) -> None:
    with Archive.open(tmp_path / "a", settings=Settings()) as archive:
        assert isinstance(archive.encoder, MiniLmEncoder)
        archive.add(
            [
                note("doctor", "The physician is available on Tuesday."),
                note("car", "The vehicle needs new tyres."),
                turn("q", "Which film shall we see?", 0),
                turn("r", "The one about penguins.", 1),
            ]
        )
        assert ids(archive.candidates("When can I see a doctor?"))[0] == "doctor"
        assert ids(archive.candidates("automobile"))[0] == "car"
        require_rebuilt(archive)
