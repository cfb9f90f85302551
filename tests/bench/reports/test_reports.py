from __future__ import annotations

import base64
import csv
import io
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from markdown_it import MarkdownIt
from PIL import Image
from rich.console import Console

from graphmemix.errors import InvalidDataError, MissingExtraError
from graphmemix_bench.reports import BenchReport, read_report, show, tables, write_report
from graphmemix_bench.reports.html import to_html
from graphmemix_bench.reports.markdown import to_markdown
from graphmemix_bench.reports.plots import draw
from graphmemix_bench.reports.write import COLUMNS, to_csv

from .made_up import NAMES, report

BARE = replace(
    report(),
    published="",
    counts=None,
    selectors=(),
    comparisons=(),
    joint=(),
    accessibility=None,
    recovery=None,
    edges=None,
    trace=None,
    reliability={},
    curves=(),
    configurations=tuple(
        replace(each, lifecycle=None, by_type={}) for each in report().configurations
    ),
)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    write_report(report(), folder / "out")
    return folder / "out"


def test_a_report_survives_json() -> None:
    assert BenchReport.from_json(report().to_json()) == report()


def test_all_files_are_written_and_can_be_read_again(written: Path) -> None:
    files = sorted(str(p.relative_to(written)) for p in written.rglob("*") if p.is_file())
    assert files == [
        *(f"plots/{n}.png" for n in ("cost", "ladder", "recall", "reliability", "trace")),
        "report.csv",
        "report.html",
        "report.json",
        "report.md",
    ]
    assert read_report(written / "report.json") == report()
    (written / "broken.json").write_text("{}")
    with pytest.raises(InvalidDataError, match="BenchReport"):
        read_report(written / "broken.json")


# Tables


def cells(title: str, given: BenchReport | None = None) -> list[tuple[str, ...]]:
    return next(list(t.rows) for t in tables(given or report()) if t.title == title)


def test_the_ladder_has_means_with_intervals() -> None:
    first = cells("Ladder")[0]
    assert first == (
        "embedding top-K",
        "60.0 [57.0, 63.0]",
        "78.0 [76.0, 80.0]",
        "38.0 [34.0, 42.0]",
        "10",
        "2.00",
    )


def test_types_selectors_and_lifecycle_are_told() -> None:
    assert cells("Recall@10 by type of question")[1][:3] == ("VS|x", "50", "51.0 [45.0, 57.0]")
    assert cells("Selectors on the same frozen candidates, exactly K")[1] == (
        "dpp",
        "61.0 [58.0, 64.0]",
        "-7",
        "40",
    )
    life = cells("Lifecycle: digest every memory once, answer every question once")
    assert life[1][:5] == ("+ multi-view", "31.50", "0.00", "12.00", "43.50")
    assert life[1][5:] == ("120", "90,000", "4,000", "0.02")


def test_published_tables_are_marked_and_hold_none_of_ours() -> None:
    ours = [table for table in tables(report()) if not table.published]
    theirs = [table for table in tables(report()) if table.published]
    assert theirs
    assert all(table.note.startswith("Published: ") for table in theirs)
    assert not any("published" in table.note.lower() for table in ours)
    names = {row[0] for table in theirs for row in table.rows}
    assert not names & set(NAMES)


def test_what_was_not_measured_is_not_reported() -> None:
    assert [table.title for table in tables(BARE)] == ["Ladder"]
    assert [plot.name for plot in draw(BARE)] == ["ladder"]


def test_a_metric_that_a_configuration_lacks_is_a_dash() -> None:
    first, *rest = report().configurations
    lacking = replace(first, metrics={"recall_at_10": first.metrics["recall_at_10"]})
    assert cells("Ladder", replace(report(), configurations=(lacking, *rest)))[0][2] == "–"


# Markdown


def test_markdown_tables_are_whole(written: Path) -> None:
    text = (written / "report.md").read_text(encoding="utf-8")
    html = MarkdownIt("commonmark").enable("table").render(text)
    assert html.count("<table>") == len(tables(report()))
    assert "VS|x" in html  # the bar did not break its row
    assert "<made up>" not in html
    assert "&lt;made up&gt;" in html
    for path in re.findall(r'src="([^"]+)"', html):
        assert (written / path).is_file()


