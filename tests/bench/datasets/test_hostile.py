"""Files that were changed anywhere in any way are read, or refused with a typed error."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from graphmemix.errors import GraphMemixError
from graphmemix_bench.datasets import CATALOGUE

from .files import atm, gallery, h2hmem, memeye, put
from .test_loaders import chat

VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 3.5, float("inf"), "", "x", "../../x", "\0", "\ud800", "9" * 5000),
    *([], [1], [None], ["x"], [[]], [{}], {}, {"a": 1}, {"image": []}),
)


def in_gallery(folder: Path) -> Path:
    put(folder / "data" / "dialog" / "one.json", gallery())
    return folder


def in_locomo(folder: Path) -> Path:
    row = {"question": "?", "answer": "x", "evidence": ["D1:1"], "category": 1}
    put(folder / "one.json", chat(qa=[row]))
    return folder


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(node, list):
        node = dict(enumerate(node))
    for key, value in node.items() if isinstance(node, dict) else ():
        yield from places(value, (*path, key))


def changed(content: Any, chance: random.Random) -> Any:
    copy = json.loads(json.dumps(content))
    *before, last = chance.choice([path for path in places(copy) if path])
    node = copy
    for key in before:
        node = node[key]
    if isinstance(node, dict) and chance.random() < 0.3:
        del node[last]
    else:
        node[last] = chance.choice(VALUES)
    return copy


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("mem-gallery", in_gallery),
        ("locomo", in_locomo),
        ("memeye", memeye),
        ("h2hmem", h2hmem),
        ("atm-bench", atm),
        ("atm-bench-niah", atm),
    ],
)
def test_any_change_is_read_or_refused_by_a_typed_error(
    tmp_path: Path, name: str, write: Callable[[Path], Path]
) -> None:
    folder = write(tmp_path)
    originals = {path: json.loads(path.read_text()) for path in sorted(folder.rglob("*.json"))}
    told = []
    for seed in range(80):
        chance = random.Random(seed)
        path = chance.choice(list(originals))
        path.write_text(json.dumps(changed(originals[path], chance)))
        try:
            list(CATALOGUE[name].load(folder))
        except GraphMemixError as error:
            told.append(str(error))
        path.write_text(json.dumps(originals[path]))
    assert 0 < len(told) < 80
    assert [each for each in told if str(tmp_path) not in each] == []
