"""all-MiniLM-L6-v2 as a graph whose products are computed in 8 bits.

The weights are those of the packaged file, which has them in 8 bits with a scale for each column
and multiplies them out to float32. There, texts may be padded and masked; here all texts of a batch
have the same length.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from graphmemix.encode.eight_bits import EightBitGraph
from graphmemix.encode.onnx_format import tensors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from graphmemix.encode.eight_bits import Range
    from graphmemix.encode.protocol import Matrix

LAYERS: Final = 6
_WIDTH, _HEADS = 384, 12
_SMALL: Final = 1e-12  # of a normalisation
_MATRIX: Final = re.compile(r"val_(\d+)_q")
_LINEAR: Final = (
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "intermediate.dense",
    "output.dense",
)  # in the order of their matrices


@dataclass(frozen=True)
class Weights:
    """What the packaged file holds.

    Attributes:
        words: A row of whole numbers for each token.
        word_scale: What they are multiplied by.
        positions: What is added to each token of a text, with the kind of token.
        rest: Everything else by its name; matrices by the name of their layer.
    """

    words: NDArray[np.int8]
    word_scale: Matrix
    positions: Matrix
    rest: Mapping[str, Matrix]

    def embedded(self, tokens: Sequence[Sequence[int]]) -> Matrix:
        """Return the rows of texts of equal length, as the graph takes them."""
        ids = np.array(tokens)
        rows = self.words[ids].astype(np.float32)
        scale = self.word_scale if self.word_scale.shape[0] == 1 else self.word_scale[ids]
        return rows * scale + self.positions[: ids.shape[1]]  # type: ignore[no-any-return]


def read_weights(file: bytes) -> Weights:
    """Read the weights from the packaged file."""
    found = tensors(file)

    def whole(name: str) -> Matrix:
        values: Matrix = found[f"{name}_q"].astype(np.float32) * found[f"{name}_scale"]
        return values

    rest = {
        name.removeprefix("inner."): np.asarray(values)
        for name, values in found.items()
        if values.dtype == np.float32 and name.startswith("inner.")
    }
    numbers = sorted(int(match[1]) for name in found if (match := _MATRIX.fullmatch(name)))
    layers = [f"encoder.layer.{layer}.{part}" for layer in range(LAYERS) for part in _LINEAR]
    for name, number in zip(layers, numbers, strict=True):
        rest[name] = whole(f"val_{number}")
    embeddings = "inner.embeddings."
    kind = rest["embeddings.token_type_embeddings.weight"][0]
    return Weights(
        found[f"{embeddings}word_embeddings.weight_q"],
        found[f"{embeddings}word_embeddings.weight_scale"],
        whole(f"{embeddings}position_embeddings.weight") + kind,
        rest,
    )


def minilm_graph(
    weights: Weights, ranges: Mapping[str, Range] | None, watched: Sequence[str] = ()
) -> bytes:
    """Return the graph from embedded texts of equal length to their last layer.

    Args:
        weights: Of the packaged file.
        ranges: Of the inputs of all layers; None for float32.
        watched: Inputs of layers that are outputs too, to measure their ranges.
    """
    graph = EightBitGraph(ranges)
    state = _normalised(graph, weights, "embeddings.LayerNorm", "embedded", "minilm.0.state")
    for layer in range(LAYERS):
        state = _layer(graph, weights, layer, state)
    return graph.model(("embedded", ["texts", "tokens", _WIDTH]), [state, *watched])


def inputs_of_layers(weights: Weights) -> dict[str, list[Matrix]]:
    """Return the matrices that each rounded input is multiplied by, by the name of the input."""
    found: dict[str, list[Matrix]] = {}
    for layer in range(LAYERS):
        query, key, value, out, wide, narrow = (
            weights.rest[f"encoder.layer.{layer}.{part}"] for part in _LINEAR
        )
        found[f"minilm.{layer}.state"] = [query, key, value]
        found[f"minilm.{layer}.seen"] = [out]
        found[f"minilm.{layer}.between"] = [wide]
        found[f"minilm.{layer}.active"] = [narrow]
    return found


def _layer(graph: EightBitGraph, weights: Weights, layer: int, state: str) -> str:
    inside, outside = f"encoder.layer.{layer}", f"minilm.{layer}"

    def linear(part: str, source: str, rounded: str) -> str:
        name = f"{inside}.{part}"
        return graph.linear(
            rounded, weights.rest[name], weights.rest[f"{name}.bias"], name, source=source
        )

    def after(part: str, before: str, source: str, output: str) -> str:
        """Add what a part makes of its input to what was there before, and normalise."""
        made = linear(f"{part}.dense", source, graph.rounded(source))
        added = graph.node("Add", [made, before], f"{output}.sum")
        return _normalised(graph, weights, f"{inside}.{part}.LayerNorm", added, output)

    rounded = graph.rounded(state)
    heads = [linear(part, state, rounded) for part in _LINEAR[:3]]
    seen = graph.node(".MultiHeadAttention", heads, f"{outside}.seen", num_heads=_HEADS)
    between = after("attention.output", state, seen, f"{outside}.between")
    wide = linear("intermediate.dense", between, graph.rounded(between))
    active = graph.node(".Gelu", [wide], f"{outside}.active")
    return after("output", between, active, f"minilm.{layer + 1}.state")


def _normalised(graph: EightBitGraph, weights: Weights, name: str, values: str, output: str) -> str:
    scale = graph.constant(f"{name}.weight", weights.rest[f"{name}.weight"])
    shift = graph.constant(f"{name}.bias", weights.rest[f"{name}.bias"])
    return graph.node("LayerNormalization", [values, scale, shift], output, axis=-1, epsilon=_SMALL)
