"""How a question is answered: chat model, verifiers, reader, limits and saved traces."""

from __future__ import annotations

from typing import Literal

from pydantic import SecretStr

from graphmemix.settings.sections import Section, constant, switch

_ENDPOINT = "the endpoint's own"
_OWN = "our choice"
_LOCAL = "local verifier"


class ModelSettings(Section):
    """The chat model of verifiers and reader. Without `base_url` nothing is ever sent."""

    base_url: str = constant(
        "",
        "An OpenAI-compatible server, such as http://localhost:8000/v1; empty for none.",
        unit="URL",
        source=_OWN,
    )
    name: str = constant("", "Model name as the server knows it.", unit="name", source=_ENDPOINT)
    others: str = constant(
        "",
        "Other models of this server that a question may be asked with, separated by commas.",
        unit="names",
        source=_OWN,
    )
    api_key_env: str = constant(
        "", "The environment variable that holds the API key.", unit="name", source=_ENDPOINT
    )
    api_key: SecretStr | None = constant(
        None,
        "The API key itself; better keep it in the environment.",
        unit="secret",
        source=_ENDPOINT,
    )
    images: bool = switch("Whether the model sees images.", on=True, source="METHOD 7")
    timeout: float = constant(
        300.0, "Timeout for one reply, streamed or not.", unit="s", source=_OWN, gt=0
    )
    retries: int = constant(
        4,
        "Retries of a request that failed in transit: 429, 5xx, lost connections.",
        unit="calls",
        source=_OWN,
        ge=0,
    )
    first_wait: float = constant(
        0.5, "Pause before the first retry; it doubles each time.", unit="s", source=_OWN, ge=0
    )
    longest_wait: float = constant(
        60.0,
        "Longest pause; a server that asks for more counts as unavailable.",
        unit="s",
        source=_OWN,
        ge=0,
    )
    concurrency: int = constant(4, "Requests in flight at once.", unit="calls", source=_OWN, ge=1)
    requests_per_minute: int | None = constant(
        None, "Most requests per minute.", unit="calls/min", source=_ENDPOINT, ge=1
    )
    tokens_per_minute: int | None = constant(
        None, "Most tokens per minute.", unit="tokens/min", source=_ENDPOINT, ge=1
    )
    input_price: float = constant(
        0.0, "Price of a million input tokens.", unit="money", source=_ENDPOINT, ge=0
    )
    output_price: float = constant(
        0.0, "Price of a million output tokens.", unit="money", source=_ENDPOINT, ge=0
    )
    cache: bool = switch("Cache replies on disk, by content.", on=True, source=_OWN)
    cache_megabytes: float = constant(
        256.0,
        "Largest size of that cache; the oldest replies go first.",
        unit="MB",
        source=_OWN,
        gt=0,
    )


class VerifierSettings(Section):
    """Calls to the verifiers (METHOD section 7)."""

    plugin: str = constant(
        "",
        "Name of a verifier plugin of another package, used instead of the built-in ones.",
        unit="name",
        source="registry",
    )
    calls: Literal["two", "joint"] = constant(
        "two",
        "Judge memories and links in two calls, or in one call.",
        unit="choice",
        source="METHOD 7",
    )
    at_once: bool = switch(
        "Send both calls at the same time. In sequence, the second one can reuse the server's "
        "prompt cache of the first.",
        on=False,
        source="METHOD 7 (ours: off)",
    )
    prompts: Literal["shared", "published"] = constant(
        "shared",
        "Prompts with a shared prefix, scores in steps of 0.5 and short replies, or the published "
        "prompts.",
        unit="choice",
        source="METHOD 7 (ours: shared)",
    )
    degrade: bool = switch(
        "If the model fails, use the local verifier and quote the answer; the trace notes both.",
        on=True,
        source="METHOD 7 (ours: on)",
    )
    with_local: bool = switch(
        "Combine the model's scores with the local verifier's probabilities.",
        on=True,
        source="METHOD 3 (ours)",
    )
    candidates: int = constant(
        32,
        "Candidates that the model reads: the likeliest by the local verifier, with `with_local`.",
        unit="memories",
        source=_LOCAL,
        ge=1,
    )
    snippet_characters: int = constant(
        420, "Longest canonical text in a snippet.", unit="characters", source="METHOD 7", ge=1
    )
    snippet_ocr_characters: int = constant(
        120, "Longest OCR text in a snippet.", unit="characters", source="METHOD 7", ge=0
    )
    temperature: float = constant(
        0.0, "Sampling temperature.", unit="temperature", source="METHOD 7", ge=0
    )
    context_tokens: int = constant(
        32768, "Context window of the model.", unit="tokens", source="METHOD 7", ge=1
    )
    output_tokens: int = constant(
        8192, "Longest output of a verifier.", unit="tokens", source="METHOD 7", ge=1
    )
    retries: int = constant(
        3, "Retries after an invalid reply.", unit="calls", source="METHOD 7", ge=0
    )
    repair_unknown: bool = switch(
        "Drop unknown ids and read unknown roles as irrelevant instead of asking again.",
        on=True,
        source="METHOD 7 (ours)",
    )
    decoding: Literal["json_schema", "json_object"] = constant(
        "json_schema",
        "Constrained decoding: by schema where the server supports it, or any JSON object.",
        unit="choice",
        source="METHOD 7 (ours: json_schema)",
    )
    image_edge: int = constant(
        2500,
        "Longest edge of an image; larger images are scaled down.",
        unit="px",
        source="METHOD 7",
        ge=1,
    )


