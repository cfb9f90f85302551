"""An encoder that remembers: vectors of texts by content, on disk, so that reruns are quick."""

from __future__ import annotations

import hashlib
import sqlite3
import time
from functools import partial
from typing import TYPE_CHECKING, Self

import numpy as np

from graphmemix.encode.protocol import question_vectors
from graphmemix.fsio import make_folder, open_binary

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from graphmemix.encode.protocol import Encoder, Matrix, Progress

_AT_A_TIME = 256  # texts that are encoded, then kept


class RememberingEncoder:
    """Wraps an encoder; the vectors are the same. What was encoded before an interruption is kept.

    Attributes:
        saved: Seconds that the texts which were remembered took when they were encoded, so far.
    """

    def __init__(self, encoder: Encoder, folder: Path, *, timed: bool = False) -> None:
        """Remember in a folder.

        Args:
            encoder: What makes vectors.
            folder: Where they are kept.
            timed: Encode texts again that are remembered without their time.
        """
        self._encoder = encoder
        self._timed = timed
        self.saved = 0.0
        self.identity = encoder.identity
        self.dimension = encoder.dimension
        self.sees_images = encoder.sees_images
        open_binary(make_folder(folder) / "vectors.db", "ab").close()
        self._database = sqlite3.connect(folder / "vectors.db")
        self._database.execute(
            "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID"
        )
        # Beside it, so that caches of older versions stay as they are.
        self._database.execute(
            "CREATE TABLE IF NOT EXISTS times (key BLOB PRIMARY KEY, seconds REAL) WITHOUT ROWID"
        )

    def close(self) -> None:
        """Release the file."""
        self._database.close()

    def texts(self, texts: Sequence[str], *, progress: Progress | None = None) -> Matrix:
        """Return one unit vector per text, from memory where it is known."""
        return self._remembered(self._encoder.texts, texts, "", progress)

    def questions(self, texts: Sequence[str]) -> Matrix:
        """Return one unit vector per question, from memory where it is known."""
        asking = partial(question_vectors, self._encoder)
        own = hasattr(type(self._encoder), "questions")
        return self._remembered(asking, texts, "question\0" if own else "", None)

    def _remembered(
        self,
        encode: Callable[[Sequence[str]], Matrix],
        texts: Sequence[str],
        prefix: str,
        progress: Progress | None,
    ) -> Matrix:
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        keys = [self._key(prefix + text) for text in texts]
        missing = []
        for row, key in enumerate(keys):
            known = self._database.execute(
                "SELECT vector, seconds FROM vectors LEFT JOIN times USING (key) WHERE key = ?",
                [key],
            ).fetchone()
            if known is None or (self._timed and known[1] is None):
                missing.append(row)
            else:
                vectors[row] = np.frombuffer(known[0], dtype="<f4")
                self.saved += known[1] or 0.0
        done = len(texts) - len(missing)
        for first in range(0, len(missing), _AT_A_TIME):
            rows = missing[first : first + _AT_A_TIME]
            start = time.perf_counter()
            vectors[rows] = encode([texts[row] for row in rows])
            each = (time.perf_counter() - start) / len(rows)
            with self._database:
                self._database.executemany(
                    "INSERT OR IGNORE INTO vectors VALUES (?, ?)",
                    [(keys[row], vectors[row].astype("<f4").tobytes()) for row in rows],
                )
                self._database.executemany(
                    "INSERT OR IGNORE INTO times VALUES (?, ?)",
                    [(keys[row], each) for row in rows],
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


class EncodingTimer:
    """Wall time, and the time that remembered vectors took when they were made."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self.seconds = 0.0

    def _now(self) -> float:
        saved = self._encoder.saved if isinstance(self._encoder, RememberingEncoder) else 0.0
        return time.perf_counter() + saved

    def __enter__(self) -> Self:
        self._start = self._now()
        return self

    def __exit__(self, *exception: object) -> None:
        self.seconds = self._now() - self._start
