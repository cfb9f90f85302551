"""Text in pictures, read by RapidOCR: offline, with the models that come in its wheel."""

from __future__ import annotations

import threading
from functools import cached_property
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from graphmemix.encode.pictures import decode_picture
from graphmemix.errors import InvalidDataError, MissingExtraError
from graphmemix.ingest.describe.protocol import Field, Told
from graphmemix.ingest.facts import clean

if TYPE_CHECKING:
    from pathlib import Path

    from graphmemix.memory import Media

_SURE: Final = 0.6  # least confidence of a line


class Ocr:
    """Reads signs, receipts and screenshots. About half a second for a picture on one core."""

    field: Field = "ocr"
    at_once = 1

    def __init__(self) -> None:
        """Check that the reader is there; its models load with the first picture.

        Raises:
            MissingExtraError: Needs the extra ``ocr``.
        """
        if find_spec("rapidocr") is None:
            raise MissingExtraError("ocr", "Reading text in pictures")
        self.identity = f"rapidocr {version('rapidocr')}"
        self._lock = threading.Lock()

    def wants(self, medium: Media) -> bool:
        """Take every picture."""
        return medium.modality == "image"

    def tell(self, path: Path, medium: Media) -> Told:
        """Return the lines that it is sure of, from top to bottom."""
        try:
            data = path.read_bytes()
        except OSError as error:
            raise InvalidDataError(f"{medium.name}: {error.strerror}") from None
        picture = decode_picture(data, medium.name or "picture")
        pixels = np.asarray(picture)[:, :, ::-1]  # it expects blue first
        with self._lock:
            found = self._engine(np.ascontiguousarray(pixels))
        lines = zip(found.txts or (), found.scores or (), strict=True)
        return Told(
            "\n".join(text for line, sure in lines if sure >= _SURE and (text := clean(line)))
        )

    @cached_property
    def _engine(self) -> Any:
        from rapidocr import RapidOCR

        return RapidOCR(params={"Global.log_level": "critical"})
