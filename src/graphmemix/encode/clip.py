"""CLIP and SigLIP models as ONNX files, run by onnxruntime: texts and pictures in one space.

A model is a folder as optimum and the Xenova exports write it::

    config.json  preprocessor_config.json  tokenizer.json  tokenizer_config.json (optional)
    onnx/text_model.onnx  onnx/vision_model.onnx      or both in the folder itself,
    onnx/model.onnx                                   or both towers in one graph

Every text is padded to the model's full length, and every picture to its full size, so that the
company in a batch changes nothing. SigLIP reads its padding, which makes the pad token part of the
model; CLIP finds its end-of-text token inside the graph.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from graphmemix.encode.model_files import Config, TokenizerConfig, locate, read
from graphmemix.encode.packaged import available_cores
from graphmemix.encode.preprocessing import Preprocessing
from graphmemix.encode.rows import in_batches, unit_rows
from graphmemix.encode.tower import Tower
from graphmemix.errors import EncoderError, InvalidInputError, reason_of
from graphmemix.imaging import decode_picture

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    from graphmemix.encode.protocol import Matrix, Progress

__all__ = ["ClipEncoder"]

_VARIANT = re.compile(r"[A-Za-z0-9_]*")
# No model reads more; a tokenizer would spend seconds on what is cut anyway.
_LONGEST_TEXT: Final = 100_000
_NO_LIMIT: Final = 1_000_000  # tokenizer_config.json writes 1e30 for "no limit"
_DIGITS: Final = 12


class ClipEncoder:
    """An `Encoder` for CLIP and SigLIP exports. Needs no torch.

    The text tower is read at once, the vision tower with the first picture. Calls from several
    threads are safe. A graph that quantises its activations on the fly scales them by the whole
    batch, so such a graph gets one input at a time.
    """

    def __init__(
        self,
        model: str | Path,
        *,
        variant: str = "",
        revision: str | None = None,
        batch: int = 16,
        threads: int = 0,
    ) -> None:
        """Open a model.

        Args:
            model: A folder, or the name ``owner/name`` of a model on the Hugging Face hub. A name
                is downloaded once, by this call; after that there is no network.
            variant: Which weights, by the suffix of their files: ``fp16`` for
                ``text_model_fp16.onnx``. Empty for the plain files.
            revision: The commit, tag or branch on the hub.
            batch: So many inputs go through the model at once.
            threads: Of onnxruntime; 0 for one per core.

        Raises:
            EncoderError: A file is missing or damaged; names it.
            MissingExtraError: A hub name was given, and ``huggingface_hub`` is not installed.
        """
        if batch < 1:
            raise InvalidInputError(f"batch must be at least 1, not {batch}")
        if not _VARIANT.fullmatch(variant):
            raise InvalidInputError(f"variant: letters, digits and _ only, not {variant!r}")
        self._files = locate(model, variant, revision)
        self._config = read(self._files.folder / "config.json", Config)
        self._preprocessing = Preprocessing.load(self._files.folder)
        self._batch = batch
        self._threads = threads or available_cores()
        self._lock = threading.Lock()
        self._text = Tower.load(self._files.text, ("text_embeds", "pooler_output"), self._threads)
        self._vision_tower: Tower | None = None
        self._words = _Words.load(self._files.folder, self._config, self._text.fixed_length)
        self._dimension = self._text.dimension or self._run_texts([""]).shape[1]

    def __repr__(self) -> str:
        return f"ClipEncoder({str(self._files.folder)!r})"

    @cached_property
    def identity(self) -> str:
        """``clip:``, the model's own name for itself, and a hash of all that makes its vectors.

        The same files have the same identity in any folder on any machine. Cost: reads all model
        files once.
        """
        digest = hashlib.sha256()
        tokenizer = self._files.folder / "tokenizer.json"
        for path in (*self._files.weights(), tokenizer):
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        rules = [asdict(self._preprocessing), self._words.rules]
        digest.update(json.dumps(rules, sort_keys=True).encode())
        return f"clip:{self._config.name}:{digest.hexdigest()[:_DIGITS]}"

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return self._dimension

    @property
    def sees_images(self) -> bool:
        """True."""
        return True

    def texts(self, texts: Sequence[str], *, progress: Progress | None = None) -> Matrix:
        """Return one unit vector per text, cut at the model's length.

        Raises:
            EncoderError: The model failed.
        """

        def encode(first: int, part: Sequence[str]) -> Matrix:
            return unit_rows(self._checked(self._run_texts(part), self._text), "texts", first)

        size = 1 if self._text.one_by_one else self._batch
        return in_batches(texts, size, self._dimension, encode, progress)

    def images(self, images: Sequence[bytes], *, progress: Progress | None = None) -> Matrix:
        """Return one unit vector per encoded picture: its first frame, upright, on white.

        Raises:
            InvalidDataError: A picture cannot be decoded or has too many pixels; names which.
            EncoderError: The model failed.
        """
        tower = self._vision()

        def encode(first: int, part: Sequence[bytes]) -> Matrix:
            decoded = (decode_picture(data, f"images[{first + i}]") for i, data in enumerate(part))
            pixels = np.stack([self._preprocessing.pixels(picture) for picture in decoded])
            feeds = {"pixel_values": pixels}
            if tower.takes("input_ids"):
                feeds |= self._words.feeds([""])
            return unit_rows(self._checked(tower.run(feeds), tower), "images", first)

        size = 1 if tower.one_by_one else self._batch
        return in_batches(images, size, self._dimension, encode, progress)

    def _run_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        feeds = self._words.feeds(texts)
        if self._text.takes("pixel_values"):
            feeds["pixel_values"] = self._preprocessing.blank()
        return self._text.run(feeds)

    def _vision(self) -> Tower:
        with self._lock:
            if self._vision_tower is None:
                tower = Tower.load(
                    self._files.vision,
                    ("image_embeds", "pooler_output"),
                    self._threads,
                    shared=self._text if self._files.vision == self._files.text else None,
                )
                if tower.dimension not in {None, self._dimension}:
                    raise _apart(tower, tower.dimension, self._dimension)
                self._vision_tower = tower
            return self._vision_tower

    def _checked(self, rows: NDArray[np.float32], tower: Tower) -> NDArray[np.float32]:
        if rows.shape[1] != self._dimension:
            raise _apart(tower, rows.shape[1], self._dimension)
        return rows


def _apart(tower: Tower, found: int | None, expected: int) -> EncoderError:
    return EncoderError(
        f"{tower.path}: {tower.output} has {found} numbers and the texts have {expected}; this "
        "export lacks the projection into the common space"
    )


@dataclass(frozen=True)
class _Words:
    """Texts to token ids, always of the same length."""

    tokenizer: Tokenizer
    length: int
    pad: int
    masked: bool

    @classmethod
    def load(cls, folder: Path, config: Config, fixed_length: int | None) -> _Words:
        from tokenizers import Tokenizer

        path = folder / "tokenizer.json"
        try:
            tokenizer = Tokenizer.from_buffer(path.read_bytes())
        except OSError as error:
            raise EncoderError(f"{path}: cannot be read: {error.strerror}") from error
        except Exception as error:  # the library raises bare exceptions
            raise EncoderError(f"{path}: is not a tokenizer: {reason_of(error)}") from error
        beside = folder / "tokenizer_config.json"
        more = read(beside, TokenizerConfig) if beside.is_file() else TokenizerConfig()
        length = fixed_length or _full_length(tokenizer, config, more)
        pad = _pad_token(tokenizer, config, more)
        tokenizer.enable_truncation(length)
        tokenizer.enable_padding(length=length, pad_id=pad)
        # SigLIP was trained without a mask: it attends to its padding.
        return cls(tokenizer, length, pad, masked=not config.is_siglip)

    @property
    def rules(self) -> tuple[int, int, bool]:
        """What shapes the ids beside tokenizer.json."""
        return self.length, self.pad, self.masked

    def feeds(self, texts: Sequence[str]) -> dict[str, NDArray[Any]]:
        encodings = self.tokenizer.encode_batch([_encodable(text) for text in texts])
        ids = np.array([encoding.ids for encoding in encodings], dtype=np.int64)
        mask = np.array([encoding.attention_mask for encoding in encodings], dtype=np.int64)
        return {
            "input_ids": ids,
            "attention_mask": mask if self.masked else np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
            "position_ids": np.broadcast_to(np.arange(self.length), ids.shape),
        }


def _full_length(tokenizer: Tokenizer, config: Config, more: TokenizerConfig) -> int:
    if config.text_config.max_position_embeddings:
        return config.text_config.max_position_embeddings
    if more.model_max_length and 0 < more.model_max_length < _NO_LIMIT:
        return int(more.model_max_length)
    if tokenizer.truncation:
        return int(tokenizer.truncation["max_length"])
    return 64 if config.is_siglip else 77  # what a configuration leaves out is the default


def _pad_token(tokenizer: Tokenizer, config: Config, more: TokenizerConfig) -> int:
    if tokenizer.padding:
        return int(tokenizer.padding["pad_id"])
    if more.pad_token is not None:
        name = more.pad_token if isinstance(more.pad_token, str) else more.pad_token.content
        known = tokenizer.token_to_id(name)
        if known is not None:
            return known
    if config.is_siglip:
        known = config.text_config.pad_token_id
        return 1 if known is None else known  # </s>, the default of the architecture
    # CLIP pads with its end of text. Configurations of CLIP name a pad_token_id that is wrong.
    alone = tokenizer.encode("").ids
    return alone[-1] if alone else 0


def _encodable(text: str) -> str:
    """Return the text without lone surrogates, which file names and broken mails bring."""
    return text[:_LONGEST_TEXT].encode("utf-8", "replace").decode("utf-8")
