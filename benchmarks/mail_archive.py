"""An archive of many mails from end to end, by the commands that people use.

    python benchmarks/mail_archive.py [--count 10000] [--questions 60] [--folder FOLDER] [--out OUT]

The mails are those of benchmarks/mails.py, in one mbox. ``graphmemix ingest --dry-run`` only reads
them; ``graphmemix ingest --later`` reads and stores them, and meanwhile this process opens the
archive for reading until a question about words and a day is answered. Then ``graphmemix index``
encodes, and questions are asked in turns, eight while it runs and eight while it is halted
(SIGSTOP), so that other work on the machine slows both alike: the ratio of the 95th percentiles is
what counts. Processor time is that of the commands with the processes that they start.

With ``--seconds`` encoding is stopped after so long, and the rest is said to be extrapolated.
10,000 mails take about ten minutes on two cores, 100,000 an hour and a half.
"""

from __future__ import annotations

import argparse
import json
import mailbox
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from threading import Thread

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.mails import START, mails  # noqa: E402  # behind the path to it

from graphmemix import Archive  # noqa: E402
from graphmemix.errors import StoreError  # noqa: E402

QUESTIONS = (
    "When does the lease have to be paid?",
    "What did Tom Okafor write about the boiler?",
    "What was confirmed in January 2023?",
    "Who collected the ferry tickets?",
    "What does the tax return need before March?",
    "What did Anna write about the piano lessons on 5 January 2023?",
    "How much more does the new kitchen cost?",
    "Which newsletter came on 14 January 2023?",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=0.0, help="most of encoding; 0 for all")
    parser.add_argument("--folder", type=Path, help="where to work; a temporary folder by default")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "out")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="graphmemix-mails-", dir=options.folder) as folder:
        found = _measure(Path(folder), options)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "mail_archive.json").write_text(json.dumps(found, indent=2), "utf-8")


def _measure(folder: Path, options: argparse.Namespace) -> dict[str, float]:
    box, place = folder / "mails.mbox", folder / "archive"
    written = mailbox.mbox(box)
    for mail in mails(options.count):
        written.add(mail)
    written.close()
    found: dict[str, float] = {"mails": options.count, "mbox_bytes": box.stat().st_size}
    Archive.open(place).close()
    began = time.perf_counter()
    reading = _ended(_start("ingest", place, box, "--dry-run"), began)
    found |= {f"read_{name}": value for name, value in reading.items()}
    _show(found)

    began = time.perf_counter()
    ingesting = _start("ingest", place, box, "--later")
    found["first_answer_seconds"] = _first_answer(place, ingesting, began)
    found |= {f"store_{name}": value for name, value in _ended(ingesting, began).items()}
    with Archive.open(place, mode="read") as archive:
        _ask(archive, 1)
        found["all_stored_and_answered_seconds"] = round(time.perf_counter() - began, 1)
        _show(found)
        began = time.perf_counter()
        encoding = _start("index", place)
        _wait_for_vectors(archive, encoding)
        busy, idle = _in_turns(archive, options.questions, encoding)
        for name, times in (("idle", idle), ("busy", busy)):
            found[f"{name}_p50"], found[f"{name}_p95"] = _percentiles(times)
        found["p95_ratio"] = round(found["busy_p95"] / found["idle_p95"], 2)
        _show(found)
        if options.seconds:
            with suppress(subprocess.TimeoutExpired):
                encoding.wait(max(1.0, options.seconds - (time.perf_counter() - began)))
            if encoding.poll() is None:
                encoding.send_signal(signal.SIGINT)
        found |= {f"encode_{name}": value for name, value in _ended(encoding, began).items()}
        left = archive.store.count_without_vectors()
        found["encoded"] = options.count - left
        stats = archive.store.stats()
        found["vectors_a_mail"] = round(sum(stats.vectors.values()) / max(1, found["encoded"]), 2)
        after = [_ask(archive, number) for number in range(options.questions)]
        found["after_p50"], found["after_p95"] = _percentiles(after)
        found["bytes"] = sum(file.stat().st_size for file in place.rglob("*") if file.is_file())
    if left:
        share = options.count / max(1, found["encoded"])
        found["encode_cpu_seconds_extrapolated"] = round(found["encode_cpu_seconds"] * share)
    _show(found)
    return found


