"""Models of sentence-transformers and transformers, on a CPU or with CUDA (extra ``torch``).

The published encoder is in `graphmemix.encode.gme`; where models come from, in
`graphmemix.encode.torch_base`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphmemix.encode.torch_base import TorchEncoder, failures, load, moved
from graphmemix.errors import EncoderError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from PIL import Image

__all__ = ["SentenceTransformerEncoder", "TransformersEncoder"]


class SentenceTransformerEncoder(TorchEncoder):
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
        with failures(f"{self._folder}: cannot be loaded"):
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


class TransformersEncoder(TorchEncoder):
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

        self._model = load(AutoModel, self._folder, self._device, half=half)
        with failures(f"{self._folder}: the processor cannot be loaded"):
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
        return _pooled(self._model.get_text_features(**moved(inputs, self._device)))

    def _encode_pictures(self, pictures: Sequence[Image.Image]) -> Any:
        inputs = self._processor.image_processor(images=list(pictures), return_tensors="pt")
        inputs["pixel_values"] = inputs["pixel_values"].to(self._model.dtype)
        return _pooled(self._model.get_image_features(**moved(inputs, self._device)))


def _pooled(features: Any) -> Any:
    """Return the vectors; transformers 4 gave them bare, 5 gives them with the hidden states."""
    return getattr(features, "pooler_output", features)
