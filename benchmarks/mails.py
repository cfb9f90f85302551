"""What a mail costs to ingest: vectors and processor time, beside an earlier version of the code.

    python benchmarks/mails.py [--count 200] [--against COMMIT] [--out benchmarks/out]

The mails have the shapes of real ones: threads in which each answer quotes the mail before it, in
full or in part, above or below the new words; signatures, a company's disclaimer, newsletters that
end in the same lines; most are short, some have pages. A mail speaks of few days, those of the next
weeks, as real ones do. They are made here with a fixed seed.

Each version reads them into a new archive, in a process of its own with one thread: the time to
store, the first question while nothing is encoded (if the version can), the time to encode, and the
vectors that came of it. What `index` takes beside the encoder is that of neighbours, their links
and the rows of vectors; with storing, words and relations it is what a mail costs beyond its
vectors. Processor time counts, not wall time; that of the worker that reads the file is not in it.
The first mail of a process, which loads models and importers, is not counted. 200 mails take about
two minutes for each version.
"""

from __future__ import annotations

import argparse
import json
import mailbox
import os
import random
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.versions import checked_out  # noqa: E402  # behind the path to it

START = datetime(2023, 1, 2, 8, tzinfo=UTC)
PACE = timedelta(minutes=80)  # 18 mails a day: 100,000 are those of fifteen years
PEOPLE = ("Anna Weber", "Tom Okafor", "Lucia Moretti", "Jens Holm", "Priya Nair", "Sam Carter")
THINGS = (
    "the boiler", "the lease", "our flight to Porto", "the school trip", "the invoice", "the roof",
    "the garden fence", "the piano lessons", "the car inspection", "the birthday party", "the visa",
    "the ferry tickets", "the dentist", "the new kitchen", "the allotment", "the tax return",
)  # fmt: skip
ACTS = (
    "costs {sum} euros more than we thought", "is confirmed, and the number is {number}",
    "was cancelled without a reason", "will take about {sum} minutes", "is finally done",
    "was collected by the neighbours", "looks better than in the photos that you sent",
)  # fmt: skip
DATED_ACTS = ("was moved to {day}", "has to be paid by {day}", "needs a second signature by {day}")
ASIDES = (
    "I asked twice and nobody could tell me who decides.", "Could you have a look at it tonight?",
    "The children were thrilled, of course.", "Please keep the receipt this time.",
    "Otherwise everything is fine here and the weather has been kind.",
    "If that does not suit you, we can talk about it at the weekend.",
    "I attach what I have; the rest is in the blue folder in the hall.",
)  # fmt: skip
SIGNATURE = "-- \n{name}\nNorthern Bridge Partners · 14 Quay Street · +44 161 555 01{number:02}\n"
DISCLAIMER = (
    "This e-mail and any files transmitted with it are confidential and intended solely for the "
    "use of the individual or entity to whom they are addressed. If you have received this e-mail "
    "in error please notify the sender and delete it from your system.\n"
)
FOOTER = (
    "You receive this newsletter because you signed up at our shop. To change what you get, open "
    "your account. To stop all of it, unsubscribe. Green Lane Books, 3 Green Lane, Leeds.\n"
)


def sentence(chance: random.Random, days: Sequence[str] = ()) -> str:
    """One plain sentence about a household's affairs; it may name one of these days."""
    if chance.random() < 0.3:
        return chance.choice(ASIDES)
    act = chance.choice((*ACTS, *DATED_ACTS) if days else ACTS).format(
        day=chance.choice(days) if days else "",
        sum=chance.randint(12, 480),
        number=chance.randint(10_000, 99_999),
    )
    thing = chance.choice(THINGS)
    return f"{thing[0].upper()}{thing[1:]} {act}."


def days_ahead(chance: random.Random, number: int) -> list[str]:
    """The days that a mail and the answers to it speak of: none, one or two of the next weeks.

    Of 1,195 mails of seven households four in ten name a day, and all name 0.6 on average.
    """
    made = START + number * PACE
    return [
        f"{made + timedelta(days=chance.randint(1, 40)):%-d %B}"
        for _ in range(chance.choice((0, 0, 0, 1, 1, 2)))
    ]


def paragraphs(chance: random.Random, words: int, days: Sequence[str] = ()) -> str:
    """Text of about so many words, in paragraphs."""
    made: list[str] = []
    while len(" ".join(made).split()) < words:
        made.append(" ".join(sentence(chance, days) for _ in range(chance.randint(2, 6))))
    return "\n\n".join(made)


def mails(count: int) -> Iterator[EmailMessage]:
    """Yield threads and newsletters, in order of time."""
    chance = random.Random(18)
    made = 0
    while made < count:
        more = (
            _newsletter(chance, made)
            if chance.random() < 0.15
            else _thread(chance, made, chance.choice((1, 1, 2, 3, 4, 6)))
        )
        yield from more[: count - made]
        made += len(more)


def _newsletter(chance: random.Random, number: int) -> list[EmailMessage]:
    words, days = chance.randint(80, 400), days_ahead(chance, number)
    text = f"{paragraphs(chance, words, days)}\n\n{FOOTER}"
    return [_mail(number, "Green Lane Books", f"News {number}", text)]


