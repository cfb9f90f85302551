"""What a question and an added memory cost beside an earlier version of the code.

    python benchmarks/versions.py --against COMMIT [--size 11000] [--rounds 3] [--encoder hashing]

Both versions make an archive of the same invented memories (mails, messages, photos and events with
dates, places and order numbers), and are then asked the same questions in turns, each in a process
of its own: `recall`, with the encoder and settings of the version. The figures are medians of the
processor time of the whole process, which other work on the machine disturbs less than wall time.
With `--encoder default`, each version uses the encoder that it gives to new archives; encoding the
memories then takes minutes.

Goal: a question and an added memory within 1.3 times those of the earlier version.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphmemix import Memory

ROOT = Path(__file__).parent.parent
QUESTIONS = 40
ADDED = 20
GOAL = 1.3
PEOPLE = ("Olga", "Benedikt", "Chiara", "Dmitri", "Esra", "Farid", "Greta", "Hiroshi")
TOWNS = (("Vienna", 48.2, 16.4), ("Lisbon", 38.7, -9.1), ("Bergen", 60.4, 5.3))
THINGS = ("boiler", "bicycle", "passport", "key", "cake", "tent", "piano", "dentist", "garden")
DEEDS = ("repaired", "lost", "bought", "cancelled", "moved", "sold", "found", "painted")
KINDS = ("email", "message", "message", "photo", "event")
START = datetime(2018, 1, 1, 9, tzinfo=UTC)


def main() -> None:
    options = _options()
    if options.child:
        _child(Path(options.child), options)
        return
    with tempfile.TemporaryDirectory(prefix="graphmemix-versions-") as name:
        folder = Path(name)
        sources = {"earlier": checked_out(options.against, folder), "now": ROOT / "src"}
        found: dict[str, list[dict[str, float]]] = {version: [] for version in sources}
        for _ in range(options.rounds):
            for version, source in sources.items():
                found[version].append(_run(source, folder / f"archive-{version}", options))
    print(f"{options.size:,} memories, encoder {options.encoder}; ms of processor time")
    for what in ("question", "add"):
        earlier, now = (statistics.median(row[what] for row in found[v]) for v in sources)
        ratio = f"ratio {now / earlier:.2f}"
        print(f"{what:10} {options.against} {earlier:7.1f}   now {now:7.1f}   {ratio}")
    print(f"goal: {GOAL}")


def checked_out(commit: str, folder: Path) -> Path:
    """Unpack the source of an earlier version into a folder; return where packages are."""
    archived = subprocess.run(  # noqa: S603
        ["git", "archive", commit, "src"],  # noqa: S607
        cwd=ROOT,
        check=True,
        capture_output=True,
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(archived)) as files:
        files.extractall(folder / "earlier", filter="data")
    return folder / "earlier" / "src"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--against", default="HEAD", help="the earlier version: a commit or a tag")
    parser.add_argument("--size", type=int, default=11_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--encoder", default="hashing", help="hashing, or default")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    return parser.parse_args()


def _run(source: Path, archive: Path, options: argparse.Namespace) -> dict[str, float]:
    command = [sys.executable, __file__, "--child", str(archive)]
    command += ["--size", str(options.size), "--encoder", options.encoder]
    environment = {**os.environ, "PYTHONPATH": str(source), "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(  # noqa: S603
        command, env=environment, check=True, capture_output=True, text=True
    )
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


def _child(folder: Path, options: argparse.Namespace) -> None:
    from graphmemix import Archive

    encoder = None if options.encoder == "default" else options.encoder
    is_new = not folder.exists()
    with Archive.open(folder, encoder=encoder) as archive:
        if is_new:
            for start in range(0, options.size, 2_000):
                archive.add(_memory(i) for i in range(start, min(start + 2_000, options.size)))
        questions = [_question(i) for i in range(QUESTIONS)]
        archive.recall(questions[0])
        asked = [_milliseconds(partial(archive.recall, question)) for question in questions]
        new = [_memory(options.size + i, f"{os.getpid()}-{i}") for i in range(ADDED)]
        added = [_milliseconds(partial(archive.add, [memory])) for memory in new]
    print(json.dumps({"question": statistics.median(asked), "add": statistics.median(added)}))


def _milliseconds(act: Callable[[], object]) -> float:
    start = time.process_time()
    act()
    return 1e3 * (time.process_time() - start)


def _memory(number: int, name: str | None = None) -> Memory:
    """Return the same memory for the same number: a day has about four."""
    from graphmemix import Memory, Place

    chance = random.Random(number)
    kind, who = chance.choice(KINDS), chance.choice(PEOPLE)
    made = START + timedelta(hours=6 * number + chance.randrange(6))
    town, latitude, longitude = chance.choice(TOWNS)
    what, deed = chance.choice(THINGS), chance.choice(DEEDS)
    day = made + timedelta(days=chance.randrange(30))
    text = {
        "email": f"The {what}\n\nDear {who}, order AB-{number // 3:05} for the {what} of {town} is "
        f"due on {day:%d %B %Y}.\n\nBest wishes",
        "message": f"{who} {deed} the {what} number {number}, see you on {day:%d %B}",
        "photo": "",
        "event": f"{what.title()} with {who}",
    }[kind]
    return Memory(
        name or f"m{number}",
        kind,  # type: ignore[arg-type]
        text,
        timestamp=made,
        speaker=None if kind == "event" else who,
        session=f"s{number // 40}" if kind == "message" else None,
        sequence=number % 40 if kind == "message" else None,
        place=Place(town, latitude, longitude) if kind in {"photo", "event"} else None,
    )


def _question(number: int) -> str:
    chance = random.Random(-1 - number)
    who, what, deed = chance.choice(PEOPLE), chance.choice(THINGS), chance.choice(DEEDS)
    day = START + timedelta(days=chance.randrange(1_000))
    forms = (
        f"What happened on {day:%d %B %Y}?",
        f"When was the {what} {deed}?",
        f"What did {who} write in {day:%B %Y}?",
        f"Photos from {chance.choice(TOWNS)[0]}",
        f"Which {what} did we have when {who} {deed} the {chance.choice(THINGS)}?",
    )
    return forms[number % len(forms)]


if __name__ == "__main__":
    main()
