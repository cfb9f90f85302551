"""``graphmemix bench audit``: a second look at a run's judgments."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphmemix.cli.options import JsonOption, ProfileOption, SetOption, settings_from
from graphmemix.cli.terminal import say
from graphmemix.errors import InvalidInputError
from graphmemix.fsio import write_text
from graphmemix_bench.commands.options import JudgeSetOption, judge_of
from graphmemix_bench.runs.audit import AuditRow, agreement_of, read_labels, sample, second_look

if TYPE_CHECKING:
    from graphmemix.llm import Chat


def audit(
    *,
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    count: Annotated[int, typer.Option("--sample", help="How many judgments to draw.")] = 100,
    seed: Annotated[int, typer.Option(help="Of the draw.")] = 0,
    write: Annotated[
        Path | None, typer.Option(help="Write the sample here, for a person to complete.")
    ] = None,
    labels: Annotated[
        Path | None, typer.Option(help="Compare with this completed sample instead of a model.")
    ] = None,
    judge_set: JudgeSetOption = None,
    profile: ProfileOption = None,
    override: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Draw a sample of a run's judgments and say how far a second look agrees with them.

    With --write the sample is written, one JSON object a line, with `second` to be set to true or
    false; --labels reads it back. Without either, the model of --judge-set judges again.
    """
    if write is not None:
        rows = sample(folder, count, seed)
        write_text(write, "".join(row.to_json() + "\n" for row in rows))
        say(f"{write}: {len(rows)} judgments")
        return
    if labels is not None:
        rows = read_labels(labels)
    else:
        if not judge_set:
            raise InvalidInputError("name a second judge with --judge-set, or use --write")
        judge = judge_of(settings_from(profile, override), judge_set)
        rows = asyncio.run(_looked(folder, sample(folder, count, seed), judge))
    found = agreement_of(rows)
    if as_json:
        say(found.to_json())
        return
    say(
        f"{found.count} judgments: {found.agreement:.1f} % agree, kappa {found.kappa:.2f}; "
        f"only the first says right {found.only_first}, only the second {found.only_second}"
    )


async def _looked(folder: Path, rows: list[AuditRow], chat: Chat) -> list[AuditRow]:
    try:
        return await second_look(folder, rows, chat)
    finally:
        await chat.aclose()
