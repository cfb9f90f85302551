"""The process that fuzzes one target: ``python -m tests.fuzz.child`` is called by ``__main__``."""

from __future__ import annotations

import json
import sys
import time
import traceback
import warnings
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.fuzz.target import Prey, Target

_INSTRUMENTED = ["graphmemix", "pypdf"]
_SLOW = 10.0  # seconds of CPU for one input
_SLOW_IF_SMALL = 2.0  # seconds of CPU for an input of a few kilobytes
_SMALL = 1 << 14  # bytes
_MOST_FOUND = 20


class Hunt:
    """Runs inputs, and remembers what broke."""

    def __init__(self, prey: Prey, group: str, name: str, out: Path) -> None:
        self._prey, self._group, self._name, self._out = prey, group, name, out
        self._executions, self._slowest, self._saved_at = 0, 0.0, 0.0
        self._found: dict[str, str] = {}
        self._last = (out / "last").open("wb", buffering=0)

    def __call__(self, data: bytes) -> None:
        self._last.seek(0)
        self._last.write(data)
        self._last.truncate()
        started = time.process_time()
        try:
            self._prey.run(data)
        except Exception as error:  # that is what we are after  # noqa: BLE001
            self._keep(place(error), data)
        taken = time.process_time() - started
        self._slowest = max(self._slowest, taken)
        self._executions += 1
        slow = _SLOW_IF_SMALL if len(data) <= _SMALL else _SLOW
        if taken > slow:
            self._keep(f"takes more than {slow:g} s", data)
        if time.monotonic() - self._saved_at > 0.5:
            self.save()

    def _keep(self, what: str, data: bytes) -> None:
        if what not in self._found and len(self._found) < _MOST_FOUND:
            kept = self._out / f"found-{sha256(data).hexdigest()[:12]}"
            kept.write_bytes(data)
            self._found[what] = str(kept)
            self.save()

    def save(self) -> None:
        """Write the result: whoever guides the inputs may end the process at any moment."""
        self._saved_at = time.monotonic()
        told = {
            "target": self._name,
            "group": self._group,
            "executions": self._executions,
            "slowest": self._slowest,
            "found": self._found,
        }
        draft = self._out / "result.new"
        draft.write_text(json.dumps(told))
        draft.replace(self._out / "result.json")


def place(error: BaseException) -> str:
    """Name an error by its kind and by where it was raised: the same twice is one."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/graphmemix/" in frame.filename] or frames
    last = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in (ours[-1], frames[-1])]
    said = str(error)[:120] if isinstance(error, AssertionError) else ""
    return f"{type(error).__name__} {said}at {' < '.join(dict.fromkeys(last))}"


def guided(hunt: Hunt, prey: Prey, seconds: float, out: Path, seed: int) -> None:
    """Let coverage find inputs."""
    atheris: Any = import_module("atheris")

    corpus = out / "corpus"  # what was of use before is of use again
    corpus.mkdir(exist_ok=True)
    for number, data in enumerate(prey.seeds):
        (corpus / f"seed-{number}").write_bytes(data)
    arguments = [
        sys.argv[0], str(corpus), f"-max_total_time={max(1, round(seconds))}", "-timeout=120",
        "-rss_limit_mb=6000", f"-seed={seed + 1}", "-max_len=65536", f"-artifact_prefix={out}/",
    ]  # fmt: skip
    atheris.Setup(arguments, hunt)
    atheris.Fuzz()


def unguided(hunt: Hunt, prey: Prey, seconds: float, seed: int) -> None:
    """Damage good inputs."""
    from tests.fuzz.target import inputs

    end = time.monotonic() + seconds
    for data in inputs(prey.seeds, seed):
        hunt(data)
        if time.monotonic() > end:
            break


def find(group: str, name: str) -> Target:
    module: Any = import_module(f"tests.fuzz.{group}")
    found: Target = next(target for target in module.TARGETS if target.name == name)
    return found


def main(
    group: str, name: str, seconds: float, out: Path, work: Path, seed: int, engine: str
) -> None:
    warnings.simplefilter("ignore")  # those of formats; what matters raises
    if engine == "atheris":
        atheris: Any = import_module("atheris")

        with atheris.instrument_imports(include=_INSTRUMENTED, enable_loader_override=False):
            target = find(group, name)
            for part in _INSTRUMENTED:
                import_module(part)
    else:
        target = find(group, name)
    with target.open(work) as prey:
        hunt = Hunt(prey, group, name, out)
        if engine == "atheris":
            guided(hunt, prey, seconds, out, seed)
        else:
            unguided(hunt, prey, seconds, seed)
        hunt.save()


if __name__ == "__main__":
    _, _group, _name, _seconds, _out, _work, _seed, _engine = sys.argv
    main(_group, _name, float(_seconds), Path(_out), Path(_work), int(_seed), _engine)
