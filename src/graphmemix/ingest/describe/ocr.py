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
from graphmemix.ingest.describe.protocol import Field, Told
from graphmemix.ingest.facts import clean

if TYPE_CHECKING:
    from pathlib import Path

    from graphmemix.memory import Media

_SURE: Final = 0.6  # least confidence of a line
_LETTERS: Final = re.compile(r"[^\W_]")  # a line with one of them is mostly the edge of a thing
_MOST_READERS: Final = 4  # 100 MB each
_reading: Final = threading.local()


class Ocr:
    """Reads signs, receipts and screenshots. About half a second for a picture on one core.

    One reader for each core, up to four, each with one thread: that takes half the processor time
    of one reader with several threads.
    """

    field: Field = "ocr"

    def __init__(self) -> None:
        """Check that the reader is there; its models load with the first picture.

        Raises:
            MissingExtraError: Needs the extra ``ocr``.
        """
        if find_spec("rapidocr") is None:
            raise MissingExtraError("ocr", "Reading text in pictures")
        self.identity = f"rapidocr {version('rapidocr')}"
        self.at_once = min(_MOST_READERS, os.cpu_count() or 1)
        self._own = threading.local()

    def wants(self, medium: Media) -> bool:
        """Take every picture."""
        return medium.modality == "image"

    def tell(self, path: Path, medium: Media) -> Told:
        """Return the lines that it is sure of, from top to bottom.

        Raises:
            InvalidDataError: It is no picture that can be read.
            ModelError: A model of the reader is missing or damaged.
        """
        try:
            data = path.read_bytes()
        except OSError as error:
            raise InvalidDataError(f"{medium.name}: {error.strerror}") from None
        picture = decode_picture(data, medium.name or "picture")
        pixels = np.asarray(picture)[:, :, ::-1]  # it expects blue first
        engine = self._engine()
        _reading.on = True
        try:
            found = engine(np.ascontiguousarray(pixels))
        finally:
            _reading.on = False
        lines = zip(found.txts or (), found.scores or (), strict=True)
        sure = (clean(line) for line, confidence in lines if confidence >= _SURE)
        return Told("\n".join(line for line in sure if len(_LETTERS.findall(line)) > 1))

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
    """Let the reader fetch no model in place of one that is missing or damaged.

    It loads models when it first needs them, and has no switch for this. Threads that do not read
    for us, such as those of a program with a reader of its own, are not concerned.
    """
    from rapidocr.utils.download_file import DownloadFile

    downloader: Any = DownloadFile
    fetch = downloader._make_http_request  # noqa: SLF001

    def request(url: str, *rest: Any) -> Any:
        if not getattr(_reading, "on", False):
            return fetch(url, *rest)
        raise ModelError(
            f"{url.rpartition('/')[2]}: this model of rapidocr is missing or damaged, and nothing "
            "is downloaded: pip install --force-reinstall rapidocr"
        )

    downloader._make_http_request = request  # noqa: SLF001
