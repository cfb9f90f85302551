"""Products of matrices in 8 bits, with ranges that were measured once.

A layer's input is rounded to 256 steps between two bounds, and its weights to 127; processors
multiply such numbers three to four times as fast as float32. The bounds are constants
(`ranges.npz`, made by tools/make_ranges.py), never those of the texts at hand: so a text's vector
depends on that text alone. A few channels of a layer are far larger than the others, so each is
divided by its own factor first and the weights are multiplied by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Final

import numpy as np

from graphmemix.encode.onnx_format import Graph

if TYPE_CHECKING:
    from collections.abc import Mapping

    import onnxruntime
    from numpy.typing import NDArray

    from graphmemix.encode.protocol import Matrix

_STEPS: Final = 255
MOST: Final = 63
"""The greatest weight. Processors without instructions for 8 bits add up two products in 16, where
2 * 255 * 63 fits and 2 * 255 * 127 does not: so sums are the same on every processor."""


@dataclass(frozen=True)
class Range:
    """How the input of a layer is rounded.

    Attributes:
        factors: What each channel is divided by before.
        low: The least value that is told from smaller ones, at most 0.
        high: The greatest, at least 0.
    """

    factors: Matrix
    low: float
    high: float

    @property
    def step(self) -> np.float32:
        """The distance of two neighbouring values."""
        return np.float32((self.high - self.low) / _STEPS)

    @property
    def zero(self) -> np.uint8:
        """The number that stands for 0.0, which is told exactly."""
        return np.uint8(round(-self.low / float(self.step)))


def load_ranges(data: bytes) -> dict[str, Range]:
    """Return the ranges of all layers, by the names of their inputs."""
    with np.load(BytesIO(data)) as saved:
        return {
            name: Range(saved[name][2:], float(saved[name][0]), float(saved[name][1]))
            for name in saved.files
        }


def saved_ranges(ranges: Mapping[str, Range]) -> dict[str, Matrix]:
    """Return the arrays that `load_ranges` reads."""
    return {
        name: np.array([each.low, each.high, *each.factors], np.float32)
        for name, each in ranges.items()
    }


class EightBitGraph(Graph):
    """A graph whose products are computed in 8 bits; without ranges, in float32."""

    def __init__(self, ranges: Mapping[str, Range] | None) -> None:
        super().__init__()
        self._ranges = ranges

    def rounded(self, values: str) -> str:
        """Round the input of a layer; return the name of the result."""
        if self._ranges is None:
            return values
        known = self._ranges[values]
        inverse = self.constant(f"{values}.factors", np.float32(1) / known.factors)
        scaled = self.node("Mul", [values, inverse], f"{values}.scaled")
        return self.node("QuantizeLinear", [scaled, *self._scale(values)], f"{values}.rounded")

    def linear(self, values: str, weights: Matrix, bias: Matrix, output: str, **of: str) -> str:
        """Multiply by weights and add the bias; return the name of the result.

        Args:
            values: What is multiplied: the result of `rounded`, or rows put together from it.
            weights: A row for each channel, or for each channel of each row that was put together.
            bias: What is added.
            output: The name of the result.
            of: `source`, the name that was rounded.
        """
        source = of["source"]
        added = self.constant(f"{output}.bias", bias)
        if self._ranges is None:
            product = self.node(
                "MatMul", [values, self.constant(f"{output}.weights", weights)], f"{output}.product"
            )
            return self.node("Add", [product, added], output)
        factors = self._ranges[source].factors
        scaled = weights * np.tile(factors, len(weights) // len(factors))[:, None]
        steps = np.maximum(np.abs(scaled).max(axis=0), np.float32(1e-12)) / np.float32(MOST)
        whole = np.rint(scaled / steps).astype(np.int8)
        step, zero = self._scale(source)
        inputs = [
            values,
            self.constant(f"{output}.weights", whole),
            step,
            self.constant(f"{output}.steps", steps.astype(np.float32)),
            zero,
            "",  # weights are rounded around 0
            added,
        ]
        return self.node(".MatMulIntegerToFloat", inputs, output)

    def zero(self, values: str) -> str:
        """Return the name of what stands for 0.0 in the result of `rounded`."""
        if self._ranges is None:
            return self.constant("nothing", np.array(0, np.float32))
        return self._scale(values)[1]

    def _scale(self, values: str) -> tuple[str, str]:
        known = (self._ranges or {})[values]
        return (
            self.constant(f"{values}.step", np.array(known.step)),
            self.constant(f"{values}.zero", np.array(known.zero)),
        )


def open_graph(model: bytes) -> onnxruntime.InferenceSession:
    """Return a graph ready to run, in one thread."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    # More would join sums with the normalisation behind them, in an operator ten times as slow.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def run_graph(session: onnxruntime.InferenceSession, values: Matrix) -> NDArray[np.float32]:
    """Return the first output for an input."""
    found: NDArray[np.float32] = session.run(None, {session.get_inputs()[0].name: values})[0]
    return found
