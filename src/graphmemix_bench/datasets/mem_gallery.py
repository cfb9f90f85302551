"""Mem-Gallery: long dialogues between a person and an assistant, with pictures.

Dialogues in rounds, and one memory for the profile.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from graphmemix.evidence import Question
from graphmemix.memory import Memory
from graphmemix_bench.datasets.base import Context, GoldQuestion, ResponseType
from graphmemix_bench.datasets.files import dialogue_files, load_folder, missing, read_json
from graphmemix_bench.datasets.rounds import DataLocation, gold_of, halves, question_images

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

LAYOUT = (
    "DIR/data/dialog/*.json (or DIR/benchmark/data/dialog/, DIR/dialog/), one a context; pictures, "
    "if there, in DIR/data/image/CONTEXT/"
)

_PATTERN = "data/dialog/*.json"
_UNANSWERABLE: Final = "AR"  # the right answer is that it was not mentioned
_FORMS: Final[Mapping[str, tuple[ResponseType, str]]] = {
    _UNANSWERABLE: (
        "open",
        'Answer "Not mentioned." only if the dialogues do not contain what is asked for.',
    ),
    "CD": ("yes_no", 'Answer "Yes." or "No." only.'),
    "VS": (
        "image_ids",
        "Answer with the ids of the pictures only, in ascending order, separated by commas.",
    ),
}


def load(folder: Path) -> Iterator[Context]:
    """Yield the contexts below ``FOLDER/data/dialog``, by name."""
    paths = dialogue_files(folder)
    if not paths:
        raise missing(folder, _PATTERN, "Mem-Gallery", LAYOUT)
    return load_folder(paths, "Mem-Gallery", lambda path: [_context(path, folder)])


def _context(path: Path, root: Path) -> Context:
    data = read_json(path)
    place = DataLocation(root, path.parent)
    memories, files = halves(data["multi_session_dialogues"], "mem-gallery", place)
    rows = data["human-annotated QAs"]
    questions = tuple(
        _question(row, f"Q{number:03}", memories, place) for number, row in enumerate(rows, start=1)
    )
    profile = data["character_profile"]
    text = profile if isinstance(profile, str) else json.dumps(profile, ensure_ascii=False)
    memories.append(Memory("profile", "profile", text, source="mem-gallery"))
    return Context(path.stem, tuple(memories), questions, tuple(files))


def _question(
    row: dict[str, Any], name: str, memories: list[Memory], place: DataLocation
) -> GoldQuestion:
    kind = str(row["point"])
    images, ids = question_images(row, place)
    response_type, instruction = _FORMS.get(kind, ("open", ""))
    return GoldQuestion(
        question=Question(row["question"], images),
        gold=frozenset() if kind == _UNANSWERABLE else gold_of(row.get("clue"), memories),
        type=kind,
        answer=str(row["answer"]),
        id=name,
        response_type=response_type,
        instruction=instruction,
        images=ids,
        held=kind != _UNANSWERABLE,
    )
