"""Questions about the sample archive, with answers and the evidence that they rest on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime  # part of the record
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from graphmemix.memory import Kind  # part of the record
from graphmemix.record import Record
from graphmemix.sample.household import at
from graphmemix.sample.video import VIDEO_NAME

if TYPE_CHECKING:
    from collections.abc import Iterable

    from graphmemix.memory import Memory

By: TypeAlias = Literal["message_id", "file", "text"]


@dataclass(frozen=True)
class Gold(Record):
    """A piece of evidence, named so that it can be found again after ingestion.

    Attributes:
        by: What `value` is: a Message-ID without its brackets, a file name, or text that no other
            memory of this kind contains.
        value: The Message-ID, file name or text.
        kind: The kind of memory.
    """

    by: By
    value: str
    kind: Kind

    def names(self, memory: Memory) -> bool:
        """Say whether this memory is the evidence."""
        if memory.kind != self.kind:
            return False
        if self.by == "message_id":
            return memory.source_id.strip("<>") == self.value
        if self.by == "file":
            files = {medium.name for medium in memory.media}
            return self.value in files or memory.source_id.rpartition("/")[2] == self.value
        return self.value in memory.text


@dataclass(frozen=True)
class SampleQuestion(Record):
    """A question about the household.

    Attributes:
        id: A short name.
        question: As somebody would ask it.
        answer: The right answer; starts with "Unknown" if the archive does not hold it.
        gold: The evidence, all of it needed; empty if there is no answer.
        asked_at: When it is asked, if that matters.
        needs_ocr: Whether some of the evidence is only readable in a picture.
    """

    id: str
    question: str
    answer: str
    gold: tuple[Gold, ...] = ()
    asked_at: datetime | None = None
    needs_ocr: bool = False

    @property
    def has_answer(self) -> bool:
        """Whether the archive holds the answer."""
        return bool(self.gold)


@dataclass(frozen=True)
class SampleQuestions(Record):
    """The contents of ``questions.json``."""

    questions: tuple[SampleQuestion, ...]


def gold_ids(question: SampleQuestion, memories: Iterable[Memory]) -> dict[Gold, list[str]]:
    """Return for each piece of evidence the ids of the memories that match it.

    A piece that was not ingested has none.
    """
    found: dict[Gold, list[str]] = {gold: [] for gold in question.gold}
    for memory in memories:
        for gold in question.gold:
            if gold.names(memory):
                found[gold].append(memory.id)
    return found


def _mail(key: str) -> Gold:
    return Gold("message_id", f"{key}@sample.graphmemix.example", "email")


def _photo(name: str) -> Gold:
    return Gold("file", name, "photo")


def _said(words: str) -> Gold:
    return Gold("text", words, "message")


_TOOTH: Final = _said("Mia lost her first tooth at breakfast")

QUESTIONS: Final = (
    SampleQuestion(
        "tooth-hotel",
        "Which hotel did we stay in when Mia lost her tooth?",
        "Hotel Olivo in Malcesine",
        (_TOOTH, _mail("olivo-3")),
    ),
    SampleQuestion(
        "tooth-eve",
        "Where did we have dinner on the evening before Mia lost her tooth, and what did the"
        " Margherita cost?",
        "At Da Gino by the harbour; 8.50 EUR",
        (_TOOTH, _said("Dinner at Da Gino"), _photo("IMG_20230713_194433.jpg")),
        needs_ocr=True,
    ),
    SampleQuestion(
        "heating-cost",
        "What did the two repairs of the boiler cost together?",
        "531.60 EUR (189.00 and 342.60)",
        (_mail("kessler-3"), _mail("kessler-6")),
    ),
    SampleQuestion(
        "spare-key",
        "Who has our spare key?",
        "Olga; Ruth gave it to her in August",
        (_said("I gave your spare key to Olga"),),
        asked_at=at(12, 1),
    ),
    SampleQuestion(
        "spare-key-spring",
        "Who had our spare key in spring?",
        "Ruth",
        (_said("I still have your spare key"), _said("Keep it Mama")),
        asked_at=at(12, 1),
    ),
    SampleQuestion(
        "parents-evening",
        "When and where is the parents' evening?",
        "26 September at 18.30 in room 7",
        (_mail("school-3"),),
        asked_at=at(9, 15),
    ),
    SampleQuestion(
        "bag-parcel",
        "What is the tracking number of the parcel with the school bag?",
        "AP 4093 5582 117",
        (_mail("bag-1"), _mail("bag-2")),
    ),
    SampleQuestion(
        "cake",
        "Which cake did we bring to Ruth's seventieth, and was it safe with Mia's allergy?",
        "Orange and poppy seed; yes, it had no nuts, and Mia reacts to hazelnut",
        (_said("orange and poppy seed, no nuts at all"), _mail("weiss-1")),
    ),
    SampleQuestion(
        "bakery",
        "How much did we pay at the bakery on the morning of Ruth's birthday party?",
        "34.20 EUR",
        (_photo("IMG_20230902_085231.jpg"),),
        needs_ocr=True,
    ),
    SampleQuestion(
        "parking",
        "Where did we leave the car at Lake Garda?",
        "In the hotel garage, level 2, row K",
        (_said("Parked in the garage, row K on level 2"),),
    ),
    SampleQuestion(
        "noah-tooth",
        "What happened to Noah's tooth, and who treated it?",
        "He chipped it when he fell off the slide; Dental Practice Moser polished it",
        (_said("chipped a front tooth"), _mail("moser-2")),
    ),
    SampleQuestion(
        "lanterns",
        "Is there a video of the lantern parade, and which lantern did Mia carry?",
        "Yes, of 10 November 2023; the fox",
        (Gold("file", VIDEO_NAME, "video"), _said("Mia carries the fox")),
    ),
    SampleQuestion(
        "seats",
        "Which seats did we have on the train to Vienna?",
        "Coach 24, seats 61 to 64",
        (_mail("rail-1"),),
    ),
    SampleQuestion(
        "garda-price",
        "What did a night in our hotel at the lake cost, and when did the pool close?",
        "148 EUR; at 20.00",
        (
            Gold("text", "7 nights at 148.00 EUR", "document"),
            Gold("text", "The pool closes at 20.00", "document"),
        ),
    ),
    SampleQuestion(
        "lisbon",
        "Which hotel did we stay in in Lisbon?",
        "Unknown: nothing says that they were in Lisbon; Inês only invited them",
    ),
    SampleQuestion("olga-birthday", "When is Olga's birthday?", "Unknown: no memory says so"),
    SampleQuestion(
        "noah-allergy",
        "What is Noah allergic to?",
        "Unknown: only Mia was tested",
    ),
)
