"""Describes the media of an archive with everything that is installed, as a job that can stop."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from graphmemix.errors import MissingExtraError
from graphmemix.ingest.describe import Captions, Described, Describer, Ocr, Places, Speech
from graphmemix.ingest.report import IngestProgress

if TYPE_CHECKING:
    from threading import Event

    from graphmemix.archive import Archive
    from graphmemix.ingest.report import OnProgress
    from graphmemix.settings import Settings

__all__ = ["describe"]


class _StoppedError(Exception):
    """Ends a run between two batches; what was described is stored."""


def describe(archive: Archive, progress: OnProgress, stop: Event) -> Described | None:
    """Describe what has no description yet; return None if it was stopped before the end.

    Raises:
        MissingExtraError: No describer is installed.
        StoreError: The archive cannot be written; the subclass says why.
    """
    describers = _installed(archive.settings)
    places = None
    with suppress(MissingExtraError):
        places = Places()
    if not describers and places is None:
        raise MissingExtraError("ocr", "describing pictures")

    def on_progress(done: int, total: int) -> None:
        progress(IngestProgress("describing", done, total))
        if stop.is_set():
            raise _StoppedError

    try:
        return archive.describe(describers, places=places, progress=on_progress)
    except _StoppedError:
        return None


def _installed(settings: Settings) -> list[Describer]:
    found: list[Describer] = []
    for make in (Ocr, Speech):
        with suppress(MissingExtraError):
            found.append(make())
    if settings.model.base_url:
        from graphmemix.llm.openai_chat import OpenAiChat

        chat = OpenAiChat.from_settings(settings.model)
        found.append(Captions(chat, at_once=settings.model.concurrency))
    return found
