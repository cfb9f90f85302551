"""What is quoted together with a chosen sentence."""

from __future__ import annotations

from graphmemix.evidence import Question
from graphmemix.llm import run_sync
from graphmemix.memory import Description, Kind, Media, Memory
from graphmemix.read import ExtractiveReader
from tests.read.evidence import packet


def quotes(question: str, *memories: Memory) -> list[str]:
    reading = run_sync(ExtractiveReader().read(Question(question), packet(*memories)))
    return [citation.quote for citation in reading.answer.citations]


def of(text: str, kind: Kind = "message") -> Memory:
    return Memory("m", kind, text, speaker="Lena")


def test_a_short_message_is_quoted_whole() -> None:
    born = "He is here! 04:17, 3420 g, 51 cm. Lena is fine"
    assert quotes("Is he here?", of(born)) == [born]


def test_what_follows_comes_before_what_leads() -> None:
    # There is room for one of the two beside it.
    before, key, after = "A" * 90 + ".", "The key is with Olga.", "B" * 90 + "."
    assert quotes("Where is the key?", of(f"{before} {key} {after}"))[0] == f"{key} {after}"


def test_nothing_is_quoted_twice() -> None:
    text = "The key is with Olga. The key of the shed is with Ruth. The key is red."
    assert quotes("Where is the key, and where is the key of the shed?", of(text)) == [text]


def test_neither_subject_nor_greeting_nor_name_is_joined() -> None:
    mail = of("The key\nDear Mia,\nI have the key here.\nIt is red.\nGiulia Moretti", "email")
    assert quotes("Who has the key?", mail) == ["I have the key here. It is red."]


def test_thanks_in_front_are_left_out() -> None:
    mail = of("Order\nDear Mia,\nthank you for your order. It costs 20 EUR.", "email")
    assert quotes("What does it cost?", mail)[0] == "It costs 20 EUR."


def test_lines_of_a_bill_stand_alone() -> None:
    bill = of("Bill\nRepair of the boiler: 150 EUR\nWay: 20 EUR\nTotal: 170 EUR", "email")
    shown = quotes("What did it cost?", bill)
    assert "Total: 170 EUR" in shown
    assert {*shown} <= {*bill.text.splitlines()}


def test_lines_of_a_picture_stand_alone() -> None:
    ocr = Description(ocr="Rolls.\nBread 3.40 EUR.\nCake.")
    photo = Memory("m", "photo", "", media=(Media("image", name="a.jpg", description=ocr),))
    assert quotes("How much was the bread?", photo)[0] == "Bread 3.40 EUR."


def test_a_superseded_statement_keeps_its_own_line() -> None:
    text = "The parents' evening is on 19 September. The parents' evening moves to 26 September."
    assert quotes("When is the parents' evening?", of(text))


def test_a_number_of_a_contact_comes_with_the_name() -> None:
    contact = of("Rémi Collet\nPhone: 06 39 98 20 63", "contact")
    assert quotes("What is the phone number?", contact) == ["Rémi Collet / Phone: 06 39 98 20 63"]


def test_a_photo_has_what_is_to_be_read_on_it_beside_what_it_shows() -> None:
    shown = Description(caption="a hand with a black recorder", ocr="E-07 CARD\nREC")
    photo = Memory("m", "photo", "", media=(Media("image", name="a.jpg", description=shown),))
    reading = run_sync(ExtractiveReader().read(Question("Show the recorder"), packet(photo)))
    assert [each.quote for each in reading.answer.citations] == [
        "a hand with a black recorder / E-07 CARD / REC"
    ]
    assert reading.answer.text.endswith("[1: photo]")


RULES = [f"Rule {number}: nothing with {number} legs may enter" for number in range(9)]


def test_a_photo_with_much_to_read_is_not_quoted_whole() -> None:
    shown = Description(caption="a notice on a door", ocr="\n".join(RULES))
    photo = Memory("m", "photo", "", media=(Media("image", name="a.jpg", description=shown),))
    assert quotes("Show the notice on the door", photo)[0] == "a notice on a door"
