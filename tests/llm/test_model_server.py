from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from graphmemix.errors import EncoderError
from graphmemix.llm.model_server import ModelServer, RequestFailure, retry_after
from graphmemix.llm.pace import Backoff


@pytest.mark.parametrize(("said", "seconds"), [("0", 0.0), ("1.5", 1.5), ("120", 120.0)])
def test_a_pause_in_seconds(said: str, seconds: float) -> None:
    assert retry_after({"Retry-After": said}) == seconds


def test_or_as_a_date_that_has_not_passed() -> None:
    now = datetime.now(UTC)
    later = retry_after({"Retry-After": format_datetime(now + timedelta(hours=1))})
    assert later is not None
    assert 3500 < later <= 3600
    assert retry_after({"Retry-After": format_datetime(now - timedelta(hours=1))}) is None


@pytest.mark.parametrize("said", ["", "soon", "-1", "nan", "inf", "Wed, 99 Foo 2024", "1 2 3 4 5"])
def test_nonsense_is_no_pause(said: str) -> None:
    assert retry_after({"Retry-After": said}) is None
    assert retry_after({}) is None


def server(backoff: Backoff = Backoff(2, 1.0, 5.0)) -> ModelServer:  # noqa: B008 - frozen
    return ModelServer(
        "http://127.0.0.1:9",
        "/embeddings",
        "m",
        api_key="sk-secret",
        timeout=1.0,
        backoff=backoff,
        error=EncoderError,
        extra=("endpoint", "A test"),
    )


def test_a_pause_doubles_or_is_what_the_server_asks_for() -> None:
    assert 0.5 <= server().pause(RequestFailure("busy"), 1) <= 1.0
    assert 1.0 <= server().pause(RequestFailure("busy"), 2) <= 2.0
    assert server().pause(RequestFailure("busy", wait=4.0), 1) == 4.0


def test_a_long_pause_is_refused_or_cut() -> None:
    failure = RequestFailure("busy", wait=60.0)
    with pytest.raises(EncoderError, match=r"embeddings: busy \(asks to wait 60 s\)"):
        server().pause(failure, 1)
    assert server(Backoff(2, 1.0, 5.0, patient=True)).pause(failure, 1) == 5.0


@pytest.mark.parametrize(
    ("failure", "tries", "said"),
    [
        (RequestFailure("busy"), 3, "busy, after 3 tries"),
        (RequestFailure("no", may_pass=False), 1, "no$"),
        (RequestFailure("nobody there", unreached=True), 1, "nobody there$"),
        (RequestFailure("key sk-secret?", may_pass=False), 1, r"key \*\*\*\?$"),
    ],
)
def test_there_is_an_end_to_trying(failure: RequestFailure, tries: int, said: str) -> None:
    with pytest.raises(EncoderError, match=said):
        server().pause(failure, tries)
