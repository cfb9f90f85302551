"""The sections of the settings: every constant with its default, unit and source.

``METHOD n`` is a section of the specification, "(reading)" our reading where the publication is
silent, "(ours)" our addition.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Section(BaseModel):
    """A frozen group of settings that refuses what it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def constant(default: object, says: str, *, unit: str, source: str, **limits: float) -> Any:
    """Declare a setting with what it says, its unit and its source."""
    extra = {"unit": unit, "source": source}
    return Field(default=default, description=says, json_schema_extra=extra, **limits)  # type: ignore[call-overload]


def switch(says: str, *, on: bool, source: str) -> Any:
    """Declare a setting that is on or off."""
    return constant(on, says, unit="yes/no", source=source)


_READING_1 = "METHOD 1 (reading)"


class EncoderSettings(Section):
    """What makes vectors (METHOD section 1)."""

    model: str = constant(
        "minilm",
        "Encoder: minilm, clip:FOLDER, endpoint:URL#MODEL, torch:NAME, transformers:NAME, gme, or "
        "one of a plugin.",
        unit="name",
        source="METHOD 1 (a choice of the user; published: gme)",
        min_length=1,
    )


class ViewSettings(Section):
    """Under which views a memory is found (METHOD section 1)."""

    context: bool = switch(
        "Also index each memory together with the other half of its exchange.",
        on=True,
        source="METHOD 1 (ours)",
    )
    transcript: bool = switch("Also index transcripts.", on=True, source="METHOD 1 (ours)")
    pixels: bool = switch(
        "Index images and frames of videos, if the encoder sees them.", on=True, source="METHOD 1"
    )
    frames: int = constant(
        8, "Frames sampled from a video.", unit="frames", source="METHOD 1 (reading)", ge=1
    )
    chunk_characters: int = constant(
        800, "Longest part of a text.", unit="characters", source="METHOD 1 (reading)", ge=50
    )
    chunk_overlap: int = constant(
        160, "What a part repeats.", unit="characters", source="METHOD 1 (reading)", ge=0
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
        0.3,
        "Weight of BM25, as a share of the best in the archive, beside the cosine.",
        unit="cosine",
        source="METHOD 1 (reading)",
        ge=0,
    )
    time_weight: float = constant(
        0.1, "Weight of a date that the question names.", unit="cosine", source=_READING_1, ge=0
    )
    place_weight: float = constant(
        0.1, "Weight of a place that the question names.", unit="cosine", source=_READING_1, ge=0
    )
    # Names of people and media are words of the question, which BM25 has counted already.
    person_weight: float = constant(
        0.02, "Weight of a person whom the question names.", unit="cosine", source=_READING_1, ge=0
    )
    media_weight: float = constant(
        0.02, "Weight of a medium that the question names.", unit="cosine", source=_READING_1, ge=0
    )
    chance_slope: float = constant(
        7.97,
        "The hybrid score as a chance is sigmoid(slope * score + offset); fitted to the packaged "
        "encoder.",
        unit="1/cosine",
        source=_READING_1,
        gt=0,
    )
    chance_offset: float = constant(
        -7.49, "The offset of the same.", unit="log-odds", source=_READING_1
    )
    duplicate_bits: int = constant(
        6,
        "Pictures whose 64-bit looks differ in at most so many bits show the same; 0 for off.",
        unit="bits",
        source="METHOD 2 (ours)",
        ge=0,
    )
    retrieved: int = constant(
        200,
        "How many memories retrieval returns.",
        unit="memories",
        source="METHOD 2 (reading)",
        ge=1,
    )
    seeds: int = constant(
        24, "L: how many of them start the expansion.", unit="memories", source="METHOD 2", ge=1
    )


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
        source="METHOD 2 (reading)",
        gt=0,
    )
    category_reach: int = constant(
        120,
        "How far from a date a word such as 'hotel' may stand to say what the date is about.",
        unit="characters",
        source="METHOD 2 (reading)",
        ge=0,
    )
    max_references: int = constant(
        24,
        "How many references of one e-mail count, the first ones.",
        unit="references",
        source="METHOD 2 (reading)",
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
        source="METHOD 2 (reading)",
        ge=1,
    )
    word_length: int = constant(
        4, "Shorter words do not count.", unit="characters", source="METHOD 2 (reading)", ge=1
    )
    max_dates: int = constant(
        24,
        "How many stated dates of one e-mail count, the first ones; also for `same_record`.",
        unit="dates",
        source="METHOD 2 (reading)",
        ge=0,
    )
    max_neighbours: int = constant(
        12,
        "Links per memory and date, those that agree best.",
        unit="memories",
        source="METHOD 2 (reading)",
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
        source="METHOD 2 (reading)",
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
        0.01, "How far the floor lies below.", unit="score", source="METHOD 2 (reading)", ge=0
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
        source="METHOD 2 (reading)",
        ge=1,
    )
    event_bridge: EventBridgeSettings = EventBridgeSettings()
    same_record: SameRecordSettings = SameRecordSettings()
    record_grounding: RecordGroundingSettings = RecordGroundingSettings()


class UtilitySettings(Section):
    """Node utility p_i = sigmoid(tau * (alpha * s_i + (1 - alpha) * v_i / 5 - delta)) (eq. 14)."""

    alpha: float = constant(
        0.8, "Share of the retrieval score.", unit="ratio", source="METHOD 3", ge=0, le=1
    )
    tau: float = constant(5.2, "Steepness.", unit="1/score", source="METHOD 3", gt=0)
    delta: float = constant(0.7, "Midpoint.", unit="score", source="METHOD 3")
    calibration_file: str = constant(
        "",
        "Constants (a, b, c) of an encoder and a model, from `graphmemix calibrate`; empty for the "
        "published ones.",
        unit="path",
        source="METHOD 3 (reading)",
    )


