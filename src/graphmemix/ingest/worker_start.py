"""The entry point of a worker process: ``python worker_start.py PATHS SOCKET``.

It imports little, so that it starts fast: the packages in `_LATER` run their ``__init__`` only when
a name of theirs is used that is not a module. A worker exits when its parent process does, whatever
either of them is doing.
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
    """Prepare the process and wait for tasks."""
    # Standard input is a pipe that nobody writes to. When the parent exits, even by SIGKILL, the
    # kernel closes the other end, and SIGIO ends this process, even amid a regular expression.
    fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | os.O_ASYNC)
    for number in (signal.SIGINT, signal.SIGTERM):  # the parent decides
        signal.signal(number, signal.SIG_IGN)
    sys.path[:] = json.loads(sys.argv[1])
    for name in _LATER:
        _import_later(name)
    from graphmemix.ingest.worker import serve

    # Decoders such as libtiff print there about damage, over the progress that the parent shows.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
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

    def lazy_attribute(attribute: str) -> object:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        try:
            return import_module(f"{name}.{attribute}")
        except ModuleNotFoundError:
            package.__dict__.pop("__getattr__", None)
            loader.exec_module(package)
            return getattr(package, attribute)

    package.__dict__["__getattr__"] = lazy_attribute
    sys.modules[name] = package


if __name__ == "__main__":
    main()
