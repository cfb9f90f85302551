"""A question from the command line: words, pictures, moments, earlier turns."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, TypeAlias

import typer
from PIL import Image, UnidentifiedImageError

from graphmemix.cli.output import moment
from graphmemix.errors import InvalidInputError
from graphmemix.evidence import Question, QuestionImage, Turn

QuestionArgument: TypeAlias = Annotated[
    str, typer.Argument(help="What to ask.", show_default=False)
]
ImageOption: TypeAlias = Annotated[
    list[Path] | None, typer.Option(help="A picture to ask with; may be repeated.")
]
AskedAtOption: TypeAlias = Annotated[
    str | None, typer.Option(help="When the question is asked (ISO); dates relate to it.")
]
AsOfOption: TypeAlias = Annotated[str | None, typer.Option(help="Hide what came later (ISO).")]
HistoryOption: TypeAlias = Annotated[
    Path | None, typer.Option(help="JSON file with earlier turns: a list of {role, text}.")
]


def question_of(
    text: str,
    images: Sequence[Path] | None = None,
    asked_at: str | None = None,
    as_of: str | None = None,
    history: Path | None = None,
) -> Question:
    """Return the question.

    Args:
        text: The words.
        images: Files with pictures.
        asked_at: ISO; without a zone, in the machine's.
        as_of: The same.
        history: A JSON file with earlier turns: ``[{"role": "user", "text": "…"}, …]``.

    Raises:
        InvalidInputError: Names the option at fault.
    """
    return Question(
        text,
        tuple(_image(path) for path in images or []),
        asked_at=moment("--asked-at", asked_at),
        as_of=moment("--as-of", as_of),
        history=_turns(history),
    )


def _image(path: Path) -> QuestionImage:
    try:
        data = path.read_bytes()
        with Image.open(path) as picture:
            mime = Image.MIME.get(picture.format or "", "image/jpeg")
    except (UnidentifiedImageError, Image.DecompressionBombError):
        raise InvalidInputError(f"--image {path}: is not a picture") from None
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
    raise InvalidInputError(f'--history {path}: is not a list like [{{"role": "user", "text": …}}]')
