"""Models on torch, on a CPU or with CUDA (extra ``torch``): the published encoder and many others.

Each takes a folder, or the name ``owner/name`` of a model on the Hugging Face hub, which is
downloaded once because the user named it. Code that comes with a model is never run.
"""

from __future__ import annotations

import hashlib
import json
import threading
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from graphmemix.encode.clip import (
    decode_picture,
    fetch_from_hub,
    in_batches,
    is_hub_name,
    unit_rows,
)
from graphmemix.errors import EncoderError, GraphMemixError, InvalidInputError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from PIL import Image

    from graphmemix.encode.protocol import Matrix, Progress

__all__ = ["GmeQwen2VlEncoder", "SentenceTransformerEncoder", "TransformersEncoder"]

_FILES: Final = ("*.json", "*.safetensors", "*.model", "*.txt", "*.jinja")
_OLD_WEIGHTS: Final = "*.bin"
_OTHER_RUNTIMES: Final = frozenset({"onnx", "openvino", "coreml", ".cache", ".git"})
_LONGEST_TEXT: Final = 100_000  # characters; no model reads more
_DIGITS: Final = 12


class _TorchEncoder:
    """What the three have in common: files, device, identity, batches."""

    _kind: str

    def __init__(
        self, name_or_path: str | Path, revision: str | None, device: str | None, batch: int
    ) -> None:
        if batch < 1:
            raise InvalidInputError(f"batch must be at least 1, not {batch}")
        torch = _torch()
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
        torch = _torch()

        def run(first: int, part: Sequence[Any]) -> Matrix:
            del first
            with self._lock, torch.inference_mode(), _failures(f"{self._folder}: the model failed"):
                rows = encode(part)
                if isinstance(rows, torch.Tensor):
                    rows = rows.float().cpu().numpy()
                return np.asarray(rows, dtype=np.float32)

        return in_batches(items, self._batch, self._dimension, run, progress)

    def _measure(self) -> None:
        with _torch().inference_mode(), _failures(f"{self._folder}: the model failed"):
            self._dimension = int(self._encode_texts(["dimension"]).shape[-1])

    def _rules(self) -> Mapping[str, object]:
        """Return the options that change vectors."""
        return {}

    def _encode_texts(self, texts: Sequence[str]) -> Any:
        raise NotImplementedError

    def _encode_pictures(self, pictures: Sequence[Image.Image]) -> Any:
        raise NotImplementedError


class SentenceTransformerEncoder(_TorchEncoder):
    """Any model of sentence-transformers; it sees images if the model does (CLIP and others)."""

    _kind = "sentence-transformers"

    def __init__(
        self,
        name_or_path: str | Path,
        *,
        prompt: str = "",
        device: str | None = None,
        revision: str | None = None,
        batch: int = 32,
    ) -> None:
        """Load a model.

        Args:
            name_or_path: A folder or a hub name.
            prompt: Put before every text, for models that want one.
            device: Such as ``cpu`` or ``cuda:1``; None for CUDA if there is any.
            revision: The commit, tag or branch on the hub.
            batch: So many inputs go through the model at once.

        Raises:
            EncoderError: The model cannot be loaded.
            MissingExtraError: The extra ``torch`` is not installed.
        """
        super().__init__(name_or_path, revision, device, batch)
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise MissingExtraError("torch", "A model of sentence-transformers") from error
        self._prompt = prompt
        with _failures(f"{self._folder}: cannot be loaded"):
            self._model = SentenceTransformer(
                str(self._folder), device=self._device, local_files_only=True
            )
            self._model.eval()
            self._has_eyes = bool(self._model.supports("image"))
        self._measure()

    @property
    def sees_images(self) -> bool:
        """Whether the model takes pictures."""
        return self._has_eyes

    def _rules(self) -> Mapping[str, object]:
        return {"prompt": self._prompt}

    def _encode_texts(self, texts: Sequence[str]) -> Any:
        rows = self._encode([f"{self._prompt}{text}" for text in texts])
        rows[~rows.any(axis=1), 0] = 1.0  # static embeddings of a text without known words
        return rows

    def _encode_pictures(self, pictures: Sequence[Image.Image]) -> Any:
        return self._encode(pictures)

    def _encode(self, inputs: Sequence[Any]) -> Any:
        return self._model.encode(
            list(inputs), batch_size=self._batch, show_progress_bar=False, convert_to_numpy=True
        )


