"""The sections about chat models: which endpoint, how it is called, and limits of a question."""

from __future__ import annotations

from pydantic import SecretStr

from graphmemix.settings.sections import Section, constant, switch

_ENDPOINT = "the endpoint's own"
_OWN = "ARCHITECTURE"


class ModelSettings(Section):
    """The chat model of verifiers and reader. Without `base_url` nothing is ever sent."""

    base_url: str = constant(
        "",
        "An OpenAI-compatible server, such as http://localhost:8000/v1; empty for none.",
        unit="URL",
        source=_OWN,
    )
    name: str = constant("", "The model's name there.", unit="name", source=_ENDPOINT)
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
        300.0, "Most time for one reply, also a streamed one.", unit="s", source=_OWN, gt=0
    )
    retries: int = constant(
        4,
        "Further tries of a request that failed on the way: 429, 5xx, lost connections.",
        unit="calls",
        source=_OWN,
        ge=0,
    )
    first_wait: float = constant(
        0.5, "Pause before the first of them; it doubles.", unit="s", source=_OWN, ge=0
    )
    longest_wait: float = constant(
        60.0,
        "Longest pause; a server that asks for a longer one counts as unavailable.",
        unit="s",
        source=_OWN,
        ge=0,
    )
    concurrency: int = constant(4, "Requests under way at once.", unit="calls", source=_OWN, ge=1)
    requests_per_minute: int | None = constant(
        None, "Most requests in any minute.", unit="calls/min", source=_ENDPOINT, ge=1
    )
    tokens_per_minute: int | None = constant(
        None, "Most tokens in any minute.", unit="tokens/min", source=_ENDPOINT, ge=1
    )
    input_price: float = constant(
        0.0, "Price of a million tokens sent.", unit="money", source=_ENDPOINT, ge=0
    )
    output_price: float = constant(
        0.0, "Price of a million tokens received.", unit="money", source=_ENDPOINT, ge=0
    )
    cache: bool = switch("Remember replies on disk, by content.", on=True, source=_OWN)
    cache_megabytes: float = constant(
        256.0, "Most disk for them; the oldest go first.", unit="MB", source=_OWN, gt=0
    )


class LimitSettings(Section):
    """Limits of one question. What they cut is in the trace."""

    seconds: float | None = constant(None, "The deadline.", unit="s", source=_OWN, ge=0)
    tokens: int | None = constant(
        None, "Most tokens, in both directions.", unit="tokens", source=_OWN, ge=0
    )
    money: float | None = constant(
        None, "Most money, at the prices of `model`.", unit="money", source=_OWN, ge=0
    )
