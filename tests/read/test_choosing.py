"""What an answer by quotation holds, and in which order."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from itertools import permutations

import pytest

from graphmemix.evidence import Question
from graphmemix.llm import run_sync
from graphmemix.memory import Description, Kind, Media, Memory, Place
from graphmemix.read import ExtractiveReader
from tests.read.evidence import packet


def quotes(question: str, *memories: Memory) -> list[str]:
    reading = run_sync(ExtractiveReader().read(Question(question), packet(*memories)))
    return [citation.quote for citation in reading.answer.citations]


def lines(question: str, *memories: Memory) -> list[str]:
    reading = run_sync(ExtractiveReader().read(Question(question), packet(*memories)))
    return reading.answer.text.splitlines()


def memory(
    name: str, text: str, day: tuple[int, int] = (1, 1), kind: Kind = "message", who: str = "Lena"
) -> Memory:
    month, number = day
    when = datetime(2023, month, number, 12, 30, tzinfo=UTC)
    return Memory(name, kind, text, speaker=who, timestamp=when)


TOOTH = memory("tooth", "Mia lost her first tooth at breakfast", (7, 14))
STAY = memory(
    "stay",
    "Booking\n\nYou stay at Hotel Olivo from 10 to 17 July 2023.",
    (2, 7),
    "email",
    "Hotel Olivo",
)
BLED = memory("bled", "Booking\n\nYou stay at Hotel Jezero from 1 to 3 May 2023.", (2, 6), "email")


def test_the_event_comes_first_and_then_what_was_at_its_time() -> None:
    found = quotes("Which hotel did we stay in when Mia lost her tooth?", BLED, STAY, TOOTH)
    assert found[:2] == [TOOTH.text, "You stay at Hotel Olivo from 10 to 17 July 2023."]


WOBBLY = memory("wobbly", "Mia's tooth is very wobbly", (7, 13))
CONFIRMED = memory(
    "confirmed",
    "Your booking\n\nArrival: 10 July 2023\nDeparture: 17 July 2023\nHotel Olivo, Malcesine",
    (2, 7),
    "email",
)


@pytest.mark.parametrize("order", list(permutations((TOOTH, WOBBLY, CONFIRMED))))
def test_what_tells_of_the_event_does_not_also_answer(order: tuple[Memory, ...]) -> None:
    found = quotes("Which hotel did we stay in when Mia lost her tooth?", *order)
    assert found[:2] == [TOOTH.text, "Hotel Olivo, Malcesine"]


@pytest.mark.parametrize("first", [False, True])
def test_of_two_hotels_for_those_days_the_one_that_more_is_known_of_comes_first(
    first: bool,
) -> None:
    jezero = memory("jezero", "You stay at Hotel Jezero from 10 to 17 July 2023.", (2, 2), "email")
    olivo = memory("olivo", "You stay at Hotel Olivo from 10 to 17 July 2023.", (2, 6), "email")
    arrival = memory("arrival", "Lake Garda, at the Olivo", (7, 14), "event")
    order = (olivo, jezero) if first else (jezero, olivo)
    found = quotes("Which hotel did we stay in when Mia lost her tooth?", *order, TOOTH, arrival)
    assert found[:2] == [TOOTH.text, olivo.text]
    assert jezero.text not in found  # it cannot have been both


def test_an_event_alone_is_quoted_once() -> None:
    assert quotes("Which hotel did we stay in when Mia lost her tooth?", TOOTH) == [TOOTH.text]


def test_a_better_answer_wins_from_the_last_place() -> None:
    others = [memory(f"o{n}", f"The key of shed {n} is in the kitchen.") for n in range(8)]
    hall = memory("hall", "The spare key hangs in the hall.")
    asked = "Where is the spare key of the shed?"
    assert {quotes(asked, *others[:n], hall, *others[n:])[0] for n in range(9)} == {hall.text}


@pytest.mark.parametrize("reverse", [False, True])
def test_what_only_repeats_the_question_comes_after_what_tells_more(reverse: bool) -> None:
    title = memory("title", "Mia: allergy test", (4, 11), "event")
    result = memory("result", "Allergy test of Mia: hazelnut, clearly", (4, 18))
    order = (result, title) if reverse else (title, result)
    assert quotes("What came of Mia's allergy test?", *order)[0] == result.text


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Where did we eat on the day before Mia lost her tooth?", "We eat at Da Gino"),
        ("Where did we eat on the day after Mia lost her tooth?", "We eat at Da Carlo"),
    ],
)
def test_before_and_after_an_event_are_other_days(question: str, expected: str) -> None:
    gino = memory("gino", "We eat at Da Gino", (7, 13))
    carlo = memory("carlo", "We eat at Da Carlo", (7, 15))
    for order in ((gino, carlo, TOOTH), (carlo, gino, TOOTH)):
        assert quotes(question, *order)[:2] == [TOOTH.text, expected]


def test_an_event_that_nothing_tells_of_is_not_made_up() -> None:
    found = quotes("Which hotel did we stay in when the boiler broke?", STAY)
    assert found == ["You stay at Hotel Olivo from 10 to 17 July 2023."]


FIRST = memory("first", "The parents' evening is on 19 September in room 4.", (9, 12))
MOVED = memory("moved", "The parents' evening moves to 26 September, room 7.", (9, 14))


@pytest.mark.parametrize("order", [(FIRST, MOVED), (MOVED, FIRST)])
def test_the_newer_statement_comes_first_and_the_older_is_marked(
    order: tuple[Memory, Memory],
) -> None:
    newer, older = lines("When is the parents' evening?", *order)
    rank = order.index(MOVED) + 1
    assert newer.startswith("“The parents' evening moves to 26 September")
    assert "superseded" not in newer
    assert older.endswith(f"(superseded on 14 September 2023 by [{rank}])")


def test_german_statements_are_superseded_too() -> None:
    first = memory("first", "Der Elternabend der Klasse ist am 19. September.", (9, 12))
    moved = memory("moved", "Der Elternabend der Klasse wurde auf den 26. verschoben.", (9, 14))
    newer, older = lines("Wann ist der Elternabend der Klasse?", first, moved)
    assert "verschoben" in newer
    assert older.endswith("(superseded on 14 September 2023 by [2])")


def test_what_was_said_later_about_a_namesake_supersedes_nothing() -> None:
    first = memory("first", "Tobi goes to Meadowbank as usual.", (9, 12))
    later = memory("later", "Tobi of Meadowbank: his tutor has moved away.", (9, 14))
    found = lines("When does Tobi go to Meadowbank?", first, later)
    assert not any("superseded" in line for line in found)


def test_what_was_said_after_the_time_in_question_supersedes_nothing() -> None:
    has = memory("has", "I still have your spare key.", (1, 9), who="Ruth")
    gave = memory("gave", "I gave your spare key to Olga.", (8, 12), who="Ruth")
    found = lines("Who had our spare key in March 2023?", gave, has)
    assert found[0].startswith("“I still have your spare key.”")
    assert not any("superseded" in line for line in found)


BILL = "Invoice\n\nRepair of the boiler\nPump: {pump} EUR\nWork: 10.00 EUR\nTotal: {total} EUR"


def test_sums_are_listed_one_line_each() -> None:
    bills = [
        memory("one", BILL.format(pump="90.00", total="100.00"), (3, 1), "email"),
        memory("two", BILL.format(pump="40.00", total="50.00"), (4, 1), "email"),
        memory("note", "The boiler is loud again."),
    ]
    found = quotes("What did the two repairs of the boiler cost together?", *bills)
    assert found == ["Total: 100.00 EUR", "Total: 50.00 EUR"]


def test_items_of_a_list_are_more_than_three() -> None:
    books = ("Dune", "Emma", "Ulysses", "Persuasion", "Middlemarch")
    texts = [memory(book, f"We ordered the book {book} today.") for book in books]
    assert len(quotes("Which books did we order?", *texts)) == len(books)


def test_a_day_is_told_in_order_of_time() -> None:
    evening = memory("evening", "The castle was closed.", (7, 14))
    assert evening.timestamp is not None
    morning = Memory(
        "morning", "message", "It is out!", timestamp=evening.timestamp.replace(hour=8)
    )
    other = memory("other", "Nothing new.", (7, 20))
    found = quotes("What happened on 14 July 2023?", evening, other, STAY, morning)
    stay = "Booking / You stay at Hotel Olivo from 10 to 17 July 2023."
    assert found == [stay, "It is out!", "The castle was closed."]


def photo(name: str, day: int, caption: str = "", place: str = "Malcesine") -> Memory:
    medium = Media("image", name=f"{name}.jpg", description=Description(caption))
    when = datetime(2023, 7, day, 9, 5, tzinfo=UTC)
    return Memory(name, "photo", "", timestamp=when, place=Place(place), media=(medium,))


def test_photos_are_lines_with_date_place_and_caption_or_file_name() -> None:
    text = memory("text", "We took photos of the lake in July.", (7, 12))
    found = lines("Photos from July 2023", text, photo("b", 12), photo("a", 11, "A red boat"))
    assert found == [
        "“A red boat” [3: caption of a photo, 11 July 2023, 09:05, Malcesine]",
        "A photo taken on 12 July 2023, 09:05 in Malcesine (b.jpg). [2]",
    ]


@pytest.mark.parametrize(
    "question",
    [
        "What did Lena write in July 2023?",
        "What did Lena write about the lake?",
        "Was hat Lena im Juli 2023 geschrieben?",
    ],
)
def test_a_photo_without_words_is_nothing_that_somebody_wrote(question: str) -> None:
    said = memory("said", "The lake is right there", (7, 12))
    photos = photo("a", 11), photo("b", 11, "The lake of Lena")
    assert quotes(question, *photos, said) == ["The lake is right there"]
    assert quotes(question, photo("a", 11)) == []


@pytest.mark.parametrize("greeting", ["Sehr geehrter Herr Berg,", "Chers parents,", "Hola Mia,"])
def test_a_greeting_answers_nothing(greeting: str) -> None:
    mail = memory("mail", f"Termin\n{greeting}\nHerr Leicht kommt am Montag.", kind="email")
    assert quotes("Wann kommt Herr Leicht?", mail) == ["Herr Leicht kommt am Montag."]


def test_of_photos_of_somebody_those_that_say_so_are_shown() -> None:
    marked = replace(photo("a", 11), text="In the garden\nPeople: Mia, Noah")
    assert quotes("photos of Mia", photo("b", 12, "A dog"), marked) == ["In the garden"]
    assert len(quotes("photos of Olga", photo("b", 12, "A dog"), marked)) == 2


def test_a_photo_that_is_described_comes_before_others() -> None:
    found = quotes("Is there a photo of the red boat?", photo("b", 12, "A dog"),
                   photo("a", 11, "A red boat"))  # fmt: skip
    assert found[0] == "A red boat"


def test_without_any_photo_the_words_answer() -> None:
    text = memory("text", "The photo of the lake hangs in the hall.")
    assert quotes("Where is the photo of the lake?", text) == [text.text]


def test_a_story_is_told_in_order_of_time() -> None:
    fell = memory("fell", "Noah fell and chipped a tooth.", (10, 3))
    seen = memory("seen", "Noah's tooth was polished by the dentist.", (10, 12))
    assert quotes("What happened to Noah's tooth?", seen, fell) == [fell.text, seen.text]


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("Which seats did we have on the train to Vienna?", "Coach 24, seats 61 and 62"),
        ("What was the price of the train to Vienna?", "Total: 88.00 EUR"),
    ],
)
def test_only_a_value_of_the_sort_that_is_asked_for_comes_first(question: str, value: str) -> None:
    text = "Tickets: Graz to Vienna\n\nYour train to Vienna leaves at noon.\n"
    ticket = memory("t", f"{text}Coach 24, seats 61 and 62\nTotal: 88.00 EUR", kind="email")
    other = memory("o", "Cinema\n\nRow 6, seats 12 and 13. Total: 20.00 EUR", kind="email")
    talk = memory("m", "On the train to Vienna now")
    assert quotes(question, talk, other, ticket)[0] == value


@pytest.mark.parametrize(
    "ordered", ["PB-77120: one school bag, red.", "MK-30118: one school bag, red."]
)
def test_what_a_number_belongs_to_is_quoted_with_it(ordered: str) -> None:
    tracking = "Tracking number of PB-77120, with Alpenpost: AP 4093 5582 117."
    shipped = memory("shipped", tracking, (8, 4), "email")
    order = memory("order", ordered, (8, 2), "email")
    found = quotes("What is the tracking number at Alpenpost for the school bag?", shipped, order)
    assert found == ([tracking, ordered] if "PB-77120" in ordered else [tracking])


def test_what_was_cancelled_later_stands_behind_and_is_marked() -> None:
    booked = memory("booked", "We stay in a hotel: JZ-1907, Hotel Jezero, 10 to 17 July.", (2, 2))
    cancelled = memory("cancelled", "We have cancelled JZ-1907 for you.", (2, 7), "email")
    other = memory("other", "In July we stay in a hotel, the Olivo in Malcesine.", (2, 6))
    question = "Which hotel do we stay in in July?"
    assert quotes(question, booked, cancelled, other)[0] == other.text
    text = "\n".join(lines(question, booked, cancelled))
    assert "(superseded on 7 February 2023 by [2])" in text
    assert text.index(cancelled.text) < text.index(booked.text)


def test_the_likeliest_memory_need_not_hold_the_names_of_the_question() -> None:
    room = memory(
        "room", "Your room\n\nFour nights at 38 EUR each.", (5, 3), "email", "Ondeyo House"
    )
    flights = [
        memory(f"flight {day}", f"Flight {day}\n\nKisumu and back. Total: {day}9 EUR.", (5, day))
        for day in (4, 5)
    ]
    assert "38 EUR" in quotes("How much was a night in Kisumu?", room, *flights)[0]


def test_a_caption_that_names_nobody_does_not_say_who() -> None:
    hook = Media("image", description=Description(caption="A spare key on a hook"))
    photo = Memory("photo", "photo", media=(hook,))
    told = memory("told", "I gave your spare key to Olga")
    assert quotes("Who has our spare key?", photo, told)[0] == "I gave your spare key to Olga"
