"""Counters for Prometheus. No label ever holds content."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram, Metric, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from graphmemix.evidence import StageCost

__all__ = ["Metrics", "Samples"]

_BOUNDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)  # seconds

Samples = Iterable[tuple[Sequence[str], float]]
"""The values of a gauge's labels, and its value."""


class Metrics:
    """What one server counts; two in a process share nothing."""

    def __init__(self) -> None:
        self._registry = _Registry()
        self._requests = self._counter("requests", "Requests.", "method", "route", "status")
        self._request_seconds = Histogram(
            "graphmemix_request_seconds",
            "Duration of requests.",
            ("route",),
            buckets=_BOUNDS,
            registry=self._registry,
        )
        self._seconds = self._counter("stage_seconds", "Time of stages of questions.", "stage")
        self._calls = self._counter("stage_calls", "Calls to models.", "stage")
        self._input = self._counter("stage_input_tokens", "Tokens sent to models.", "stage")
        self._output = self._counter("stage_output_tokens", "Tokens that models wrote.", "stage")

    def _counter(self, name: str, documentation: str, *labels: str) -> Counter:
        return Counter(f"graphmemix_{name}", documentation, labels, registry=self._registry)

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request by the pattern of its address."""
        self._requests.labels(method, route, str(status)).inc()
        self._request_seconds.labels(route).observe(seconds)

    def stages(self, costs: Iterable[StageCost]) -> None:
        """Count what the stages of a question took."""
        for cost in costs:
            self._seconds.labels(cost.stage).inc(cost.seconds)
            self._calls.labels(cost.stage).inc(cost.calls)
            self._input.labels(cost.stage).inc(cost.input_tokens)
            self._output.labels(cost.stage).inc(cost.output_tokens)

    def gauge(
        self, name: str, documentation: str, labels: Sequence[str], read: Callable[[], Samples]
    ) -> None:
        """Add a gauge whose samples are read at each scrape."""
        self._registry.register(_Gauge(name, documentation, labels, read))

    def text(self) -> bytes:
        """Return everything in the text format 0.0.4."""
        return generate_latest(self._registry)


class _Registry(CollectorRegistry):
    """Leaves out when each counter was created, which would double the number of series."""

    def collect(self) -> Iterator[Metric]:
        for family in super().collect():
            family.samples = [each for each in family.samples if not each.name.endswith("_created")]
            yield family


class _Gauge(Collector):
    def __init__(
        self, name: str, documentation: str, labels: Sequence[str], read: Callable[[], Samples]
    ) -> None:
        self._family = (name, documentation, labels)
        self._read = read

    def collect(self) -> Iterator[Metric]:
        name, documentation, labels = self._family
        family = GaugeMetricFamily(name, documentation, labels=labels)
        for values, value in self._read():
            family.add_metric(values, value)
        yield family
