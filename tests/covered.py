"""A pytest plugin for `make coverage`: nothing that tests run goes unmeasured.

Tests start commands in an environment of their own, without what tells coverage to begin. This
puts it back, and the place of the package that is measured, which may be another copy than the
installed one. Workers of xdist are killed ten seconds after the end, so they write before it. And
measured code is slow: hypothesis is not to take that for a fault.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import coverage
import pytest
from hypothesis import HealthCheck, settings

import graphmemix

_CONFIG = "COVERAGE_PROCESS_CONFIG"  # set by coverage's patch "subprocess"
_SOURCE = str(Path(graphmemix.__file__).parents[1])
_started = subprocess.Popen.__init__

settings.register_profile(
    "coverage", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("coverage")


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


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    measured = coverage.Coverage.current()
    if measured is not None:
        measured.save()
