"""Counters for Prometheus, in its text format. No label ever holds content."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from graphmemix.evidence import StageCost

__all__ = ["Metrics"]

_BOUNDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)  # seconds

Labels = tuple[tuple[str, str], ...]
Samples = Iterable[tuple[Mapping[str, str], float]]


@dataclass
class _Histogram:
    buckets: list[int] = field(default_factory=lambda: [0] * len(_BOUNDS))
    total: float = 0.0
    count: int = 0

    def add(self, value: float) -> None:
        self.total += value
        self.count += 1
        for i, bound in enumerate(_BOUNDS):
            if value <= bound:
                self.buckets[i] += 1


class Metrics:
    """What a server counts. Everything but the gauges is kept here."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counters: dict[str, dict[Labels, float]] = defaultdict(lambda: defaultdict(float))
        self._times: dict[str, _Histogram] = defaultdict(_Histogram)
        self._gauges: dict[str, tuple[str, Callable[[], Samples]]] = {}

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request by the pattern of its address."""
        labels = (("method", method), ("route", route), ("status", str(status)))
        with self._lock:
            self._counters["graphmemix_requests_total"][labels] += 1
            self._times[route].add(seconds)

    def stages(self, costs: Iterable[StageCost]) -> None:
        """Count what the stages of a question took."""
        with self._lock:
            for cost in costs:
                label = (("stage", cost.stage),)
                for name, value in (
                    ("graphmemix_stage_seconds_total", cost.seconds),
                    ("graphmemix_stage_calls_total", cost.calls),
                    ("graphmemix_stage_input_tokens_total", cost.input_tokens),
                    ("graphmemix_stage_output_tokens_total", cost.output_tokens),
                ):
                    self._counters[name][label] += value

    def gauge(self, name: str, says: str, read: Callable[[], Samples]) -> None:
        """Add something that is looked at when it is asked for."""
        self._gauges[name] = (says, read)

    def text(self) -> str:
        """Return everything in the text format 0.0.4."""
        lines: list[str] = []
        with self._lock:
            for name, samples in sorted(self._counters.items()):
                lines.append(f"# TYPE {name} counter")
                lines += [_line(name, labels, value) for labels, value in sorted(samples.items())]
            lines.append("# TYPE graphmemix_request_seconds histogram")
            for route, histogram in sorted(self._times.items()):
                lines += _told(route, histogram)
        for name, (says, read) in sorted(self._gauges.items()):
            lines += [f"# HELP {name} {says}", f"# TYPE {name} gauge"]
            lines += [_line(name, tuple(labels.items()), value) for labels, value in read()]
        return "\n".join(lines) + "\n"


def _told(route: str, histogram: _Histogram) -> list[str]:
    name = "graphmemix_request_seconds"
    at = (("route", route),)
    lines = [
        _line(f"{name}_bucket", (*at, ("le", f"{bound:g}")), count)
        for bound, count in zip(_BOUNDS, histogram.buckets, strict=True)
    ]
    lines.append(_line(f"{name}_bucket", (*at, ("le", "+Inf")), histogram.count))
    lines.append(_line(f"{name}_sum", at, histogram.total))
    lines.append(_line(f"{name}_count", at, histogram.count))
    return lines


def _line(name: str, labels: Labels, value: float) -> str:
    told = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels)
    return f"{name}{{{told}}} {value:.10g}" if told else f"{name} {value:.10g}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
