"""Ingestion without models, beside the bare parser, on the same files, in the same run.

    python benchmarks/ingest.py [--count 300] [--folder FOLDER] [--mbox-gigabytes 1]
        [--out benchmarks/out]

For each kind of file: files per second of the bare parser (what a script of ten lines would use),
of the importer alone, and of the whole ingestion into a new SQLite archive (walk, read, keep files,
write, journal) and of a second run over unchanged files. No model runs. The files are made here
with fixed seeds, by other programs than the importers: Python's ``email`` and ``mailbox``, Pillow.

``--folder`` also ingests a folder of your own as it is, with encoding (the packaged text encoder).
``--mbox-gigabytes`` writes one large mbox and reports the peak of resident memory while it is
ingested without encoding, in a process of its own; the goal is below 300 MB.
"""

from __future__ import annotations

import argparse
import io
import json
import mailbox
import platform
import random
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.utils import format_datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image
from rich.console import Console
from rich.table import Table

from graphmemix.archive import Archive
from graphmemix.encode.hashing import HashingEncoder
from graphmemix.ingest.builtin import importers
from graphmemix.ingest.media_sink import ArchiveMediaSink
from graphmemix.ingest.protocol import HEAD_BYTES, Found
from graphmemix.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

START = datetime(2023, 1, 1, 9, tzinfo=UTC)
_CHANCE = random.Random(6)
_WORDS = ["".join(_CHANCE.choices("abcdefghiklmnoprstuvwz", k=n % 8 + 2)) for n in range(4000)]


@dataclass(frozen=True)
class Row:
    """Items per second of one kind of file."""

    kind: str
    items: int
    megabytes: float
    bare: float
    importer: float
    ingest: float
    again: float


def words(count: int) -> str:
    text = " ".join(_CHANCE.choices(_WORDS, k=count))
    return "\n".join(text[i : i + 72] for i in range(0, len(text), 72))


def letter(number: int) -> EmailMessage:
    """A mail of some 4 kB; every second one has a page too, every tenth a file of 30 kB."""
    mail = EmailMessage()
    mail["From"] = f"Zoë Müller {number % 40} <zoe{number % 40}@example.org>"
    mail["To"] = "Jan <jan@example.org>, Ümit <u@example.org>"
    mail["Subject"] = f"{words(5)} {number}".replace("\n", " ")
    mail["Date"] = format_datetime(START + timedelta(minutes=number))
    mail["Message-ID"] = f"<{number}@example.org>"
    if number % 3:
        mail["In-Reply-To"] = f"<{number - 1}@example.org>"
        mail["References"] = f"<{number - number % 3}@example.org>"
    mail.set_content(words(300))
    if number % 2:
        mail.add_alternative(page(number), subtype="html")
    if number % 10 == 0:
        data = _CHANCE.randbytes(30_000)
        mail.add_attachment(data, maintype="application", subtype="x-thing", filename="a.bin")
    return mail


def page(number: int) -> str:
    parts = "".join(f"<p class='x'>{words(60)} <b>bold</b></p>" for _ in range(5))
    return f"<html><head><title>Page {number}</title></head><body>{parts}</body></html>"


def photo(number: int) -> bytes:
    out = io.BytesIO()
    picture = Image.linear_gradient("L").convert("RGB").rotate(number)
    exif = Image.Exif()
    exif[0x0132] = (START + timedelta(minutes=number)).strftime("%Y:%m:%d %H:%M:%S")
    exif[0x0110] = f"Camera {number}"
    picture.save(out, "JPEG", exif=exif)
    return out.getvalue()


class _Page(HTMLParser):
    def handle_data(self, data: str) -> None:
        self.length = getattr(self, "length", 0) + len(data)


def bare_mbox(path: Path) -> int:
    count = 0
    for message in mailbox.mbox(path, create=False):
        for part in message.walk():
            if not part.is_multipart():
                part.get_payload(decode=True)
        count += 1
    return count


def bare_folder(parse: Callable[[bytes], object]) -> Callable[[Path], int]:
    def run(folder: Path) -> int:
        paths = sorted(folder.iterdir())
        for path in paths:
            parse(path.read_bytes())
        return len(paths)

    return run


def bare_mail(data: bytes) -> None:
    for part in message_from_bytes(data).walk():
        if not part.is_multipart():
            part.get_payload(decode=True)


def bare_photo(data: bytes) -> None:
    with Image.open(io.BytesIO(data)) as picture:
        dict(picture.getexif())


def make(kind: str, folder: Path, count: int) -> Path:
    """Write the files of one kind; return the path to ingest."""
    if kind == "mbox":
        box = mailbox.mbox(folder / "all.mbox")
        for number in range(count):
            box.add(letter(number))
        box.close()
        return folder / "all.mbox"
    writers: dict[str, Callable[[int], bytes]] = {
        "eml": lambda n: letter(n).as_bytes(),
        "jpg": photo,
        "html": lambda n: page(n).encode(),
        "md": lambda n: f"# Note {n}\n\n{words(200)}\n".encode(),
        "txt": lambda n: f"Note {n}\n{words(200)}\n".encode(),
    }
    for number in range(count):
        (folder / f"{number:06}.{kind}").write_bytes(writers[kind](number))
    return folder


