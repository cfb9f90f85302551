"""``graphmemix recall``: the evidence without an answer."""

from __future__ import annotations

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
from graphmemix.cli.output import QuietOption, since_start, working
from graphmemix.cli.terminal import say


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
    """Show the memories that answer a question together, without answering it.

    Example: graphmemix recall family "What do we know about the boiler?" --trace

    Example: graphmemix recall family "the lake" --kind photo --json | jq -r '.evidence[].text'
    """
    asked = question_of(question, image, asked_at, as_of, history)
    settings = settings_from(profile, override)
    wanted = wanted_by(since, until, kind, person, near, session)
    with open_to_ask(archive, encoder, settings) as opened:
        with working(shown=not (as_json or quiet)) as progress:
            found = opened.recall(asked, filter=filter_from(opened, wanted))
        if as_json:
            say(answer_json(opened, found, seconds=since_start(), whole=trace))
            return
        console = wide_console()
        show_failures(console, progress.failures)
        show_evidence(
            console, opened, found, explained=trace, known=progress.failures, seconds=since_start()
        )