def test_markdown_says_how_it_was_run_and_what_is_published() -> None:
    text = to_markdown(report())
    assert "graphmemix bench ladder --dataset mem-gallery --data DIR" in text
    assert "partial: contexts 3 (published 20)" in text
    ours, theirs = text.split("## Published figures")
    assert "76.33" not in ours
    assert "76.33" in theirs
    assert "> Coefficients were refitted" in ours


# HTML


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html_needs_nothing_from_elsewhere(written: Path) -> None:
    text = (written / "report.html").read_text(encoding="utf-8")
    page = Page(text)
    assert not {"script", "link", "iframe"} & {tag for tag, _ in page.tags}
    sources = [attributes["src"] or "" for tag, attributes in page.tags if tag == "img"]
    assert all(source.startswith("data:image/svg+xml;base64,") for source in sources)
    assert "url(" not in text
    assert "http" not in re.sub(r"base64,[^\"]+", "", text)


def test_html_has_every_plot_for_light_and_for_dark(written: Path) -> None:
    page = Page((written / "report.html").read_text(encoding="utf-8"))
    classes = [attributes.get("class") for tag, attributes in page.tags if tag == "img"]
    assert classes == ["light", "dark"] * 5
    assert "prefers-color-scheme: dark" in page.text
    for tag, attributes in page.tags:
        if tag == "img":
            data = base64.b64decode((attributes["src"] or "").partition(",")[2])
            assert ET.fromstring(data).tag.endswith("svg")
            assert attributes["alt"]


def test_html_escapes_what_names_hold() -> None:
    text = to_html(report())
    assert "<made up>" not in text
    assert "Mem-Gallery <made up>" in Page(text).text


# CSV


def test_csv_has_a_line_for_each_figure_and_says_whose_it_is() -> None:
    head, *rows = csv.reader(io.StringIO(to_csv(report())))
    assert tuple(head) == COLUMNS
    assert all(len(row) == len(COLUMNS) for row in rows)
    assert {row[1] for row in rows} == {"ours", "published"}
    by = {tuple(row[1:6]): row[6:] for row in rows}
    assert len(by) == len(rows)
    first = by["ours", "ladder", "embedding top-K", "", "recall_at_10"]
    assert first == ["60.0", "57.0", "63.0", "120"]
    assert by["published", "ladder_judge", "forest", "", "judge"][0] == "76.33"
    assert by["ours", "recall", "+ forest", "", "recall_at_48"][0] == "88.0"


# Terminal


@pytest.mark.parametrize("width", [40, 200])
def test_the_terminal_shows_every_table(width: int) -> None:
    console = Console(width=width, file=io.StringIO(), color_system=None)
    show(report(), console)
    stream = console.file
    assert isinstance(stream, io.StringIO)
    text = stream.getvalue()
    assert "Mem-Gallery <made up>: 3 contexts" in " ".join(text.split())
    assert "(published)" in text
    assert "Note: Coefficients" in text


# Plots


def test_plots_are_pictures_of_both_themes(written: Path) -> None:
    for path in (written / "plots").iterdir():
        with Image.open(path) as picture:
            assert picture.format == "PNG"
            assert picture.convert("RGB").getpixel((0, 0)) == (255, 255, 255)
    (plot,) = draw(BARE)
    assert b"#14171d" in plot.dark
    assert b"#14171d" not in plot.light


def test_the_same_report_is_drawn_with_the_same_bytes() -> None:
    assert draw(BARE) == draw(BARE)


def test_a_search_without_swaps_and_names_with_dollars_are_drawn() -> None:
    trace = report().trace
    assert trace is not None
    odd = replace(
        BARE,
        trace=replace(trace, swap_gains=(), edge_gains=()),
        configurations=tuple(replace(e, name=f"$_{e.name}^$") for e in BARE.configurations),
    )
    assert [plot.name for plot in draw(odd)] == ["ladder", "trace"]


def test_without_matplotlib_the_extra_is_named_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"the extra 'bench': .*\[bench\]"):
        write_report(BARE, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    files = write_report(BARE, tmp_path / "out", plots=False)
    assert [path.suffix for path in files] == [".json", ".csv", ".md", ".html"]
