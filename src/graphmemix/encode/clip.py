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
import math
import mmap
import re
import threading
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias, TypeVar

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, PositiveInt, ValidationError

from graphmemix.errors import EncoderError, InvalidDataError, InvalidInputError, MissingExtraError
from graphmemix.record import describe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import onnxruntime
    from numpy.typing import NDArray
    from PIL import Image
    from tokenizers import Tokenizer

    from graphmemix.encode.protocol import Matrix, Progress

__all__ = [
    "ClipEncoder",
    "decode_picture",
    "fetch_from_hub",
    "in_batches",
    "is_hub_name",
    "unit_rows",
]

_T = TypeVar("_T")
_C = TypeVar("_C", bound=BaseModel)
_Array: TypeAlias = "NDArray[Any]"
_Positive: TypeAlias = Annotated[FiniteFloat, Field(gt=0)]

_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")
_VARIANT = re.compile(r"[A-Za-z0-9_]*")
# Pillow hands these to other programs (EPS to Ghostscript) or to the operating system.
_REFUSED_FORMATS: Final = frozenset({"EPS", "WMF"})
# No model reads more; a tokenizer would spend seconds on what is cut anyway.
_LONGEST_TEXT: Final = 100_000
_NO_LIMIT: Final = 1_000_000  # tokenizer_config.json writes 1e30 for "no limit"
_DIGITS: Final = 12
_DTYPES: Final[Mapping[str, type[np.generic]]] = {
    "tensor(int64)": np.int64,
    "tensor(int32)": np.int32,
    "tensor(float)": np.float32,
    "tensor(float16)": np.float16,
}


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
        self._files = _locate(model, variant, revision)
        self._config = _read(self._files.folder / "config.json", _Config)
        self._preprocessing = _Preprocessing.load(self._files.folder)
        self._batch = batch
        self._threads = threads
        self._lock = threading.Lock()
        self._text = _Tower.load(self._files.text, ("text_embeds", "pooler_output"), threads)
        self._vision_tower: _Tower | None = None
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

    def _vision(self) -> _Tower:
        with self._lock:
            if self._vision_tower is None:
                tower = _Tower.load(
                    self._files.vision,
                    ("image_embeds", "pooler_output"),
                    self._threads,
                    shared=self._text if self._files.vision == self._files.text else None,
                )
                if tower.dimension not in {None, self._dimension}:
                    raise _apart(tower, tower.dimension, self._dimension)
                self._vision_tower = tower
            return self._vision_tower

    def _checked(self, rows: NDArray[np.float32], tower: _Tower) -> NDArray[np.float32]:
        if rows.shape[1] != self._dimension:
            raise _apart(tower, rows.shape[1], self._dimension)
        return rows


# Files


@dataclass(frozen=True)
class _Files:
    folder: Path
    text: Path
    vision: Path

    def weights(self) -> Iterator[Path]:
        """Yield the graphs, each followed by the files with its large weights."""
        for graph in dict.fromkeys((self.text, self.vision)):
            yield graph
            for path in sorted(graph.parent.iterdir()):
                if path.name.startswith((f"{graph.name}_data", f"{graph.name}.data")):
                    yield path


def _locate(model: str | Path, variant: str, revision: str | None) -> _Files:
    folder = Path(model).expanduser()
    suffix = f"_{variant}" if variant else ""
    if folder.is_dir():
        return _find(folder, suffix)
    if not isinstance(model, str) or not is_hub_name(model):
        raise EncoderError(f"{model}: there is no such folder, and it is not a hub name either")
    towers = [f"{name}{suffix}.onnx*" for name in ("text_model", "vision_model")]
    with suppress(EncoderError):  # not in the cache, or not all of it
        files = _find(fetch_from_hub(model, _patterns(towers), revision, local=True), suffix)
        if (files.folder / "config.json").is_file() and (files.folder / "tokenizer.json").is_file():
            return files
    folder = fetch_from_hub(model, _patterns(towers), revision)
    with suppress(EncoderError):
        return _find(folder, suffix)
    return _find(fetch_from_hub(model, _patterns([f"model{suffix}.onnx*"]), revision), suffix)


def _patterns(graphs: Sequence[str]) -> list[str]:
    rules = ["config.json", "preprocessor_config.json", "processor_config.json"]
    words = ["tokenizer.json", "tokenizer_config.json"]
    return [*rules, *words, *graphs, *(f"onnx/{graph}" for graph in graphs)]


