"""From a picture to the input of an image model, as the model's own files say."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, TypeAlias

import numpy as np
from pydantic import Field, FiniteFloat, PositiveInt

from graphmemix.encode.model_files import File, read
from graphmemix.errors import EncoderError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray
    from PIL import Image

__all__ = ["Preprocessing"]

_Positive: TypeAlias = Annotated[FiniteFloat, Field(gt=0)]


class _Size(File):
    shortest_edge: PositiveInt | None = None
    height: PositiveInt | None = None
    width: PositiveInt | None = None


class _ImageProcessor(File):
    image_processor_type: str = ""
    feature_extractor_type: str = ""
    do_resize: bool = True
    size: PositiveInt | _Size | None = None
    resample: int = Field(default=3, ge=0, le=5)  # Pillow's numbers; 3 is bicubic
    do_center_crop: bool | None = None
    crop_size: PositiveInt | _Size | None = None
    do_rescale: bool = True
    rescale_factor: FiniteFloat = 1 / 255
    do_normalize: bool = True
    image_mean: tuple[FiniteFloat, FiniteFloat, FiniteFloat] = (0.48145466, 0.4578275, 0.40821073)
    image_std: tuple[_Positive, _Positive, _Positive] = (0.26862954, 0.26130258, 0.27577711)

    @property
    def is_clip(self) -> bool:
        return "CLIP" in (self.image_processor_type or self.feature_extractor_type)

    def sizes(self) -> tuple[_Size, _Size | None]:
        """Return what to resize to and what to crop to, with the defaults of the architecture."""
        size, crop = self.size or 224, self.crop_size or self.size or 224
        if isinstance(size, int):  # the old form: the shortest edge for CLIP, else a square
            square = _Size(height=size, width=size)
            size = _Size(shortest_edge=size) if self.is_clip else square
        if isinstance(crop, int):
            crop = _Size(height=crop, width=crop)
        crops = self.is_clip if self.do_center_crop is None else self.do_center_crop
        return size, crop if crops else None


class _Processor(File):
    image_processor: _ImageProcessor


@dataclass(frozen=True)
class Preprocessing:
    """From a picture to the model's input, as preprocessor_config.json says."""

    shortest: int  # resize the shortest edge to this and crop; 0: resize to width x height
    height: int
    width: int
    resample: int
    crop: bool
    scale: tuple[float, ...]  # input = value * scale + offset, per channel
    offset: tuple[float, ...]

    @classmethod
    def load(cls, folder: Path) -> Preprocessing:
        """Read the configuration of a model.

        Raises:
            EncoderError: It cannot be read, or leaves pictures at different sizes.
        """
        path, nested = folder / "preprocessor_config.json", folder / "processor_config.json"
        if not path.is_file() and nested.is_file():  # where transformers 5 writes it
            path, file = nested, read(nested, _Processor).image_processor
        else:
            file = read(path, _ImageProcessor)
        size, crop = file.sizes()
        height = (crop or size).height or (crop and crop.shortest_edge)
        width = (crop or size).width or (crop and crop.shortest_edge)
        if not file.do_resize or not height or not width:
            raise EncoderError(f"{path}: does not resize every picture to one size")
        if size.shortest_edge is None and (size.height, size.width) != (height, width):
            raise EncoderError(f"{path}: a crop after a resize to an exact size is not supported")
        factor = file.rescale_factor if file.do_rescale else 1.0
        mean = np.array(file.image_mean if file.do_normalize else (0.0, 0.0, 0.0))
        std = np.array(file.image_std if file.do_normalize else (1.0, 1.0, 1.0))
        return cls(
            shortest=size.shortest_edge or 0,
            height=height,
            width=width,
            resample=file.resample,
            crop=crop is not None,
            scale=tuple((factor / std).tolist()),
            offset=tuple((-mean / std).tolist()),
        )

    def pixels(self, image: Image.Image) -> NDArray[np.float32]:
        """Return an RGB picture as channels x height x width."""
        if self.shortest:
            image = self._resized_to_shortest(image)
            left, top = (image.width - self.width) // 2, (image.height - self.height) // 2
            image = image.crop((left, top, left + self.width, top + self.height))  # black outside
        else:
            image = image.resize((self.width, self.height), self.resample)
        values = np.asarray(image, dtype=np.float32)
        values = values * np.array(self.scale, np.float32) + np.array(self.offset, np.float32)
        return np.ascontiguousarray(values.transpose(2, 0, 1))

    def blank(self) -> NDArray[np.float32]:
        """Return an input for a graph that wants pictures even when only texts are asked for."""
        return np.zeros((1, 3, self.height, self.width), dtype=np.float32)

    def _resized_to_shortest(self, image: Image.Image) -> Image.Image:
        short, long = sorted(image.size)
        wide = image.width > image.height
        # Of a strip, only the middle survives the crop: cut it before it grows to gigabytes.
        most = math.ceil(4 * short * max(self.height, self.width) / self.shortest)
        if long > most:
            first = (long - most) // 2
            part = (first, 0, first + most, short) if wide else (0, first, short, first + most)
            image, long = image.crop(part), most
        other = int(self.shortest * long / short)
        size = (other, self.shortest) if wide else (self.shortest, other)
        return image.resize(size, self.resample)
