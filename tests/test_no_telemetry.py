"""Libraries report nothing to their makers, whatever the environment says."""

from __future__ import annotations

import json
import subprocess
import sys

from graphmemix.no_telemetry import SWITCHES

CHILD = "import json, os, sys; print(json.dumps({name: os.environ[name] for name in sys.argv[1:]}))"
PROGRAM = f"""
import subprocess, sys
import graphmemix
subprocess.run([sys.executable, "-c", {CHILD!r}, *sys.argv[1:]], check=True)
"""
LOADED = """
import sys, types
runtime = types.ModuleType("onnxruntime")
runtime.disable_telemetry_events = lambda: print("off")
sys.modules["onnxruntime"] = runtime
import graphmemix
"""


def run(program: str, **environment: str) -> str:
    command = [sys.executable, "-c", program, *SWITCHES]
    return subprocess.check_output(command, env={"PATH": "/usr/bin:/bin", **environment}, text=True)


def test_processes_that_this_one_starts_inherit_the_switches() -> None:
    assert json.loads(run(PROGRAM)) == SWITCHES


def test_a_user_who_has_reports_turned_on_gets_none_from_here() -> None:
    turned_on = {name: "0" if off == "1" else "1" for name, off in SWITCHES.items()}
    assert json.loads(run(PROGRAM, **turned_on)) == SWITCHES


def test_an_onnxruntime_that_was_loaded_before_is_silenced_too() -> None:
    assert run(LOADED) == "off\n"
