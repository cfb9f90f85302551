"""Fuzz for a while: ``python -m tests.fuzz --seconds 600 --only importers``.

Every target gets the same share of the time, in a process of its own: what breaks the interpreter
breaks no more than that. With atheris (``pip install atheris``), coverage guides the inputs;
without it, good inputs are damaged at random. What was found is printed and written into ``--out``;
the exit code is 1 then. Inputs that are kept go to ``tests/fuzz/found/TARGET/``.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

GROUPS = ("importers", "http", "replies", "readers")
NAMES = {
    "importers": (
        "mail", "photos", "videos", "whatsapp", "slack", "signal", "discord", "telegram", "chatgpt",
        "claude", "dialogue", "pdf", "office", "icalendar", "vcard", "texts", "jsonl",
        "social", "phones", "notes", "tracks", "books", "odd",
        "charset", "json", "exif", "xmp", "tnef", "names", "lines", "html", "mime",
    ),
    "http": ("http",),
    "replies": ("node", "edges", "joint", "judge", "answer", "chat", "encoder"),
    "readers": (
        "settings", "memory", "trace", "export", "bundle", "run", "fitted", "question", "text",
    ),
}  # fmt: skip
"""Targets by group; here, so that nothing is imported before coverage is set up."""

_GRACE = 180.0  # seconds that a process may take beyond its share, such as for starting


@dataclass
class Outcome:
    """What became of one target; `found` maps what broke to the file of an input."""

    target: str
    group: str
    executions: int = 0
    slowest: float = 0.0
    seconds: float = 0.0
    found: dict[str, str] = field(default_factory=dict)


def chosen(only: str) -> list[tuple[str, str]]:
    wanted = [part for part in only.split(",") if part]
    pairs = [(group, name) for group in GROUPS for name in NAMES[group]]
    unknown = set(wanted) - {part for pair in pairs for part in pair}
    if unknown:
        raise SystemExit(f"--only: there is no {', '.join(sorted(unknown))}")
    return [pair for pair in pairs if not wanted or (wanted and set(pair) & set(wanted))]


def fuzz(group: str, name: str, seconds: float, options: argparse.Namespace) -> Outcome:
    """Fuzz one target in a process of its own."""
    out = options.out / name
    out.mkdir(parents=True, exist_ok=True)
    result, last = out / "result.json", out / "last"
    result.unlink(missing_ok=True)
    started = time.monotonic()
    with (out / "log").open("wb") as log, TemporaryDirectory(prefix="graphmemix-fuzz-") as work:
        command = [
            sys.executable, "-m", "tests.fuzz.child", group, name, f"{seconds}", str(out), work,
            f"{options.seed}", options.engine,
        ]  # fmt: skip
        process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            code: int | str = process.wait(seconds + _GRACE)
        except subprocess.TimeoutExpired:
            process.kill()
            code = f"never ended after {process.wait()}"
    outcome = Outcome(name, group)
    if result.is_file():
        outcome = Outcome(**json.loads(result.read_text()))
    outcome.seconds = time.monotonic() - started
    if code != 0 and last.is_file():
        data = last.read_bytes()
        kept = out / f"process-{sha256(data).hexdigest()[:12]}"
        kept.write_bytes(data)
        outcome.found[f"the process ended with {code}; see {out / 'log'}"] = str(kept)
    elif not outcome.executions:
        outcome.found[f"it never began; see {out / 'log'}"] = ""
    return outcome


def tell(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="in all")
    parser.add_argument("--only", default="", help="groups or targets, with commas between")
    parser.add_argument("--out", type=Path, help="where inputs and logs are left")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--engine", choices=["atheris", "random"])
    parser.add_argument("--json", action="store_true", help="for machines")
    options = parser.parse_args()
    options.engine = options.engine or ("atheris" if find_spec("atheris") else "random")
    temporary = options.out is None
    options.out = options.out or Path(tempfile.mkdtemp(prefix="graphmemix-fuzz-"))
    targets = chosen(options.only)
    outcomes = []
    for group, name in targets:
        outcome = fuzz(group, name, options.seconds / len(targets), options)
        outcomes.append(outcome)
        if not options.json:
            shown = f"{outcome.executions:9,} runs  slowest {outcome.slowest:5.2f} s"
            tell(f"{group:10} {name:10} {shown}  {len(outcome.found)} found")
            for what, kept in outcome.found.items():
                tell(f"    {what}\n        {kept}")
    if options.json:
        tell(json.dumps([asdict(each) for each in outcomes], indent=2))
    found = any(outcome.found for outcome in outcomes)
    if temporary and not found:
        shutil.rmtree(options.out)
    return int(found)


if __name__ == "__main__":
    sys.exit(main())
