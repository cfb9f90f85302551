"""A tiny CLIP that knows colours, written to a folder in the layout of real exports.

Its common space holds the mean colour of each quarter of a picture. A colour word stands for a
picture that has this colour all over, so that "red" finds red pictures, and a picture that is
turned by 90 degrees gets another vector than before.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from PIL import Image
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from graphmemix.encode.protocol import Matrix

Layout: TypeAlias = Literal["clip", "clip-root", "clip-one-graph", "siglip"]

COLOURS: dict[str, tuple[int, int, int]] = {
    "black": (0, 0, 0),
    "white": (255, 255, 255),
    "red": (255, 0, 0),
    "green": (0, 255, 0),
    "blue": (0, 0, 255),
    "yellow": (255, 255, 0),
    "cyan": (0, 255, 255),
    "magenta": (255, 0, 255),
}
FILLERS = ("a", "of", "the", "photo", "picture", "wall", "car", "which", "is")
SIDE = 32
DIMENSION = 16
CLIP_LENGTH = 77
SIGLIP_LENGTH = 64
QUARTERS = 12  # 2 x 2 quarters of 3 channels
PADDING_FEATURE = QUARTERS  # what the end of a text, and the padding after it, add
END = 0.05
FEATURES = QUARTERS + 1
BIAS = 0.05  # so that an empty text has a direction too


def build(folder: Path, *, layout: Layout = "clip", seed: int = 0, side: int = SIDE) -> Path:
    """Write a model into `folder` and return the folder.

    Args:
        folder: Created if it is not there.
        layout: ``clip`` with the graphs in ``onnx/``, ``clip-root`` with the graphs beside the
            configuration, ``clip-one-graph`` with both towers in ``onnx/model.onnx``, or
            ``siglip`` (exact resize, no mask, padding that counts, ``pooler_output``).
        seed: Of the projection into the common space: another seed, another model.
        side: Of the pictures that the model takes.
    """
    siglip = layout == "siglip"
    folder.mkdir(parents=True, exist_ok=True)
    place = folder if layout == "clip-root" else folder / "onnx"
    place.mkdir(exist_ok=True)
    text = text_tower(siglip=siglip, seed=seed)
    vision = vision_tower(siglip=siglip, seed=seed, side=side)
    if layout == "clip-one-graph":
        save(place / "model.onnx", [text, vision])
    else:
        save(place / "text_model.onnx", [text])
        save(place / "vision_model.onnx", [vision])
    tokenizer(siglip=siglip).save(str(folder / "tokenizer.json"))
    for name, content in configuration(siglip=siglip, side=side).items():
        (folder / name).write_text(json.dumps(content))
    return folder


def picture(
    colour: str | tuple[int, int, int],
    size: tuple[int, int] = (48, 40),
    file_format: str = "PNG",
    **options: Any,
) -> bytes:
    """Return the encoded picture of one colour."""
    seen = COLOURS.get(colour, colour) if isinstance(colour, str) else colour
    return encoded(Image.new("RGB", size, seen), file_format, **options)


def halves(left: str, right: str, size: tuple[int, int] = (64, 64)) -> Image.Image:
    """Return a picture with one colour on its left and another on its right."""
    image = Image.new("RGB", size, left)
    image.paste(right, (size[0] // 2, 0, *size))
    return image


def encoded(image: Image.Image, file_format: str = "PNG", **options: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, file_format, **options)
    return out.getvalue()


Parts: TypeAlias = tuple[list[Any], list[Any], list[Any], list[Any]]
"""Nodes, inputs, outputs and weights of a graph."""


def text_tower(*, siglip: bool, seed: int) -> Parts:
    """CLIP: the sum of the unmasked tokens. SigLIP: the mean of all tokens, padding included."""
    vectors = np.zeros((len(vocabulary(siglip=siglip)), FEATURES), dtype=np.float32)
    for token, row in vocabulary(siglip=siglip).items():
        if token in COLOURS:
            vectors[row, :QUARTERS] = np.repeat(np.array(COLOURS[token]) / 127.5 - 1.0, 4)
    if siglip:
        vectors *= SIGLIP_LENGTH
        vectors[0, PADDING_FEATURE] = 1.0
    else:
        vectors[1, PADDING_FEATURE] = END
    output = "pooler_output" if siglip else "text_embeds"
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["tokens"])]
    inputs = [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "length"])]
    weights = [("table", vectors), ("text_axis", np.array([1])), *projection("text", seed)]
    if siglip:
        nodes.append(helper.make_node("ReduceMean", ["tokens"], ["text"], axes=[1], keepdims=0))
    else:
        shape = ["batch", "length"]
        inputs.append(helper.make_tensor_value_info("attention_mask", TensorProto.INT64, shape))
        nodes += [
            helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
            helper.make_node("Unsqueeze", ["mask", "last_axis"], ["column"]),
            helper.make_node("Mul", ["tokens", "column"], ["kept"]),
            helper.make_node("ReduceSum", ["kept", "text_axis"], ["text"], keepdims=0),
        ]
        weights.append(("last_axis", np.array([2])))
    return project(nodes, "text", output), inputs, [vector(output)], named(weights)


def vision_tower(*, siglip: bool, seed: int, side: int) -> Parts:
    """Mean pixels of the quarters."""
    output = "pooler_output" if siglip else "image_embeds"
    shape: list[str | int] = ["pictures", 3, side, side]
    half = [side // 2, side // 2]
    nodes = [
        helper.make_node(
            "AveragePool", ["pixel_values"], ["pooled"], kernel_shape=half, strides=half
        ),
        helper.make_node("Reshape", ["pooled", "flat"], ["quarters"]),
        helper.make_node("Pad", ["quarters", "one_more"], ["image"]),
    ]
    weights = [
        ("flat", np.array([-1, QUARTERS])),
        ("one_more", np.array([0, 0, 0, FEATURES - QUARTERS])),
        *projection("image", seed),
    ]
    inputs = [helper.make_tensor_value_info("pixel_values", TensorProto.FLOAT, shape)]
    return project(nodes, "image", output), inputs, [vector(output)], named(weights)


def projection(tower: str, seed: int) -> list[tuple[str, NDArray[Any]]]:
    """The same orthogonal projection for both towers, under two names."""
    rng = np.random.default_rng(seed)
    square = np.linalg.qr(rng.standard_normal((DIMENSION, DIMENSION)))[0]
    bias = BIAS * square[-1]
    return [
        (f"{tower}_matrix", square[:FEATURES].astype(np.float32)),
        (f"{tower}_bias", bias.astype(np.float32)),
    ]


def project(nodes: list[Any], tower: str, output: str) -> list[Any]:
    return [
        *nodes,
        helper.make_node("MatMul", [tower, f"{tower}_matrix"], [f"{tower}_projected"]),
        helper.make_node("Add", [f"{tower}_projected", f"{tower}_bias"], [output]),
    ]


def vector(name: str) -> Any:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, [f"{name}_rows", DIMENSION])


def named(weights: list[tuple[str, NDArray[Any]]]) -> list[Any]:
    return [numpy_helper.from_array(array, name) for name, array in weights]


def save(path: Path, towers: list[Parts]) -> None:
    nodes, inputs, outputs, weights = (
        [part for tower in towers for part in tower[kind]] for kind in range(4)
    )
    graph = helper.make_graph(nodes, path.stem, inputs, outputs, weights)
    # An old file version, so that every onnxruntime since 2023 reads it.
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


def vocabulary(*, siglip: bool) -> dict[str, int]:
    special = ["</s>", "<unk>"] if siglip else ["<|startoftext|>", "<|endoftext|>", "<unk>"]
    return {token: row for row, token in enumerate([*special, *COLOURS, *FILLERS])}


def tokenizer(*, siglip: bool) -> Tokenizer:
    ids = vocabulary(siglip=siglip)
    made = Tokenizer(models.WordLevel(ids, unk_token="<unk>"))
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    ends = ["</s>"] if siglip else ["<|startoftext|>", "<|endoftext|>"]
    made.post_processor = processors.TemplateProcessing(
        single=f"$A {ends[-1]}" if siglip else f"{ends[0]} $A {ends[-1]}",
        special_tokens=[(token, ids[token]) for token in ends],
    )
    return made


def configuration(*, siglip: bool, side: int) -> dict[str, dict[str, Any]]:
    kind = "siglip" if siglip else "clip"
    pixels: dict[str, Any] = {
        "resample": 3,
        "rescale_factor": 1 / 255,
        "image_mean": [0.5, 0.5, 0.5],
        "image_std": [0.5, 0.5, 0.5],
    }
    if siglip:
        pixels |= {
            "image_processor_type": "SiglipImageProcessor",
            "size": {"height": side, "width": side},
        }
    else:
        pixels |= {
            "image_processor_type": "CLIPImageProcessor",
            "size": {"shortest_edge": side},
            "do_center_crop": True,
            "crop_size": {"height": side, "width": side},
        }
    return {
        "config.json": {"model_type": kind, "text_config": {"model_type": f"{kind}_text_model"}},
        "preprocessor_config.json": pixels,
        "tokenizer_config.json": {
            "pad_token": "</s>" if siglip else "<|endoftext|>",
            "model_max_length": SIGLIP_LENGTH if siglip else CLIP_LENGTH,
        },
    }


def change_json(path: Path, **values: Any) -> None:
    """Change some values of a model's JSON file."""
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def same(a: Matrix, b: Matrix, within: float = 1e-6) -> bool:
    """Say whether rows are the same but for the last digits."""
    return bool(np.allclose(a, b, atol=within))
