from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from graphmemix.encode.views import all_words, frame_times, spoken, views_of
from graphmemix.memory import Description, Media, Memory
from graphmemix.settings import Settings, ViewSettings

SHA = "a" * 64
EVERYTHING = Description(caption="A dog.", short_caption="Dog.", ocr="EXIT", transcript="Woof.")


def turn(memory_id: str, text: str, sequence: int, **fields: Any) -> Memory:
    return Memory(memory_id, "message", text, session="s", round="1", sequence=sequence, **fields)


def kinds_and_texts(
    memory: Memory, around: tuple[Memory, ...] = (), **settings: object
) -> list[tuple[str, str]]:
    made = views_of(memory, around, ViewSettings.model_validate(settings))
    assert [view.ordinal for view in made] == list(range(len(made)))
    assert {view.memory_id for view in made} <= {memory.id}
    return [(view.kind, view.text) for view in made]


def test_a_note_has_its_words_and_its_context() -> None:
    assert kinds_and_texts(Memory("m", "note", "Hello.")) == [
        ("text", "Hello."),
        ("context", "Hello."),
    ]


def test_nothing_gives_no_view() -> None:
    assert kinds_and_texts(Memory("m", "note", " ")) == []


def test_everything_that_describes_a_picture_is_a_view_of_its_own() -> None:
    memory = Memory("m", "photo", media=(Media("image", SHA, description=EVERYTHING),))
    assert kinds_and_texts(memory, context=False) == [
        ("image", ""),
        ("caption", "A dog."),
        ("caption", "Dog."),
        ("ocr", "EXIT"),
        ("transcript", "Woof."),
    ]


def test_a_picture_that_the_archive_does_not_hold_has_words_only() -> None:
    memory = Memory("m", "photo", media=(Media("image", description=EVERYTHING),))
    assert [kind for kind, _ in kinds_and_texts(memory, context=False)] == [
        "caption",
        "caption",
        "ocr",
        "transcript",
    ]


def test_a_short_caption_that_repeats_the_caption_is_no_view() -> None:
    described = Description(caption="A dog.", short_caption="A dog.")
    memory = Memory("m", "photo", media=(Media("image", description=described),))
    assert kinds_and_texts(memory, context=False) == [("caption", "A dog.")]


def test_words_come_before_pixels_so_that_they_are_canonical() -> None:
    memory = Memory("m", "message", "Look!", media=(Media("image", SHA),))
    assert [kind for kind, _ in kinds_and_texts(memory)] == ["text", "image", "context"]


def test_pixels_transcripts_and_contexts_can_be_switched_off() -> None:
    memory = Memory("m", "video", media=(Media("video", SHA, description=EVERYTHING),))
    assert {
        kind for kind, _ in kinds_and_texts(memory, pixels=False, transcript=False, context=False)
    } == {"caption", "ocr"}


def test_the_published_profile_makes_no_view_of_ours() -> None:
    memory = Memory("m", "video", "Hi.", media=(Media("video", SHA, description=EVERYTHING),))
    made = views_of(memory, (), Settings.for_profile("paper").views)
    assert {view.kind for view in made} == {"text", "caption", "ocr", "frame"}


def test_a_long_text_has_a_view_for_each_part_and_one_context() -> None:
    memory = Memory("m", "note", "This sentence is here. " * 20)
    kinds = [kind for kind, _ in kinds_and_texts(memory, chunk_characters=100, chunk_overlap=0)]
    assert kinds.count("text") == 5
    assert kinds[-1] == "context"
    assert kinds.count("context") == 1


def test_the_context_holds_the_words_of_companions_too() -> None:
    described = Media("image", SHA, description=Description(caption="A lake."))
    question = turn("q", "Where?", 0, media=(described,))
    answer = turn("r", "There.", 1)
    context = dict(kinds_and_texts(question, (answer,)))["context"]
    for words in ("Where?", "A lake.", "There."):
        assert words in context


def test_an_empty_half_still_has_the_context_of_the_other() -> None:
    views = kinds_and_texts(turn("q", "", 0), (turn("r", "There.", 1),))
    assert views == [("context", "There.")]


NOON = datetime(2023, 5, 1, 12, tzinfo=UTC)
LATER = NOON + timedelta(minutes=1)


def test_what_came_later_is_in_one_view_and_not_in_the_other() -> None:
    question, answer = (
        turn("q", "Where?", 0, timestamp=NOON),
        turn("r", "There.", 1, timestamp=LATER),
    )
    assert kinds_and_texts(question, (answer,)) == [
        ("text", "Where?"),
        ("exchange", "Where? There."),
        ("past", "Where?"),
    ]
    assert kinds_and_texts(answer, (question,)) == [
        ("text", "There."),
        ("context", "Where? There."),
    ]


@pytest.mark.parametrize("times", [(NOON, NOON), (LATER, NOON), (NOON, None), (None, None)])
def test_what_no_moment_separates_is_one_view(times: tuple[datetime | None, ...]) -> None:
    memory, other = (
        turn("q", "Where?", 0, timestamp=times[0]),
        turn("r", "There.", 1, timestamp=times[1]),
    )
    assert kinds_and_texts(memory, (other,))[1:] == [("context", "Where? There.")]


def test_a_memory_without_a_time_is_known_before_all_that_have_one() -> None:
    memory, other = turn("q", "Where?", 0), turn("r", "There.", 1, timestamp=NOON)
    assert ("past", "Where?") in kinds_and_texts(memory, (other,))


def test_which_companions_make_the_past_does_not_depend_on_later_ones() -> None:
    late = [turn(f"l{i}", f"late {i}.", 10 + i, timestamp=LATER) for i in range(9)]
    memory = turn("m", "Now.", 9, timestamp=NOON)
    early = turn("e", "Early.", 0, timestamp=NOON)
    assert ("past", "Early. Now.") in kinds_and_texts(memory, (early, *late))


# Frames


def test_frames_are_the_middles_of_equal_parts() -> None:
    assert frame_times(Media("video", SHA, duration=8.0), 4) == [1.0, 3.0, 5.0, 7.0]


@pytest.mark.parametrize("duration", [None, 0.0])
def test_a_video_of_unknown_length_has_its_first_frame(duration: float | None) -> None:
    assert frame_times(Media("video", SHA, duration=duration), 4) == [0.0]


def test_each_frame_is_a_view_with_its_time() -> None:
    memory = Memory("m", "video", media=(Media("video", SHA, duration=2.0),))
    made = views_of(memory, (), ViewSettings(frames=2))
    assert [(view.kind, view.media_sha256, view.seconds) for view in made] == [
        ("frame", SHA, 0.5),
        ("frame", SHA, 1.5),
    ]


# Who said it


def test_a_message_says_who_said_it() -> None:
    assert spoken(Memory("m", "message", "Hi.", speaker="Olga")) == "Olga: Hi."


@pytest.mark.parametrize("speaker", ["user", "Assistant", "SYSTEM", None, ""])
def test_roles_are_no_names(speaker: str | None) -> None:
    assert spoken(Memory("m", "message", "Hi.", speaker=speaker)) == "Hi."


def test_only_messages_with_words_say_who_said_them() -> None:
    assert spoken(Memory("m", "note", "Hi.", speaker="Olga")) == "Hi."
    assert spoken(Memory("m", "message", "", speaker="Olga")) == ""


def test_all_words_take_the_caption_or_else_the_short_one() -> None:
    media = (
        Media("image", description=EVERYTHING),
        Media("image", description=Description(short_caption="Cat.")),
    )
    assert all_words(Memory("m", "photo", "Hi.", media=media)) == "Hi. A dog. EXIT Woof. Cat."