BARE: dict[str, Callable[[Path], int]] = {
    "mbox": bare_mbox,
    "eml": bare_folder(bare_mail),
    "jpg": bare_folder(bare_photo),
    "html": bare_folder(lambda data: _Page().feed(data.decode())),
    "md": bare_folder(bytes.decode),
    "txt": bare_folder(bytes.decode),
}


def read_alone(path: Path) -> None:
    """Read every file with its importer; keep nothing."""
    keeper = ArchiveMediaSink(None)
    known = importers()
    for each in sorted(path.iterdir()) if path.is_dir() else [path]:
        with each.open("rb") as stream:
            found = Found(each, each.name, stream.read(HEAD_BYTES))
        reader = next(one for one in known if one.recognises(found))
        for _ in reader.read(found, keeper):
            pass


def seconds(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


def opened(folder: Path) -> Archive:
    return Archive.open(folder, encoder=HashingEncoder(), settings=Settings())


def measure(kind: str, count: int) -> Row:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / kind
        folder.mkdir()
        path = make(kind, folder, count)
        size = sum(each.stat().st_size for each in folder.iterdir()) / 1e6
        BARE[kind](path)  # everything is in the page cache from here on
        bare = seconds(lambda: BARE[kind](path))
        alone = seconds(lambda: read_alone(path))
        with opened(Path(made) / "archive") as archive:
            whole = seconds(lambda: archive.ingest([path], index=False))
            again = seconds(lambda: archive.ingest([path], index=False))
    return Row(kind, count, size, count / bare, count / alone, count / whole, count / again)


def write_large(path: Path, gigabytes: float) -> int:
    """Write an mbox of this size; return how many messages it holds."""
    letters = [b"".join(_boxed(number)) for number in range(500)]
    count, size = 0, 0
    with path.open("wb") as stream:
        while size < gigabytes * 1e9:
            data = letters[count % 500].replace(b"@example.org>", b".%d@example.org>" % count)
            stream.write(data)
            count, size = count + 1, size + len(data)
    return count


def _boxed(number: int) -> tuple[bytes, bytes, bytes]:
    line = b"From zoe@example.org Sun Jan  1 09:00:00 2023\n"
    return line, letter(number).as_bytes().replace(b"\nFrom ", b"\n>From "), b"\n"


def large(gigabytes: float) -> dict[str, float]:
    """Ingest one large mbox in a process of its own."""
    with tempfile.TemporaryDirectory() as made:
        path = Path(made) / "large.mbox"
        count = write_large(path, gigabytes)
        command = [sys.executable, __file__, "--ingest-only", str(path), str(Path(made) / "a")]
        done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
        return {"messages": count, "bytes": path.stat().st_size, **json.loads(done.stdout)}


def ingest_only(path: str, archive: str) -> None:
    with opened(Path(archive)) as target:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
        report = target.ingest([path], index=False)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    figures = {"new": report.new, "known": report.known, "seconds": report.seconds}
    print(json.dumps({**figures, "megabytes_before": before, "megabytes_peak": peak}))


def whole(folder: Path) -> dict[str, float]:
    """Ingest a folder as it is, with encoding."""
    with (
        tempfile.TemporaryDirectory() as made,
        Archive.open(Path(made) / "a", settings=Settings()) as archive,
    ):
        archive.encoder.texts(["once, so that the model is loaded"])
        reading = seconds(lambda: archive.ingest([folder], index=False))
        count = archive.store.count()
        encoding = seconds(archive.index)
        return {"memories": count, "reading_seconds": reading, "encoding_seconds": encoding}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--mbox-gigabytes", type=float, default=0.0)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "out")
    parser.add_argument("--ingest-only", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.ingest_only:
        ingest_only(*arguments.ingest_only)
        return
    importers()
    rows = [measure(kind, arguments.count) for kind in BARE]
    table = Table(
        "kind", "items", "MB", "bare/s", "importer/s", "ingest/s", "second run/s", box=None
    )
    for row in rows:
        rates = (row.bare, row.importer, row.ingest, row.again)
        figures = (f"{rate:,.0f}" for rate in rates)
        table.add_row(row.kind, str(row.items), f"{row.megabytes:.1f}", *figures)
    console = Console()
    console.print(table)
    result: dict[str, object] = {"machine": platform.platform(), "rows": [*map(asdict, rows)]}
    if arguments.folder:
        result["folder"] = whole(arguments.folder)
        console.print(result["folder"])
    if arguments.mbox_gigabytes:
        result["large"] = large(arguments.mbox_gigabytes)
        console.print(result["large"])
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "ingest.json").write_text(json.dumps(result, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
