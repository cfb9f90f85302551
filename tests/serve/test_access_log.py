"""Logs, figures and spans: what happened, and nothing of what was said."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from graphmemix.evidence import StageCost
from graphmemix.serve import telemetry
from graphmemix.serve.access_log import JsonFormat, PlainFormat
from graphmemix.serve.metrics import Metrics
from tests.serve.servers import fill, serving, token

HOME = "/v1/archives/home"
SECRETS = ("quokka", "platypus", "dugong", "private-id")


class Lines(logging.Handler):
    def __init__(self, form: logging.Formatter) -> None:
        super().__init__()
        self.setFormatter(form)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@pytest.fixture
def lines() -> Iterator[list[str]]:
    with logged(JsonFormat()) as written:
        yield written


@contextmanager
def logged(form: logging.Formatter) -> Iterator[list[str]]:
    handler = Lines(form)
    logger = logging.getLogger("graphmemix.serve")
    level, propagate = logger.level, logger.propagate
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    yield handler.lines
    logger.removeHandler(handler)
    logger.setLevel(level)
    logger.propagate = propagate


def test_logs_metrics_and_spans_hold_no_content(
    tmp_path: Path, lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    exporter = InMemorySpanExporter()
    made = telemetry.Telemetry("", exporter=exporter)
    monkeypatch.setattr("graphmemix.serve.app.Telemetry", lambda _: made)
    fill(tmp_path / "home", "quokka")
    key = token(tmp_path, all="admin")
    with serving(tmp_path, telemetry="http://nowhere") as live, live.client(key) as client:
        archive = live.app.state.service.archives.get("home").archive
        client.post(f"{HOME}/ask", json={"question": "Where is the platypus?"})
        note = {"memories": [{"id": "private-id", "kind": "note", "text": "dugong"}]}
        client.post(f"{HOME}/memories", json=note)
        client.get(f"{HOME}/memories/private-id?after=platypus")
        client.get("/v1/platypus")
        client.request("DUGONG", "/v1/archives")
        client.get(f"{HOME}/memories", headers={"Authorization": "Bearer gmx_dugong"})
        monkeypatch.setattr(archive, "get", lambda _: 1 / 0)
        failed = client.get(f"{HOME}/memories/private-id")
        assert (failed.status_code, failed.json()["code"]) == (500, "internal")
        metrics = client.get("/v1/metrics").text
    spans = exporter.get_finished_spans()
    told = "\n".join([*lines, metrics, *(span.to_json() for span in spans)])
    for secret in (*SECRETS, key, key.rpartition("_")[2]):
        assert secret not in told
    asked = next(json.loads(line) for line in lines if "/ask" in line)
    assert asked["route"] == "/v1/archives/{archive}/ask"
    assert asked["status"] == 200
    assert asked["key"] == key.split("_")[1]
    error = next(json.loads(line) for line in lines if '"error"' in line)
    assert error["error"] == "ZeroDivisionError"
    assert failed.json()["request_id"] == error["request_id"]
    assert 'graphmemix_stage_calls_total{stage="retrieve"}' in metrics
    names = [span.name for span in spans]
    assert "POST /v1/archives/{archive}/ask" in names
    assert "retrieve" in names


def test_figures_are_in_the_format_of_prometheus() -> None:
    metrics = Metrics()
    metrics.request("GET", '/a"b', 200, 0.02)
    metrics.request("GET", '/a"b', 200, 7.0)
    metrics.stages([StageCost("read", 1.5, calls=2, input_tokens=10)])
    metrics.gauge("up", "Whether.", ("of",), lambda: [(("x\ny",), 1.0)])
    lines = metrics.text().decode().splitlines()
    assert 'graphmemix_requests_total{method="GET",route="/a\\"b",status="200"} 2.0' in lines
    assert 'graphmemix_request_seconds_bucket{le="0.025",route="/a\\"b"} 1.0' in lines
    assert 'graphmemix_request_seconds_bucket{le="+Inf",route="/a\\"b"} 2.0' in lines
    assert 'graphmemix_request_seconds_sum{route="/a\\"b"} 7.02' in lines
    assert 'graphmemix_stage_input_tokens_total{stage="read"} 10.0' in lines
    assert 'up{of="x\\ny"} 1.0' in lines
    assert Metrics().text().count(b"\ngraphmemix_") == 0  # another server starts from nothing


def test_the_metrics_have_these_names_and_labels() -> None:
    """Dashboards and alerts of users depend on them."""
    metrics = Metrics()
    metrics.request("GET", "/r", 200, 0.02)
    metrics.stages([StageCost("read", 1.5, calls=2, input_tokens=10)])
    samples = re.findall(r"^(\w+)(?:\{(.*)\})? \S+$", metrics.text().decode(), re.MULTILINE)
    assert {(name, tuple(re.findall(r"(\w+)=", labels))) for name, labels in samples} == {
        ("graphmemix_requests_total", ("method", "route", "status")),
        ("graphmemix_request_seconds_bucket", ("le", "route")),
        ("graphmemix_request_seconds_count", ("route",)),
        ("graphmemix_request_seconds_sum", ("route",)),
        ("graphmemix_stage_seconds_total", ("stage",)),
        ("graphmemix_stage_calls_total", ("stage",)),
        ("graphmemix_stage_input_tokens_total", ("stage",)),
        ("graphmemix_stage_output_tokens_total", ("stage",)),
    }


def test_people_get_short_lines_without_content_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path / "home", "quokka")
    with (
        logged(PlainFormat()) as written,
        serving(tmp_path) as live,
        live.client() as client,
    ):
        archive = live.app.state.service.archives.get("home").archive
        client.get(f"{HOME}/memories/platypus")
        monkeypatch.setattr(archive, "get", lambda _: 1 / 0)
        client.get(f"{HOME}/memories/private-id")
    shown = [line.partition("  ")[2] for line in written if re.match(r"\d\d:\d\d:\d\d  ", line)]
    route = re.escape("/v1/archives/{archive}/memories/{memory_id:path}")
    assert re.fullmatch(rf"404 GET {route}, \d+ ms.*", next(s for s in shown if s[0] == "4"))
    assert any(re.match(r"error: request failed .*: ZeroDivisionError at ", line) for line in shown)
    assert not [secret for secret in SECRETS if secret in "".join(written)]