class TransformersEncoder(_TorchEncoder):
    """CLIP, SigLIP and their like in transformers: models with a text and an image tower."""

    _kind = "transformers"

    def __init__(
        self,
        name_or_path: str | Path,
        *,
        device: str | None = None,
        half: bool | None = None,
        revision: str | None = None,
        batch: int = 16,
    ) -> None:
        """Load a model.

        Args:
            name_or_path: A folder or a hub name.
            device: Such as ``cpu`` or ``cuda:1``; None for CUDA if there is any.
            half: Compute in 16 bits; None for: with CUDA only.
            revision: The commit, tag or branch on the hub.
            batch: So many inputs go through the model at once.

        Raises:
            EncoderError: The model cannot be loaded, or it has no two towers.
            MissingExtraError: The extra ``torch`` is not installed.
        """
        super().__init__(name_or_path, revision, device, batch)
        from transformers import AutoModel, AutoProcessor

        self._model = _load(AutoModel, self._folder, self._device, half=half)
        with _failures(f"{self._folder}: the processor cannot be loaded"):
            self._processor = AutoProcessor.from_pretrained(self._folder, local_files_only=True)
        if not hasattr(self._model, "get_text_features"):
            raise EncoderError(f"{self._folder}: not a model with a text and an image tower")
        self._measure()

    def _encode_texts(self, texts: Sequence[str]) -> Any:
        config = self._model.config
        # To the full length: SigLIP reads its padding, and it was trained without a mask.
        inputs = self._processor.tokenizer(
            list(texts),
            padding="max_length",
            truncation=True,
            max_length=config.text_config.max_position_embeddings,
            return_tensors="pt",
        )
        if config.model_type.startswith("siglip"):
            inputs = {"input_ids": inputs["input_ids"]}
        return _pooled(self._model.get_text_features(**_moved(inputs, self._device)))

    def _encode_pictures(self, pictures: Sequence[Image.Image]) -> Any:
        inputs = self._processor.image_processor(images=list(pictures), return_tensors="pt")
        inputs["pixel_values"] = inputs["pixel_values"].to(self._model.dtype)
        return _pooled(self._model.get_image_features(**_moved(inputs, self._device)))


