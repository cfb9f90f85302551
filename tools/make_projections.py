"""Makes src/graphmemix/encode/projections.npz, which shortens the vectors of the packaged models.

The principal directions of what a model makes of the words of its own vocabulary, and of nothing
else: no data set has a share in them. Run it again only with other models; the file is checked by
its SHA-256, and its vectors are those of existing archives.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from graphmemix.encode.packaged import (
    _TOKENIZER,
    PROJECTIONS,
    SHORT,
    MiniLmEncoder,
    SentenceEncoder,
    _tokenizer,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from graphmemix.encode.protocol import Matrix

WORDS = 12_000


def main() -> None:
    minilm, sentence = MiniLmEncoder(), SentenceEncoder()
    english = json.loads(_tokenizer(*_TOKENIZER).to_str())["model"]["vocab"]
    pieces = [piece.removeprefix("▁") for piece in sentence.pieces if piece.startswith("▁")]
    chosen = {
        "minilm": minilm.texts(_some(word for word in english if word.isalpha())),
        "sentence": sentence.texts(_some(pieces)),
    }
    halves = {name: _directions(vectors).astype(np.float16) for name, vectors in chosen.items()}
    np.savez(Path(PROJECTIONS), minilm=halves["minilm"], sentence=halves["sentence"])


def _some(words: Iterable[str]) -> list[str]:
    long_enough = sorted({word for word in words if len(word) >= 3})
    return random.Random(1).sample(long_enough, WORDS)  # noqa: S311


def _directions(vectors: Matrix) -> Matrix:
    _, axes = np.linalg.eigh(vectors.T @ vectors)
    axes = axes[:, ::-1][:, :SHORT]
    signs = np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(SHORT)])
    return np.asarray(axes * signs, np.float32)


if __name__ == "__main__":
    main()