class EdgeSettings(Section):
    """Trusted edges (METHOD section 4, eq. 7 to 9)."""

    anchors: int = constant(
        10,
        "How many candidates may anchor others.",
        unit="memories",
        source="METHOD 4 (reading)",
        ge=0,
    )
    schema_weight: float = constant(
        0.99,
        "Ceiling w_schema of an edge weight.",
        unit="probability",
        source="METHOD 4",
        gt=0,
        le=1,
    )


class ForestSettings(Section):
    """The forest (METHOD section 5, eq. 10 to 13)."""

    method: Literal["exact", "published", "milp", "greedy"] = constant(
        "exact", "Which solver.", unit="choice", source="METHOD 5 (ours: exact)"
    )
    budget: int = constant(
        10, "K: how many memories at most.", unit="memories", source="METHOD 0", ge=1
    )
    proposal_opening_cost: float = constant(
        0.2, "kappa of the proposal.", unit="utility", source="METHOD 5", ge=0
    )
    refinement_opening_cost: float = constant(
        0.12, "kappa of the refinement.", unit="utility", source="METHOD 5", ge=0
    )
    edge_cost_weight: float = constant(
        0.1, "lambda: price of one unit of -ln w.", unit="utility/nat", source="METHOD 4", ge=0
    )
    single_stage: bool = switch(
        "Solve 'at most K' over all candidates at one opening cost instead of two stages.",
        on=False,
        source="METHOD 5 (ours)",
    )


class SelectorSettings(Section):
    """Other selectors, for comparison (METHOD section 8)."""

    mmr_redundancy: float = constant(
        0.05, "MMR: price of the closest chosen.", unit="utility/cosine", source="METHOD 8", ge=0
    )
    pair_redundancy: float = constant(
        0.02,
        "Relevance-redundancy: price of a pair.",
        unit="utility/cosine",
        source="METHOD 8",
        ge=0,
    )
    dpp_quality: float = constant(
        8.0, "DPP: quality is exp(this * p / 2).", unit="1/utility", source="METHOD 8", ge=0
    )
    dpp_width: float = constant(
        0.5, "DPP: width of the RBF kernel.", unit="distance", source="METHOD 8 (reading)", gt=0
    )
    coverage_weight: float = constant(
        0.25, "Facility location: worth of coverage.", unit="utility", source="METHOD 8", ge=0
    )
    neighbour_bonus: float = constant(
        1.6, "Anchor-neighbour: worth of a link.", unit="utility/weight", source="METHOD 8", ge=0
    )
    pointwise_bonus: float = constant(
        0.4,
        "ECV pointwise: worth of the best link.",
        unit="utility/weight",
        source="METHOD 8",
        ge=0,
    )


class VerifierSettings(Section):
    """Calls to the verifiers (METHOD section 7)."""

    calls: Literal["two", "joint"] = constant(
        "two",
        "Judge memories and links in two calls at once, or both in one.",
        unit="choice",
        source="METHOD 7",
    )
    degrade: bool = switch(
        "Let the local verifier decide when the model fails; the trace says so.",
        on=False,
        source="METHOD 7",
    )
    snippet_characters: int = constant(
        420, "Canonical text in a snippet.", unit="characters", source="METHOD 7", ge=1
    )
    snippet_ocr_characters: int = constant(
        120, "OCR text in a snippet.", unit="characters", source="METHOD 7", ge=0
    )
    temperature: float = constant(0.0, "Sampling.", unit="temperature", source="METHOD 7", ge=0)
    context_tokens: int = constant(
        32768, "Context of the model.", unit="tokens", source="METHOD 7", ge=1
    )
    output_tokens: int = constant(
        8192, "Most output of a verifier.", unit="tokens", source="METHOD 7", ge=1
    )
    retries: int = constant(
        3, "Further calls after an invalid reply.", unit="calls", source="METHOD 7", ge=0
    )
    repair_unknown: bool = switch(
        "Drop unknown ids and read unknown roles as irrelevant instead of asking again.",
        on=True,
        source="METHOD 7 (ours)",
    )
    decoding: Literal["json_schema", "json_object"] = constant(
        "json_schema",
        "Constrained decoding by schema where the server offers it, or any JSON object.",
        unit="choice",
        source="METHOD 7 (ours: json_schema)",
    )
    image_edge: int = constant(
        2500,
        "Longest edge of an image; larger ones are scaled down.",
        unit="px",
        source="METHOD 7",
        ge=1,
    )


class ReaderSettings(Section):
    """What the reader gets, and how much it may say (METHOD sections 6 and 7)."""

    output_tokens: int = constant(
        1000, "Most output of the reader.", unit="tokens", source="METHOD 7", ge=1
    )
    show_date_and_place: bool = switch(
        "Tell the reader what a memory is, by whom, when and where.",
        on=True,
        source="METHOD 6 (ours)",
    )
    ask_for_citations: bool = switch("Ask the reader to cite.", on=True, source="METHOD 6 (ours)")
    frame_edge: int = constant(
        1024, "Longest edge of a frame of a video.", unit="px", source="METHOD 6 (reading)", ge=1
    )
    pixels_per_token: int = constant(
        1024,
        "How many pixels of a picture a token stands for, to keep the context.",
        unit="px",
        source="METHOD 6 (reading)",
        ge=1,
    )
    unsure_below: float = constant(
        0.5,
        "Say that the archive may not hold the answer if its probability lies below.",
        unit="probability",
        source="abstention",
        ge=0,
        le=1,
    )
