"""What one worker encodes at a time, and how."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

import numpy as np

from graphmemix.encode.batch.folder import Origin
from graphmemix.encode.specs import encoder_of
from graphmemix.errors import InvalidDataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from graphmemix.encode.protocol import Encoder, Matrix

# Many texts share a length, and are then encoded together; a lost batch costs seconds.
MOST_TEXTS: Final = 2048
MOST_PICTURES: Final = 64
MOST_BYTES: Final = 32 << 20  # of one batch, unless a single content is larger


class Batch(NamedTuple):
    """Contents that travel together: all of them words, or all of them pictures."""

    keys: tuple[bytes, ...]
    texts: tuple[str, ...] = ()
    pictures: tuple[bytes, ...] = ()


class EncodedBatch(NamedTuple):
    """What came back.

    Attributes:
        keys: Of the contents that have a vector.
        rows: Their vectors.
        total: How many contents the batch had.
    """

    keys: tuple[bytes, ...]
    rows: Matrix
    total: int


class BatchWorker:
    """Opens an encoder once, then encodes batches. Runs in this process, or in one of Ray's."""

    def __init__(self, spec: str) -> None:
        self._spec = spec

    @cached_property
    def _encoder(self) -> Encoder:
        # With the first call: what fails in a constructor fails in another way in Ray.
        return encoder_of(self._spec)

    def origin(self) -> Origin:
        """Return whose vectors this worker makes."""
        encoder = self._encoder
        return Origin(encoder.identity, self._spec, encoder.dimension, encoder.sees_images)

    def encode(self, batch: Batch) -> EncodedBatch:
        """Encode a batch; pictures that cannot be decoded are left out.

        Raises:
            EncoderError: The model failed.
        """
        total = len(batch.keys)
        if batch.texts:
            return EncodedBatch(batch.keys, self._encoder.texts(batch.texts), total)
        try:
            return EncodedBatch(batch.keys, self._encoder.images(batch.pictures), total)
        except InvalidDataError:
            kept = list(self._one_by_one(batch))
        rows = np.array([row for _, row in kept], dtype=np.float32)
        rows = rows.reshape(len(kept), self._encoder.dimension)
        return EncodedBatch(tuple(key for key, _ in kept), rows, total)

    def _one_by_one(self, batch: Batch) -> Iterator[tuple[bytes, Matrix]]:
        for key, data in zip(batch.keys, batch.pictures, strict=True):
            try:
                yield key, self._encoder.images([data])[0]
            except InvalidDataError:
                continue


class WorkerPool(Protocol):
    """Workers that take batches and give vectors back, in any order."""

    origin: Origin

    def submit(self, batch: Batch) -> None:
        """Hand a batch out. Waits for nobody; see `full`."""

    @property
    def full(self) -> bool:
        """Whether every worker has enough to do."""

    @property
    def busy(self) -> bool:
        """Whether anything is still out."""

    def collect(self) -> EncodedBatch:
        """Wait for the next batch that is done.

        Raises:
            EncoderError: It cannot be encoded.
        """

    def finished(self) -> Iterator[EncodedBatch]:
        """Yield what is done already, without waiting."""

    def close(self) -> None:
        """Let the workers go. What is still out is lost."""


class LocalPool:
    """This process as the only worker."""

    def __init__(self, spec: str) -> None:
        self._worker = BatchWorker(spec)
        self._waiting: list[Batch] = []
        self.origin = self._worker.origin()

    def submit(self, batch: Batch) -> None:
        """Remember a batch."""
        self._waiting.append(batch)

    @property
    def full(self) -> bool:
        """True with one batch."""
        return bool(self._waiting)

    @property
    def busy(self) -> bool:
        """The same."""
        return self.full

    def collect(self) -> EncodedBatch:
        """Encode the batch."""
        return self._worker.encode(self._waiting.pop())

    def finished(self) -> Iterator[EncodedBatch]:
        """Yield nothing: what is not collected is not done."""
        return iter(())

    def close(self) -> None:
        """Do nothing."""


class Packer:
    """Puts contents into batches, and hands a batch on when it is full."""

    def __init__(self, hand_on: Callable[[Batch], None]) -> None:
        self._hand_on = hand_on
        self._texts: dict[bytes, str] = {}
        self._pictures: dict[bytes, bytes] = {}
        self._text_size = self._picture_size = 0

    def __contains__(self, key: bytes) -> bool:
        return key in self._texts or key in self._pictures

    def text(self, key: bytes, text: str) -> None:
        """Pack words."""
        self._texts[key] = text
        self._text_size += len(text)
        if len(self._texts) == MOST_TEXTS or self._text_size >= MOST_BYTES:
            self._send_texts()

    def picture(self, key: bytes, data: bytes) -> None:
        """Pack a picture."""
        self._pictures[key] = data
        self._picture_size += len(data)
        if len(self._pictures) == MOST_PICTURES or self._picture_size >= MOST_BYTES:
            self._send_pictures()

    def flush(self) -> None:
        """Hand on what is there."""
        if self._texts:
            self._send_texts()
        if self._pictures:
            self._send_pictures()

    def _send_texts(self) -> None:
        batch = Batch(tuple(self._texts), texts=tuple(self._texts.values()))
        self._texts, self._text_size = {}, 0
        self._hand_on(batch)

    def _send_pictures(self) -> None:
        batch = Batch(tuple(self._pictures), pictures=tuple(self._pictures.values()))
        self._pictures, self._picture_size = {}, 0
        self._hand_on(batch)