class LocalSettings(Section):
    """The verifier that needs no language model, and when it is used."""

    use: Literal["without_model", "always", "never"] = constant(
        "without_model",
        "When it is used: if no model is set, always, or never. See also `verifier.degrade`.",
        unit="choice",
        source=_LOCAL,
    )
    edge_share: float = constant(
        0.07,
        "Share of the probability added by an anchor that counts as the link's gain, per unit of "
        "-ln P(the best exchanges all miss).",
        unit="ratio",
        source=_LOCAL,
        ge=0,
        le=1,
    )
    edge_share_in_talk: float = constant(
        0.15,
        "The same in a conversation, where an exchange is worth more as a whole.",
        unit="ratio",
        source=_LOCAL,
        ge=0,
        le=1,
    )
    half_share: float = constant(
        0.5,
        "Weight of one half of an exchange on its own, if the other half is likelier.",
        unit="ratio",
        source=_LOCAL,
        ge=0,
        le=1,
    )
    opening_cost: float = constant(
        0.5,
        "kappa of both stages, and thus the largest gain of a link.",
        unit="utility",
        source=_LOCAL,
        ge=0,
    )
    keep_above: float = constant(
        0.025,
        "A memory is shown if its utility plus the gain of its links exceeds this share of the "
        "greatest chance; to be linked, its chance must exceed half of that.",
        unit="ratio",
        source=_LOCAL,
        ge=0,
        le=1,
    )
    least_chance: float = constant(
        0.025,
        "A memory with a lower chance is not shown, linked or not, unless it is the likeliest.",
        unit="probability",
        source=_LOCAL,
        ge=0,
        le=1,
    )
    least_chance_in_talk: float = constant(
        0.01,
        "The same in a conversation, where even evidence has small chances.",
        unit="probability",
        source=_LOCAL,
        ge=0,
        le=1,
    )
    redundant_likeness: float = constant(
        0.97,
        "From this cosine up, a memory repeats its anchor.",
        unit="cosine",
        source=_LOCAL,
    )
    corroborating_likeness: float = constant(
        0.75, "From this cosine up, a memory confirms its anchor.", unit="cosine", source=_LOCAL
    )
    model_file: str = constant(
        "",
        "File with coefficients from `graphmemix calibrate`; empty for the packaged ones.",
        unit="path",
        source=_LOCAL,
    )


class ReaderSettings(Section):
    """What the reader gets, and how long its answer may be (METHOD sections 6 and 7)."""

    plugin: str = constant(
        "",
        "Name of a reader plugin of another package, used instead of the built-in ones.",
        unit="name",
        source="registry",
    )
    output_tokens: int = constant(
        1000, "Longest output of the reader.", unit="tokens", source="METHOD 7", ge=1
    )
    show_date_and_place: bool = switch(
        "Show the reader each memory's kind, author, date and place.",
        on=True,
        source="METHOD 6 (ours)",
    )
    ask_for_citations: bool = switch(
        "Ask the reader to cite its sources.", on=True, source="METHOD 6 (ours)"
    )
    frame_edge: int = constant(
        1024, "Longest edge of a video frame.", unit="px", source="METHOD 6 (reading)", ge=1
    )
    pixels_per_token: int = constant(
        1024,
        "Pixels per token, to estimate whether pictures fit the context.",
        unit="px",
        source="METHOD 6 (reading)",
        ge=1,
    )
    unsure_below: float = constant(
        0.6,
        "Say that the archive does not seem to hold the answer if its probability is below this.",
        unit="probability",
        source="abstention",
        ge=0,
        le=1,
    )
    holds_from: float = constant(
        0.85,
        "Say that the archive holds the answer if its probability is at least this; between the "
        "two bounds it may hold the answer.",
        unit="probability",
        source="abstention",
        ge=0,
        le=1,
    )


class LimitSettings(Section):
    """Limits of one question. The trace notes what they cut."""

    seconds: float | None = constant(None, "Deadline.", unit="s", source=_OWN, ge=0)
    tokens: int | None = constant(
        None, "Most tokens, input and output together.", unit="tokens", source=_OWN, ge=0
    )
    money: float | None = constant(
        None, "Highest cost, at the prices of section `model`.", unit="money", source=_OWN, ge=0
    )


class TraceSettings(Section):
    """How many traces of earlier questions are kept."""

    keep: int = constant(
        1000,
        "Most traces per archive, about 40 kB each; beyond that the oldest 5 % are deleted. "
        "0 keeps all.",
        unit="traces",
        source=_OWN,
        ge=0,
    )
