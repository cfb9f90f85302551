"""How candidates are found: encoder, views, retrieval scores and the candidate graph."""

from __future__ import annotations

from typing import Literal

from graphmemix.settings.sections import Section, constant, switch

_READING_1 = "METHOD 1 (reading)"
_READING_2 = "METHOD 2 (reading)"
_OURS = "METHOD 2 (ours)"


class EncoderSettings(Section):
    """Which encoder makes the vectors (METHOD section 1)."""

    model: str = constant(
        "packaged",
        "Encoder: packaged (multilingual; minilm for archives that were made with it), "
        "multilingual, minilm, clip:FOLDER, endpoint:URL#MODEL, torch:NAME, transformers:NAME, "
        "gme, or the name of a plugin.",
        unit="name",
        source="METHOD 1 (a choice of the user; published: gme)",
        min_length=1,
    )


class ViewSettings(Section):
    """Which views of a memory are indexed (METHOD section 1)."""

    context: bool = switch(
        "Also index each memory together with the other half of its exchange.",
        on=True,
        source="METHOD 1 (ours)",
    )
    transcript: bool = switch("Also index transcripts.", on=True, source="METHOD 1 (ours)")
    pixels: bool = switch(
        "Index images and video frames, if the encoder can encode images.",
        on=True,
        source="METHOD 1",
    )
    frames: int = constant(
        8, "Frames sampled from a video.", unit="frames", source=_READING_1, ge=1
    )
    chunk_characters: int = constant(
        800, "Longest chunk of a text.", unit="characters", source=_READING_1, ge=50
    )
    chunk_overlap: int = constant(
        160, "Overlap of consecutive chunks.", unit="characters", source=_READING_1, ge=0
    )
    # Three hours of speech have as many. Importers cut documents into memories of 13 at most, and
    # no mail of those at hand has more; a log that somebody pastes may have any number, 18 ms each.
    encoded_parts: int = constant(
        256,
        "Chunks of a memory that get a vector, counted from the start; the rest is keyword-only.",
        unit="chunks",
        source=_READING_1,
        ge=1,
    )


class RetrievalSettings(Section):
    """From a question to seeds (METHOD sections 1 and 2)."""

    mode: Literal["hybrid", "dense"] = constant(
        "hybrid",
        "Score by dense vectors fused with BM25 and constraints, or by dense vectors alone.",
        unit="choice",
        source="METHOD 1 (ours: hybrid)",
    )
    lexical_weight: float = constant(
        0.2,
        "Weight of BM25, as a share of the archive's best, relative to the cosine.",
        unit="cosine",
        source=_READING_1,
        ge=0,
    )
    weigh_words: bool = switch(
        "Weigh BM25 by how much of the question the best memory holds and how far it stands out.",
        on=True,
        source="METHOD 1 (ours)",
    )
    time_weight: float = constant(
        0.1, "Weight of a date named in the question.", unit="cosine", source=_READING_1, ge=0
    )
    place_weight: float = constant(
        0.1, "Weight of a place named in the question.", unit="cosine", source=_READING_1, ge=0
    )
    # Names of people and media are words of the question, which BM25 has counted already.
    person_weight: float = constant(
        0.02, "Weight of a person named in the question.", unit="cosine", source=_READING_1, ge=0
    )
    media_weight: float = constant(
        0.02, "Weight of a medium named in the question.", unit="cosine", source=_READING_1, ge=0
    )
    chance_slope: float = constant(
        7.97,
        "Calibration of the hybrid score: chance = sigmoid(slope * score + offset); fitted to the "
        "packaged encoder.",
        unit="1/cosine",
        source=_READING_1,
        gt=0,
    )
    chance_offset: float = constant(
        -7.49, "Offset of that calibration.", unit="log-odds", source=_READING_1
    )
    duplicate_bits: int = constant(
        6,
        "Pictures whose 64-bit hashes differ in at most this many bits are duplicates; 0: off.",
        unit="bits",
        source="METHOD 2 (ours)",
        ge=0,
    )
    retrieved: int = constant(
        200,
        "Memories that retrieval returns.",
        unit="memories",
        source=_READING_2,
        ge=1,
    )
    seeds: int = constant(
        24, "L: how many of them start the expansion.", unit="memories", source="METHOD 2", ge=1
    )
    seeds_without_model: int = constant(
        44,
        "Seeds if no model reads the candidates.",
        unit="memories",
        source="METHOD 2 (ours)",
        ge=1,
    )


class EventBridgeSettings(Section):
    """When photos and videos belong to one event (METHOD section 2, `event_bridge`)."""

    min_seconds: float = constant(
        60.0, "Shortest time between them.", unit="s", source="METHOD 2", ge=0
    )
    max_seconds: float = constant(
        3600.0, "Longest time between them.", unit="s", source="METHOD 2", ge=0
    )
    max_kilometres: float = constant(
        5.0, "Largest distance between them.", unit="km", source="METHOD 2", ge=0
    )
    max_neighbours: int = constant(2, "Links per memory.", unit="memories", source="METHOD 2", ge=0)


