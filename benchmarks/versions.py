"""What a question and an added memory cost beside an earlier version of the code.

    python benchmarks/versions.py --against COMMIT [--sizes 11000 100000]

Both versions make an archive of the same invented memories (mails, messages, photos and events with
dates, places and order numbers), and are then asked the same questions in turns, each in a process
of its own: `recall`, with the encoder and settings of the version. The figures are of the processor
time of the whole process, which other work on the machine disturbs less than wall time: the median
and the mean over all questions, and the median of each form. With `--encoder default`, each version
uses the encoder that it gives to new archives; encoding the memories then takes minutes.

Of an archive of more than 10,000 memories the rest are copies, written into the tables as they are:
each with its own id, session and number, some minutes later, a little longer, and with vectors a
little aside, so that a day, a place and a word have as many more memories. Semantic links stay
inside a copy. That takes seconds for a hundred thousand; finding the neighbours of a million would
take hours. To add, a process reads the neighbours of all memories, so nothing is added to archives
of more than 200,000, nor with `--adds 0`.

Goal: a question and an added memory within 1.3 times those of the earlier version.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import re
import sqlite3
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

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from graphmemix import Memory

ROOT = Path(__file__).parent.parent
QUESTIONS = 40
FORMS = ("day", "fact", "person and month", "photos of a place", "event gives the time")
MOST_WITH_NEIGHBOURS = 200_000
REAL = 10_000  # memories that the version adds itself; the rest are copies
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
        sources = {"earlier": checked_out(options.against, Path(name)), "now": ROOT / "src"}
        for size in options.sizes:
            _compare(sources, size, options.folder or Path(name), options)
    print(f"goal: {GOAL}")


def _compare(
    sources: dict[str, Path], size: int, folder: Path, options: argparse.Namespace
) -> None:
    """Measure and print both versions on archives of one size."""
    found: dict[str, list[dict[str, float]]] = {version: [] for version in sources}
    for _ in range(options.rounds):
        for version, source in sources.items():
            place = folder / f"{options.encoder}-{size}-{version}"
            found[version].append(_run(source, place, size, options))
    print(f"{size:,} memories, encoder {options.encoder}; ms of processor time", flush=True)
    for what in found["now"][0]:
        earlier, now = (statistics.median(row[what] for row in found[v]) for v in sources)
        ratio = f"ratio {now / earlier:.2f}"
        print(f"{what:28} {options.against} {earlier:7.1f}   now {now:7.1f}   {ratio}", flush=True)


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
    parser.add_argument("--sizes", type=int, nargs="+", default=[11_000], metavar="MEMORIES")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--encoder", default="hashing", help="hashing, or default")
    parser.add_argument("--adds", type=int, default=20, help="memories to add, one by one")
    parser.add_argument("--folder", type=Path, help="keep the archives here, and use those there")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    return parser.parse_args()


def _run(source: Path, archive: Path, size: int, options: argparse.Namespace) -> dict[str, float]:
    adds = options.adds if size <= MOST_WITH_NEIGHBOURS else 0
    command = [sys.executable, __file__, "--child", str(archive)]
    command += ["--sizes", str(size), "--encoder", options.encoder, "--adds", str(adds)]
    environment = {**os.environ, "PYTHONPATH": str(source), "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(  # noqa: S603
        command, env=environment, check=True, capture_output=True, text=True
    )
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


def _child(folder: Path, options: argparse.Namespace) -> None:
    from graphmemix import Archive

    [size] = options.sizes
    encoder = None if options.encoder == "default" else options.encoder
    if not folder.exists():
        make(folder, size, encoder, with_neighbours=options.adds > 0)
    with Archive.open(folder, encoder=encoder) as archive:
        questions = [_question(i) for i in range(QUESTIONS)]
        archive.recall(questions[0])
        asked = [_milliseconds(partial(archive.recall, question)) for question in questions]
        found = {"question": statistics.median(asked), "question, mean": statistics.mean(asked)}
        for i, form in enumerate(FORMS):
            found[f"  {form}"] = statistics.median(asked[i :: len(FORMS)])
        if options.adds:
            new = [_memory(size + i, f"{os.getpid()}-{i}") for i in range(options.adds)]
            added = [_milliseconds(partial(archive.add, [memory])) for memory in new]
            found["add"] = statistics.median(added)
    print(json.dumps(found))


def make(folder: Path, size: int, encoder: str | None, *, with_neighbours: bool) -> None:
    """Make an archive of so many memories."""
    from graphmemix import Archive

    real = min(size, REAL)
    with Archive.open(folder, encoder=encoder) as archive:
        for start in range(0, real, 2_000):
            archive.add(_memory(i) for i in range(start, min(start + 2_000, real)))
    _grow(folder / "archive.db", real, size, with_neighbours=with_neighbours)


# Which keys name what all copies share: a day, a place, a person. Others name one thing each.
_SHARED = ("about", "cell", "place", "person", "alias", "kin", "wrote", "states", "day", "occasion")
_TABLES = {
    "views": "archive, vid + :v, mid + :m, ordinal, kind, text, media_sha256, seconds, "
    "length + :copy, terms",
    "edges": "archive, source + :m, target + :m, relation, confidence",
    "neighbours": "archive, mid + :m, other + :m, cosine",
}


def _grow(database: Path, real: int, size: int, *, with_neighbours: bool) -> None:
    """Copy the memories of an archive, with all that is derived, until there are `size`."""
    rng = np.random.default_rng(1)
    with sqlite3.connect(database) as db:
        db.execute("PRAGMA synchronous = OFF")  # it can be made again
        db.execute("PRAGMA cache_size = -1000000")  # KiB: rows go all over the indices
        [(mids, vids)] = db.execute("SELECT next_mid, next_vid FROM archives")
        for copy in range(1, -(-size // real)):
            most = min(real, size - copy * real)
            step = {"m": copy * mids, "v": copy * vids, "copy": copy}
            last = db.execute("SELECT mid FROM memories ORDER BY mid LIMIT 1 OFFSET ?", (most,))
            below = next((mid for (mid,) in last), mids)
            _copy_memories(db, copy, step["m"], below)
            _copy_keys(db, copy, step["m"], below)
            _copy_vectors(db, step, below, rng)
            for table, columns in _TABLES.items():
                if table == "neighbours" and not with_neighbours:
                    continue
                ends = ("source", "target") if table == "edges" else ("mid",)
                ends = ("mid", "other") if table == "neighbours" else ends
                where = " AND ".join(f"{end} < :below" for end in ends)
                names = re.sub(r" \+ :\w+", "", columns)  # later versions have more columns
                select = f"SELECT {columns} FROM {table} WHERE {where}"  # noqa: S608
                insert = f"INSERT INTO {table} ({names}) {select}"
                db.execute(insert, {**step, "below": below})
            db.commit()
        more = -(-size // real)
        db.execute(
            "UPDATE archives SET next_mid = ?, next_vid = ?, change = change + 1",
            (mids * more, vids * more),
        )
    db.close()


def _copy_memories(db: sqlite3.Connection, copy: int, step: int, below: int) -> None:
    later = timedelta(minutes=3 * copy)

    def rows() -> Iterator[tuple[object, ...]]:
        for row in db.execute("SELECT * FROM memories WHERE mid < ?", (below,)).fetchall():
            archive, mid, memory_id, version, body, kind, source, session, speaker, made, *rest = (
                row
            )
            told = json.loads(body)
            told["id"] = f"copy {copy} of {memory_id}"  # edges go from lower to higher ids
            told["session"] = session = session and f"{session}~{copy}"
            moment = datetime.fromisoformat(told["timestamp"]) + later
            told["timestamp"] = moment.isoformat()
            made += later // timedelta(microseconds=1)
            named = (archive, mid + step, told["id"], version, json.dumps(told))
            yield (*named, kind, source, session, speaker, made, *rest)

    places = ", ".join("?" * 14)
    db.executemany(f"INSERT INTO memories VALUES ({places})", rows())  # noqa: S608


def _copy_keys(db: sqlite3.Connection, copy: int, step: int, below: int) -> None:
    keys = db.execute("SELECT archive, name, mid FROM relation_keys WHERE mid < ?", (below,))
    db.executemany(
        "INSERT INTO relation_keys VALUES (?, ?, ?)",
        [
            (archive, name if re.match("|".join(_SHARED), name) else f"{name}~{copy}", mid + step)
            for archive, name, mid in keys.fetchall()
        ],
    )


def _copy_vectors(
    db: sqlite3.Connection, step: dict[str, int], below: int, rng: np.random.Generator
) -> None:
    select = "SELECT archive, encoder, vid, mid, kind, ordinal, vector FROM vectors WHERE mid < ?"
    rows = db.execute(select, (below,)).fetchall()
    matrix = np.stack([np.frombuffer(row[-1], "<f4") for row in rows])
    matrix = matrix + rng.normal(0, 0.01, matrix.shape).astype("<f4")
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    db.executemany(
        "INSERT INTO vectors VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (archive, encoder, vid + step["v"], mid + step["m"], kind, ordinal, vector.tobytes())
            for (archive, encoder, vid, mid, kind, ordinal, _), vector in zip(
                rows, matrix.astype("<f4"), strict=True
            )
        ],
    )


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
