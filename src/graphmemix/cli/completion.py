"""What a shell offers when somebody presses Tab: archives, ids, settings, importers, names.

A shell waits for this: everything is imported when it is needed, and whatever fails offers nothing.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from typer import Context

if TYPE_CHECKING:
    from graphmemix.store.protocol import Store

__all__ = [
    "archives",
    "encoders",
    "importers",
    "kinds",
    "memory_ids",
    "people",
    "profiles",
    "settings",
    "trace_ids",
]

_DATABASE = "archive.db"
_MOST = 50
_SHOWN = 50  # characters of a memory or a question beside its id

Offer: TypeAlias = list[str] | list[tuple[str, str]]


def _quietly(offer: Callable[..., Any]) -> Callable[..., Any]:
    """Let nothing disturb the line that somebody is typing."""

    @wraps(offer)
    def offered(*given: Any, **named: Any) -> Any:
        try:
            return offer(*given, **named)
        except Exception:  # noqa: BLE001  # a shell shows what is printed in the middle of a line
            return []

    return offered


def is_archive(folder: Path) -> bool:
    """Return whether a folder is an archive, by its looks."""
    return (folder / _DATABASE).is_file()


@_quietly
def archives(incomplete: str) -> Offer:
    """Offer archives, and folders that may hold some."""
    typed, slash, start = incomplete.rpartition("/")
    base = Path(typed or slash or ".").expanduser()
    found = sorted(
        each.name
        for each in base.iterdir()
        if each.name.startswith(start) and (start or not each.name.startswith(".")) and _leads(each)
    )
    here = [each for each in found if is_archive(base / each)]
    names = here or [f"{each}/" for each in found if not is_archive(base / each)]
    return [f"{typed}{slash}{name}" for name in names]


def _leads(path: Path) -> bool:
    return path.is_dir() and os.access(path, os.X_OK)


@contextmanager
def _store(context: Context) -> Iterator[Store]:
    """Open the archive that was typed before."""
    from graphmemix import registry

    location = str(context.params.get("archive") or _first_argument(context))
    scheme, is_address, _ = location.partition("://")
    store = registry.load("stores", scheme if is_address else "folder")(location, mode="read")
    try:
        yield store
    finally:
        store.close()


def _first_argument(context: Context) -> str:
    """Return the first word behind the command, where an option without its value hid it."""
    line = os.environ.get("_TYPER_COMPLETE_ARGS") or os.environ.get("COMP_WORDS", "")
    words = shlex.split(line)
    behind = words[words.index(str(context.info_name)) + 1 :]
    return next(word for word in behind if not word.startswith("-"))


@_quietly
def memory_ids(ctx: Context, incomplete: str) -> Offer:
    """Offer ids of memories with their first words."""
    from graphmemix.cli.output import memory_line

    with _store(ctx) as store:
        found = store.ids_starting(incomplete, limit=_MOST)
        memories = store.get_many(found)
    return [(each, memory_line(memories[each])[:_SHOWN]) for each in found if each in memories]


@_quietly
def trace_ids(ctx: Context, incomplete: str) -> Offer:
    """Offer traces with their questions, newest first."""
    from graphmemix.cli.ids import LAST
    from graphmemix.evidence import Trace

    with _store(ctx) as store:
        found = [each for each in store.log_ids("trace") if each.startswith(incomplete)][:_MOST]
        questions = [Trace.from_json(store.log(each).body).question.text for each in found]
    newest = [(LAST, "the newest")] if LAST.startswith(incomplete) else []
    return newest + [(each, text[:_SHOWN]) for each, text in zip(found, questions, strict=True)]


@_quietly
def people(ctx: Context, incomplete: str) -> Offer:
    """Offer the authors of an archive."""
    with _store(ctx) as store:
        found = store.speakers()
    return [each for each in found if each.casefold().startswith(incomplete.casefold())][:_MOST]


@_quietly
def settings(incomplete: str) -> Offer:
    """Offer settings, each up to its value."""
    from graphmemix.settings import describe_settings

    return [
        (f"{key}=", field.description or "")
        for key, field in describe_settings()
        if key.startswith(incomplete)
    ]


@_quietly
def importers(incomplete: str) -> Offer:
    """Offer importers."""
    from graphmemix.ingest.builtin import names

    return sorted(each for each in names() if each.startswith(incomplete))


@_quietly
def encoders(incomplete: str) -> Offer:
    """Offer encoders."""
    from graphmemix import registry

    return [each for each in registry.names("encoders") if each.startswith(incomplete)]


@_quietly
def kinds(incomplete: str) -> Offer:
    """Offer kinds of memories."""
    from typing import get_args

    from graphmemix.memory import Kind

    return [each for each in get_args(Kind) if each.startswith(incomplete)]


@_quietly
def profiles(incomplete: str) -> Offer:
    """Offer profiles of settings."""
    return [each for each in ("default", "paper") if each.startswith(incomplete)]
