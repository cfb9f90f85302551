"""What holds for all tests."""

from __future__ import annotations

import gc
import signal

from hypothesis import HealthCheck, settings

import graphmemix  # noqa: F401  # before libraries that tests load themselves: none reports
from tests.llm.servers import hostile, llama

__all__ = ["hostile", "llama"]

# Nothing depends on how busy the machine is. Plugins of `make` have loaded profiles like this one.
# Twenty-five examples of each property every time; `make test-slow` tries sixteen times as many.
settings.register_profile(
    "busy",
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
settings.register_profile("thorough", settings.get_profile("busy"), max_examples=400)
if settings.default is not None and settings.default.deadline is not None:
    settings.load_profile("busy")

# A shell starts background jobs with Ctrl-C ignored, and processes inherit that: tests that
# interrupt a command would then wait for nothing.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Keep thousands of collected tests out of every later search for garbage."""
    gc.freeze()