class GmeQwen2VlEncoder(_TorchEncoder):
    """gme-Qwen2-VL, the encoder of the published method: texts and pictures in one space.

    As its authors describe it: one chat turn with the instruction as system message, the picture or
    the text as user message, an empty answer that ends at once; the vector is the hidden state of
    that end. Tokens of pictures count their positions one by one, as in the authors' code, and not
    by rows and columns as in Qwen2-VL itself. (Zhang et al., "GME: Improving Universal Multimodal
    Retrieval by Multimodal LLMs", arXiv 2412.16855.)
    """

    _kind = "gme"
    _PROMPT: Final = (
        "<|im_start|>system\n{instruction}<|im_end|>\n<|im_start|>user\n{content}<|im_end|>\n"
        "<|im_start|>assistant\n<|endoftext|>"
    )
    _SEEN: Final = "<|vision_start|>{}<|vision_end|>"
    _PIXELS_PER_TOKEN: Final = 28 * 28
    _LONGEST_SIDE: Final = 200  # times the other side, at most

    def __init__(
        self,
        name_or_path: str | Path = "Alibaba-NLP/gme-Qwen2-VL-2B-Instruct",
        *,
        instruction: str = "You are a helpful assistant.",
        least_image_tokens: int = 256,
        most_image_tokens: int = 1280,
        most_tokens: int = 1800,
        device: str | None = None,
        half: bool | None = None,
        revision: str | None = None,
        batch: int = 8,
    ) -> None:
        """Load a model.

        Args:
            name_or_path: A folder or a hub name.
            instruction: The system message, for texts and pictures alike.
            least_image_tokens: Smaller pictures are enlarged to so many tokens of 28 x 28 pixels.
            most_image_tokens: Larger pictures are reduced to so many.
            most_tokens: Longer texts are cut to so many, the prompt around them included.
            device: Such as ``cpu`` or ``cuda:1``; None for CUDA if there is any.
            half: Compute in 16 bits; None for: with CUDA only.
            revision: The commit, tag or branch on the hub.
            batch: So many inputs go through the model at once.

        Raises:
            EncoderError: The model cannot be loaded.
            MissingExtraError: The extra ``torch`` is not installed.
        """
        super().__init__(name_or_path, revision, device, batch)
        from transformers import AutoImageProcessor, AutoModelForImageTextToText, AutoTokenizer

        self._instruction = instruction
        self._image_tokens = (least_image_tokens, most_image_tokens)
        self._most_tokens = most_tokens
        whole = _load(AutoModelForImageTextToText, self._folder, self._device, half=half)
        self._model = whole.model  # without the head that would predict the next token
        least, most = (tokens * self._PIXELS_PER_TOKEN for tokens in self._image_tokens)
        with _failures(f"{self._folder}: the tokenizer or image processor cannot be loaded"):
            self._tokenizer = AutoTokenizer.from_pretrained(self._folder, local_files_only=True)
            self._pixels = AutoImageProcessor.from_pretrained(
                self._folder,
                local_files_only=True,
                size={"shortest_edge": least, "longest_edge": most},
            )
        self._tokenizer.padding_side = "right"
        self._special = sorted(self._tokenizer.get_added_vocab(), key=len, reverse=True)
        around = self._tokenizer(self._prompt("")).input_ids
        self._room = most_tokens - len(around)
        if self._room < 1:
            raise InvalidInputError(f"most_tokens: {most_tokens} leave no room for a text")
        self._measure()

    def _rules(self) -> Mapping[str, object]:
        return {
            "instruction": self._instruction,
            "image_tokens": self._image_tokens,
            "most_tokens": self._most_tokens,
        }

    def _encode_texts(self, texts: Sequence[str]) -> Any:
        return self._end_states([self._prompt(self._cut(text)) for text in texts])

    def _encode_pictures(self, pictures: Sequence[Image.Image]) -> Any:
        inputs = self._pixels(images=[self._not_too_long(p) for p in pictures], return_tensors="pt")
        counts = (inputs["image_grid_thw"].prod(-1) // self._pixels.merge_size**2).tolist()
        prompts = [self._prompt(self._SEEN.format("<|image_pad|>" * count)) for count in counts]
        return self._end_states(prompts, **inputs)

    def _prompt(self, content: str) -> str:
        return self._PROMPT.format(instruction=self._instruction, content=content)

    def _cut(self, text: str) -> str:
        """Return what fits, with the model's control words made harmless."""
        for token in self._special:
            text = text.replace(token, f"{token[0]} {token[1:]}")
        found = self._tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
        ends = [end for _, end in found["offset_mapping"]]
        return text if len(ends) <= self._room else text[: ends[self._room - 1]]

    def _not_too_long(self, picture: Image.Image) -> Image.Image:
        longest = min(picture.size) * self._LONGEST_SIDE
        return picture.resize((min(picture.width, longest), min(picture.height, longest)))

    def _end_states(self, prompts: Sequence[str], **pixels: Any) -> Any:
        torch = _torch()
        words = self._tokenizer(
            list(prompts), add_special_tokens=False, padding=True, return_tensors="pt"
        )
        mask = words["attention_mask"]
        rows, length = mask.shape
        inputs = {
            "input_ids": words["input_ids"],
            "attention_mask": mask,
            "position_ids": torch.arange(length).expand(3, rows, length),
            **pixels,
        }
        states = self._model(**_moved(inputs, self._device), use_cache=False).last_hidden_state
        return states[torch.arange(rows), mask.sum(dim=1) - 1]


def _torch() -> Any:
    try:
        import torch
        import transformers
    except ImportError as error:
        raise MissingExtraError("torch", "An encoder on torch") from error
    del transformers
    return torch


@contextmanager
def _failures(what: str) -> Iterator[None]:
    """Turn what torch and transformers raise, which may be anything, into `EncoderError`."""
    try:
        yield
    except GraphMemixError:
        raise
    except Exception as error:
        told = " ".join(str(error).split())[:300] or type(error).__name__
        raise EncoderError(f"{what}: {told}") from error


def _load(family: Any, folder: Path, device: str, *, half: bool | None) -> Any:
    """Load a model, and refuse one whose weights are not all there: they would be random."""
    torch = _torch()
    in_half = device.startswith("cuda") if half is None else half
    with _failures(f"{folder}: cannot be loaded"):
        model, told = family.from_pretrained(
            folder,
            dtype=torch.float16 if in_half else torch.float32,
            local_files_only=True,
            output_loading_info=True,
        )
    missing = sorted(key for key in told["missing_keys"] if not key.startswith("lm_head"))
    if missing:
        raise EncoderError(f"{folder}: weights are missing: {', '.join(missing[:3])} …")
    with _failures(f"{folder}: cannot be moved to {device}"):
        return model.to(device).eval()


def _moved(inputs: Mapping[str, Any], device: str) -> dict[str, Any]:
    return {name: value.to(device) for name, value in inputs.items()}


def _pooled(features: Any) -> Any:
    """Return the vectors; transformers 4 gave them bare, 5 gives them with the hidden states."""
    return getattr(features, "pooler_output", features)


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
