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

# Many texts share a length, and are then encoded together; a lost part costs seconds.
MOST_TEXTS: Final = 2048
MOST_PICTURES: Final = 64
MOST_BYTES: Final = 32 << 20  # of one part, unless a single content is larger


class Part(NamedTuple):
    """Contents that travel together: all of them words, or all of them pictures."""

    keys: tuple[bytes, ...]
    texts: tuple[str, ...] = ()
    pictures: tuple[bytes, ...] = ()


class Encoded(NamedTuple):
    """What came back.

    Attributes:
        keys: Of the contents that have a vector.
        rows: Their vectors.
        total: How many contents the part had.
    """

    keys: tuple[bytes, ...]
    rows: Matrix
    total: int


class Worker:
    """Opens an encoder once, then encodes parts. Runs in this process, or in one of Ray's."""

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

    def encode(self, part: Part) -> Encoded:
        """Encode a part; pictures that cannot be decoded are left out.

        Raises:
            EncoderError: The model failed.
        """
        total = len(part.keys)
        if part.texts:
            return Encoded(part.keys, self._encoder.texts(part.texts), total)
        try:
            return Encoded(part.keys, self._encoder.images(part.pictures), total)
        except InvalidDataError:
            kept = list(self._one_by_one(part))
        rows = np.array([row for _, row in kept], dtype=np.float32)
        rows = rows.reshape(len(kept), self._encoder.dimension)
        return Encoded(tuple(key for key, _ in kept), rows, total)

    def _one_by_one(self, part: Part) -> Iterator[tuple[bytes, Matrix]]:
        for key, data in zip(part.keys, part.pictures, strict=True):
            try:
                yield key, self._encoder.images([data])[0]
            except InvalidDataError:
                continue


class Workers(Protocol):
    """Workers that take parts and give vectors back, in any order."""

    origin: Origin

    def submit(self, part: Part) -> None:
        """Hand a part out. Waits for nobody; see `full`."""

    @property
    def full(self) -> bool:
        """Whether every worker has enough to do."""

    @property
    def busy(self) -> bool:
        """Whether anything is still out."""

    def collect(self) -> Encoded:
        """Wait for the next part that is done.

        Raises:
            EncoderError: It cannot be encoded.
        """

    def finished(self) -> Iterator[Encoded]:
        """Yield what is done already, without waiting."""

    def close(self) -> None:
        """Let the workers go. What is still out is lost."""


class Here:
    """This process as the only worker."""

    def __init__(self, spec: str) -> None:
        self._worker = Worker(spec)
        self._waiting: list[Part] = []
        self.origin = self._worker.origin()

    def submit(self, part: Part) -> None:
        """Remember a part."""
        self._waiting.append(part)

    @property
    def full(self) -> bool:
        """True with one part."""
        return bool(self._waiting)

    @property
    def busy(self) -> bool:
        """The same."""
        return self.full

    def collect(self) -> Encoded:
        """Encode the part."""
        return self._worker.encode(self._waiting.pop())

    def finished(self) -> Iterator[Encoded]:
        """Yield nothing: what is not collected is not done."""
        return iter(())

    def close(self) -> None:
        """Do nothing."""


class Packer:
    """Puts contents into parts, and hands a part on when it is full."""

    def __init__(self, hand_on: Callable[[Part], None]) -> None:
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
        part = Part(tuple(self._texts), texts=tuple(self._texts.values()))
        self._texts, self._text_size = {}, 0
        self._hand_on(part)

    def _send_pictures(self) -> None:
        part = Part(tuple(self._pictures), pictures=tuple(self._pictures.values()))
        self._pictures, self._picture_size = {}, 0
        self._hand_on(part)
