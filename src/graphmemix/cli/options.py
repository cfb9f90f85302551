"""Arguments and options shared by commands, and the settings and the question made from them."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias, get_args

import typer

from graphmemix.cli import completion
from graphmemix.errors import InvalidInputError, SettingsError
from graphmemix.evidence import Question, QuestionImage, Turn
from graphmemix.memory import Kind
from graphmemix.settings import Settings
from graphmemix.text.dates.given import period_of

if TYPE_CHECKING:
    from graphmemix.archive import Archive
    from graphmemix.asking import Wanted
    from graphmemix.store.protocol import Filter

WHICH: Final = "Which memories"
ASKING: Final = "The question"
TUNING: Final = "Settings"
PRINTING: Final = "Output"
"""Groups of options in ``--help``."""

ArchiveArgument: TypeAlias = Annotated[
    str,
    typer.Argument(
        help="The archive: a folder, or postgresql://…/database#NAME.",
        show_default=False,
        autocompletion=completion.archives,
    ),
]
IdArgument: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="ID",
        help="Id of a memory, or the beginning of it.",
        show_default=False,
        autocompletion=completion.memory_ids,
    ),
]
EncoderOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="Encoder, such as clip:FOLDER; default: the one in the settings.",
        rich_help_panel=TUNING,
        autocompletion=completion.encoders,
    ),
]
ProfileOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="Settings profile: default, or paper for the published method.",
        rich_help_panel=TUNING,
        autocompletion=completion.profiles,
    ),
]
SetOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Change a setting for this run, such as forest.budget=8; `graphmemix config` lists "
        "them. Repeatable.",
        rich_help_panel=TUNING,
        autocompletion=completion.settings,
    ),
]
JsonOption: TypeAlias = Annotated[
    bool, typer.Option("--json", help="Print JSON.", rich_help_panel=PRINTING)
]
CacheOption: TypeAlias = Annotated[
    Path | None, typer.Option(help="Folder that caches vectors between runs.")
]
QuestionArgument: TypeAlias = Annotated[
    list[str],
    typer.Argument(
        metavar="QUESTION", help="The question; - reads it from standard input.", show_default=False
    ),
]
ImageOption: TypeAlias = Annotated[
    list[Path] | None,
    typer.Option(help="Picture to ask about; repeatable.", rich_help_panel=ASKING),
]
AskedAtOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="DATE",
        help="Pretend that it is asked at this time, which 'last summer' counts from.",
        rich_help_panel=ASKING,
    ),
]
AsOfOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="DATE",
        help="Ignore memories from after this day or time, such as yesterday.",
        rich_help_panel=ASKING,
    ),
]
HistoryOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        help="JSON file with earlier turns: a list of {role, text}.", rich_help_panel=ASKING
    ),
]
SinceOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="DATE",
        help="From this date on: 2023-07-01, 'last summer', yesterday.",
        rich_help_panel=WHICH,
    ),
]
UntilOption: TypeAlias = Annotated[
    str | None, typer.Option(metavar="DATE", help="Before this date.", rich_help_panel=WHICH)
]
KindOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        help="Of this kind, such as photo or email; repeatable.",
        rich_help_panel=WHICH,
        autocompletion=completion.kinds,
    ),
]
PersonOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="Written, said or taken by this person; repeatable.",
        rich_help_panel=WHICH,
        autocompletion=completion.people,
    ),
]
NearOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="PLACE",
        help="Made near a place: its name, or LATITUDE,LONGITUDE,KILOMETRES.",
        rich_help_panel=WHICH,
    ),
]
SessionOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(help="Of this conversation, thread or album; repeatable.", rich_help_panel=WHICH),
]

_OPTION_OF: Final = {
    "since": "--since",
    "until": "--until",
    "kinds": "--kind",
    "people": "--person",
    "near": "--near",
    "sessions": "--session",
}


def wanted_by(
    since: str | None,
    until: str | None,
    kind: list[str] | None,
    person: list[str] | None,
    near: str | None,
    session: list[str] | None,
) -> Wanted:
    """Return what the options of group `WHICH` want, as the library calls it."""
    return {
        "since": since,
        "until": until,
        "kinds": [_kind(each) for each in kind or ()] or None,
        "people": person,
        "near": near,
        "sessions": session,
    }


def filter_from(archive: Archive, wanted: Wanted, filter: Filter | None = None) -> Filter | None:
    """Return the filter that options describe, besides `filter`; None if there are none.

    Raises:
        InvalidInputError: An option is invalid; the message names it.
    """
    if not any(wanted.values()):
        return filter
    from graphmemix.asking.wanted import wanted_filter  # many commands need neither

    try:
        return wanted_filter(archive.store, archive.settings.ingest.zone, filter, **wanted)
    except InvalidInputError as error:
        keyword, colon, rest = str(error).partition(":")
        if colon and keyword in _OPTION_OF:
            raise InvalidInputError(f"{_OPTION_OF[keyword]}:{rest}") from None
        raise


def _kind(typed: str) -> str:
    """Return a kind as it is called here, for "Photos" and "mails" too."""
    kinds = get_args(Kind)
    name = typed.strip().lower()
    name = name if name in kinds else name.removesuffix("s")
    return "email" if name == "mail" else name if name in kinds else typed


def settings_from(
    profile: str | None, overrides: list[str] | None, file: Path | None = None
) -> Settings:
    """Return the settings of all layers, with the command's options on top.

    Raises:
        SettingsError: A key or a value is invalid, or an override is not KEY=VALUE.
    """
    values: dict[str, object] = pairs_of(overrides)
    if profile is not None:
        values["profile"] = profile
    return Settings.load(file=file, overrides=values)


def pairs_of(overrides: list[str] | None) -> dict[str, object]:
    """Return the values of ``--set KEY=VALUE`` by key.

    Raises:
        SettingsError: There is no ``=``.
    """
    pairs: dict[str, object] = {}
    for text in overrides or []:
        key, equals, value = text.partition("=")
        if not equals:
            raise SettingsError(text, "use KEY=VALUE")
        pairs[key.strip()] = value.strip()
    return pairs


def question_of(
    words: Sequence[str],
    images: Sequence[Path] | None = None,
    asked_at: str | None = None,
    as_of: str | None = None,
    history: Path | None = None,
) -> Question:
    """Return the question.

    Args:
        words: The words of the text, or ``-`` alone for standard input.
        images: Picture files.
        asked_at: ISO or in words; without an offset, in the machine's zone. By default now.
        as_of: Likewise; memories of a day or period that it names are kept.
        history: A JSON file with earlier turns: ``[{"role": "user", "text": "…"}, …]``.

    Raises:
        InvalidInputError: An option is invalid; the message names it.
    """
    text = sys.stdin.read().strip() if list(words) == ["-"] else " ".join(words)
    return Question(
        text,
        tuple(_image(path) for path in images or []),
        asked_at=moment("--asked-at", asked_at) or datetime.now(UTC).astimezone(),
        as_of=_end_of("--as-of", as_of),
        history=_turns(history),
    )


def moment(option: str, text: str | None) -> datetime | None:
    """Return the moment, or the beginning of the day or period, that an option names.

    ISO or in words, as in a question; without an offset, in the machine's zone.

    Raises:
        InvalidInputError: It is no date, or out of range; the message names the option.
    """
    return None if text is None else period_of(option, text).start


def _end_of(option: str, text: str | None) -> datetime | None:
    """Return a moment, or the end of the day or period that is named."""
    return None if text is None else period_of(option, text).end


def _image(path: Path) -> QuestionImage:
    from PIL import Image, UnidentifiedImageError  # other commands start without it

    try:
        data = path.read_bytes()
        with Image.open(path) as picture:
            mime = Image.MIME.get(picture.format or "", "image/jpeg")
    except (UnidentifiedImageError, Image.DecompressionBombError):
        raise InvalidInputError(f"--image {path}: not a picture") from None
    except OSError as error:
        raise InvalidInputError(f"--image {path}: {error.strerror or error}") from None
    return QuestionImage(data, mime)


def _turns(path: Path | None) -> tuple[Turn, ...]:
    if path is None:
        return ()
    try:
        rows = json.loads(path.read_bytes())
        if isinstance(rows, list):
            return tuple(Turn.from_json(json.dumps(row)) for row in rows)
    except OSError as error:
        raise InvalidInputError(f"--history {path}: {error.strerror}") from None
    except ValueError as error:
        raise InvalidInputError(f"--history {path}: {error}") from None
    raise InvalidInputError(
        f'--history {path}: must be a list like [{{"role": "user", "text": …}}]'
    )