class SameRecordSettings(Section):
    """When e-mails belong to one record (METHOD section 2, `same_record`)."""

    subject_days: float = constant(
        14.0,
        "Longest time between e-mails that are linked by their subject.",
        unit="days",
        source=_READING_2,
        gt=0,
    )
    category_reach: int = constant(
        120,
        "Largest distance between a date and the word, such as 'hotel', that says what it is for.",
        unit="characters",
        source=_READING_2,
        ge=0,
    )
    max_references: int = constant(
        24,
        "References used per e-mail, counted from the start.",
        unit="references",
        source=_READING_2,
        ge=0,
    )


class RecordGroundingSettings(Section):
    """When a photo or video shows what an e-mail is about (METHOD section 2, `record_grounding`).

    The place matches if both share a word of its name; otherwise the content must match.
    """

    content_words: int = constant(
        2,
        "Words of caption, OCR or tags that must also occur in the e-mail if the place does not.",
        unit="words",
        source=_READING_2,
        ge=1,
    )
    word_length: int = constant(
        4, "Shortest word that counts.", unit="characters", source=_READING_2, ge=1
    )
    max_dates: int = constant(
        24,
        "Dates used per e-mail, counted from the start; also for `same_record`.",
        unit="dates",
        source=_READING_2,
        ge=0,
    )
    max_neighbours: int = constant(
        12,
        "Links per memory and date; the best matches are kept.",
        unit="memories",
        source=_READING_2,
        ge=0,
    )


class ReachSettings(Section):
    """Memories found without search: by what a question names, and by what its hits refer to."""

    on: bool = switch(
        "Fetch memories by the dates, places, people and media that a question names, and by the "
        "days, places and numbers of its best hits.",
        on=True,
        source=_OURS,
    )
    named: int = constant(
        40,
        "Most memories found by the question's constraints.",
        unit="memories",
        source=_OURS,
        ge=0,
    )
    stating_hits: int = constant(
        8, "Hits whose stated days and numbers are followed.", unit="memories", source=_OURS, ge=0
    )
    nearby_hits: int = constant(
        8, "Hits whose own day is searched.", unit="memories", source=_OURS, ge=0
    )
    event_hits: int = constant(
        6,
        "Hits used to date the event that a question refers to.",
        unit="memories",
        source=_OURS,
        ge=0,
    )
    stays: bool = switch(
        "Follow that event to all of a stay away from the usual places.", on=True, source=_OURS
    )
    fetched: int = constant(
        16,
        "Most memories found through one hit; the best by score are kept.",
        unit="memories",
        source=_OURS,
        ge=1,
    )
    around: int = constant(
        40, "Most memories found through all hits.", unit="memories", source=_OURS, ge=0
    )


class GraphSettings(Section):
    """The candidate graph (METHOD section 2, eq. 4 and 5)."""

    neighbours: int = constant(
        8, "k: mutual nearest neighbours per memory.", unit="memories", source="METHOD 2", ge=0
    )
    hops: int = constant(
        1, "H: how many edges expansion follows.", unit="edges", source="METHOD 2", ge=0
    )
    candidates: int = constant(48, "M: most candidates.", unit="memories", source="METHOD 2", ge=1)
    candidates_without_model: int = constant(
        96,
        "Most candidates if no model reads them, since the local verifier can afford more.",
        unit="memories",
        source=_OURS,
        ge=1,
    )
    schema_confidence: float = constant(
        0.99,
        "Confidence of a schema edge; a semantic edge has its cosine.",
        unit="probability",
        source=_READING_2,
        gt=0,
        le=1,
    )
    unretrieved_score: Literal["true", "floor"] = constant(
        "true",
        "Score of a candidate that was not retrieved: its true score, or a floor below all others.",
        unit="choice",
        source="METHOD 2 (ours: true)",
    )
    floor_margin: float = constant(
        0.01, "Distance of the floor below the lowest score.", unit="score", source=_READING_2, ge=0
    )
    own_relations: bool = switch(
        "Use reply_to, attachment_of, same_document, same_thread and forward_of besides the "
        "published relations.",
        on=True,
        source="METHOD 2 (ours)",
    )
    group_neighbours: int = constant(
        8,
        "In a round or a record, link each memory to this many before and after it in time; small "
        "groups are linked completely.",
        unit="memories",
        source=_READING_2,
        ge=1,
    )
    reach: ReachSettings = ReachSettings()
    event_bridge: EventBridgeSettings = EventBridgeSettings()
    same_record: SameRecordSettings = SameRecordSettings()
    record_grounding: RecordGroundingSettings = RecordGroundingSettings()
