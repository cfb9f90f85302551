"""The little of the ONNX format that is read and written here, beside the package `onnx`."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import numpy_helper

from graphmemix.encode import packaged
from graphmemix.encode.eight_bits import EightBitGraph, Range, open_graph, run_graph
from graphmemix.encode.onnx_format import Graph, tensors
from graphmemix.errors import EncoderError

MODEL = packaged.packaged_file(*packaged._MODEL)


def test_the_weights_of_the_packaged_model_are_read_as_onnx_reads_them() -> None:
    ours = tensors(MODEL)
    theirs = {
        each.name: numpy_helper.to_array(each)
        for each in onnx.load_from_string(MODEL).graph.initializer
    }
    known = {name: each for name, each in theirs.items() if each.dtype != np.bool_}
    assert set(ours) == {name for name, each in known.items() if each.size}
    assert all(np.array_equal(ours[name], known[name]) for name in ours)


@pytest.mark.parametrize("damaged", [MODEL[:-1000], b"\xff" * 40, b"\x0f"])
def test_what_is_no_model_is_refused(damaged: bytes) -> None:
    with pytest.raises(EncoderError, match="not an ONNX file"):
        tensors(damaged)


def test_a_written_graph_runs_and_reads_back() -> None:
    graph = Graph()
    weights = np.arange(6, dtype=np.float32).reshape(3, 2)
    graph.node("MatMul", ["given", graph.constant("weights", weights)], "product")
    graph.node("Transpose", ["product"], "turned", perm=[1, 0])
    graph.node("LeakyRelu", ["turned"], "made", alpha=0.5)
    model = graph.model(("given", ["rows", 3]), ["made"])
    assert [node.op_type for node in onnx.load_from_string(model).graph.node] == [
        "MatMul",
        "Transpose",
        "LeakyRelu",
    ]
    assert np.array_equal(tensors(model)["weights"], weights)
    given = np.array([[1, 0, 0], [0, -1, 0]], np.float32)
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    product = (given @ weights).T
    expected = np.where(product < 0, product / 2, product)
    assert np.array_equal(session.run(None, {"given": given})[0], expected)


def test_a_negative_attribute_is_written_as_one() -> None:
    graph = Graph()
    graph.node("Softmax", ["given"], "made", axis=-1)
    model = onnx.load_from_string(graph.model(("given", [1, 2]), ["made"]))
    assert model.graph.node[0].attribute[0].i == -1


# Products in 8 bits


def product(values: np.ndarray, weights: np.ndarray, known: Range | None) -> np.ndarray:
    graph = EightBitGraph(None if known is None else {"given": known})
    rounded = graph.rounded("given")
    bias = np.ones(weights.shape[1], np.float32)
    graph.linear(rounded, weights, bias, "made", source="given")
    session = open_graph(graph.model(("given", ["rows", weights.shape[0]]), ["made"]))
    return run_graph(session, values)


def test_a_product_in_8_bits_is_near_the_exact_one() -> None:
    chance = np.random.default_rng(1)
    values = chance.normal(size=(40, 32)).astype(np.float32)
    values[:, 3] *= 30  # one channel far larger than the others, as such models have it
    weights = chance.normal(size=(32, 16)).astype(np.float32)
    size = np.abs(values).max(axis=0)
    exact = product(values, weights, None)
    assert np.allclose(exact, values @ weights + 1, atol=1e-3)
    errors = []
    for factors in (np.ones(32, np.float32), (size / np.median(size)).astype(np.float32)):
        most = float(np.abs(values / factors).max())
        near = product(values, weights, Range(factors, -most, most))
        errors.append(np.linalg.norm(near - exact) / np.linalg.norm(exact))
    assert errors[1] < 0.025
    assert errors[1] < errors[0]


def test_zero_is_told_exactly() -> None:
    known = Range(np.ones(2, np.float32), -0.7, 3.1)
    assert (product(np.zeros((1, 2), np.float32), np.ones((2, 3), np.float32), known) == 1).all()


def test_rows_do_not_change_each_other_by_one_bit() -> None:
    chance = np.random.default_rng(2)
    weights = chance.normal(size=(64, 48)).astype(np.float32)
    values = chance.normal(size=(70, 64)).astype(np.float32)
    known = Range(np.ones(64, np.float32), -4, 4)
    together = product(values, weights, known)
    for row in (0, 33, 69):
        alone = product(values[row : row + 1], weights, known)
        assert alone.tobytes() == together[row : row + 1].tobytes()
