"""``graphmemix recall``: the evidence without an answer."""

from __future__ import annotations

from graphmemix.cli.evidence import (
    TraceJsonOption,
    TraceOption,
    open_to_ask,
    show_evidence,
    show_failures,
    wide_console,
)
from graphmemix.cli.options import (
    ArchiveArgument,
    AskedAtOption,
    AsOfOption,
    EncoderOption,
    HistoryOption,
    ImageOption,
    ProfileOption,
    QuestionArgument,
    SetOption,
    question_of,
    settings_from,
)
from graphmemix.cli.output import QuietOption, working
from graphmemix.cli.terminal import say


def command(
    archive: ArchiveArgument,
    question: QuestionArgument,
    *,
    image: ImageOption = None,
    asked_at: AskedAtOption = None,
    as_of: AsOfOption = None,
    history: HistoryOption = None,
    encoder: EncoderOption = None,
    profile: ProfileOption = None,
    override: SetOption = None,
    trace: TraceOption = False,
    as_json: TraceJsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Show the memories that answer a question together, without answering it.

    Example: graphmemix recall family "What do we know about the boiler?" --trace
    """
    asked = question_of(question, image, asked_at, as_of, history)
    settings = settings_from(profile, override)
    with open_to_ask(archive, encoder, settings) as opened:
        with working(shown=not (as_json or quiet)) as progress:
            found = opened.recall(asked)
        if as_json:
            say(found.to_json())
            return
        console = wide_console()
        show_failures(console, progress.failures)
        show_evidence(console, opened, found, explained=trace, known=progress.failures)
