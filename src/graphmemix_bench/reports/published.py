"""Figures that others published, to print beside ours. They are never mixed with ours."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from graphmemix.record import Record

_KEY_COLUMNS = {
    "gold_accessibility": "Gold accessibility, % of gold",
    "structural_recovery_gemma": "Structural recovery (gemma-4-12b)",
    "fixed_versus_ecv_edges": "Fixed edges against ECV edges",
    "joint_versus_two_calls_100q": "Joint against two calls (100 questions)",
}


@dataclass(frozen=True)
class PublishedTable(Record):
    """One table about one data set.

    Attributes:
        name: Its key in ``published.json``.
        title: For people.
        columns: What the figures are.
        rows: Method or configuration to its figures, in the order of the columns.
        source: Where they were published.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: Mapping[str, tuple[float, ...]]
    source: str


@cache
def _data() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        (files("graphmemix_bench.reports") / "published.json").read_text(encoding="utf-8")
    )
    return found


def source() -> str:
    """Return where the figures were published."""
    return str(_data()["source"])


def published_counts(dataset: str) -> dict[str, int]:
    """Return the published counts of a data set by its published key; empty if there are none."""
    return dict(_data()["counts"].get(dataset, {}))


def published_tables(dataset: str) -> tuple[PublishedTable, ...]:
    """Return every published table about a data set, cut to it; empty if there are none."""
    return (*_papers(dataset), *_others(dataset))


def _others(dataset: str) -> tuple[PublishedTable, ...]:
    """Return what others than the paper published, under their own source."""
    found = _data()["others"].get(dataset)
    if found is None:
        return ()
    rows = {name: tuple(values) for name, values in found["rows"].items()}
    table = PublishedTable("own", found["title"], tuple(found["columns"]), rows, found["source"])
    return (table,)


def _papers(dataset: str) -> tuple[PublishedTable, ...]:
    return tuple(
        PublishedTable(name, title, columns, rows, source())
        for name, title, columns, rows in (
            *_main(dataset),
            _column(dataset, "ladder_judge", "Ladder, judge accuracy in %", "judge"),
            _column(
                dataset,
                "selectors_recall_at_10_100q",
                "Selectors, Recall@10 in % (100 questions)",
                "recall_at_10",
            ),
            _column(
                dataset,
                "selectors_net_gold_recovered_100q",
                "Selectors, net gold recovered (100 questions)",
                "net_gold",
            ),
            *(_row(dataset, name, title) for name, title in _KEY_COLUMNS.items()),
            _hours(dataset),
        )
        if rows
    )


_Table = tuple[str, str, tuple[str, ...], dict[str, tuple[float, ...]]]


def _main(dataset: str) -> list[_Table]:
    table = _data()["main"]
    where = [i for i, name in enumerate(table["columns"]) if name.startswith(f"{dataset}.")]
    columns = tuple(table["columns"][i].partition(".")[2] for i in where)
    return [
        (
            f"main/{model}",
            f"Answers in %, reader {model}",
            columns,
            {method: tuple(row[i] for i in where) for method, row in rows.items()} if where else {},
        )
        for model, rows in table.items()
        if model != "columns"
    ]


def _column(dataset: str, name: str, title: str, column: str) -> _Table:
    table = _data()[name]
    rows: dict[str, tuple[float, ...]] = {}
    if dataset in table["columns"]:
        place = table["columns"].index(dataset)
        rows = {
            key: (values[place],)
            for key, values in table.items()
            if key not in {"columns", "recoverable_questions"}
        }
    return name, title, (column,), rows


def _row(dataset: str, name: str, title: str) -> _Table:
    table = _data()[name]
    rows = {"published": tuple(table[dataset])} if dataset in table else {}
    return name, title, tuple(table["columns"]), rows


def _hours(dataset: str) -> _Table:
    hours = _data()["lifecycle"]["hours"]
    rows: dict[str, tuple[float, ...]] = {}
    if dataset in hours:
        rows = {"graphmemix": (hours[dataset],)}
    return "lifecycle", "Lifecycle, hours", ("hours",), rows
