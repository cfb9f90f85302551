"""What the encoders on torch share: the files of a model, its device, its identity, its batches.

Each takes a folder, or the name ``owner/name`` of a model on the Hugging Face hub, which is
downloaded once because the user named it. Code that comes with a model is never run.
"""

from __future__ import annotations

import hashlib
import json
import threading
from abc import ABC, abstractmethod
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from graphmemix.encode.model_files import fetch_from_hub, is_hub_name
from graphmemix.encode.rows import in_batches, unit_rows
from graphmemix.errors import (
    EncoderError,
    GraphMemixError,
    InvalidInputError,
    MissingExtraError,
    reason_of,
)
from graphmemix.imaging import decode_picture

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from PIL import Image

    from graphmemix.encode.protocol import Matrix, Progress

__all__ = ["TorchEncoder", "failures", "import_torch", "load", "moved"]

_FILES: Final = ("*.json", "*.safetensors", "*.model", "*.txt", "*.jinja")
_OLD_WEIGHTS: Final = "*.bin"
_OTHER_RUNTIMES: Final = frozenset({"onnx", "openvino", "coreml", ".cache", ".git"})
_LONGEST_TEXT: Final = 100_000  # characters; no model reads more
_DIGITS: Final = 12


class TorchEncoder(ABC):
    """What these encoders have in common: files, device, identity, batches."""

    _kind: str

    def __init__(
        self, name_or_path: str | Path, revision: str | None, device: str | None, batch: int
    ) -> None:
        if batch < 1:
            raise InvalidInputError(f"batch must be at least 1, not {batch}")
        torch = import_torch()
        self._folder = _folder(name_or_path, revision)
        self._device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        self._batch = batch
        self._lock = threading.Lock()  # tokenizers change their state in every call
        self._dimension = 0

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self._folder)!r})"

    @cached_property
    def identity(self) -> str:
        """The kind of encoder, the model's own name, and a hash of its files and of the options.

        The same files have the same identity in any folder on any machine. Cost: reads all files
        of the model once.
        """
        digest = hashlib.sha256(json.dumps(self._rules(), sort_keys=True).encode())
        for path in _model_files(self._folder):
            digest.update(path.relative_to(self._folder).as_posix().encode())
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        return f"{self._kind}:{_own_name(self._folder)}:{digest.hexdigest()[:_DIGITS]}"

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return self._dimension

    @property
    def sees_images(self) -> bool:
        """Whether `images` works."""
        return True

    def texts(self, texts: Sequence[str], *, progress: Progress | None = None) -> Matrix:
        """Return one unit vector per text, cut at the model's length.

        Raises:
            EncoderError: The model failed.
        """
        clean = [text[:_LONGEST_TEXT].encode("utf-8", "replace").decode("utf-8") for text in texts]
        order = sorted(range(len(clean)), key=lambda i: len(clean[i]))  # little padding
        rows = self._run([clean[i] for i in order], self._encode_texts, progress)
        rows[order] = rows.copy()
        return unit_rows(rows, "texts", 0)

    def images(self, images: Sequence[bytes], *, progress: Progress | None = None) -> Matrix:
        """Return one unit vector per encoded picture: its first frame, upright, on white.

        Raises:
            InvalidDataError: A picture cannot be decoded or has too many pixels; names which.
            EncoderError: The model failed, or it does not see images.
        """
        if not self.sees_images:
            raise EncoderError(f"{self.identity} does not see images")

        def encode(part: Sequence[tuple[int, bytes]]) -> Any:
            return self._encode_pictures([decode_picture(data, f"images[{i}]") for i, data in part])

        return unit_rows(self._run(list(enumerate(images)), encode, progress), "images", 0)

    def _run(
        self, items: Sequence[Any], encode: Callable[[Any], Any], progress: Progress | None
    ) -> Matrix:
        torch = import_torch()

        def run(first: int, part: Sequence[Any]) -> Matrix:
            del first
            with self._lock, torch.inference_mode(), failures(f"{self._folder}: the model failed"):
                rows = encode(part)
                if isinstance(rows, torch.Tensor):
                    rows = rows.float().cpu().numpy()
                return np.asarray(rows, dtype=np.float32)

        return in_batches(items, self._batch, self._dimension, run, progress)

    def _measure(self) -> None:
        with import_torch().inference_mode(), failures(f"{self._folder}: the model failed"):
            self._dimension = int(self._encode_texts(["dimension"]).shape[-1])

    def _rules(self) -> Mapping[str, object]:
        """Return the options that change vectors."""
        return {}

    @abstractmethod
    def _encode_texts(self, texts: Sequence[str]) -> Any:
        """Return one row per text."""

    @abstractmethod
    def _encode_pictures(self, pictures: Sequence[Image.Image]) -> Any:
        """Return one row per picture; called only if `sees_images`."""


