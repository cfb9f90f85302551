"""From a results record to files, tables and plots."""

from __future__ import annotations

from graphmemix_bench.reports.record import (
    BenchReport,
    ConfigurationResult,
    RecallCurve,
    SelectorResult,
)
from graphmemix_bench.reports.tables import Table, tables
from graphmemix_bench.reports.terminal import show
from graphmemix_bench.reports.write import read_report, write_report

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