def _find(folder: Path, suffix: str) -> _Files:
    for place in (folder / "onnx", folder):
        text, vision = place / f"text_model{suffix}.onnx", place / f"vision_model{suffix}.onnx"
        both = place / f"model{suffix}.onnx"
        if text.is_file() and vision.is_file():
            return _Files(folder, text, vision)
        if text.is_file() or vision.is_file():
            raise EncoderError(f"{vision if text.is_file() else text}: this model file is missing")
        if both.is_file():
            return _Files(folder, both, both)
    there = sorted(path.name for path in folder.glob("**/*.onnx"))
    raise EncoderError(
        f"{folder}: has no onnx/text_model{suffix}.onnx and onnx/vision_model{suffix}.onnx, and no "
        f"onnx/model{suffix}.onnx; ONNX files there: {', '.join(there) or 'none'}"
    )


def is_hub_name(text: str) -> bool:
    """Tell whether this may be ``owner/name``; a path says so with ``./``, ``/`` or ``~``."""
    return _HUB_NAME.fullmatch(text) is not None


def fetch_from_hub(
    name: str, patterns: Sequence[str], revision: str | None = None, *, local: bool = False
) -> Path:
    """Return the folder with the files of a model on the Hugging Face hub.

    Args:
        name: ``owner/name``, as the user wrote it: nothing else makes us use the network.
        patterns: Which files.
        revision: Commit, tag or branch.
        local: Only look into the cache of the hub's own client.

    Raises:
        MissingExtraError: ``huggingface_hub`` is not installed.
        EncoderError: It is not there, or the hub cannot be reached.
    """
    try:
        from huggingface_hub import snapshot_download
    except ImportError as error:
        raise MissingExtraError("hub", f"The model {name} of the Hugging Face hub") from error
    try:
        folder = snapshot_download(
            name, revision=revision, allow_patterns=list(patterns), local_files_only=local
        )
    except Exception as error:  # its own, of its HTTP client, of the disk
        raise EncoderError(f"{name}: cannot be fetched from the hub: {_one_line(error)}") from error
    return Path(folder)


def _read(path: Path, kind: type[_C]) -> _C:
    try:
        return kind.model_validate_json(path.read_bytes())
    except OSError as error:
        raise EncoderError(f"{path}: cannot be read: {error.strerror}") from error
    except ValidationError as error:
        raise EncoderError(f"{path}: {describe(error, 'configuration')}") from error


class _File(BaseModel):
    model_config = ConfigDict(extra="ignore", protected_namespaces=())


class _TextConfig(_File):
    max_position_embeddings: PositiveInt | None = None
    pad_token_id: int | None = None


class _Config(_File):
    model_type: str = "clip"
    name_or_path: str = Field(default="", alias="_name_or_path")
    text_config: _TextConfig = _TextConfig()

    @property
    def is_siglip(self) -> bool:
        return self.model_type.startswith("siglip")

    @property
    def name(self) -> str:
        """The hub name of the original, or the architecture: what no machine changes."""
        return self.name_or_path if is_hub_name(self.name_or_path) else self.model_type


class _Token(_File):
    content: str


class _TokenizerConfig(_File):
    pad_token: str | _Token | None = None
    model_max_length: float | None = None


# Words


@dataclass(frozen=True)
class _Words:
    """Texts to token ids, always of the same length."""

    tokenizer: Tokenizer
    length: int
    pad: int
    masked: bool

    @classmethod
    def load(cls, folder: Path, config: _Config, fixed_length: int | None) -> _Words:
        from tokenizers import Tokenizer

        path = folder / "tokenizer.json"
        try:
            tokenizer = Tokenizer.from_buffer(path.read_bytes())
        except OSError as error:
            raise EncoderError(f"{path}: cannot be read: {error.strerror}") from error
        except Exception as error:  # the library raises bare exceptions
            raise EncoderError(f"{path}: is not a tokenizer: {_one_line(error)}") from error
        beside = folder / "tokenizer_config.json"
        more = _read(beside, _TokenizerConfig) if beside.is_file() else _TokenizerConfig()
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

    def feeds(self, texts: Sequence[str]) -> dict[str, _Array]:
        encodings = self.tokenizer.encode_batch([_encodable(text) for text in texts])
        ids = np.array([encoding.ids for encoding in encodings], dtype=np.int64)
        mask = np.array([encoding.attention_mask for encoding in encodings], dtype=np.int64)
        return {
            "input_ids": ids,
            "attention_mask": mask if self.masked else np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
            "position_ids": np.broadcast_to(np.arange(self.length), ids.shape),
        }


