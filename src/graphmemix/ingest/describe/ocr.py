"""Text in pictures, read by RapidOCR: offline, with the models that come in its wheel."""

from __future__ import annotations

import os
import re
import threading
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from graphmemix.errors import InvalidDataError, MissingExtraError, ModelError
from graphmemix.imaging import decode_picture
from graphmemix.ingest.describe.protocol import Field, MediaText
from graphmemix.ingest.facts import clean

if TYPE_CHECKING:
    from pathlib import Path

    from graphmemix.memory import Media

_MIN_CONFIDENCE: Final = 0.6  # of a line
_LETTERS: Final = re.compile(r"[^\W_]")  # a line with only one is usually an edge, not text
_MOST_READERS: Final = 4  # 100 MB each
_reading: Final = threading.local()


class Ocr:
    """Reads signs, receipts and screenshots. About half a second per picture on one core.

    Runs one engine per core, up to four, with one thread each: that takes half the processor time
    of one engine with several threads.
    """

    field: Field = "ocr"

    def __init__(self) -> None:
        """Check that RapidOCR is installed; its models load with the first picture.

        Raises:
            MissingExtraError: Needs the extra ``ocr``.
        """
        if find_spec("rapidocr") is None:
            raise MissingExtraError("ocr", "Reading text in pictures")
        self.identity = f"rapidocr {version('rapidocr')}"
        self.at_once = min(_MOST_READERS, os.cpu_count() or 1)
        self._own = threading.local()

    def wants(self, medium: Media) -> bool:
        """Accept every picture."""
        return medium.modality == "image"

    def describe(self, path: Path, medium: Media) -> MediaText:
        """Return the lines read with enough confidence, from top to bottom.

        Raises:
            InvalidDataError: The file is not a readable picture.
            ModelError: A model of RapidOCR is missing or damaged.
        """
        try:
            data = path.read_bytes()
        except OSError as error:
            raise InvalidDataError(f"{medium.name}: {error.strerror}") from None
        picture = decode_picture(data, medium.name or "picture")
        pixels = np.asarray(picture)[:, :, ::-1]  # RapidOCR expects BGR
        engine = self._engine()
        _reading.on = True
        try:
            found = engine(np.ascontiguousarray(pixels))
        finally:
            _reading.on = False
        lines = zip(found.txts or (), found.scores or (), strict=True)
        kept = (clean(line) for line, confidence in lines if confidence >= _MIN_CONFIDENCE)
        return MediaText("\n".join(line for line in kept if len(_LETTERS.findall(line)) > 1))

    def _engine(self) -> Any:
        if not hasattr(self._own, "engine"):
            from rapidocr import RapidOCR

            _refuse_downloads()
            self._own.engine = RapidOCR(
                params={
                    "Global.log_level": "critical",
                    "EngineConfig.onnxruntime.intra_op_num_threads": 1,
                }
            )
        return self._own.engine


@cache
def _refuse_downloads() -> None:
    """Stop RapidOCR from downloading a model that is missing or damaged.

    It loads models lazily and has no switch for this. Only our own calls are affected: a program
    that also uses RapidOCR itself, in other threads, can still download.
    """
    from rapidocr.utils.download_file import DownloadFile

    downloader: Any = DownloadFile
    fetch = downloader._make_http_request  # noqa: SLF001

    def request(url: str, *rest: Any) -> Any:
        if not getattr(_reading, "on", False):
            return fetch(url, *rest)
        raise ModelError(
            f"{url.rpartition('/')[2]}: this RapidOCR model is missing or damaged, and downloads "
            "are disabled; run pip install --force-reinstall rapidocr"
        )

    downloader._make_http_request = request  # noqa: SLF001
