"""Turns off what libraries would report to their makers. Imported with the package, before them.

The switches are environment variables, because libraries read them in native code, when they are
loaded, and because processes that this one starts (readers, workers of Ray) inherit them. They are
set whatever the user's environment says: the package promises that nothing is reported.
"""

from __future__ import annotations

import os
import sys
from typing import Final

__all__ = ["SWITCHES"]

SWITCHES: Final = {
    # onnxruntime from 1.31 on: an id of this machine in ~/.cache/Microsoft, events to Microsoft.
    "ORT_DISABLE_TELEMETRY": "1",
    # huggingface_hub: what is installed here, in each request to the hub.
    "HF_HUB_DISABLE_TELEMETRY": "1",
    # hf_xet, which transfers the hub's large files: how each transfer went.
    "HF_XET_TELEMETRY_ENABLED": "0",
    # Ray: the size and the use of the cluster, every hour.
    "RAY_USAGE_STATS_ENABLED": "0",
}

os.environ.update(SWITCHES)
# A program that loads onnxruntime before this package comes too late for its switch: what it
# reports when it starts is under way. This stops what would follow, our models among it.
if "onnxruntime" in sys.modules:
    sys.modules["onnxruntime"].disable_telemetry_events()
