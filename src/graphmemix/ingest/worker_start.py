"""The first file that a worker process runs: ``python worker_start.py PATHS SOCKET``.

It imports little, so that a small ingestion does not wait: the packages in `_LATER` run their own
code only if somebody asks for a name of theirs that is no module. A worker ends with the process
that started it, whatever either of them is doing.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import sys
from importlib import import_module
from importlib.machinery import PathFinder
from types import ModuleType

_LATER = ("graphmemix", "graphmemix.encode", "graphmemix.store")


def main() -> None:
    """Get ready and wait for tasks."""
    # Standard input is a pipe that nobody writes to. When its other end closes, which the system
    # does for a process that was killed, SIGIO ends this process, even amid a regular expression.
    fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | os.O_ASYNC)
    for number in (signal.SIGINT, signal.SIGTERM):  # who started this process decides
        signal.signal(number, signal.SIG_IGN)
    sys.path[:] = json.loads(sys.argv[1])
    for name in _LATER:
        _import_later(name)
    from graphmemix.ingest.worker import serve

    serve(int(sys.argv[2]))


def _import_later(name: str) -> None:
    """Make a package importable without running its ``__init__``."""
    above = sys.modules.get(name.rpartition(".")[0])
    spec = PathFinder.find_spec(name, above.__path__ if above else None)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(name)
    loader, package = spec.loader, ModuleType(name, None)
    package.__spec__, package.__file__, package.__package__ = spec, spec.origin, name
    package.__path__ = list(spec.submodule_search_locations or ())

    def asked(attribute: str) -> object:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        try:
            return import_module(f"{name}.{attribute}")
        except ModuleNotFoundError:
            package.__dict__.pop("__getattr__", None)
            loader.exec_module(package)
            return getattr(package, attribute)

    package.__dict__["__getattr__"] = asked
    sys.modules[name] = package


if __name__ == "__main__":
    main()