def _thread(chance: random.Random, first: int, length: int) -> list[EmailMessage]:
    subject = f"{chance.choice(THINGS)} {first}"
    people, days = chance.sample(PEOPLE, 2), days_ahead(chance, first)
    made: list[EmailMessage] = []
    before = ""
    for step in range(length):
        name = people[step % 2]
        words = chance.choice((15, 30, 60, 90, 140, 220, 600))
        own = paragraphs(chance, words, days)
        if chance.random() < 0.5:
            own += "\n\n" + SIGNATURE.format(name=name, number=PEOPLE.index(name))
            own += DISCLAIMER if chance.random() < 0.5 else ""
        text = own
        if before:
            lines = before.splitlines()[: None if chance.random() < 0.8 else 6]
            quoted = "\n".join(f"> {line}" for line in lines)
            day = START + (first + step - 1) * PACE
            head = f"On {day:%d %B %Y at %H:%M}, {people[1 - step % 2]} wrote:"
            text = (
                f"{head}\n{quoted}\n\n{own}"
                if chance.random() < 0.2
                else f"{own}\n\n{head}\n{quoted}"
            )
        answered = made[-1]["Message-ID"] if made else None
        made.append(_mail(first + step, name, f"{'Re: ' if step else ''}{subject}", text, answered))
        before = text
    return made


def _mail(
    number: int, name: str, subject: str, text: str, answered: str | None = None
) -> EmailMessage:
    mail = EmailMessage()
    mail["From"] = f"{name} <{name.split(maxsplit=1)[0].lower()}@example.org>"
    mail["To"] = "Mia Berg <mia@example.org>"
    mail["Subject"] = subject
    mail["Message-ID"] = f"<{number}@example.org>"
    mail["Date"] = format_datetime(START + number * PACE)
    if answered is not None:
        mail["In-Reply-To"] = answered
    mail.set_content(text)
    return mail


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--against", default="", help="an earlier commit to compare with")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "out")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child is not None:
        print(json.dumps(_measure(options.child, options.count)))
        return
    with tempfile.TemporaryDirectory(prefix="graphmemix-mails-") as folder:
        box = Path(folder) / "mails.mbox"
        written = mailbox.mbox(box)
        for mail in mails(options.count):
            written.add(mail)
        written.flush()
        rows = {"now": _run(ROOT / "src", box, options.count)}
        if options.against:
            rows["before"] = _run(checked_out(options.against, Path(folder)), box, options.count)
    for name, row in rows.items():
        print(name, json.dumps(row))
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "mails.json").write_text(json.dumps(rows, indent=2), "utf-8")


def _run(source: Path, box: Path, count: int) -> dict[str, float]:
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(  # noqa: S603
        [sys.executable, __file__, "--child", str(box), "--count", str(count)],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, **threads, "PYTHONPATH": str(source)},
    )
    measured: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return measured


def _measure(box: Path, count: int) -> dict[str, float]:
    """Ingest the mails with this process's version of the library."""
    from graphmemix import Archive

    with (
        tempfile.TemporaryDirectory(prefix="graphmemix-mails-") as folder,
        Archive.open(Path(folder) / "archive") as archive,
    ):
        _start_all(Path(folder))
        spent = _watch(type(archive.encoder))
        began, wall = time.process_time(), time.perf_counter()
        archive.ingest([box], index=False)
        stored, stored_wall = time.process_time() - began, time.perf_counter() - wall
        found = len(archive.candidates("When does the lease have to be paid?").candidates)
        first = time.perf_counter() - wall
        spent.clear()
        began = time.process_time()
        archive.index()
        indexed = time.process_time() - began
        stats = archive.store.stats()
    encoded = sum(spent)
    beyond = stored + indexed - encoded
    return {
        "mails": stats.memories,
        "vectors_a_mail": round(sum(stats.vectors.values()) / stats.memories, 2),
        "encode_cpu_seconds_a_mail": round(encoded / count, 5),
        "store_cpu_seconds_a_mail": round(stored / count, 5),
        "neighbours_cpu_seconds_a_mail": round((indexed - encoded) / count, 5),
        "beyond_vectors_share": round(beyond / encoded, 4),
        "read_and_stored_seconds": round(stored_wall, 2),
        "first_question_seconds": round(first, 2),
        "candidates_before_encoding": found,
    }


def _start_all(folder: Path) -> None:
    """Load what the first mail of a process loads: importers, models."""
    from graphmemix import Archive

    box = mailbox.mbox(folder / "one.mbox")
    box.add(next(mails(1)))
    box.flush()
    with Archive.open(folder / "one") as archive:
        archive.ingest([folder / "one.mbox"])


def _watch(encoder: type) -> list[float]:
    """Return a list that grows by the processor time of each call that encodes texts."""
    spent: list[float] = []
    encode = encoder.texts  # type: ignore[attr-defined]

    def texts(*args: object, **options: object) -> object:
        began = time.process_time()
        try:
            return encode(*args, **options)
        finally:
            spent.append(time.process_time() - began)

    encoder.texts = texts  # type: ignore[attr-defined]
    return spent


if __name__ == "__main__":
    main()
