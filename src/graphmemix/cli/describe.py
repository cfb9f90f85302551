"""``graphmemix describe``: words about media, for an archive that has none yet."""

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
from graphmemix.cli.output import interruptible, open_existing, progress
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
    places: Annotated[bool, typer.Option("--places", help="Name places.")] = False,
    speech: Annotated[bool, typer.Option("--speech", help="Write down what is said.")] = False,
    captions: Annotated[
        bool, typer.Option("--captions", help="Ask the model of the settings what is to be seen.")
    ] = False,
    speech_model: Annotated[
        Path | None, typer.Option(help="Folder of a Whisper model for other languages.")
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Also replace words there are.")] = False,
    encoder: EncoderOption = None,
    override: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Describe media that have no words yet; without options, by all that is installed and set.

    Can be interrupted and repeated at any time: nothing is done twice. Everything runs on this
    machine, except captions, for which pictures go to the model that the settings name.

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
        interruptible("What was described is kept; the same command again goes on."),
        open_existing(archive, mode="write", encoder=encoder, settings=settings) as opened,
        progress("describing") as told,
    ):
        done = opened.describe(describers, places=named, again=again, progress=told)
    say(done.to_json() if as_json else "\n".join(_told(done)))


@contextmanager
def _leaving_threads() -> Iterator[None]:
    """After Ctrl-C, end the process even if a library is in the middle of a picture or a recording.

    Python waits for its threads at the end. What they were told before is stored by then.
    """
    try:
        yield
    except typer.Exit as end:
        if any(thread.name.startswith(THREADS) for thread in threading.enumerate()):
            end_process(end.exit_code)
        raise


def _made(make: Callable[[], _T], wanted: bool, everything: bool) -> _T | None:  # noqa: FBT001
    """Return what is asked for; of everything, what is installed."""
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
    "transcript": "what is said",
    "caption": "captions",
    "places": "names of places",
}


def _told(done: Described) -> list[str]:
    lines = [f"{done.updated} of {done.memories} memories have new words"]
    for name, words in _NAMES.items():
        new, known = done.told.get(name, 0), done.known.get(name, 0)
        if new or known:
            lines.append(f"  {words}: {new} new, {known} known")
    lines += [f"  stopped: {_NAMES[name]}: {why}" for name, why in done.stopped.items()]
    lines += [f"  failed: {each.name} ({_NAMES[each.by]}): {each.reason}" for each in done.failed]
    return lines