def import_torch() -> Any:
    """Return torch, with transformers known to be there too.

    Raises:
        MissingExtraError: The extra ``torch`` is not installed.
    """
    try:
        import torch
        import transformers
    except ImportError as error:
        raise MissingExtraError("torch", "An encoder on torch") from error
    del transformers
    return torch


@contextmanager
def failures(what: str) -> Iterator[None]:
    """Turn what torch and transformers raise, which may be anything, into `EncoderError`."""
    try:
        yield
    except GraphMemixError:
        raise
    except Exception as error:
        raise EncoderError(f"{what}: {reason_of(error)}") from error


def load(family: Any, folder: Path, device: str, *, half: bool | None) -> Any:
    """Load a model, and refuse one whose weights are not all there: they would be random.

    Raises:
        EncoderError: That, or it cannot be loaded or moved to the device.
    """
    torch = import_torch()
    in_half = device.startswith("cuda") if half is None else half
    with failures(f"{folder}: cannot be loaded"):
        model, report = family.from_pretrained(
            folder,
            dtype=torch.float16 if in_half else torch.float32,
            local_files_only=True,
            output_loading_info=True,
        )
    missing = sorted(key for key in report["missing_keys"] if not key.startswith("lm_head"))
    if missing:
        raise EncoderError(f"{folder}: weights are missing: {', '.join(missing[:3])} …")
    with failures(f"{folder}: cannot be moved to {device}"):
        return model.to(device).eval()


def moved(inputs: Mapping[str, Any], device: str) -> dict[str, Any]:
    """Return the tensors on a device."""
    return {name: value.to(device) for name, value in inputs.items()}


def _folder(name_or_path: str | Path, revision: str | None) -> Path:
    folder = Path(name_or_path).expanduser()
    if folder.is_dir():
        return folder
    if not isinstance(name_or_path, str) or not is_hub_name(name_or_path):
        raise EncoderError(f"{name_or_path}: there is no such folder, and it is not a hub name")
    with suppress(EncoderError):  # not in the cache, or not all of it
        cached = fetch_from_hub(name_or_path, _FILES, revision, local=True)
        if _has_weights(cached):
            return cached
    folder = fetch_from_hub(name_or_path, _FILES, revision)
    if _has_weights(folder):
        return folder
    return fetch_from_hub(name_or_path, (*_FILES, _OLD_WEIGHTS), revision)


def _has_weights(folder: Path) -> bool:
    """Tell whether weights are there, all parts of them."""
    for index in folder.glob("*.safetensors.index.json"):
        with suppress(ValueError, KeyError, AttributeError):
            parts = set(json.loads(index.read_bytes())["weight_map"].values())
            return all((folder / part).is_file() for part in parts)
    return any(folder.rglob("*.safetensors")) or any(folder.rglob("*.bin"))


def _model_files(folder: Path) -> list[Path]:
    """Return the files that make the vectors, in one order everywhere."""
    files = [
        path
        for pattern in (*_FILES, _OLD_WEIGHTS)
        for path in folder.rglob(pattern)
        if not _OTHER_RUNTIMES.intersection(path.relative_to(folder).parts)
    ]
    if any(path.suffix == ".safetensors" for path in files):
        files = [path for path in files if path.suffix != ".bin"]
    return sorted(files, key=lambda path: path.relative_to(folder).as_posix())


def _own_name(folder: Path) -> str:
    """Return the hub name of the original, or the architecture: what no machine changes."""
    with suppress(OSError, ValueError, AttributeError):
        config = json.loads((folder / "config.json").read_bytes())
        name = str(config.get("_name_or_path", ""))
        return name if is_hub_name(name) else str(config.get("model_type", "model"))
    return "model"
