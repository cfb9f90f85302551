"""The sections of finding: what makes vectors, of what, and how a question is scored."""

from __future__ import annotations

from typing import Literal

from graphmemix.settings.sections import Section, constant, switch

_READING = "METHOD 1 (reading)"


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
    frames: int = constant(8, "Frames sampled from a video.", unit="frames", source=_READING, ge=1)
    chunk_characters: int = constant(
        800, "Longest part of a text.", unit="characters", source=_READING, ge=50
    )
    chunk_overlap: int = constant(
        160, "What a part repeats.", unit="characters", source=_READING, ge=0
    )
    # 3.2 million characters are more than the longest novels have; a log file may have any number.
    encoded_parts: int = constant(
        4000,
        "Parts of one memory that get a vector, from the first on; the rest is found by its words.",
        unit="parts",
        source=_READING,
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
        0.3,
        "Weight of BM25, as a share of the best in the archive, beside the cosine.",
        unit="cosine",
        source=_READING,
        ge=0,
    )
    time_weight: float = constant(
        0.1, "Weight of a date that the question names.", unit="cosine", source=_READING, ge=0
    )
    place_weight: float = constant(
        0.1, "Weight of a place that the question names.", unit="cosine", source=_READING, ge=0
    )
    # Names of people and media are words of the question, which BM25 has counted already.
    person_weight: float = constant(
        0.02, "Weight of a person whom the question names.", unit="cosine", source=_READING, ge=0
    )
    media_weight: float = constant(
        0.02, "Weight of a medium that the question names.", unit="cosine", source=_READING, ge=0
    )
    chance_slope: float = constant(
        7.97,
        "The hybrid score as a chance is sigmoid(slope * score + offset); fitted to the packaged "
        "encoder.",
        unit="1/cosine",
        source=_READING,
        gt=0,
    )
    chance_offset: float = constant(
        -7.49, "The offset of the same.", unit="log-odds", source=_READING
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
