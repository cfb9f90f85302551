"""``graphmemix demo``: creates a sample archive and asks it."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from graphmemix.archive import Archive
from graphmemix.cli.evidence import memories_of, show_evidence, wide_console
from graphmemix.optimize.explanation import explain
from graphmemix.sample import build
from graphmemix.serve.page.export import write_page
from graphmemix.settings import Settings

# Each shows something different: a booking that answers by way of an event, a later message that
# supersedes an earlier one, a number in one of many mails, and an appointment that moved, with both
# mails and calendar entries.
QUESTIONS = (
    "Which hotel did we stay in when Mia lost her tooth?",
    "Who has our spare key?",
    "What is the tracking number of the parcel with the school bag?",
    "When and where is the parents' evening?",
)


_NEXT = """\
Your own files:   graphmemix ingest my-archive ~/Pictures mail.mbox ~/Takeout
                  graphmemix ask my-archive "Who has our spare key?"
Your own model:   add --set model.base_url=http://localhost:8000/v1 --set model.name=NAME
                  (any OpenAI-compatible server; pip install 'graphmemix[llm]')"""


def command(
    folder: Annotated[
        Path | None,
        typer.Argument(help="Folder for the sample and its archive; default: a temporary one."),
    ] = None,
    *,
    page: Annotated[
        Path | None, typer.Option(help="HTML file to write the first forest to.")
    ] = None,
) -> None:
    """Create a sample archive of an invented household, ask it, and draw the evidence forests.

    Example: graphmemix demo ~/demo --page ~/demo/forest.html
    """
    console = wide_console()
    place = folder or Path(tempfile.mkdtemp(prefix="graphmemix-demo-"))
    target = page or place / "forest.html"
    sample = build(place / "sample")
    settings = Settings.load(overrides={"ingest.zone": sample.zone})
    with Archive.open(place / "archive", settings=settings) as archive:
        report = archive.ingest([sample.files])
        console.print(
            Text.assemble(
                "A year of one invented household: ",
                (f"{archive.store.count()} memories", "bold"),
                f" from mail, photos, a chat, a calendar and documents, in {place / 'archive'}",
            )
        )
        for skipped in report.skipped:
            console.print(f"  skipped: {skipped.name}: {skipped.reason}", style="dim")
        for question in QUESTIONS:
            _ask(console, archive, question, target if question == QUESTIONS[0] else None)
    console.print(
        Text.assemble(
            "\nNo language model was used: answers are quoted. The first forest as a web page: ",
            (str(target), "bold"),
            f"\n\n{_NEXT}",
        )
    )


def _ask(console: Console, archive: Archive, question: str, page: Path | None) -> None:
    """Print a question with its answer and its evidence; write the page if `page` is set."""
    trace = archive.ask(question)
    console.print(f"\n{question}", style="bold")
    if trace.answer is not None:
        console.print(trace.answer.text)
    show_evidence(console, archive, trace, explained=False)
    if page is not None:
        memories = memories_of(archive, trace)
        explanations = explain(trace, archive.settings)
        write_page(
            trace,
            memories.values(),
            explanations,
            page,
            media=archive.media,
            settings=archive.settings,
        )
