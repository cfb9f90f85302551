"""What holds for all tests."""

from __future__ import annotations

import signal

import graphmemix  # noqa: F401  # before libraries that tests load themselves: none reports
from tests.llm.servers import hostile, llama

__all__ = ["hostile", "llama"]

# A shell starts background jobs with Ctrl-C ignored, and processes inherit that: tests that
# interrupt a command would then wait for nothing.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
