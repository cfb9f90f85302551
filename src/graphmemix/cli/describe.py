"""``graphmemix describe``: text about media, for memories that have none yet."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from graphmemix.cli.options import (
    ArchiveArgument,
    EncoderOption,
    JsonOption,
    SetOption,
    settings_from,
)
from graphmemix.cli.output import counted, interruptible, open_existing, progress
from graphmemix.cli.terminal import end_process, say
from graphmemix.errors import MissingExtraError
from graphmemix.ingest.describe import Captions, Described, Describer, Ocr, Places, Speech
from graphmemix.ingest.describe.run import THREADS
from graphmemix.settings import Settings

_T = TypeVar("_T")


def command(
    archive: ArchiveArgument,
    *,
    ocr: Annotated[bool, typer.Option("--ocr", help="Read text in pictures.")] = False,
    places: Annotated[
        bool, typer.Option("--places", help="Name the places of coordinates.")
    ] = False,
    speech: Annotated[bool, typer.Option("--speech", help="Transcribe speech.")] = False,
    captions: Annotated[
        bool, typer.Option("--captions", help="Caption pictures with the model in the settings.")
    ] = False,
    speech_model: Annotated[
        Path | None, typer.Option(help="Folder of a Whisper model, for other languages.")
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Replace existing descriptions too.")
    ] = False,
    encoder: EncoderOption = None,
    override: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Describe media that have no description yet, by default with every installed describer.

    It can be interrupted and run again at any time: no file is described twice. Everything runs on
    this machine, except captions: they are made by the model in the settings, if one is set.

    Example: graphmemix describe ~/archives/family --ocr --places
    """
    settings = settings_from(None, override)
    everything = not (ocr or places or speech or captions)
    makers: list[tuple[bool, Callable[[], Describer]]] = [
        (ocr, Ocr),
        (speech, lambda: Speech(speech_model)),
    ]
    describers = [made for wanted, make in makers if (made := _made(make, wanted, everything))]
    if captions or (everything and settings.model.base_url):
        describers.append(_captions(settings))
    named = _made(Places, places, everything)
    with (
        _leaving_threads(),
        interruptible("Descriptions so far are kept; run the command again to continue."),
        open_existing(archive, mode="write", encoder=encoder, settings=settings) as opened,
        progress("describing") as on_progress,
    ):
        done = opened.describe(describers, places=named, again=again, progress=on_progress)
    say(done.to_json() if as_json else "\n".join(_summary(done)))


@contextmanager
def _leaving_threads() -> Iterator[None]:
    """After Ctrl-C, exit even if a library is still working on a picture or a recording.

    Python would wait for its threads; finished descriptions are stored by then.
    """
    try:
        yield
    except typer.Exit as end:
        if any(thread.name.startswith(THREADS) for thread in threading.enumerate()):
            end_process(end.exit_code)
        raise


def _made(make: Callable[[], _T], wanted: bool, everything: bool) -> _T | None:  # noqa: FBT001
    """Return a describer if it is wanted, or if everything is and it is installed."""
    if wanted:
        return make()
    if everything:
        with suppress(MissingExtraError):
            return make()
    return None


def _captions(settings: Settings) -> Captions:
    from graphmemix.llm.openai_chat import OpenAiChat

    chat = OpenAiChat.from_settings(settings.model)
    return Captions(chat, at_once=settings.model.concurrency)


_NAMES = {
    "ocr": "text in pictures",
    "transcript": "transcripts",
    "caption": "captions",
    "places": "place names",
}


def _summary(done: Described) -> list[str]:
    lines = [f"New descriptions for {done.updated} of {counted(done.memories, 'memory')}"]
    for name, words in _NAMES.items():
        new, known = done.told.get(name, 0), done.known.get(name, 0)
        if new or known:
            lines.append(f"  {words}: {new} new, {known} known")
    lines += [f"  stopped: {_NAMES[name]}: {why}" for name, why in done.stopped.items()]
    lines += [f"  failed: {each.name} ({_NAMES[each.by]}): {each.reason}" for each in done.failed]
    return lines
