"""The section of the candidate graph, and of its relations."""

from __future__ import annotations

from typing import Literal

from graphmemix.settings.sections import Section, constant, switch

_READING = "METHOD 2 (reading)"


class EventBridgeSettings(Section):
    """When photos and videos belong to one event (METHOD section 2, `event_bridge`)."""

    min_seconds: float = constant(60.0, "Least time apart.", unit="s", source="METHOD 2", ge=0)
    max_seconds: float = constant(3600.0, "Most time apart.", unit="s", source="METHOD 2", ge=0)
    max_kilometres: float = constant(5.0, "Most distance.", unit="km", source="METHOD 2", ge=0)
    max_neighbours: int = constant(
        2, "Local neighbours per memory.", unit="memories", source="METHOD 2", ge=0
    )


class SameRecordSettings(Section):
    """When e-mails belong to one record (METHOD section 2, `same_record`)."""

    subject_days: float = constant(
        14.0,
        "Most time apart of e-mails that are linked by the same subject.",
        unit="days",
        source=_READING,
        gt=0,
    )
    category_reach: int = constant(
        120,
        "How far from a date a word such as 'hotel' may stand to say what the date is about.",
        unit="characters",
        source=_READING,
        ge=0,
    )
    max_references: int = constant(
        24,
        "How many references of one e-mail count, the first ones.",
        unit="references",
        source=_READING,
        ge=0,
    )


class RecordGroundingSettings(Section):
    """When a photo or video shows what an e-mail is about (METHOD section 2, `record_grounding`).

    The place agrees if e-mail and medium share a word of its name; otherwise the content has to.
    """

    content_words: int = constant(
        2,
        "Words of caption, OCR or tags that must also stand in the e-mail if the place does not.",
        unit="words",
        source=_READING,
        ge=1,
    )
    word_length: int = constant(
        4, "Shorter words do not count.", unit="characters", source=_READING, ge=1
    )
    max_dates: int = constant(
        24,
        "How many stated dates of one e-mail count, the first ones; also for `same_record`.",
        unit="dates",
        source=_READING,
        ge=0,
    )
    max_neighbours: int = constant(
        12,
        "Links per memory and date, those that agree best.",
        unit="memories",
        source=_READING,
        ge=0,
    )


class GraphSettings(Section):
    """The candidate graph (METHOD section 2, eq. 4 and 5)."""

    neighbours: int = constant(
        8, "k of the mutual nearest neighbours.", unit="memories", source="METHOD 2", ge=0
    )
    hops: int = constant(1, "H: how far expansion reaches.", unit="edges", source="METHOD 2", ge=0)
    candidates: int = constant(
        48, "M: how many candidates are kept.", unit="memories", source="METHOD 2", ge=1
    )
    schema_confidence: float = constant(
        0.99,
        "Confidence of a schema edge; a semantic edge has its cosine.",
        unit="probability",
        source=_READING,
        gt=0,
        le=1,
    )
    unretrieved_score: Literal["true", "floor"] = constant(
        "true",
        "Score of a candidate outside the retrieved: its true score, or a floor below all of them.",
        unit="choice",
        source="METHOD 2 (ours: true)",
    )
    floor_margin: float = constant(
        0.01, "How far the floor lies below.", unit="score", source=_READING, ge=0
    )
    own_relations: bool = switch(
        "Use reply_to, attachment_of and same_document besides the published relations.",
        on=True,
        source="METHOD 2 (ours)",
    )
    group_neighbours: int = constant(
        8,
        "In a round or a record, link a memory with this many before and after it in time: all "
        "pairs in a small group, a band in a large one.",
        unit="memories",
        source=_READING,
        ge=1,
    )
    event_bridge: EventBridgeSettings = EventBridgeSettings()
    same_record: SameRecordSettings = SameRecordSettings()
    record_grounding: RecordGroundingSettings = RecordGroundingSettings()
