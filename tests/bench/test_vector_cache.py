from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from graphmemix.encode.hashing import HashingEncoder
from graphmemix_bench.vector_cache import RememberingEncoder


def test_remembered_vectors_are_the_same_and_are_encoded_once(tmp_path: Path) -> None:
    inner = HashingEncoder(16)
    texts = ["key", "", "lake", "key", "half \ud800"]
    cached = RememberingEncoder(inner, tmp_path / "cache")
    first = cached.texts(texts)
    cached.close()
    assert first.tobytes() == inner.texts(texts).tobytes()

    class Away(HashingEncoder):
        def texts(self, *_: Any, **__: Any) -> Any:
            raise AssertionError

    again = RememberingEncoder(Away(16), tmp_path / "cache")
    assert again.texts(texts).tobytes() == first.tobytes()
    with pytest.raises(AssertionError):
        again.texts(["new"])
    again.close()