def _full_length(tokenizer: Tokenizer, config: _Config, more: _TokenizerConfig) -> int:
    if config.text_config.max_position_embeddings:
        return config.text_config.max_position_embeddings
    if more.model_max_length and 0 < more.model_max_length < _NO_LIMIT:
        return int(more.model_max_length)
    if tokenizer.truncation:
        return int(tokenizer.truncation["max_length"])
    return 64 if config.is_siglip else 77  # what a configuration leaves out is the default


def _pad_token(tokenizer: Tokenizer, config: _Config, more: _TokenizerConfig) -> int:
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


# Pictures


def decode_picture(data: bytes, name: str) -> Image.Image:
    """Return a picture as people see it: its first frame, upright, RGB, transparency on white.

    Args:
        data: The encoded file.
        name: What to call it in an error.

    Raises:
        InvalidDataError: It is no picture, is damaged, or has more pixels than Pillow's limit
            (``PIL.Image.MAX_IMAGE_PIXELS``).
    """
    from PIL import Image, UnidentifiedImageError

    bombs = (Image.DecompressionBombError, Image.DecompressionBombWarning)
    Image.init()
    formats = [known for known in Image.OPEN if known not in _REFUSED_FORMATS]
    try:
        with Image.open(BytesIO(data), formats=formats) as image:
            _require_few_pixels(image, name)
            image.load()
            _turn_upright(image)
            return _as_rgb(image)
    except InvalidDataError:
        raise
    except bombs as error:
        raise InvalidDataError(f"{name}: too many pixels: {error}") from error
    except UnidentifiedImageError as error:
        raise InvalidDataError(f"{name}: not a picture in a known format") from error
    except Exception as error:  # decoders raise anything on damaged input
        raise InvalidDataError(f"{name}: a damaged picture: {_one_line(error)}") from error


def _require_few_pixels(image: Image.Image, name: str) -> None:
    from PIL.Image import MAX_IMAGE_PIXELS as LIMIT

    # Pillow itself only warns up to twice its limit.
    if LIMIT is not None and image.width * image.height > LIMIT:
        raise InvalidDataError(
            f"{name}: {image.width} x {image.height} pixels, and Pillow's limit is {LIMIT}"
        )


def _turn_upright(image: Image.Image) -> None:
    from PIL import ImageOps

    with suppress(Exception):  # with damaged EXIF the pixels are fine as they are
        ImageOps.exif_transpose(image, in_place=True)


def _as_rgb(image: Image.Image) -> Image.Image:
    from PIL import Image, ImageCms

    if image.mode.startswith("I") or image.mode == "F":
        image = Image.fromarray(_eight_bits(np.asarray(image, dtype=np.float64), image.mode))
    if image.has_transparency_data:
        seen = image.convert("RGBA")
        paper = Image.new("RGB", seen.size, "white")
        paper.paste(seen, mask=seen.getchannel("A"))
        return paper
    if image.mode == "LAB":
        screen = ImageCms.createProfile("sRGB")
        lab = ImageCms.createProfile("LAB")
        converted = ImageCms.profileToProfile(image, lab, screen, outputMode="RGB")
        return converted or image.convert("RGB")
    return image.convert("RGB")


def _eight_bits(values: NDArray[np.float64], mode: str) -> NDArray[np.uint8]:
    """Scale grey values of 16 bits and more, and floats, to 0 … 255; Pillow would cut them."""
    values = np.nan_to_num(values, posinf=0.0, neginf=0.0).clip(min=0.0)
    top = float(values.max())
    whites = [65535.0] if mode.startswith("I;16") else [1.0, 255.0, 65535.0]
    if mode == "I":
        whites = whites[1:]
    white = next((white for white in whites if top <= white), top)
    return np.rint(values * (255.0 / white)).astype(np.uint8)


class _Size(_File):
    shortest_edge: PositiveInt | None = None
    height: PositiveInt | None = None
    width: PositiveInt | None = None


class _ImageProcessor(_File):
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


class _Processor(_File):
    image_processor: _ImageProcessor


@dataclass(frozen=True)
class _Preprocessing:
    """From a picture to the model's input, as preprocessor_config.json says."""

    shortest: int  # resize the shortest edge to this and crop; 0: resize to width x height
    height: int
    width: int
    resample: int
    crop: bool
    scale: tuple[float, ...]  # input = value * scale + offset, per channel
    offset: tuple[float, ...]

    @classmethod
    def load(cls, folder: Path) -> _Preprocessing:
        path, nested = folder / "preprocessor_config.json", folder / "processor_config.json"
        if not path.is_file() and nested.is_file():  # where transformers 5 writes it
            path, file = nested, _read(nested, _Processor).image_processor
        else:
            file = _read(path, _ImageProcessor)
        size, crop = file.sizes()
        height = (crop or size).height or (crop and crop.shortest_edge)
        width = (crop or size).width or (crop and crop.shortest_edge)
        if not file.do_resize or not height or not width:
            raise EncoderError(f"{path}: does not bring every picture to one size")
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


