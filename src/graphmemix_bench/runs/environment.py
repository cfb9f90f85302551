"""What a run depends on besides its settings: the data, the machine, the versions."""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from graphmemix_bench.datasets.bundle import question_row

if TYPE_CHECKING:
    from collections.abc import Iterable

    from graphmemix_bench.datasets.base import Context

_PACKAGES = ("graphmemix", "numpy", "onnxruntime", "pillow", "pydantic", "scipy", "simsimd")


def environment() -> dict[str, str]:
    """Return the machine and the versions, without any name of a person or a host."""
    found = {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": str(os.cpu_count() or 0),
        "optimised": str(not __debug__ or bool(sys.flags.optimize)).lower(),
    }
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def fingerprint(contexts: Iterable[Context]) -> str:
    """Return a hash of all memories, questions, answers and gold. Reads each context once."""
    digest = hashlib.sha256()
    for context in contexts:
        digest.update(context.name.encode() + b"\0")
        for memory in context.memories:
            digest.update(memory.to_json().encode() + b"\n")
        for question in context.questions:
            digest.update(question_row(question).to_json().encode() + b"\n")
    return digest.hexdigest()
