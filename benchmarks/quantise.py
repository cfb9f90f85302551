"""Would quantising the activations of the packaged encoder too be worth it?

    python benchmarks/quantise.py [--texts 240] [--out benchmarks/out]

The packaged model keeps 8-bit weights and multiplies them out to float32 as it loads. Here those
products are folded into float32 weights, and onnxruntime quantises the model dynamically (MatMul,
QInt8, per channel), with and without ``reduce_range``, into a temporary folder. Measured for each
model, on ordinary sentences that are made here: processor time per text, alone and in batches of
equal length as the encoder makes them; the worst and the mean cosine to the packaged model's
vectors; and how far a text's vector alone is from its vector in a batch. Prints a table; all
figures also go to quantise.json. Needs the extra ``dev`` (onnx). About two minutes.

The models would have to be faster at a worst cosine of 0.99, and give a text the same vector
whatever is encoded with it (`encode.protocol.Encoder`). `encode/packaged.py` says what came of it.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import platform
import random
import shutil
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as in the library
os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # as in the library, which is imported too late here

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

from graphmemix.encode import packaged
from graphmemix.encode.packaged import packaged_file

if TYPE_CHECKING:
    from numpy.typing import NDArray

Floats: TypeAlias = "NDArray[np.float32]"

GOAL = 0.99  # worst cosine
WORTH = 1.1  # times faster; less is noise
SAME = 1e-5  # rounding of float32 sums; more is another vector
EIGHT_BITS = (onnx.TensorProto.UINT8, onnx.TensorProto.INT8)


@dataclass(frozen=True)
class Row:
    """One model. Times are processor time, in milliseconds per text.

    Attributes:
        model: Which one.
        megabytes: Of its file.
        alone_ms: One text at a time.
        batched_ms: In batches of equal length.
        speed: How many times faster than the packaged model, batched.
        worst_cosine: To the packaged model's vectors, each text alone.
        mean_cosine: The same, on average.
        batch_difference: The largest change of any number in a vector from alone to batched.
        same_in_a_batch: Whether that is within rounding.
    """

    model: str
    megabytes: float
    alone_ms: float
    batched_ms: float
    speed: float
    worst_cosine: float
    mean_cosine: float
    batch_difference: float
    same_in_a_batch: bool


# Sentences

WHO = ["I", "Anna", "my brother", "the landlord", "our neighbour", "Dr. Weiss", "the whole team"]
DID = [
    *("booked", "forgot", "repaired", "photographed", "sold", "finally found", "complained about"),
    *("asked me about", "wants to return", "keeps talking about", "is still waiting for"),
]
WHAT = [
    *(
        "the train tickets to Lisbon",
        "a blue bicycle",
        "the broken dishwasher",
        "two museum passes",
    ),
    *("her passport", "the vaccination card", "invoice 7Q4-118", "that tiny Thai restaurant"),
    *("grandmother's lemon cake", "the spare key", "the presentation for Monday", "a stray kitten"),
]
WHEN = [
    "yesterday",
    "in May 2023",
    "on my birthday",
    "before the storm",
    "at 6:30 pm",
    "last winter",
]
MORE = [
    *(
        "It cost 42 euros, which is more than I expected.",
        "What do you think?",
        "Please remind me!",
    ),
    *("There is a picture of it somewhere in the shared album.", "We laughed a lot.", "😀"),
    *("The weather was terrible and we walked home along the river.", "Das war wirklich schön."),
    *("If nothing changes, we will have to start again from the beginning next week.", "Thanks."),
]


def sentences(count: int) -> list[str]:
    """Make texts of one to eight sentences; the same for the same count."""
    rng = random.Random(count)
    texts = []
    for _ in range(count):
        first = f"{rng.choice(WHO)} {rng.choice(DID)} {rng.choice(WHAT)} {rng.choice(WHEN)}."
        texts.append(" ".join([first, *rng.sample(MORE, rng.choice((0, 0, 1, 1, 2, 3, 5, 7)))]))
    return texts


# Models


def folded(model: onnx.ModelProto) -> int:
    """Replace every ``Cast(8-bit weights) * scale`` by its float32 product; return how many."""
    graph = model.graph
    weights = {each.name: each for each in graph.initializer}
    maker = {name: node for node in graph.node for name in node.output}
    products = []
    for node in graph.node:
        if node.op_type != "Mul":
            continue
        for cast_name, scale_name in (tuple(node.input), tuple(node.input)[::-1]):
            cast = maker.get(cast_name)
            if cast is None or cast.op_type != "Cast" or scale_name not in weights:
                continue
            packed = weights.get(cast.input[0])
            if packed is not None and packed.data_type in EIGHT_BITS:
                scale = numpy_helper.to_array(weights[scale_name])
                values = numpy_helper.to_array(packed).astype(np.float32) * scale
                products.append((node, numpy_helper.from_array(values, node.output[0])))
                break
    for node, product in products:
        graph.node.remove(node)
        graph.initializer.append(product)
    _sweep(graph)
    return len(products)


def _sweep(graph: onnx.GraphProto) -> None:
    """Remove nodes and weights that nothing uses any more."""
    used = {name for node in graph.node for name in node.input} | {o.name for o in graph.output}
    for node in [n for n in graph.node if not used.intersection(n.output)]:
        graph.node.remove(node)
    used = {name for node in graph.node for name in node.input}
    for weight in [each for each in graph.initializer if each.name not in used]:
        graph.initializer.remove(weight)


def variants(folder: Path) -> dict[str, Path]:
    """Write the packaged model and what can be made of it into `folder`."""
    as_is, float32 = folder / "packaged.onnx", folder / "float32.onnx"
    as_is.write_bytes(packaged_file(*packaged._MODEL))  # noqa: SLF001  # the same file
    model = onnx.load(as_is)
    print(f"{folded(model)} weights folded", flush=True)
    onnx.save(model, float32)
    paths = {"packaged": as_is, "float32": float32}
    logging.disable(logging.WARNING)  # it recommends a preparation that changes nothing here
    for name, reduce_range in (("int8", False), ("int8, reduced", True)):
        paths[name] = folder / f"int8-{reduce_range}.onnx"
        quantize_dynamic(
            float32,
            paths[name],
            weight_type=QuantType.QInt8,
            op_types_to_quantize=["MatMul"],
            per_channel=True,
            reduce_range=reduce_range,
        )
    logging.disable(logging.NOTSET)
    return paths


# Measuring


def encoder_of(path: Path) -> packaged.MiniLmEncoder:
    """Return the packaged encoder with another model in it."""
    encoder = packaged.MiniLmEncoder(threads=1)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    encoder.__dict__["_session"] = session  # where `cached_property` keeps it
    return encoder


def measure(paths: dict[str, Path], texts: list[str], rounds: int) -> list[Row]:
    """Encode all texts with every model in turn; of the rounds the fastest counts."""
    encoders = {name: encoder_of(path) for name, path in paths.items()}
    alone: dict[str, Floats] = {}
    batched: dict[str, Floats] = {}
    times: dict[tuple[str, str], list[float]] = {}
    for _ in range(rounds):
        for name, encoder in encoders.items():
            start = time.process_time()
            alone[name] = np.concatenate([encoder.texts([text]) for text in texts])
            middle = time.process_time()
            batched[name] = encoder.texts(texts)
            end = time.process_time()
            times.setdefault((name, "alone"), []).append(1e3 * (middle - start) / len(texts))
            times.setdefault((name, "batched"), []).append(1e3 * (end - middle) / len(texts))
    rows = []
    for name, path in paths.items():
        cosines = np.einsum("ij,ij->i", alone[name], alone["packaged"])
        difference = float(np.abs(alone[name] - batched[name]).max())
        batched_ms = min(times[name, "batched"])
        rows.append(
            Row(
                model=name,
                megabytes=path.stat().st_size / 1e6,
                alone_ms=min(times[name, "alone"]),
                batched_ms=batched_ms,
                speed=min(times["packaged", "batched"]) / batched_ms,
                worst_cosine=float(cosines.min()),
                mean_cosine=float(cosines.mean()),
                batch_difference=difference,
                same_in_a_batch=difference <= SAME,
            )
        )
    return rows


def show(rows: list[Row]) -> None:
    """Print a column for each model."""
    for name in asdict(rows[0]):
        values = [getattr(row, name) for row in rows]
        print(f"{name:18}" + "".join(f"{_shown(value):>15}" for value in values))


def _shown(value: float | str | bool) -> str:  # noqa: FBT001
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    return f"{value:.1e}" if 0 < value < 0.001 else f"{value:.4f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--texts", type=int, default=240)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "out")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="graphmemix-quantise-"))
    try:
        rows = measure(variants(folder), sentences(options.texts), options.rounds)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    show(rows)
    good = [
        row.model
        for row in rows
        if row.speed >= WORTH and row.worst_cosine >= GOAL and row.same_in_a_batch
    ]
    print(
        f"{WORTH} times faster, worst cosine {GOAL}, same in a batch: {', '.join(good) or 'none'}"
    )
    options.out.mkdir(parents=True, exist_ok=True)
    report = {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "onnxruntime": onnxruntime.__version__,
        "texts": options.texts,
        "goal": GOAL,
        "rows": [asdict(row) for row in rows],
    }
    (options.out / "quantise.json").write_text(json.dumps(report, indent=2) + "\n")
    print(f"written: {options.out}/quantise.json")


if __name__ == "__main__":
    main()
