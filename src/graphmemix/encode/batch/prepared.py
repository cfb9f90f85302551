"""An encoder that looks vectors up where they were made ahead."""

from __future__ import annotations

import threading
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from graphmemix.encode.batch.contents import picture_key, text_key
from graphmemix.encode.batch.folder import VectorFolder
from graphmemix.encode.protocol import question_vectors
from graphmemix.encode.specs import encoder_of
from graphmemix.errors import EncoderError, InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from graphmemix.encode.protocol import Encoder, Matrix, Progress

__all__ = ["PreparedEncoder"]

_T = TypeVar("_T", str, bytes)


class PreparedEncoder:
    """The vectors of a `VectorFolder`; what it does not hold is encoded here.

    It has the identity of the encoder that made the folder, so that both are interchangeable. That
    encoder is opened only when something is missing.

    Attributes:
        found: How many contents were looked up so far.
        encoded: How many had to be encoded.
    """

    def __init__(self, folder: str | Path) -> None:
        """Open a folder.

        Raises:
            InvalidDataError: It is no folder of vectors.
        """
        self._folder = VectorFolder.open(Path(folder))
        self.identity = self._folder.origin.encoder
        self.dimension = self._folder.origin.dimension
        self.sees_images = self._folder.origin.sees_images
        self.found = 0
        self.encoded = 0
        self._maker: Encoder | None = None
        self._closer = weakref.finalize(self, self._folder.close)
        self._lock = threading.Lock()

    def close(self) -> None:
        """Close the folder. The encoder cannot be used after that."""
        self._closer()

    def texts(self, texts: Sequence[str], *, progress: Progress | None = None) -> Matrix:
        """Return one unit vector per text.

        Raises:
            EncoderError: A shard is damaged, or the encoder failed on what was missing.
        """
        return self._rows(texts, text_key, lambda rest: self._encoder().texts(rest), progress)

    def questions(self, texts: Sequence[str]) -> Matrix:
        """Return one unit vector per question; only the encoder knows how it reads them."""
        return question_vectors(self._encoder(), texts)

    def images(self, images: Sequence[bytes], *, progress: Progress | None = None) -> Matrix:
        """Return one unit vector per encoded picture.

        Raises:
            InvalidDataError: A picture that was missing cannot be decoded.
            EncoderError: A shard is damaged, or the encoder failed on what was missing.
        """
        return self._rows(images, picture_key, lambda rest: self._encoder().images(rest), progress)

    def _rows(
        self,
        contents: Sequence[_T],
        key_of: Callable[[_T], bytes],
        encode: Callable[[list[_T]], Matrix],
        progress: Progress | None,
    ) -> Matrix:
        keys = [key_of(content) for content in contents]
        there = self._folder.rows(list(dict.fromkeys(keys)))
        rows = np.empty((len(contents), self.dimension), dtype=np.float32)
        missing = [i for i, key in enumerate(keys) if key not in there]
        for i, key in enumerate(keys):
            if key in there:
                rows[i] = there[key]
        if missing:
            rows[missing] = encode([contents[i] for i in missing])
        self.found += len(contents) - len(missing)
        self.encoded += len(missing)
        if progress is not None:
            progress(len(contents), len(contents))
        return rows

    def _encoder(self) -> Encoder:
        """Open the encoder that made the folder, once.

        Raises:
            EncoderError: What its spec opens now is another encoder.
        """
        with self._lock:
            if self._maker is None:
                maker = encoder_of(self._folder.origin.spec)
                if maker.identity != self.identity:
                    raise EncoderError(
                        f"{self._folder.folder}: was made by {self.identity!r}, and "
                        f"{self._folder.origin.spec} is {maker.identity!r} now; run "
                        "`graphmemix encode` into a new folder"
                    )
                self._maker = maker
            return self._maker


def prepared(rest: str) -> PreparedEncoder:
    """``prepared:FOLDER``: vectors that `graphmemix encode` wrote."""
    if not rest:
        raise InvalidInputError("encoder prepared: write prepared:FOLDER")
    return PreparedEncoder(Path(rest).expanduser())
