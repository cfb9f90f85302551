"""``graphmemix demo``: creates a sample archive and asks it."""

from __future__ import annotations

import shlex
import tempfile
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from rich.console import Console

from graphmemix.archive import Archive
from graphmemix.cli.evidence import memories_of, show_evidence, wide_console
from graphmemix.cli.output import counted, duration, print_words, since_start
from graphmemix.extras import install_command
from graphmemix.optimize.explanation import explain
from graphmemix.sample import build
from graphmemix.serve.page.export import write_page
from graphmemix.settings import Settings


class Scene(NamedTuple):
    """A question of the demonstration, and what to look at in its answer."""

    question: str
    look_at: str


SCENES = (
    Scene(
        "Which hotel did we stay in when Mia lost her tooth?",
        "No single memory says it. The chat has the tooth, the mail has the hotel; what happened "
        "at the same time belongs together.",
    ),
    Scene(
        "Who has our spare key?",
        "Two messages say different things. The later one counts; the earlier one is marked.",
    ),
    Scene(
        "What is the tracking number of the parcel with the school bag?",
        "The parcel service does not name the bag; the order number leads from one mail to the "
        "other.",
    ),
    Scene(
        "When and where is the parents' evening?",
        "It was moved: the new date comes first.",
    ),
)

_INTRODUCTION = (
    "GraphMemix answers questions from your own mail, photos, chats and documents.\n\n"
    "This demonstration makes up a year in the life of a family, reads its files into an archive, "
    "and asks four questions. It uses no language model and no network: answers are quoted.\n"
)
_HOW_TO_READ = (
    "Below each answer are the memories that it comes from: [1] there is [1] in the answer. An "
    "indented memory adds something to the one above it.\n"
)


def _next(archive: Path, page: Path) -> str:
    return f"""\
What next

  Look at the first answer as a web page:
    {page}
  Ask this family something else:
    graphmemix ask {shlex.quote(str(archive))} "What was wrong with the boiler?"
  Read your own files, and ask them:
    graphmemix ingest my-archive ~/Documents
    graphmemix ask my-archive "When does the insurance end?"
  Let a model write the answers; any server with the OpenAI API will do:
    {install_command("llm")}
    graphmemix ask my-archive "When does the insurance end?" \\
      --set model.base_url=http://localhost:11434/v1 --set model.name=NAME"""


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
    """See it work: make a sample archive of an invented family, and ask it four questions.

    Example: graphmemix demo ~/demo --page ~/demo/forest.html
    """
    console = wide_console()
    place = folder or Path(tempfile.mkdtemp(prefix="graphmemix-demo-"))
    target = page or place / "forest.html"
    print_words(console, _INTRODUCTION)
    sample = build(place / "sample")
    settings = Settings.load(overrides={"ingest.zone": sample.zone})
    with Archive.open(place / "archive", settings=settings) as archive:
        report = archive.ingest([sample.files])
        memories = archive.store.count()
        print_words(
            console,
            f"Read {counted(memories, 'memory')} from mail, photos, a chat, a calendar and "
            f"documents in {duration(since_start())}.\n",
        )
        for skipped in report.skipped:
            console.print(f"  skipped: {skipped.name}: {skipped.reason}", style="dim")
        print_words(console, _HOW_TO_READ)
        for number, scene in enumerate(SCENES, 1):
            _ask(console, archive, number, scene, target if number == 1 else None)
    console.print(_next(place / "archive", target), soft_wrap=True)


def _ask(console: Console, archive: Archive, number: int, scene: Scene, page: Path | None) -> None:
    """Print a question with its answer and its evidence; write the page if `page` is set."""
    trace = archive.ask(scene.question)
    console.print(f"{number}. {scene.question}", style="bold")
    print_words(console, scene.look_at, style="dim")
    console.print()
    if trace.answer is not None:
        print_words(console, trace.answer.text)
        console.print()
    show_evidence(console, archive, trace, explained=False, with_ids=False)
    console.print()
    if page is not None:
        memories = memories_of(archive, trace)
        explanations = explain(trace, archive.settings, memories)
        write_page(
            trace,
            memories.values(),
            explanations,
            page,
            media=archive.media,
            settings=archive.settings,
        )
