"""What the sample household's archive gives as evidence with the packaged encoder and no model."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import pytest

from graphmemix.archive import Archive
from graphmemix.evidence import EvidenceNode, EvidenceTree, Forest, Question, Trace
from graphmemix.ingest.describe import Ocr
from graphmemix.llm import run_sync
from graphmemix.memory import Media, Memory
from graphmemix.read.chance import DOES_NOT_SEEM, HOLDS, MAY_HOLD, in_words
from graphmemix.read.extractive import ExtractiveReader
from graphmemix.read.packet import make_packet
from graphmemix.retrieve.facets import stated_days
from graphmemix.sample import build
from graphmemix.sample.household import ZONE
from graphmemix.sample.photos import SHOTS
from graphmemix.sample.questions import QUESTIONS, SampleQuestion, gold_ids
from graphmemix.settings import Settings
from graphmemix.store.importing import import_archive
from graphmemix.store.portable import export_archive
from tests.store.conftest import Postgres, postgres  # noqa: F401  # a fixture

# What a right answer says, by question.
VALUES = {
    "tooth-hotel": ("Hotel Olivo",),
    "tooth-eve": ("Da Gino", "8.50"),
    "heating-cost": ("189.00", "342.60"),
    "spare-key": ("to Olga",),
    "spare-key-spring": ("I still have your spare key",),
    "parents-evening": ("26 September, 18.30", "room 7"),
    "bag-parcel": ("AP 4093 5582 117",),
    "cake": ("orange and poppy seed", "hazelnut"),
    "bakery": ("34.20",),
    "parking": ("row K on level 2",),
    "noah-tooth": ("fell off the slide", "Dental Practice Moser"),
    "lanterns": ("video, 10 November 2023", "Mia carries the fox"),
    "seats": ("Coach 24, seats 61, 62, 63 and 64",),
    "garda-price": ("148", "20.00"),
}
ANSWERABLE = [question for question in QUESTIONS if question.has_answer]
UNKNOWN = [question for question in QUESTIONS if not question.has_answer]
WITH_WRITING = {shot.name for shot in SHOTS if shot.lines}


@pytest.fixture(scope="module")
def household(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    settings = Settings.load(environment={}, overrides={"ingest.zone": ZONE})
    folder = tmp_path_factory.mktemp("household")
    with Archive.open(folder / "archive", settings=settings) as archive:
        archive.ingest([build(folder / "sample").files])
        yield archive


@pytest.fixture(scope="module")
def on_postgres(
    household: Archive,
    postgres: Postgres,  # noqa: F811  # the fixture
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Archive]:
    """The same archive, brought over with its vectors."""
    folder = tmp_path_factory.mktemp("brought over") / "export"
    export_archive(household.store, folder)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_DATA_HOME", str(folder.parent))  # of its media
        place = f"{postgres.new_database().url}#household"
        with Archive.open(place, settings=household.settings) as archive:
            import_archive(folder, archive.store)
            yield archive


def evidence(archive: Archive, trace: Trace) -> list[Memory]:
    assert trace.forest is not None
    ids = [node.memory_id for tree in trace.forest.trees for node in tree.nodes]
    return [archive.get(memory_id) for memory_id in ids]


def is_of(memory: Memory, day: date) -> bool:
    made = memory.timestamp is not None and memory.timestamp.date() == day
    return made or any(about.first <= day <= about.last for about in stated_days(memory))


def chance(archive: Archive, question: str) -> float:
    answerable = archive.recall(question).answerable
    assert answerable is not None
    return answerable


def test_a_day_selects_what_was_made_on_it_or_is_about_it(household: Archive) -> None:
    found = evidence(household, household.recall("What happened on 14 July 2023?"))
    assert any("first tooth" in memory.text for memory in found)
    strangers = [memory.text for memory in found if not is_of(memory, date(2023, 7, 14))]
    assert strangers == []


def test_a_person_and_a_month_select_what_they_wrote_then(household: Archive) -> None:
    found = evidence(household, household.recall("What did Ruth write in August 2023?"))
    mail, message = sorted(found, key=lambda memory: memory.kind)
    assert (mail.kind, mail.source_id) == ("email", "<ruth-1@sample.graphmemix.example>")
    assert message.kind == "message"
    assert message.text.startswith("I gave your spare key to Olga")


def test_an_event_leads_to_what_is_about_its_day(household: Archive) -> None:
    trace = household.recall("Which hotel did we stay in when Mia lost her tooth?")
    texts = [memory.text for memory in evidence(household, trace)]
    assert any("HO-58213" in text and "Hotel Olivo" in text for text in texts)
    assert any(text.startswith("IT IS OUT! Mia lost her first tooth") for text in texts)


@pytest.mark.parametrize("who", ["Mia", "Noah"])
def test_what_is_known_of_another_person_is_no_answer(household: Archive, who: str) -> None:
    unknown, known = (chance(household, f"When is {each}'s birthday?") for each in ("Olga", who))
    assert unknown < household.settings.reader.unsure_below
    assert known >= household.settings.reader.holds_from


@pytest.mark.parametrize(
    ("question", "time"),
    [
        ("What happened on 3 March 2019?", "3 March 2019"),
        ("What did we do in June 2031?", "June 2031"),
    ],
)
def test_a_time_that_nothing_is_from_is_said(household: Archive, question: str, time: str) -> None:
    trace = household.recall(question)
    assert f"nothing here is from {time}" in trace.notes
    assert trace.answerable is not None
    assert trace.answerable <= 0.1


BY_CONSTRAINTS = (
    "What happened on 14 July 2023?",
    "What did Ruth write in August 2023?",
    "Which hotel did we stay in when Mia lost her tooth?",
    "Photos from Lake Garda",
    "photos from July 2023",
    "What happened on 3 March 2019?",
)


@pytest.mark.parametrize("question", BY_CONSTRAINTS)
def test_both_stores_give_the_same(household: Archive, on_postgres: Archive, question: str) -> None:
    ours, theirs = (each.recall(question, save=False) for each in (household, on_postgres))
    assert [each.memory_id for each in ours.candidates] == [
        each.memory_id for each in theirs.candidates
    ]
    assert ours.forest == theirs.forest
    assert (ours.answerable, ours.notes) == (theirs.answerable, theirs.notes)


def test_photos_are_found_by_their_days_alone(household: Archive) -> None:
    found = evidence(household, household.recall("photos from July 2023"))
    assert found
    assert {memory.kind for memory in found} <= {"photo", "video"}


def test_photos_are_found_by_an_event_that_names_where_they_were_taken(household: Archive) -> None:
    found = evidence(household, household.recall("Photos from Lake Garda"))
    photos = [memory for memory in found if memory.kind == "photo"]
    assert photos
    assert all(memory.timestamp and memory.timestamp.month == 7 for memory in photos)


def test_photos_of_a_country_are_the_answer(household: Archive) -> None:
    trace = household.recall("Photos from Italy")
    found = evidence(household, trace)
    assert {memory.kind for memory in found} == {"photo"}
    assert {memory.timestamp.month for memory in found if memory.timestamp} == {7}
    assert in_words(trace, household.settings.reader) == HOLDS
    elsewhere = household.recall("Photos from Portugal")
    assert in_words(elsewhere, household.settings.reader) == DOES_NOT_SEEM


def asked(question: SampleQuestion) -> Question:
    return Question(question.question, asked_at=question.asked_at)


def answer(archive: Archive, question: SampleQuestion) -> str:
    trace = archive.ask(asked(question), save=False)
    assert trace.answer is not None
    return trace.answer.text


def answer_with_gold(archive: Archive, question: SampleQuestion) -> str:
    """Answer from the evidence, in which missing gold takes the last places."""
    trace = archive.recall(asked(question), save=False)
    assert trace.forest is not None
    found = gold_ids(question, archive.find())
    gold = [memory_id for ids in found.values() for memory_id in ids]
    missing = [memory_id for memory_id in gold if memory_id not in trace.forest.memory_ids]
    others = trace.forest.memory_ids[: 10 - len(missing)]
    ids = (*others, *(memory_id for memory_id in gold if memory_id not in others))
    trees = tuple(EvidenceTree((EvidenceNode(memory_id, 0.5),)) for memory_id in ids)
    forest = Forest(trees, ids, 0.0, "exact", proven_optimal=False)
    packet = make_packet(forest, archive.store.get_many(ids), archive.settings)
    reading = run_sync(ExtractiveReader(archive.encoder).read(asked(question), packet))
    return reading.answer.text


def answered(answers: dict[str, str]) -> set[str]:
    return {name for name, text in answers.items() if all(each in text for each in VALUES[name])}


def test_ask_quotes_the_answers_without_a_model(household: Archive) -> None:
    right = answered({each.id: answer(household, each) for each in ANSWERABLE})
    # Pictures are not read here, and of two questions the evidence lacks a piece of gold.
    assert "tooth-hotel" in right
    assert len(right) >= 10, sorted(set(VALUES) - right)


class OcrOfWriting(Ocr):
    """Reads only the pictures that show writing; in the others it finds none, which takes long."""

    def wants(self, medium: Media) -> bool:
        return super().wants(medium) and medium.name in WITH_WRITING


@pytest.fixture(scope="module")
def with_ocr(household: Archive, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    """The same archive, after `graphmemix describe --ocr`."""
    folder = tmp_path_factory.mktemp("read")
    export_archive(household.store, folder / "export")
    with Archive.open(folder / "archive", settings=household.settings) as archive:
        import_archive(folder / "export", archive.store)
        archive.describe([OcrOfWriting()])
        yield archive


def test_most_questions_are_answered_if_pictures_are_read_and_unknown_ones_doubted(
    with_ocr: Archive,
) -> None:
    right = answered({each.id: answer(with_ocr, each) for each in ANSWERABLE})
    assert {"tooth-hotel", "bakery", "tooth-eve"} <= right
    assert len(right) >= 12, sorted(set(VALUES) - right)
    settings = with_ocr.settings.reader
    doubted = [in_words(with_ocr.ask(asked(each), save=False), settings) for each in UNKNOWN]
    assert doubted == [DOES_NOT_SEEM] * 3


def test_what_contradicts_or_does_not_belong_to_an_answer_is_not_quoted(household: Archive) -> None:
    answers = {each.id: answer(household, each) for each in ANSWERABLE}
    assert "Jezero" not in answers["tooth-hotel"]  # booked for the same days, and cancelled
    assert "slippers" not in answers["bag-parcel"]
    assert "school bag Fox" in answers["bag-parcel"]  # the order that the parcel is of


def test_the_reader_finds_most_answers_that_the_evidence_holds(household: Archive) -> None:
    answers = {
        each.id: answer_with_gold(household, each) for each in ANSWERABLE if not each.needs_ocr
    }
    right = answered(answers)
    assert len(right) >= 10, {name: answers[name] for name in set(answers) - right}


def test_of_what_is_unknown_the_missing_detail_is_named_first(household: Archive) -> None:
    answers = {each.id: household.ask(asked(each), save=False) for each in UNKNOWN}
    settings = household.settings.reader
    unsure = {name for name, each in answers.items() if in_words(each, settings) == DOES_NOT_SEEM}
    assert unsure == {"lisbon", "olga-birthday", "noah-allergy"}
    allergy = answers["noah-allergy"].answer
    assert allergy is not None
    assert allergy.text.startswith(
        "Noah is known here; nothing about Noah and “allergic” was found."
    )
    trace = answers["olga-birthday"]
    assert trace.answer is not None
    first, *nearest = trace.answer.text.splitlines()
    assert first == "Olga is known here; Olga's birthday is not."
    assert nearest


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What did Zoltan write in July 2023?", "Nothing here mentions Zoltan."),
        ("When is Zoltan's birthday?", "Nothing here mentions Zoltan."),
        ("Was hat Zoltan im Juli geschrieben?", "Nichts hier erwähnt Zoltan."),
        ("Wann ist Zoltans Geburtstag?", "Nichts hier erwähnt Zoltan."),
        ("Qu'a écrit Zoltan ?", "Rien ici ne mentionne Zoltan."),
        ("¿Qué escribió Zoltan en julio?", "Nada aquí menciona a Zoltan."),
    ],
)
def test_of_somebody_without_a_trace_it_is_said(
    household: Archive, question: str, said: str
) -> None:
    trace = household.ask(question, save=False)
    assert in_words(trace, household.settings.reader) == DOES_NOT_SEEM
    assert trace.answer is not None
    first, *nearest = trace.answer.text.splitlines()
    assert first == said
    assert not [line for line in nearest if line.startswith("A photo")]


@pytest.mark.parametrize(
    "question", ["What did Tomaz write in July 2023?", "What did Ruth and Zoltan write in August?"]
)
def test_a_misspelt_name_or_one_of_several_leaves_it_open(
    household: Archive, question: str
) -> None:
    assert in_words(household.recall(question), household.settings.reader) == MAY_HOLD


def test_a_german_hotel_is_nobodys_name(household: Archive) -> None:
    trace = household.ask("In welchem Hotel waren wir, als Mia ihren Zahn verlor?", save=False)
    assert not [note for note in trace.notes if note.startswith("person")]
    assert trace.answer is not None
    assert "Hotel Olivo" in trace.answer.text


def test_dates_are_told_in_the_archives_zone(household: Archive) -> None:
    trace = household.ask("When and where is the parents' evening?", save=False)
    assert trace.packet is not None
    events = [block for block in trace.packet.blocks if block.kind == "event"]
    assert "2023-09-26 18:30" in {block.date for block in events}


def test_a_day_is_told_in_order(household: Archive) -> None:
    trace = household.ask("What happened on 14 July 2023?", save=False)
    assert trace.packet is not None
    assert trace.answer is not None
    dates = {block.memory_id: block.date for block in trace.packet.blocks}
    told = [dates[citation.memory_id] for citation in trace.answer.citations]
    that_day = [date for date in told if date.startswith("2023-07-14")]
    assert len(that_day) > 3
    assert told[-len(that_day) :] == sorted(that_day)  # first what is only about the day
