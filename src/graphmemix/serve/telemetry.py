"""Sends spans of requests and question stages to an OpenTelemetry collector.

Needs the extra ``telemetry``. A span holds the method, the route pattern, the status and times: no
text, no memory id, no key.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

from graphmemix.errors import MissingExtraError
from graphmemix.evidence import StageCost

__all__ = ["Telemetry"]


class Telemetry:
    """Sends spans. `close` sends what is left."""

    def __init__(self, endpoint: str, *, exporter: Any = None) -> None:
        """Send to an OTLP endpoint over HTTP, such as ``http://localhost:4318/v1/traces``.

        Args:
            endpoint: Its URL.
            exporter: An OpenTelemetry exporter to use instead.

        Raises:
            MissingExtraError: The extra ``telemetry`` is not installed.
        """
        try:
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
            from opentelemetry.sdk.resources import Resource
            from opentelemetry.sdk.trace import TracerProvider
            from opentelemetry.sdk.trace.export import BatchSpanProcessor
        except ImportError:
            raise MissingExtraError("telemetry", "sending spans") from None
        # A provider of our own: the process-wide one would pick up spans of other libraries,
        # and those may hold content.
        resource = Resource.create({"service.name": "graphmemix"})
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        chosen = exporter if exporter is not None else OTLPSpanExporter(endpoint=endpoint)
        self._provider.add_span_processor(BatchSpanProcessor(chosen))
        self._tracer = self._provider.get_tracer("graphmemix.serve")

    def request(
        self,
        method: str,
        route: str,
        status: int,
        seconds: float,
        costs: Iterable[StageCost] = (),
    ) -> None:
        """Send the span of a request that has just ended, with one below it for each stage."""
        from opentelemetry.trace import SpanKind, set_span_in_context

        end = time.time_ns()
        start = end - int(seconds * 1e9)
        span = self._tracer.start_span(
            f"{method} {route}",
            kind=SpanKind.SERVER,
            start_time=start,
            attributes={
                "http.request.method": method,
                "http.route": route,
                "http.response.status_code": status,
            },
        )
        inside = set_span_in_context(span)
        for cost in costs:
            stop = start + int(cost.seconds * 1e9)
            stage = self._tracer.start_span(
                cost.stage,
                context=inside,
                start_time=start,
                attributes={
                    "graphmemix.calls": cost.calls,
                    "graphmemix.input_tokens": cost.input_tokens,
                    "graphmemix.output_tokens": cost.output_tokens,
                },
            )
            stage.end(stop)
            start = stop
        span.end(end)

    def close(self) -> None:
        """Send what is left and end the thread."""
        self._provider.shutdown()
