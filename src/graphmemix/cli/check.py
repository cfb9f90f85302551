"""``graphmemix check``: is everything still what was written?"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from graphmemix.cli.options import ArchiveArgument, JsonOption
from graphmemix.cli.output import PROBLEMS, err, interruptible, open_existing, out
from graphmemix.cli.terminal import say, visible


def command(
    archive: ArchiveArgument,
    *,
    repair: Annotated[
        bool, typer.Option("--repair", help="Put right what can be made again.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Read everything and look for damage. Exit code 1 if something is wrong and stays so.

    Example: graphmemix check ~/archives/family --repair
    """
    with (
        interruptible("Nothing is half done; the same command again starts anew."),
        open_existing(archive, mode="write" if repair else "read") as opened,
        err().status("checking"),
    ):
        findings = opened.store.check(repair=repair)
    left = [finding for finding in findings if not finding.repaired]
    if as_json:
        say(json.dumps({"findings": [asdict(each) for each in findings]}))
    else:
        console = out()
        for finding in findings:
            state = " (repaired)" if finding.repaired else ""
            problem = finding.problem.replace("_", " ")
            console.print(f"{problem}: {visible(finding.item)}{state}", markup=False)
        console.print(f"{len(left)} problems" if left else "No problems.")
    if left:
        raise typer.Exit(PROBLEMS)
