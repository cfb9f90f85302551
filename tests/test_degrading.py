"""Every way in which a model fails: an answer by default, an error in profile ``paper``."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from graphmemix.archive import Archive
from graphmemix.encode.hashing import HashingEncoder
from graphmemix.errors import ModelError
from tests.answering import KEY, endpoint, household
from tests.llm.servers import (
    Act,
    Connection,
    HostileServer,
    broken,
    resets,
    says,
    silent,
    status,
)

TOO_LONG = "the request exceeds the available context size (9000 > 4096 tokens)"


def disobeys(connection: Connection) -> None:
    """A model that ignores the schema, and a reader that says nothing."""
    says('{"verdict": "all of them"}' if "response_format" in connection.body else "")(connection)


FAILURES: dict[str, tuple[Act, str]] = {
    "timeout": (silent, "no complete reply within 0.5 s"),
    "500": (status(500), "HTTP 500"),
    "503": (status(503), "HTTP 503"),
    "reset": (resets, "the request failed"),
    "breaks off": (broken(b'{"choices": [{', 900), "the request failed"),
    "malformed JSON": (says('{"selected": [{"id": "C0'), "no valid reply in 2 calls"),
    "prose": (says("I would rather not."), "there is no JSON object"),
    "disobeys the schema": (disobeys, "selected: Field required"),
    "context too long": (status(400, TOO_LONG), "exceeds the available context size"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_by_default_the_local_verifier_decides_and_that_is_said_first(
    tmp_path: Path, hostile: HostileServer, name: str
) -> None:
    act, reason = FAILURES[name]
    hostile.script = [act]
    timeout = 0.5 if act is silent else 60.0
    quick = {"model__timeout": timeout, "model__retries": 0, "verifier__retries": 1}
    settings = endpoint(hostile.url, **quick)
    with household(tmp_path / "a", settings=settings) as archive:
        trace = archive.recall(KEY)
        alone = archive.case(KEY)
    assert trace.notes[0].startswith("the verifier's model failed (")
    assert reason in trace.notes[0]
    assert trace.notes[0].endswith("; the local verifier decided instead")
    assert trace.verifier.startswith("local:")
    assert len(trace.supports) == len(alone.candidates)
    paper = endpoint(hostile.url, profile="paper", **quick)
    with (
        Archive.open(tmp_path / "a", encoder=HashingEncoder(), settings=paper) as archive,
        pytest.raises(ModelError, match="context size" if name == "context too long" else None),
    ):
        archive.recall(KEY)


def test_a_prompt_that_does_not_fit_is_not_sent_again_in_other_forms(
    tmp_path: Path, hostile: HostileServer
) -> None:
    hostile.script = [status(400, TOO_LONG)]
    with household(tmp_path / "a", settings=endpoint(hostile.url)) as archive:
        archive.recall(KEY)
    assert len(hostile.requests) == 1


def test_nobody_at_the_address_is_an_answer_by_quotation(tmp_path: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/v1"
        with household(tmp_path / "a", settings=endpoint(url)) as archive:
            trace = archive.ask(KEY)
        assert trace.answer is not None
        assert trace.answer.extractive
        reader, verifier = trace.notes[:2]
        assert "cannot connect" in reader
        assert reader.endswith("; the answer is quoted instead")
        assert verifier.endswith("; the local verifier decided instead")
        paper = endpoint(url, profile="paper")
        with (
            Archive.open(tmp_path / "a", encoder=HashingEncoder(), settings=paper) as archive,
            pytest.raises(ModelError, match="cannot connect"),
        ):
            archive.ask(KEY)
