"""Arguments and options shared by commands, and the settings and the question made from them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from graphmemix.errors import InvalidInputError, SettingsError
from graphmemix.evidence import Question, QuestionImage, Turn
from graphmemix.record import require_moment
from graphmemix.settings import Settings

ArchiveArgument: TypeAlias = Annotated[
    str, typer.Argument(help="Folder, or postgresql://…/database#NAME.", show_default=False)
]
EncoderOption: TypeAlias = Annotated[
    str | None, typer.Option(help="Encoder, such as clip:FOLDER; default: the one in the settings.")
]
ProfileOption: TypeAlias = Annotated[
    str | None, typer.Option(help="Settings profile: default, or paper for the published method.")
]
SetOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--set", help="Setting KEY=VALUE, such as forest.budget=8; see `config`."),
]
JsonOption: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON.")]
CacheOption: TypeAlias = Annotated[
    Path | None, typer.Option(help="Folder that caches vectors between runs.")
]
QuestionArgument: TypeAlias = Annotated[
    str, typer.Argument(help="The question.", show_default=False)
]
ImageOption: TypeAlias = Annotated[
    list[Path] | None, typer.Option(help="Picture to ask about; repeatable.")
]
AskedAtOption: TypeAlias = Annotated[
    str | None, typer.Option(help="Time of the question (ISO), for 'last summer'; by default now.")
]
AsOfOption: TypeAlias = Annotated[str | None, typer.Option(help="Ignore later memories (ISO).")]
HistoryOption: TypeAlias = Annotated[
    Path | None, typer.Option(help="JSON file with earlier turns: a list of {role, text}.")
]


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
    text: str,
    images: Sequence[Path] | None = None,
    asked_at: str | None = None,
    as_of: str | None = None,
    history: Path | None = None,
) -> Question:
    """Return the question.

    Args:
        text: The text.
        images: Picture files.
        asked_at: ISO time; without an offset, in the machine's zone. By default now.
        as_of: ISO time, likewise.
        history: A JSON file with earlier turns: ``[{"role": "user", "text": "…"}, …]``.

    Raises:
        InvalidInputError: An option is invalid; the message names it.
    """
    return Question(
        text,
        tuple(_image(path) for path in images or []),
        asked_at=moment("--asked-at", asked_at) or datetime.now(UTC).astimezone(),
        as_of=moment("--as-of", as_of),
        history=_turns(history),
    )


def moment(option: str, text: str | None) -> datetime | None:
    """Parse an ISO time; without an offset, in the machine's zone.

    Raises:
        InvalidInputError: It is not an ISO date or out of range; the message names the option.
    """
    if text is None:
        return None
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInputError(f"{option}: {text!r} is not an ISO date") from None
    try:
        read = read.astimezone() if read.tzinfo is None else read
    except (ValueError, OverflowError, OSError):  # outside the range of the machine's time zone
        raise InvalidInputError(f"{option}: {text!r} is out of range") from None
    require_moment(option, read)
    return read


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
