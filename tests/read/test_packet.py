from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from graphmemix.errors import MemoryNotFoundError
from graphmemix.evidence import EvidenceNode, EvidenceTree, Forest, Question, QuestionImage, Turn
from graphmemix.memory import Description, Media, Memory, Place
from graphmemix.read.packet import block_text, make_packet, packet_text, text_tokens
from graphmemix.settings import Settings
from tests.read.evidence import forest, packet, with_context

WHEN = datetime(2025, 6, 2, 14, 30, tzinfo=UTC)
MAIL = Memory(
    "m-mail",
    "email",
    "Booking\nYou stay at Hotel Miramar.",
    source_id="<1@hotel>",
    speaker="Hotel Miramar",
    timestamp=WHEN,
    place=Place("Malcesine"),
)
PAPER = Settings.for_profile("paper")


def photo(number: int, *, width: int | None = 2000, height: int | None = 1000) -> Memory:
    media = Media("image", f"{number:064x}", "image/jpeg", f"{number}.jpg", None, width, height)
    return Memory(f"m-{number}", "photo", media=(media,))


def test_a_block_has_rank_ids_modality_text_date_and_place() -> None:
    assert packet_text(packet(MAIL)) == (
        "=== Memory [1] ===\n"
        "id: m-mail\n"
        "source id: <1@hotel>\n"
        "modalities: text\n"
        "kind: mail by Hotel Miramar\n"
        "date: 2025-06-02 14:30 (Monday)\n"
        "place: Malcesine\n"
        "text:\n"
        "> Booking\n"
        "> You stay at Hotel Miramar."
    )


def test_the_published_block_has_no_date_no_place_and_nobody() -> None:
    assert packet_text(packet(MAIL, settings=PAPER)) == (
        "=== Memory [1] ===\n"
        "id: m-mail\n"
        "source id: <1@hotel>\n"
        "modalities: text\n"
        "text:\n"
        "> Booking\n"
        "> You stay at Hotel Miramar."
    )


def test_blocks_stand_in_the_order_of_the_forest() -> None:
    # Two trees: b with its child c, then a. The memories come in any order.
    trees = (
        EvidenceTree((EvidenceNode("b", 0.9), EvidenceNode("c", 0.1, "b", "new_fact", 0.5))),
        EvidenceTree((EvidenceNode("a", 0.8),)),
    )
    memories = {each: Memory(each, "note", each) for each in "abc"}
    made = make_packet(Forest(trees, ("a", "b", "c"), 1, "exact", True), memories, Settings())
    assert [(block.rank, block.memory_id) for block in made.blocks] == [
        (1, "b"),
        (2, "c"),
        (3, "a"),
    ]


def test_no_score_role_or_weight_is_told() -> None:
    node = EvidenceNode("b", 0.7391, "a", "corroboration", 0.6543)
    tree = EvidenceTree((EvidenceNode("a", 0.8642), node))
    memories = {each: Memory(each, "note", "words") for each in "ab"}
    made = make_packet(Forest((tree,), ("a", "b"), 1.5279, "exact", True), memories, Settings())
    for told in (packet_text(made), made.to_json()):
        assert not any(secret in told for secret in ("7391", "8642", "6543", "5279", "corrob"))


def test_a_memory_that_is_not_there_is_named() -> None:
    with pytest.raises(MemoryNotFoundError, match="m-x"):
        make_packet(forest("m-x"), {}, Settings())


def test_words_about_media_follow_the_own_ones_and_say_what_they_are() -> None:
    about = Description("A menu.", "Menu.", "Da Gino\n~~~~\nPizza 8.50\nPizza 8.50", "Cheers!")
    memory = Memory("m", "message", "Dinner", media=(Media("image", name="a", description=about),))
    assert packet(memory).blocks[0].text == (
        "Dinner\nShown: A menu.\nText in the picture: Da Gino / Pizza 8.50\nHeard: Cheers!"
    )


def test_words_about_media_are_bounded() -> None:
    about = Description(
        "caption " * 10_000, "", "word 1\n" * 3 + "x y z " * 9_000, "said " * 10_000
    )
    media = tuple(Media("video", name=str(each), description=about) for each in range(30))
    text = packet(Memory("m", "video", media=media), settings=with_context(10**6)).blocks[0].text
    assert len(text) < 12 * 10_000
    assert "…" in text


def test_a_day_without_a_time_is_told_as_a_day() -> None:
    memory = Memory("m", "note", "x", timestamp=datetime(2025, 6, 2, tzinfo=UTC))
    assert packet(memory).blocks[0].date == "2025-06-02"


