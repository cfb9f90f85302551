from __future__ import annotations

import random

import pytest

from graphmemix.memory import Description, Media, Memory, Place
from graphmemix.settings import GraphSettings, RecordGroundingSettings
from tests.relate import reference
from tests.relate.archive import NARROW, InMemory, at, crowd, linked, mail, photo

DAY = at("2023-07-14T18:00", 2)
SENT = at("2023-06-20T09:00")


def grounded(*memories: Memory, settings: GraphSettings | None = None) -> set[tuple[str, str]]:
    return linked("record_grounding", memories, settings or GraphSettings())


def test_day_and_place_agree() -> None:
    letter = mail("m", "Your table at Osteria Bassi in Bologna on 14 July 2023", when=SENT)
    assert grounded(letter, photo("p", DAY, place="Bologna, Italy")) == {("m", "p")}
    assert grounded(letter, photo("p", DAY, place="Milan, Italy")) == set()
    assert grounded(letter, photo("p", at("2023-07-15T18:00"), place="Bologna, Italy")) == set()


def test_without_a_place_two_words_of_the_content_must_agree() -> None:
    letter = mail("m", "Pottery workshop on 14 July 2023: bring an apron and glazes", when=SENT)
    assert grounded(letter, photo("p", DAY, None, caption="Two pottery bowls with blue glaze"))
    assert not grounded(letter, photo("p", DAY, None, caption="A pottery bowl"))
    assert not grounded(letter, photo("p", DAY, None, caption="People standing on a table"))
    assert not grounded(letter, photo("p", DAY, None))


@pytest.mark.parametrize(
    "medium",
    [
        photo("p", DAY, None, ocr="POTTERY WORKSHOP"),
        photo("p", DAY, None, tags=["pottery", "workshop", 3]),
        photo("p", DAY, None, tags="pottery workshop"),
        Memory("p", "photo", "Pottery workshop!", timestamp=DAY),
        Memory("p", "message", timestamp=DAY, media=(
            Media("video", description=Description(short_caption="a pottery workshop")),)),
    ],
    ids=["ocr", "tags", "tag", "text", "short caption of a video"],
)  # fmt: skip
def test_content_is_what_descriptions_tags_and_text_say(medium: Memory) -> None:
    assert grounded(mail("m", "Pottery workshop, 14 July 2023"), medium) == {("m", "p")}


def test_how_many_words_is_a_setting() -> None:
    one = GraphSettings(record_grounding=RecordGroundingSettings(content_words=1))
    letter = mail("m", "Pottery on 14 July 2023")
    assert grounded(letter, photo("p", DAY, None, caption="a pottery bowl"), settings=one)


def test_the_day_of_a_photo_is_its_own_local_day() -> None:
    letter = mail("m", "Fireworks in Kyoto on 15 July 2023")
    in_kyoto = photo("p", at("2023-07-15T00:30", 9), place="Kyoto")  # the 14th in UTC
    assert grounded(letter, in_kyoto) == {("m", "p")}
    assert not grounded(letter, photo("p", at("2023-07-14T23:30", -10), place="Kyoto"))


def test_a_date_without_a_year_is_near_the_mail() -> None:
    photo_2023 = photo("p", DAY, place="Bled")
    assert grounded(mail("m", "See you in Bled on July 14", when=SENT), photo_2023)
    assert not grounded(mail("m", "See you in Bled on July 14", when=at("2021-06-20")), photo_2023)
    assert not grounded(mail("m", "See you in Bled on July 14"), photo_2023)


def test_both_readings_of_an_ambiguous_date_count() -> None:
    letter = mail("m", "Bled, 07/08/2023")
    july, august = (
        photo("p", at("2023-07-08"), place="Bled"),
        photo("q", at("2023-08-07"), place="Bled"),
    )
    assert grounded(letter, july, august) == {("m", "p"), ("m", "q")}


def test_the_subject_speaks_too() -> None:
    letter = mail("m", "All details inside.", subject="Bled on 14 July 2023")
    assert grounded(letter, photo("p", DAY, place="Lake Bled"))


