"""An encoder that remembers: vectors of texts by content, on disk, so that reruns are quick."""

from __future__ import annotations

import hashlib
import sqlite3
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from graphmemix.encode.protocol import Encoder, Matrix, Progress

_AT_A_TIME = 256  # texts that are encoded, then kept


class RememberingEncoder:
    """Wraps an encoder; the vectors are the same. An interrupted run goes on where it stopped."""

    def __init__(self, encoder: Encoder, folder: Path) -> None:
        self._encoder = encoder
        self.identity = encoder.identity
        self.dimension = encoder.dimension
        self.sees_images = encoder.sees_images
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._database = sqlite3.connect(folder / "vectors.db")
        self._database.execute(
            "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID"
        )

    def close(self) -> None:
        """Release the file."""
        self._database.close()

    def texts(self, texts: Sequence[str], *, progress: Progress | None = None) -> Matrix:
        """Return one unit vector per text, from memory where it is known."""
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        keys = [self._key(text) for text in texts]
        missing = []
        for row, key in enumerate(keys):
            known = self._database.execute(
                "SELECT vector FROM vectors WHERE key = ?", [key]
            ).fetchone()
            if known is None:
                missing.append(row)
            else:
                vectors[row] = np.frombuffer(known[0], dtype="<f4")
        done = len(texts) - len(missing)
        for first in range(0, len(missing), _AT_A_TIME):
            rows = missing[first : first + _AT_A_TIME]
            vectors[rows] = self._encoder.texts([texts[row] for row in rows])
            with self._database:
                self._database.executemany(
                    "INSERT OR IGNORE INTO vectors VALUES (?, ?)",
                    [(keys[row], vectors[row].astype("<f4").tobytes()) for row in rows],
                )
            done += len(rows)
            if progress is not None:
                progress(done, len(texts))
        return vectors

    def images(self, images: Sequence[bytes], *, progress: Progress | None = None) -> Matrix:
        """Pass on: pictures are not remembered."""
        return self._encoder.images(images, progress=progress)

    def _key(self, text: str) -> bytes:
        content = f"{self.identity}\0{text}".encode("utf-8", "replace")
        return hashlib.blake2b(content, digest_size=16).digest()
