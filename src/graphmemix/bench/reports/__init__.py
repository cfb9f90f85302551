"""From a results record to files, tables and plots."""

from __future__ import annotations

from graphmemix.bench.reports.record import (
    BenchReport,
    ConfigurationResult,
    RecallCurve,
    SelectorResult,
)
from graphmemix.bench.reports.tables import Table, tables
from graphmemix.bench.reports.terminal import show
from graphmemix.bench.reports.write import read_report, write_report

__all__ = [
    "BenchReport",
    "ConfigurationResult",
    "RecallCurve",
    "SelectorResult",
    "Table",
    "read_report",
    "show",
    "tables",
    "write_report",
]
