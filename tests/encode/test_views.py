from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from graphmemix.encode.views import all_words, frame_times, spoken, views_of
from graphmemix.memory import Description, Media, Memory, Modality, Place, Reference
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


# What else a memory is named by


def context_of(memory: Memory, *around: Memory) -> str:
    return dict(kinds_and_texts(memory, around)).get("context", "")


def test_the_context_names_who_took_a_photo_where_and_for_which_album() -> None:
    memory = Memory(
        "m",
        "photo",
        speaker="Olga",
        place=Place("Lake Bled"),
        metadata={"album": "Summer"},
        media=(Media("image", SHA, name="castle at night.jpg"),),
    )
    assert context_of(memory) == "Olga Lake Bled Summer castle at night.jpg"
    described = replace(memory, text="A boat.", metadata={"album": 7})
    assert context_of(described) == "Olga Lake Bled castle at night.jpg A boat."
    assert dict(kinds_and_texts(described))["text"] == "A boat."  # labels are no words of its own


@pytest.mark.parametrize(
    "name",
    [
        "IMG_2748.HEIC",
        "PXL_20230714_111242420.jpg",
        "20240401_130613.jpg",
        "IMG-20230714-WA0019.jpg",
        "DSC01234",
        "dscf0815.jpg",
    ],
)
def test_the_name_that_a_camera_gives_is_no_label(name: str) -> None:
    assert context_of(Memory("m", "photo", media=(Media("image", SHA, name=name),))) == ""


@pytest.mark.parametrize(
    ("modality", "name"),
    [
        ("text", "INV-2023-07.pdf"),
        ("text", "PT-88213_conditions.pdf"),
        ("image", "IMG_2748 castle.jpg"),
        ("image", "castle.jpg"),
    ],
)
def test_the_name_that_somebody_gave_is_a_label(modality: Modality, name: str) -> None:
    memory = Memory("m", "document", "Words.", media=(Media(modality, name=name),))
    assert context_of(memory) == f"{name} Words."


def test_a_message_names_its_speaker_once_and_roles_are_no_names() -> None:
    assert context_of(Memory("m", "message", "Hi.", speaker="Olga")) == "Olga: Hi."
    assert context_of(Memory("m", "note", "Hi.", speaker="Assistant")) == "Hi."
    placed = Memory("m", "note", "Hi.", speaker="user", place=Place("Rome"))
    assert context_of(placed) == "Rome Hi."


# Mails

FIRST = Memory(
    "a", "email", "Keys\n\nWhere are the keys?", source_id="<a>", session="t", timestamp=NOON
)
ANSWER = Memory(
    "b",
    "email",
    "Re: Keys\n\nWith Olga.\n\nOn Mon, 1 May 2023, Ben wrote:\n> Where are the keys?\n",
    session="t",
    references=(Reference("reply_to", "<a>"),),
    timestamp=LATER,
)


def test_the_own_words_of_a_mail_are_without_what_it_quotes() -> None:
    assert "With Olga." in spoken(ANSWER)
    assert "Where are" not in spoken(ANSWER)
    assert "Where are" not in all_words(ANSWER)


def test_a_mail_that_only_quotes_keeps_its_words() -> None:
    only = Memory("m", "email", "> Where are the keys?")
    assert "Where are the keys?" in spoken(only)


def test_what_a_mail_quotes_is_a_view_only_if_the_archive_lacks_the_answered_mail() -> None:
    alone = kinds_and_texts(ANSWER)
    assert [kind for kind, _ in alone] == ["text", "quoted", "context"]
    assert "Where are the keys?" in dict(alone)["quoted"]
    together = kinds_and_texts(ANSWER, (FIRST,))
    assert [kind for kind, _ in together] == ["text", "context"]
    assert dict(together)["context"].count("Where are the keys?") == 1
    assert "quoted" not in dict(kinds_and_texts(FIRST))


def test_without_contexts_the_words_of_a_mail_are_all_of_them() -> None:
    assert kinds_and_texts(ANSWER, context=False) == [("text", ANSWER.text.strip())]