def _start(*words: str | Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "graphmemix", *map(str, words)]
    nowhere, used = subprocess.DEVNULL, _used()
    process = subprocess.Popen(command, stdout=nowhere, stderr=nowhere)  # noqa: S603
    _USED_BEFORE[process.pid] = used
    Thread(target=_watch, args=(process,), daemon=True).start()
    return process


_USED_BEFORE: dict[int, float] = {}  # processor seconds of earlier commands, by process
_PEAKS: dict[int, int] = {}  # kB by process; `ru_maxrss` would count what this process had before


def _used() -> float:
    """Return the processor time of all commands that have ended, with what they started."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _watch(process: subprocess.Popen[bytes]) -> None:
    """Note the most memory that a process had, again and again until it ends."""
    while process.returncode is None:
        with suppress(OSError, ValueError):
            status = Path(f"/proc/{process.pid}/status").read_text("utf-8")
            found = re.search(r"VmHWM:\s+(\d+)", status)
            _PEAKS[process.pid] = int(found[1]) if found else _PEAKS.get(process.pid, 0)
        time.sleep(0.2)


def _ended(process: subprocess.Popen[bytes], began: float) -> dict[str, float]:
    """Wait for a command; return what it took."""
    process.wait()
    return {
        "seconds": round(time.perf_counter() - began, 1),
        "cpu_seconds": round(_used() - _USED_BEFORE[process.pid], 1),
        "peak_mb": round(_PEAKS.get(process.pid, 0) / 1024),
    }


def _first_answer(place: Path, ingesting: subprocess.Popen[bytes], began: float) -> float:
    """Ask until a question about words and a day has evidence; return after how many seconds."""
    while ingesting.poll() is None:
        with suppress(StoreError), Archive.open(place, mode="read") as archive:
            if archive.store.count() and _finds(archive):
                return round(time.perf_counter() - began, 1)
        time.sleep(0.2)
    return round(time.perf_counter() - began, 1)


def _finds(archive: Archive) -> bool:
    forest = archive.recall(f"the lease {START:%d %B %Y}").forest
    return forest is not None and bool(forest.trees)


def _wait_for_vectors(archive: Archive, encoding: subprocess.Popen[bytes]) -> None:
    while encoding.poll() is None and not archive.store.stats().vectors:
        time.sleep(0.2)


def _in_turns(
    archive: Archive, count: int, encoding: subprocess.Popen[bytes]
) -> tuple[list[float], list[float]]:
    """Ask while a process runs and while it is halted; return the seconds of each question."""
    busy: list[float] = []
    idle: list[float] = []
    for first in range(0, count, len(QUESTIONS)):
        if encoding.poll() is not None:
            break
        numbers = range(first, first + len(QUESTIONS))
        busy += [_ask(archive, number) for number in numbers]
        encoding.send_signal(signal.SIGSTOP)
        try:
            idle += [_ask(archive, number) for number in numbers]
        finally:
            encoding.send_signal(signal.SIGCONT)
    return busy, idle


def _percentiles(times: list[float]) -> tuple[float, float]:
    """Return the median and the 95th percentile."""
    ordered = sorted(times)
    return round(ordered[len(ordered) // 2], 3), round(ordered[int(0.95 * (len(ordered) - 1))], 3)


def _ask(archive: Archive, number: int) -> float:
    start = time.perf_counter()
    archive.recall(QUESTIONS[number % len(QUESTIONS)])
    return time.perf_counter() - start


def _show(found: dict[str, float]) -> None:
    print(json.dumps(found), f"load {os.getloadavg()[0]:.0f}", flush=True)


if __name__ == "__main__":
    main()