@pytest.mark.parametrize(
    ("place", "text", "expected"),
    [
        ("Köln", "Konzert in KÖLN", True),
        ("Ulm", "Treffen in Ulm", True),
        ("Rio de Janeiro", "Flug nach Rio", False),
        ("Rio de Janeiro", "Karneval in Rio de Janeiro", True),
        ("New York", "a new coat", False),
        ("San Francisco", "San Diego zoo", False),
        ("Central Station", "meet at the station", False),
        ("Hotel Adler, Vienna", "your hotel room", False),
        ("Hotel Adler, Vienna", "Vienna is waiting", True),
        ("東京都, 日本", "東京都で会いましょう", True),
        ("東京都, 日本", "京都で会いましょう", False),
        ("シンガポール", "シンガポールへようこそ", True),
        ("", "anything", False),
        ("12", "12 people", False),
    ],
)
def test_places_agree_by_their_own_words(place: str, text: str, *, expected: bool) -> None:
    medium = photo("p", DAY, 0, 0, place=place)
    assert bool(grounded(mail("m", f"{text} 2023-07-14"), medium)) is expected


def test_two_halves_of_a_chinese_word_are_one_word() -> None:
    letter = mail("m", "2023年7月14日 音乐会 在公园")
    assert not grounded(letter, photo("p", DAY, None, caption="音乐会"))
    assert grounded(letter, photo("p", DAY, None, caption="音乐会 在公园 里"))


def test_words_in_web_addresses_do_not_count() -> None:
    letter = mail("m", "14 July 2023 https://example.org/pottery/workshop")
    assert not grounded(letter, photo("p", DAY, None, caption="pottery workshop"))


def test_the_day_a_quoted_mail_was_sent_is_not_stated() -> None:
    letter = mail(
        "m", "Bled was fine!\n\n> On Fri, 14 Jul 2023 at 10:12 Ann <a@b.c> wrote:\n> Bled?"
    )
    assert not grounded(letter, photo("p", DAY, place="Bled"))


def test_an_attribution_may_run_over_two_lines() -> None:
    letter = mail(
        "m", "Bled!\n> On Fri, 14 Jul 2023, Ann of the long name\n> <a@b.c> wrote:\n> Bled?"
    )
    assert not grounded(letter, photo("p", DAY, place="Bled"))


def test_mails_with_pictures_are_mails_and_text_is_no_photo() -> None:
    letter = mail("m", "Bled, 14 July 2023")
    with_picture = Memory(
        "n", "email", "", timestamp=DAY, place=Place("Bled"), media=(Media("image"),)
    )
    note = Memory("o", "note", "Bled", timestamp=DAY, place=Place("Bled"))
    assert not grounded(letter, with_picture, note)


def test_the_best_agreement_is_linked_first() -> None:
    two = GraphSettings(record_grounding=RecordGroundingSettings(max_neighbours=2))
    letter = mail("m", "Rowing boats and castle walls of Bled, 14 July 2023")
    words = photo("a", DAY, None, caption="castle walls")
    more_words = photo("b", DAY, None, caption="rowing boats, castle walls")
    place = photo("c", DAY, place="Bled")
    assert grounded(letter, words, more_words, place, settings=two) == {("b", "m"), ("c", "m")}
    letters = [mail(name, "Bled, 14 July 2023") for name in "xyz"]
    assert len(grounded(*letters, place, settings=two)) == 2


def test_only_the_first_dates_of_a_mail_count() -> None:
    one = GraphSettings(record_grounding=RecordGroundingSettings(max_dates=1))
    letter = mail("m", "Bled: 13 July 2023 or 14 July 2023")
    assert grounded(letter, photo("p", DAY, place="Bled"))
    assert not grounded(letter, photo("p", DAY, place="Bled"), settings=one)


def test_a_caption_that_comes_later_makes_the_link() -> None:
    archive = InMemory()
    archive.change([mail("m", "Pottery workshop, 14 July 2023"), photo("p", DAY, None)])
    assert not archive.stored
    archive.change([photo("p", DAY, None, caption="pottery workshop")])
    assert list(archive.stored) == [("m", "p", "record_grounding")]


def test_a_day_that_no_mail_speaks_of_is_not_read() -> None:
    archive = InMemory()
    archive.change([photo(f"{i:03}", DAY, None) for i in range(300)])
    archive.fetched = 0
    archive.change([photo("new", DAY, None)])
    assert archive.fetched == 0


def test_crowded_days_are_linked_as_the_rule_says() -> None:
    rng = random.Random(11)
    for _ in range(5):
        memories = list({m.id: m for m in (crowd(rng, "media") for _ in range(60))}.values())
        expected = {
            tuple(sorted((a.id, b.id))) for a, b in reference.record_grounding(memories, NARROW)
        }
        assert grounded(*memories, settings=NARROW) == expected
        assert expected
