from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from graphmemix.errors import InvalidInputError
from graphmemix_bench.datasets import CATALOGUE, Context
from graphmemix_bench.datasets.bundle import BundleHead, load, read_head, write

from .files import atm, gallery, h2hmem, memeye, picture, put


def sets(folder: Path) -> list[Context]:
    """All kinds of content: options, pictures, places, dropped questions, instructions."""
    put(folder / "g" / "data" / "dialog" / "one.json", gallery())
    put(folder / "g" / "data" / "image" / "one" / "a.png", picture())
    return [
        *CATALOGUE["mem-gallery"].load(folder / "g"),
        *CATALOGUE["memeye"].load(memeye(folder / "m")),
        *CATALOGUE["h2hmem"].load(h2hmem(folder / "h")),
        *CATALOGUE["atm-bench"].load(atm(folder / "a")),
    ]


def told(context: Context) -> tuple[Any, ...]:
    files = [(f.memory_id, f.index, f.path.read_bytes()) for f in context.files]
    return replace(context, files=()), files


def test_what_is_read_is_what_was_written(tmp_path: Path) -> None:
    contexts = sets(tmp_path)
    head = write(tmp_path / "b", contexts, name="mine", source="somewhere", licence="MIT")
    assert [told(each) for each in load(tmp_path / "b")] == [told(each) for each in contexts]
    assert read_head(tmp_path / "b") == head
    assert (head.name, head.licence) == ("mine", "MIT")
    assert next(CATALOGUE["bundle"].load(tmp_path / "b")).name == "one"


def test_the_same_contexts_give_the_same_bytes(tmp_path: Path) -> None:
    contexts = sets(tmp_path)
    for name in ("x", "y"):
        write(tmp_path / name, contexts, name="mine")
    files = [p.relative_to(tmp_path / "x") for p in (tmp_path / "x").rglob("*") if p.is_file()]
    assert len(files) > 10
    for file in files:
        assert (tmp_path / "x" / file).read_bytes() == (tmp_path / "y" / file).read_bytes()


def test_names_with_slashes_and_dots_stay_inside(tmp_path: Path) -> None:
    context = Context("../../up/and\0away", (), ())
    write(tmp_path / "b", [context], name="n")
    assert [p.name for p in tmp_path.iterdir()] == ["b"]
    assert [each.name for each in load(tmp_path / "b")] == [context.name]


def test_a_folder_with_content_is_not_written_to(tmp_path: Path) -> None:
    put(tmp_path / "b" / "mine.txt", b"precious")
    with pytest.raises(InvalidInputError, match="is not empty"):
        write(tmp_path / "b", [], name="n")


def bundle(folder: Path) -> Path:
    put(folder / "g" / "data" / "dialog" / "one.json", gallery())
    put(folder / "g" / "data" / "image" / "one" / "a.png", picture())
    write(folder / "b", CATALOGUE["mem-gallery"].load(folder / "g"), name="n")
    return folder / "b"


def changed(file: Path, number: int, values: dict[str, object]) -> None:
    lines = file.read_text().splitlines()
    lines[number] = json.dumps({**json.loads(lines[number]), **values})
    file.write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize(
    ("file", "line", "values", "message"),
    [
        ("memories.jsonl", 1, {"colour": "red"}, r"memories\.jsonl:2: not a Memory: colour"),
        ("memories.jsonl", 0, {"text": 3}, r"memories\.jsonl:1: not a Memory: text"),
        ("memories.jsonl", 1, {"id": "D1:1/user"}, "'D1:1/user' occurs twice"),
        ("questions.jsonl", 0, {"gold": ["x"]}, "gold of 'Q001' is no memory: 'x'"),
        ("questions.jsonl", 1, {"id": "Q001"}, "'Q001' occurs twice"),
        ("questions.jsonl", 0, {"response_type": "song"}, "response_type"),
        ("files.jsonl", 0, {"index": 7}, "has no medium 7"),
        ("files.jsonl", 0, {"memory_id": "nobody"}, "'nobody' has no medium 0"),
        ("files.jsonl", 0, {"path": "media/../../../x"}, "is no file of the bundle"),
        ("files.jsonl", 0, {"path": "media/gone.png"}, "is no file of the bundle"),
    ],
)
def test_a_fault_is_told_with_its_place(
    tmp_path: Path, file: str, line: int, values: dict[str, object], message: str
) -> None:
    folder = bundle(tmp_path)
    changed(folder / "0001-one" / file, line, values)
    with pytest.raises(InvalidInputError, match=message):
        list(load(folder))


def test_a_lost_line_is_told(tmp_path: Path) -> None:
    path = bundle(tmp_path) / "0001-one" / "questions.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(InvalidInputError, match=r"has 3 lines; bundle\.json says 4"):
        list(load(tmp_path / "b"))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"version": 2}, "version"),
        ({"format": "other"}, "format"),
        ({"contexts": [{"folder": "..", "name": "x", "memories": 0, "questions": 0}]}, "no folder"),
        ({"contexts": [{"folder": "x", "name": "x", "memories": 0, "questions": 0}]}, "No such"),
    ],
)
def test_a_head_that_says_something_else_is_told(
    tmp_path: Path, values: dict[str, object], message: str
) -> None:
    changed(bundle(tmp_path) / "bundle.json", 0, values)
    with pytest.raises(InvalidInputError, match=message):
        list(load(tmp_path / "b"))


def test_an_interrupted_bundle_is_no_bundle(tmp_path: Path) -> None:
    def broken() -> Any:
        yield Context("one", (), ())
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "b", broken(), name="n")
    with pytest.raises(InvalidInputError, match=r"has no bundle\.json"):
        load(tmp_path / "b")


def test_the_head_is_strict_json() -> None:
    head = BundleHead("graphmemix-bundle", 1, "n", ())
    assert BundleHead.from_json(head.to_json()) == head