# Graphs


@dataclass(frozen=True)
class _Tower:
    """One output of a graph, and the inputs that the graph wants."""

    path: Path
    session: onnxruntime.InferenceSession
    output: str
    dimension: int | None
    one_by_one: bool

    @classmethod
    def load(
        cls, path: Path, outputs: Sequence[str], threads: int, shared: _Tower | None = None
    ) -> _Tower:
        """Read a graph and choose the first of `outputs` that it has."""
        session = shared.session if shared else _session(path, threads)
        shapes = {output.name: output.shape for output in session.get_outputs()}
        chosen = next((name for name in outputs if name in shapes), None)
        if chosen is None:
            raise EncoderError(f"{path}: has none of the outputs {', '.join(outputs)}")
        width = shapes[chosen][-1] if shapes[chosen] else None
        return cls(
            path,
            session,
            chosen,
            width if isinstance(width, int) else None,
            shared.one_by_one if shared else _quantises_activations(path),
        )

    @property
    def fixed_length(self) -> int | None:
        """The length of a text, if the graph allows one only."""
        shapes = {value.name: value.shape for value in self.session.get_inputs()}
        length = shapes.get("input_ids", [None])[-1]
        return length if isinstance(length, int) else None

    def takes(self, name: str) -> bool:
        return any(value.name == name for value in self.session.get_inputs())

    def run(self, feeds: Mapping[str, _Array]) -> NDArray[np.float32]:
        import onnxruntime

        wanted = {}
        for value in self.session.get_inputs():
            if value.name not in feeds or value.type not in _DTYPES:
                raise EncoderError(f"{self.path}: wants an unknown input {value.name} {value.type}")
            wanted[value.name] = feeds[value.name].astype(_DTYPES[value.type], copy=False)
        options = onnxruntime.RunOptions()
        options.only_execute_path_to_fetches = True  # of two towers in one graph, run one
        options.log_severity_level = 4
        try:
            rows = self.session.run([self.output], wanted, options)[0]
        except Exception as error:  # its classes share no public base
            raise EncoderError(f"{self.path}: the model failed: {_one_line(error)}") from error
        if rows.ndim != 2:
            raise EncoderError(f"{self.path}: {self.output} has {rows.ndim} axes instead of 2")
        return np.asarray(rows, dtype=np.float32)


def _session(path: Path, threads: int) -> onnxruntime.InferenceSession:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 4  # what goes wrong is raised
    try:
        return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its classes share no public base
        raise EncoderError(f"{path}: not a model that can be run: {_one_line(error)}") from error


def _quantises_activations(path: Path) -> bool:
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as graph:
        return graph.find(b"DynamicQuantize") >= 0  # the operator's name, as the file spells it


def _apart(tower: _Tower, found: int | None, expected: int) -> EncoderError:
    return EncoderError(
        f"{tower.path}: {tower.output} has {found} numbers and the texts have {expected}; this "
        "export lacks the projection into the common space"
    )


# Shared with the other encoders


def in_batches(
    items: Sequence[_T],
    size: int,
    dimension: int,
    encode: Callable[[int, Sequence[_T]], Matrix],
    progress: Progress | None,
) -> Matrix:
    """Return the rows of all items; `encode` gets the index of the first item of each batch."""
    rows = np.empty((len(items), dimension), dtype=np.float32)
    for first in range(0, len(items), size):
        part = items[first : first + size]
        rows[first : first + len(part)] = encode(first, part)
        if progress is not None:
            progress(first + len(part), len(items))
    return rows


def unit_rows(rows: _Array, what: str, first: int) -> Matrix:
    """Return the rows at length 1.

    Raises:
        EncoderError: A row is zero or not finite; `what` and `first` name its input.
    """
    exact = np.asarray(rows, dtype=np.float64)
    lengths = np.linalg.norm(exact, axis=1, keepdims=True)
    bad = ~np.isfinite(lengths[:, 0]) | (lengths[:, 0] == 0.0)
    if bad.any():
        at = first + int(np.argmax(bad))
        raise EncoderError(f"{what}[{at}]: the model's vector is zero or not finite")
    units: Matrix = (exact / lengths).astype(np.float32)
    return units


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__
