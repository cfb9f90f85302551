"""The files of a model: where they are, how the hub gives them, what their configurations say."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel, ConfigDict, Field, PositiveInt, ValidationError

from graphmemix.errors import EncoderError, MissingExtraError, reason_of
from graphmemix.record import describe

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = [
    "Config",
    "File",
    "Files",
    "TokenizerConfig",
    "fetch_from_hub",
    "is_hub_name",
    "locate",
    "read",
]

_C = TypeVar("_C", bound=BaseModel)

_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")


@dataclass(frozen=True)
class Files:
    """Where a model with two towers is; one graph may hold both."""

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


def locate(model: str | Path, variant: str, revision: str | None) -> Files:
    """Return the files of a model in a folder, or on the hub, in its cache before its network.

    Raises:
        EncoderError: There is no such folder or model, or a graph is missing; names it.
        MissingExtraError: A hub name was given, and ``huggingface_hub`` is not installed.
    """
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


def _find(folder: Path, suffix: str) -> Files:
    for place in (folder / "onnx", folder):
        text, vision = place / f"text_model{suffix}.onnx", place / f"vision_model{suffix}.onnx"
        both = place / f"model{suffix}.onnx"
        if text.is_file() and vision.is_file():
            return Files(folder, text, vision)
        if text.is_file() or vision.is_file():
            raise EncoderError(f"{vision if text.is_file() else text}: this model file is missing")
        if both.is_file():
            return Files(folder, both, both)
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
        raise EncoderError(f"{name}: cannot be fetched from the hub: {reason_of(error)}") from error
    return Path(folder)


def read(path: Path, kind: type[_C]) -> _C:
    """Return what a JSON file of a model says.

    Raises:
        EncoderError: It cannot be read, or does not say what it must.
    """
    try:
        return kind.model_validate_json(path.read_bytes())
    except OSError as error:
        raise EncoderError(f"{path}: cannot be read: {error.strerror}") from error
    except ValidationError as error:
        raise EncoderError(f"{path}: {describe(error, 'configuration')}") from error


class File(BaseModel):
    """A JSON file of a model, or a part of one; what we do not use may be anything."""

    model_config = ConfigDict(extra="ignore", protected_namespaces=())


class _TextConfig(File):
    max_position_embeddings: PositiveInt | None = None
    pad_token_id: int | None = None


class Config(File):
    """config.json, as far as it shapes the texts."""

    model_type: str = "clip"
    name_or_path: str = Field(default="", alias="_name_or_path")
    text_config: _TextConfig = _TextConfig()

    @property
    def is_siglip(self) -> bool:
        """Whether this is SigLIP, which pads and masks unlike CLIP."""
        return self.model_type.startswith("siglip")

    @property
    def name(self) -> str:
        """The hub name of the original, or the architecture: what no machine changes."""
        return self.name_or_path if is_hub_name(self.name_or_path) else self.model_type


class _Token(File):
    content: str


class TokenizerConfig(File):
    """tokenizer_config.json: what tokenizer.json may leave out."""

    pad_token: str | _Token | None = None
    model_max_length: float | None = None
