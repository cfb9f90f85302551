"""Encoders by name: ``minilm``, ``clip:FOLDER``, ``endpoint:http://host/v1#model``.

A spec is the name of an encoder in the registry and, behind a colon, what that encoder wants to
know. Each function here takes the latter; `encoder_of` finds the function.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, get_args
from urllib.parse import parse_qsl

from graphmemix import registry
from graphmemix.errors import InvalidInputError

if TYPE_CHECKING:
    from graphmemix.encode.clip import ClipEncoder
    from graphmemix.encode.endpoint import EndpointEncoder
    from graphmemix.encode.gme import GmeQwen2VlEncoder
    from graphmemix.encode.hashing import HashingEncoder
    from graphmemix.encode.packaged import MiniLmEncoder, MultilingualEncoder
    from graphmemix.encode.protocol import Encoder
    from graphmemix.encode.torch_models import SentenceTransformerEncoder, TransformersEncoder

__all__ = ["KEY_VARIABLE", "encoder_for", "encoder_of"]

KEY_VARIABLE: Final = "GRAPHMEMIX_ENCODER_KEY"
"""Environment variable with the API key of an endpoint: specs and settings are no place for it."""


def encoder_of(spec: str) -> Encoder:
    """Return the encoder that a spec names.

    Raises:
        InvalidInputError: There is no such encoder, or it cannot understand its part of the spec.
        MissingExtraError: It needs an extra that is not installed.
        EncoderError: Its model cannot be loaded.
    """
    name, _, rest = spec.strip().partition(":")
    made: Encoder = registry.load("encoders", name)(rest)
    return made


def packaged(rest: str) -> MultilingualEncoder:
    """``packaged`` or ``multilingual``: the text encoder of new archives.

    With ``:float32`` behind it, the one before it, which computes in float32. An archive that was
    made with that keeps it, unless it is reencoded with ``multilingual:int8``.
    """
    from graphmemix.encode.packaged import FloatMultilingualEncoder, MultilingualEncoder

    if rest not in {"", "float32", "int8"}:
        raise InvalidInputError(
            f"encoder multilingual: takes float32, int8 or nothing after its name, not {rest!r}"
        )
    return FloatMultilingualEncoder() if rest == "float32" else MultilingualEncoder()


def encoder_for(spec: str, serving: str | None) -> Encoder:
    """Return the encoder that a spec names; for ``packaged``, the one that made an archive.

    Args:
        spec: As for `encoder_of`.
        serving: The identity of the encoder whose vectors the archive holds; None if it has none.
    """
    from graphmemix.encode.packaged import FloatMultilingualEncoder, MiniLmEncoder

    if spec.strip() == "packaged" and serving == MiniLmEncoder.identity:
        return MiniLmEncoder()
    if (
        spec.strip() in {"packaged", "multilingual"}
        and serving == FloatMultilingualEncoder.identity
    ):
        return FloatMultilingualEncoder()
    return encoder_of(spec)


def minilm(rest: str) -> MiniLmEncoder:
    """``minilm``: the packaged text encoder."""
    from graphmemix.encode.packaged import MiniLmEncoder

    if rest:
        raise InvalidInputError(f"encoder minilm: takes nothing after its name, not {rest!r}")
    return MiniLmEncoder()


def hashing(rest: str) -> HashingEncoder:
    """``hashing`` or ``hashing:DIMENSION``: words without meaning, for tests."""
    from graphmemix.encode.hashing import HashingEncoder

    return HashingEncoder(_number("hashing", rest)) if rest else HashingEncoder()


def clip(rest: str) -> ClipEncoder:
    """``clip:MODEL`` or ``clip:MODEL#VARIANT``: an ONNX export, from a folder or the hub."""
    from graphmemix.encode.clip import ClipEncoder

    model, _, variant = _required("clip:FOLDER_OR_HUB_NAME", rest).partition("#")
    return ClipEncoder(model, variant=variant)


def endpoint(rest: str) -> EndpointEncoder:
    """``endpoint:URL#MODEL``, with ``?images=input`` or ``messages`` and ``&dimensions=N`` behind.

    The key, if the server wants one, is in the environment (`KEY_VARIABLE`).
    """
    from graphmemix.encode.endpoint import EndpointEncoder, ImageStyle

    url, _, fragment = rest.partition("#")
    model, _, query = fragment.partition("?")
    if not url or not model:
        raise InvalidInputError("encoder endpoint: write endpoint:http://host:8000/v1#MODEL")
    options = dict(parse_qsl(query, keep_blank_values=True))
    style, dimensions = options.pop("images", None), options.pop("dimensions", None)
    if options:
        raise InvalidInputError(f"encoder endpoint: there is no option {min(options)!r}")
    if style not in {None, *get_args(ImageStyle)}:
        raise InvalidInputError(
            f"encoder endpoint: images are sent as input or messages: {style!r}"
        )
    return EndpointEncoder(
        url,
        model,
        api_key=os.environ.get(KEY_VARIABLE) or None,
        images=style is not None,
        image_style="messages" if style == "messages" else "input",
        dimensions=None if dimensions is None else _number("endpoint", dimensions),
    )


def torch(rest: str) -> SentenceTransformerEncoder:
    """``torch:MODEL``: a model of sentence-transformers, from a folder or the hub."""
    from graphmemix.encode.torch_models import SentenceTransformerEncoder

    return SentenceTransformerEncoder(_required("torch:FOLDER_OR_HUB_NAME", rest))


def transformers(rest: str) -> TransformersEncoder:
    """``transformers:MODEL``: CLIP or SigLIP on torch, from a folder or the hub."""
    from graphmemix.encode.torch_models import TransformersEncoder

    return TransformersEncoder(_required("transformers:FOLDER_OR_HUB_NAME", rest))


def gme(rest: str) -> GmeQwen2VlEncoder:
    """``gme`` or ``gme:MODEL``: the published encoder."""
    from graphmemix.encode.gme import GmeQwen2VlEncoder

    return GmeQwen2VlEncoder(rest) if rest else GmeQwen2VlEncoder()


def _required(form: str, rest: str) -> str:
    if not rest:
        raise InvalidInputError(f"encoder {form.partition(':')[0]}: write {form}")
    return rest


def _number(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text)):
        raise InvalidInputError(f"encoder {name}: {text!r} is not a number of dimensions")
    return int(text)
