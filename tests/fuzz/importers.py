"""The importers, each with the files that it reads: one of them is changed, all are read again."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC
from functools import partial
from pathlib import Path

from graphmemix.errors import GraphMemixError
from graphmemix.ingest.builtin import built_in
from graphmemix.ingest.limits import FileLimits
from graphmemix.ingest.protocol import Skipped
from graphmemix.ingest.sources import Source
from graphmemix.ingest.walker import Walker
from graphmemix.memory import Memory
from tests.fuzz import importers_parts
from tests.fuzz.target import Prey, Target
from tests.ingest.blind.mutations import write_all

_MOST_FILES = 200  # media that are kept before they are thrown away

KINDS = {
    "mail": ("*.mbox", "*.eml", "maildir"),
    "photos": ("p/*",),
    "videos": ("v.*",),
    "whatsapp": ("ANDROID_*", "IOS_*", "BRAZILIAN", "INDIAN", "ITALIAN"),
    "slack": ("slack",),
    "signal": ("signal",),
    "discord": ("discord_*",),
    "telegram": ("telegram", "telegram_all"),
    "chatgpt": ("chatgpt",),
    "claude": ("claude",),
    "dialogue": ("agent.jsonl",),
    "pdf": ("a.pdf",),
    "office": ("a.docx", "a.pptx", "a.xlsx"),
    "icalendar": ("a.ics",),
    "vcard": ("a.vcf",),
    "texts": ("a.html", "a.md", "note.txt"),
    "jsonl": ("own.jsonl",),
    "social": ("facebook", "instagram", "messenger", "mattermost"),
    "phones": ("sms", "imessage"),
    "notes": ("keep", "evernote"),
    "tracks": ("tracks", "history"),
    "books": ("books",),
    "odd": ("odd",),
}
"""By the name of the target, the files of `write_all` that it has."""


@contextmanager
def _open(patterns: tuple[str, ...], folder: Path) -> Iterator[Prey]:
    every, mine = folder / "every", folder / "mine"
    write_all(every)
    for entry in sorted(each for pattern in patterns for each in every.glob(pattern)):
        # What is read together lies in one folder: a photo with its sidecars, a whole export.
        (mine / entry.stem).mkdir(parents=True, exist_ok=True)
        shutil.move(entry, mine / entry.stem / entry.name)
    shutil.rmtree(every)
    files = sorted(path for path in mine.rglob("*") if path.is_file())
    whole = {path: path.read_bytes() for path in files}
    kept = folder / "kept"

    def run(data: bytes) -> None:
        """Read a folder in which the file that the first byte names holds the others."""
        changed = files[data[0] % len(files)] if data else files[0]
        changed.write_bytes(data[1:])
        try:
            _read(mine / changed.relative_to(mine).parts[0], kept)
        finally:
            changed.write_bytes(whole[changed])
        if kept.is_dir() and sum(1 for _ in kept.rglob("*")) > _MOST_FILES:
            shutil.rmtree(kept)

    yield Prey([bytes([i]) + whole[path] for i, path in enumerate(files)], run)


def _read(folder: Path, kept: Path) -> None:
    """Read everything below a folder; what importers raise on purpose ends a source, no more."""
    for source in Walker([folder], built_in(UTC)):
        if not isinstance(source, Source):
            continue
        try:
            source.read_task(kept, FileLimits()).run(_check)
        except GraphMemixError:
            pass
        finally:
            if source.container is not None:
                source.container.release(failed=False)


def _check(reading: object) -> None:
    if isinstance(reading, Skipped):
        assert reading.name
        assert reading.reason
    elif isinstance(reading, Memory):  # an archive can hold it
        assert Memory.from_json(reading.to_json()) == reading


TARGETS = (
    *(Target(name, "importers", partial(_open, patterns)) for name, patterns in KINDS.items()),
    *importers_parts.TARGETS,
)
