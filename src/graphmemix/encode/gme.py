"""gme-Qwen2-VL, the encoder of the published method, on torch (extra ``torch``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from graphmemix.encode.rows import unit_rows
from graphmemix.encode.torch_base import TorchEncoder, failures, import_torch, load, moved
from graphmemix.errors import InvalidInputError
from graphmemix.imaging import decode_picture

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from PIL import Image

    from graphmemix.encode.protocol import Matrix, Progress

__all__ = ["GmeQwen2VlEncoder"]


class GmeQwen2VlEncoder(TorchEncoder):
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
        whole = load(AutoModelForImageTextToText, self._folder, self._device, half=half)
        self._model = whole.model  # without the head that would predict the next token
        least, most = (tokens * self._PIXELS_PER_TOKEN for tokens in self._image_tokens)
        with failures(f"{self._folder}: the tokenizer or image processor cannot be loaded"):
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

    def together(
        self, texts: Sequence[str], images: Sequence[bytes], *, progress: Progress | None = None
    ) -> Matrix:
        """Return one unit vector per pair of a text and an encoded picture: one user message.

        Raises:
            InvalidInputError: There are more of one than of the other.
            InvalidDataError: A picture cannot be decoded; names which.
            EncoderError: The model failed.
        """
        if len(texts) != len(images):
            raise InvalidInputError(f"together: {len(texts)} texts and {len(images)} images")

        def encode(part: Sequence[tuple[int, str, bytes]]) -> Any:
            pictures = [decode_picture(data, f"images[{i}]") for i, _, data in part]
            return self._encode_seen(pictures, [self._cut(text) for _, text, _ in part])

        clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        pairs = list(zip(range(len(clean)), clean, images, strict=True))
        return unit_rows(self._run(pairs, encode, progress), "pairs", 0)

    def _encode_pictures(self, pictures: Sequence[Image.Image]) -> Any:
        return self._encode_seen(pictures, [""] * len(pictures))

    def _encode_seen(self, pictures: Sequence[Image.Image], texts: Sequence[str]) -> Any:
        """Encode pictures, each with the text behind it."""
        inputs = self._pixels(images=[self._not_too_long(p) for p in pictures], return_tensors="pt")
        counts = (inputs["image_grid_thw"].prod(-1) // self._pixels.merge_size**2).tolist()
        prompts = [
            self._prompt(self._SEEN.format("<|image_pad|>" * count) + text)
            for count, text in zip(counts, texts, strict=True)
        ]
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
        torch = import_torch()
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
        states = self._model(**moved(inputs, self._device), use_cache=False).last_hidden_state
        return states[torch.arange(rows), mask.sum(dim=1) - 1]
