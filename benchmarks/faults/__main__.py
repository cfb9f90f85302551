"""Run the whole product under faults, and look at what is left.

    python -m benchmarks.faults [--rounds 20] [--only kill,full] [--seed 0] [--json]

Commands and servers run as processes of their own on the sample archive. Exits with 1 if a promise
was broken; docs/reliability.md says what is promised.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from dataclasses import asdict

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

from benchmarks.faults import FAULTS, Report, new_world


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.faults")
    parser.add_argument("--rounds", type=int, default=20, help="of each fault")
    parser.add_argument("--only", default="", help=f"with commas between: {', '.join(FAULTS)}")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--small", action="store_true", help="fewer files")
    parser.add_argument("--json", action="store_true", help="for machines")
    options = parser.parse_args()
    wanted = [name for name in options.only.split(",") if name] or list(FAULTS)
    unknown = [name for name in wanted if name not in FAULTS]
    if unknown:
        parser.error(f"--only: there is no {', '.join(unknown)}")
    reports = []
    with new_world(small=options.small) as world:
        for name in wanted:
            started = time.monotonic()
            report = FAULTS[name](world, options.rounds, random.Random(options.seed))
            report.seconds = round(time.monotonic() - started, 1)
            reports.append(report)
            if not options.json:
                show(report)
    if options.json:
        print(json.dumps([asdict(report) for report in reports], indent=2))
    return int(any(report.violations for report in reports))


def show(report: Report) -> None:
    print(
        f"{report.fault:12} {report.rounds:4} rounds {report.hit:4} hit {report.checks:5} checks "
        f"{len(report.violations):3} violations {report.seconds:7.1f} s"
    )
    for outcome, count in sorted(report.outcomes.items()):
        print(f"    {count:5}  {outcome}")
    for violation in report.violations:
        print(f"    VIOLATION  {violation}")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
