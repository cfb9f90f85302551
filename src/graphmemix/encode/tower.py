"""One tower of a model: an ONNX graph, run by onnxruntime on the CPU."""

from __future__ import annotations

import mmap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from graphmemix.errors import EncoderError, reason_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import onnxruntime
    from numpy.typing import NDArray

__all__ = ["Tower"]

_DTYPES: Final[Mapping[str, type[np.generic]]] = {
    "tensor(int64)": np.int64,
    "tensor(int32)": np.int32,
    "tensor(float)": np.float32,
    "tensor(float16)": np.float16,
}


@dataclass(frozen=True)
class Tower:
    """One output of a graph, and the inputs that the graph wants."""

    path: Path
    session: onnxruntime.InferenceSession
    output: str
    dimension: int | None
    one_by_one: bool

    @classmethod
    def load(
        cls, path: Path, outputs: Sequence[str], threads: int, shared: Tower | None = None
    ) -> Tower:
        """Read a graph and choose the first of `outputs` that it has.

        Raises:
            EncoderError: It has none of them, or it is no graph.
        """
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
        """Return whether the graph has an input of this name."""
        return any(value.name == name for value in self.session.get_inputs())

    def run(self, feeds: Mapping[str, NDArray[Any]]) -> NDArray[np.float32]:
        """Return one row per input; `feeds` may hold more than the graph takes.

        Raises:
            EncoderError: The graph wants an input that is not there, or it failed.
        """
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
            raise EncoderError(f"{self.path}: the model failed: {reason_of(error)}") from error
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
        raise EncoderError(f"{path}: not a model that can be run: {reason_of(error)}") from error


def _quantises_activations(path: Path) -> bool:
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as graph:
        return graph.find(b"DynamicQuantize") >= 0  # the operator's name, as the file spells it
