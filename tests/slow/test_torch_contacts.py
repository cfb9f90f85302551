"""Encoders on torch that load a folder: they look up and contact nothing, and leave no files."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.privacy.watching import Room, needs_strace, python
from tests.slow.test_torch_encoders import gme, sentences, two_towers

pytestmark = [pytest.mark.slow, needs_strace]

PROGRAM = """
import sys
from graphmemix.encode.gme import GmeQwen2VlEncoder
from graphmemix.encode.torch_models import SentenceTransformerEncoder, TransformersEncoder
encoder = locals()[sys.argv[1]](sys.argv[2], device="cpu")
print(encoder.texts(["a red car"]).shape)
"""


def clip(folder: Path) -> Path:
    return two_towers(folder, siglip=False)


@pytest.mark.parametrize(
    ("encoder", "build"),
    [
        ("TransformersEncoder", clip),
        ("SentenceTransformerEncoder", sentences),
        ("GmeQwen2VlEncoder", gme),
    ],
)
@pytest.mark.filterwarnings("ignore:::transformers", "ignore:::sentence_transformers")
def test_a_model_in_a_folder(encoder: str, build: Callable[[Path], Path]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        room = Room(Path(folder))
        seen = room.run(python("-c", PROGRAM, encoder, build(room.work / "model")))
    assert "(1, " in seen.out
    assert (seen.contacts, seen.created) == (set(), set())
