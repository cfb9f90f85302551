"""``graphmemix check``: verifies the stored data."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from graphmemix.cli.options import ArchiveArgument, JsonOption
from graphmemix.cli.output import PROBLEMS, counted, err, interruptible, open_existing, out
from graphmemix.cli.terminal import say, visible


def command(
    archive: ArchiveArgument,
    *,
    repair: Annotated[
        bool, typer.Option("--repair", help="Repair what can be derived again.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Check the archive for damage. Exit code 1 if a problem is left.

    Example: graphmemix check ~/archives/family --repair
    """
    with (
        interruptible("Run the command again to start over."),
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
        console.print(counted(len(left), "problem") if left else "No problems.")
    if left:
        raise typer.Exit(PROBLEMS)
