"""The sections of the verifiers and of the reader: what they are told and may say."""

from __future__ import annotations

from typing import Literal

from graphmemix.settings.sections import Section, constant, switch


class VerifierSettings(Section):
    """Calls to the verifiers (METHOD section 7)."""

    plugin: str = constant(
        "",
        "Name of a verifier of another package, which then decides; empty for our own.",
        unit="name",
        source="registry",
    )
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

    plugin: str = constant(
        "",
        "Name of a reader of another package, which then answers; empty for our own.",
        unit="name",
        source="registry",
    )
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
