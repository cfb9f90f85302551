"""The part of the ONNX file format that the packaged encoder needs: tensors read, graphs written.

An ONNX file is a protocol buffer. The package `onnx` reads and writes all of it and takes 90 MB;
the messages and fields here are the few that hold weights and a plain graph, with their numbers
from onnx.proto.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from graphmemix.errors import EncoderError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

_VARINT, _FIXED_8, _BYTES, _FIXED_4 = 0, 1, 2, 5
_TYPES: Final[dict[int, np.dtype[Any]]] = {
    1: np.dtype("<f4"),
    2: np.dtype("u1"),
    3: np.dtype("i1"),
    6: np.dtype("<i4"),
    7: np.dtype("<i8"),
}
_NUMBERS: Final = {dtype: number for number, dtype in _TYPES.items()}
_MODEL_GRAPH, _GRAPH_TENSOR = 7, 5
_TENSOR_DIMENSION, _TENSOR_TYPE, _TENSOR_NAME, _TENSOR_DATA = 1, 2, 8, 9
_FLOAT, _INT, _INTS = 1, 2, 7  # types of an attribute
_IR_VERSION, _OPSET = 8, 17
CONTRIBUTED: Final = "com.microsoft"
"""The domain of the operators that onnxruntime adds to the standard."""


def tensors(model: bytes) -> dict[str, NDArray[Any]]:
    """Return the weights in an ONNX file by name, those of the types that are written here.

    Raises:
        EncoderError: It is not an ONNX file, or is cut off.
    """
    found: dict[str, NDArray[Any]] = {}
    try:
        for number, graph in _fields(memoryview(model)):
            if number != _MODEL_GRAPH or isinstance(graph, int):
                continue
            for inner, tensor in _fields(graph):
                if inner == _GRAPH_TENSOR and not isinstance(tensor, int):
                    found.update(_tensor(tensor))
    except (IndexError, ValueError) as error:
        raise EncoderError(f"not an ONNX file: {error}") from None
    return found


def _tensor(message: memoryview) -> dict[str, NDArray[Any]]:
    shape: list[int] = []
    kind, name, data = 0, "", memoryview(b"")
    for number, value in _fields(message):
        if isinstance(value, int):
            if number == _TENSOR_DIMENSION:
                shape.append(value)
            elif number == _TENSOR_TYPE:
                kind = value
        elif number == _TENSOR_DIMENSION:  # all of them in one field
            shape += _varints(value)
        elif number == _TENSOR_NAME:
            name = bytes(value).decode()
        elif number == _TENSOR_DATA:
            data = value
    if kind not in _TYPES or not data:
        return {}
    return {name: np.frombuffer(data, _TYPES[kind]).reshape(shape)}


def _fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Yield the fields of a message: numbers as they are, everything else as its bytes."""
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        number, kind = tag >> 3, tag & 7
        if kind == _VARINT:
            value, at = _varint(message, at)
            yield number, value
            continue
        if kind == _BYTES:
            length, at = _varint(message, at)
        elif kind in {_FIXED_4, _FIXED_8}:
            length = 4 if kind == _FIXED_4 else 8
        else:
            raise ValueError(f"unknown type {kind} of a field")
        if at + length > len(message):
            raise ValueError("it is cut off")
        yield number, message[at : at + length]
        at += length


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:  # the last byte has no upper bit
            return value, at
        shift += 7


def _varints(message: memoryview) -> Iterator[int]:
    at = 0
    while at < len(message):
        value, at = _varint(message, at)
        yield value


class Graph:
    """A graph of operators that is written as an ONNX file."""

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._tensors: dict[str, bytes] = {}

    def constant(self, name: str, values: NDArray[Any]) -> str:
        """Add a tensor, once for each name; return its name."""
        if name not in self._tensors:
            made = np.ascontiguousarray(values, values.dtype.newbyteorder("<"))
            shape = b"".join(_number(_TENSOR_DIMENSION, length) for length in values.shape)
            kind = _number(_TENSOR_TYPE, _NUMBERS[made.dtype])
            self._tensors[name] = (
                shape + kind + _text(_TENSOR_NAME, name) + _field(_TENSOR_DATA, made.tobytes())
            )
        return name

    def node(
        self, operator: str, inputs: Sequence[str], output: str, **attributes: float | list[int]
    ) -> str:
        """Add an operator with one output; return the name of that.

        Operators that onnxruntime contributes are written with a dot before their name.
        """
        message = b"".join(_text(1, each) for each in inputs)
        message += _text(2, output) + _text(3, output) + _text(4, operator.removeprefix("."))
        message += b"".join(_field(5, _attribute(*each)) for each in attributes.items())
        if operator.startswith("."):
            message += _text(7, CONTRIBUTED)
        self._nodes.append(message)
        return output

    def model(self, given: tuple[str, Sequence[str | int]], outputs: Sequence[str]) -> bytes:
        """Return the file; its input is float32 of the given name and shape."""
        name, shape = given
        graph = b"".join(_field(1, node) for node in self._nodes) + _text(2, "encoder")
        graph += b"".join(_field(_GRAPH_TENSOR, each) for each in self._tensors.values())
        graph += _field(11, _value(name, shape))
        graph += b"".join(_field(12, _value(each, None)) for each in outputs)
        domains = (("", _OPSET), (CONTRIBUTED, 1))
        opsets = (_field(8, _text(1, domain) + _number(2, each)) for domain, each in domains)
        return _number(1, _IR_VERSION) + b"".join(opsets) + _field(_MODEL_GRAPH, graph)


def _attribute(name: str, value: float | list[int]) -> bytes:
    if isinstance(value, list):
        listed = b"".join(_number(8, each) for each in value)
        return _text(1, name) + listed + _number(20, _INTS)
    if isinstance(value, int):
        return _text(1, name) + _number(3, value) + _number(20, _INT)
    return _text(1, name) + _key(2, _FIXED_4) + struct.pack("<f", value) + _number(20, _FLOAT)


def _value(name: str, shape: Sequence[str | int] | None) -> bytes:
    tensor = _number(1, _NUMBERS[np.dtype("<f4")])
    if shape is not None:
        sizes = (_text(2, each) if isinstance(each, str) else _number(1, each) for each in shape)
        tensor += _field(2, b"".join(_field(1, size) for size in sizes))
    return _text(1, name) + _field(2, _field(1, tensor))


def _text(number: int, value: str) -> bytes:
    return _field(number, value.encode())


def _field(number: int, value: bytes) -> bytes:
    return _key(number, _BYTES) + _written(len(value)) + value


def _number(number: int, value: int) -> bytes:
    return _key(number, _VARINT) + _written(value)


def _key(number: int, kind: int) -> bytes:
    return _written(number << 3 | kind)


def _written(value: int) -> bytes:
    value &= (1 << 64) - 1  # negative numbers as 64 bits
    made = bytearray()
    while value > 0x7F:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    made.append(value)
    return bytes(made)
