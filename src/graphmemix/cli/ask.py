"""``graphmemix ask``: the answer and its evidence."""

from __future__ import annotations

from rich.console import Console

from graphmemix.cli.answer_json import answer_json
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
    KindOption,
    NearOption,
    PersonOption,
    ProfileOption,
    QuestionArgument,
    SessionOption,
    SetOption,
    SinceOption,
    UntilOption,
    filter_from,
    question_of,
    settings_from,
    wanted_by,
)
from graphmemix.cli.output import QuietOption, print_words, since_start, working
from graphmemix.cli.terminal import say
from graphmemix.evidence import Trace


def command(
    archive: ArchiveArgument,
    question: QuestionArgument,
    *,
    since: SinceOption = None,
    until: UntilOption = None,
    kind: KindOption = None,
    person: PersonOption = None,
    near: NearOption = None,
    session: SessionOption = None,
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
    """Answer a question from the archive, with its sources.

    Without a model, or if it fails, the answer is quoted from the evidence.

    Example: graphmemix ask family "Which hotel did we stay in when Mia lost her tooth?"

    Example: graphmemix ask family "What did the boiler cost?" --since 2023 --kind email

    Example: graphmemix ask family "Who has our spare key?" --json | jq -r .answer.text
    """
    asked = question_of(question, image, asked_at, as_of, history)
    settings = settings_from(profile, override)
    wanted = wanted_by(since, until, kind, person, near, session)
    with open_to_ask(archive, encoder, settings) as opened:
        console = wide_console()
        filter = filter_from(opened, wanted)
        found: Trace | None = None
        live = not as_json and console.is_terminal and opened.settings.model.base_url
        printed = False
        with working(shown=not (as_json or quiet)) as progress:
            for piece in opened.stream(asked, filter=filter):
                if isinstance(piece, Trace):
                    found = piece
                elif live:
                    if not printed:
                        progress.stop()
                        show_failures(console, progress.failures)
                    console.print(piece, end="")
                    printed = True
        assert found is not None  # noqa: S101  # the trace is always the last piece
        if as_json:
            say(answer_json(opened, found, seconds=since_start(), whole=trace))
            return
        if printed:
            console.print()
        else:
            show_failures(console, progress.failures)
        _show_answer(console, found, printed=printed)
        show_evidence(
            console, opened, found, explained=trace, known=progress.failures, seconds=since_start()
        )


def _show_answer(console: Console, trace: Trace, *, printed: bool) -> None:
    answer = trace.answer
    if answer is None:
        return
    if not printed:
        print_words(console, answer.text)
    why = "the model failed" if trace.repairs.get("read.degraded") else "no model is set"
    if answer.extractive and answer.citations:
        console.print(f"(quoted; {why})", style="dim")
    console.print()
