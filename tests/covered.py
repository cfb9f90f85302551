"""A pytest plugin for `make coverage`: commands that tests start are measured too.

Tests start commands in an environment of their own, without what tells coverage to begin. This
puts it back, and the place of the package that is measured, which may be another copy than the
installed one.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import graphmemix

_CONFIG = "COVERAGE_PROCESS_CONFIG"  # set by coverage's patch "subprocess"
_SOURCE = str(Path(graphmemix.__file__).parents[1])
_started = subprocess.Popen.__init__


def _start(self: subprocess.Popen[Any], *arguments: Any, **options: Any) -> None:
    environment = options.get("env")
    if environment is not None and _CONFIG in os.environ:
        path = environment.get("PYTHONPATH")
        options["env"] = {
            **environment,
            _CONFIG: os.environ[_CONFIG],
            "PYTHONPATH": os.pathsep.join((path, _SOURCE) if path else (_SOURCE,)),
        }
    _started(self, *arguments, **options)


def pytest_configure() -> None:
    subprocess.Popen.__init__ = _start  # type: ignore[method-assign]
