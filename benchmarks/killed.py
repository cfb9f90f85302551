"""Ingestion that is killed at random moments: what is lost, what is encoded twice, how it ends.

    python benchmarks/killed.py [--rounds 20] [--mails 300] [--seed 1] [--latest 1.0]

A process ingests an mbox, with the hashing encoder slowed to the pace of a model, and is ended by
SIGKILL after a random time, at most the share `--latest` of what a whole run takes; so until one
comes to its end. After every kill:

- every memory that was there before is still there (nothing acknowledged is lost);
- no text whose vector is stored is ever encoded again; of the others, those of the batch that was
  being encoded are, since their vectors were never stored.

In the end the archive is compared with one that was never interrupted: its export byte by byte but
for the times in the journal, its vectors, edges and neighbours.
"""

from __future__ import annotations

import argparse
import hashlib
import mailbox
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.mails import mails  # noqa: E402  # behind the path to it

from graphmemix import Archive  # noqa: E402
from graphmemix.encode.hashing import HashingEncoder  # noqa: E402
from graphmemix.errors import StoreError  # noqa: E402
from graphmemix.settings import Settings  # noqa: E402
from graphmemix.store.portable import export_archive  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphmemix.encode.protocol import Matrix, Progress


@dataclass(frozen=True)
class Outcome:
    """What came of it.

    Attributes:
        kills: How many processes were killed.
        while_reading: At how many of these moments not all memories were stored yet.
        while_encoding: At how many all were stored, and vectors were missing.
        encoded: Texts that were encoded, each time counted.
        again: How many of these had been encoded before by a process that was killed.
        most_again: The most that one kill cost.
        same: Whether the end is that of a run without interruption.
    """

    kills: int
    while_reading: int
    while_encoding: int
    encoded: int
    again: int
    most_again: int
    same: bool


class Logged(HashingEncoder):
    """Writes down what it encodes, before it does."""

    def __init__(self, log: Path, pause: float) -> None:
        super().__init__()
        self._log, self._pause = log, pause

    def texts(self, texts: Sequence[str], *, progress: Progress | None = None) -> Matrix:
        """Encode, at the pace of a model."""
        with self._log.open("ab") as log:
            for text in texts:
                log.write(_digest(text) + b"\n")
                log.flush()
                time.sleep(self._pause)
        return super().texts(texts, progress=progress)


def run(
    folder: Path,
    *,
    rounds: int,
    count: int,
    seed: int,
    pause: float = 0.004,
    latest: float = 1.0,
) -> Outcome:
    """Kill at most so many processes, then let one come to its end."""
    box = folder / "mails.mbox"
    written = mailbox.mbox(box)
    for mail in mails(count):
        written.add(mail)
    written.close()
    whole, place, log = folder / "whole", folder / "archive", folder / "log"
    began = time.monotonic()
    _child(whole, box, folder / "log of the other", pause).wait()
    seconds = time.monotonic() - began
    chance, kills, known = random.Random(seed), [], set[str]()
    done: set[bytes] = set()
    again, log_ends = [], 0
    for _ in range(rounds):
        process = _child(place, box, log, pause)
        with suppress(subprocess.TimeoutExpired):
            process.wait(chance.uniform(0.1, latest) * seconds)
            break
        process.kill()
        process.wait()
        memories, vectors = _stored(place)
        _require(known <= memories, "memories were lost")
        entries = log.read_bytes().split()[log_ends:] if log.exists() else []
        _require(not done & set(entries), "texts whose vectors are stored were encoded again")
        again.append(len(set(entries) - vectors))
        log_ends += len(entries)
        known, done = memories, vectors
        kills.append((len(memories) < count, bool(set(entries))))
    else:
        _child(place, box, log, pause).wait()
    entries = log.read_bytes().split() if log.exists() else []
    _require(
        not done & set(entries[log_ends:]), "texts whose vectors are stored were encoded again"
    )
    counted = Counter(entries)
    return Outcome(
        kills=len(kills),
        while_reading=sum(reading for reading, _ in kills),
        while_encoding=sum(encoding for reading, encoding in kills if not reading),
        encoded=len(entries),
        again=sum(counted.values()) - len(counted),
        most_again=max(again, default=0),
        same=_fingerprint(place, folder / "one") == _fingerprint(whole, folder / "other"),
    )


def _child(place: Path, box: Path, log: Path, pause: float) -> subprocess.Popen[bytes]:
    words = [sys.executable, __file__, "--child", str(place), str(box), str(log), str(pause)]
    return subprocess.Popen(words, env={**os.environ, "PYTHONPATH": str(ROOT / "src")})  # noqa: S603


def _stored(place: Path) -> tuple[set[str], set[bytes]]:
    """Return the ids of all memories, and of which texts there are vectors."""
    try:
        with Archive.open(place, mode="read", encoder=HashingEncoder(), settings=Settings()) as it:
            ids = [memory.id for memory in it.find()]
            views, vectors = it.store.views(ids), it.store.vectors(ids)
    except StoreError:  # killed before the archive was made
        return set(), set()
    texts = {
        _digest(view.text)
        for memory_id, each in views.items()
        for view, vector in zip(each, vectors[memory_id], strict=True)
        if vector is not None
    }
    return set(ids), texts


def _fingerprint(place: Path, copy: Path) -> str:
    """Return a hash of all that an archive holds, whatever the numbers of its rows."""
    found = hashlib.sha256()
    with Archive.open(place, encoder=HashingEncoder(), settings=Settings()) as archive:
        export_archive(archive.store, copy)
        ids = sorted(memory.id for memory in archive.find())
        vectors = archive.store.vectors(ids)
        edges = archive.store.edges(ids)
        near = archive.store.neighbours()
    for file in sorted(path for path in copy.rglob("*") if path.is_file()):
        if file.name not in {"manifest.json", "logs.jsonl"}:  # both say when something was done
            found.update(file.name.encode() + file.read_bytes())
    for memory_id in ids:
        for vector in vectors[memory_id]:
            found.update(b"-" if vector is None else vector.tobytes())
        found.update(repr(near.get(memory_id)).encode())
    found.update(repr([edge.to_json() for edge in edges]).encode())
    return found.hexdigest()


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:24].encode()


def _require(holds: bool, otherwise: str) -> None:  # noqa: FBT001
    if not holds:
        raise SystemExit(otherwise)


def main() -> None:
    if sys.argv[1:2] == ["--child"]:
        place, box, log, pause = sys.argv[2:]
        encoder = Logged(Path(log), float(pause))
        with Archive.open(place, encoder=encoder, settings=Settings(), mode="shared") as archive:
            archive.ingest([box])
        return
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--mails", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--latest", type=float, default=1.0, help="share of a whole run's time")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="graphmemix-killed-") as folder:
        outcome = run(
            Path(folder),
            rounds=options.rounds,
            count=options.mails,
            seed=options.seed,
            latest=options.latest,
        )
    print(outcome)


if __name__ == "__main__":
    main()
