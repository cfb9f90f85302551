"""MemEye: dialogues whose answers lie in the pictures, as open questions and as multiple choice.

Each task has one file with options and one for open answers, and their dialogues differ a little,
so each file is a context of its own. A multiple-choice question is released with its options in
four rotations; each is a row, and rows of one question share their `group`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphmemix.errors import InvalidDataError
from graphmemix.evidence import Question
from graphmemix_bench.datasets.base import Choice, Context, GoldQuestion
from graphmemix_bench.datasets.files import (
    as_list,
    dialogue_files,
    load_folder,
    missing,
    read_json,
)
from graphmemix_bench.datasets.rounds import DataLocation, gold_of, halves, question_images

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from graphmemix.memory import Memory

LAYOUT = (
    "DIR/data/dialog/ (or DIR/benchmark/data/dialog/, DIR/dialog/) with TASK.json (multiple "
    "choice) and TASK_Open.json (open answers); "
    "pictures, if there, in DIR/data/image/TASK/"
)

LETTERS = "ABCDEFGH"

_PATTERN = "data/dialog/*.json"
_QUESTIONS = ("human-annotated QAs", "human_annotated_qas", "qas")
_INSTRUCTION = "Answer with the letter of the right option only."


def load(folder: Path) -> Iterator[Context]:
    """Yield all contexts, by name: those of multiple choice and those of open answers."""
    return _load(folder, lambda _: True)


def load_open(folder: Path) -> Iterator[Context]:
    """Yield the contexts of open answers."""
    return _load(folder, _is_open)


def load_mcq(folder: Path) -> Iterator[Context]:
    """Yield the contexts of multiple choice."""
    return _load(folder, lambda path: not _is_open(path))


def _is_open(path: Path) -> bool:
    return path.stem.endswith("_Open")


def _load(folder: Path, wanted: Callable[[Path], bool]) -> Iterator[Context]:
    # The release also has concat_*.json, which repeat the tasks one after the other.
    found = [p for p in dialogue_files(folder) if not p.stem.startswith("concat_")]
    paths = [path for path in found if wanted(path)]
    if not paths:
        raise missing(folder, _PATTERN, "MemEye", LAYOUT)
    return load_folder(paths, "MemEye", lambda path: [_context(path, folder)])


def _context(path: Path, root: Path) -> Context:
    data = read_json(path)
    place = DataLocation(root, path.parent)
    memories, files = halves(data["multi_session_dialogues"], "memeye", place)
    key = next((key for key in _QUESTIONS if key in data), _QUESTIONS[0])
    questions: list[GoldQuestion] = []
    for number, row in enumerate(data[key], start=1):
        questions += _rows(row, f"Q{number:03}", memories, place)
    return Context(path.stem, tuple(memories), tuple(questions), tuple(files))


def _rows(
    row: dict[str, Any], fallback: str, memories: list[Memory], place: DataLocation
) -> Iterator[GoldQuestion]:
    name = str(row.get("question_id") or fallback)
    images, ids = question_images(row, place)
    points = [tag for group in as_list(row.get("point")) for tag in as_list(group)]
    question = Question(row["question"], images)
    gold = gold_of(row.get("clue"), memories)
    kind = "+".join(map(str, points))
    rotations = _rotations(row)
    if not rotations:
        yield GoldQuestion(
            question, gold, kind, str(row["answer"]), name, subset="open", images=ids
        )
    for position, (choices, answer) in enumerate(rotations, start=1):
        yield GoldQuestion(
            question=question,
            gold=gold,
            type=kind,
            answer=answer,
            id=f"{name}/r{position}",
            group=name,
            subset="mcq",
            choices=choices,
            response_type="choice",
            instruction=_INSTRUCTION,
            images=ids,
        )


def _rotations(row: dict[str, Any]) -> list[tuple[tuple[Choice, ...], str]]:
    """Return the options in every released order, each with the letter of the right one.

    A row with its options in one order only gets our own balanced rotations.
    """
    options = row.get("options")
    if not options:
        return []
    if isinstance(options, list) and all(isinstance(each, dict) for each in options):
        return [(_choices(each), str(each["answer"]).strip()) for each in options]
    if isinstance(options, list):
        options = dict(zip(LETTERS, map(str, options), strict=False))
    return rotated(_choices(options), str(row["answer"]).strip())


def _choices(options: dict[str, Any]) -> tuple[Choice, ...]:
    return tuple(Choice(letter, str(options[letter])) for letter in LETTERS if letter in options)


def rotated(choices: tuple[Choice, ...], answer: str) -> list[tuple[tuple[Choice, ...], str]]:
    """Return the options in all their cyclic orders, each with the letter of the right one.

    Every option is at every position in exactly one of them, so that a model that always says "B"
    scores a quarter, whatever the release's own order.

    Raises:
        InvalidDataError: No option, or more than one, is the answer.
    """
    right = right_choice(choices, answer)
    rows = []
    for shift in range(len(choices)):
        order = [choices[(place + shift) % len(choices)] for place in range(len(choices))]
        shown = tuple(
            Choice(letter, each.text) for letter, each in zip(LETTERS, order, strict=False)
        )
        rows.append((shown, LETTERS[order.index(right)]))
    return rows


def right_choice(choices: tuple[Choice, ...], answer: str) -> Choice:
    """Return the option that `answer` names, by its letter or by its text.

    Raises:
        InvalidDataError: None or several do.
    """
    named = [each for each in choices if each.choice_id == answer] or [
        each for each in choices if each.text.strip() == answer.strip()
    ]
    if len(named) != 1:
        raise InvalidDataError(f"answer {answer!r} must name one of the {len(choices)} options")
    return named[0]