@pytest.mark.parametrize(
    ("zone", "hour", "date"),
    [
        ("Europe/Vienna", 16, "2025-06-02 18:30"),
        ("", 16, "2025-06-02 16:30"),
        ("Asia/Tokyo", 16, "2025-06-03 01:30"),
    ],
)
def test_a_clock_in_utc_is_read_in_the_archives_zone(zone: str, hour: int, date: str) -> None:
    settings = Settings.load(environment={}, overrides={"ingest.zone": zone})
    event = Memory("m", "event", "x", timestamp=datetime(2025, 6, 2, hour, 30, tzinfo=UTC))
    assert packet(event, settings=settings).blocks[0].date == date


def test_a_clock_with_another_offset_is_read_so_too_and_a_day_alone_stays() -> None:
    settings = Settings.load(environment={}, overrides={"ingest.zone": "Europe/Vienna"})
    there = datetime(2025, 6, 2, 9, 30, tzinfo=timezone(timedelta(hours=-7)))
    moments = (there, datetime(2025, 6, 2, tzinfo=UTC), datetime(9999, 12, 31, 23, 30, tzinfo=UTC))
    made = [Memory(f"m{i}", "note", "x", timestamp=when) for i, when in enumerate(moments)]
    dates = [block.date for block in packet(*made, settings=settings).blocks]
    assert dates == ["2025-06-02 18:30", "2025-06-02", "9999-12-31 23:30"]


def test_a_place_without_a_name_is_told_by_its_coordinates() -> None:
    memory = Memory("m", "note", "x", place=Place("", 45.76431, 10.80722))
    assert packet(memory).blocks[0].place == "45.7643, 10.8072"


def test_pictures_and_videos_go_along_and_sounds_do_not() -> None:
    media = tuple(Media(kind, name=kind) for kind in ("image", "audio", "video", "text"))
    (block,) = packet(Memory("m", "message", "x", media=media)).blocks
    assert [medium.name for medium in block.media] == ["image", "video"]


def test_without_eyes_no_media_go_along_and_none_count_as_dropped() -> None:
    made = make_packet(forest("m-1"), {"m-1": photo(1)}, Settings(), visual=False)
    assert made.blocks[0].media == ()
    assert made.dropped_media == ()


def test_the_lowest_ranked_media_are_dropped_first_and_recorded() -> None:
    # A picture of 2,000 x 1,000 takes 1,954 tokens, and 600 + 1,000 are set aside.
    made = packet(*map(photo, (1, 2, 3, 4)), settings=with_context(6000))
    assert [len(block.media) for block in made.blocks] == [1, 1, 0, 0]
    assert made.dropped_media == (("m-4", "4.jpg"), ("m-3", "3.jpg"))
    assert made.shortened == ()


def test_texts_are_shortened_only_after_all_media_and_from_the_lowest_on() -> None:
    long = [Memory(f"t-{each}", "note", "words and words " * 100) for each in (1, 2, 3)]
    made = packet(photo(1), *long, settings=with_context(3000))
    assert made.dropped_media == (("m-1", "1.jpg"),)
    assert made.shortened == ("t-3",)
    first, *_, last = [block.text for block in made.blocks[1:]]
    assert len(first) == len("words and words " * 100) - 1
    assert last.endswith(" …")
    assert sum(text_tokens(block_text(block)) for block in made.blocks) <= 3000 - 1600


def test_however_small_the_context_every_block_keeps_its_label() -> None:
    memories = [Memory(f"t-{each}", "note", "words " * 500) for each in range(10)]
    made = packet(*memories, settings=with_context(1))
    assert [block.rank for block in made.blocks] == list(range(1, 11))
    assert len(made.shortened) == 10


def test_a_picture_is_counted_at_the_size_that_it_is_sent_in() -> None:
    # 10,000 x 5,000 goes as 2,500 x 1,250: 3,052 tokens.
    made = packet(photo(1, width=10_000, height=5_000), settings=with_context(1600 + 3052 + 60))
    assert made.dropped_media == ()
    made = packet(photo(1, width=10_000, height=5_000), settings=with_context(1600 + 3052))
    assert made.dropped_media == (("m-1", "1.jpg"),)


def test_the_question_takes_its_share_of_the_context() -> None:
    def dropped(question: Question) -> int:
        memories = {"m-1": photo(1)}
        settings = with_context(1600 + 1954 + 100)
        return len(make_packet(forest("m-1"), memories, settings, question=question).dropped_media)

    assert dropped(Question("What?")) == 0
    assert dropped(Question("What? " * 100)) == 1
    assert dropped(Question("What?", images=(QuestionImage(b"no picture"),))) == 1
    assert dropped(Question("What?", history=(Turn("user", "Well. " * 100),))) == 1


def test_a_packet_goes_through_json_unchanged() -> None:
    made = packet(MAIL, photo(1), settings=with_context(1800), instruction="Be brief.")
    assert type(made).from_json(made.to_json()) == made
