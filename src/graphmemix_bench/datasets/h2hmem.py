"""H2HMem: chats between people, with pictures and without captions.

Gold is every turn of the sessions that a question names. Sessions that are not there give no gold;
a question none of whose sessions is there is dropped. Both are counted in `Context.dropped`.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

from graphmemix.errors import InvalidInputError
from graphmemix.evidence import Question, QuestionImage
from graphmemix.memory import Description, Media, Memory
from graphmemix_bench.datasets.base import Context, GoldQuestion, MediaFile
from graphmemix_bench.datasets.files import (
    as_list,
    is_content,
    load_folder,
    mime,
    missing,
    read_json,
)
from graphmemix_bench.datasets.rounds import day

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

LAYOUT = (
    "DIR/dataset/KIND/dialogueN/scenes/sessionM/ with session.json and questions.json; "
    "pictures, if there, in its image/; captions, if there, in DIR/captions.json, from "
    "KIND/dialogueN/sessionM/NAME to a caption"
)

_SIDECAR = "captions.json"

_PATTERN = "dataset/*/dialogue*/scenes/session*/session.json"
_PICTURE = re.compile(r"(?:(session\d+)/)?(?:image/)?(\w[\w .()-]*)\Z")
_ENDINGS = (".jpg", ".png", ".jpeg", ".webp")


def load(folder: Path) -> Iterator[Context]:
    """Yield the dialogues of all kinds, by kind and number, with the questions that resolve."""
    return _load(folder, every=False)


def load_all(folder: Path) -> Iterator[Context]:
    """Yield the same with all questions; those whose sessions are not there have no gold."""
    return _load(folder, every=True)


def _load(folder: Path, *, every: bool) -> Iterator[Context]:
    sessions = folder.glob(_PATTERN)
    dialogues = {path.parents[2] for path in sessions}
    if not dialogues:
        raise missing(folder, _PATTERN, "H2HMem", LAYOUT)
    ordered = sorted(dialogues, key=lambda path: (path.parent.name, _numbered(path.name)))
    captions = _captions(folder)
    return load_folder(ordered, "H2HMem", lambda path: [_context(path, captions, every=every)])


def _captions(folder: Path) -> Mapping[str, str]:
    """Return the captions that lie beside the release, by picture; empty if there are none."""
    path = folder / _SIDECAR
    if not path.is_file():
        return {}
    found = read_json(path)
    if not isinstance(found, dict) or not all(isinstance(each, str) for each in found.values()):
        raise InvalidInputError(f"{path}: must be an object from picture to caption")
    return found


def _context(dialogue: Path, captions: Mapping[str, str], *, every: bool) -> Context:
    folders = sorted(
        (path.parent for path in dialogue.glob("scenes/session*/session.json")),
        key=lambda path: _numbered(path.name),
    )
    memories: list[Memory] = []
    files: list[MediaFile] = []
    for folder in folders:
        session = read_json(folder / "session.json")
        for number, turn in enumerate(session["dialogue"], start=1):
            said = partial(_caption, captions, folder)
            memory = _memory(session, folder.name, number, turn, len(memories), said)
            memories.append(memory)
            if memory.media and (path := _picture(folder, memory.media[0].name)):
                files.append(MediaFile(memory.id, 0, path))
    dropped: Counter[str] = Counter()
    questions: list[GoldQuestion] = []
    # Questions about several sessions lie in session0, which has no session.json.
    for path in sorted(
        dialogue.glob("scenes/session*/questions.json"), key=lambda p: _numbered(p.parent.name)
    ):
        questions += _questions(path, dialogue.name, memories, dropped, captions, every=every)
    name = f"{dialogue.parent.name}/{dialogue.name}"
    return Context(name, tuple(memories), tuple(questions), tuple(files), dict(dropped))


def _memory(
    session: dict[str, Any],
    folder: str,
    number: int,
    turn: dict[str, Any],
    sequence: int,
    caption: Callable[[str], str],
) -> Memory:
    content = turn["content"]
    picture = content.get("image") or ""
    return Memory(
        id=f"{folder}/{number}",
        kind="message",
        text=content["text"],
        source="h2hmem",
        source_id=f"{folder}/{number}",
        session=folder,
        sequence=sequence,
        speaker=turn["role"],
        timestamp=day(session.get("timeline_date")),
        media=_media(picture, caption(picture)),
        metadata={"session_title": str(session.get("session_title") or "")},
    )


def _media(name: str, caption: str) -> tuple[Media, ...]:
    if not name:
        return ()
    return (Media("image", mime=mime(name), name=name, description=Description(caption=caption)),)


def _caption(captions: Mapping[str, str], folder: Path, name: str) -> str:
    """Return the caption of a picture, under ``KIND/dialogueN/sessionM/NAME`` of the sidecar."""
    found = _PICTURE.match(name)
    if found is None:
        return ""
    dialogue = folder.parents[1]
    place = f"{dialogue.parent.name}/{dialogue.name}/{found[1] or folder.name}/{found[2]}"
    return captions.get(place, "")


def _questions(
    path: Path,
    dialogue: str,
    memories: list[Memory],
    dropped: Counter[str],
    captions: Mapping[str, str],
    *,
    every: bool,
) -> Iterator[GoldQuestion]:
    sessions = {memory.session for memory in memories}
    for number, row in enumerate(read_json(path)["questions"], start=1):
        elsewhere = str(row.get("answer_dialogue") or dialogue) != dialogue
        named = [_session_name(each) for each in as_list(row.get("answer_session"))]
        known = set() if elsewhere else {each for each in named if each in sessions}
        dropped["sessions"] += len(set(named)) - len(known)
        if not known and not every:
            dropped["questions"] += 1
            continue
        gold = frozenset(memory.id for memory in memories if memory.session in known)
        said = partial(_caption, captions, path.parent)
        yield _question(row, gold, f"{path.parent.name}/Q{number:02}", path.parent, said)


def _question(
    row: dict[str, Any],
    gold: frozenset[str],
    name: str,
    folder: Path,
    caption: Callable[[str], str],
) -> GoldQuestion:
    kind = row.get("question_type") or {}
    asked = row["question"]
    picture = asked.get("image") or ""
    path = _picture(folder, picture)
    seen = caption(picture)
    data = b"" if path is None else path.read_bytes()
    images = (QuestionImage(data, mime(picture) or "image/jpeg", seen),) if data or seen else ()
    if not images and not str(asked["text"]).strip():
        raise InvalidInputError(f"{folder}/questions.json: {name} needs its picture {picture!r}")
    return GoldQuestion(
        question=Question(asked["text"], images),
        gold=gold,
        type=str(kind.get("sub_type") or kind.get("main_type") or ""),
        answer=str(row["original_answer"]),
        id=name,
        subset=str(kind.get("main_type") or ""),
        images=(picture.rpartition(".")[0].replace("/", "_"),) if images else (),
    )


def _picture(folder: Path, name: str) -> Path | None:
    """Return a picture: ``1.png`` of this session, or ``session4/1.png`` of another.

    The release calls a few pictures by another ending than their files have.
    """
    found = _PICTURE.match(name)
    if found is None:
        return None
    images = (folder.parent / found[1] if found[1] else folder) / "image"
    path = images / found[2]
    endings = (path.suffix, *_ENDINGS)
    return next((p for each in endings if is_content(p := path.with_suffix(each))), None)


def _session_name(value: object) -> str:
    """Return ``session8`` also for ``Session 8`` and ``8``."""
    text = str(value).strip().lower().replace(" ", "").replace("_", "")
    return f"session{text}" if text.isdigit() else text


def _numbered(name: str) -> tuple[str, int]:
    """Return a key that sorts ``session10`` after ``session9``."""
    found = re.search(r"(?<!\d)(\d++)$", name)
    return (name[: found.start()], int(found[1])) if found else (name, 0)
