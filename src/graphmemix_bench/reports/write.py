"""A report as files: ``report.{json,csv,md,html}`` and ``plots/``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmemix.fsio import make_folder, open_binary, write_text
from graphmemix_bench.reports.html import to_html
from graphmemix_bench.reports.machine import to_csv
from graphmemix_bench.reports.markdown import to_markdown
from graphmemix_bench.reports.plots import draw
from graphmemix_bench.reports.record import BenchReport

if TYPE_CHECKING:
    from pathlib import Path


def write_report(report: BenchReport, folder: Path, *, plots: bool = True) -> tuple[Path, ...]:
    """Write a report in every form; return the files.

    Args:
        report: What was found.
        folder: Where to; files of an earlier report are replaced.
        plots: Draw them too.

    Raises:
        MissingExtraError: Plots are wanted and matplotlib is not installed; nothing was written.
    """
    pictures = draw(report) if plots else ()
    make_folder(folder)
    written = []
    names = {}
    for plot in pictures:
        path = folder / "plots" / f"{plot.name}.png"
        with open_binary(make_folder(path.parent) / path.name) as stream:
            stream.write(plot.still)
        names[plot.title] = f"plots/{path.name}"
        written.append(path)
    for name, text in (
        ("report.json", report.to_json() + "\n"),
        ("report.csv", to_csv(report)),
        ("report.md", to_markdown(report, names)),
        ("report.html", to_html(report, pictures)),
    ):
        write_text(folder / name, text)
        written.append(folder / name)
    return tuple(written)


def read_report(path: Path) -> BenchReport:
    """Return the report in a ``report.json``.

    Raises:
        InvalidDataError: It is no such report; names every field at fault.
    """
    return BenchReport.from_json(path.read_bytes())
